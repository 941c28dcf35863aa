/*
 * sheet_page.c
 *	  Pages and streams of a sheet's rows, as JSON, CSV and other formats.
 *
 * In file order a page consists of one or two chunks at any offset.  With filters or a sort order a
 * statement finds the rows, reading the columns of filters and order only, and then writes those of
 * the page in the order in which they are stored.
 */
#include "catalogue.h"

#include "utils/memutils.h"

#include "files/download_formats.h"
#include "rows/contents/contents_internal.h"

#define PAGE_BYTES (64 * 1024 * 1024)

/* Append a number in JSON syntax. */
void
cat_sheet_row_json_number(StringInfo out, const CellNumber *number)
{
	if (number->negative)
		appendStringInfoCharMacro(out, '-');
	if (number->nwhole > 0)
		appendBinaryStringInfo(out, number->whole, number->nwhole);
	else
		appendStringInfoCharMacro(out, '0');
	if (number->nfraction > 0)
	{
		appendStringInfoCharMacro(out, '.');
		appendBinaryStringInfo(out, number->fraction, number->nfraction);
	}
	if (number->exponent != 0)
		appendStringInfo(out, "e%d", number->exponent);
}

/* Append a date or an instant as JSON has it: a text of the form that the kind has. */
void
cat_sheet_row_json_instant(StringInfo out, CellKind kind, int64 instant)
{
	StringInfo text = makeStringInfo();

	cat_json_text_timestamp(text, instant);
	appendStringInfoCharMacro(out, '"');
	appendBinaryStringInfo(out, text->data,
						   kind == CELL_DATE ? (int) strlen("YYYY-MM-DD") : text->len);
	appendStringInfoCharMacro(out, '"');
	pfree(text->data);
}

/* Append a cell by the type of its column; false if it does not conform. */
static bool
append_typed(StringInfo out, const SheetColumn *column, const char *text, int length)
{
	CellValue value;

	if (!cat_cell_value(column, text, length, &value))
		return false;
	switch (column->kind)
	{
		case CELL_INTEGER:
		case CELL_DECIMAL:
			cat_sheet_row_json_number(out, &value.number);
			break;
		case CELL_BOOLEAN:
			appendStringInfoString(out, value.number.value != 0 ? "true" : "false");
			break;
		case CELL_DATE:
		case CELL_DATETIME:
			cat_sheet_row_json_instant(out, column->kind, value.instant);
			break;
		case CELL_TEXT:
			break;
	}
	return true;
}

/* Append a cell that is not absent: as text or, if typed, by the type of its column. */
void
cat_sheet_row_json_cell(StringInfo out, const SheetColumn *column, const char *text, int length,
						bool typed)
{
	if (typed && column->kind != CELL_TEXT && length == 0)
		appendStringInfoString(out, "null");
	else if (!typed || !append_typed(out, column, text, length))
		cat_json_text(out, text, (size_t) length);
}

/* Append the selected columns, each preceded by a comma. */
void
cat_sheet_row_json_columns(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan, int row)
{
	const Sheet *sheet = sheet_query->sheet;

	for (int i = 0; i < sheet->ncolumns; i++)
	{
		const Cells *cells;

		if (!sheet_query->shown[i])
			continue;
		cells = cat_sheet_scan_cells(scan, i);
		appendStringInfoString(out, sheet->columns[i].member);
		if (cells->absent[row])
			appendBinaryStringInfo(out, "null", 4);
		else
			cat_sheet_row_json_cell(out, &sheet->columns[i], cells_text(cells, row),
									cells_length(cells, row), sheet_query->typed);
	}
}

/* Append a row of the current chunk as a JSON object, its number and the selected columns, as
 * ChunkScan.write; true. */
bool
cat_sheet_row_write(StringInfo out, const void *asked, ChunkScan *scan, int row)
{
	char number[MAXINT8LEN + 1];

	appendBinaryStringInfo(out, "{\"_id\":", 7);
	appendBinaryStringInfo(out, number, pg_lltoa(scan->chunk.first + row, number));
	cat_sheet_row_json_columns(out, asked, scan, row);
	appendStringInfoCharMacro(out, '}');
	return true;
}

/* Append a row of a page, as ChunkScan.write; true.  Raises OD422 if the rows of the scan so far take too many bytes. */
bool
cat_sheet_row_write_page(StringInfo out, const void *asked, ChunkScan *scan, int row)
{
	int start = out->len;

	(void) cat_sheet_row_write(out, asked, scan, row);
	scan->held += out->len - start;
	if (scan->held > PAGE_BYTES)
		ereport(ERROR, (errcode(OD422), errmsg("the rows of the page take more than 64 MiB"),
						errhint("Ask for fewer rows by limit, for some columns by fields, or for a "
								"download.")));
	return true;
}

/* Append the titles of the selected columns as a line of CSV; the name of one that has none. */
static void
sheet_row_csv_names(StringInfo out, const SheetQuery *sheet_query)
{
	const char *comma = "";

	for (int i = 0; i < sheet_query->sheet->ncolumns; i++)
		if (sheet_query->shown[i])
		{
			const SheetColumn *column = &sheet_query->sheet->columns[i];

			appendStringInfoString(out, comma);
			cat_csv_text(out, *column->title ? column->title : column->name);
			comma = ",";
		}
	appendStringInfoString(out, "\r\n");
}

/*
 * A stream lives longer than the calls that read it: it fetches the texts of the rows from a cursor, a
 * few at a time.
 */

/* Maximum number of rows that are fetched at once, and size from which on they are fewer. */
#define BATCH_MAX 50
#define BATCH_BYTES 65536

/* A format of rows. */
typedef struct RowFormat
{
	const char *head; /* NULL: the header line */
	const char *between;
	const char *tail;
	WriteRow write;
} RowFormat;

struct SheetStream
{
	const RowFormat *format;
	const SheetQuery *sheet_query;
	Portal portal;		  /* NULL: all rows were fetched */
	MemoryContext memory; /* of the rows that were fetched */
	int64 numbers[BATCH_MAX];
	text *rows[BATCH_MAX];
	int batch; /* how many are fetched next */
	int fetched;
	int next;	/* of them */
	bool begun; /* a row has been returned */
};

/* Append a row of the current chunk as a line of CSV, as ChunkScan.write; true. */
static bool
write_csv(StringInfo out, const void *asked, ChunkScan *scan, int row)
{
	const SheetQuery *sheet_query = asked;
	bool first = true;

	for (int i = 0; i < sheet_query->sheet->ncolumns; i++)
	{
		const Cells *cells;

		if (!sheet_query->shown[i])
			continue;
		cells = cat_sheet_scan_cells(scan, i);
		if (!first)
			appendStringInfoCharMacro(out, ',');
		first = false;
		if (!cells->absent[row])
			cat_csv_cell(out, cells_text(cells, row), (size_t) cells_length(cells, row));
	}
	appendBinaryStringInfo(out, "\r\n", 2);
	return true;
}

static bool
write_line(StringInfo out, const void *asked, ChunkScan *scan, int row)
{
	(void) cat_sheet_row_write(out, asked, scan, row);
	appendStringInfoCharMacro(out, '\n');
	return true;
}

static const RowFormat formats[] = {
	[DOWNLOAD_CSV] = {NULL, "", "", write_csv},
	[DOWNLOAD_JSON] = {"[", ",\n", "]\n", cat_sheet_row_write},
	[DOWNLOAD_NDJSON] = {"", "", "", write_line},
	[DOWNLOAD_GEOJSON] = {"{\"type\":\"FeatureCollection\",\"features\":[", ",\n", "]}\n",
						  cat_geojson_feature},
};

/* Rows without anything between them, for catalogue.contents(). */
static const RowFormat bare_rows = {"", "", "", cat_sheet_row_write};

/* Return the names of the formats as "a, b or c". */
static char *
format_names(void)
{
	StringInfo out = makeStringInfo();

	for (size_t i = 0; i < lengthof(formats); i++)
		appendStringInfo(out, "%s%s",
						 i == 0						 ? ""
						 : i + 1 < lengthof(formats) ? ", "
													 : " or ",
						 download_formats[i].name);
	return out->data;
}

static const RowFormat *
find_format(const char *name)
{
	if (strcmp(name, "rows") == 0)
		return &bare_rows;
	for (size_t i = 0; i < lengthof(formats); i++)
		if (strcmp(download_formats[i].name, name) == 0)
			return &formats[i];
	ereport(ERROR, (errcode(OD406), errmsg("rows cannot be exported as \"%s\"", name),
					errhint("It takes %s.", format_names())));
}

/* Write the statement that gives the rows and their texts. */
static void
write_stream_statement(SheetSql *sql, const SheetQuery *asked)
{
	const RequestParams *params = asked->params;
	bool plain = !asked->filters && !asked->orders && !params->cursor &&
				 sql->scan->write != cat_geojson_feature;
	/* in file order the rows before the page are not read */
	int64 start = plain ? Min(params->skip, asked->sheet->rows) : 0;
	List *terms = cat_sheet_sql_terms(asked);

	appendStringInfoString(&sql->query.sql, "SELECT h.n, h.line FROM (SELECT h.* FROM (SELECT r.n");
	cat_sheet_sql_keys(sql);
	appendStringInfoString(&sql->query.sql, ", catalogue.cell_row($1, r.n) AS line");
	cat_sheet_sql_rows(sql, start + 1, ROW_NUMBER);
	appendStringInfoString(&sql->query.sql, " OFFSET 0) h WHERE h.line IS NOT NULL");
	cat_sheet_sql_page(sql, terms, params->limited ? params->limit : INT64_MAX,
					   params->skip - start);
	appendStringInfoString(&sql->query.sql, ") h");
	if (params->backwards)
		cat_order_terms_write(&sql->query, terms, false);
}

/* Begin a stream of what a statement returns: numbers and texts of rows. */
static SheetStream *
open_stream(const char *format, SqlBuilder *query)
{
	SheetStream *stream = palloc0(sizeof(SheetStream));

	stream->format = find_format(format);
	stream->memory =
		AllocSetContextCreate(CurrentMemoryContext, "rows of a stream", ALLOCSET_DEFAULT_SIZES);
	stream->portal = cat_sql_builder_cursor(query);
	stream->batch = 1;
	return stream;
}

SheetStream *
cat_sheet_stream_lines(SqlBuilder *query)
{
	return open_stream("ndjson", query);
}

/*
 * Begin a stream in the current memory context.
 *
 * It returns all rows unless the query has a limit.  Raises OD406 for an unknown format, or one
 * that the query does not allow.
 */
SheetStream *
cat_sheet_stream_begin(SheetQuery *sheet_query, const char *format)
{
	SheetStream *stream;
	SheetSql sql;

	if (sheet_query->groups || sheet_query->aggregates)
		ereport(ERROR, (errcode(OD406), errmsg("groups of rows are given as a list only")));
	cat_sheet_sql_begin(&sql, sheet_query);
	sql.scan->write = find_format(format)->write;
	sql.scan->asked = sheet_query;
	if (sql.scan->write == cat_geojson_feature)
		cat_geojson_find(sheet_query);
	write_stream_statement(&sql, sheet_query);
	stream = open_stream(format, &sql.query);
	stream->sheet_query = sheet_query;
	return stream;
}

/* Return the number of rows that pass the filters. */
int64
cat_sheet_stream_count(const SheetQuery *sheet_query)
{
	SheetSql sql;

	if (sheet_query->filters == NIL)
		return sheet_query->sheet->rows;
	cat_sheet_sql_begin(&sql, sheet_query);
	appendStringInfoString(&sql.query.sql, "SELECT count(*)");
	cat_sheet_sql_rows(&sql, 1, ROW_NUMBER);
	cat_sql_builder_run(&sql.query);
	return cat_result_int64(1);
}

/* Fetch the next rows. */
static void
fetch(SheetStream *stream)
{
	size_t bytes = 1;
	MemoryContext old;
	bool isnull;

	MemoryContextReset(stream->memory);
	SPI_connect();
	SPI_cursor_fetch(stream->portal, true, stream->batch);
	old = MemoryContextSwitchTo(stream->memory);
	stream->next = 0;
	stream->fetched = (int) SPI_processed;
	for (int i = 0; i < stream->fetched; i++)
	{
		HeapTuple tuple = SPI_tuptable->vals[i];
		TupleDesc desc = SPI_tuptable->tupdesc;

		stream->numbers[i] = DatumGetInt64(SPI_getbinval(tuple, desc, 1, &isnull));
		stream->rows[i] = DatumGetTextPCopy(SPI_getbinval(tuple, desc, 2, &isnull));
		bytes += VARSIZE(stream->rows[i]);
	}
	MemoryContextSwitchTo(old);
	SPI_finish();
	if (stream->fetched < stream->batch)
		cat_sheet_stream_end(stream);
	stream->batch = (int) Min((size_t) stream->fetched * BATCH_BYTES / bytes + 1, BATCH_MAX);
}

/* Append the next row, preceded by the separator if it is not the first; false at the end. */
bool
cat_sheet_stream_row(SheetStream *stream, StringInfo out, int64 *number)
{
	const text *row;

	if (stream->next == stream->fetched && stream->portal)
		fetch(stream);
	if (stream->next == stream->fetched)
		return false;
	if (stream->begun)
		appendStringInfoString(out, stream->format->between);
	stream->begun = true;
	*number = stream->numbers[stream->next];
	row = stream->rows[stream->next++];
	appendBinaryStringInfo(out, VARDATA(row), (int) VARSIZE(row) - VARHDRSZ);
	return true;
}

void
cat_sheet_stream_head(const SheetStream *stream, StringInfo out)
{
	if (stream->format->head)
		appendStringInfoString(out, stream->format->head);
	else
	{
		appendStringInfoString(out, stream->sheet_query->params->bom ? CSV_MARK : "");
		sheet_row_csv_names(out, stream->sheet_query);
	}
}

void
cat_sheet_stream_tail(const SheetStream *stream, StringInfo out)
{
	appendStringInfoString(out, stream->format->tail);
}

/* End a stream, whether it was read completely or not. */
void
cat_sheet_stream_end(SheetStream *stream)
{
	if (stream->portal)
		SPI_cursor_close(stream->portal);
	stream->portal = NULL;
}

#define CURSOR_MAX 2000 /* maximum length of a cursor */

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
	return sheet_query->filters == NIL && !sheet_query->params->cursor &&
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
	appendStringInfo(out,
					 ") p) SELECT %s, string_agg(l.line, ',' ORDER BY l.at%s), count(*), "
					 "max(l.keys) FILTER (WHERE l.at = %s), max(l.keys) FILTER (WHERE l.at = %s) "
					 "FROM (SELECT p.*, catalogue.cell_row($1, p.n) AS line "
					 "FROM (SELECT * FROM page ORDER BY n OFFSET 0) p) l",
					 asked->filters ? "(SELECT count(*) FROM hits)"
									: cat_sql_builder_value(&sql->query, INT8OID,
															Int64GetDatum(asked->sheet->rows)),
					 asked->params->backwards ? " DESC" : "",
					 asked->params->backwards ? "l.rows" : "1",
					 asked->params->backwards ? "1" : "l.rows");
}

/* Return the cursor of a row of the page; NULL if its values are too long for an address. */
static char *
cursor_of(int column)
{
	bool isnull;
	char *cursor = cat_cursor_encode(cat_result_datum(column, &isnull));

	return strlen(cursor) <= CURSOR_MAX ? cursor : NULL;
}

/* Append a page by a statement. */
static void
page_by_statement(const SheetQuery *sheet_query, CallReply *reply)
{
	SheetSql sql;

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
	else
		page_by_statement(sheet_query, reply);
	appendStringInfoChar(reply->data, ']');
}
