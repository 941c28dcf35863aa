/*
 * sheet_filter.c
 *	  Filters on the columns of a sheet, evaluated chunk by chunk.
 *
 * Only the columns of filters are read.  Text is compared ignoring case and accents: the cells of a
 * column are folded into one buffer, which is searched as a whole.  Ranges compare text in the
 * order of the sort.
 */
#include "catalogue.h"

#include "utils/varlena.h"

#include "base/base.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "query/query.h"
#include "sheets/chunk.h"
#include "sheets/sheets.h"

/* Maximum number of values of a filter, as for fields of a list. */
#define VALUES_MAX 100

pg_noreturn static void
refuse(const SheetColumn *column, const char *value)
{
	ereport(ERROR,
			(errcode(OD422), errmsg("invalid value for filter \"%s\": \"%s\"", column->name, value),
			 errhint("The column is of type %s.", cat_cell_kind_name(column->kind))));
}

/*
 * Read a value of a filter by the type of the column, in the syntax of JSON or in that of the
 * column.  Raises OD422 if it fits neither.
 */
static void
read_value(const SheetColumn *column, const char *text, CellValue *value)
{
	SheetColumn literal = *column;

	literal.format = NULL;
	literal.point = '.';
	if (!cat_cell_value(&literal, text, (int) strlen(text), value) &&
		!cat_cell_value(column, text, (int) strlen(text), value))
		refuse(column, text);
}

/* Add a value that is not null. */
static void
add_value(SheetFilter *filter, const char *text)
{
	int i = filter->count++;

	if (filter->is->kind != CELL_TEXT)
	{
		/* the value points into the text */
		read_value(filter->is, pstrdup(text), &filter->values[i]);
		return;
	}
	/* ranges use the collation of the sort, which distinguishes case and accents */
	filter->texts[i] = cat_comparison_is_range(filter->comparison)
						   ? pstrdup(text)
						   : cat_fold_text(text, strlen(text));
	filter->lengths[i] = (int) strlen(filter->texts[i]);
}

/*
 * Make a filter that compares a column with values.
 *
 * column: ROW_NUMBER for the number of the row.  Raises OD422 for a value that does not fit the
 * column.
 */
SheetFilter *
cat_sheet_filter_make(const Sheet *sheet, int column, Comparison comparison, List *values)
{
	static const SheetColumn number = {.name = "_id", .kind = CELL_INTEGER, .point = '.'};
	SheetFilter *filter = palloc0(sizeof(SheetFilter));
	size_t count = (size_t) list_length(values);
	ListCell *cell;

	filter->column = column;
	filter->is = column == ROW_NUMBER ? &number : &sheet->columns[column];
	filter->comparison = comparison;
	filter->required = comparison != COMPARE_EQUAL;
	filter->texts = palloc(sizeof(char *) * count);
	filter->lengths = palloc(sizeof(int) * count);
	filter->values = palloc(sizeof(CellValue) * count);
	if (count > VALUES_MAX)
		ereport(ERROR,
				(errcode(OD422), errmsg("too many values for filter \"%s\"", filter->is->name),
				 errhint("A filter on rows takes at most %d.", VALUES_MAX)));
	foreach(cell, values)
		if (lfirst(cell))
			add_value(filter, lfirst(cell));
		else if (cat_comparison_is_range(comparison))
			refuse(filter->is, "null");
		else
			filter->empty = true;
	return filter;
}

/* Fold the cells of a column; their text is stored in bytes. */
static void
fold_cells(const Cells *cells, Cells *folded, StringInfo bytes)
{
	resetStringInfo(bytes);
	folded->rows = cells->rows;
	if (cells->ascii)
	{
		memcpy(folded->starts, cells->starts, sizeof(uint32) * ((size_t) cells->rows + 1));
		cat_fold_append(bytes, cells->bytes, cells->starts[cells->rows]);
	}
	else
		for (int i = 0; i < cells->rows; i++)
		{
			folded->starts[i] = (uint32) bytes->len;
			cat_fold_append(bytes, cells_text(cells, i), (size_t) cells_length(cells, i));
			folded->starts[i + 1] = (uint32) bytes->len;
		}
	folded->bytes = bytes->data;
}

/* Return the first cell, from a row on, that is long enough for a text; the number of rows for none. */
static int
find_long(const Cells *cells, int row, int length)
{
	while (row < cells->rows && cells_length(cells, row) < length)
		row++;
	return row;
}

/*
 * Mark the cells that contain a text, which is not empty.
 *
 * The search goes on at a cell that is long enough, so that each start of it, which costs as much as
 * the text is long, is paid for by the length of a cell.
 */
static void
find_containing(const Cells *cells, const char *text, int length, bool *hits)
{
	const char *end = cells->bytes + cells->starts[cells->rows];
	const char *at;

	for (int row = find_long(cells, 0, length);
		 row < cells->rows &&
		 (at = memmem(cells_text(cells, row), (size_t) (end - cells_text(cells, row)), text,
					  (size_t) length)) != NULL;
		 row = find_long(cells, row + 1, length))
	{
		uint32 start = (uint32) (at - cells->bytes);

		while (cells->starts[row + 1] <= start)
			row++;
		/* else the text crosses the end of the cell, as any later match in it would */
		if (start + (uint32) length <= cells->starts[row + 1])
			hits[row] = true;
	}
}

/* Return whether a folded cell matches a text; match is not MATCH_CONTAINS. */
static inline bool
fits(const Cells *cells, int row, const char *text, int length, Match match)
{
	int has = cells_length(cells, row);
	const char *bytes = cells_text(cells, row);

	if (has < length || (match == MATCH_EXACT && has != length))
		return false;
	return memcmp(match == MATCH_ENDS ? bytes + has - length : bytes, text, (size_t) length) == 0;
}

/* Mark the cells that match one of the texts. */
static void
find_texts(const SheetFilter *filter, const Cells *cells, const Cells *folded, Match match,
		   bool *hits)
{
	for (int i = 0; i < filter->count; i++)
		if (match == MATCH_CONTAINS && filter->lengths[i] > 0)
			find_containing(folded, filter->texts[i], filter->lengths[i], hits);
		else
			for (int row = 0; row < cells->rows; row++)
				hits[row] |= !cells->absent[row] &&
							 fits(folded, row, filter->texts[i], filter->lengths[i], match);
}

/*
 * Return whether the order of a value and a bound satisfies a comparison; COMPARE_NOT_EQUAL tests
 * for equality, which the caller negates.
 */
static inline bool
satisfies(Comparison comparison, int order)
{
	switch (comparison)
	{
		case COMPARE_EQUAL:
		case COMPARE_NOT_EQUAL:
			return order == 0;
		case COMPARE_AT_LEAST:
			return order >= 0;
		case COMPARE_AT_MOST:
			return order <= 0;
		case COMPARE_MORE:
			return order > 0;
		case COMPARE_LESS:
			return order < 0;
	}
	pg_unreachable();
}

/* Mark the cells in a range of text, in the collation of the sort. */
static void
find_text_range(const SheetFilter *filter, const Cells *cells, bool *hits)
{
	Oid collation = cat_fold_collation();

	for (int row = 0; row < cells->rows; row++)
		for (int i = 0; i < filter->count && cells_length(cells, row) > 0 && !hits[row]; i++)
			hits[row] = satisfies(filter->comparison,
								  varstr_cmp(cells_text(cells, row), cells_length(cells, row),
											 filter->texts[i], filter->lengths[i], collation));
}

/*
 * Compare a value with a bound: less than, equal to or greater than 0.
 *
 * A bound that is a date in a column of timestamps stands for the whole day.
 */
static inline int
order_to(const SheetFilter *filter, const CellValue *value, const CellValue *bound)
{
	if (filter->is->kind != CELL_DATETIME || !bound->day)
		return cat_cell_compare(filter->is, value, bound);
	if (value->instant < bound->instant)
		return -1;
	return value->instant >= bound->instant + USECS_PER_DAY;
}

static inline bool
value_fits(const SheetFilter *filter, const CellValue *value)
{
	for (int i = 0; i < filter->count; i++)
		if (satisfies(filter->comparison, order_to(filter, value, &filter->values[i])))
			return true;
	return false;
}

/* Mark the cells whose values equal one of the filter's or are in its range. */
static void
find_values(const SheetFilter *filter, const Cells *cells, bool *hits)
{
	CellValue value;

	for (int row = 0; row < cells->rows; row++)
		hits[row] |=
			cat_cell_value(filter->is, cells_text(cells, row), cells_length(cells, row), &value) &&
			value_fits(filter, &value);
}

/* Mark the rows whose numbers equal one of the filter's values or are in its range. */
static void
find_numbers(const SheetFilter *filter, const Chunk *chunk, bool *hits)
{
	for (int row = 0; row < chunk->rows; row++)
	{
		CellValue value = {.number = {.value = (double) (chunk->first + row), .exact = true}};

		hits[row] = value_fits(filter, &value);
	}
}

/* Mark the rows of a chunk that meet a filter's condition. */
static void
find_rows(const SheetFilter *filter, Match match, ChunkScan *scan, Cells *folded, StringInfo bytes,
		  bool *hits)
{
	const Cells *cells;

	memset(hits, false, (size_t) scan->chunk.rows);
	if (filter->column == ROW_NUMBER)
	{
		find_numbers(filter, &scan->chunk, hits);
		return;
	}
	cells = cat_sheet_scan_cells(scan, filter->column);
	for (int row = 0; filter->empty && row < cells->rows; row++)
		hits[row] = cells_length(cells, row) == 0;
	if (filter->count == 0)
		return;
	if (filter->is->kind != CELL_TEXT)
		find_values(filter, cells, hits);
	else if (cat_comparison_is_range(filter->comparison))
		find_text_range(filter, cells, hits);
	else
	{
		fold_cells(cells, folded, bytes);
		find_texts(filter, cells, folded, match, hits);
	}
}

/* Return whether the parameter "condition" makes a filter an alternative to others. */
static bool
is_alternative(const SheetQuery *sheet_query, const SheetFilter *filter)
{
	return !filter->required && !sheet_query->params->all;
}

/* Combine the result of a filter with that of the filters before it. */
static void
join(bool *passes, const bool *hits, int rows, bool negated, bool alternative)
{
	for (int row = 0; row < rows; row++)
	{
		bool hit = hits[row] != negated;

		passes[row] = alternative ? passes[row] || hit : passes[row] && hit;
	}
}

/* Determine which rows of the current chunk pass the filters; return their number. */
int
cat_sheet_filter_rows(const SheetQuery *sheet_query, ChunkScan *scan, bool *passes)
{
	int rows = scan->chunk.rows;
	int count = 0;
	bool *hits;
	Cells *folded;
	StringInfoData bytes;
	ListCell *cell;

	if (sheet_query->filters == NIL)
	{
		memset(passes, true, (size_t) rows);
		return rows;
	}
	/* alternatives come first: one of them must match, then all required filters */
	memset(passes, !is_alternative(sheet_query, linitial(sheet_query->filters)), (size_t) rows);
	hits = palloc(sizeof(bool) * CHUNK_ROWS);
	folded = palloc(sizeof(Cells));
	initStringInfo(&bytes);
	foreach(cell, sheet_query->filters)
	{
		const SheetFilter *filter = lfirst(cell);

		find_rows(filter, sheet_query->params->match, scan, folded, &bytes, hits);
		join(passes, hits, rows, filter->comparison == COMPARE_NOT_EQUAL,
			 is_alternative(sheet_query, filter));
	}
	for (int row = 0; row < rows; row++)
		count += passes[row];
	pfree(bytes.data);
	pfree(folded);
	pfree(hits);
	return count;
}
