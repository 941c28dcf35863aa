/*
 * sql_builder.c
 *	  SQL text of reads.
 *
 * Values are parameters; identifiers come from the registry, quoted.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/* Begin a statement of what a caller of that sight may see; then: as of that instant, or 0. */
void
query_begin(CatQuery *query, Sight sight, TimestampTz then)
{
	memset(query, 0, sizeof(*query));
	initStringInfo(&query->sql);
	query->sight = sight;
	query->then = then;
	query->rank = SEARCH_NONE;
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

/* The value of a parameter as text, palloc'd. */
char *
query_param_text(const QueryParam *param)
{
	Oid function;
	bool varlena;

	getTypeOutputInfo(param->type, &function, &varlena);
	return OidOutputFunctionCall(function, param->value);
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
 * Write the columns of a selection: id, then the fields in order, as rows_column() finds them, and
 * the lists of ids.
 */
void
query_columns(CatQuery *query, const Selection *selection, const char *alias)
{
	const Resource *resource = selection->resource;

	appendStringInfo(&query->sql, "%s.id::text", alias);
	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0;)
		appendStringInfo(&query->sql, ", %s", query_column(resource, &resource->fields[i], alias));
	for (int i = -1; (i = bms_next_member(selection->lists, i)) >= 0;)
		appendStringInfo(&query->sql, ", %s.%s", alias, resource->relations[i].list->quoted);
}

/* Write the condition that a record is to be seen. */
void
query_living(CatQuery *query, const Resource *resource, const char *alias)
{
	visibility_write(&query->sql, resource, alias, query->sight);
}

/* Whether the values of a field have an order of their own; JSON and some other types have not. */
static bool
has_order(const Field *field)
{
	return OidIsValid(lookup_type_cache(field->base_oid, TYPECACHE_LT_OPR)->lt_opr);
}

/* Write what a field is sorted by: text, and what has no order, in that of ICU's root collation. */
void
query_sort_key(StringInfo sql, const Resource *resource, const Field *field, const char *alias)
{
	const char *column = query_column(resource, field, alias);

	if (field->kind == FIELD_TEXT)
		appendStringInfo(sql, "%s COLLATE \"und-x-icu\"", column);
	else if (has_order(field))
		appendStringInfoString(sql, column);
	else
		appendStringInfo(sql, "%s::text COLLATE \"und-x-icu\"", column);
}

/* The whole statement, and its parameters as arrays. */
static char *
finish(CatQuery *query, int *count, Oid **types, Datum **values)
{
	char *sql = psprintf("%s%s", query_with(query), query->sql.data);
	ListCell *cell;

	*count = list_length(query->params);
	*types = palloc(sizeof(Oid) * (*count + 1));
	*values = palloc(sizeof(Datum) * (*count + 1));
	foreach(cell, query->params)
	{
		const QueryParam *param = lfirst(cell);

		(*types)[foreach_current_index(cell)] = param->type;
		(*values)[foreach_current_index(cell)] = param->value;
	}
	return sql;
}

/* Run the statement with its parameters, in the snapshot of the calling one. */
void
query_run(CatQuery *query)
{
	int count;
	Oid *types;
	Datum *values;
	char *sql = finish(query, &count, &types, &values);

	if (query->by_values)
		plan_run_by_values(sql, count, types, values);
	else
		plan_run(sql, count, types, values, NULL, false, 0);
}

/* Open a cursor for the statement, in the snapshot of the calling one. */
struct PortalData *
query_cursor(CatQuery *query)
{
	int count;
	Oid *types;
	Datum *values;
	char *sql = finish(query, &count, &types, &values);
	Portal portal = NULL;

	PG_TRY();
	{
		portal = SPI_cursor_open_with_args(NULL, sql, count, types, values, NULL, true,
										   CURSOR_OPT_NO_SCROLL);
	}
	PG_CATCH();
	{
		registry_rethrow();
	}
	PG_END_TRY();
	registry_require();
	return portal;
}
