/*
 * link_count.c
 *	  Counts of lists that one many-to-many relation restricts, from its join table alone.
 *
 * A living row of a join table belongs to a living record, and <key>_shown says whether outsiders
 * see that record (shown.c).  An index has both, so the records need not be read.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "pg/pg.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/read_internal.h"
#include "registry/registry.h"

/* Rows of a join table that each stand for one record of a list. */
typedef struct Links
{
	const CatRelation *relation;
	const char *key;	 /* quoted column towards the records of the list */
	const char *to;		 /* quoted column towards the records that restrict it */
	const Filter *those; /* that found these records; NULL: a record's own list is counted */
	const char *owner;	 /* the id of that record */
} Links;

/* Return the key of a join table towards the records of a list, or NULL. */
static const Dependent *
find_key(const Resource *resource, const Links *links)
{
	ListCell *cell;

	foreach(cell, resource->dependents)
	{
		const Dependent *dependent = lfirst(cell);

		if (dependent->is_join && strcmp(dependent->table, links->relation->via) == 0 &&
			strcmp(dependent->column, links->key) == 0)
			return dependent;
	}
	return NULL;
}

/* Return the only filter of a list if it requires one of the records that were found for it. */
static const Filter *
only_filter(const RequestParams *params)
{
	Filter *filter = list_length(params->filters) == 1 ? linitial(params->filters) : NULL;

	if (!filter || !filter->related || filter->none || filter->comparison == COMPARE_NOT_EQUAL)
		return NULL;
	cat_filter_look_up(params, filter);
	return filter->found_at == 1 && filter->nids > 0 ? filter : NULL;
}

/* Find the rows of a join table that stand for the records of a list; false if there are none. */
static bool
find_links(const RequestParams *params, const Source *source, Links *links)
{
	const CatRelation *relation = source->relation;

	*links = (Links){.relation = relation, .owner = source->owner};
	if (relation && params->filters == NIL)
	{
		links->key = relation->far;
		links->to = relation->near;
	}
	else if (!relation && (links->those = only_filter(params)))
	{
		links->relation = relation =
			cat_registry_relation(params->resource, linitial(links->those->path));
		links->key = relation->near;
		links->to = relation->far;
	}
	return relation && links->key && relation->kind == RELATION_MANY_TO_MANY;
}

/* Return the condition on a join table's rows that the caller sees their records, or NULL. */
static const char *
condition_of(const RequestParams *params, const Links *links)
{
	const Dependent *key = find_key(params->resource, links);

	if (!key)
		return NULL;
	if (!cat_visibility_is_partial(params->resource, params->access))
		return key->deletion == 'c' ? "true" : NULL;
	return params->access == ACCESS_OUTSIDER && key->flag ? psprintf("j.%s", key->flag) : NULL;
}

/*
 * Write a statement that counts the records of a list by a join table; false, with nothing written,
 * if that cannot be done: for an earlier state, other conditions, or a user who may not read all
 * records.
 */
bool
cat_link_count_write(SqlBuilder *query, const RequestParams *params, const Source *source)
{
	Links links;
	const char *condition;

	if (params->then || params->terms != NIL || params->window || params->deleted ||
		!find_links(params, source, &links) || !(condition = condition_of(params, &links)) ||
		!cat_index_scan_sees_all(params->resource->relid))
		return false;
	/* two of the records found may have the same record of the list */
	if (links.those && links.those->nids > 1)
		appendStringInfo(&query->sql, "SELECT count(DISTINCT j.%s)", links.key);
	else
		appendStringInfoString(&query->sql, "SELECT count(*)");
	appendStringInfo(&query->sql, " FROM %s j WHERE j.deleted_at IS NULL AND %s AND j.%s = ",
					 links.relation->via, condition, links.to);
	if (links.those)
		appendStringInfo(
			&query->sql, "ANY (%s)",
			cat_sql_builder_value(query, TEXTARRAYOID,
								  cat_text_array_make(links.those->ids, links.those->nids)));
	else
		appendStringInfoString(&query->sql, cat_sql_builder_param(query, links.owner));
	return true;
}
