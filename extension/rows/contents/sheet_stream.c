/*
 * sheet_stream.c
 *	  Stream of a sheet's rows as text in a format.
 *
 * A stream lives longer than the calls that read it: it fetches the texts of the rows from a cursor,
 * a few at a time.
 */
#include "catalogue.h"

#include "utils/memutils.h"

#include "base/byte_order_mark.h"
#include "files/download_formats.h"
#include "rows/contents/contents_internal.h"
#include "rows/contents/evaluate.h"

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
	int next;		  /* of them */
	bool begun;		  /* a row has been returned */
	const char *head; /* in place of that of the format, NULL: none */
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

/* Rows without anything between them, for catalogue.contents(). */
#define BARE_ROWS "rows"
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
	if (strcmp(name, BARE_ROWS) == 0)
		return &bare_rows;
	for (size_t i = 0; i < lengthof(formats); i++)
		if (strcmp(download_formats[i].name, name) == 0)
			return &formats[i];
	ereport(ERROR, (errcode(OD406), errmsg("rows cannot be exported as \"%s\"", name),
					errhint("It takes %s.", format_names())));
}

/* Write the statement that gives the rows and their texts; all_written: each row has one. */
static void
write_stream_statement(SheetSql *sql, const SheetQuery *asked, bool all_written)
{
	const RequestParams *params = asked->params;
	bool plain =
		!cat_sheet_query_filters(asked) && !asked->orders && !params->cursor && all_written;
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

/* Begin a stream of groups, of which there are few enough to be read at once. */
static SheetStream *
begin_groups(SheetQuery *sheet_query, const char *format)
{
	bool csv = find_format(format) == &formats[DOWNLOAD_CSV];
	CallReply reply = {0};
	SheetStream *stream;
	SqlBuilder query;

	if (find_format(format) == &formats[DOWNLOAD_GEOJSON])
		ereport(ERROR, (errcode(OD406), errmsg("groups of rows have no coordinates"),
						errhint("They can be had as csv, json or ndjson.")));
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
	stream = open_stream(format, &query);
	stream->sheet_query = sheet_query;
	return stream;
}

/* Begin a stream of rows as a function writes them. */
static SheetStream *
begin_rows(SheetQuery *sheet_query, const char *format, WriteRow write, const void *data)
{
	bool features = find_format(format) == &formats[DOWNLOAD_GEOJSON];
	SheetStream *stream;
	SheetSql sql;

	cat_sheet_sql_begin(&sql, sheet_query);
	sql.scan->write = write;
	sql.scan->asked = data;
	write_stream_statement(&sql, sheet_query, !features);
	stream = open_stream(format, &sql.query);
	stream->sheet_query = sheet_query;
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

SheetStream *
cat_sheet_stream_text(const char *text)
{
	SqlBuilder query;

	cat_sql_builder_begin(&query, ACCESS_INTERNAL, 0);
	appendStringInfo(&query.sql, "SELECT 1::bigint, %s",
					 cat_sql_builder_value(&query, TEXTOID, CStringGetTextDatum(text)));
	return open_stream(BARE_ROWS, &query);
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
	if (stream->portal)
		SPI_cursor_close(stream->portal);
	stream->portal = NULL;
}
