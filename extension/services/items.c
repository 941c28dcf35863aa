/*
 * items.c
 *	  Several records by one call, for programs.
 *
 * Most of what a record costs is the call around it: who asks, what is
 * selected, the table and its index are looked up once for all.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "call/call.h"
#include "history/history.h"
#include "read/fast/fast.h"
#include "read/read.h"

PG_FUNCTION_INFO_V1(catalogue_items);

#define LENGTH_SIZE sizeof(uint32) /* of the length in front of a row */
#define ROWS_USUAL 16			   /* rows that the shim asks for at once */
#define STATE_SIZE 6			   /* of a SQLSTATE with the byte that ends it */
#define ROW_USUAL 1024			   /* bytes of a record: more is made room for when it comes */

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

/* A word as a string; null and what is not there count as empty. */
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

/* Begin a row: room for its length; gives where it begins. */
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

/* Append that there is no such record: the SQLSTATE of an error and its message. */
static void
append_missing(StringInfo out, const Resource *resource, const char *id)
{
	const char *message = cat_read_missing(resource, id);

	appendBinaryStringInfo(out, unpack_sql_state(OD404), STATE_SIZE);
	appendBinaryStringInfo(out, message, (int) strlen(message) + 1);
}

/* Append a record; of one whose state the caller has nothing is made but its tag. */
static void
append_record(StringInfo out, ReadCall *reader, const Relations *relations, const Rows *rows)
{
	CallReply *reply = &reader->reply;
	bool known = cat_read_call_knows(reader, relations, rows);

	appendStringInfoChar(out, '\0');
	reply->id = NULL;
	if (!known)
		cat_read_call_describe(reader, relations, rows);
	cat_call_reply_append(out, reply);
	if (known)
		return;
	cat_embedding_fetch(reader->selection, rows, reader->params->then);
	cat_json_record(out, reader->selection, rows, 0);
}

/* Append a row for each record that is asked for. */
static void
append_rows(StringInfo out, ReadCall *reader, const Words *ids, const Words *known)
{
	const char **strings = strings_of(ids);
	const Relations *relations = cat_relations_begin(reader->selection);
	Rows *rows = cat_read_rows_then(reader->params, reader->selection, strings, ids->count);

	for (int i = 0; i < ids->count; i++)
	{
		int start = begin_row(out);

		reader->known = word_at(known, i);
		if (rows[i].count == 0)
			rows[i] = cat_read_named_then(reader->params, reader->selection, strings[i]);
		if (rows[i].count == 0)
			append_missing(out, reader->params->resource, strings[i]);
		else
			append_record(out, reader, relations, &rows[i]);
		end_row(out, start);
	}
}

/*
 * Give some records as one value of bytes, a row for each id: its length, 4 bytes in network order;
 * a SQLSTATE and a message, each ended by a byte 0, where there is no such record; else that byte
 * and the reply as packed.c packs it.
 */
Datum
catalogue_items(PG_FUNCTION_ARGS)
{
	ReadCall reader = {0};
	Words ids = words_of(fcinfo, 1);
	Words known = words_of(fcinfo, 5);
	StringInfoData out; /* in the caller's memory, as cat_call_reply_begin() comes later */

	initStringInfo(&out);
	enlargeStringInfo(&out, Min(ids.count, ROWS_USUAL) * ROW_USUAL);
	appendStringInfoSpaces(&out, VARHDRSZ);
	cat_call_reply_begin();
	cat_read_call_begin_many(&reader, fcinfo, cat_call_reply_resource(fcinfo), 2, 3);
	cat_read_call_settle_item(&reader);
	cat_read_call_head(&reader);
	append_rows(&out, &reader, &ids, &known);
	cat_read_version_release(reader.params);
	cat_call_reply_close();
	SET_VARSIZE(out.data, out.len);
	PG_RETURN_BYTEA_P(out.data);
}
