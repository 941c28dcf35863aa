/*
 * sheet_stream.c
 *	  Stream of a sheet's rows as text in a format.
 *
 * A stream lives longer than the calls that read it.  Rows are written one by one, in the order in which
 * they are stored; in another one they are sorted with their texts before the first one is given, unless they are few.
 * Those of a statement are fetched from a cursor, a few at a time.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "base/byte_order_mark.h"
#include "files/download_formats.h"
#include "rows/contents/contents_internal.h"
#include "rows/contents/evaluate.h"
#include "rows/contents/order.h"

/* Return the title of a column; the name of one that has none. */
static const char *
title_of(const SheetColumn *column)
{
	return *column->title ? column->title : column->name;
}

/* Append the titles of the columns of groups as a line of CSV, and what is told of these. */
static void
write_group_names(StringInfo out, const SheetQuery *sheet_query)
{
	const char *comma = "";

	foreach_int(group, sheet_query->groups)
	{
		appendStringInfoString(out, comma);
		cat_csv_text(out, title_of(&sheet_query->sheet->columns[group]));
		comma = ",";
	}
	foreach_ptr(const SheetAggregate, aggregate, sheet_query->aggregates)
	{
		appendStringInfoString(out, comma);
		cat_csv_text(out, aggregate->name);
		comma = ",";
	}
	appendStringInfoString(out, "\r\n");
}

/* Append the titles of the selected columns as a line of CSV. */
static void
write_names(StringInfo out, const SheetQuery *sheet_query)
{
	const char *comma = "";

	for (int i = 0; i < sheet_query->sheet->ncolumns; i++)
		if (sheet_query->shown[i])
		{
			appendStringInfoString(out, comma);
			cat_csv_text(out, title_of(&sheet_query->sheet->columns[i]));
			comma = ",";
		}
	appendStringInfoString(out, "\r\n");
}

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

/* Rows that a statement returns. */
typedef struct FetchedRows
{
	Portal portal;		  /* NULL: all rows were fetched */
	MemoryContext memory; /* of the rows that were fetched */
	int64 numbers[BATCH_MAX];
	text *rows[BATCH_MAX];
	int batch; /* how many are fetched next */
	int fetched;
	int next; /* of them */
} FetchedRows;

struct SheetStream
{
	const RowFormat *format;
	const SheetQuery *sheet_query;
	const char *head; /* in place of that of the format, NULL: none */
	bool begun;		  /* a row has been returned */
	/* Append the next row and return its number; 0 behind the last one. */
	int64 (*next)(SheetStream *stream, StringInfo out);
	WriteRow write;
	const void *data;
	MemoryContext memory; /* of the stream */
	MemoryContext row_memory;
	ChunkScan scan;
	int64 row;	/* the last one that was read */
	int64 skip; /* how many come before the first one that is returned */
	int64 left;
	bool all;			   /* each row has a text */
	OrderedRows page;	   /* the rows in an order, if they are few, */
	StringInfoData *lines; /* and their texts; NULL: they are not */
	int given;			   /* how many of them */
	SheetSort *sort;
	FetchedRows *rows;
};

/* Append a row of the current chunk as a line of CSV, as ChunkScan.write; true. */
static bool
write_csv(StringInfo out, const void *asked, ChunkScan *scan, int row)
{
	const SheetQuery *sheet_query = asked;
	bool first = true;

	for (int i = 0; i < sheet_query->sheet->ncolumns; i++)
	{
		CellText cell;

		if (!sheet_query->shown[i])
			continue;
		cell = cat_sheet_scan_cell(scan, i, row);
		if (!first)
			appendStringInfoCharMacro(out, ',');
		first = false;
		if (!cell.absent && cell.length <= CONTENTS_CELL)
			cat_csv_cell(out, cell.bytes, (size_t) cell.length);
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

/* Append the shown cells of a row as a value of type text[], as ChunkScan.write; true. */
static bool
write_cells(StringInfo out, const void *asked, ChunkScan *scan, int row)
{
	const SheetQuery *sheet_query = asked;
	int count = 0;
	Datum *texts = palloc(sizeof(Datum) * (size_t) (sheet_query->sheet->ncolumns + 1));
	bool *nulls = palloc(sizeof(bool) * (size_t) (sheet_query->sheet->ncolumns + 1));
	ArrayType *cells;

	for (int i = 0; i < sheet_query->sheet->ncolumns; i++)
		if (sheet_query->shown[i])
		{
			CellText cell = cat_sheet_scan_cell(scan, i, row);

			nulls[count] = cell.absent || cell.length > CONTENTS_CELL;
			if (!nulls[count])
				texts[count] = PointerGetDatum(cstring_to_text_with_len(cell.bytes, cell.length));
			count++;
		}
	cells =
		construct_md_array(texts, nulls, 1, &count, (int[]){1}, TEXTOID, -1, false, TYPALIGN_INT);
	appendBinaryStringInfo(out, (const char *) cells, (int) VARSIZE(cells));
	return true;
}

/* Rows without anything between them, for catalogue.contents() and catalogue.rows_of(). */
static const RowFormat bare_rows = {"", "", "", cat_sheet_row_write};
static const RowFormat bare_cells = {"", "", "", write_cells};

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
	if (strcmp(name, CAT_STREAM_ROWS) == 0)
		return &bare_rows;
	if (strcmp(name, CAT_STREAM_CELLS) == 0)
		return &bare_cells;
	for (size_t i = 0; i < lengthof(formats); i++)
		if (strcmp(download_formats[i].name, name) == 0)
			return &formats[i];
	ereport(ERROR, (errcode(OD406), errmsg("rows cannot be exported as \"%s\"", name),
					errhint("It takes %s.", format_names())));
}

/* Begin a stream in a format. */
static SheetStream *
open_stream(const char *format, const SheetQuery *asked,
			int64 (*next)(SheetStream *stream, StringInfo out))
{
	SheetStream *stream = palloc0(sizeof(SheetStream));

	stream->format = find_format(format);
	stream->sheet_query = asked;
	stream->next = next;
	stream->memory = CurrentMemoryContext;
	stream->row_memory =
		AllocSetContextCreate(CurrentMemoryContext, "rows of a stream", ALLOCSET_DEFAULT_SIZES);
	return stream;
}

/* ---- Rows of a statement ---- */

/* Fetch the next rows. */
static void
fetch(SheetStream *stream)
{
	FetchedRows *rows = stream->rows;
	size_t bytes = 1;
	MemoryContext old;
	bool isnull;

	MemoryContextReset(stream->row_memory);
	SPI_connect();
	SPI_cursor_fetch(rows->portal, true, rows->batch);
	old = MemoryContextSwitchTo(stream->row_memory);
	rows->next = 0;
	rows->fetched = (int) SPI_processed;
	for (int i = 0; i < rows->fetched; i++)
	{
		HeapTuple tuple = SPI_tuptable->vals[i];
		TupleDesc desc = SPI_tuptable->tupdesc;

		rows->numbers[i] = DatumGetInt64(SPI_getbinval(tuple, desc, 1, &isnull));
		rows->rows[i] = DatumGetTextPCopy(SPI_getbinval(tuple, desc, 2, &isnull));
		bytes += VARSIZE(rows->rows[i]);
	}
	MemoryContextSwitchTo(old);
	SPI_finish();
	if (rows->fetched < rows->batch)
		cat_sheet_stream_end(stream);
	rows->batch = (int) Min((size_t) rows->fetched * BATCH_BYTES / bytes + 1, BATCH_MAX);
}

/* Append the next row of a statement, as SheetStream.next. */
static int64
next_fetched(SheetStream *stream, StringInfo out)
{
	FetchedRows *rows = stream->rows;
	const text *row;

	if (rows->next == rows->fetched && rows->portal)
		fetch(stream);
	if (rows->next == rows->fetched)
		return 0;
	row = rows->rows[rows->next];
	appendBinaryStringInfo(out, VARDATA(row), (int) VARSIZE(row) - VARHDRSZ);
	return rows->numbers[rows->next++];
}

/* Begin a stream of what a statement returns: numbers and texts of rows. */
static SheetStream *
begin_statement(const char *format, const SheetQuery *asked, SqlBuilder *query)
{
	SheetStream *stream = open_stream(format, asked, next_fetched);

	stream->rows = palloc0(sizeof(FetchedRows));
	stream->rows->portal = cat_sql_builder_cursor(query);
	stream->rows->batch = 1;
	return stream;
}

SheetStream *
cat_sheet_stream_lines(SqlBuilder *query)
{
	return begin_statement("ndjson", NULL, query);
}

/* Begin a stream of groups, of which there are few enough to be read at once. */
static SheetStream *
begin_groups(SheetQuery *sheet_query, const char *format)
{
	bool csv = find_format(format) == &formats[DOWNLOAD_CSV];
	CallReply reply = {0};
	SqlBuilder query;

	if (find_format(format) == &formats[DOWNLOAD_GEOJSON])
		ereport(ERROR, (errcode(OD406), errmsg("groups of rows have no coordinates"),
						errhint("They can be had as csv, json or ndjson.")));
	if (find_format(format) == &bare_cells)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("groups of rows are not given as arrays"),
						errhint("catalogue.contents() has them.")));
	if (!sheet_query->params->limited)
		sheet_query->params->limit = CAT_GROUPS_MAX;
	cat_sheet_groups_page(sheet_query, &reply);
	cat_sql_builder_begin(&query, sheet_query->params->access, 0);
	appendStringInfo(
		&query.sql,
		"SELECT e.n, %s FROM json_array_elements(%s::json) WITH ORDINALITY e(item, n) ORDER BY e.n",
		csv ? "(SELECT string_agg(coalesce(catalogue.csv_text(m.value), ''), ',' ORDER BY m.n) "
			  "|| E'\\r\\n' FROM json_each_text(e.item) WITH ORDINALITY m(key, value, n))"
		: find_format(format) == &formats[DOWNLOAD_NDJSON] ? "e.item || E'\\n'"
														   : "e.item::text",
		cat_sql_builder_value(&query, TEXTOID, CStringGetTextDatum(reply.data->data)));
	return begin_statement(format, sheet_query, &query);
}

/* ---- Rows of a sheet ---- */

/* Write a row of the current chunk; false if it is left out. */
static bool
write_row(SheetStream *stream, StringInfo out)
{
	MemoryContext old = MemoryContextSwitchTo(stream->row_memory);
	bool written = stream->write(out, stream->data, &stream->scan,
								 (int) (stream->row - stream->scan.chunk.first));

	MemoryContextSwitchTo(old);
	MemoryContextReset(stream->row_memory);
	return written;
}

/* Append the next row that is stored, as SheetStream.next. */
static int64
next_stored(SheetStream *stream, StringInfo out)
{
	int start = out->len;

	while (stream->left > 0 &&
		   (stream->row = cat_sheet_scan_kept(&stream->scan, stream->row + 1, -1)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		if (stream->all && stream->skip > 0)
		{
			stream->skip--;
			continue;
		}
		if (write_row(stream, out) && stream->skip-- <= 0)
		{
			stream->left--;
			return stream->row;
		}
		out->len = start;
		out->data[start] = '\0';
	}
	stream->left = 0;
	return 0;
}

/* Find the rows in an order, as a page if they are few. */
static void
sort_rows(SheetStream *stream)
{
	const RequestParams *params = stream->sheet_query->params;
	int64 before = params->cursor ? 0 : params->skip;
	MemoryContext old = MemoryContextSwitchTo(stream->memory);

	if (stream->all && params->limited && before + params->limit <= CAT_FIRST_ROWS &&
		cat_sheet_order_page(stream->sheet_query, &stream->page))
		stream->lines = cat_sheet_page_lines(stream->sheet_query, &stream->page, stream->write);
	if (!stream->lines)
		stream->sort =
			cat_sheet_sort_begin(stream->sheet_query, stream->left, stream->write, stream->data);
	MemoryContextSwitchTo(old);
}

/* Append the next row in an order, as SheetStream.next. */
static int64
next_sorted(SheetStream *stream, StringInfo out)
{
	const text *row;
	int64 number;

	if (!stream->sort && !stream->lines)
		sort_rows(stream);
	if (stream->lines)
	{
		const StringInfoData *line = &stream->lines[stream->given];

		if (stream->given == stream->page.returned)
			return 0;
		appendBinaryStringInfo(out, line->data, line->len);
		return stream->page.rows[stream->given++];
	}
	number = cat_sheet_sort_next(stream->sort, &row);
	if (number > 0)
		appendBinaryStringInfo(out, VARDATA_ANY(row), (int) VARSIZE_ANY_EXHDR(row));
	return number;
}

/* Begin a stream of rows as a function writes them. */
static SheetStream *
begin_rows(SheetQuery *sheet_query, const char *format, WriteRow write, const void *data)
{
	const RequestParams *params = sheet_query->params;
	bool sorted = sheet_query->orders || params->backwards;
	SheetStream *stream = open_stream(format, sheet_query, sorted ? next_sorted : next_stored);

	stream->write = write;
	stream->data = data;
	stream->left = params->limited ? params->limit : INT64_MAX;
	stream->all = find_format(format) != &formats[DOWNLOAD_GEOJSON];
	stream->row = params->cursor ? cat_sheet_order_cursor_row(sheet_query) : 0;
	if (sorted)
		return stream;
	stream->skip = params->cursor ? 0 : params->skip;
	cat_sheet_scan_open(&stream->scan, sheet_query->sheet, 1);
	cat_sheet_filter_begin(&stream->scan, sheet_query);
	/* rows before the first one are not read */
	if (stream->all && !cat_sheet_query_filters(sheet_query))
	{
		stream->row += Min(stream->skip, sheet_query->sheet->rows);
		stream->skip = 0;
	}
	return stream;
}

void
cat_sheet_stream_whole(const SheetQuery *sheet_query)
{
	RequestParams *params = sheet_query->params;
	int most = sheet_query->groups || sheet_query->aggregates ? CAT_GROUPS_MAX : INT_MAX;

	if (params->limited)
		params->limit = (int) Min(params->given_limit, most);
}

SheetStream *
cat_sheet_stream_begin(SheetQuery *sheet_query, const char *format)
{
	const RowFormat *found = find_format(format);

	if (sheet_query->groups || sheet_query->aggregates)
		return begin_groups(sheet_query, format);
	if (found == &formats[DOWNLOAD_GEOJSON])
	{
		cat_geojson_find(sheet_query);
		/* it is the geometry of a feature, no property */
		if (sheet_query->coordinates[GEOMETRY] >= 0)
			sheet_query->shown[sheet_query->coordinates[GEOMETRY]] = false;
	}
	return begin_rows(sheet_query, format, found->write, sheet_query);
}

SheetStream *
cat_sheet_stream_features(SheetQuery *sheet_query, const char *head, WriteRow write,
						  const void *data)
{
	SheetStream *stream =
		begin_rows(sheet_query, download_formats[DOWNLOAD_GEOJSON].name, write, data);

	stream->head = head;
	return stream;
}

/* Append a text, as SheetStream.next. */
static int64
next_text(SheetStream *stream, StringInfo out)
{
	const char *text = stream->data;

	stream->data = NULL;
	appendStringInfoString(out, text ? text : "");
	return text ? 1 : 0;
}

SheetStream *
cat_sheet_stream_text(const char *text)
{
	SheetStream *stream = open_stream(CAT_STREAM_ROWS, NULL, next_text);

	stream->data = text;
	return stream;
}

int64
cat_sheet_stream_count(const SheetQuery *sheet_query)
{
	ChunkScan scan;

	if (sheet_query->groups || sheet_query->aggregates)
		return sheet_query->groups_found;
	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	cat_sheet_filter_begin(&scan, sheet_query);
	return cat_sheet_scan_count(&scan);
}

bool
cat_sheet_stream_row(SheetStream *stream, StringInfo out, int64 *number)
{
	int start = out->len;

	if (stream->begun)
		appendStringInfoString(out, stream->format->between);
	*number = stream->next(stream, out);
	stream->begun = *number > 0;
	if (*number > 0)
		return true;
	out->len = start;
	out->data[start] = '\0';
	return false;
}

void
cat_sheet_stream_head(const SheetStream *stream, StringInfo out)
{
	if (stream->head || stream->format->head)
		appendStringInfoString(out, stream->head ? stream->head : stream->format->head);
	else
	{
		appendStringInfoString(out, stream->sheet_query->params->bom ? BYTE_ORDER_MARK : "");
		if (stream->sheet_query->groups || stream->sheet_query->aggregates)
			write_group_names(out, stream->sheet_query);
		else
			write_names(out, stream->sheet_query);
	}
}

void
cat_sheet_stream_tail(const SheetStream *stream, StringInfo out)
{
	appendStringInfoString(out, stream->format->tail);
}

void
cat_sheet_stream_end(SheetStream *stream)
{
	if (stream->rows && stream->rows->portal)
	{
		SPI_cursor_close(stream->rows->portal);
		stream->rows->portal = NULL;
	}
	if (stream->sort)
		cat_sheet_sort_end(stream->sort);
	stream->sort = NULL;
}
