/*
 * export.c
 *	  Pages of lists as CSV or newline-delimited JSON, in pieces.
 *
 * Each call returns one piece from a cursor, so memory use does not depend on the length of the
 * page, and the whole page is read in one snapshot.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "executor/execdesc.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"

#include "read/read.h"

/* Size in bytes from which on a piece is sent. */
#define PIECE_BYTES 65536

/* Minimum and maximum number of records per fetch. */
#define BATCH_FIRST 20
#define BATCH_MAX 200

/* A format of records. */
typedef struct Format
{
	const char *name;
	void (*shape)(Selection *selection); /* prepares the selection; NULL for none */
	void (*head)(StringInfo out, const Selection *selection); /* appends a header; NULL for none */
	RecordWriter record;
	const char *line_end;
} Format;

/* A line has no other line end than its own. */
static void
write_line(StringInfo out, const Selection *selection, const Rows *rows, int row)
{
	int start = out->len;

	cat_json_record(out, selection, rows, row);
	/*
	 * Replace the line ends in the JSON text that begins at start, which are white space, by
	 * spaces.
	 */
	for (char *c = out->data + start; (c = strpbrk(c, "\n\r")) != NULL; c++)
		*c = ' ';
}

static const Format formats[] = {
	{"csv", cat_csv_shape, cat_csv_names, cat_csv_record, "\r\n"},
	{"ndjson", NULL, NULL, write_line, "\n"},
};

typedef struct Export
{
	const Format *format;
	Selection *selection;
	TimestampTz then; /* instant whose state is read, 0 for the present */
	Portal portal;	  /* NULL: the cursor is exhausted, */
	Rows rows;		  /* or the page was read at once into these rows */
	int batch;		  /* number of records of the next fetch */
} Export;

static const Format *
find_format(const char *name)
{
	for (size_t i = 0; i < lengthof(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	ereport(ERROR, (errcode(OD406), errmsg("lists cannot be exported as \"%s\"", name),
					errhint("It takes csv or ndjson.")));
}

/*
 * Set the relation of a source; return its target.  Raises OD406 if the relation leads to one
 * record.
 */
static Resource *
find_related(Resource *resource, const char *name, AccessLevel access, Source *source)
{
	source->relation = cat_registry_relation(resource, name);
	if (!source->relation || !cat_visibility_relation(source->relation, access))
		ereport(ERROR,
				(errcode(OD404), errmsg("%s has no relation \"%s\"", resource->model, name)));
	if (source->relation->kind == RELATION_TO_ONE)
		ereport(ERROR, (errcode(OD406), errmsg("\"%s\" is no list", name)));
	return cat_registry_resource(source->relation->target);
}

/* Copy records into the memory context of the export; that of a call is reset after the call. */
static Rows
lasting_rows(Rows rows, MemoryContext lasting)
{
	MemoryContext old = MemoryContextSwitchTo(lasting);
	HeapTuple *tuples = palloc(sizeof(HeapTuple) * (rows.count + 1));

	for (int i = 0; i < rows.count; i++)
		tuples[i] = heap_copytuple(rows.tuples[i]);
	rows.tuples = tuples;
	rows.desc = CreateTupleDescCopy(rows.desc);
	MemoryContextSwitchTo(old);
	return rows;
}

/* Return the selection in the memory context of the export. */
static Selection *
lasting_selection(const RequestParams *params, const Actor *actor, bool embedded,
				  const Format *format, MemoryContext lasting)
{
	MemoryContext old = MemoryContextSwitchTo(lasting);
	Selection *selection = cat_selection_params(params, actor, embedded);

	if (format->shape)
		format->shape(selection);
	MemoryContextSwitchTo(old);
	return selection;
}

/* Open a cursor for the page; a page that needs several statements is read at once. */
static void
open_page(Export *export, const RequestParams *params, const Source *source, MemoryContext lasting)
{
	SqlBuilder query;

	export->then = params->then;
	if (cat_search_is_served(params) || params->cursor)
	{
		export->rows =
			lasting_rows(cat_list_page_read(params, source, export->selection, false), lasting);
		return;
	}
	cat_sql_builder_begin(&query, export->selection->access, params->then);
	cat_list_page_write(&query, params, source, export->selection);
	export->portal = cat_sql_builder_cursor(&query);
}

/* Fill in the reply like catalogue.list(), except the data. */
static void
describe(const RequestParams *params, const Source *source, CallReply *reply)
{
	int64 count = cat_list_page_count(params, source);

	reply->is_list = true;
	reply->resource = params->resource->name;
	reply->count = count;
	reply->limit = params->limit;
	reply->skip = params->skip;
	reply->returned = (int) Max(0, Min(count - params->skip, params->limit));
	reply->version = params->version;
	reply->ignored = cat_ignored_of_params(params);
}

/* Begin an export; the reply describes the page. */
static Export *
begin(FunctionCallInfo fcinfo, MemoryContext lasting, CallReply *reply)
{
	Export *export = MemoryContextAllocZero(lasting, sizeof(Export));
	Resource *resource = cat_call_reply_resource(fcinfo);
	Actor actor;
	Source source = {NULL, NULL, cat_call_reply_argument(fcinfo, 1)};
	RequestParams *params;

	cat_actor_read(fcinfo, 5, &actor);
	cat_consumer_require(&actor, resource->name);
	cat_visibility_require(resource, actor.access);
	export->format = find_format(cat_call_reply_argument(fcinfo, 6));
	if (!PG_ARGISNULL(2))
	{
		source.resource = resource;
		source.owner = cat_named_id(resource, source.owner, actor.access);
		reply->id = source.owner;
		resource =
			find_related(resource, cat_call_reply_argument(fcinfo, 2), actor.access, &source);
		cat_visibility_require(resource, actor.access);
	}
	params = cat_request_params_read(resource, cat_call_reply_argument(fcinfo, 3), &actor);
	cat_ignored_require_known_params(params);
	export->selection = lasting_selection(
		params, &actor, cat_call_reply_argument_is(fcinfo, 4, "embedded"), export->format, lasting);
	cat_read_version_settle(params, cat_read_dependencies(params, export->selection, &source));
	if (source.relation)
		cat_read_require_owner(&source, params);
	describe(params, &source, reply);
	open_page(export, params, &source, lasting);
	cat_read_version_release(params);
	export->batch = BATCH_FIRST;
	return export;
}

static void
write_rows(const Export *export, StringInfo out, const Rows *rows)
{
	MemoryContext scratch =
		AllocSetContextCreate(CurrentMemoryContext, "catalogue export", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	cat_embedding_fetch(export->selection, rows, export->then);
	old = MemoryContextSwitchTo(scratch);
	for (int i = 0; i < rows->count; i++)
	{
		export->format->record(out, export->selection, rows, i);
		appendStringInfoString(out, export->format->line_end);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

/*
 * Append one fetch of the cursor, which is closed at the end of the page.
 *
 * Embedded records are read with the snapshot of the cursor.
 */
static int
write_fetched(Export *export, StringInfo out)
{
	SPITupleTable *table;
	Rows rows;

	SPI_cursor_fetch(export->portal, true, export->batch);
	table = SPI_tuptable;
	rows = cat_rows_of_statement();
	PushActiveSnapshot(export->portal->queryDesc->snapshot);
	write_rows(export, out, &rows);
	PopActiveSnapshot();
	SPI_freetuptable(table);
	if (rows.count < export->batch)
	{
		SPI_cursor_close(export->portal);
		export->portal = NULL;
	}
	return rows.count;
}

/* Append one batch of the rows that were read at once. */
static int
write_kept(Export *export, StringInfo out)
{
	Rows some = export->rows;

	some.count = Min(some.count, export->batch);
	write_rows(export, out, &some);
	export->rows.tuples += some.count;
	export->rows.count -= some.count;
	return some.count;
}

static void
write_batch(Export *export, StringInfo out)
{
	int start = out->len;
	int64 written = export->portal ? write_fetched(export, out) : write_kept(export, out);

	/* as many as fill a piece, estimated from the batch just written */
	if (out->len > start)
		export->batch = (int) Max(1, Min(BATCH_MAX, written * PIECE_BYTES / (out->len - start)));
}

static void
write_piece(Export *export, StringInfo out)
{
	while ((export->portal || export->rows.count > 0) && out->len < PIECE_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		write_batch(export, out);
	}
}

CAT_FUNCTION(catalogue_export)
{
	FuncCallContext *context;
	CallReply reply = {0};
	Export *export;
	bool first = SRF_IS_FIRSTCALL();

	cat_call_reply_begin();
	reply.data = makeStringInfo();
	if (first)
	{
		context = SRF_FIRSTCALL_INIT();
		context->user_fctx = begin(fcinfo, context->multi_call_memory_ctx, &reply);
	}
	context = SRF_PERCALL_SETUP();
	export = context->user_fctx;
	cat_statement_timeout_resume();
	if (first && export->format->head)
	{
		export->format->head(reply.data, export->selection);
		appendStringInfoString(reply.data, export->format->line_end);
	}
	write_piece(export, reply.data);
	if (!first && reply.data->len == 0)
	{
		SPI_finish();
		cat_security_context_return();
		SRF_RETURN_DONE(context);
	}
	cat_statement_timeout_pause();
	SRF_RETURN_NEXT(context, cat_call_reply_end(fcinfo, &reply));
}
