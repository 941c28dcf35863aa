/*
 * history_sql.c
 *	  Sources of a statement's records: the tables, or their states at an earlier instant.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "query/query_internal.h"
#include "query/sql_builder.h"
#include "registry/registry.h"

/* Return the placeholder of the statement's instant. */
static const char *
then_param(SqlBuilder *query)
{
	return cat_sql_builder_value(query, TIMESTAMPTZOID, TimestampTzGetDatum(query->then));
}

/*
 * Return the name of the WITH query that has the states of a resource's changed records.
 *
 * Resources are compared by name, since the registry may reload one while the statement is built.
 */
const char *
cat_history_sql_past(SqlBuilder *query, Resource *resource)
{
	bool found = false;
	ListCell *cell;

	foreach(cell, query->earlier)
		found |= strcmp(((Resource *) lfirst(cell))->name, resource->name) == 0;
	if (!found)
		query->earlier = lappend(query->earlier, resource);
	return pstrdup(quote_identifier(psprintf("past %s", resource->name)));
}

/* Return the relation that is shown in a field as a list of ids, or NULL. */
static const CatRelation *
relation_of_list(const Resource *resource, const Field *field)
{
	for (int i = 0; i < resource->nrelations; i++)
		if (resource->relations[i].list == field)
			return &resource->relations[i];
	return NULL;
}

/*
 * Return SQL for a list of ids in a history row, restricted to records visible at the access level.
 */
static char *
past_list(const CatRelation *relation, const char *alias, AccessLevel access)
{
	char *column = psprintf("%s.%s", alias, relation->list->quoted);
	Resource *target = cat_registry_resource(relation->target);
	StringInfoData sql;

	if (access != ACCESS_OUTSIDER)
		return column;
	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "ARRAY(SELECT l.id FROM unnest(%s) WITH ORDINALITY l(id, n) "
					 "WHERE EXISTS (SELECT FROM %s linked WHERE linked.id = l.id AND ",
					 column, target->table);
	cat_visibility_write(&sql, target, "linked", access);
	appendStringInfoString(&sql, ") ORDER BY l.n)");
	return sql.data;
}

/* Return SQL for a field of a history row; NULL if the history has no such column. */
static const char *
past_column(const Resource *resource, const Field *field, const char *alias, AccessLevel access)
{
	const CatRelation *relation = relation_of_list(resource, field);

	if (field->history_attno == 0)
		return psprintf("NULL::%s", format_type_be(field->base_oid));
	if (relation)
		return past_list(relation, alias, access);
	return psprintf("%s.%s", alias, field->quoted);
}

/* Return SQL for all fields of a row of the resource's table or, if past, of its history. */
static char *
columns_of(const SqlBuilder *query, const Resource *resource, const char *alias, bool past)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		appendStringInfoString(&columns, i > 0 ? ", " : "");
		if (past)
			appendStringInfoString(&columns, past_column(resource, field, alias, query->access));
		else
			appendStringInfo(&columns, "%s.%s", alias, field->quoted);
	}
	return columns.data;
}

/*
 * Return SQL for the records of a resource at the instant: those unchanged since, and the former
 * states of the others.
 *
 * NOT IN gets a hashed subplan, so a wrong row estimate cannot lead to a nested loop.
 */
static char *
records_then(SqlBuilder *query, Resource *resource)
{
	const char *past = cat_history_sql_past(query, resource);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "(SELECT %s FROM %s r WHERE r.id NOT IN (SELECT p.id FROM %s p)",
					 columns_of(query, resource, "r", false), resource->table, past);
	if (resource->change)
		appendStringInfo(&sql,
						 " AND NOT EXISTS (SELECT FROM catalogue.change c WHERE c.number = r.%s "
						 "AND c.at > %s)",
						 resource->change->quoted, then_param(query));
	appendStringInfo(&sql, " UNION ALL SELECT %s FROM %s p WHERE p.created_at IS NOT NULL",
					 columns_of(query, resource, "p", true), past);
	cat_visibility_write_past(&sql, resource, "p", query->access);
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/* Return the FROM item for the records of a resource. */
const char *
cat_history_sql_table(SqlBuilder *query, Resource *resource)
{
	return query->then && resource->history_table ? records_then(query, resource) : resource->table;
}

/*
 * Return the FROM item for a single record.  Like cat_history_sql_table(), but with index look-ups,
 * for a statement that looks up a record for each of many rows.
 *
 * id: SQL of the record's id.
 */
const char *
cat_history_sql_record_table(SqlBuilder *query, Resource *resource, const char *id)
{
	const char *later;
	StringInfoData seen;

	if (!query->then || !resource->history_table)
		return resource->table;
	/* OFFSET 0: look up the history by id, then the commit times by number; not in reverse */
	later = psprintf("(SELECT h.*, (SELECT c.at FROM catalogue.change c "
					 "WHERE c.number = h.change_number) AS change_at "
					 "FROM %s h WHERE h.id = %s OFFSET 0) p WHERE p.change_at > %s",
					 resource->history_table, id, then_param(query));
	initStringInfo(&seen);
	cat_visibility_write_past(&seen, resource, "p", query->access);
	return psprintf("(SELECT %s FROM %s r WHERE r.id = %s AND NOT EXISTS (SELECT FROM %s) "
					"UNION ALL SELECT %s FROM (SELECT * FROM %s ORDER BY p.change_at LIMIT 1) p "
					"WHERE p.created_at IS NOT NULL%s)",
					columns_of(query, resource, "r", false), resource->table, id, later,
					columns_of(query, resource, "p", true), later, seen.data);
}

/* Return the side of a many-to-many relation whose history has the lists of ids, or NULL. */
static CatRelation *
keeping_side(CatRelation *relation)
{
	Resource *target;

	if (relation->owned)
		return relation->list ? relation : NULL;
	target = cat_registry_resource(relation->target);
	for (int i = 0; i < target->nrelations; i++)
	{
		CatRelation *other = &target->relations[i];

		if (other->list && strcmp(other->via, relation->via) == 0)
			return other;
	}
	return NULL;
}

/*
 * Return the FROM item for the rows of a many-to-many relation.
 *
 * At an earlier instant: the rows of records that have not changed since, and the former lists of
 * the others.
 */
const char *
cat_history_sql_via(SqlBuilder *query, CatRelation *relation)
{
	CatRelation *keeping = query->then ? keeping_side(relation) : NULL;
	Resource *owner =
		cat_registry_resource(relation->owned ? relation->resource : relation->target);
	const char *past;

	if (!keeping || !owner->history_table || keeping->list->history_attno == 0)
		return relation->via;
	past = cat_history_sql_past(query, owner);
	return psprintf("(SELECT r.%s, r.%s, r.position, r.deleted_at FROM %s r "
					"WHERE r.%s NOT IN (SELECT p.id FROM %s p) "
					"UNION ALL SELECT p.id, l.id COLLATE \"C\", l.n::integer, NULL FROM %s p, "
					"unnest(p.%s) WITH ORDINALITY l(id, n) WHERE p.deleted_at IS NULL)",
					keeping->near, keeping->far, relation->via, keeping->near, past, past,
					keeping->list->quoted);
}

/*
 * Return the WITH clause of a statement.  For each resource that is read as of an earlier instant,
 * it has the former states of the records that have changed since.
 */
char *
cat_history_sql_with(SqlBuilder *query)
{
	StringInfoData sql;
	ListCell *cell;

	initStringInfo(&sql);
	foreach(cell, query->earlier)
	{
		Resource *resource = lfirst(cell);

		appendStringInfo(&sql,
						 "%s %s AS MATERIALIZED (SELECT DISTINCT ON (h.id) h.* "
						 "FROM catalogue.change c JOIN %s h ON h.change_number = c.number "
						 "WHERE c.resource = %s AND c.at > %s ORDER BY h.id, c.at)",
						 sql.len ? "," : "WITH", cat_history_sql_past(query, resource),
						 resource->history_table, cat_sql_builder_param(query, resource->name),
						 then_param(query));
	}
	appendStringInfoString(&sql, sql.len ? " " : "");
	return sql.data;
}
