/*
 * item.c
 *	  SQL functions that read one record: item, first, last, a to-one relation; and several by their ids.
 */
#include "catalogue.h"

#include "port/pg_bswap.h"
#include "utils/array.h"

#include "read/list_internal.h"

/* Append the first record as JSON. */
static void
write_record(StringInfo data, const Selection *selection, const Rows *rows, TimestampTz then)
{
	Selection own = *selection;

	if (selection->own && cat_record_is_reader(selection->resource, rows))
		own.fields = selection->own;
	cat_embedding_fetch(&own, rows, then);
	cat_json_record(data, &own, rows, 0);
}

/* Return the first record as JSON. */
static StringInfo
only_record(const Selection *selection, const Rows *rows, TimestampTz then)
{
	StringInfo data = makeStringInfo();

	write_record(data, selection, rows, then);
	return data;
}

StringInfo
cat_item_read(const Selection *selection, const char *id)
{
	Rows rows = cat_rows_by_id(selection->resource, id, selection->access);

	return rows.count == 1 ? only_record(selection, &rows, 0) : NULL;
}

/* Answer with the first record, without data if the client has its state already. */
static void
answer_record(ReadCall *call, const Rows *rows)
{
	const Relations *relations = cat_embedding_relations_begin(call->plan.selection);
	bool known = cat_read_knows(call, relations, rows);

	cat_read_describe(call, relations, rows);
	if (!known)
		call->reply.data = only_record(call->plan.selection, rows, call->plan.params->then);
}

CAT_FUNCTION(catalogue_item)
{
	ReadCall call = {0};
	const char *id = cat_call_reply_required(fcinfo, ARG_ITEM_ID);
	Rows rows;

	cat_call_reply_begin();
	cat_read_begin(&call, fcinfo, cat_call_reply_resource(fcinfo, ARG_ITEM_RESOURCE), &args_item);
	call.known = cat_call_reply_argument(fcinfo, ARG_ITEM_KNOWN);
	cat_read_state_item(&call);
	rows = cat_record_named(call.plan.params, id);
	if (rows.count == 0)
		cat_record_not_found(call.plan.params->resource, id);
	answer_record(&call, &rows);
	return cat_read_end(&call, fcinfo);
}

/*
 * Answer with the record at one end of a list.
 *
 * It is read again by its id, since links and entity tag need the row as it is stored; not with the
 * parameter "deleted", because a deleted record is not found by its id.
 */
static Datum
answer_end(FunctionCallInfo fcinfo, const CallArguments *args, bool backwards)
{
	ReadCall call = {0};
	RequestParams *params;
	Rows rows;

	cat_call_reply_begin();
	cat_read_begin(&call, fcinfo, cat_call_reply_resource(fcinfo, args->resource), args);
	call.known = cat_call_reply_argument(fcinfo, args->known);
	cat_read_state_record(&call);
	params = call.plan.params;
	params->limit = 1;
	params->skip = 0;
	params->cursor = NULL;
	rows = cat_list_page_read(&call.plan, backwards);
	if (rows.count == 0)
		ereport(ERROR, (errcode(OD404), errmsg("there is no such %s", params->resource->model)));
	if (!params->deleted)
		rows = cat_record_then(params, params->resource, cat_record_id(params->resource, &rows, 0));
	answer_record(&call, &rows);
	return cat_read_end(&call, fcinfo);
}

CAT_FUNCTION(catalogue_first)
{
	return answer_end(fcinfo, &args_first, false);
}

CAT_FUNCTION(catalogue_last)
{
	return answer_end(fcinfo, &args_last, true);
}

/*
 * Return the id in a to-one key of a record, in its state at the instant of the read.  Raises OD404
 * if the key is null or the record is not visible.
 */
static char *
related_id(const ReadCall *call)
{
	const Source *source = &call->plan.source;
	Rows rows = cat_record_then(call->plan.params, source->resource, source->owner);
	char *key;

	if (rows.count == 0)
		cat_record_not_found(source->resource, source->owner);
	key = SPI_getvalue(rows.tuples[0], rows.desc,
					   cat_registry_field(source->resource, source->relation->name)->attno);
	if (!key)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" has no \"%s\"", source->resource->model,
											   source->owner, source->relation->name)));
	return key;
}

void
cat_item_answer_related(ReadCall *call)
{
	const RequestParams *params = call->plan.params;
	char *id = related_id(call);
	Rows rows = cat_record_then(params, params->resource, id);

	if (rows.count == 0)
		cat_record_not_found(params->resource, id);
	answer_record(call, &rows);
}

/*
 * ---- Several records ----
 *
 * Most of the cost of reading a record is that of the call.  Here actor, selection, table
 * and index are looked up once for all records.
 */

#define LENGTH_SIZE sizeof(uint32) /* size of the length before a row */
#define ROWS_USUAL 16			   /* usual number of records per call */
#define STATE_SIZE 6			   /* size of a SQLSTATE with its terminating zero byte */
#define ROW_USUAL 1024			   /* initial space per record in bytes */

/* An argument of type text[]. */
typedef struct Words
{
	int count;
	Datum *values;
	bool *nulls;
} Words;

static Words
words_of(FunctionCallInfo fcinfo, int number)
{
	Words words = {0};

	if (!PG_ARGISNULL(number))
		deconstruct_array(PG_GETARG_ARRAYTYPE_P(number), TEXTOID, -1, false, TYPALIGN_INT,
						  &words.values, &words.nulls, &words.count);
	return words;
}

/* Return a word as a string; "" for null or a missing one. */
static const char *
word_at(const Words *words, int i)
{
	return i < words->count && !words->nulls[i] ? TextDatumGetCString(words->values[i]) : "";
}

static const char **
strings_of(const Words *words)
{
	const char **strings = palloc(sizeof(char *) * (words->count + 1));

	for (int i = 0; i < words->count; i++)
		strings[i] = word_at(words, i);
	return strings;
}

static void
end_row(StringInfo out, int start)
{
	uint32 length = pg_hton32((uint32) (out->len - start - LENGTH_SIZE));

	memcpy(out->data + start, &length, LENGTH_SIZE);
}

/* Append the SQLSTATE and message for a missing record. */
static void
append_missing(StringInfo out, const Resource *resource, const char *id)
{
	const char *message = cat_record_missing(resource, id);

	appendBinaryStringInfo(out, unpack_sql_state(OD404), STATE_SIZE);
	appendBinaryStringInfo(out, message, (int) strlen(message) + 1);
}

/* Append a record; only its entity tag if the caller has its state already. */
static void
append_record(StringInfo out, ReadCall *call, const Relations *relations, const Rows *rows)
{
	CallReply *reply = &call->reply;
	bool known = cat_read_knows(call, relations, rows);

	appendStringInfoChar(out, '\0');
	reply->id = NULL;
	if (!known)
		cat_read_describe(call, relations, rows);
	cat_call_reply_append(out, reply);
	if (known)
		return;
	write_record(out, call->plan.selection, rows, call->plan.params->then);
}

/* Append a row for each requested record. */
static void
append_rows(StringInfo out, ReadCall *call, const Words *ids, const Words *known)
{
	const char **strings = strings_of(ids);
	const Relations *relations = cat_embedding_relations_begin(call->plan.selection);
	Rows *rows = cat_record_each(call->plan.params, strings, ids->count);

	for (int i = 0; i < ids->count; i++)
	{
		int start = out->len;

		appendStringInfoSpaces(out, LENGTH_SIZE);
		call->known = word_at(known, i);
		if (rows[i].count == 0)
			rows[i] = cat_record_named(call->plan.params, strings[i]);
		if (rows[i].count == 0)
			append_missing(out, call->plan.params->resource, strings[i]);
		else
			append_record(out, call, relations, &rows[i]);
		end_row(out, start);
	}
}

/*
 * Return several records as one bytea, a row for each id: its length, 4 bytes in network order;
 * then either a SQLSTATE and a message, each terminated by a zero byte, for a missing record; or a
 * zero byte and the reply in the format of call_reply.c.
 */
CAT_FUNCTION(catalogue_items)
{
	ReadCall call = {0};
	Words ids = words_of(fcinfo, ARG_ITEMS_IDS);
	Words known = words_of(fcinfo, ARG_ITEMS_KNOWN);
	StringInfo out = makeStringInfo(); /* in the caller's memory context */

	enlargeStringInfo(out, Min(ids.count, ROWS_USUAL) * ROW_USUAL);
	appendStringInfoSpaces(out, VARHDRSZ);
	cat_call_reply_begin();
	cat_read_begin(&call, fcinfo, cat_call_reply_resource(fcinfo, ARG_ITEMS_RESOURCE), &args_items);
	cat_read_state_item(&call);
	cat_read_head(&call);
	append_rows(out, &call, &ids, &known);
	cat_read_version_release(call.plan.params);
	cat_call_reply_close();
	SET_VARSIZE(out->data, out->len);
	PG_RETURN_BYTEA_P(out->data);
}
