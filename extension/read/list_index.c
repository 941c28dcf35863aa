/*
 * list_index.c
 *	  Pages in the order of creation, from indexes that have the records of a key in that order.
 *
 * An index on key, deleted_at, created_at and id has the living records of each key in order: in
 * the resource's table for records that refer by the key, in a join table for linked records.  A
 * statement that is sorted like the index reads only the records of the page, however many match.
 */
#include "catalogue.h"

#include "utils/lsyscache.h"

#include "read/list_internal.h"

/* Maximum number of ids of one condition; each has a part in the statement. */
#define KEYS_MAX 16

/* Set the ids of a filter on a key of the record to its values; false if they are no ids. */
static bool
take_values(const RequestParams *params, Filter *filter)
{
	const Field *field = cat_registry_field(params->resource, linitial(filter->path));

	if (!field || field->kind != FIELD_ID || list_member_ptr(filter->values, NULL))
		return false;
	filter->nids = 0;
	filter->ids = palloc(sizeof(Datum) * list_length(filter->values));
	foreach_ptr(char, value, filter->values)
		filter->ids[filter->nids++] = CStringGetTextDatum(value);
	return true;
}

/* Look up the ids of a filter; return the relation that they are keys of, NULL if there is none. */
static const CatRelation *
keys_of(const RequestParams *params, Filter *filter)
{
	const CatRelation *relation = cat_registry_relation(params->resource, linitial(filter->path));

	if (!relation || relation->kind == RELATION_ONE_TO_MANY ||
		cat_comparison_is_range(filter->comparison))
		return NULL;
	cat_filter_look_up(params, filter);
	if (list_length(filter->path) == 1 ? !take_values(params, filter)
									   : filter->found_at != 1 || filter->none)
		return NULL;
	return filter->nids <= KEYS_MAX ? relation : NULL;
}

/*
 * Return whether all filters are on keys, and each of them is required, so that the list is read in
 * the order of creation rather than by the search index.
 */
bool
cat_list_index_serves(const RequestParams *params)
{
	int own = 0;

	foreach_ptr(Filter, filter, params->filters)
	{
		own += filter->required ? 0 : 1;
		if (!keys_of(params, filter) || (own > 1 && !params->all))
			return false;
	}
	return true;
}

/*
 * Return whether the links of a record of the list are as they were if the record has not changed
 * since the instant of the read.
 *
 * from: whether the relation leads from the record; false: it leads to the record
 */
static bool
are_links_kept(const RequestParams *params, const CatRelation *relation, bool from)
{
	const CatRelation *keeping = params->then ? cat_history_sql_keeping(relation) : NULL;

	return !keeping || (keeping == relation) == from;
}

/* Set the keys of a filter and their index; false if there is none. */
static bool
take_filter(const RequestParams *params, Filter *filter, ListIndex *taken)
{
	const CatRelation *relation = keys_of(params, filter);

	if (!relation || filter->comparison != COMPARE_EQUAL || filter->nids == 0 ||
		!OidIsValid(relation->here.index) || !are_links_kept(params, relation, true))
		return false;
	*taken = (ListIndex){.index = &relation->here,
						 .table = relation->via,
						 .key = relation->far ? relation->far : relation->near,
						 .count = filter->nids,
						 .keys = filter->ids,
						 .filter = filter,
						 .linked = relation->here.table != params->resource->relid};
	return true;
}

/* Return whether every record of a list passes a filter: it is no alternative to another one. */
static bool
is_passed_by_all(const RequestParams *params, const Filter *filter)
{
	if (filter->required || params->all)
		return true;
	foreach_ptr(const Filter, other, params->filters)
		if (other != filter && !other->required)
			return false;
	return true;
}

/* Set the keys and the index of the most selective filter: those of a join table usually match fewer rows. */
static void
choose_by_filter(ListIndex *chosen, const RequestParams *params)
{
	ListIndex taken;

	foreach_ptr(Filter, filter, params->filters)
		if (is_passed_by_all(params, filter) && take_filter(params, filter, &taken) &&
			(!chosen->index || (taken.linked && !chosen->linked)))
			*chosen = taken;
}

/* Return the keys and the index of a list: those of its owner, else of the most selective filter. */
static ListIndex
choose(const ReadPlan *plan)
{
	const RequestParams *params = plan->params;
	const CatRelation *relation = plan->source.relation;
	ListIndex chosen = {0};

	if (!relation)
		choose_by_filter(&chosen, params);
	else if (OidIsValid(relation->there.index) && are_links_kept(params, relation, false))
	{
		chosen = (ListIndex){.index = &relation->there,
							 .table = relation->via,
							 .key = relation->near,
							 .count = 1,
							 .keys = palloc(sizeof(Datum)),
							 .linked = relation->there.table != params->resource->relid};
		chosen.keys[0] = CStringGetTextDatum(plan->source.owner);
	}
	return chosen;
}

/* Return what a page in the order of creation is read by. */
ListIndex
cat_list_index(const ReadPlan *plan)
{
	const RequestParams *params = plan->params;
	ListIndex chosen = {0};

	if (plan->source.relation || cat_list_index_serves(params))
		chosen = choose(plan);
	chosen.sorted = chosen.index || (!plan->source.relation &&
									 cat_visibility_is_keyed(params->resource, params->access));
	return chosen;
}

static const char *
column(const ListIndex *chosen, AttrNumber attno)
{
	return quote_identifier(get_attname(chosen->index->table, attno, false));
}

/*
 * Append the rows of one key, by its number: deleted_at, created_at and id of the records that it leads to.
 *
 * before: number of keys whose rows were appended
 */
static void
write_rows(SqlBuilder *query, const ListIndex *chosen, int number, int before,
		   const char *direction)
{
	const char *created_at = column(chosen, chosen->index->created_at);
	const char *id = column(chosen, chosen->index->id);

	appendStringInfo(&query->sql,
					 "%s(SELECT j.deleted_at, j.%s AS created_at, j.%s::text AS id FROM %s j "
					 "WHERE j.%s = %s AND j.deleted_at IS NULL",
					 before > 0 ? " UNION ALL " : "", created_at, id, chosen->table, chosen->key,
					 cat_sql_builder_value(query, TEXTOID, chosen->keys[number]));
	if (query->access == ACCESS_OUTSIDER && chosen->index->shown != 0)
		appendStringInfo(&query->sql, " AND j.%s", column(chosen, chosen->index->shown));
	/* rows in order can be merged */
	if (chosen->count > 1 && direction)
		appendStringInfo(&query->sql, " ORDER BY j.deleted_at %s, j.%s %s, j.%s %s", direction,
						 created_at, direction, id, direction);
	appendStringInfoChar(&query->sql, ')');
}

/*
 * Append FROM and WHERE of a list whose records, t, are found by rows with keys, k.
 *
 * direction: of the list, "ASC" or "DESC".  OFFSET 0 has each record looked up by its id: without
 * statistics the planner might read all of them.
 */
void
cat_list_index_write(SqlBuilder *query, const RequestParams *params, const ListIndex *chosen,
					 const char *direction)
{
	appendStringInfoString(&query->sql, " FROM (");
	for (int i = 0; i < chosen->count; i++)
		write_rows(query, chosen, i, i, direction);
	appendStringInfo(
		&query->sql,
		") k CROSS JOIN LATERAL (SELECT * FROM %s r WHERE r.id = k.id OFFSET 0) t WHERE ",
		params->resource->table);
	cat_sql_builder_living(query, params->resource, "t");
	query->met = chosen->filter;
	cat_filter_write(query, params, "t");
	query->met = NULL;
	appendStringInfoString(&query->sql, cat_history_sql_part_condition(query, params->resource));
}

/*
 * Return whether each row of a key stands for a record that the caller sees: a living row of a join
 * table belongs to a living record, and a flag says whether outsiders see that (after_change.c).
 */
static bool
stands_for_record(const RequestParams *params, const ListIndex *chosen)
{
	const Resource *resource = params->resource;
	const char *id = column(chosen, chosen->index->id);

	if (cat_visibility_is_partial(resource, params->access))
		return params->access == ACCESS_OUTSIDER && chosen->index->shown != 0;
	foreach_ptr(const Dependent, dependent, resource->dependents)
		if (dependent->is_join && strcmp(dependent->table, chosen->table) == 0 &&
			strcmp(dependent->column, id) == 0)
			return dependent->deletion == 'c';
	return false;
}

/*
 * Return whether the rows of keys alone count the records of a list; as of an earlier instant, those
 * records that have not changed since.
 */
static bool
is_counted_by_keys(const SqlBuilder *query, const ReadPlan *plan, const ListIndex *chosen)
{
	const RequestParams *params = plan->params;

	return chosen->linked && list_length(params->filters) <= (chosen->filter ? 1 : 0) &&
		   !(query->then && params->resource->change) && stands_for_record(params, chosen) &&
		   cat_index_scan_sees_all(params->resource->relid);
}

/* Return the counted facet whose values are the keys of an index; NULL if there is none. */
static const CountedFacet *
facet_of_keys(const Resource *resource, const ListIndex *chosen)
{
	foreach_ptr(const CountedFacet, facet, resource->counted)
	{
		const CatRelation *relation = facet->relation;

		if (relation && strcmp(relation->via, chosen->table) == 0 &&
			strcmp(relation->far ? relation->far : relation->near, chosen->key) == 0)
			return cat_facet_counter_find(resource, facet->name);
	}
	return NULL;
}

/* Return whether a value of a filter is written as the counter has it. */
static bool
is_as_counted(const Field *field, bool by_year, const char *value)
{
	if (by_year || field->kind == FIELD_INTEGER)
		return strcmp(psprintf(INT64_FORMAT, (int64) strtoll(value, NULL, 10)), value) == 0;
	/* a filter on a text or an enumeration finds parts of it */
	return field->kind == FIELD_BOOLEAN &&
		   (strcmp(value, "true") == 0 || strcmp(value, "false") == 0);
}

/* Return the counted facet of which a filter wants the records of one value; NULL if there is none. */
static const CountedFacet *
facet_of_value(const Resource *resource, const Filter *filter)
{
	if (filter->comparison != COMPARE_EQUAL || list_length(filter->path) != 1 ||
		list_length(filter->values) != 1 || !linitial(filter->values))
		return NULL;
	foreach_ptr(const CountedFacet, facet, resource->counted)
		if (facet->by_year == filter->by_year &&
			strcmp(facet->field->name, linitial(filter->path)) == 0 &&
			is_as_counted(facet->field, facet->by_year, linitial(filter->values)))
			return cat_facet_counter_find(resource, facet->name);
	return NULL;
}

/* Return the counted facet of which a list has the records of one value, and set that; NULL if there is none. */
static const CountedFacet *
facet_of_list(const ReadPlan *plan, const char **value)
{
	const RequestParams *params = plan->params;
	const ListIndex chosen = cat_list_index(plan);
	const Filter *filter = params->filters != NIL ? linitial(params->filters) : NULL;
	const CountedFacet *facet = NULL;

	if (list_length(params->filters) + (plan->source.relation ? 1 : 0) != 1)
		return NULL;
	if (chosen.index && chosen.count == 1)
	{
		*value = TextDatumGetCString(chosen.keys[0]);
		facet = facet_of_keys(params->resource, &chosen);
	}
	else if (filter && (facet = facet_of_value(params->resource, filter)) != NULL)
		*value = linitial(filter->values);
	return facet;
}

bool
cat_list_index_counter(const ReadPlan *plan, int64 *count)
{
	const RequestParams *params = plan->params;
	const CountedFacet *facet;
	const char *value;
	Tally sum;

	if (params->resource->counted == NIL || params->then || params->terms != NIL ||
		params->window || params->deleted || !cat_count_sees_counters(params))
		return false;
	facet = facet_of_list(plan, &value);
	if (!facet || !cat_facet_counter_read(params->resource, facet->name, value, &sum))
		return false;
	*count = params->access == ACCESS_OUTSIDER ? sum.shown : sum.living;
	return true;
}

bool
cat_list_index_narrows(const ReadPlan *plan, SearchRank rank, ListIndex *chosen)
{
	const RequestParams *params = plan->params;
	RequestParams alone = *params;
	ReadPlan search = {.params = &alone, .resources = plan->resources};
	const CountedFacet *facet;
	Tally sum;

	if (params->resource->counted == NIL || params->then || params->terms == NIL ||
		params->deleted || (!plan->source.relation && params->filters == NIL))
		return false;
	*chosen = choose(plan);
	facet = chosen->index && chosen->count == 1 ? facet_of_keys(params->resource, chosen) : NULL;
	if (!facet || !cat_facet_counter_read(params->resource, facet->name,
										  TextDatumGetCString(chosen->keys[0]), &sum))
		return false;
	alone.filters = NIL;
	return sum.living < cat_count_rank_about(&search, rank);
}

/*
 * Return the indexes of all filters, of which one is enough, if the rows of their keys alone count the records; List of
 * ListIndex *, NIL if they do not.
 */
static List *
alternatives_of(const ReadPlan *plan)
{
	const RequestParams *params = plan->params;
	List *alternatives = NIL;

	if (plan->source.relation || params->all || params->then || list_length(params->filters) < 2 ||
		!cat_index_scan_sees_all(params->resource->relid))
		return NIL;
	foreach_ptr(Filter, filter, params->filters)
	{
		ListIndex *taken = palloc0(sizeof(ListIndex));

		if (filter->required || !take_filter(params, filter, taken) || !taken->linked ||
			!stands_for_record(params, taken))
			return NIL;
		alternatives = lappend(alternatives, taken);
	}
	return alternatives;
}

/* Append the number of records that have a key of any of some indexes. */
static void
write_alternatives(SqlBuilder *query, List *alternatives)
{
	int number = 0;

	appendStringInfoString(&query->sql, "(SELECT count(DISTINCT t.id) FROM (");
	foreach_ptr(const ListIndex, alternative, alternatives)
		for (int i = 0; i < alternative->count; i++)
			write_rows(query, alternative, i, number++, NULL);
	appendStringInfoString(&query->sql, ") t)");
}

/* Append the number of records of the builder's part. */
static void
write_part_count(SqlBuilder *query, const ReadPlan *plan, const ListIndex *chosen)
{
	if (query->part == HISTORY_CHANGED || !chosen->index)
	{
		appendStringInfoString(&query->sql, "(SELECT count(*)");
		cat_list_source_part_write(query, plan);
	}
	else
	{
		/* two keys may lead to the same record */
		appendStringInfo(&query->sql, "(SELECT count(%s) FROM (",
						 chosen->count > 1 ? "DISTINCT t.id" : "*");
		for (int i = 0; i < chosen->count; i++)
			write_rows(query, chosen, i, i, NULL);
		appendStringInfo(&query->sql, ") t WHERE true%s",
						 cat_history_sql_part_condition(query, plan->params->resource));
	}
	appendStringInfoChar(&query->sql, ')');
}

void
cat_list_index_count_write(SqlBuilder *query, const ReadPlan *plan)
{
	const RequestParams *params = plan->params;
	bool earlier = cat_history_sql_is_read(query, params->resource);
	bool plain = params->terms == NIL && !params->window && !params->deleted;
	List *alternatives = plain ? alternatives_of(plan) : NIL;
	ListIndex chosen = {0};

	if (plain)
		chosen = cat_list_index(plan);
	if (!is_counted_by_keys(query, plan, &chosen))
		chosen = (ListIndex){0};
	appendStringInfoString(&query->sql, "SELECT ");
	if (alternatives != NIL)
	{
		write_alternatives(query, alternatives);
		return;
	}
	query->part = earlier ? HISTORY_UNCHANGED : HISTORY_ALL;
	write_part_count(query, plan, &chosen);
	if (earlier)
	{
		query->part = HISTORY_CHANGED;
		appendStringInfoString(&query->sql, " + ");
		write_part_count(query, plan, &chosen);
	}
	query->part = HISTORY_ALL;
}
