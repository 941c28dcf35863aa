/*
 * sheet_page.c
 *	  Pages of a sheet's rows.
 *
 * In file order a page consists of one or two chunks at any offset; with filters it is found by the
 * columns of these.  With a sort order a statement finds the rows, reading the columns of filters and
 * order only, and then writes those of the page in the order in which they are stored.
 */
#include "catalogue.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/evaluate.h"

#define CURSOR_MAX 2000 /* maximum length of a cursor */
#define FIRST_ROWS \
	100000 /* of so many rows in an order what they are sorted by is kept in memory */
#define SORTED_ROWS 2000000 /* that a statement sorts, to find a page behind these */

/* Columns of the statement's result. */
enum
{
	RESULT_COUNT = 1,
	RESULT_ROWS,
	RESULT_RETURNED,
	RESULT_FIRST,
	RESULT_LAST
};

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

/* Return the cursor of a row by its number. */
static char *
cursor_at(int64 row)
{
	Datum key = CStringGetTextDatum(psprintf(INT64_FORMAT, row));

	return cat_order_cursor_encode(cat_text_array_make(&key, 1));
}

/* Compare two rows of a page, given by their indexes, by their numbers. */
static int
compare_rows(const void *left, const void *right, void *rows)
{
	int64 a = ((const int64 *) rows)[*(const int *) left];
	int64 b = ((const int64 *) rows)[*(const int *) right];

	return a < b ? -1 : a > b;
}

/* Append rows by their numbers: they are written in the order in which they are stored, then put in that of the page. */
static void
append_rows(const SheetQuery *sheet_query, const int64 *rows, CallReply *reply)
{
	int *sequence = palloc(sizeof(int) * (size_t) Max(reply->returned, 1));
	StringInfoData *lines = palloc(sizeof(StringInfoData) * (size_t) Max(reply->returned, 1));
	ChunkScan scan;

	for (int i = 0; i < reply->returned; i++)
		sequence[i] = i;
	qsort_arg(sequence, (size_t) reply->returned, sizeof(int), compare_rows,
			  unconstify(int64 *, rows));
	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	for (int i = 0; i < reply->returned; i++)
	{
		int index = sequence[i];

		cat_sheet_scan_at(&scan, rows[index]);
		initStringInfo(&lines[index]);
		cat_sheet_row_write_page(&lines[index], sheet_query, &scan,
								 (int) (rows[index] - scan.chunk.first));
	}
	for (int i = 0; i < reply->returned; i++)
	{
		if (i > 0)
			appendStringInfoCharMacro(reply->data, ',');
		appendBinaryStringInfo(reply->data, lines[i].data, lines[i].len);
	}
}

/* Append a page of the rows that pass the filters, in the order of their numbers, and count them all. */
static void
page_of_kept(const SheetQuery *sheet_query, CallReply *reply)
{
	int64 limit = sheet_query->params->limit;
	int64 skip = sheet_query->params->skip;
	int64 *rows = palloc(sizeof(int64) * (size_t) Max(limit, 1));
	int64 from = 1;
	ChunkScan scan;

	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	cat_sheet_filter_begin(&scan, sheet_query);
	while (cat_sheet_scan_seek_kept(&scan, from, ROW_NUMBER))
	{
		int64 before = reply->count;

		from = scan.next;
		reply->count += cat_sheet_scan_chunk_count(&scan);
		if (reply->count <= skip || reply->returned == limit)
			continue;
		for (int64 row = scan.chunk.first;
			 reply->returned < limit && (row = cat_sheet_scan_kept_here(&scan, row)) > 0; row++)
			if (before++ >= skip)
				rows[reply->returned++] = row;
	}
	append_rows(sheet_query, rows, reply);
	if (reply->returned > 0 && skip + reply->returned < reply->count)
		reply->next = cursor_at(rows[reply->returned - 1]);
	if (reply->returned > 0 && skip > 0)
		reply->previous = cursor_at(rows[0]);
}

/* Append the numbers of the rows of the page, in their order, and what they are sorted by. */
static void
write_page(SheetSql *sql)
{
	List *terms = cat_sheet_sql_terms(sql->asked);
	StringInfo out = &sql->query.sql;

	appendStringInfoString(out, "SELECT h.n, ARRAY[");
	foreach_ptr(OrderTerm, term, terms)
		appendStringInfo(out, "%s%s::text COLLATE \"C\"", foreach_current_index(term) ? ", " : "",
						 term->sql);
	appendStringInfoString(out, "] AS keys FROM hits h WHERE true");
	cat_sheet_sql_page(sql, terms, sql->asked->params->limit, sql->asked->params->skip);
}

/* Write the statement of a page. */
static void
write_statement(SheetSql *sql)
{
	const SheetQuery *asked = sql->asked;
	StringInfo out = &sql->query.sql;

	appendStringInfoString(out, "WITH hits AS (SELECT r.n");
	cat_sheet_sql_keys(sql);
	cat_sheet_sql_rows(sql, 1, ROW_NUMBER);
	appendStringInfoString(out, "), page AS (SELECT p.*, row_number() OVER () AS at, "
								"count(*) OVER () AS rows FROM (");
	write_page(sql);
	appendStringInfo(
		out,
		") p) SELECT %s, string_agg(l.line, ',' ORDER BY l.at%s), count(*), "
		"max(l.keys) FILTER (WHERE l.at = %s), max(l.keys) FILTER (WHERE l.at = %s) "
		"FROM (SELECT p.*, catalogue.cell_row($1, p.n) AS line "
		"FROM (SELECT * FROM page ORDER BY n OFFSET 0) p) l",
		cat_sheet_query_filters(asked)
			? "(SELECT count(*) FROM hits)"
			: cat_sql_builder_value(&sql->query, INT8OID, Int64GetDatum(asked->sheet->rows)),
		asked->params->backwards ? " DESC" : "", asked->params->backwards ? "l.rows" : "1",
		asked->params->backwards ? "1" : "l.rows");
}

/* Return a cursor; NULL if its values are too long for an address. */
static char *
cursor_in(Datum values)
{
	char *cursor = cat_order_cursor_encode(values);

	return strlen(cursor) <= CURSOR_MAX ? cursor : NULL;
}

/* Append a page in an order, near the first row or a cursor; false if a statement must find it. */
static bool
page_of_first(const SheetQuery *sheet_query, CallReply *reply)
{
	const RequestParams *params = sheet_query->params;
	OrderedRows page = {0};

	if ((params->cursor ? 0 : params->skip) + params->limit > FIRST_ROWS ||
		!cat_sheet_order_page(sheet_query, &page))
		return false;
	reply->count = page.count;
	reply->returned = page.returned;
	append_rows(sheet_query, page.rows, reply);
	if (page.returned > 0 && reply->skip + page.returned < page.count)
		reply->next = cursor_in(page.last);
	if (page.returned > 0 && reply->skip > 0)
		reply->previous = cursor_in(page.first);
	return true;
}

/* Return the cursor that a column of the result is. */
static char *
cursor_of(int column)
{
	bool isnull;

	return cursor_in(cat_result_datum(column, &isnull));
}

/* Raise OD422 where a page is so far from the first row, of so many, that they cannot be sorted in time. */
static void
require_few_rows(const SheetQuery *sheet_query)
{
	if (sheet_query->sheet->rows > SORTED_ROWS && cat_sheet_stream_count(sheet_query) > SORTED_ROWS)
		ereport(ERROR,
				(errcode(OD422),
				 errmsg("more than %d rows are not sorted for a page that ends behind row %d",
						SORTED_ROWS, FIRST_ROWS),
				 errhint("Follow the links \"next\" of pages in this order, or filter the rows.")));
}

/* Append a page by a statement. */
static void
page_by_statement(const SheetQuery *sheet_query, CallReply *reply)
{
	SheetSql sql;

	require_few_rows(sheet_query);
	cat_sheet_sql_begin(&sql, sheet_query);
	sql.scan->write = cat_sheet_row_write_page;
	sql.scan->asked = sheet_query;
	write_statement(&sql);
	cat_sql_builder_run(&sql.query);
	reply->count = cat_result_int64(RESULT_COUNT);
	reply->returned = (int) cat_result_int64(RESULT_RETURNED);
	if (reply->returned == 0)
		return;
	appendStringInfoString(reply->data, cat_result_text(RESULT_ROWS));
	if (reply->skip + reply->returned < reply->count)
		reply->next = cursor_of(RESULT_LAST);
	if (reply->skip > 0)
		reply->previous = cursor_of(RESULT_FIRST);
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
	else if (!sheet_query->orders && !sheet_query->params->cursor)
		page_of_kept(sheet_query, reply);
	else if (!page_of_first(sheet_query, reply))
		page_by_statement(sheet_query, reply);
	appendStringInfoChar(reply->data, ']');
}
