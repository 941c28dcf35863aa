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
	int64 rows[BUCKETS]; /* that each has */
	int64 empty;		 /* cells that are empty, and that are no values */
	int64 skipped;
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

/* Return whether the numbers of a segment that have codes are the values of a histogram. */
static bool
has_scalars(const SheetColumn *column, const Segment *segment)
{
	return segment->codes && !segment_has_instants(segment) &&
		   cat_sheet_filter_is_ordered(column, segment);
}

/* Read a cell as a number; *empty tells of one that has none since it is empty. */
static bool
read_scalar(const SheetColumn *column, Segment *segment, int row, double *scalar, bool *empty)
{
	CellText cell;

	*empty = false;
	if (segment->codes && segment->codes[row] >= (uint64) segment->cells.rows &&
		has_scalars(column, segment))
	{
		*scalar = cat_segment_number(segment, cat_segment_value(segment, segment->codes[row]));
		return true;
	}
	cell = cat_segment_cell(segment, row);
	*empty = cell.length == 0;
	return cat_cell_scalar(column, cell.bytes, cell.length, scalar);
}

/* Find the ranges of a column; none if it has no values. */
static void
find_ranges(const SheetQuery *sheet_query, int column, Ranges *ranges)
{
	const SheetColumn *is = &sheet_query->sheet->columns[column];
	bool found = false;
	ChunkScan scan;

	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		for (int row = 0; row < scan.chunk.rows; row++)
		{
			double scalar;
			bool empty;

			if (!read_scalar(is, cat_sheet_scan_segment(&scan, column), row, &scalar, &empty))
				continue;
			ranges->low = found ? Min(ranges->low, scalar) : scalar;
			ranges->high = found ? Max(ranges->high, scalar) : scalar;
			found = true;
		}
	if (found)
		divide(ranges, is);
}

/* Count a cell of the column. */
static void
count_cell(const SheetColumn *column, Segment *segment, int row, Ranges *ranges)
{
	double scalar;
	bool empty;

	if (!read_scalar(column, segment, row, &scalar, &empty))
	{
		ranges->empty += empty;
		ranges->skipped += !empty;
		return;
	}
	for (int i = ranges->count - 1; i >= 0; i--)
		if (scalar >= ranges->bounds[i] || i == 0)
		{
			ranges->rows[i]++;
			return;
		}
}

/* Count the rows of each range that pass the filters but for those on the column. */
static void
count_ranges(const SheetQuery *sheet_query, int column, Ranges *ranges)
{
	int *rows = palloc(sizeof(int) * CHUNK_ROWS);
	ChunkScan scan;

	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	cat_sheet_filter_begin(&scan, sheet_query);
	for (int64 row = 1; cat_sheet_scan_seek_kept(&scan, row, column); row = scan.next)
	{
		int count = cat_sheet_scan_rows(&scan, column, rows);

		for (int i = 0; i < count; i++)
			count_cell(&sheet_query->sheet->columns[column], cat_sheet_scan_segment(&scan, column),
					   rows[i], ranges);
	}
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
					 ranges->empty, ranges->skipped);
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
		Ranges *ranges = palloc0(sizeof(Ranges));

		find_ranges(sheet_query, histogram, ranges);
		count_ranges(sheet_query, histogram, ranges);
		appendStringInfoString(&out, out.len > 0 ? "," : "\"histograms\":{");
		append_histogram(&out, &sheet_query->sheet->columns[histogram], ranges);
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
