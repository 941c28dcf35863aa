/*
 * sheet_groups.c
 *	  Groups of a sheet's rows with aggregates, counts by values (facets) and by ranges (histograms).
 */
#include "catalogue.h"

#include <math.h>

#include "utils/array.h"
#include "utils/float.h"

#include "rows/contents/contents_internal.h"

/*
 * ---- Counts by value, and histograms ----
 *
 * Filters on the column itself do not apply to its counts.  The ranges of a histogram divide what
 * lies between the least and the greatest value of all rows, so that they are the same under each
 * filter.
 */

/* Maximum number of ranges. */
#define BUCKETS 20

/* Ranges of a column's values: where each begins, and the last ends. */
typedef struct Ranges
{
	double low; /* least and greatest value, if there are any */
	double high;
	int count;
	double bounds[BUCKETS + 1];
} Ranges;

/* A member of a result row as a number. */
static int64
number_at(uint64 row, int column)
{
	bool isnull;

	return DatumGetInt64(
		SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull));
}

/* Return whether the values of a column are whole numbers, days, months or quarters. */
static bool
is_whole(const SheetColumn *column)
{
	return column->kind == CELL_INTEGER ||
		   (cat_cell_is_time(column->kind) && column->kind != CELL_DATETIME);
}

/* Divide the range between the ends into parts; whole numbers, days and their like are not divided. */
static void
divide(Ranges *ranges, const SheetColumn *column)
{
	double low = ranges->low;
	double high = ranges->high;
	double width = ceil((high - low + 1) / BUCKETS);

	if (is_whole(column))
		ranges->count = (int) Min(floor((high - low) / width) + 1, BUCKETS);
	else
		ranges->count = low < high ? BUCKETS : 1;
	for (int i = 0; i < ranges->count; i++)
	{
		double part = (double) i / ranges->count;
		/* the difference of the ends may be too great for a floating-point number */
		double bound = is_whole(column) ? low + i * width : low * (1 - part) + high * part;

		ranges->bounds[i] = column->kind == CELL_DATETIME ? rint(bound) : bound;
	}
	ranges->bounds[ranges->count] = high;
}

/* Return the ranges of each column that a histogram is asked of; none of one without values. */
static Ranges *
find_ranges(const SheetQuery *sheet_query)
{
	Ranges *ranges = palloc0(sizeof(Ranges) * (size_t) list_length(sheet_query->histograms));
	SheetQuery all = *sheet_query;
	SheetSql sql;

	all.filters = NIL;
	cat_sheet_sql_begin(&sql, &all);
	for (int i = 0; i < list_length(sheet_query->histograms); i++)
		appendStringInfo(&sql.query.sql, "%smin(p.p%d), max(p.p%d)", i > 0 ? ", " : "SELECT ", i,
						 i);
	foreach_int(histogram, sheet_query->histograms)
		appendStringInfo(&sql.query.sql, "%s%s AS p%d",
						 foreach_current_index(histogram) > 0 ? ", " : " FROM (SELECT ",
						 cat_sheet_sql_cell("place", histogram), foreach_current_index(histogram));
	cat_sheet_sql_rows(&sql, 1, ROW_NUMBER);
	appendStringInfoString(&sql.query.sql, " OFFSET 0) p");
	cat_sql_builder_run(&sql.query);
	foreach_int(number, sheet_query->histograms)
	{
		int i = foreach_current_index(number);
		bool isnull;

		ranges[i].low = DatumGetFloat8(cat_result_datum(2 * i + 1, &isnull));
		ranges[i].high = DatumGetFloat8(cat_result_datum(2 * i + 2, &isnull));
		if (!isnull)
			divide(&ranges[i], &sheet_query->sheet->columns[number]);
	}
	return ranges;
}

/* Append the number of the range that a cell is in; -1 for an empty one, -2 for no value. */
static void
write_range(SheetSql *sql, int column, const Ranges *ranges)
{
	Datum bounds[BUCKETS];

	for (int i = 0; i < ranges->count; i++)
		bounds[i] = Float8GetDatum(ranges->bounds[i]);
	appendStringInfo(
		&sql->query.sql,
		"CASE WHEN coalesce(%s, '') = '' THEN -1 ELSE coalesce(width_bucket(%s, %s) - 1, -2) END",
		cat_sheet_sql_cell("text", column), cat_sheet_sql_cell("place", column),
		cat_sql_builder_value(
			&sql->query, FLOAT8ARRAYOID,
			PointerGetDatum(construct_array(bounds, ranges->count, FLOAT8OID, sizeof(float8),
											FLOAT8PASSBYVAL, TYPALIGN_DOUBLE))));
}

/*
 * Count the rows of each range.  The result has a column for each histogram, of which one is not null
 * in a row, and the number of rows; null are those that the filters leave out.
 */
static void
count_ranges(const SheetQuery *sheet_query, const Ranges *ranges)
{
	SheetQuery all = *sheet_query;
	StringInfo sets = makeStringInfo();
	SheetSql sql;

	cat_sheet_sql_begin(&sql, sheet_query);
	appendStringInfoString(&sql.query.sql, "SELECT p.*, count(*) FROM (SELECT ");
	foreach_int(histogram, sheet_query->histograms)
	{
		int i = foreach_current_index(histogram);

		appendStringInfo(&sql.query.sql, "%sCASE WHEN %s THEN ", i > 0 ? ", " : "",
						 sheet_query->filters
							 ? psprintf("catalogue.cell_is_kept($1, r.n, %d)", histogram)
							 : "true");
		write_range(&sql, histogram, &ranges[i]);
		appendStringInfo(&sql.query.sql, " END::bigint AS b%d", i);
		appendStringInfo(sets, "%s(p.b%d)", i > 0 ? ", " : "", i);
	}
	all.filters = NIL;
	sql.asked = &all;
	cat_sheet_sql_rows(&sql, 1, ROW_NUMBER);
	appendStringInfo(&sql.query.sql, ") p GROUP BY GROUPING SETS (%s)", sets->data);
	cat_sql_builder_run(&sql.query);
}

/* Return how many rows a range of a histogram has. */
static int64
rows_of(int histogram, int range)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Datum number =
			SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, histogram + 1, &isnull);

		if (!isnull && DatumGetInt64(number) == range)
			return number_at(i, SPI_tuptable->tupdesc->natts);
	}
	return 0;
}

/* Append an end of a range: a number, or a date or an instant in quotes. */
static void
append_bound(StringInfo out, const char *name, CellKind kind, double bound)
{
	appendStringInfo(out, "\"%s\":", name);
	if (cat_cell_is_time(kind))
		cat_sheet_row_json_instant(out, kind, cat_cell_instant_at(kind, bound));
	else
		appendStringInfoString(out, float8out_internal(bound));
}

/* Append the histogram of a number among those that are asked for. */
static void
append_histogram(StringInfo out, const SheetColumn *column, const Ranges *ranges, int number)
{
	appendStringInfo(out, "%s:{\"buckets\":[", cat_json_quoted(column->name));
	for (int i = 0; i < ranges->count; i++)
	{
		appendStringInfoString(out, i > 0 ? ",{" : "{");
		append_bound(out, "from", column->kind, ranges->bounds[i]);
		appendStringInfoChar(out, ',');
		append_bound(out, "to", column->kind, ranges->bounds[i + 1]);
		appendStringInfo(out, ",\"count\":" INT64_FORMAT "}", rows_of(number, i));
	}
	appendStringInfo(out, "],\"empty\":" INT64_FORMAT ",\"skipped\":" INT64_FORMAT "}",
					 rows_of(number, -1), rows_of(number, -2));
}

/* Return the histograms that are asked for as a member of "meta"; NULL for none. */
char *
cat_sheet_groups_histograms(const SheetQuery *sheet_query)
{
	StringInfoData out;
	Ranges *ranges;

	if (sheet_query->histograms == NIL)
		return NULL;
	ranges = find_ranges(sheet_query);
	count_ranges(sheet_query, ranges);
	initStringInfo(&out);
	foreach_int(histogram, sheet_query->histograms)
	{
		int i = foreach_current_index(histogram);

		appendStringInfoString(&out, out.len > 0 ? "," : "\"histograms\":{");
		append_histogram(&out, &sheet_query->sheet->columns[histogram], &ranges[i], i);
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}

/* Type of counts, sums and averages. */
static const SheetColumn number = {.kind = CELL_DECIMAL, .point = '.'};

/* SQL of an aggregate; %s: a value, a number, or the cell's scan, row and column. */
static const struct
{
	const char *function; /* on the cell, NULL: cat_sheet_sql_value() */
	const char *sql;
} aggregates[] = {
	[AGGREGATE_COUNT] = {NULL, "count(%s)"},
	[AGGREGATE_SUM] = {"number", "sum(%s)"},
	[AGGREGATE_AVG] = {"number", "trim_scale(avg(%s))"},
	[AGGREGATE_MIN] = {"least", "%s"},
	[AGGREGATE_MAX] = {"greatest", "%s"},
};

/*
 * Return the index of a column among the values of a group; less than ROW_NUMBER if there is none.
 */
int
cat_sheet_groups_column(const SheetQuery *sheet_query, const char *name)
{
	foreach_int(group, sheet_query->groups)
		if (strcmp(sheet_query->sheet->columns[group].name, name) == 0)
			return foreach_current_index(group);
	foreach_ptr(SheetAggregate, aggregate, sheet_query->aggregates)
		if (strcmp(aggregate->name, name) == 0)
			return list_length(sheet_query->groups) + foreach_current_index(aggregate);
	return ROW_NUMBER - 1;
}

/* Return what an aggregate's values are. */
static const SheetColumn *
type_of(const SheetQuery *sheet_query, const SheetAggregate *aggregate)
{
	return (aggregate->kind == AGGREGATE_MIN || aggregate->kind == AGGREGATE_MAX)
			   ? &sheet_query->sheet->columns[aggregate->column]
			   : &number;
}

bool
cat_sheet_groups_drawn(const SheetQuery *sheet_query)
{
	const SheetAggregate *aggregate =
		sheet_query->aggregates ? linitial(sheet_query->aggregates) : NULL;
	CellKind kind;

	if (sheet_query->groups == NIL || list_length(sheet_query->groups) > 2 ||
		list_length(sheet_query->aggregates) != 1)
		return false;
	kind = type_of(sheet_query, aggregate)->kind;
	return kind == CELL_INTEGER || kind == CELL_DECIMAL;
}

/* Raise OD422 for a sum or average of a column that is not numeric. */
static void
require_numbers(const SheetQuery *sheet_query)
{
	foreach_ptr(const SheetAggregate, aggregate, sheet_query->aggregates)
	{
		CellKind kind = aggregate->column < 0 ? CELL_INTEGER
											  : sheet_query->sheet->columns[aggregate->column].kind;

		if ((aggregate->kind == AGGREGATE_SUM || aggregate->kind == AGGREGATE_AVG) &&
			kind != CELL_INTEGER && kind != CELL_DECIMAL)
			ereport(ERROR,
					(errcode(OD422),
					 errmsg("invalid value for parameter \"aggregate\": \"%s\"", aggregate->name),
					 errhint("The column is of type %s.", cat_cell_kind_name(kind))));
	}
}

/*
 * Append the groups: the number of the first row, columns g0, g1 and so on, aggregates.
 *
 * facet: they are the values of one column, as filters with EXACT compare them; filters on it do not
 * apply.
 */
static void
write_groups(SheetSql *sql, bool facet)
{
	const SheetQuery *asked = sql->asked;
	int column = facet ? linitial_int(asked->groups) : ROW_NUMBER;
	int count = 0;

	appendStringInfoString(&sql->query.sql, "SELECT min(r.n) AS n");
	foreach_int(group, asked->groups)
		appendStringInfo(&sql->query.sql, ", %s AS g%d",
						 cat_sheet_sql_group(asked->sheet, group, facet ? "folded" : "text"),
						 count++);
	foreach_ptr(const SheetAggregate, aggregate, asked->aggregates)
	{
		const char *function = aggregates[aggregate->kind].function;
		const char *of = aggregate->column < 0 ? "*"
						 : function			   ? cat_sheet_sql_cell(function, aggregate->column)
									: cat_sheet_sql_value(asked->sheet, aggregate->column);

		appendStringInfoString(&sql->query.sql, ", ");
		appendStringInfo(&sql->query.sql, aggregates[aggregate->kind].sql, of);
		appendStringInfo(&sql->query.sql, " AS g%d", count++);
	}
	cat_sheet_sql_rows(sql, 1, column);
	for (int i = 0; i < list_length(asked->groups); i++)
		appendStringInfo(&sql->query.sql, "%s %d", i == 0 ? " GROUP BY" : ",", i + 2);
	if (facet)
		appendStringInfo(&sql->query.sql, " HAVING %s <> '%s'",
						 cat_sheet_sql_group(asked->sheet, column, "folded"),
						 asked->sheet->columns[column].kind == CELL_TEXT ? "" : CAT_GROUP_OF_TEXT);
	/* one more tells that there are too many */
	appendStringInfo(&sql->query.sql, " LIMIT %d", CAT_GROUPS_MAX + 1);
}

/* Return what groups are sorted by. */
static char *
sort_key(const SheetQuery *asked, int place)
{
	const SheetAggregate *aggregate;
	const SheetColumn *column;

	if (place < list_length(asked->groups))
		return cat_sheet_sql_group_key(asked->sheet, list_nth_int(asked->groups, place),
									   psprintf("g%d", place));
	aggregate = list_nth(asked->aggregates, place - list_length(asked->groups));
	column = type_of(asked, aggregate);
	if (column == &number)
		return psprintf("g%d", place);
	if (column->kind == CELL_TEXT)
		return psprintf("g%d COLLATE \"und-x-icu\"", place);
	return psprintf("catalogue.cell_key_of($1, %d, g%d) COLLATE \"C\"", aggregate->column, place);
}

/*
 * Read a page of groups; facet: as for write_groups().  Returns their number.  In the result their
 * values begin in the third column, and a page without any is a row whose second column is null.
 */
static int64
read_groups(const SheetQuery *asked, bool facet)
{
	List *terms = NIL;
	SheetSql sql;

	cat_sheet_sql_begin(&sql, asked);
	appendStringInfoString(&sql.query.sql, "WITH g AS (");
	write_groups(&sql, facet);
	appendStringInfoString(&sql.query.sql, ") SELECT (SELECT count(*) FROM g), r.found");
	foreach_int(group, asked->groups)
		appendStringInfo(&sql.query.sql, ", %s", cat_sheet_sql_cell("text", group));
	for (int i = 0; i < list_length(asked->aggregates); i++)
		appendStringInfo(&sql.query.sql, ", r.g%d", list_length(asked->groups) + i);
	appendStringInfoString(&sql.query.sql,
						   " FROM (SELECT) one LEFT JOIN (SELECT g.*, true AS found FROM g");
	foreach_ptr(const SheetOrder, order, asked->orders)
		terms = lappend(
			terms, cat_sheet_sql_term(sort_key(asked, order->column), "text", order->descending));
	terms = lappend(terms, cat_sheet_sql_term(pstrdup("n"), "numeric", false));
	cat_order_terms_write(&sql.query, terms, false);
	appendStringInfo(
		&sql.query.sql, " LIMIT %s OFFSET %s) r ON true",
		cat_sql_builder_value(&sql.query, INT4OID, Int32GetDatum(asked->params->limit)),
		cat_sql_builder_value(&sql.query, INT8OID, Int64GetDatum(asked->params->skip)));
	cat_sql_builder_run(&sql.query);
	cat_sheet_sql_require_few_groups(cat_result_int64(1));
	return cat_result_int64(1);
}

static void
append_value(StringInfo out, const char *name, const SheetColumn *column, const char *value,
			 bool typed)
{
	appendStringInfoString(out, out->data[out->len - 1] == '{' ? "" : ",");
	cat_json_text_string(out, name);
	appendStringInfoCharMacro(out, ':');
	if (!value)
		appendStringInfoString(out, "null");
	else
		cat_sheet_row_json_cell(out, column, value, (int) strlen(value),
								typed || column == &number);
}

/* Append a group from a row of the result, whose values begin in the third column. */
static void
append_group(StringInfo out, const SheetQuery *sheet_query, HeapTuple tuple)
{
	TupleDesc desc = SPI_tuptable->tupdesc;
	int at = 3;

	appendStringInfoCharMacro(out, '{');
	foreach_int(group, sheet_query->groups)
	{
		const SheetColumn *column = &sheet_query->sheet->columns[group];

		append_value(out, column->name, column, SPI_getvalue(tuple, desc, at++),
					 sheet_query->typed);
	}
	foreach_ptr(const SheetAggregate, aggregate, sheet_query->aggregates)
		append_value(out, aggregate->name, type_of(sheet_query, aggregate),
					 SPI_getvalue(tuple, desc, at++), sheet_query->typed);
	appendStringInfoCharMacro(out, '}');
}

void
cat_sheet_groups_page(SheetQuery *sheet_query, CallReply *reply)
{
	require_numbers(sheet_query);
	reply->count = read_groups(sheet_query, false);
	sheet_query->groups_found = reply->count;
	reply->data = makeStringInfo();
	appendStringInfoChar(reply->data, '[');
	for (uint64 i = 0; i < SPI_processed && cat_result_bool(2); i++)
	{
		if (reply->returned++ > 0)
			appendStringInfoChar(reply->data, ',');
		append_group(reply->data, sheet_query, SPI_tuptable->vals[i]);
	}
	appendStringInfoChar(reply->data, ']');
}

/* Append the values that rows have, most frequent first, as a member. */
static void
append_facet(StringInfo out, const SheetQuery *sheet_query, int at)
{
	const SheetColumn *column = &sheet_query->sheet->columns[at];
	SheetAggregate rows = {AGGREGATE_COUNT, -1, NULL};
	SheetOrder orders[] = {{1, true}, {0, false}};
	RequestParams page = *sheet_query->params;
	SheetQuery values = *sheet_query;
	int64 rest;

	page.limit = page.facet_limit;
	page.skip = 0;
	values.params = &page;
	values.groups = list_make1_int(at);
	values.aggregates = list_make1(&rows);
	values.orders = list_make2(&orders[0], &orders[1]);
	rest = read_groups(&values, true);
	appendStringInfo(out, "%s:{\"values\":[", cat_json_quoted(column->name));
	for (uint64 i = 0; i < SPI_processed && cat_result_bool(2); i++, rest--)
	{
		const char *value = cat_result_text_at(i, 3);

		appendStringInfoString(out, i > 0 ? ",{\"value\":" : "{\"value\":");
		cat_sheet_row_json_cell(out, column, value, (int) strlen(value), sheet_query->typed);
		appendStringInfo(out, ",\"count\":" INT64_FORMAT "}", number_at(i, 4));
	}
	appendStringInfo(out, "],\"rest\":" INT64_FORMAT "}", rest);
}

/* Return the facets that are asked for as a member of "meta"; NULL for none. */
char *
cat_sheet_groups_facets(const SheetQuery *sheet_query)
{
	StringInfoData out;

	if (sheet_query->facets == NIL)
		return NULL;
	initStringInfo(&out);
	foreach_int(facet, sheet_query->facets)
	{
		appendStringInfoString(&out, out.len > 0 ? "," : "\"facets\":{");
		append_facet(&out, sheet_query, facet);
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}
