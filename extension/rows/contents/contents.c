/*
 * contents.c
 *	  Contents of a file: rows as a list and in pieces; sheets, columns, schema, issues.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "funcapi.h"

#include "rows/contents/contents_internal.h"

/*
 * Read a query on rows, and determine the instant of the read, which selects the revision by the
 * state of the file's record.  Call cat_read_version_release() at the end.
 */
static SheetQuery *
contents_ask(const char *query, const Actor *actor)
{
	SheetQuery *sheet_query = cat_sheet_query_read(query, actor);

	cat_read_version_settle(sheet_query->params, list_make1(sheet_query->params->resource->name));
	return sheet_query;
}

/* Return the number of a column to sort by; ROW_NUMBER for _id, less if there is no such column. */
static int
sort_column(const SheetQuery *sheet_query, const char *name)
{
	int column = cat_sheet_lookup_column(sheet_query->sheet, name);

	if (column >= 0)
		return column;
	return strcmp(name, "_id") == 0 ? ROW_NUMBER : ROW_NUMBER - 1;
}

/* Find the sheet, and read the parameters that refer to its columns. */
static void
contents_find(SheetQuery *sheet_query, const char *file)
{
	cat_sheet_lookup_file(sheet_query, file);
	cat_sheet_lookup(sheet_query);
	cat_sheet_query_read_columns(sheet_query);
	cat_sheet_query_read_order(sheet_query, sheet_query->groups || sheet_query->aggregates
												? cat_sheet_groups_column
												: sort_column);
}

/* Fill in the reply except the rows. */
void
cat_contents_describe(const SheetQuery *sheet_query, CallReply *reply)
{
	const RequestParams *params = sheet_query->params;

	reply->is_list = true;
	reply->resource = params->resource->name;
	reply->id = sheet_query->file;
	reply->limit = params->limit;
	reply->skip = params->skip;
	reply->version = params->version;
	reply->etag = cat_etag_of_version(params->version, list_make1(params->resource->name), params);
}

/* Answer with a page, from the page cache if possible. */
static void
answer(SheetQuery *sheet_query, const char *file, const char *known, CallReply *reply)
{
	PageCacheKey kept = cat_page_cache_key(sheet_query->params, psprintf("contents %s", file),
										   list_make1(sheet_query->params->resource->name));
	char *facets;
	char *histograms;

	cat_contents_describe(sheet_query, reply);
	reply->id = file;
	if (!sheet_query->params->actor->strict && cat_etag_is_among(known, reply->etag))
	{
		cat_sheet_lookup_file(sheet_query, file);
		return;
	}
	if (!sheet_query->params->actor->strict && cat_page_cache_get(&kept, reply))
		return;
	contents_find(sheet_query, file);
	cat_sheet_query_require_known(sheet_query);
	if (sheet_query->groups || sheet_query->aggregates)
		cat_sheet_groups_page(sheet_query, reply);
	else
		cat_sheet_page(sheet_query, reply);
	facets = cat_sheet_facets(sheet_query);
	histograms = cat_sheet_histograms(sheet_query);
	reply->meta = facets && histograms ? psprintf("%s,%s", facets, histograms)
									   : (facets ? facets : histograms);
	reply->ignored = cat_ignored_of_params(sheet_query->params);
	cat_page_cache_put(&kept, reply);
}

CAT_REPLY(catalogue_contents_page)
{
	Actor actor;
	SheetQuery *sheet_query;
	const char *file;

	cat_actor_read(fcinfo, 2, &actor);
	sheet_query = contents_ask(cat_call_reply_argument(fcinfo, 1), &actor);
	file = cat_named_id(sheet_query->params->resource, cat_call_reply_required(fcinfo, 0),
						actor.access);
	answer(sheet_query, file, cat_call_reply_argument(fcinfo, 3), reply);
	cat_read_version_release(sheet_query->params);
}

/* Append the texts that the last statement has returned as an array. */
static void
append_array(CallReply *reply, int64 count)
{
	appendStringInfoChar(reply->data, '[');
	for (; reply->returned < count; reply->returned++)
		appendStringInfo(reply->data, "%s%s", reply->returned > 0 ? "," : "",
						 cat_result_text_at((uint64) reply->returned, 1));
	appendStringInfoChar(reply->data, ']');
}

/* Fill in the reply with all that the last statement has returned. */
static void
give_all(CallReply *reply)
{
	append_array(reply, (int64) SPI_processed);
	reply->count = reply->returned;
	reply->limit = Max(reply->returned, 1);
	reply->skip = 0;
}

static void
answer_columns(SheetQuery *sheet_query, CallReply *reply)
{
	cat_sheet_lookup(sheet_query);
	cat_statement_read("SELECT * FROM catalogue.sheet_columns($1)",
					   int8_param(sheet_query->sheet->id));
	give_all(reply);
}

static void
answer_schema(SheetQuery *sheet_query, CallReply *reply)
{
	cat_sheet_lookup(sheet_query);
	reply->is_list = false;
	cat_statement_read("SELECT catalogue.sheet_schema($1)", int8_param(sheet_query->sheet->id));
	appendStringInfoString(reply->data, cat_result_text(1));
}

static void
answer_sheets(SheetQuery *sheet_query, CallReply *reply)
{
	cat_statement_read("SELECT * FROM catalogue.sheets_of($1, $2)", text_param(sheet_query->file),
					   int8_param(sheet_query->revision));
	give_all(reply);
}

static void
answer_issues(SheetQuery *sheet_query, CallReply *reply)
{
	cat_sheet_lookup(sheet_query);
	cat_statement_read("SELECT i.issue, i.count FROM catalogue.sheet_issues($1, $2, $3) i",
					   int8_param(sheet_query->sheet->id), int8_param(sheet_query->params->limit),
					   int8_param(sheet_query->params->skip));
	reply->count = cat_result_int64(2);
	append_array(reply, reply->count > reply->skip ? (int64) SPI_processed : 0);
}

static Datum
answer_about(FunctionCallInfo fcinfo, void (*write)(SheetQuery *sheet_query, CallReply *reply))
{
	Actor actor;
	SheetQuery *sheet_query;
	CallReply reply = {0};

	cat_call_reply_begin();
	cat_actor_read(fcinfo, 2, &actor);
	sheet_query = contents_ask(cat_call_reply_argument(fcinfo, 1), &actor);
	cat_sheet_lookup_file(sheet_query, cat_call_reply_required(fcinfo, 0));
	cat_contents_describe(sheet_query, &reply);
	if (!cat_etag_is_among(cat_call_reply_argument(fcinfo, 3), reply.etag))
	{
		reply.data = makeStringInfo();
		write(sheet_query, &reply);
	}
	/* Treat parameters that could be column names as unknown. */
	foreach_ptr(RequestWord, word, sheet_query->words)
		cat_ignored_add(sheet_query->params, word->name);
	cat_ignored_require_known(&actor, sheet_query->params->ignored,
							  lappend(cat_request_params_common_words(), "sheet"));
	reply.ignored = cat_ignored_of_params(sheet_query->params);
	cat_read_version_release(sheet_query->params);
	return cat_call_reply_end(fcinfo, &reply);
}

CAT_FUNCTION(catalogue_contents_columns)
{
	return answer_about(fcinfo, answer_columns);
}

CAT_FUNCTION(catalogue_contents_schema)
{
	return answer_about(fcinfo, answer_schema);
}

CAT_FUNCTION(catalogue_contents_issues)
{
	return answer_about(fcinfo, answer_issues);
}

CAT_FUNCTION(catalogue_contents_sheets)
{
	return answer_about(fcinfo, answer_sheets);
}

/* Size in bytes from which on a piece is sent. */
#define PIECE_BYTES 65536

/* Open what is exported, in the current memory context; reply: filled in unless NULL. */
typedef SheetStream *(*ExportOpener)(FunctionCallInfo fcinfo, const Actor *actor,
									 const char *format, CallReply *reply);

/* Callback at the end of the statement, if the stream was not read completely. */
static void
end_stream(Datum stream)
{
	cat_sheet_stream_end((SheetStream *) DatumGetPointer(stream));
}

/* End the stream, and unregister the callback before its memory is freed. */
static void
finish(FunctionCallInfo fcinfo, FuncCallContext *context)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum stream = PointerGetDatum(context->user_fctx);

	UnregisterExprContextCallback(info->econtext, end_stream, stream);
	end_stream(stream);
	context->user_fctx = NULL;
}

/* Fill in the reply: all rows, or the page that a limit selects. */
static void
describe(const SheetQuery *sheet_query, CallReply *reply)
{
	cat_contents_describe(sheet_query, reply);
	reply->etag = NULL;
	reply->count = cat_sheet_stream_count(sheet_query);
	reply->limit = sheet_query->params->limited ? sheet_query->params->limit : 0;
	reply->returned = (int) Min(Max(reply->count - reply->skip, 0),
								sheet_query->params->limited ? reply->limit : INT_MAX);
	reply->ignored = cat_ignored_of_params(sheet_query->params);
}

/* Open the rows of a file. */
static SheetStream *
open_rows(FunctionCallInfo fcinfo, const Actor *actor, const char *format, CallReply *reply)
{
	SheetStream *stream;
	MemoryContext lasting = CurrentMemoryContext;
	SheetQuery *sheet_query = contents_ask(cat_call_reply_argument(fcinfo, 1), actor);

	MemoryContextSwitchTo(lasting);
	contents_find(sheet_query, cat_call_reply_required(fcinfo, 0));
	cat_sheet_query_require_known(sheet_query);
	stream = cat_sheet_stream_begin(sheet_query, format);
	if (reply)
		describe(sheet_query, reply);
	cat_read_version_release(sheet_query->params);
	return stream;
}

/* Open the changes of the rows of a file. */
static SheetStream *
open_changes(FunctionCallInfo fcinfo, const Actor *actor, const char *format, CallReply *reply)
{
	SheetStream *stream;
	MemoryContext lasting = CurrentMemoryContext;
	ChangesQuery *query = cat_changes_query_read(cat_call_reply_argument(fcinfo, 1), actor);
	SheetQuery *to = query->versions[VERSION_TO];

	if (strcmp(format, "ndjson") != 0)
		ereport(ERROR, (errcode(OD406), errmsg("changes cannot be exported as \"%s\"", format),
						errhint("It takes ndjson.")));
	MemoryContextSwitchTo(lasting);
	cat_changes_query_find(query, cat_call_reply_required(fcinfo, 0));
	MemoryContextSwitchTo(lasting);
	stream = cat_changes_stream(query);
	cat_contents_describe(to, reply);
	reply->etag = NULL;
	reply->limit = 0;
	reply->skip = 0;
	reply->ignored = cat_ignored_of_params(to->params);
	cat_changes_query_release(query);
	return stream;
}

/* Begin an export; reply: filled in unless NULL. */
static void
begin(FunctionCallInfo fcinfo, FuncCallContext *context, ExportOpener opener, const char *format,
	  CallReply *reply)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	Actor *actor = MemoryContextAlloc(context->multi_call_memory_ctx, sizeof(Actor));
	MemoryContext old;

	cat_actor_read(fcinfo, 2, actor);
	/* load the resource now, since a later load would change the current memory context */
	cat_registry_resource("files");
	old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
	context->user_fctx = opener(fcinfo, actor, format, reply);
	RegisterExprContextCallback(info->econtext, end_stream, PointerGetDatum(context->user_fctx));
	MemoryContextSwitchTo(old);
}

/* Return what an opener has opened, piece by piece. */
static Datum
give_pieces(FunctionCallInfo fcinfo, ExportOpener opener)
{
	FuncCallContext *context;
	CallReply reply = {0};
	bool first = SRF_IS_FIRSTCALL();
	int64 number;

	cat_call_reply_begin();
	reply.data = makeStringInfo();
	if (first)
		begin(fcinfo, SRF_FIRSTCALL_INIT(), opener, cat_call_reply_argument(fcinfo, 3), &reply);
	context = SRF_PERCALL_SETUP();
	cat_statement_timeout_resume();
	if (!context->user_fctx)
	{
		SPI_finish();
		cat_security_context_return();
		SRF_RETURN_DONE(context);
	}
	if (first)
		cat_sheet_stream_head(context->user_fctx, reply.data);
	while (reply.data->len < PIECE_BYTES && context->user_fctx)
		if (!cat_sheet_stream_row(context->user_fctx, reply.data, &number))
		{
			cat_sheet_stream_tail(context->user_fctx, reply.data);
			finish(fcinfo, context);
		}
	cat_statement_timeout_pause();
	SRF_RETURN_NEXT(context, cat_call_reply_end(fcinfo, &reply));
}

CAT_FUNCTION(catalogue_contents_export)
{
	return give_pieces(fcinfo, open_rows);
}

CAT_FUNCTION(catalogue_contents_changes_export)
{
	return give_pieces(fcinfo, open_changes);
}

/* Return a row of the SQL function contents(). */
static Datum
make_row(FuncCallContext *context, int64 number, const StringInfoData *json)
{
	Datum values[2] = {Int64GetDatum(number),
					   PointerGetDatum(cstring_to_text_with_len(json->data, json->len))};
	bool nulls[2] = {false, false};

	return HeapTupleGetDatum(heap_form_tuple(context->tuple_desc, values, nulls));
}

static void
begin_rows(FunctionCallInfo fcinfo)
{
	FuncCallContext *context = SRF_FIRSTCALL_INIT();
	MemoryContext old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
	TupleDesc desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "function does not return rows");
	context->tuple_desc = BlessTupleDesc(desc);
	MemoryContextSwitchTo(old);
	cat_call_reply_begin();
	begin(fcinfo, context, open_rows, "rows", NULL);
	SPI_finish();
	cat_security_context_return();
}

CAT_FUNCTION(catalogue_contents)
{
	FuncCallContext *context;
	StringInfoData json;
	int64 number;
	bool more;

	if (SRF_IS_FIRSTCALL())
		begin_rows(fcinfo);
	context = SRF_PERCALL_SETUP();
	initStringInfo(&json);
	cat_security_context_take();
	more = cat_sheet_stream_row(context->user_fctx, &json, &number);
	cat_security_context_return();
	if (more)
		SRF_RETURN_NEXT(context, make_row(context, number, &json));
	finish(fcinfo, context);
	SRF_RETURN_DONE(context);
}
