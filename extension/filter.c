/*
 * filter.c
 *	  The conditions of a list.
 */
#include "catalogue.h"

#include "utils/builtins.h"

/* SQL comparison of a filter's operator in brackets. */
static const struct
{
	const char *name;
	const char *sql;
} comparisons[] = {
	{"gte", ">="},
	{"lte", "<="},
	{"gt", ">"},
	{"lt", "<"},
};

static const char *
comparison_sql(const char *name)
{
	for (size_t i = 0; i < lengthof(comparisons); i++)
		if (strcmp(comparisons[i].name, name) == 0)
			return comparisons[i].sql;
	return NULL;
}

static void
pg_attribute_noreturn() refuse(const Field *field, const char *value)
{
	ereport(ERROR,
			(errcode(OD422), errmsg("invalid value for filter \"%s\": \"%s\"", field->name, value),
			 errhint("The field is of type %s.", field->type)));
}

/* A LIKE pattern for the folded value; % and _ in it are plain characters. */
static char *
like_pattern(const char *value, Match match)
{
	char *folded = fold_text(value, strlen(value));
	StringInfoData pattern;

	initStringInfo(&pattern);
	if (match == MATCH_CONTAINS || match == MATCH_ENDS)
		appendStringInfoChar(&pattern, '%');
	for (const char *p = folded; *p; p++)
	{
		if (*p == '%' || *p == '_' || *p == '\\')
			appendStringInfoChar(&pattern, '\\');
		appendStringInfoChar(&pattern, *p);
	}
	if (match == MATCH_CONTAINS || match == MATCH_BEGINS)
		appendStringInfoChar(&pattern, '%');
	return pattern.data;
}

static void
write_text(CatQuery *query, const char *column, const char *value, Match match)
{
	if (match == MATCH_EXACT)
		appendStringInfo(&query->sql, "catalogue.fold(%s::text) = %s", column,
						 query_param(query, fold_text(value, strlen(value))));
	else
		appendStringInfo(&query->sql, "catalogue.fold(%s::text) LIKE %s", column,
						 query_param(query, like_pattern(value, match)));
}

/* A date alone means the day, in UTC. */
static void
write_day(CatQuery *query, const char *column, const char *day, const char *op)
{
	const char *param = query_param(query, literal_instant(day));

	if (strcmp(op, "=") == 0)
		appendStringInfo(&query->sql,
						 "(%s >= %s::timestamptz AND %s < %s::timestamptz + '1 day'::interval)",
						 column, param, column, param);
	else if (strcmp(op, ">") == 0 || strcmp(op, "<=") == 0)
		appendStringInfo(&query->sql, "%s %s %s::timestamptz + '1 day'::interval", column,
						 *op == '>' ? ">=" : "<", param);
	else
		appendStringInfo(&query->sql, "%s %s %s::timestamptz", column, op, param);
}

static const char *
cast_of(FieldKind kind)
{
	switch (kind)
	{
		case FIELD_BOOLEAN:
			return "::boolean";
		case FIELD_INTEGER:
		case FIELD_NUMBER:
			return "::numeric";
		case FIELD_DATETIME:
			return "::timestamptz";
		case FIELD_DATE:
			return "::date";
		default:
			return "";
	}
}

static bool
is_text(FieldKind kind)
{
	return kind == FIELD_TEXT || kind == FIELD_ENUM || kind == FIELD_JSON || kind == FIELD_ARRAY ||
		   kind == FIELD_OTHER;
}

/* One value compared with one column. */
static void
write_value(CatQuery *query, const Field *field, const char *column, const char *value,
			const char *comparison, Match match)
{
	const char *op = comparison_sql(comparison);

	if (!value && op)
		refuse(field, "null");
	else if (!value)
		appendStringInfo(&query->sql, "%s IS NULL", column);
	else if (!literal_fits(field->kind, value))
		refuse(field, value);
	else if (!op && is_text(field->kind))
		write_text(query, column, value, match);
	else if (is_text(field->kind))
		appendStringInfo(&query->sql, "catalogue.fold(%s::text) COLLATE \"und-x-icu\" %s %s",
						 column, op, query_param(query, fold_text(value, strlen(value))));
	else if (field->kind == FIELD_DATETIME && literal_date(value))
		write_day(query, column, value, op ? op : "=");
	else
		appendStringInfo(
			&query->sql, "%s %s %s%s", column, op ? op : "=",
			query_param(query, field->kind == FIELD_DATETIME ? literal_instant(value) : value),
			cast_of(field->kind));
}

/* Write that a field has one of the values of a filter. */
static void
write_values(CatQuery *query, Field *field, const Filter *filter, Match match, const char *alias)
{
	char *column = psprintf("%s.%s", alias, field->quoted);
	ListCell *cell;

	appendStringInfoChar(&query->sql, '(');
	foreach(cell, filter->values)
	{
		if (foreach_current_index(cell) > 0)
			appendStringInfoString(&query->sql, " OR ");
		write_value(query, field, column, lfirst(cell), filter->comparison, match);
	}
	appendStringInfoChar(&query->sql, ')');
}

static void write_step(CatQuery *query, Resource *resource, const Filter *filter, int from,
					   Match match, const char *alias);

/* Write that a related record exists for which the rest of the path holds. */
static void
write_related(CatQuery *query, Resource *resource, CatRelation *relation, const Filter *filter,
			  int from, Match match, const char *alias)
{
	Resource *target = registry_resource(relation->target);
	char *inner = psprintf("x%d", ++query->aliases);

	if (relation->kind == RELATION_MANY_TO_MANY)
		appendStringInfo(&query->sql,
						 "EXISTS (SELECT FROM %s j%s JOIN %s %s ON %s.id = j%s.%s "
						 "WHERE j%s.%s = %s.id AND j%s.deleted_at IS NULL AND ",
						 query_via(query, resource, relation), inner, query_table(query, target),
						 inner, inner, inner, relation->far, inner, relation->near, alias, inner);
	else
		appendStringInfo(&query->sql, "EXISTS (SELECT FROM %s %s WHERE %s.%s = %s.%s AND ",
						 query_table(query, target), inner, inner,
						 relation->kind == RELATION_TO_ONE ? "id" : relation->near, alias,
						 relation->kind == RELATION_TO_ONE ? relation->near : "id");
	query_living(query, target, inner);
	appendStringInfoString(&query->sql, " AND ");
	write_step(query, target, filter, from + 1, match, inner);
	appendStringInfoChar(&query->sql, ')');
}

/* A to-many relation named alone means the ids of its records; null: there are none. */
static void
write_ids(CatQuery *query, Resource *resource, CatRelation *relation, const Filter *filter,
		  int from, const char *alias)
{
	Filter by_id = *filter;
	bool none = list_length(filter->values) == 1 && linitial(filter->values) == NULL;

	by_id.path = list_make1("id");
	if (none)
	{
		by_id.path = NIL;
		appendStringInfoString(&query->sql, "NOT ");
	}
	write_related(query, resource, relation, &by_id, -1, MATCH_EXACT, alias);
}

/* Write the rest of a filter's path from the record of an alias. */
static void
write_step(CatQuery *query, Resource *resource, const Filter *filter, int from, Match match,
		   const char *alias)
{
	Field *field;

	if (filter->path == NIL)
	{
		appendStringInfoString(&query->sql, "true");
		return;
	}
	field = registry_field(resource, list_nth(filter->path, from));
	if (field && from + 1 == list_length(filter->path))
		write_values(query, field, filter, match, alias);
	else
	{
		CatRelation *relation = registry_relation(resource, list_nth(filter->path, from));

		if (from + 1 == list_length(filter->path))
			write_ids(query, resource, relation, filter, from, alias);
		else
			write_related(query, resource, relation, filter, from, match, alias);
	}
}

static void
write_filter(CatQuery *query, const Params *params, const Filter *filter, const char *alias)
{
	bool negated = strcmp(filter->comparison, "ne") == 0;

	if (negated)
		appendStringInfoChar(&query->sql, '(');
	write_step(query, params->resource, filter, 0, params->match, alias);
	if (negated)
		appendStringInfoString(&query->sql, ") IS NOT TRUE");
}

/*
 * Write all conditions of a request, each part with AND before it.
 *
 * Filters on own fields are joined as "condition" says; one on a related
 * record always holds besides.
 */
void
filter_write(CatQuery *query, const Params *params, const char *alias)
{
	ListCell *cell;
	int own = 0;

	foreach(cell, params->filters)
	{
		const Filter *filter = lfirst(cell);

		if (list_length(filter->path) == 1)
		{
			appendStringInfoString(&query->sql, own++ == 0	  ? " AND ("
												: params->all ? " AND "
															  : " OR ");
			write_filter(query, params, filter, alias);
		}
	}
	if (own > 0)
		appendStringInfoChar(&query->sql, ')');
	foreach(cell, params->filters)
	{
		const Filter *filter = lfirst(cell);

		if (list_length(filter->path) > 1)
		{
			appendStringInfoString(&query->sql, " AND ");
			write_filter(query, params, filter, alias);
		}
	}
}
