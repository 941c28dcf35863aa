/*
 * workbook_rows.c
 *	  The rows that a query selects of a file, as a sheet of a workbook or a layer of a geographic file.
 */
#include "catalogue.h"

#include "base/base.h"
#include "downloads/downloads_internal.h"
#include "rows/contents/contents.h"
#include "rows/contents/stream.h"

/* Return whether these are all rows and columns of the file as it is, in their order. */
static bool
asks_all(const SheetQuery *asked)
{
	const RequestParams *params = asked->params;
	bool all = !cat_sheet_query_filters(asked) && !asked->orders && !asked->groups &&
			   !asked->aggregates && !params->limited && params->skip == 0 && !params->cursor &&
			   !params->then;

	for (int i = 0; i < asked->sheet->ncolumns; i++)
		all = all && asked->shown[i];
	return all;
}

/* Return whether a parameter changes which rows there are, and how. */
static bool
selects(const RequestParams *params, const char *name)
{
	static const char *const others[] = {"bom", "types", "facets", "facetLimit", "histogram"};

	for (size_t i = 0; i < lengthof(others); i++)
		if (strcmp(others[i], name) == 0)
			return false;
	foreach_ptr(const char, ignored, params->ignored)
		if (strcmp(ignored, name) == 0)
			return false;
	return true;
}

/* A parameter as it was sent. */
typedef struct SentWord
{
	char *name;
	const char *text;
	int length;
} SentWord;

/* Return the position of a parameter: behind all of its name, whose order may count. */
static int
position_of(List *words, const SentWord *word)
{
	int position = list_length(words);

	while (position > 0 &&
		   strcmp(((const SentWord *) list_nth(words, position - 1))->name, word->name) > 0)
		position--;
	return position;
}

char *
cat_workbook_rows_query(const RequestParams *params, const char *query, bool typed)
{
	StringInfo out = makeStringInfo();
	List *words = NIL;
	const char *begin = query;
	char *name;
	char *value;

	for (; cat_query_string_next(&query, &name, &value); begin = query)
	{
		SentWord *word = palloc(sizeof(SentWord));

		begin += strspn(begin, "&");
		*word = (SentWord){name, begin, (int) strcspn(begin, "&")};
		if (selects(params, name))
			words = list_insert_nth(words, position_of(words, word), word);
	}
	foreach_ptr(const SentWord, word, words)
		appendStringInfo(out, "%.*s&", word->length, word->text);
	appendStringInfo(out, "types=%s", typed ? "true" : "false");
	return out->data;
}

void
cat_workbook_rows_require(const SheetQuery *asked, const Actor *actor, DownloadFormat format)
{
	int most = download_formats[format].columns;
	int shown = 0;

	if (actor->trusted)
		ereport(ERROR,
				(errcode(OD406), errmsg("a file of selected rows is made for users of the API"),
				 errhint("csv, json, ndjson and geojson take filters, an order and columns.")));
	for (int i = 0; i < asked->sheet->ncolumns; i++)
		shown += asked->shown[i];
	if (download_formats[format].placed && most > 0 && shown > most)
		ereport(ERROR, (errcode(OD406),
						errmsg("the rows have %d columns, more than the %d that \"%s\" can have",
							   shown, most, download_formats[format].name),
						errhint("fields names those to have; geojson has room for more.")));
}

char *
cat_workbook_rows_json(const char *query, const SheetQuery *asked, const Actor *actor)
{
	return psprintf(
		"{\"query\":%s,\"area\":" INT64_FORMAT ",\"actor\":%s}", cat_json_quoted(query),
		asked->area,
		cat_json_quoted(*actor->user ? psprintf("{\"user\":\"%s\"}", actor->user) : "{}"));
}

char *
cat_workbook_rows_selection(const Actor *actor, FunctionCallInfo fcinfo, const CallArguments *args,
							const char *file, DownloadFormat format)
{
	ReadCall call = {.actor = *actor};
	SheetQuery *asked = cat_contents_ask(&call, fcinfo, args);
	bool placed = download_formats[format].placed;

	cat_contents_find(asked, file);
	if (!placed && asks_all(asked))
		return NULL;
	if (placed)
		cat_sheet_stream_end(
			cat_sheet_stream_begin(asked, download_formats[DOWNLOAD_GEOJSON].name));
	cat_workbook_rows_require(asked, actor, format);
	return cat_workbook_rows_json(
		cat_workbook_rows_query(asked->params, cat_call_reply_argument(fcinfo, args->query),
								placed || asked->groups || asked->aggregates),
		asked, actor);
}

/* Append a column of groups, whose values are given with their types. */
static void
append_column(StringInfo out, const char *name, const char *title, CellKind kind)
{
	appendStringInfo(out, "%s{\"name\":%s,\"title\":%s,\"type\":\"%s\"}",
					 out->data[out->len - 1] == '[' ? "" : ",", cat_json_quoted(name),
					 cat_json_quoted(title), cat_cell_kind_name(kind));
}

static void
append_group_columns(StringInfo out, const SheetQuery *asked)
{
	const SheetColumn *columns = asked->sheet->columns;

	foreach_int(group, asked->groups)
		append_column(out, columns[group].name, columns[group].title, columns[group].kind);
	foreach_ptr(const SheetAggregate, aggregate, asked->aggregates)
		append_column(out, aggregate->name, aggregate->name,
					  aggregate->column < 0 ? CELL_INTEGER : columns[aggregate->column].kind);
}

/* Append the columns that are shown, as they are stored. */
static void
append_columns(StringInfo out, const SheetQuery *asked)
{
	cat_statement_read(
		"SELECT c.value::text FROM catalogue.sheet s, json_array_elements(s.columns) "
		"WITH ORDINALITY c(value, n) WHERE s.id = $1 ORDER BY c.n",
		int8_param(asked->sheet->id));
	for (int i = 0; i < asked->sheet->ncolumns && (uint64) i < SPI_processed; i++)
		if (asked->shown[i])
			appendStringInfo(out, "%s%s", out->data[out->len - 1] == '[' ? "" : ",",
							 cat_result_text_at((uint64) i, 1));
}

/* Return how many rows or groups there are. */
static int64
count_rows(SheetQuery *asked)
{
	const RequestParams *params = asked->params;
	SheetStream *stream;
	int64 count;

	cat_sheet_stream_whole(asked);
	stream = cat_sheet_stream_begin(asked, "ndjson");
	count = Max(cat_sheet_stream_count(asked) - params->skip, 0);
	cat_sheet_stream_end(stream);
	return params->limited || asked->groups ? Min(count, params->limit) : count;
}

StringInfo
cat_workbook_rows_describe(const char *name, int64 rows, const SheetQuery *asked)
{
	StringInfo out = makeStringInfo();

	appendStringInfo(out, "[{\"number\":1,\"name\":%s,\"rows\":" INT64_FORMAT ",\"columns\":[",
					 cat_json_quoted(name), rows);
	if (asked->groups || asked->aggregates)
		append_group_columns(out, asked);
	else
		append_columns(out, asked);
	appendStringInfoString(out, "]}]");
	return out;
}

CAT_FUNCTION(catalogue_convert_selection)
{
	ReadCall call = {0};
	SheetQuery *asked;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, ARG_CONVERT_SELECTION_ACTOR, &call.actor);
	asked = cat_contents_ask(&call, fcinfo, &args_convert_selection);
	cat_contents_find(asked, cat_call_reply_required(fcinfo, ARG_CONVERT_SELECTION_FILE));
	call.reply.data = cat_workbook_rows_describe(asked->sheet->name, count_rows(asked), asked);
	return cat_read_end(&call, fcinfo);
}
