/*
 * export.c
 *	  Pages of lists, and whole lists, as CSV or newline-delimited JSON, in pieces.
 *
 * Each call returns one piece from a cursor, so memory use does not depend on the length of the
 * list, and all of it is read in one snapshot.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "executor/execdesc.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"

#include "base/byte_order_mark.h"
#include "read/list_internal.h"
#include "read/pieces.h"

/* Minimum and maximum number of records per fetch. */
#define BATCH_FIRST 20
#define BATCH_MAX 200

/* Number of records of an earlier instant whose related ones are read at once: each reading of a
 * resource as it was then takes about as long, however many records are wanted of it. */
#define HELD_MAX 1000

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
	bool bom; /* a byte order mark precedes the names of CSV */
	Selection *selection;
	TimestampTz then; /* instant whose state is read, 0 for the present */
	bool whole;		  /* the list is not reduced to catalogue.max_limit */
	Portal portal;	  /* NULL: the cursor is exhausted, */
	Rows rows;		  /* or the page was read at once into these rows */
	int batch;		  /* number of records of the next fetch */
	/* Of records of an earlier instant with related ones, else NULL: memory of those that were read
	 * last, and of what is related to the first records of the rows, of which there are so many. */
	MemoryContext held;
	int ready;
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
lasting_selection(const ReadCall *call, const Format *format, MemoryContext lasting)
{
	MemoryContext old = MemoryContextSwitchTo(lasting);
	Selection *selection =
		cat_selection_params(call->plan.params, &call->actor, call->plan.selection->embedded);

	if (format->shape)
		format->shape(selection);
	MemoryContextSwitchTo(old);
	return selection;
}

/* Open a cursor for the page; a page that needs several statements is read at once. */
static void
open_page(Export *export, ReadPlan *plan, MemoryContext lasting)
{
	SqlBuilder query;

	export->then = plan->params->then;
	if (export->then && export->selection->embeds != NIL)
		export->held =
			AllocSetContextCreate(lasting, "catalogue export held", ALLOCSET_DEFAULT_SIZES);
	if (plan->params->cursor || (cat_search_is_served(plan->params) && !export->whole))
	{
		export->rows = lasting_rows(cat_list_page_read(plan, false), lasting);
		return;
	}
	cat_sql_builder_begin(&query, plan->selection->access, plan->params->then);
	cat_list_page_range_write(&query, plan, false, plan->params->limit, plan->params->skip);
	export->portal = cat_sql_builder_cursor(&query);
}

/* Read a call up to its list; the reply describes the page. */
static Export *
begin(ReadCall *call, const Format *format, bool whole, MemoryContext lasting)
{
	Export *export = MemoryContextAllocZero(lasting, sizeof(Export));
	ReadPlan *plan = &call->plan;

	export->format = format;
	export->whole = whole;
	plan->selection = lasting_selection(call, format, lasting);
	export->selection = plan->selection;
	cat_read_state(call);
	if (plan->source.relation)
		cat_record_require_owner(plan);
	cat_read_list(call);
	cat_read_head(call);
	call->reply.id = plan->source.owner;
	call->reply.count = cat_count_read(plan);
	call->reply.returned =
		(int) Max(0, Min(call->reply.count - plan->params->skip, plan->params->limit));
	open_page(export, plan, lasting);
	cat_read_version_release(plan->params);
	export->batch = BATCH_FIRST;
	export->bom = plan->params->bom;
	return export;
}

/* Begin to export a page of a list, as PieceWriter.begin. */
static void *
begin_page(FunctionCallInfo fcinfo, MemoryContext lasting, const void *of, CallReply *reply)
{
	ReadCall call = {0};
	const Source *source = &call.plan.source;
	const Format *format;
	Export *export;

	if (PG_ARGISNULL(ARG_EXPORT_RELATION))
		cat_read_begin(&call, fcinfo, cat_call_reply_resource(fcinfo, ARG_EXPORT_RESOURCE),
					   &args_export);
	else
		cat_read_begin_related(&call, fcinfo, &args_export);
	format = find_format(cat_call_reply_argument(fcinfo, ARG_EXPORT_FORMAT));
	if (source->relation && source->relation->kind == RELATION_TO_ONE)
		ereport(ERROR, (errcode(OD406), errmsg("\"%s\" is no list", source->relation->name)));
	export = begin(&call, format, false, lasting);
	*reply = call.reply;
	return export;
}

/* Begin to export all records of a list, or as many as the request asks for, as PieceWriter.begin. */
static void *
begin_whole(FunctionCallInfo fcinfo, MemoryContext lasting, const void *of, CallReply *reply)
{
	ReadCall call = {0};
	RequestParams *params;
	Export *export;

	cat_read_begin(&call, fcinfo, cat_call_reply_resource(fcinfo, ARG_EXPORT_WHOLE_RESOURCE),
				   &args_export_whole);
	params = call.plan.params;
	params->limit = params->given_limit > 0 ? (int) Min(params->given_limit, INT_MAX) : INT_MAX;
	export = begin(&call, find_format("ndjson"), true, lasting);
	*reply = call.reply;
	reply->limit = params->given_limit > 0 ? params->limit : 0;
	return export;
}

static void
write_rows(const Export *export, StringInfo out, const Rows *rows)
{
	MemoryContext scratch =
		AllocSetContextCreate(CurrentMemoryContext, "catalogue export", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	if (!export->held)
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

/* Read the next records of the cursor into the rows. */
static void
read_held(Export *export)
{
	SPITupleTable *table;
	Rows rows;

	SPI_cursor_fetch(export->portal, true, HELD_MAX);
	table = SPI_tuptable;
	rows = cat_rows_of_statement();
	export->rows = lasting_rows(rows, export->held);
	SPI_freetuptable(table);
}

/* Read what is related to the next records, with the snapshot of the cursor if there is one. */
static void
hold(Export *export)
{
	MemoryContext old;
	Rows some;

	MemoryContextReset(export->held);
	if (export->portal)
		read_held(export);
	some = export->rows;
	some.count = export->ready = Min(some.count, HELD_MAX);
	if (export->portal)
		PushActiveSnapshot(export->portal->queryDesc->snapshot);
	old = MemoryContextSwitchTo(export->held);
	cat_embedding_fetch(export->selection, &some, export->then);
	MemoryContextSwitchTo(old);
	if (!export->portal)
		return;
	PopActiveSnapshot();
	if (some.count < HELD_MAX)
	{
		SPI_cursor_close(export->portal);
		export->portal = NULL;
	}
}

/* Append one batch of the rows that were read at once. */
static int
write_kept(Export *export, StringInfo out)
{
	Rows some;

	if (export->held && export->ready == 0)
		hold(export);
	some = export->rows;
	some.count = Min(export->held ? export->ready : some.count, export->batch);
	write_rows(export, out, &some);
	if (export->held)
		export->ready -= some.count;
	export->rows.tuples += some.count;
	export->rows.count -= some.count;
	return some.count;
}

static void
write_batch(Export *export, StringInfo out)
{
	int start = out->len;
	int64 written =
		export->portal && !export->held ? write_fetched(export, out) : write_kept(export, out);

	/* as many as fill a piece, estimated from the batch just written */
	if (out->len > start)
		export->batch = (int) Max(1, Min(BATCH_MAX, written * PIECE_BYTES / (out->len - start)));
}

/* Append the byte order mark and the names of the fields, if the format has them, as PieceWriter.head. */
static void
write_head(const void *state, StringInfo out)
{
	const Export *export = state;

	if (!export->format->head)
		return;
	appendStringInfoString(out, export->bom ? BYTE_ORDER_MARK : "");
	export->format->head(out, export->selection);
	appendStringInfoString(out, export->format->line_end);
}

/* Append the next records, as PieceWriter.piece. */
static void
write_piece(void *state, FunctionCallInfo fcinfo, StringInfo out)
{
	Export *export = state;

	while ((export->portal || export->rows.count > 0) && out->len < PIECE_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		write_batch(export, out);
	}
}

CAT_FUNCTION(catalogue_export)
{
	static const PieceWriter writer = {begin_page, write_head, write_piece};

	return cat_pieces_next(fcinfo, &writer, NULL);
}

CAT_FUNCTION(catalogue_export_whole)
{
	static const PieceWriter writer = {begin_whole, write_head, write_piece};

	return cat_pieces_next(fcinfo, &writer, NULL);
}
