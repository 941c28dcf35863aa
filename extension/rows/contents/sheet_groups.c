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

/* Maximum number of ranges; behind them cells that are empty, and that are no values. */
#define BUCKETS 20
#define RANGE_EMPTY BUCKETS
#define RANGE_SKIPPED (BUCKETS + 1)

/* Ranges of a column's values: where each begins, and the last ends. */
typedef struct Ranges
{
	double low; /* least and greatest value, if there are any */
	double high;
	int count;
	double bounds[BUCKETS + 1];
	int64 rows[BUCKETS + 2]; /* that each has */
} Ranges;

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

/* Return a cell as a number; NAN for an empty one, INFINITY for one that is no value. */
static double
scalar_of(const SheetColumn *column, CellText cell)
{
	double scalar;

	if (cat_cell_scalar(column, cell.bytes, cell.length, &scalar))
		return scalar;
	return cell.length == 0 ? NAN : INFINITY;
}

/* Return the cells of some rows of a segment as numbers; a text that has a code is read once. */
static double *
scalars_of(const SheetColumn *column, Segment *segment, const int *rows, int count)
{
	double *scalars = palloc(sizeof(double) * (size_t) (count + 1));
	uint64 ntexts = segment->codes ? (uint64) segment->cells.rows : 0;
	double *texts = palloc(sizeof(double) * (ntexts + 1));
	bool ordered = segment->codes && cat_sheet_filter_is_ordered(column, segment);
	bool instants = segment_has_instants(segment);

	for (uint64 i = 0; i < ntexts; i++)
		texts[i] = scalar_of(column, segment_cells_at(&segment->cells, (int) i));
	for (int i = 0; i < count; i++)
	{
		uint64 code = segment->codes ? segment->codes[rows[i]] : 0;
		int64 value = cat_segment_value(segment, code);

		if (code < ntexts)
			scalars[i] = texts[code];
		else if (!ordered)
			scalars[i] = scalar_of(column, cat_segment_cell(segment, rows[i]));
		else
			scalars[i] =
				instants ? (double) (value * USECS_PER_SEC) : cat_segment_number(segment, value);
	}
	return scalars;
}

/* Take the values of some rows of a column. */
typedef void (*TakeScalars)(Ranges *ranges, const double *scalars, int count);

static void
take_ends(Ranges *ranges, const double *scalars, int count)
{
	for (int i = 0; i < count; i++)
		if (isfinite(scalars[i]))
		{
			ranges->low = Min(ranges->low, scalars[i]);
			ranges->high = Max(ranges->high, scalars[i]);
		}
}

static void
take_counts(Ranges *ranges, const double *scalars, int count)
{
	double width = ranges->bounds[1] - ranges->bounds[0];
	int last = ranges->count - 1;

	for (int i = 0; i < count; i++)
	{
		double part = (scalars[i] - ranges->low) / width;
		/* nearly: where it begins and ends decides */
		int range = part >= last ? last : part > 0 ? (int) part : 0;

		if (!isfinite(scalars[i]))
		{
			ranges->rows[isnan(scalars[i]) ? RANGE_EMPTY : RANGE_SKIPPED]++;
			continue;
		}
		while (range > 0 && scalars[i] < ranges->bounds[range])
			range--;
		while (range < last && scalars[i] >= ranges->bounds[range + 1])
			range++;
		ranges->rows[range]++;
	}
}

/* Take the values of the rows that a scan keeps, but for filters on the column. */
static void
take_rows(ChunkScan *scan, int column, TakeScalars take, Ranges *ranges)
{
	int *rows = palloc(sizeof(int) * CHUNK_ROWS);

	for (int64 row = 1; cat_sheet_scan_seek_kept(scan, row, column); row = scan->next)
	{
		MemoryContext old = MemoryContextSwitchTo(scan->chunk_memory);
		int count = cat_sheet_scan_rows(scan, column, rows);

		take(ranges,
			 scalars_of(&scan->sheet->columns[column], cat_sheet_scan_segment(scan, column), rows,
						count),
			 count);
		MemoryContextSwitchTo(old);
	}
}

/* Find the ranges of a column, none if it has no values, and count the rows of each that pass the filters but for those
 * on the column. */
static void
count_ranges(const SheetQuery *sheet_query, int column, Ranges *ranges)
{
	ChunkScan scan;

	*ranges = (Ranges){.low = INFINITY, .high = -INFINITY};
	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	take_rows(&scan, column, take_ends, ranges);
	if (ranges->low <= ranges->high)
		divide(ranges, &sheet_query->sheet->columns[column]);
	cat_sheet_filter_begin(&scan, sheet_query);
	take_rows(&scan, column, take_counts, ranges);
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

/* Append the histogram of a column. */
static void
append_histogram(StringInfo out, const SheetColumn *column, const Ranges *ranges)
{
	appendStringInfo(out, "%s:{\"buckets\":[", cat_json_quoted(column->name));
	for (int i = 0; i < ranges->count; i++)
	{
		appendStringInfoString(out, i > 0 ? ",{" : "{");
		append_bound(out, "from", column->kind, ranges->bounds[i]);
		appendStringInfoChar(out, ',');
		append_bound(out, "to", column->kind, ranges->bounds[i + 1]);
		appendStringInfo(out, ",\"count\":" INT64_FORMAT "}", ranges->rows[i]);
	}
	appendStringInfo(out, "],\"empty\":" INT64_FORMAT ",\"skipped\":" INT64_FORMAT "}",
					 ranges->rows[RANGE_EMPTY], ranges->rows[RANGE_SKIPPED]);
}

/* Return the histograms that are asked for as a member of "meta"; NULL for none. */
char *
cat_sheet_groups_histograms(const SheetQuery *sheet_query)
{
	StringInfoData out;

	if (sheet_query->histograms == NIL)
		return NULL;
	initStringInfo(&out);
	foreach_int(histogram, sheet_query->histograms)
	{
		Ranges ranges;

		count_ranges(sheet_query, histogram, &ranges);
		appendStringInfoString(&out, out.len > 0 ? "," : "\"histograms\":{");
		append_histogram(&out, &sheet_query->sheet->columns[histogram], &ranges);
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

SheetGroups *
cat_sheet_groups_make(const SheetQuery *sheet_query)
{
	require_numbers(sheet_query);
	return cat_sheet_aggregate(sheet_query, KEYS_VALUES);
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
					 cat_sheet_result_text(groups, group, foreach_current_index(aggregate)),
					 sheet_query->typed);
	appendStringInfoCharMacro(out, '}');
}

void
cat_sheet_groups_page(SheetQuery *sheet_query, CallReply *reply)
{
	int64 end = sheet_query->params->skip + sheet_query->params->limit;
	SheetGroups *groups = cat_sheet_groups_make(sheet_query);
	uint32 *sorted = cat_sheet_result_sorted(groups);

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
	groups = cat_sheet_aggregate(&values, KEYS_FACET);
	sorted = cat_sheet_result_sorted(groups);
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
