/*
 * history_sql.c
 *	  Where a statement reads records from: the tables, or what was in them at
 *	  an earlier instant.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

/* The instant of a statement as a parameter. */
static const char *
then_param(SqlBuilder *query)
{
	return cat_sql_builder_value(query, TIMESTAMPTZOID, TimestampTzGetDatum(query->then));
}

/*
 * The name under which cat_history_sql_with() gives the changed records of a resource as they were.
 *
 * Resources are told apart by name: one may be read anew while a statement is written.
 */
const char *
cat_history_sql_past(SqlBuilder *query, Resource *resource)
{
	bool found = false;
	ListCell *cell;

	foreach(cell, query->past)
		found |= strcmp(((Resource *) lfirst(cell))->name, resource->name) == 0;
	if (!found)
		query->past = lappend(query->past, resource);
	return pstrdup(quote_identifier(psprintf("past %s", resource->name)));
}

/* The relation whose list of ids a field is, NULL where it is none. */
static const CatRelation *
relation_of_list(const Resource *resource, const Field *field)
{
	for (int i = 0; i < resource->nrelations; i++)
		if (resource->relations[i].list == field)
			return &resource->relations[i];
	return NULL;
}

/* SQL of the list of a relation in the row of the history under an alias. */
static char *
past_list(const CatRelation *relation, const char *alias, AccessLevel sight)
{
	char *column = psprintf("%s.%s", alias, relation->list->quoted);
	Resource *target = cat_registry_resource(relation->target);
	StringInfoData sql;

	if (sight != ACCESS_OUTSIDER)
		return column;
	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "ARRAY(SELECT l.id FROM unnest(%s) WITH ORDINALITY l(id, n) "
					 "WHERE EXISTS (SELECT FROM %s linked WHERE linked.id = l.id AND ",
					 column, target->table);
	cat_visibility_write(&sql, target, "linked", sight);
	appendStringInfoString(&sql, ") ORDER BY l.n)");
	return sql.data;
}

/* The field of a row of the history; null where that does not have it. */
static const char *
past_column(const Resource *resource, const Field *field, const char *alias, AccessLevel sight)
{
	const CatRelation *relation = relation_of_list(resource, field);

	if (field->past == 0)
		return psprintf("NULL::%s", format_type_be(field->base_oid));
	if (relation)
		return past_list(relation, alias, sight);
	return psprintf("%s.%s", alias, field->quoted);
}

/* The fields of a row of the resource's table, or of its history. */
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
			appendStringInfoString(&columns, past_column(resource, field, alias, query->sight));
		else
			appendStringInfo(&columns, "%s.%s", alias, field->quoted);
	}
	return columns.data;
}

/*
 * The records that are as they were then, and the others as they were.
 *
 * NOT IN is looked up in a hash, however many records the planner expects.
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
	cat_visibility_write_past(&sql, resource, "p", query->sight);
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/* What to read records of a resource from. */
const char *
cat_history_sql_table(SqlBuilder *query, Resource *resource)
{
	return query->then && resource->past_table ? records_then(query, resource) : resource->table;
}

/*
 * What to read the one record of an id from: as cat_history_sql_table(), but by the
 * indexes, for a statement that looks up one record for each of many rows.
 *
 * id: SQL of the key.
 */
const char *
cat_history_sql_record_table(SqlBuilder *query, Resource *resource, const char *id)
{
	const char *later;
	StringInfoData seen;

	if (!query->then || !resource->past_table)
		return resource->table;
	/* the history by the id, then the instants by their numbers; not the other way round */
	later = psprintf("(SELECT h.*, (SELECT c.at FROM catalogue.change c "
					 "WHERE c.number = h.change_number) AS change_at "
					 "FROM %s h WHERE h.id = %s OFFSET 0) p WHERE p.change_at > %s",
					 resource->past_table, id, then_param(query));
	initStringInfo(&seen);
	cat_visibility_write_past(&seen, resource, "p", query->sight);
	return psprintf("(SELECT %s FROM %s r WHERE r.id = %s AND NOT EXISTS (SELECT FROM %s) "
					"UNION ALL SELECT %s FROM (SELECT * FROM %s ORDER BY p.change_at LIMIT 1) p "
					"WHERE p.created_at IS NOT NULL%s)",
					columns_of(query, resource, "r", false), resource->table, id, later,
					columns_of(query, resource, "p", true), later, seen.data);
}

/* The relation of the same join table whose records keep the lists, NULL where none are kept. */
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
 * What to read the rows of a many-to-many relation from.
 *
 * At an earlier instant: the rows of records that are as they were then, and
 * the lists that the others had.
 */
const char *
cat_history_sql_via(SqlBuilder *query, CatRelation *relation)
{
	CatRelation *keeping = query->then ? keeping_side(relation) : NULL;
	Resource *owner =
		cat_registry_resource(relation->owned ? relation->resource : relation->target);
	const char *past;

	if (!keeping || !owner->past_table || keeping->list->past == 0)
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
 * What stands in front of a statement: for each resource that it shows as of
 * an earlier instant, the records changed since, in their states of then.
 */
char *
cat_history_sql_with(SqlBuilder *query)
{
	StringInfoData sql;
	ListCell *cell;

	initStringInfo(&sql);
	foreach(cell, query->past)
	{
		Resource *resource = lfirst(cell);

		appendStringInfo(&sql,
						 "%s %s AS MATERIALIZED (SELECT DISTINCT ON (h.id) h.* "
						 "FROM catalogue.change c JOIN %s h ON h.change_number = c.number "
						 "WHERE c.resource = %s AND c.at > %s ORDER BY h.id, c.at)",
						 sql.len ? "," : "WITH", cat_history_sql_past(query, resource),
						 resource->past_table, cat_sql_builder_param(query, resource->name),
						 then_param(query));
	}
	appendStringInfoString(&sql, sql.len ? " " : "");
	return sql.data;
}
