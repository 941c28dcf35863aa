/*
 * filter_value.c
 *	  Comparison of a field with the values of a filter.
 */
#include "catalogue.h"

#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "base/base.h"
#include "query/comparison.h"
#include "query/query.h"
#include "query/query_internal.h"
#include "query/search_internal.h"
#include "query/sql_builder.h"
#include "query/terms.h"

/*
 * Maximum number of patterns that are written as separate comparisons, so that an index can serve
 * each; with more, the text is folded once and compared with an array.
 */
#define PATTERNS_APART 4

/* The last year that a date is compared with. */
#define YEAR_MAX 9999
#define YEAR_DIGITS 4

/* Maximum number of values of a filter on text, since each row is compared with all of them. */
#define PATTERNS_MAX 100

static bool
is_any(const char *text)
{
	return true;
}

static bool
is_instant(const char *text)
{
	return cat_literal_date(text) || cat_literal_datetime(text);
}

/* Field kinds that are not compared as text: check of a value's syntax, and SQL type. */
static const struct
{
	FieldKind kind;
	bool (*fits)(const char *text);
	Oid type;
} exact_kinds[] = {
	{FIELD_ID, is_any, TEXTOID},
	{FIELD_BOOLEAN, cat_literal_boolean, BOOLOID},
	{FIELD_INTEGER, cat_literal_number, NUMERICOID},
	{FIELD_NUMBER, cat_literal_number, NUMERICOID},
	{FIELD_DATETIME, is_instant, TIMESTAMPTZOID},
	{FIELD_DATE, cat_literal_date, DATEOID},
};

/* Return the index of a kind in exact_kinds, -1 if it is compared as text. */
static int
exact_kind(FieldKind kind)
{
	for (size_t i = 0; i < lengthof(exact_kinds); i++)
		if (exact_kinds[i].kind == kind)
			return (int) i;
	return -1;
}

pg_noreturn static void
refuse_value(const Field *field, const char *value)
{
	ereport(ERROR,
			(errcode(OD422), errmsg("invalid value for filter \"%s\": \"%s\"", field->name, value),
			 errhint("The field is of type %s.", field->type)));
}

/* Add an array parameter; return its placeholder. */
static const char *
array_param(SqlBuilder *query, Oid type, Datum *values, int count)
{
	int16 length;
	bool by_value;
	char align;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	return cat_sql_builder_value(
		query, get_array_type(type),
		PointerGetDatum(construct_array(values, count, type, length, by_value, align)));
}

void
cat_filter_value_any(SqlBuilder *query, const char *expression, const char *op, Oid type,
					 Datum *values, int count)
{
	if (count == 1)
		appendStringInfo(&query->sql, "%s %s %s", expression, op,
						 cat_sql_builder_value(query, type, values[0]));
	else
		appendStringInfo(&query->sql, "%s %s ANY (%s)", expression, op,
						 array_param(query, type, values, count));
}

/* Return a LIKE pattern for a folded value, palloc'd; % and _ in the value are escaped. */
static char *
like_pattern(const char *folded, Match match)
{
	StringInfo pattern = makeStringInfo();

	if (match == MATCH_CONTAINS || match == MATCH_ENDS)
		appendStringInfoChar(pattern, '%');
	for (const char *p = folded; *p; p++)
	{
		if (*p == '%' || *p == '_' || *p == '\\')
			appendStringInfoChar(pattern, '\\');
		appendStringInfoChar(pattern, *p);
	}
	if (match == MATCH_CONTAINS || match == MATCH_BEGINS)
		appendStringInfoChar(pattern, '%');
	return pattern->data;
}

/*
 * Append the condition that a text matches one of the values.  Equal is what its collation takes as
 * equal; patterns, which not every collation has, are of bytes.
 */
static void
write_match(SqlBuilder *query, const char *text, List *values, Match match)
{
	char *folded = psprintf("catalogue.fold(%s)", text);
	const char *op = match == MATCH_EXACT ? "=" : "COLLATE \"C\" LIKE";
	Datum *patterns = palloc(sizeof(Datum) * list_length(values));
	int count = 0;
	int apart;

	foreach_ptr(char, word, values)
	{
		char *value = cat_fold_text(word, strlen(word));

		if (match != MATCH_EXACT)
			value = like_pattern(value, match);
		patterns[count++] = CStringGetTextDatum(value);
	}
	apart = count <= PATTERNS_APART ? count : 1;
	for (int i = 0; i < apart; i++)
	{
		if (i > 0)
			appendStringInfoString(&query->sql, " OR ");
		cat_filter_value_any(query, folded, op, TEXTOID, patterns + i, count / apart);
	}
}

/*
 * Append the condition that a slug is one of the values, in a form that its index serves.  Slugs are
 * folded as they are, except those that are ids, which are compared as they were given.
 */
static void
write_slugs(SqlBuilder *query, const char *column, List *values)
{
	Datum *slugs = palloc(sizeof(Datum) * 2 * list_length(values));
	int count = 0;

	foreach_ptr(const char, value, values)
	{
		const char *folded = cat_fold_text(value, strlen(value));

		slugs[count++] = CStringGetTextDatum(folded);
		if (strcmp(folded, value) != 0)
			slugs[count++] = CStringGetTextDatum(value);
	}
	cat_filter_value_any(query, column, "=", TEXTOID, slugs, count);
}

/* Append a range of texts: folded, in the collation of the sort order. */
static void
write_text_range(SqlBuilder *query, const char *column, List *values, const char *op)
{
	Datum *bounds = palloc(sizeof(Datum) * list_length(values));

	foreach_ptr(char, value, values)
		bounds[foreach_current_index(value)] =
			CStringGetTextDatum(cat_fold_text(value, strlen(value)));
	cat_filter_value_any(query,
						 psprintf("catalogue.fold(%s::text) COLLATE %s", column, "\"und-x-icu\""),
						 op, TEXTOID, bounds, list_length(values));
}

/* Append a range of an enumeration, in the order of its labels, as in the sort order. */
static void
write_enum_range(SqlBuilder *query, const Field *field, const char *column, List *values,
				 const char *op)
{
	Datum *bounds = palloc(sizeof(Datum) * list_length(values));

	foreach_ptr(char, value, values)
	{
		if (!cat_query_string_has_word(field->labels, value))
			refuse_value(field, value);
		bounds[foreach_current_index(value)] = cat_statement_value_read(field->base_oid, -1, value);
	}
	cat_filter_value_any(query, column, op, field->base_oid, bounds, list_length(values));
}

void
cat_filter_value_day(SqlBuilder *query, const char *column, const char *op, const char *start,
					 const char *end)
{
	if (strcmp(op, "=") == 0)
		appendStringInfo(&query->sql, "%s >= %s AND %s < %s", column, start, column, end);
	else if (strcmp(op, ">") == 0 || strcmp(op, "<=") == 0)
		appendStringInfo(&query->sql, "%s %s %s", column, *op == '>' ? ">=" : "<", end);
	else
		appendStringInfo(&query->sql, "%s %s %s", column, op, start);
}

/* Return an instant as a parameter. */
static const char *
instant_value(SqlBuilder *query, TimestampTz instant)
{
	return cat_sql_builder_value(query, TIMESTAMPTZOID, TimestampTzGetDatum(instant));
}

/* Append a comparison with an instant, or with a day in UTC if the value is a date. */
static void
write_instant(SqlBuilder *query, const char *column, const char *value, const char *op)
{
	TimestampTz instant = DatumGetTimestampTz(
		cat_statement_value_read(TIMESTAMPTZOID, -1, cat_literal_instant(value)));
	const char *start = instant_value(query, instant);

	if (cat_literal_date(value))
		cat_filter_value_day(query, column, op, start,
							 instant_value(query, instant + USECS_PER_DAY));
	else
		appendStringInfo(&query->sql, "%s %s %s", column, op, start);
}

/* Append a comparison of a date, in UTC, with the years that the values are. */
static void
write_years(SqlBuilder *query, const Field *field, const char *column, List *values, const char *op)
{
	Oid type = field->kind == FIELD_DATE ? DATEOID : TIMESTAMPTZOID;
	const char *form = field->kind == FIELD_DATE ? "%04d-01-01" : "%04d-01-01 00:00:00+00";

	foreach_ptr(char, value, values)
	{
		size_t length = strspn(value, "0123456789");
		int year = length <= YEAR_DIGITS && value[length] == '\0' && *value != '0'
					   ? (int) strtol(value, NULL, 10)
					   : 0;
		const char *start;

		if (year == 0)
			ereport(ERROR,
					(errcode(OD422),
					 errmsg("invalid value for filter \"%s.%s\": \"%s\"", field->name, YEAR, value),
					 errhint("It takes a year, 1 to %d.", YEAR_MAX)));
		start = cat_sql_builder_value(query, type,
									  cat_statement_value_read(type, -1, psprintf(form, year)));
		appendStringInfoString(&query->sql, foreach_current_index(value) > 0 ? " OR " : "");
		cat_filter_value_day(
			query, column, op, start,
			cat_sql_builder_value(query, type,
								  cat_statement_value_read(type, -1, psprintf(form, year + 1))));
	}
}

/* Append a comparison of a kind that is not compared as text: ids, numbers, booleans, dates. */
static void
write_exact(SqlBuilder *query, const Field *field, const char *column, List *values, const char *op)
{
	int kind = exact_kind(field->kind);
	Datum *typed = palloc(sizeof(Datum) * list_length(values));

	foreach_ptr(char, value, values)
	{
		if (!exact_kinds[kind].fits(value))
			refuse_value(field, value);
		if (field->kind != FIELD_DATETIME)
			typed[foreach_current_index(value)] =
				cat_statement_value_read(exact_kinds[kind].type, -1, value);
	}
	if (field->kind == FIELD_DATETIME)
		foreach_ptr(char, value, values)
		{
			appendStringInfoString(&query->sql, foreach_current_index(value) > 0 ? " OR " : "");
			write_instant(query, column, value, op);
		}
	else
		/* a floating-point number is compared by the digits that are displayed */
		cat_filter_value_any(query,
							 field->kind == FIELD_NUMBER ? psprintf("%s::numeric", column) : column,
							 op, exact_kinds[kind].type, typed, list_length(values));
}

/* Append the comparison with values that are not null. */
static void
write_present(SqlBuilder *query, const Field *field, const char *column, List *values,
			  Comparison comparison, Match match)
{
	const char *op = cat_comparison_sql(comparison);
	bool is_range = cat_comparison_is_range(comparison);

	if (exact_kind(field->kind) < 0 && list_length(values) > PATTERNS_MAX)
		ereport(ERROR, (errcode(OD422), errmsg("too many values for filter \"%s\"", field->name),
						errhint("A filter on text takes at most %d.", PATTERNS_MAX)));
	if (exact_kind(field->kind) >= 0)
		write_exact(query, field, column, values, op);
	else if (field->kind == FIELD_LIST)
	{
		appendStringInfo(&query->sql, "EXISTS (SELECT FROM unnest(%s) e(e) WHERE ", column);
		write_present(query, field->element, "e.e", values, comparison, match);
		appendStringInfoChar(&query->sql, ')');
	}
	else if (is_range && field->kind == FIELD_ENUM)
		write_enum_range(query, field, column, values, op);
	else if (is_range)
		write_text_range(query, column, values, op);
	else if (field->kind == FIELD_ARRAY)
	{
		appendStringInfo(&query->sql,
						 "EXISTS (SELECT FROM json%s_array_elements_text(%s) e(e) WHERE ",
						 field->base_oid == JSONOID ? "" : "b", column);
		write_match(query, "e.e", values, match);
		appendStringInfoChar(&query->sql, ')');
	}
	else if (field->slug && match == MATCH_EXACT)
		write_slugs(query, column, values);
	else
		write_match(query, psprintf("%s::text", column), values, match);
}

/* Return whether the search index finds the records that match a filter on this field. */
bool
cat_filter_value_is_served(const Field *field, const Filter *filter)
{
	return field->searchable && field->kind != FIELD_LIST && field->kind != FIELD_JSON &&
		   exact_kind(field->kind) < 0 && filter->comparison == COMPARE_EQUAL &&
		   !list_member_ptr(filter->values, NULL);
}

/*
 * Append, in parentheses, the condition that a field has one of a filter's values.
 *
 * column: SQL expression of the field.  The caller negates the condition for COMPARE_NOT_EQUAL.  Raises OD422
 * for a value that does not fit the field, and for a range with null as a bound.
 */
void
cat_filter_value_write(SqlBuilder *query, const Field *field, const char *column,
					   const Filter *filter, Match match)
{
	List *present = NIL;

	foreach_ptr(char, value, filter->values)
		if (value)
			present = lappend(present, value);
	if (list_length(present) < list_length(filter->values) &&
		cat_comparison_is_range(filter->comparison))
		refuse_value(field, "null");

	appendStringInfoChar(&query->sql, '(');
	if (list_length(present) < list_length(filter->values))
		appendStringInfo(&query->sql, "%s IS NULL%s", column, present ? " OR " : "");
	if (present && filter->by_year)
		write_years(query, field, column, present, cat_comparison_sql(filter->comparison));
	else if (present)
		write_present(query, field, column, present, filter->comparison, match);
	appendStringInfoChar(&query->sql, ')');
}
