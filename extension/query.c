/*
 * query.c
 *	  SQL text of reads.
 *
 * Values are parameters; identifiers come from the registry, quoted.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

/* Begin a statement; internal: it may show what is deactivated. */
void
query_begin(CatQuery *query, bool internal)
{
	query->internal = internal;
	initStringInfo(&query->sql);
	query->values = NIL;
	query->aliases = 0;
	query->indexed = false;
	query->rank = SEARCH_NONE;
}

/* Add a parameter: its place in the text, such as "$3". */
const char *
query_param(CatQuery *query, const char *value)
{
	query->values = lappend(query->values, unconstify(char *, value));
	return psprintf("$%d", list_length(query->values));
}

/* A column of a field; an internal user sees when a record was deactivated as when it was deleted.
 */
static char *
column_sql(const Resource *resource, const Field *field, const char *alias)
{
	if (resource->deactivates && strcmp(field->column, "deleted_at") == 0)
		return psprintf("coalesce(%s.deleted_at, %s.deactivated_at)", alias, alias);
	return psprintf("%s.%s", alias, field->quoted);
}

/*
 * Write the columns of a selection: id, then the fields in order, as rows_column() finds them.
 */
void
query_columns(CatQuery *query, const Selection *selection, const char *alias)
{
	const Resource *resource = selection->resource;

	appendStringInfo(&query->sql, "%s.id::text", alias);
	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0;)
		appendStringInfo(&query->sql, ", %s", column_sql(resource, &resource->fields[i], alias));
}

/* Write the condition that a record is to be seen. */
void
query_living(CatQuery *query, const Resource *resource, const char *alias)
{
	appendStringInfo(&query->sql, "%s.deleted_at IS NULL", alias);
	if (resource->deactivates && !query->internal)
		appendStringInfo(&query->sql, " AND %s.deactivated_at IS NULL", alias);
}

/* Write the value of a path: a column, or that of a related record. */
static void
write_path(StringInfo sql, Resource *resource, List *path, int from, const char *alias)
{
	Field *field = registry_field(resource, list_nth(path, from));
	Resource *target;
	char *inner;

	if (from + 1 == list_length(path))
	{
		appendStringInfo(sql, "%s.%s", alias, field->quoted);
		if (field->kind == FIELD_JSON || field->kind == FIELD_ARRAY)
			appendStringInfoString(sql, "::text");
		if (field->kind == FIELD_TEXT || field->kind == FIELD_JSON || field->kind == FIELD_ARRAY)
			appendStringInfoString(sql, " COLLATE \"und-x-icu\"");
		return;
	}
	target = registry_resource(field->reference);
	inner = psprintf("%s%d", "o", from + 1);
	appendStringInfoString(sql, "(SELECT ");
	write_path(sql, target, path, from + 1, inner);
	appendStringInfo(sql, " FROM %s %s WHERE %s.id = %s.%s AND %s.deleted_at IS NULL)",
					 target->table, inner, inner, alias, field->quoted, inner);
}

/*
 * Write ORDER BY: what was asked for, else the order of creation, then the id the same way round.
 *
 * backwards: the opposite order.  Nulls are last either way round, so that
 * the last record of a collection is the first one backwards.
 */
void
query_order(CatQuery *query, const Params *params, const char *alias, bool backwards)
{
	bool newest_first = params->orders ? ((Order *) linitial(params->orders))->descending
									   : params->resource->newest_first;
	const char *direction = newest_first != backwards ? "DESC" : "ASC";
	ListCell *cell;

	appendStringInfoString(&query->sql, " ORDER BY ");
	foreach(cell, params->orders)
	{
		Order *order = lfirst(cell);
		bool descending = order->descending != backwards;

		write_path(&query->sql, params->resource, order->path, 0, alias);
		appendStringInfo(&query->sql, " %s NULLS %s, ", descending ? "DESC" : "ASC",
						 backwards ? "FIRST" : "LAST");
	}
	if (params->orders == NIL)
		appendStringInfo(&query->sql, "%s.created_at %s, ", alias, direction);
	appendStringInfo(&query->sql, "%s.id %s", alias, direction);
}

/* Run the statement with its parameters, in the snapshot of the calling one. */
void
query_run(CatQuery *query)
{
	int count = list_length(query->values);
	Oid *types = palloc(sizeof(Oid) * (count + 1));
	Datum *values = palloc(sizeof(Datum) * (count + 1));

	for (int i = 0; i < count; i++)
	{
		types[i] = TEXTOID;
		values[i] = CStringGetTextDatum(list_nth(query->values, i));
	}
	plan_run(query->sql.data, count, types, values, NULL, false, 0);
}
