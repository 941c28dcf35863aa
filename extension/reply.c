/*
 * reply.c
 *	  Start and end of a call of the API: catalogue.reply.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"

/*
 * Begin a call: SPI is open until reply_end(), and memory lives until then; the rights are those
 * of authority.c.
 */
void
reply_begin(void)
{
	authority_take();
	plan_trim();
	SPI_connect();
	registry_begin();
	generation_begin();
}

static void
set_text(Datum *values, bool *nulls, int column, const char *text)
{
	nulls[column] = text == NULL;
	if (text)
		values[column] = CStringGetTextDatum(text);
}

static void
set_page(Datum *values, bool *nulls, const Reply *reply)
{
	values[4] = Int64GetDatum(reply->count);
	values[5] = Int32GetDatum(reply->limit);
	values[6] = Int64GetDatum(reply->skip);
	values[7] = Int32GetDatum(reply->returned);
	for (int i = 4; i <= 7; i++)
		nulls[i] = !reply->is_list;
}

/* The reply as a row of the function's result type, in the caller's memory. */
static Datum
make_row(FunctionCallInfo fcinfo, const Reply *reply)
{
	Datum values[REPLY_COLUMNS];
	bool nulls[REPLY_COLUMNS];
	TupleDesc desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE ||
		desc->natts != REPLY_COLUMNS)
		elog(ERROR, "function does not return catalogue.reply");
	set_text(values, nulls, 0, reply->resource);
	set_text(values, nulls, 1, reply->id);
	set_text(values, nulls, 2, reply->relations);
	nulls[REPLY_DATA] = reply->data == NULL;
	if (reply->data)
		values[REPLY_DATA] =
			PointerGetDatum(cstring_to_text_with_len(reply->data->data, reply->data->len));
	set_page(values, nulls, reply);
	set_text(values, nulls, 8, reply->version ? json_instant(reply->version) : NULL);
	set_text(values, nulls, 9, reply->ignored);
	set_text(values, nulls, 10, reply->etag);
	set_text(values, nulls, 11, reply->next);
	set_text(values, nulls, 12, reply->previous);
	set_text(values, nulls, 13, reply->generation);
	return HeapTupleHeaderGetDatum(
		SPI_returntuple(heap_form_tuple(BlessTupleDesc(desc), values, nulls), desc));
}

/* A number of the page as text; NULL where there is no page. */
static char *
number_text(const Reply *reply, int64 number)
{
	char *text;

	if (!reply->is_list)
		return NULL;
	text = palloc(MAXINT8LEN + 1);
	pg_lltoa(number, text);
	return text;
}

/* What catalogue.packed() gives of a reply, but for the data. */
static void
set_members(const char **members, const Reply *reply)
{
	members[0] = reply->resource;
	members[1] = reply->id;
	members[2] = reply->relations;
	members[REPLY_DATA] = NULL;
	members[4] = number_text(reply, reply->count);
	members[5] = number_text(reply, reply->limit);
	members[6] = number_text(reply, reply->skip);
	members[7] = number_text(reply, reply->returned);
	members[8] = reply->version ? json_instant(reply->version) : NULL;
	members[9] = reply->ignored;
	members[10] = reply->etag;
	members[11] = reply->next;
	members[12] = reply->previous;
	members[13] = reply->generation;
}

/* The reply as catalogue.packed() gives it, in the caller's memory. */
static Datum
make_packed(const Reply *reply)
{
	const char *members[REPLY_COLUMNS];

	set_members(members, reply);
	return packed_make(members, reply->data ? reply->data->data : NULL,
					   reply->data ? reply->data->len : 0, SPI_palloc);
}

/* Append a reply as catalogue.packed() gives it, whose data the caller appends. */
void
reply_append(StringInfo out, const Reply *reply)
{
	const char *members[REPLY_COLUMNS];

	set_members(members, reply);
	packed_append(out, members);
}

/* End a call, whatever it gives. */
void
reply_close(void)
{
	registry_end();
	generation_end();
	SPI_finish();
	authority_return();
}

/* End a call: the reply as a row, or packed where the call is planned so (packed.c). */
Datum
reply_end(FunctionCallInfo fcinfo, const Reply *reply)
{
	bool packed = get_fn_expr_rettype(fcinfo->flinfo) == BYTEAOID;
	Datum result = packed ? make_packed(reply) : make_row(fcinfo, reply);

	reply_close();
	return result;
}

/* An argument of type text as a string; a null counts as empty. */
const char *
reply_argument(FunctionCallInfo fcinfo, int number)
{
	return PG_ARGISNULL(number) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(number));
}

/* Whether an argument of type text is this word. */
bool
reply_argument_is(FunctionCallInfo fcinfo, int number, const char *word)
{
	return strcmp(reply_argument(fcinfo, number), word) == 0;
}
