/*
 * sheet_test.c
 *	  A condition on a column of a sheet: its values as they are compared, and the cells that it holds for.
 *
 * Text is compared ignoring case and accents, in ranges by the collation of the sort.  Other columns are compared by
 * their keys, and numbers of so few digits that these differ as floating-point numbers as such.
 */
#include "catalogue.h"

#include "utils/datetime.h"
#include "utils/varlena.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/evaluate.h"

ColumnTest
cat_sheet_test_make(const SheetFilter *filter, Match match)
{
	bool range = cat_comparison_is_range(filter->comparison);
	ColumnTest test = {.filter = filter,
					   .match = match,
					   .exact = true,
					   .count = list_length(filter->values),
					   .collation = cat_fold_collation()};

	if (filter->is->kind != CELL_TEXT)
	{
		foreach_ptr(const CellValue, value, filter->values)
			test.exact = test.exact && value->number.exact;
		return test;
	}
	test.search = !range && filter->comparison != COMPARE_EXACT && match != MATCH_EXACT;
	test.texts = palloc(sizeof(SoughtText) * (size_t) Max(test.count, 1));
	foreach_ptr(const char, value, filter->values)
	{
		const char *bytes = range ? value : cat_fold_text(value, strlen(value));

		test.texts[foreach_current_index(value)] = (SoughtText){bytes, strlen(bytes)};
	}
	return test;
}

/* Return whether a folded text has one of the values that are sought. */
static bool
has_text(const ColumnTest *test, const char *bytes, size_t length)
{
	for (int i = 0; i < test->count; i++)
	{
		const SoughtText *sought = &test->texts[i];

		if (length < sought->length || (!test->search && length != sought->length))
			continue;
		if (test->search && test->match == MATCH_CONTAINS
				? memmem(bytes, length, sought->bytes, sought->length) != NULL
				: memcmp(test->search && test->match == MATCH_ENDS ? bytes + length - sought->length
																   : bytes,
						 sought->bytes, sought->length) == 0)
			return true;
	}
	return false;
}

/* Return whether an order, less than, equal to or greater than 0, is what a comparison asks for. */
static bool
is_ordered(Comparison comparison, int order)
{
	switch (comparison)
	{
		case COMPARE_AT_LEAST:
			return order >= 0;
		case COMPARE_AT_MOST:
			return order <= 0;
		case COMPARE_MORE:
			return order > 0;
		case COMPARE_LESS:
			return order < 0;
		case COMPARE_EQUAL:
		case COMPARE_NOT_EQUAL:
		case COMPARE_EXACT:
			break;
	}
	return order == 0;
}

/* Return whether a text that is not empty is in a range. */
static bool
is_text_between(const ColumnTest *test, const CellText *cell)
{
	for (int i = 0; cell->length > 0 && i < test->count; i++)
		if (is_ordered(test->filter->comparison,
					   varstr_cmp(cell->bytes, cell->length, test->texts[i].bytes,
								  (int) test->texts[i].length, test->collation)))
			return true;
	return false;
}

int
cat_sheet_test_day(int64 instant, int64 day)
{
	return instant < day ? -1 : instant >= day + USECS_PER_DAY;
}

/* Return whether the value of a cell is what is asked for. */
static bool
has_value(const SheetFilter *filter, const CellValue *value)
{
	foreach_ptr(const CellValue, sought, filter->values)
	{
		bool day = filter->is->kind == CELL_DATETIME && sought->day;
		int order = day ? cat_sheet_test_day(value->instant, sought->instant)
						: cat_cell_compare(filter->is, value, sought);

		if (is_ordered(filter->comparison, order))
			return true;
	}
	return false;
}

/* Return whether a cell is one of the texts of its column that stand for no value. */
static bool
is_mark(const SheetFilter *filter, const CellText *cell)
{
	return !cell->absent && cat_cell_is_among(filter->marks, cell->bytes, cell->length);
}

/* Return whether a cell of a column of text is what is asked for; folded: the cell without case and accents. */
static bool
holds_text(const ColumnTest *test, const CellText *cell, const CellText *folded)
{
	const SheetFilter *filter = test->filter;

	if ((filter->empty && cell->length == 0) || is_mark(filter, cell))
		return true;
	if (cell->absent || test->count == 0)
		return false;
	return cat_comparison_is_range(filter->comparison)
			   ? is_text_between(test, cell)
			   : has_text(test, folded->bytes, (size_t) folded->length);
}

/* Return whether a cell of a column of numbers, dates or booleans is what is asked for. */
static bool
holds_value(const ColumnTest *test, const CellText *cell)
{
	const SheetFilter *filter = test->filter;
	CellValue value;

	if (is_mark(filter, cell))
		return true;
	if (!cat_cell_value(filter->is, cell->bytes, cell->length, &value))
		return filter->empty;
	return has_value(filter, &value);
}

bool
cat_sheet_test_holds(const ColumnTest *test, const CellText *cell)
{
	return test->filter->is->kind == CELL_TEXT ? holds_text(test, cell, cell)
											   : holds_value(test, cell);
}

/* Return whether an ASCII text is one that is folded, which has as many bytes; texts of a column mostly differ in the
 * last ones. */
static inline bool
is_same_ascii(const char *bytes, const char *folded, size_t length)
{
	while (length > 0 && (bytes[length - 1] == folded[length - 1] ||
						  pg_ascii_tolower((unsigned char) bytes[length - 1]) ==
							  (unsigned char) folded[length - 1]))
		length--;
	return length == 0;
}

/* Test cells that are all ASCII for equal texts, without folding them. */
static void
test_ascii(const ColumnTest *test, const Cells *cells, bool *held)
{
	for (int i = 0; i < cells->rows; i++)
	{
		const char *bytes = segment_cells_text(cells, i);
		size_t length = (size_t) segment_cells_length(cells, i);

		held[i] = false;
		for (int j = 0; !cells->absent[i] && !held[i] && j < test->count; j++)
			held[i] = length == test->texts[j].length &&
					  is_same_ascii(bytes, test->texts[j].bytes, length);
	}
}

/* Return whether a condition asks for equal texts and nothing else. */
static bool
is_equality(const ColumnTest *test)
{
	const SheetFilter *filter = test->filter;

	return filter->is->kind == CELL_TEXT && test->count > 0 && !test->search && !filter->empty &&
		   filter->marks == NIL && !cat_comparison_is_range(filter->comparison);
}

void
cat_sheet_test_cells(const ColumnTest *test, ChunkScan *scan, const Segment *segment, bool *held)
{
	const Cells *cells = &segment->cells;
	const FoldedCells *folded = NULL;

	if (cells->ascii && is_equality(test))
	{
		test_ascii(test, cells, held);
		return;
	}
	if (test->filter->is->kind == CELL_TEXT && test->count > 0)
		folded = cat_sheet_scan_folded_cells(scan, test->filter->column);
	for (int i = 0; i < cells->rows; i++)
	{
		CellText cell = segment_cells_at(cells, i);

		if (test->filter->is->kind == CELL_TEXT)
		{
			CellText bare = cell;

			if (folded)
				bare = (CellText){folded->bytes.data + folded->starts[i],
								  (int) (folded->starts[i + 1] - folded->starts[i]), false};
			held[i] = holds_text(test, &cell, &bare);
		}
		else
			held[i] = holds_value(test, &cell);
	}
}
