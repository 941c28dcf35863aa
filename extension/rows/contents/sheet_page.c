/*
 * sheet_page.c
 *	  Pages of a sheet's rows.
 *
 * In file order a page consists of one or two chunks at any offset; with filters it is found by the
 * columns of these.  In another order the rows are found by their numbers, reading the columns of filters
 * and order only, and then written in the order in which they are stored.
 */
#include "catalogue.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/evaluate.h"
#include "rows/contents/order.h"

#define CURSOR_MAX 2000 /* maximum length of a cursor */
#define FEW_ROWS 100000 /* a page that ends behind these is refused if there are more rows than */
#define SORTED_ROWS 2000000

/* Return whether rows are listed by their number; *backwards: from the last one. */
static bool
is_plain(const SheetQuery *sheet_query, bool *backwards)
{
	const SheetOrder *order = sheet_query->orders ? linitial(sheet_query->orders) : NULL;

	*backwards = order && order->descending;
	return !cat_sheet_query_filters(sheet_query) && !sheet_query->params->cursor &&
		   (!order || (order->column == ROW_NUMBER && list_length(sheet_query->orders) == 1));
}

/* Append a page in the order of the numbers. */
static void
page_in_order(const SheetQuery *sheet_query, bool backwards, CallReply *reply)
{
	int64 rows = sheet_query->sheet->rows;
	int64 skip = Min(sheet_query->params->skip, rows);
	ChunkScan scan;

	reply->count = rows;
	reply->returned = (int) Min(rows - skip, sheet_query->params->limit);
	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	for (int64 i = skip; i < skip + reply->returned; i++)
	{
		int64 number = backwards ? rows - i : i + 1;

		cat_sheet_scan_at(&scan, number);
		if (i > skip)
			appendStringInfoCharMacro(reply->data, ',');
		cat_sheet_row_write_page(reply->data, sheet_query, &scan,
								 (int) (number - scan.chunk.first));
	}
}

/* Compare two rows of a page, given by their indexes, by their numbers. */
static int
compare_rows(const void *left, const void *right, void *rows)
{
	int64 a = ((const int64 *) rows)[*(const int *) left];
	int64 b = ((const int64 *) rows)[*(const int *) right];

	return a < b ? -1 : a > b;
}

StringInfoData *
cat_sheet_page_lines(const SheetQuery *sheet_query, const OrderedRows *page, WriteRow write)
{
	int *sequence = palloc(sizeof(int) * (size_t) Max(page->returned, 1));
	StringInfoData *lines = palloc(sizeof(StringInfoData) * (size_t) Max(page->returned, 1));
	int64 bytes = 0;
	ChunkScan scan;

	for (int i = 0; i < page->returned; i++)
		sequence[i] = i;
	qsort_arg(sequence, (size_t) page->returned, sizeof(int), compare_rows, page->rows);
	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	for (int i = 0; i < page->returned && bytes <= CAT_PAGE_BYTES; i++)
	{
		int index = sequence[i];

		cat_sheet_scan_at(&scan, page->rows[index]);
		initStringInfo(&lines[index]);
		(void) write(&lines[index], sheet_query, &scan,
					 (int) (page->rows[index] - scan.chunk.first));
		bytes += lines[index].len;
	}
	return bytes <= CAT_PAGE_BYTES ? lines : NULL;
}

/* Append the rows of a page. */
static void
append_rows(const SheetQuery *sheet_query, const OrderedRows *page, CallReply *reply)
{
	const StringInfoData *lines = cat_sheet_page_lines(sheet_query, page, cat_sheet_row_write_page);

	for (int i = 0; i < reply->returned; i++)
	{
		if (i > 0)
			appendStringInfoCharMacro(reply->data, ',');
		appendBinaryStringInfo(reply->data, lines[i].data, lines[i].len);
	}
}

/* Find a page of the rows that pass the filters, in the order of their numbers, and count them all. */
static void
find_kept(const SheetQuery *sheet_query, OrderedRows *page)
{
	int64 limit = sheet_query->params->limit;
	int64 skip = sheet_query->params->skip;
	int64 from = 1;
	ChunkScan scan;

	page->rows = palloc(sizeof(int64) * (size_t) Max(limit, 1));
	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	cat_sheet_filter_begin(&scan, sheet_query);
	while (cat_sheet_scan_seek_kept(&scan, from, ROW_NUMBER))
	{
		int64 before = page->count;

		from = scan.next;
		page->count += cat_sheet_scan_chunk_count(&scan);
		if (page->count <= skip || page->returned == limit)
			continue;
		for (int64 row = scan.chunk.first;
			 page->returned < limit && (row = cat_sheet_scan_kept_here(&scan, row)) > 0; row++)
			if (before++ >= skip)
				page->rows[page->returned++] = row;
	}
}

/* Return the cursor of a row; NULL if its values are too long for an address. */
static char *
cursor_of(const SheetQuery *sheet_query, int64 row)
{
	char *cursor = cat_sheet_order_cursor(sheet_query, row);

	return strlen(cursor) <= CURSOR_MAX ? cursor : NULL;
}

/* Raise OD422 where a page is so far from the first row, of so many, that they cannot be sorted in time. */
static void
require_few_rows(const SheetQuery *sheet_query)
{
	if (sheet_query->sheet->rows > SORTED_ROWS && cat_sheet_stream_count(sheet_query) > SORTED_ROWS)
		ereport(ERROR,
				(errcode(OD422),
				 errmsg("more than %d rows are not sorted for a page that ends behind row %d",
						SORTED_ROWS, FEW_ROWS),
				 errhint("Follow the links \"next\" of pages in this order, or filter the rows.")));
}

/* Find a page in an order, or next to a cursor. */
static void
find_sorted(const SheetQuery *sheet_query, OrderedRows *page)
{
	const RequestParams *params = sheet_query->params;
	int64 end = (params->cursor ? 0 : params->skip) + params->limit;

	if (end <= CAT_FIRST_ROWS && cat_sheet_order_page(sheet_query, page))
		return;
	if (end <= CAT_FIRST_ROWS || end > FEW_ROWS)
		require_few_rows(sheet_query);
	cat_sheet_sort_page(sheet_query, page);
}

/* Append a page that was found. */
static void
append_page(const SheetQuery *sheet_query, const OrderedRows *page, CallReply *reply)
{
	reply->count = page->count;
	reply->returned = page->returned;
	append_rows(sheet_query, page, reply);
	if (page->returned > 0 && reply->skip + page->returned < page->count)
		reply->next = cursor_of(sheet_query, page->rows[page->returned - 1]);
	if (page->returned > 0 && reply->skip > 0)
		reply->previous = cursor_of(sheet_query, page->rows[0]);
}

/* Fill in the reply with a page of rows: data, count, returned. */
void
cat_sheet_page(const SheetQuery *sheet_query, CallReply *reply)
{
	OrderedRows page = {0};
	bool backwards;

	reply->data = makeStringInfo();
	appendStringInfoChar(reply->data, '[');
	if (is_plain(sheet_query, &backwards))
		page_in_order(sheet_query, backwards, reply);
	else
	{
		if (!sheet_query->orders && !sheet_query->params->cursor)
			find_kept(sheet_query, &page);
		else
			find_sorted(sheet_query, &page);
		append_page(sheet_query, &page, reply);
	}
	appendStringInfoChar(reply->data, ']');
}
