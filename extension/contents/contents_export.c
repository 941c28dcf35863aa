/*
 * contents_export.c
 *	  Rows of a file in pieces for programs, and as rows for SQL.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "call/call.h"
#include "contents/changes.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "history/history.h"
#include "pg/pg.h"
#include "query/query.h"
#include "registry/registry.h"

/* Size in bytes from which on a piece is sent. */
#define PIECE_BYTES 65536

PG_FUNCTION_INFO_V1(catalogue_contents_export);
PG_FUNCTION_INFO_V1(catalogue_contents);
PG_FUNCTION_INFO_V1(catalogue_contents_changes_export);

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
	reply->limit = sheet_query->limited ? sheet_query->params->limit : 0;
	reply->returned = (int) Min(Max(reply->count - reply->skip, 0),
								sheet_query->limited ? reply->limit : INT_MAX);
	reply->ignored = cat_ignored_of_params(sheet_query->params);
}

/* Open the rows of a file. */
static SheetStream *
open_rows(FunctionCallInfo fcinfo, const Actor *actor, const char *format, CallReply *reply)
{
	SheetStream *stream;
	MemoryContext lasting = CurrentMemoryContext;
	SheetQuery *sheet_query = cat_contents_ask(cat_call_reply_argument(fcinfo, 1), actor);

	MemoryContextSwitchTo(lasting);
	cat_contents_find(sheet_query, cat_call_reply_required(fcinfo, 0));
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

Datum
catalogue_contents_export(PG_FUNCTION_ARGS)
{
	return give_pieces(fcinfo, open_rows);
}

Datum
catalogue_contents_changes_export(PG_FUNCTION_ARGS)
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

Datum
catalogue_contents(PG_FUNCTION_ARGS)
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
