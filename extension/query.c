/*
 * query.c
 *	  SQL text of reads.
 *
 * Values are parameters; identifiers come from the registry, quoted.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

/* Begin a statement; internal: it may show what is deactivated. */
void
query_begin(CatQuery *query, bool internal)
{
	query->internal = internal;
	query->by_values = false;
	initStringInfo(&query->sql);
	query->params = NIL;
	query->aliases = 0;
}

/* Add a parameter: its place in the text, such as "$3". */
const char *
query_value(CatQuery *query, Oid type, Datum value)
{
	QueryParam *param = palloc(sizeof(QueryParam));

	param->type = type;
	param->value = value;
	query->params = lappend(query->params, param);
	return psprintf("$%d", list_length(query->params));
}

/* Add a parameter of type text. */
const char *
query_param(CatQuery *query, const char *value)
{
	return query_value(query, TEXTOID, CStringGetTextDatum(value));
}

/*
 * The value of a field in SQL.
 *
 * An internal user sees when a record was deactivated as when it was deleted.
 */
char *
query_column(const Resource *resource, const Field *field, const char *alias)
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
		appendStringInfo(&query->sql, ", %s", query_column(resource, &resource->fields[i], alias));
}

/* Write the condition that a record is to be seen. */
void
query_living(CatQuery *query, const Resource *resource, const char *alias)
{
	appendStringInfo(&query->sql, "%s.deleted_at IS NULL", alias);
	if (resource->deactivates && !query->internal)
		appendStringInfo(&query->sql, " AND %s.deactivated_at IS NULL", alias);
}

/* Whether the values of a field have an order of their own; JSON and some other types have not. */
static bool
has_order(const Field *field)
{
	return OidIsValid(lookup_type_cache(field->base_oid, TYPECACHE_LT_OPR)->lt_opr);
}

/* Write what a field is sorted by: text, and what has no order, in that of ICU's root collation. */
static void
write_sort_key(StringInfo sql, const Resource *resource, const Field *field, const char *alias)
{
	const char *column = query_column(resource, field, alias);

	if (field->kind == FIELD_TEXT)
		appendStringInfo(sql, "%s COLLATE \"und-x-icu\"", column);
	else if (has_order(field))
		appendStringInfoString(sql, column);
	else
		appendStringInfo(sql, "%s::text COLLATE \"und-x-icu\"", column);
}

/* Write the value of a path: a column, or that of a related record. */
static void
write_path(CatQuery *query, Resource *resource, List *path, int from, const char *alias)
{
	Field *field = registry_field(resource, list_nth(path, from));
	Resource *target;
	char *inner;

	if (from + 1 == list_length(path))
	{
		write_sort_key(&query->sql, resource, field, alias);
		return;
	}
	target = registry_resource(field->reference);
	inner = psprintf("%s%d", "o", from + 1);
	appendStringInfoString(&query->sql, "(SELECT ");
	write_path(query, target, path, from + 1, inner);
	appendStringInfo(&query->sql, " FROM %s %s WHERE %s.id = %s.%s AND ", target->table, inner,
					 inner, alias, field->quoted);
	query_living(query, target, inner);
	appendStringInfoChar(&query->sql, ')');
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

		write_path(query, params->resource, order->path, 0, alias);
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
	int count = list_length(query->params);
	Oid *types = palloc(sizeof(Oid) * (count + 1));
	Datum *values = palloc(sizeof(Datum) * (count + 1));
	ListCell *cell;

	foreach(cell, query->params)
	{
		const QueryParam *param = lfirst(cell);

		types[foreach_current_index(cell)] = param->type;
		values[foreach_current_index(cell)] = param->value;
	}
	if (query->by_values)
		plan_run_by_values(query->sql.data, count, types, values);
	else
		plan_run(query->sql.data, count, types, values, NULL, false, 0);
}
