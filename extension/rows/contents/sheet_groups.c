/*
 * sheet_groups.c
 *	  Groups of a sheet's rows with aggregates, counts by values (facets) and by ranges (histograms).
 */
#include "catalogue.h"

#include <math.h>

#include "utils/array.h"
#include "utils/float.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/evaluate.h"

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

static void
append_group(StringInfo out, SheetGroups *groups, const SheetGroup *group,
			 const SheetQuery *sheet_query)
{
	appendStringInfoCharMacro(out, '{');
	foreach_int(column, sheet_query->groups)
	{
		const SheetColumn *is = &sheet_query->sheet->columns[column];

		append_value(out, is->name, is, group->texts[foreach_current_index(column)],
					 sheet_query->typed);
	}
	foreach_ptr(const SheetAggregate, aggregate, sheet_query->aggregates)
		append_value(out, aggregate->name, type_of(sheet_query, aggregate),
					 cat_sheet_aggregate_text(groups, group, foreach_current_index(aggregate)),
					 sheet_query->typed);
	appendStringInfoCharMacro(out, '}');
}

void
cat_sheet_groups_page(SheetQuery *sheet_query, CallReply *reply)
{
	int64 end = sheet_query->params->skip + sheet_query->params->limit;
	SheetGroups *groups;
	uint32 *sorted;

	require_numbers(sheet_query);
	groups = cat_sheet_aggregate(sheet_query, false);
	sorted = cat_sheet_aggregate_sorted(groups);
	reply->count = sheet_query->groups_found = cat_sheet_aggregate_count(groups);
	reply->data = makeStringInfo();
	appendStringInfoChar(reply->data, '[');
	for (int64 i = sheet_query->params->skip; i < Min(end, reply->count); i++)
	{
		if (reply->returned++ > 0)
			appendStringInfoChar(reply->data, ',');
		append_group(reply->data, groups, cat_sheet_aggregate_group(groups, sorted[i]),
					 sheet_query);
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
	SheetQuery values = *sheet_query;
	SheetGroups *groups;
	uint32 *sorted;
	int64 count;
	int64 shown;

	values.groups = list_make1_int(at);
	values.aggregates = list_make1(&rows);
	values.orders = list_make2(&orders[0], &orders[1]);
	groups = cat_sheet_aggregate(&values, true);
	sorted = cat_sheet_aggregate_sorted(groups);
	count = cat_sheet_aggregate_count(groups);
	shown = Min(count, sheet_query->params->facet_limit);
	appendStringInfo(out, "%s:{\"values\":[", cat_json_quoted(column->name));
	for (int64 i = 0; i < shown; i++)
	{
		const SheetGroup *group = cat_sheet_aggregate_group(groups, sorted[i]);

		appendStringInfoString(out, i > 0 ? ",{\"value\":" : "{\"value\":");
		cat_sheet_row_json_cell(out, column, group->texts[0], (int) strlen(group->texts[0]),
								sheet_query->typed);
		appendStringInfo(out, ",\"count\":" INT64_FORMAT "}", group->count);
	}
	appendStringInfo(out, "],\"rest\":" INT64_FORMAT "}", count - shown);
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
