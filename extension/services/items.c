/*
 * items.c
 *	  Several records in one call, for the HTTP service.
 *
 * Most of the cost of reading a record is that of the call.  Here actor, selection, table and index
 * are looked up once for all records.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "call/call.h"
#include "history/history.h"
#include "read/read.h"

PG_FUNCTION_INFO_V1(catalogue_items);

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

/* Begin a row with space for its length; return its start. */
static int
begin_row(StringInfo out)
{
	int start = out->len;

	appendStringInfoSpaces(out, LENGTH_SIZE);
	return start;
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
		int start = begin_row(out);

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
 * zero byte and the reply in the format of packed.c.
 */
Datum
catalogue_items(PG_FUNCTION_ARGS)
{
	ReadCall call = {0};
	Words ids = words_of(fcinfo, 1);
	Words known = words_of(fcinfo, 5);
	StringInfoData out; /* in the caller's memory context */

	initStringInfo(&out);
	enlargeStringInfo(&out, Min(ids.count, ROWS_USUAL) * ROW_USUAL);
	appendStringInfoSpaces(&out, VARHDRSZ);
	cat_call_reply_begin();
	cat_read_call_begin_many(&call, fcinfo, cat_call_reply_resource(fcinfo), 2, 3);
	cat_read_call_settle_item(&call);
	cat_read_call_head(&call);
	append_rows(&out, &call, &ids, &known);
	cat_read_version_release(call.params);
	cat_call_reply_close();
	SET_VARSIZE(out.data, out.len);
	PG_RETURN_BYTEA_P(out.data);
}
