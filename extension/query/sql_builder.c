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
cat_sql_builder_begin(SqlBuilder *query, AccessLevel sight, TimestampTz then)
{
	memset(query, 0, sizeof(*query));
	initStringInfo(&query->sql);
	query->sight = sight;
	query->then = then;
	query->rank = SEARCH_NONE;
}

/* Add a parameter: its place in the text, such as "$3". */
const char *
cat_sql_builder_value(SqlBuilder *query, Oid type, Datum value)
{
	SqlParam *param = palloc(sizeof(SqlParam));

	param->type = type;
	param->value = value;
	query->params = lappend(query->params, param);
	return psprintf("$%d", list_length(query->params));
}

/* The value of a parameter as text, palloc'd. */
char *
cat_sql_builder_param_text(const SqlParam *param)
{
	Oid function;
	bool varlena;

	getTypeOutputInfo(param->type, &function, &varlena);
	return OidOutputFunctionCall(function, param->value);
}

/* Add a parameter of type text. */
const char *
cat_sql_builder_param(SqlBuilder *query, const char *value)
{
	return cat_sql_builder_value(query, TEXTOID, CStringGetTextDatum(value));
}

/*
 * The value of a field in SQL.
 *
 * An internal user sees when a record was deactivated as when it was deleted.
 */
char *
cat_sql_builder_column(const Resource *resource, const Field *field, const char *alias)
{
	if (resource->deactivates && strcmp(field->column, "deleted_at") == 0)
		return psprintf("coalesce(%s.deleted_at, %s.deactivated_at)", alias, alias);
	return psprintf("%s.%s", alias, field->quoted);
}

/*
 * Write the columns of a selection: id, then the fields in order, as cat_row_fetch_column() finds
 * them, and the lists of ids.
 */
void
cat_sql_builder_columns(SqlBuilder *query, const Selection *selection, const char *alias)
{
	const Resource *resource = selection->resource;

	appendStringInfo(&query->sql, "%s.id::text", alias);
	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0;)
		appendStringInfo(&query->sql, ", %s",
						 cat_sql_builder_column(resource, &resource->fields[i], alias));
	for (int i = -1; (i = bms_next_member(selection->lists, i)) >= 0;)
		appendStringInfo(&query->sql, ", %s.%s", alias, resource->relations[i].list->quoted);
}

/* Write the condition that a record is to be seen. */
void
cat_sql_builder_living(SqlBuilder *query, const Resource *resource, const char *alias)
{
	cat_visibility_write(&query->sql, resource, alias, query->sight);
}

/* Whether the values of a field have an order of their own; JSON and some other types have not. */
static bool
has_order(const Field *field)
{
	return OidIsValid(lookup_type_cache(field->base_oid, TYPECACHE_LT_OPR)->lt_opr);
}

/* Write what a field is sorted by: text, and what has no order, in that of ICU's root collation. */
void
cat_sql_builder_sort_key(StringInfo sql, const Resource *resource, const Field *field,
						 const char *alias)
{
	const char *column = cat_sql_builder_column(resource, field, alias);

	if (field->kind == FIELD_TEXT)
		appendStringInfo(sql, "%s COLLATE \"und-x-icu\"", column);
	else if (has_order(field))
		appendStringInfoString(sql, column);
	else
		appendStringInfo(sql, "%s::text COLLATE \"und-x-icu\"", column);
}

/* The whole statement, and its parameters as arrays. */
static char *
finish(SqlBuilder *query, int *count, Oid **types, Datum **values)
{
	char *sql = psprintf("%s%s", cat_history_sql_with(query), query->sql.data);
	ListCell *cell;

	*count = list_length(query->params);
	*types = palloc(sizeof(Oid) * (*count + 1));
	*values = palloc(sizeof(Datum) * (*count + 1));
	foreach(cell, query->params)
	{
		const SqlParam *param = lfirst(cell);

		(*types)[foreach_current_index(cell)] = param->type;
		(*values)[foreach_current_index(cell)] = param->value;
	}
	return sql;
}

/* Run the statement with its parameters, in the snapshot of the calling one. */
void
cat_sql_builder_run(SqlBuilder *query)
{
	int count;
	Oid *types;
	Datum *values;
	char *sql = finish(query, &count, &types, &values);

	if (query->by_values)
		cat_statement_run_by_values(sql, count, types, values);
	else
		cat_statement_run(sql, count, types, values, NULL, false, 0);
}

/* Open a cursor for the statement, in the snapshot of the calling one. */
struct PortalData *
cat_sql_builder_cursor(SqlBuilder *query)
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
		cat_registry_rethrow();
	}
	PG_END_TRY();
	cat_registry_require();
	return portal;
}
