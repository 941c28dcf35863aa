/*
 * sheet_stream.c
 *	  Stream of a sheet's rows as text in a format.
 *
 * A stream lives longer than the calls that read it.  It keeps one chunk in memory or, if the rows
 * are sorted, their texts, which the sort can write to disk.
 */
#include "catalogue.h"

#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "sheets/chunk.h"
#include "sheets/sheets.h"

/* A format of rows. */
typedef struct RowFormat
{
	const char *name;
	const char *head; /* NULL: the header line */
	const char *between;
	const char *tail;
	bool (*write)(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan, int row);
} RowFormat;

struct SheetStream
{
	const RowFormat *format;
	SheetQuery *sheet_query;
	Snapshot snapshot; /* snapshot for all reads */
	ChunkScan scan;
	bool passes[CHUNK_ROWS];
	int row;		 /* next row of the chunk */
	int64 skip;		 /* rows still to be skipped */
	int64 left;		 /* rows still to be returned */
	bool begun;		 /* a row has been returned */
	SheetSort *sort; /* sorted rows as text; NULL for file order */
};

static bool
write_csv(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan, int row)
{
	cat_sheet_row_csv(out, sheet_query, scan, row);
	return true;
}

static bool
write_json(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan, int row)
{
	cat_sheet_row_json(out, sheet_query, scan, row);
	return true;
}

static bool
write_line(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan, int row)
{
	cat_sheet_row_json(out, sheet_query, scan, row);
	appendStringInfoCharMacro(out, '\n');
	return true;
}

static const RowFormat formats[] = {
	{"csv", NULL, "", "", write_csv},
	{"ndjson", "", "", "", write_line},
	{"json", "[", ",\n", "]\n", write_json},
	{"geojson", "{\"type\":\"FeatureCollection\",\"features\":[", ",\n", "]}\n",
	 cat_geojson_feature},
	{"rows", "", "", "", write_json}, /* without separators, for catalogue.contents() */
};

static const RowFormat *
find_format(const char *name)
{
	for (size_t i = 0; i < lengthof(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	ereport(ERROR, (errcode(OD406), errmsg("rows cannot be exported as \"%s\"", name),
					errhint("It takes csv, ndjson, json or geojson.")));
}

/* Sort all rows, with their texts. */
static void
sort_texts(SheetStream *stream)
{
	StringInfoData text;
	ChunkScan *scan = &stream->scan;

	stream->sort = cat_sheet_sort_begin(stream->sheet_query, 0, true);
	initStringInfo(&text);
	while (cat_sheet_scan_next(scan))
	{
		if (cat_sheet_filter_rows(stream->sheet_query, scan, stream->passes) == 0)
			continue;
		for (int row = 0; row < scan->chunk.rows; row++)
		{
			resetStringInfo(&text);
			if (stream->passes[row] && stream->format->write(&text, stream->sheet_query, scan, row))
				cat_sheet_sort_row(stream->sort, scan, row, &text);
		}
	}
	cat_sheet_sort_perform(stream->sort);
	pfree(text.data);
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
	SheetStream *stream = palloc0(sizeof(SheetStream));
	int64 start;

	if (sheet_query->groups || sheet_query->aggregates)
		ereport(ERROR, (errcode(OD406), errmsg("groups of rows are given as a list only")));
	stream->format = find_format(format);
	stream->sheet_query = sheet_query;
	if (stream->format->write == cat_geojson_feature)
		cat_geojson_find(sheet_query);
	stream->skip = sheet_query->params->skip;
	stream->left = sheet_query->limited ? sheet_query->params->limit : INT64_MAX;
	start = sheet_query->filters || sheet_query->orders
				? 0
				: Min(stream->skip, sheet_query->sheet->rows);
	stream->skip -= start;
	stream->snapshot = RegisterSnapshot(GetActiveSnapshot());
	cat_sheet_scan_open(&stream->scan, sheet_query->sheet, start + 1);
	stream->row = (int) (start + 1 - stream->scan.next);
	if (sheet_query->orders)
		sort_texts(stream);
	cat_sheet_scan_detach(&stream->scan);
	return stream;
}

/* Return the number of rows that pass the filters. */
int64
cat_sheet_stream_count(const SheetQuery *sheet_query)
{
	bool passes[CHUNK_ROWS];
	ChunkScan scan;
	int64 count = 0;

	if (sheet_query->filters == NIL)
		return sheet_query->sheet->rows;
	cat_sheet_scan_open(&scan, sheet_query->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		count += cat_sheet_filter_rows(sheet_query, &scan, passes);
	cat_sheet_scan_close(&scan);
	return count;
}

/* Read the next chunk; false at the end. */
static bool
next_chunk(SheetStream *stream)
{
	int row = stream->scan.data ? 0 : stream->row;
	bool more;

	PushActiveSnapshot(stream->snapshot);
	cat_sheet_scan_attach(&stream->scan);
	more = cat_sheet_scan_next(&stream->scan);
	cat_sheet_scan_detach(&stream->scan);
	PopActiveSnapshot();
	if (more)
		cat_sheet_filter_rows(stream->sheet_query, &stream->scan, stream->passes);
	stream->row = row;
	return more;
}

/* Return whether the next row of the chunk belongs to the result. */
static bool
is_wanted(SheetStream *stream)
{
	return stream->passes[stream->row] && stream->skip-- <= 0;
}

static bool
write_next(SheetStream *stream, StringInfo out, int64 *number)
{
	for (;;)
	{
		ChunkScan *scan = &stream->scan;

		if ((!scan->data || stream->row >= scan->chunk.rows) && !next_chunk(stream))
			return false;
		for (; stream->row < scan->chunk.rows; stream->row++)
			if (is_wanted(stream) &&
				stream->format->write(out, stream->sheet_query, scan, stream->row))
			{
				*number = scan->chunk.first + stream->row++;
				return true;
			}
	}
}

static bool
write_sorted(SheetStream *stream, StringInfo out, int64 *number)
{
	text *with;

	while (cat_sheet_sort_next(stream->sort, number, &with))
		if (stream->skip-- <= 0)
		{
			appendBinaryStringInfo(out, VARDATA_ANY(with), (int) VARSIZE_ANY_EXHDR(with));
			return true;
		}
	return false;
}

/* Append the next row, preceded by the separator if it is not the first; false at the end. */
bool
cat_sheet_stream_row(SheetStream *stream, StringInfo out, int64 *number)
{
	int start = out->len;

	if (stream->left <= 0)
		return false;
	if (stream->begun)
		appendStringInfoString(out, stream->format->between);
	if (!(stream->sort ? write_sorted : write_next)(stream, out, number))
	{
		out->len = start;
		stream->left = 0;
		return false;
	}
	stream->begun = true;
	stream->left--;
	return true;
}

void
cat_sheet_stream_head(const SheetStream *stream, StringInfo out)
{
	if (stream->format->head)
		appendStringInfoString(out, stream->format->head);
	else
		cat_sheet_row_csv_names(out, stream->sheet_query);
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
	if (stream->sort)
		cat_sheet_sort_end(stream->sort);
	UnregisterSnapshot(stream->snapshot);
}
