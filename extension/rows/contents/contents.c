/*
 * contents.c
 *	  Contents of a file: rows as a list and in pieces; sheets, columns, schema, issues.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "funcapi.h"

#include "read/pieces.h"
#include "rows/contents/changes_internal.h"

SheetQuery *
cat_contents_ask(ReadCall *call, FunctionCallInfo fcinfo, const CallArguments *args)
{
	SheetQuery *sheet_query =
		cat_sheet_query_read(cat_call_reply_argument(fcinfo, args->query), &call->actor);

	cat_contents_begin(call, sheet_query);
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

void
cat_contents_find(SheetQuery *sheet_query, const char *file)
{
	cat_sheet_lookup_file(sheet_query, file);
	cat_sheet_lookup(sheet_query);
	cat_sheet_query_read_columns(sheet_query);
	cat_sheet_query_read_order(sheet_query, sheet_query->groups || sheet_query->aggregates
												? cat_sheet_groups_column
												: sort_column);
}

/* Determine the version and the entity tag of a read of rows. */
void
cat_contents_begin(ReadCall *call, const SheetQuery *sheet_query)
{
	call->plan.params = sheet_query->params;
	call->plan.resources = list_make1(sheet_query->params->resource->name);
	cat_read_state(call);
}

/* Add a member to meta; none if it is NULL. */
static void
add_meta(CallReply *reply, char *member)
{
	if (member && reply->meta)
		reply->meta = psprintf("%s,%s", reply->meta, member);
	else if (member)
		reply->meta = member;
}

/* Read a page of rows, groups or values, as cat_read_page() asks for. */
static void
read_page(ReadCall *call, void *asked)
{
	SheetQuery *sheet_query = asked;
	CallReply *reply = &call->reply;

	if (!sheet_query->sheet)
		cat_contents_find(sheet_query, reply->id);
	if (sheet_query->groups || sheet_query->aggregates)
		cat_sheet_groups_page(sheet_query, reply);
	else
		cat_sheet_page(sheet_query, reply);
	if (sheet_query->groups || sheet_query->aggregates ? cat_sheet_groups_drawn(sheet_query)
													   : cat_geojson_known(sheet_query))
		reply->links = "image";
	reply->meta = NULL;
	add_meta(reply, cat_sheet_groups_facets(sheet_query));
	add_meta(reply, cat_sheet_groups_histograms(sheet_query));
	add_meta(reply, cat_sheet_query_notes(sheet_query));
}

CAT_FUNCTION(catalogue_contents_page)
{
	ReadCall call = {0};
	SheetQuery *sheet_query;
	const char *file;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, ARG_CONTENTS_PAGE_ACTOR, &call.actor);
	call.known = cat_call_reply_argument(fcinfo, ARG_CONTENTS_PAGE_KNOWN);
	sheet_query = cat_contents_ask(&call, fcinfo, &args_contents_page);
	file = cat_record_named_id(sheet_query->params->resource,
							   cat_call_reply_required(fcinfo, ARG_CONTENTS_PAGE_FILE),
							   call.actor.access);
	call.reply.id = file;
	if (call.actor.strict)
	{
		cat_contents_find(sheet_query, file);
		cat_sheet_query_require_known(sheet_query);
	}
	cat_read_page(&call, psprintf("contents %s", file), read_page, sheet_query);
	/* the tag is that of all files */
	if (!call.reply.data)
		cat_sheet_lookup_file(sheet_query, file);
	return cat_read_end(&call, fcinfo);
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
answer_about(FunctionCallInfo fcinfo, const CallArguments *args,
			 void (*write)(SheetQuery *sheet_query, CallReply *reply))
{
	ReadCall call = {0};
	SheetQuery *sheet_query;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, args->actor, &call.actor);
	call.known = cat_call_reply_argument(fcinfo, args->known);
	sheet_query = cat_contents_ask(&call, fcinfo, args);
	cat_sheet_lookup_file(sheet_query, cat_call_reply_required(fcinfo, args->file));
	call.reply.id = sheet_query->file;
	cat_read_list(&call);
	if (!cat_read_is_known(&call))
	{
		call.reply.data = makeStringInfo();
		write(sheet_query, &call.reply);
	}
	/* Treat parameters that could be column names as unknown. */
	foreach_ptr(RequestWord, word, sheet_query->words)
		cat_ignored_add(sheet_query->params, word->name);
	cat_ignored_require_known(&call.actor, sheet_query->params->ignored,
							  lappend(cat_request_params_common_words(), "sheet"));
	return cat_read_end(&call, fcinfo);
}

CAT_FUNCTION(catalogue_contents_columns)
{
	return answer_about(fcinfo, &args_contents_columns, answer_columns);
}

CAT_FUNCTION(catalogue_contents_schema)
{
	return answer_about(fcinfo, &args_contents_schema, answer_schema);
}

CAT_FUNCTION(catalogue_contents_issues)
{
	return answer_about(fcinfo, &args_contents_issues, answer_issues);
}

CAT_FUNCTION(catalogue_contents_sheets)
{
	return answer_about(fcinfo, &args_contents_sheets, answer_sheets);
}

/* Rows that a function returns by several calls. */
typedef struct RowsRead
{
	SheetStream *stream; /* NULL: it has ended */
} RowsRead;

/* Callback at the end of the statement, if the stream was not read completely. */
static void
end_stream(Datum stream)
{
	cat_sheet_stream_end((SheetStream *) DatumGetPointer(stream));
}

/* End the stream, and unregister the callback before its memory is freed. */
static void
finish(FunctionCallInfo fcinfo, RowsRead *read)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum stream = PointerGetDatum(read->stream);

	UnregisterExprContextCallback(info->econtext, end_stream, stream);
	end_stream(stream);
	read->stream = NULL;
}

/* Fill in the reply: all rows, or the page that a limit selects. */
static void
describe_rows(ReadCall *call, const SheetQuery *sheet_query)
{
	CallReply *reply = &call->reply;
	bool limited = call->plan.params->limited;

	cat_read_list(call);
	cat_read_head(call);
	add_meta(reply, cat_sheet_query_notes(sheet_query));
	reply->id = sheet_query->file;
	reply->count = cat_sheet_stream_count(sheet_query);
	reply->limit = limited ? reply->limit : 0;
	reply->returned =
		(int) Min(Max(reply->count - reply->skip, 0), limited ? reply->limit : INT_MAX);
}

/* Open the rows of a file. */
static SheetStream *
open_rows(FunctionCallInfo fcinfo, const CallArguments *args, ReadCall *call, const char *format,
		  bool describe)
{
	SheetStream *stream;
	MemoryContext lasting = CurrentMemoryContext;
	SheetQuery *sheet_query = cat_contents_ask(call, fcinfo, args);

	MemoryContextSwitchTo(lasting);
	cat_contents_find(sheet_query, cat_call_reply_required(fcinfo, args->file));
	cat_sheet_query_require_known(sheet_query);
	cat_sheet_stream_whole(sheet_query);
	stream = cat_sheet_stream_begin(sheet_query, format);
	if (describe)
		describe_rows(call, sheet_query);
	cat_read_version_release(sheet_query->params);
	return stream;
}

/* Open the changes of the rows of a file. */
static SheetStream *
open_changes(FunctionCallInfo fcinfo, const CallArguments *args, ReadCall *call, const char *format,
			 bool describe)
{
	SheetStream *stream;
	MemoryContext lasting = CurrentMemoryContext;
	ChangesQuery *query =
		cat_changes_query_read(call, cat_call_reply_argument(fcinfo, args->query));

	if (strcmp(format, "ndjson") != 0)
		ereport(ERROR, (errcode(OD406), errmsg("changes cannot be exported as \"%s\"", format),
						errhint("It takes ndjson.")));
	MemoryContextSwitchTo(lasting);
	cat_changes_query_find(query, cat_call_reply_required(fcinfo, args->file));
	MemoryContextSwitchTo(lasting);
	stream = cat_changes_stream(query);
	cat_read_head(call);
	call->reply.is_list = true;
	call->reply.id = query->versions[VERSION_TO]->file;
	cat_read_version_release(query->versions[VERSION_FROM]->params);
	cat_read_version_release(call->plan.params);
	return stream;
}

/* Begin an export; reply: filled in unless NULL.  NULL if nothing was opened. */
static RowsRead *
begin(FunctionCallInfo fcinfo, const CallArguments *args, MemoryContext lasting,
	  ExportOpener opener, const char *format, CallReply *reply)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	ReadCall *call = MemoryContextAllocZero(lasting, sizeof(ReadCall));
	RowsRead *read = MemoryContextAllocZero(lasting, sizeof(RowsRead));
	MemoryContext old;

	cat_actor_read(fcinfo, args->actor, &call->actor);
	/* load the resource now, since a later load would change the current memory context */
	cat_registry_resource("files");
	old = MemoryContextSwitchTo(lasting);
	read->stream = opener(fcinfo, args, call, format, reply != NULL);
	if (read->stream)
		RegisterExprContextCallback(info->econtext, end_stream, PointerGetDatum(read->stream));
	MemoryContextSwitchTo(old);
	if (reply)
		*reply = call->reply;
	return read->stream ? read : NULL;
}

/* What is exported. */
typedef struct Exported
{
	const CallArguments *args;
	ExportOpener opener;
} Exported;

/* Begin an export, as PieceWriter.begin. */
static void *
begin_export(FunctionCallInfo fcinfo, MemoryContext lasting, const void *of, CallReply *reply)
{
	const Exported *exported = of;
	const CallArguments *args = exported->args;

	return begin(fcinfo, args, lasting, exported->opener,
				 args->format < 0 ? NULL : cat_call_reply_argument(fcinfo, args->format), reply);
}

/* Append what stands before the first row, as PieceWriter.head. */
static void
write_head(const void *state, StringInfo out)
{
	cat_sheet_stream_head(((const RowsRead *) state)->stream, out);
}

/* Append the next rows, and end the stream with the last one, as PieceWriter.piece. */
static void
write_piece(void *state, FunctionCallInfo fcinfo, StringInfo out)
{
	RowsRead *read = state;
	int64 number;

	while (out->len < PIECE_BYTES && read->stream)
		if (!cat_sheet_stream_row(read->stream, out, &number))
		{
			cat_sheet_stream_tail(read->stream, out);
			finish(fcinfo, read);
		}
}

Datum
cat_contents_pieces(FunctionCallInfo fcinfo, const CallArguments *args, ExportOpener opener)
{
	static const PieceWriter writer = {begin_export, write_head, write_piece};

	return cat_pieces_next(fcinfo, &writer, &(Exported){args, opener});
}

CAT_FUNCTION(catalogue_contents_export)
{
	return cat_contents_pieces(fcinfo, &args_contents_export, open_rows);
}

CAT_FUNCTION(catalogue_contents_changes_export)
{
	return cat_contents_pieces(fcinfo, &args_contents_changes_export, open_changes);
}

/* Return a row of a function: its number and its value, as the format has it. */
static Datum
make_row(FuncCallContext *context, int64 number, const StringInfoData *row, const char *format)
{
	bool text = strcmp(format, CAT_STREAM_ROWS) == 0;
	Datum values[2] = {
		Int64GetDatum(number),
		PointerGetDatum(text ? (void *) cstring_to_text_with_len(row->data, row->len) : row->data)};
	bool nulls[2] = {false, false};

	return HeapTupleGetDatum(heap_form_tuple(context->tuple_desc, values, nulls));
}

static void
begin_rows(FunctionCallInfo fcinfo, const CallArguments *args, const char *format)
{
	FuncCallContext *context = SRF_FIRSTCALL_INIT();
	MemoryContext old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
	TupleDesc desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "function does not return rows");
	context->tuple_desc = BlessTupleDesc(desc);
	MemoryContextSwitchTo(old);
	cat_call_reply_begin();
	context->user_fctx =
		begin(fcinfo, args, context->multi_call_memory_ctx, open_rows, format, NULL);
	SPI_finish();
	cat_security_context_return();
}

/* Return the rows of a file one by one. */
static Datum
give_rows(FunctionCallInfo fcinfo, const CallArguments *args, const char *format)
{
	FuncCallContext *context;
	RowsRead *read;
	StringInfoData row;
	int64 number;
	bool more;

	if (SRF_IS_FIRSTCALL())
		begin_rows(fcinfo, args, format);
	context = SRF_PERCALL_SETUP();
	read = context->user_fctx;
	initStringInfo(&row);
	cat_security_context_take();
	more = cat_sheet_stream_row(read->stream, &row, &number);
	cat_security_context_return();
	if (more)
		SRF_RETURN_NEXT(context, make_row(context, number, &row, format));
	finish(fcinfo, read);
	SRF_RETURN_DONE(context);
}

CAT_FUNCTION(catalogue_contents)
{
	return give_rows(fcinfo, &args_contents, CAT_STREAM_ROWS);
}

CAT_FUNCTION(catalogue_rows_of)
{
	return give_rows(fcinfo, &args_rows_of, CAT_STREAM_CELLS);
}
