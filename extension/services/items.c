/*
 * items.c
 *	  Several records by their ids, and the versions of a record.
 *
 * Most of the cost of reading a record is that of the call.  Here actor, selection, table and index
 * are looked up once for all records.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "port/pg_bswap.h"
#include "utils/array.h"

#include "read/read.h"

/* A state and the instant of its beginning. */
typedef struct Version
{
	TimestampTz since;
	HeapTuple tuple;
} Version;

/* Return the beginning of a state before which no change is known: its updated_at. */
static TimestampTz
time_of(const Resource *resource, HeapTuple tuple)
{
	bool isnull;
	Resource *known = unconstify(Resource *, resource);

	return DatumGetTimestampTz(heap_getattr(tuple, cat_registry_column(known, "updated_at")->attno,
											resource->desc, &isnull));
}

/*
 * Add a state, newer than those before it, unless it was not visible or began after the instant of
 * the read.  since: 0 if no change before it is known.
 */
static List *
add_version(List *versions, const RequestParams *params, TimestampTz since, HeapTuple tuple)
{
	Version *version;

	if (since == 0)
		since = time_of(params->resource, tuple);
	if (!cat_visibility_record(params->resource, tuple, params->access) || since > params->version)
		return versions;
	version = palloc(sizeof(Version));
	version->since = since;
	version->tuple = tuple;
	return lcons(version, versions);
}

/* Read the states of a record before each of its changes, as far as they are kept, oldest first. */
static Rows
former_states(const RequestParams *params, const char *id)
{
	SqlBuilder query;

	if (!params->resource->history_table)
		return cat_rows_whole(params->resource, 0);
	cat_sql_builder_begin(&query, params->access, DT_NOBEGIN);
	cat_history_sql_states(&query, params->resource, id);
	cat_sql_builder_run(&query);
	return cat_rows_whole_of_statement(params->resource);
}

/* Return all states of a record, newest first: List of Version *. */
static List *
versions_of(const RequestParams *params, const char *id, HeapTuple present)
{
	Resource *resource = params->resource;
	List *versions = NIL;
	TimestampTz since = 0;
	Rows states = former_states(params, id);

	for (int i = 0; i < states.count; i++)
	{
		HeapTuple tuple = states.tuples[i];
		bool isnull;

		/* before its creation it did not exist */
		if (!heap_attisnull(tuple, resource->created_at, resource->desc))
			versions = add_version(versions, params, since, tuple);
		since = DatumGetTimestampTz(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
												  resource->nfields + 1, &isnull));
	}
	return add_version(versions, params, since, present);
}

/* Append a record with an additional member, the beginning of its state. */
static void
append_version(StringInfo data, const Selection *selection, Rows *row, const Version *version)
{
	row->tuples[0] = version->tuple;
	cat_json_record(data, selection, row, 0);
	data->data[--data->len] = '\0';
	appendStringInfoString(data, ",\"version\":\"");
	cat_json_text_timestamp(data, version->since);
	appendStringInfoString(data, "\"}");
}

static void
answer_versions(const RequestParams *params, const Selection *selection, List *versions,
				CallReply *reply)
{
	Rows row = cat_rows_whole(params->resource, 1);

	reply->data = makeStringInfo();
	appendStringInfoChar(reply->data, '[');
	for (int64 i = params->skip; i < list_length(versions) && reply->returned < params->limit; i++)
	{
		if (reply->returned++ > 0)
			appendStringInfoChar(reply->data, ',');
		append_version(reply->data, selection, &row, list_nth(versions, (int) i));
	}
	appendStringInfoChar(reply->data, ']');
	reply->count = list_length(versions);
	reply->limit = params->limit;
	reply->skip = params->skip;
	reply->is_list = true;
}

CAT_REPLY(catalogue_versions)
{
	Actor actor;
	const char *id;
	RequestParams *params;
	Selection *selection;
	Rows rows;

	cat_actor_read(fcinfo, 3, &actor);
	cat_visibility_require(cat_call_reply_resource(fcinfo), actor.access);
	params = cat_request_params_read(cat_call_reply_resource(fcinfo),
									 cat_call_reply_argument(fcinfo, 2), &actor);
	cat_ignored_require_known_params(params);
	id = cat_named_id(params->resource, cat_call_reply_required(fcinfo, 1), actor.access);
	selection = cat_selection_params(params, &actor, false);
	if (selection->embeds != NIL)
		ereport(ERROR, (errcode(OD400), errmsg("cannot include records in versions")));
	cat_read_version_settle(params, list_make1(params->resource->name));
	rows = cat_rows_by_id(params->resource, id, params->access);
	if (rows.count == 0)
		ereport(ERROR,
				(errcode(OD404), errmsg("%s \"%s\" does not exist", params->resource->model, id)));
	reply->etag = cat_etag_of_version(params->version, list_make1(params->resource->name), params);
	if (!cat_etag_is_among(cat_call_reply_argument(fcinfo, 4), reply->etag))
		answer_versions(params, selection, versions_of(params, id, rows.tuples[0]), reply);
	reply->resource = params->resource->name;
	reply->id = id;
	reply->version = params->version;
	reply->ignored = cat_ignored_of_params(params);
	cat_read_version_release(params);
}

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
	const char *message = cat_read_missing(resource, id);

	appendBinaryStringInfo(out, unpack_sql_state(OD404), STATE_SIZE);
	appendBinaryStringInfo(out, message, (int) strlen(message) + 1);
}

/* Append a record; only its entity tag if the caller has its state already. */
static void
append_record(StringInfo out, ReadCall *call, const Relations *relations, const Rows *rows)
{
	CallReply *reply = &call->reply;
	bool known = cat_read_call_knows(call, relations, rows);

	appendStringInfoChar(out, '\0');
	reply->id = NULL;
	if (!known)
		cat_read_call_describe(call, relations, rows);
	cat_call_reply_append(out, reply);
	if (known)
		return;
	cat_embedding_fetch(call->selection, rows, call->params->then);
	cat_json_record(out, call->selection, rows, 0);
}

/* Append a row for each requested record. */
static void
append_rows(StringInfo out, ReadCall *call, const Words *ids, const Words *known)
{
	const char **strings = strings_of(ids);
	const Relations *relations = cat_relations_begin(call->selection);
	Rows *rows = cat_read_rows_then(call->params, call->selection, strings, ids->count);

	for (int i = 0; i < ids->count; i++)
	{
		int start = out->len;

		appendStringInfoSpaces(out, LENGTH_SIZE);
		call->known = word_at(known, i);
		if (rows[i].count == 0)
			rows[i] = cat_read_named_then(call->params, call->selection, strings[i]);
		if (rows[i].count == 0)
			append_missing(out, call->params->resource, strings[i]);
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
	Words ids = words_of(fcinfo, 1);
	Words known = words_of(fcinfo, 5);
	StringInfo out = makeStringInfo(); /* in the caller's memory context */

	enlargeStringInfo(out, Min(ids.count, ROWS_USUAL) * ROW_USUAL);
	appendStringInfoSpaces(out, VARHDRSZ);
	cat_call_reply_begin();
	cat_read_call_begin_many(&call, fcinfo, cat_call_reply_resource(fcinfo), 2, 3);
	cat_read_call_settle_item(&call);
	cat_read_call_head(&call);
	append_rows(out, &call, &ids, &known);
	cat_read_version_release(call.params);
	cat_call_reply_close();
	SET_VARSIZE(out->data, out->len);
	PG_RETURN_BYTEA_P(out->data);
}
