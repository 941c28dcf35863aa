/*
 * query.c
 *	  SQL text of reads.
 *
 * Values are parameters; identifiers come from the registry, quoted.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

/* Begin a statement; internal: it may show what is deactivated; then: as of that instant, or 0. */
void
query_begin(CatQuery *query, bool internal, TimestampTz then)
{
	memset(query, 0, sizeof(*query));
	initStringInfo(&query->sql);
	query->internal = internal;
	query->then = then;
}

static const char *
add_param(CatQuery *query, Oid type, Datum value)
{
	if (query->count == query->room)
	{
		query->room = query->room ? query->room * 2 : 8;
		query->types = query->count ? repalloc(query->types, sizeof(Oid) * query->room)
									: palloc(sizeof(Oid) * query->room);
		query->values = query->count ? repalloc(query->values, sizeof(Datum) * query->room)
									 : palloc(sizeof(Datum) * query->room);
	}
	query->types[query->count] = type;
	query->values[query->count] = value;
	return psprintf("$%d", ++query->count);
}

/* Add a parameter of type text: its place in the statement, such as "$3". */
const char *
query_param(CatQuery *query, const char *value)
{
	return add_param(query, TEXTOID, CStringGetTextDatum(value));
}

/* Add a parameter of type text[]. */
const char *
query_array(CatQuery *query, Datum array)
{
	return add_param(query, TEXTARRAYOID, array);
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
 * Write the columns of a selection: id, then the fields in order, as rows_column() finds them, and
 * the lists of ids.
 */
void
query_columns(CatQuery *query, const Selection *selection, const char *alias)
{
	const Resource *resource = selection->resource;

	appendStringInfo(&query->sql, "%s.id::text", alias);
	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0;)
		appendStringInfo(&query->sql, ", %s", column_sql(resource, &resource->fields[i], alias));
	for (int i = -1; (i = bms_next_member(selection->lists, i)) >= 0;)
		appendStringInfo(&query->sql, ", %s.%s", alias, resource->relations[i].list->quoted);
}

/* Write the condition that a record is to be seen. */
void
query_living(CatQuery *query, const Resource *resource, const char *alias)
{
	appendStringInfo(&query->sql, "%s.deleted_at IS NULL", alias);
	if (resource->deactivates && !query->internal)
		appendStringInfo(&query->sql, " AND %s.deactivated_at IS NULL", alias);
}

/* Run the statement with its parameters, in the snapshot of the calling one. */
void
query_run(CatQuery *query)
{
	const char *with = query_with(query);

	plan_run(psprintf("%s%s", with, query->sql.data), query->count, query->types, query->values,
			 NULL, false, 0);
}
