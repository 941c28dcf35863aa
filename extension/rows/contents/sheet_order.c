/*
 * sheet_order.c
 *	  The first rows of a sheet in an order, or those next to a cursor.
 *
 * As many rows as are asked for are kept in a heap, the last one at its top.  Once they are enough, rows
 * that come behind it are left out by a condition on the first column of the order, as by a filter, so
 * the chunk that probably has the first ones is read before the others.  In front of a cursor the nearest
 * rows are kept, and the farthest one is at the top.
 */
#include "catalogue.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "lib/binaryheap.h"
#include "utils/array.h"
#include "utils/memutils.h"
#include "utils/varlena.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/evaluate.h"
#include "rows/contents/order.h"

/* Maximum size of what rows are sorted by, before a statement sorts them. */
#define HELD_BYTES (16 * 1024 * 1024)

/* A row that is among the first so far. */
typedef struct FirstRow
{
	int64 row;
	char *cell; /* of the first column of the order, NULL: it is no value */
	ValueKey keys[FLEXIBLE_ARRAY_MEMBER]; /* without bytes where it has no value */
} FirstRow;

typedef struct FirstRows
{
	const SheetQuery *asked;
	Oid collation;
	binaryheap *heap;
	int most;
	size_t held;	  /* bytes of what they are sorted by */
	FirstRow *bound;  /* whose cell rows are left out by, NULL: none */
	FirstRow *cursor; /* the row that it is of, NULL: there is none */
	bool equal;		  /* rows whose cell is the same are not left out */
	bool passed;	  /* the rows in front of the current chunk were taken */
	bool backwards;	  /* in front of the cursor */
} FirstRows;

Oid
cat_sheet_order_collation(const SheetColumn *is)
{
	return is->kind == CELL_TEXT ? cat_fold_collation() : C_COLLATION_OID;
}

int
cat_sheet_order_compare(const SheetColumn *is, ValueKey left, ValueKey right, Oid collation)
{
	int result;

	if (is->kind == CELL_TEXT)
		return varstr_cmp(left.bytes, left.length, right.bytes, right.length, collation);
	result = memcmp(left.bytes, right.bytes, (size_t) Min(left.length, right.length));
	return result ? result : left.length - right.length;
}

/* Return the order of two values of a column: greater than 0 if the left one comes behind the right one. */
static int
compare_keys(const FirstRows *first, const SheetOrder *order, const ValueKey *left,
			 const ValueKey *right)
{
	int result;

	/* null comes last in both directions */
	if (!left->bytes || !right->bytes)
		return (right->bytes != NULL) - (left->bytes != NULL);
	result = cat_sheet_order_compare(&first->asked->sheet->columns[order->column], *left, *right,
									 first->collation);
	return order->descending ? -result : result;
}

static int
compare_numbers(const FirstRow *left, const FirstRow *right)
{
	return left->row < right->row ? -1 : left->row > right->row;
}

/* Return the order of two rows: greater than 0 if the left one comes behind the right one. */
static int
compare_rows(const FirstRows *first, const FirstRow *left, const FirstRow *right)
{
	foreach_ptr(const SheetOrder, order, first->asked->orders)
	{
		int i = foreach_current_index(order);
		int result;

		if (order->column == ROW_NUMBER)
			result =
				order->descending ? compare_numbers(right, left) : compare_numbers(left, right);
		else
			result = compare_keys(first, order, &left->keys[i], &right->keys[i]);
		if (result != 0)
			return result;
	}
	return compare_numbers(left, right);
}

/* Return the order of two rows in the direction in which rows are sought. */
static int
compare_sought(const FirstRows *first, const FirstRow *left, const FirstRow *right)
{
	return first->backwards ? compare_rows(first, right, left) : compare_rows(first, left, right);
}

/* Compare two rows of the heap, at whose top is the last one. */
static int
compare_nodes(Datum left, Datum right, void *first)
{
	return compare_sought(first, (const FirstRow *) DatumGetPointer(left),
						  (const FirstRow *) DatumGetPointer(right));
}

ValueKey
cat_sheet_order_key(const SheetColumn *is, CellText cell, char buffer[CELL_KEY_MAX])
{
	CellValue value;

	if (is->kind == CELL_TEXT)
		return cell.length == 0 ? (ValueKey){NULL, 0} : (ValueKey){cell.bytes, cell.length};
	if (!cat_cell_value(is, cell.bytes, cell.length, &value))
		return (ValueKey){NULL, 0};
	return (ValueKey){buffer, cat_cell_key(buffer, is, &value)};
}

/* Make a row of the current chunk what is compared. */
static FirstRow *
make_row(const FirstRows *first, ChunkScan *scan, int row)
{
	char buffer[CELL_KEY_MAX];
	int count = list_length(first->asked->orders);
	FirstRow *made = palloc0(offsetof(FirstRow, keys) + sizeof(ValueKey) * (size_t) Max(count, 1));

	made->row = scan->chunk.first + row;
	foreach_ptr(const SheetOrder, order, first->asked->orders)
	{
		int i = foreach_current_index(order);
		CellText cell;

		if (order->column == ROW_NUMBER)
			continue;
		cell = cat_sheet_scan_cell(scan, order->column, row);
		made->keys[i] =
			cat_sheet_order_key(&first->asked->sheet->columns[order->column], cell, buffer);
		if (made->keys[i].bytes)
			made->keys[i].bytes = pnstrdup(made->keys[i].bytes, (Size) made->keys[i].length);
		if (i == 0 && made->keys[0].bytes)
			made->cell = pnstrdup(cell.bytes, (Size) cell.length);
	}
	return made;
}

/* Return how many bytes a row is sorted by. */
static size_t
size_of(const FirstRows *first, const FirstRow *row)
{
	size_t size = row->cell ? strlen(row->cell) : 0;

	for (int i = 0; i < list_length(first->asked->orders); i++)
		size += (size_t) row->keys[i].length;
	return size;
}

static void
free_row(const FirstRows *first, FirstRow *row)
{
	for (int i = 0; i < list_length(first->asked->orders); i++)
		if (row->keys[i].bytes)
			pfree(unconstify(char *, row->keys[i].bytes));
	if (row->cell)
		pfree(row->cell);
	pfree(row);
}

/* Return whether the first column alone tells that a row of the current chunk is on the other side of the cursor. */
static bool
is_passed(const FirstRows *first, ChunkScan *scan, int row)
{
	const SheetOrder *order = first->asked->orders ? linitial(first->asked->orders) : NULL;
	char buffer[CELL_KEY_MAX];
	ValueKey value;
	int result;

	if (!first->cursor || (order && order->column == ROW_NUMBER))
		return false;
	if (!order)
		return (scan->chunk.first + row > first->cursor->row) == first->backwards;
	value = cat_sheet_order_key(&first->asked->sheet->columns[order->column],
								cat_sheet_scan_cell(scan, order->column, row), buffer);
	result = compare_keys(first, order, &value, &first->cursor->keys[0]);
	return first->backwards ? result > 0 : result < 0;
}

/* Make a row of the current chunk what is compared; NULL if it is on the other side of the cursor. */
static FirstRow *
make_sought(const FirstRows *first, ChunkScan *scan, int row)
{
	FirstRow *made;

	if (is_passed(first, scan, row))
		return NULL;
	made = make_row(first, scan, row);
	if (!first->cursor || compare_sought(first, made, first->cursor) > 0)
		return made;
	free_row(first, made);
	return NULL;
}

bool
cat_sheet_order_is_sought(const FirstRows *first, ChunkScan *scan, int row)
{
	FirstRow *made;

	if (!first->cursor)
		return true;
	made = make_sought(first, scan, row);
	if (made)
		free_row(first, made);
	return made != NULL;
}

/* Take a row of the current chunk, if it is among the first ones. */
static void
take_row(FirstRows *first, ChunkScan *scan, int row)
{
	FirstRow *made = make_sought(first, scan, row);
	FirstRow *last;

	if (!made)
		return;
	if (first->heap->bh_size < first->most)
	{
		binaryheap_add(first->heap, PointerGetDatum(made));
		first->held += size_of(first, made);
		return;
	}
	last = (FirstRow *) DatumGetPointer(binaryheap_first(first->heap));
	if (compare_sought(first, made, last) >= 0)
	{
		free_row(first, made);
		return;
	}
	binaryheap_replace_first(first->heap, PointerGetDatum(made));
	first->held += size_of(first, made) - size_of(first, last);
	if (first->bound == last)
		first->bound = NULL;
	free_row(first, last);
}

/*
 * Leave out of the chunks that come the rows behind the last one, if there are enough.  Rows that are equal in the only
 * column of the order come behind it, too, if their numbers are greater.
 */
static void
bound_rows(FirstRows *first, ChunkScan *scan)
{
	FirstRow *last;
	bool equal;

	if (first->heap->bh_size < first->most || first->backwards)
		return;
	last = (FirstRow *) DatumGetPointer(binaryheap_first(first->heap));
	equal = list_length(first->asked->orders) > 1 || scan->next <= last->row || !first->passed;
	if (!last->cell || (last == first->bound && equal == first->equal))
		return;
	first->bound = last;
	first->equal = equal;
	cat_sheet_filter_bound(scan, first->asked, first->cursor ? first->cursor->cell : NULL,
						   last->cell, equal);
}

/* Take the rows of the current chunk that are among the first ones; false if what they are sorted by is too much. */
static bool
take_chunk(FirstRows *first, ChunkScan *scan, int *rows)
{
	int count = first->most > 0 ? cat_sheet_filter_within(scan, rows) : 0;

	for (int i = 0; i < count && first->held <= HELD_BYTES; i++)
		take_row(first, scan, rows[i]);
	if (first->held > HELD_BYTES)
		return false;
	bound_rows(first, scan);
	return true;
}

/* Keep the cell of the cursor's row, if it is still the one that the cursor is of. */
static void
find_cursor(FirstRows *first, ChunkScan *scan)
{
	int64 number = first->cursor->row;
	FirstRow *row;

	if (number < 1 || number > scan->sheet->rows)
		return;
	cat_sheet_scan_at(scan, number);
	row = make_row(first, scan, (int) (number - scan->chunk.first));
	if (row->cell && first->cursor->keys[0].bytes &&
		compare_keys(first, linitial(first->asked->orders), &row->keys[0],
					 &first->cursor->keys[0]) == 0)
		first->cursor->cell = row->cell;
}

/*
 * Take the rows of the chunk that probably has the first ones: where the cursor is, or where the least or
 * greatest value is.  Return its first row; 0 if none was read, -1 if what they are sorted by is too much.
 */
static int64
take_best(FirstRows *first, ChunkScan *scan, int *rows)
{
	const SheetOrder *order = first->asked->orders ? linitial(first->asked->orders) : NULL;
	int64 best;

	if (!order || order->column == ROW_NUMBER || first->most == 0)
		return 0;
	if (first->cursor)
		find_cursor(first, scan);
	else if (first->asked->sheet->columns[order->column].kind != CELL_TEXT &&
			 !cat_sheet_query_filters(first->asked) &&
			 (best = cat_sheet_filter_best(first->asked)) > 0)
		cat_sheet_scan_at(scan, best);
	if (!scan->open)
		return 0;
	return take_chunk(first, scan, rows) ? scan->chunk.first : -1;
}

/* Return the number of the row that a cursor is of; a client may have written any number. */
static int64
row_number(const char *text, bool backwards)
{
	double number = strtod(text, NULL);

	return (int64) Max(Min(backwards ? ceil(number) : floor(number), 1e15), -1);
}

/* Return a key of a cursor: the number of a row, or a value of a column. */
static OrderTerm *
term_of(bool number)
{
	OrderTerm *term = palloc0(sizeof(OrderTerm));

	term->type = number ? "numeric" : "text";
	term->nullable = !number;
	return term;
}

/* Return the values of the cursor, whose last one is the number of its row.  Raises OD422 if it does not fit the order. */
static List *
cursor_values(const SheetQuery *asked)
{
	List *terms = NIL;

	foreach_ptr(const SheetOrder, order, asked->orders)
		terms = lappend(terms, term_of(order->column == ROW_NUMBER));
	return cat_order_terms_cursor(asked->params, lappend(terms, term_of(true)));
}

/* Return the row that a cursor is of. */
static FirstRow *
read_cursor(const SheetQuery *asked)
{
	List *values = cursor_values(asked);
	int count = list_length(asked->orders);
	FirstRow *cursor =
		palloc0(offsetof(FirstRow, keys) + sizeof(ValueKey) * (size_t) Max(count, 1));

	for (int i = 0; i < count; i++)
	{
		const char *value = list_nth(values, i);

		if (value)
			cursor->keys[i] = (ValueKey){value, (int) strlen(value)};
	}
	cursor->row = row_number(llast(values), asked->params->backwards);
	return cursor;
}

/* Fill in the page from the rows of the heap, of which the last one comes first. */
static void
fill_page(const FirstRows *first, FirstRow **rows, OrderedRows *page)
{
	int64 skip = first->cursor ? 0 : first->asked->params->skip;
	int found = first->heap->bh_size;

	for (int i = found - 1; i >= 0; i--)
		rows[first->backwards ? found - 1 - i : i] =
			(FirstRow *) DatumGetPointer(binaryheap_remove_first(first->heap));
	page->returned = (int) Max(found - skip, 0);
	page->rows = palloc(sizeof(int64) * (size_t) Max(page->returned, 1));
	for (int i = 0; i < page->returned; i++)
		page->rows[i] = rows[skip + i]->row;
}

int64
cat_sheet_order_cursor_row(const SheetQuery *asked)
{
	return Max(read_cursor(asked)->row, 0);
}

FirstRows *
cat_sheet_order_begin(const SheetQuery *asked)
{
	FirstRows *first = palloc0(sizeof(FirstRows));

	first->asked = asked;
	first->collation = cat_fold_collation();
	first->cursor = asked->params->cursor ? read_cursor(asked) : NULL;
	first->backwards = asked->params->backwards;
	return first;
}

char *
cat_sheet_order_cursor(const SheetQuery *asked, int64 number)
{
	const FirstRows first = {.asked = asked};
	int count = list_length(asked->orders) + 1;
	Datum *values = palloc0(sizeof(Datum) * (size_t) count);
	bool *nulls = palloc0(sizeof(bool) * (size_t) count);
	const FirstRow *row;
	ChunkScan scan;

	cat_sheet_scan_open(&scan, asked->sheet, 1);
	cat_sheet_scan_at(&scan, number);
	row = make_row(&first, &scan, (int) (number - scan.chunk.first));
	for (int i = 0; i < count; i++)
	{
		const SheetOrder *order = i < count - 1 ? list_nth(asked->orders, i) : NULL;

		if (!order || order->column == ROW_NUMBER)
			values[i] = CStringGetTextDatum(psprintf(INT64_FORMAT, number));
		else if (row->keys[i].bytes)
			values[i] =
				PointerGetDatum(cstring_to_text_with_len(row->keys[i].bytes, row->keys[i].length));
		nulls[i] = values[i] == 0;
	}
	return cat_order_cursor_encode(PointerGetDatum(construct_md_array(
		values, nulls, 1, &count, (int[]){1}, TEXTOID, -1, false, TYPALIGN_INT)));
}

bool
cat_sheet_order_page(const SheetQuery *asked, OrderedRows *page)
{
	FirstRows *first = cat_sheet_order_begin(asked);
	int *rows = palloc(sizeof(int) * CHUNK_ROWS);
	ChunkScan scan;
	int64 taken;

	first->most = (int) (asked->params->limit + (first->cursor ? 0 : asked->params->skip));
	first->heap = binaryheap_allocate(Max(first->most, 1), compare_nodes, first);
	cat_sheet_scan_open(&scan, asked->sheet, 1);
	cat_sheet_filter_begin(&scan, asked);
	page->count = cat_sheet_query_filters(asked) ? 0 : asked->sheet->rows;
	taken = take_best(first, &scan, rows);
	first->passed = true;
	for (int64 row = 1; taken >= 0 && cat_sheet_scan_seek_kept(&scan, row, ROW_NUMBER);
		 row = scan.next)
	{
		if (cat_sheet_query_filters(asked))
			page->count += cat_sheet_scan_chunk_count(&scan);
		if (scan.chunk.first == taken)
			bound_rows(first, &scan);
		else if (!take_chunk(first, &scan, rows))
			return false;
	}
	if (taken < 0)
		return false;
	fill_page(first, palloc(sizeof(FirstRow *) * (size_t) Max(first->most, 1)), page);
	return true;
}
