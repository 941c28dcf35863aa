/*
 * sheet_histogram.c
 *	  Counts of a sheet's rows by ranges of a column's values.
 *
 * The ranges divide what lies between the least and the greatest value of all rows, so that they
 * are the same under each filter.
 */
#include "catalogue.h"

#include <math.h>

#include "utils/float.h"

#include "base/base.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "contents/sheet_groups.h"
#include "sheets/sheets.h"

/* Maximum number of ranges. */
#define BUCKETS 20

typedef struct Histogram
{
	int number; /* of the column */
	const SheetColumn *column;
	const SheetQuery *asked; /* without the filters on the column */
	double low;				 /* least and greatest value, if low is not greater than high */
	double high;
	int buckets;
	double bounds[BUCKETS + 1]; /* where each range begins, and the last ends */
	int64 rows[BUCKETS];
	int64 empty;   /* rows whose cell is empty */
	int64 skipped; /* rows whose cell is not of the column's type */
} Histogram;

/* Return whether the values of a column are whole numbers, or days. */
static bool
is_whole(const SheetColumn *column)
{
	return column->kind == CELL_INTEGER || column->kind == CELL_DATE;
}

/*
 * Read a cell as a number: that of a date is its day, that of an instant its microsecond.  False if
 * it is not of the column's type, or too great.
 */
static bool
read_place(const SheetColumn *column, const char *text, int length, double *place)
{
	CellValue value;

	if (!cat_cell_value(column, text, length, &value))
		return false;
	if (column->kind == CELL_DATE)
		*place = floor((double) value.instant / (double) USECS_PER_DAY);
	else if (column->kind == CELL_DATETIME)
		*place = (double) value.instant;
	else
		*place = value.number.value;
	return isfinite(*place);
}

/* Extend the range of a histogram by the cells of the current chunk. */
static void
extend(Histogram *histogram, ChunkScan *scan)
{
	const Cells *cells = cat_sheet_scan_cells(scan, histogram->number);
	double place;

	for (int row = 0; row < cells->rows; row++)
		if (read_place(histogram->column, cells_text(cells, row), cells_length(cells, row), &place))
		{
			histogram->low = Min(histogram->low, place);
			histogram->high = Max(histogram->high, place);
		}
}

/* Divide the range into buckets; whole numbers and days are not divided. */
static void
divide(Histogram *histogram)
{
	double low = histogram->low;
	double high = histogram->high;
	double width = ceil((high - low + 1) / BUCKETS);

	if (low > high)
		return;
	if (is_whole(histogram->column))
		histogram->buckets = (int) Min(floor((high - low) / width) + 1, BUCKETS);
	else
		histogram->buckets = low < high ? BUCKETS : 1;
	for (int i = 0; i < histogram->buckets; i++)
	{
		double part = (double) i / histogram->buckets;
		/* the difference of the ends may be too great for a floating-point number */
		double bound =
			is_whole(histogram->column) ? low + i * width : low * (1 - part) + high * part;

		histogram->bounds[i] = histogram->column->kind == CELL_DATETIME ? rint(bound) : bound;
	}
	histogram->bounds[histogram->buckets] = high;
}

static void
count_cell(Histogram *histogram, const char *text, int length)
{
	int bucket = histogram->buckets - 1;
	double place;

	if (length == 0)
		histogram->empty++;
	else if (!read_place(histogram->column, text, length, &place))
		histogram->skipped++;
	else
	{
		while (bucket > 0 && place < histogram->bounds[bucket])
			bucket--;
		histogram->rows[bucket]++;
	}
}

/* Count the rows of the current chunk that pass the filters. */
static void
count_chunk(Histogram *histogram, ChunkScan *scan)
{
	bool passes[CHUNK_ROWS];
	const Cells *cells = cat_sheet_scan_cells(scan, histogram->number);

	if (cat_sheet_filter_rows(histogram->asked, scan, passes) == 0)
		return;
	for (int row = 0; row < cells->rows; row++)
		if (passes[row])
			count_cell(histogram, cells_text(cells, row), cells_length(cells, row));
}

/* Call a function for each histogram with each chunk of the sheet. */
static void
scan_sheet(const Sheet *sheet, Histogram *histograms, int count,
		   void (*take)(Histogram *histogram, ChunkScan *scan))
{
	ChunkScan scan;

	cat_sheet_scan_open(&scan, sheet, 1);
	while (cat_sheet_scan_next(&scan))
		for (int i = 0; i < count; i++)
			take(&histograms[i], &scan);
	cat_sheet_scan_close(&scan);
}

/* Append an end of a range: a number, or a date or an instant in quotes. */
static void
append_bound(StringInfo out, const char *name, CellKind kind, double bound)
{
	appendStringInfo(out, "\"%s\":", name);
	if (kind == CELL_DATE)
		cat_sheet_row_json_instant(out, kind, (int64) bound * USECS_PER_DAY);
	else if (kind == CELL_DATETIME)
		cat_sheet_row_json_instant(out, kind, (int64) bound);
	else
		appendStringInfoString(out, float8out_internal(bound));
}

static void
append_histogram(StringInfo out, const Histogram *histogram)
{
	cat_json_text_string(out, histogram->column->name);
	appendStringInfoString(out, ":{\"buckets\":[");
	for (int i = 0; i < histogram->buckets; i++)
	{
		appendStringInfoString(out, i > 0 ? ",{" : "{");
		append_bound(out, "from", histogram->column->kind, histogram->bounds[i]);
		appendStringInfoChar(out, ',');
		append_bound(out, "to", histogram->column->kind, histogram->bounds[i + 1]);
		appendStringInfo(out, ",\"count\":" INT64_FORMAT "}", histogram->rows[i]);
	}
	appendStringInfo(out, "],\"empty\":" INT64_FORMAT ",\"skipped\":" INT64_FORMAT "}",
					 histogram->empty, histogram->skipped);
}

/* Return the histograms that are asked for as a member of "meta"; NULL for none. */
char *
cat_sheet_histograms(const SheetQuery *sheet_query)
{
	int count = list_length(sheet_query->histograms);
	Histogram *histograms = palloc0(sizeof(Histogram) * (size_t) (count + 1));
	StringInfoData out;

	if (count == 0)
		return NULL;
	for (int i = 0; i < count; i++)
	{
		histograms[i].number = list_nth_int(sheet_query->histograms, i);
		histograms[i].column = &sheet_query->sheet->columns[histograms[i].number];
		histograms[i].asked = cat_sheet_facets_query(sheet_query, histograms[i].number);
		histograms[i].low = get_float8_infinity();
		histograms[i].high = -get_float8_infinity();
	}
	scan_sheet(sheet_query->sheet, histograms, count, extend);
	for (int i = 0; i < count; i++)
		divide(&histograms[i]);
	scan_sheet(sheet_query->sheet, histograms, count, count_chunk);
	initStringInfo(&out);
	appendStringInfoString(&out, "\"histograms\":{");
	for (int i = 0; i < count; i++)
	{
		if (i > 0)
			appendStringInfoChar(&out, ',');
		append_histogram(&out, &histograms[i]);
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}
