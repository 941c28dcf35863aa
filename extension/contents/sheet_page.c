/*
 * sheet_page.c
 *	  Pages of a sheet's rows.
 *
 * In file order a page consists of one or two chunks at any offset.  With filters all chunks are
 * scanned, but only the filtered columns are decoded.  With a sort order all chunks are scanned for
 * the sort columns, and the page's rows are read afterwards.
 */
#include "catalogue.h"

#include "call/call.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "query/query.h"
#include "sheets/chunk.h"
#include "sheets/sheets.h"

/* A row of a page whose order differs from that of reading. */
typedef struct Placed
{
	int64 number;
	int place;	/* position in the page */
	int start;	/* start of its text */
	int length; /* length of its text */
} Placed;

static void
separate(StringInfo out)
{
	if (out->data[out->len - 1] != '[')
		appendStringInfoCharMacro(out, ',');
}

/* Append at most that many rows from the first one on, in file order; return their number. */
static int
append_rows(StringInfo out, const SheetQuery *sheet_query, int64 first, int most)
{
	ChunkScan scan;
	int count = 0;

	cat_sheet_scan_open(&scan, sheet_query->sheet, first);
	while (count < most && cat_sheet_scan_next(&scan))
		for (int row = (int) Max(first - scan.chunk.first, 0);
			 row < scan.chunk.rows && count < most; row++, count++)
		{
			separate(out);
			cat_sheet_row_json(out, sheet_query, &scan, row);
		}
	cat_sheet_scan_close(&scan);
	return count;
}

static int
by_number(const void *a, const void *b)
{
	const Placed *left = a;
	const Placed *right = b;

	return left->number < right->number ? -1 : left->number > right->number;
}

static int
by_place(const void *a, const void *b)
{
	return ((const Placed *) a)->place - ((const Placed *) b)->place;
}

/* Append rows in the order of their numbers, and record where the text of each is. */
static void
write_placed(StringInfo out, const SheetQuery *sheet_query, Placed *rows, int count)
{
	ChunkScan scan;

	cat_sheet_scan_open(&scan, sheet_query->sheet, rows[0].number);
	for (int i = 0; i < count; i++)
	{
		if (scan.data && rows[i].number >= scan.next + CHUNK_ROWS)
		{
			cat_sheet_scan_close(&scan);
			cat_sheet_scan_open(&scan, sheet_query->sheet, rows[i].number);
		}
		while (!scan.data || rows[i].number >= scan.next)
			if (!cat_sheet_scan_next(&scan))
				elog(ERROR, "row " INT64_FORMAT " of a sheet is not there", rows[i].number);
		rows[i].start = out->len;
		cat_sheet_row_json(out, sheet_query, &scan, (int) (rows[i].number - scan.chunk.first));
		rows[i].length = out->len - rows[i].start;
	}
	cat_sheet_scan_close(&scan);
}

/* Append rows given by their numbers. */
static void
append_placed(StringInfo out, const SheetQuery *sheet_query, Placed *rows, int count)
{
	StringInfoData texts;

	if (count == 0)
		return;
	initStringInfo(&texts);
	qsort(rows, (size_t) count, sizeof(Placed), by_number);
	write_placed(&texts, sheet_query, rows, count);
	qsort(rows, (size_t) count, sizeof(Placed), by_place);
	for (int i = 0; i < count; i++)
	{
		separate(out);
		appendBinaryStringInfo(out, texts.data + rows[i].start, rows[i].length);
	}
	pfree(texts.data);
}

/* Return whether the query is for all rows in file order; *backwards: in reverse. */
static bool
is_plain(const SheetQuery *sheet_query, bool *backwards)
{
	const SheetOrder *order = sheet_query->orders ? linitial(sheet_query->orders) : NULL;

	*backwards = order && order->descending;
	return sheet_query->filters == NIL && (!order || order->column == ROW_NUMBER);
}

static void
page_in_order(const SheetQuery *sheet_query, bool backwards, CallReply *reply)
{
	int64 skip = sheet_query->params->skip;
	int64 left = Max(sheet_query->sheet->rows - skip, 0);
	Placed *rows;

	reply->count = sheet_query->sheet->rows;
	reply->returned = (int) Min(left, sheet_query->params->limit);
	if (reply->returned == 0)
		return;
	if (!backwards)
	{
		append_rows(reply->data, sheet_query, skip + 1, reply->returned);
		return;
	}
	rows = palloc(sizeof(Placed) * (size_t) reply->returned);
	for (int i = 0; i < reply->returned; i++)
		rows[i] = (Placed){.number = sheet_query->sheet->rows - skip - i, .place = i};
	append_placed(reply->data, sheet_query, rows, reply->returned);
}

/* Append a page of the rows that pass the filters, in file order. */
static void
page_filtered(const SheetQuery *sheet_query, CallReply *reply)
{
	const RequestParams *params = sheet_query->params;
	bool passes[CHUNK_ROWS];
	ChunkScan scan;

	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	while (cat_sheet_scan_next(&scan))
	{
		int hits = cat_sheet_filter_rows(sheet_query, &scan, passes);

		if (reply->count + hits <= params->skip || reply->returned == params->limit)
		{
			reply->count += hits;
			continue;
		}
		for (int row = 0; row < scan.chunk.rows; row++)
			if (passes[row] && reply->count++ >= params->skip && reply->returned < params->limit)
			{
				separate(reply->data);
				cat_sheet_row_json(reply->data, sheet_query, &scan, row);
				reply->returned++;
			}
	}
	cat_sheet_scan_close(&scan);
}

/* Sort the rows that pass the filters; return their number. */
static int64
sort_rows(const SheetQuery *sheet_query, SheetSort *sort)
{
	bool passes[CHUNK_ROWS];
	ChunkScan scan;
	int64 count = 0;

	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	while (cat_sheet_scan_next(&scan))
	{
		count += cat_sheet_filter_rows(sheet_query, &scan, passes);
		for (int row = 0; row < scan.chunk.rows; row++)
			if (passes[row])
				cat_sheet_sort_row(sort, &scan, row, NULL);
	}
	cat_sheet_scan_close(&scan);
	cat_sheet_sort_perform(sort);
	return count;
}

static void
page_sorted(const SheetQuery *sheet_query, CallReply *reply)
{
	const RequestParams *params = sheet_query->params;
	int64 skip = Min(params->skip, sheet_query->sheet->rows);
	SheetSort *sort = cat_sheet_sort_begin(sheet_query, skip + params->limit, false);
	Placed *rows = palloc(sizeof(Placed) * (size_t) params->limit);
	int64 number;

	reply->count = sort_rows(sheet_query, sort);
	while (reply->returned < params->limit && cat_sheet_sort_next(sort, &number, NULL))
		if (skip-- <= 0)
		{
			rows[reply->returned] = (Placed){.number = number, .place = reply->returned};
			reply->returned++;
		}
	cat_sheet_sort_end(sort);
	append_placed(reply->data, sheet_query, rows, reply->returned);
}

/* Fill in the reply with a page of rows: data, count, returned. */
void
cat_sheet_page(const SheetQuery *sheet_query, CallReply *reply)
{
	bool backwards;

	reply->data = makeStringInfo();
	appendStringInfoChar(reply->data, '[');
	if (is_plain(sheet_query, &backwards))
		page_in_order(sheet_query, backwards, reply);
	else if (sheet_query->orders == NIL)
		page_filtered(sheet_query, reply);
	else
		page_sorted(sheet_query, reply);
	appendStringInfoChar(reply->data, ']');
}
