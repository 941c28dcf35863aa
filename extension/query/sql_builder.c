/*
 * sql_builder.c
 *	  SQL text of reading statements.
 *
 * Values are passed as parameters; identifiers come from the registry and are quoted.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/typcache.h"

#include "query/query_internal.h"

void
cat_sql_builder_begin(SqlBuilder *query, AccessLevel access, TimestampTz then)
{
	memset(query, 0, sizeof(*query));
	initStringInfo(&query->sql);
	query->access = access;
	query->then = then;
	query->rank = SEARCH_NONE;
}

const char *
cat_sql_builder_value(SqlBuilder *query, Oid type, Datum value)
{
	SqlParam *param = palloc(sizeof(SqlParam));

	param->type = type;
	param->value = value;
	query->params = lappend(query->params, param);
	return psprintf("$%d", list_length(query->params));
}

char *
cat_sql_builder_key(const SqlBuilder *query)
{
	StringInfo key = makeStringInfo();

	appendStringInfoString(key, query->sql.data);
	foreach_ptr(SqlParam, param, query->params)
	{
		char *text = cat_statement_value_text(param->type, param->value);

		appendStringInfo(key, " %zu:%s", strlen(text), text);
	}
	return key->data;
}

const char *
cat_sql_builder_param(SqlBuilder *query, const char *value)
{
	return cat_sql_builder_value(query, TEXTOID, CStringGetTextDatum(value));
}

/*
 * Return SQL for a field.
 *
 * For resources that can be deactivated, the field deletedAt also shows when a record was
 * deactivated.
 */
char *
cat_sql_builder_column(const Resource *resource, const Field *field, const char *alias)
{
	if (resource->deactivates && strcmp(field->column, "deleted_at") == 0)
		return psprintf("coalesce(%s.deleted_at, %s.deactivated_at)", alias, alias);
	return psprintf("%s.%s", alias, field->quoted);
}

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

void
cat_sql_builder_living(SqlBuilder *query, const Resource *resource, const char *alias)
{
	cat_seen_write(&query->sql, resource, alias, query->access);
}

/* Append the sort key of a field; text, and types without an order, use ICU's root collation. */
void
cat_sql_builder_sort_key(StringInfo sql, const Resource *resource, const Field *field,
						 const char *alias)
{
	const char *column = cat_sql_builder_column(resource, field, alias);

	if (field->kind == FIELD_TEXT)
		appendStringInfo(sql, "%s COLLATE \"und-x-icu\"", column);
	/* json, for example, has no order */
	else if (OidIsValid(lookup_type_cache(field->base_oid, TYPECACHE_LT_OPR)->lt_opr))
		appendStringInfoString(sql, column);
	else
		appendStringInfo(sql, "%s::text COLLATE \"und-x-icu\"", column);
}

/*
 * Memory in kilobytes for what the index of search finds.  A bitmap of more pages than fit has whole pages, of which
 * the words of each record are made anew.
 */
#define SEARCH_MEMORY (64 * 1024)

/* Return the complete statement, and its parameters as arrays. */
static char *
finish(SqlBuilder *query, int *count, Oid **types, Datum **values)
{
	char *sql = psprintf("%s%s", cat_history_sql_with(query), query->sql.data);

	*count = list_length(query->params);
	*types = palloc(sizeof(Oid) * (*count + 1));
	*values = palloc(sizeof(Datum) * (*count + 1));
	foreach_ptr(const SqlParam, param, query->params)
	{
		(*types)[foreach_current_index(param)] = param->type;
		(*values)[foreach_current_index(param)] = param->value;
	}
	return sql;
}

/* Run a statement for which the index of search shall find the records, whatever the values. */
static void
run_search(const char *sql, int count, Oid *types, Datum *values)
{
	int nest = NewGUCNestLevel();

	if (work_mem < SEARCH_MEMORY)
		(void) set_config_option("work_mem", psprintf("%d", SEARCH_MEMORY), PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	cat_statement_run_planned(sql, count, types, values, CURSOR_OPT_GENERIC_PLAN);
	AtEOXact_GUC(true, nest);
}

void
cat_sql_builder_run(SqlBuilder *query)
{
	int count;
	Oid *types;
	Datum *values;
	char *sql = finish(query, &count, &types, &values);

	if (query->indexed)
		run_search(sql, count, types, values);
	else
		cat_statement_run_planned(sql, count, types, values, query->plan);
}

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
