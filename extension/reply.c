/*
 * reply.c
 *	  Start and end of a call of the API: catalogue.reply.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"

#define REPLY_COLUMNS 13

/* Begin a call: SPI is open until reply_end(), and memory lives until then. */
void
reply_begin(void)
{
	plan_trim();
	SPI_connect();
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

/* End a call: the reply as a row of the function's result type, in the caller's memory. */
Datum
reply_end(FunctionCallInfo fcinfo, const Reply *reply)
{
	Datum values[REPLY_COLUMNS];
	bool nulls[REPLY_COLUMNS];
	TupleDesc desc;
	HeapTupleHeader row;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE ||
		desc->natts != REPLY_COLUMNS)
		elog(ERROR, "function does not return catalogue.reply");
	set_text(values, nulls, 0, reply->resource);
	set_text(values, nulls, 1, reply->id);
	set_text(values, nulls, 2, reply->relations);
	nulls[3] = reply->data == NULL;
	if (reply->data)
		values[3] = PointerGetDatum(cstring_to_text_with_len(reply->data->data, reply->data->len));
	set_page(values, nulls, reply);
	set_text(values, nulls, 8, reply->version ? json_instant(reply->version) : NULL);
	set_text(values, nulls, 9, reply->ignored);
	set_text(values, nulls, 10, reply->etag);
	set_text(values, nulls, 11, reply->next);
	set_text(values, nulls, 12, reply->previous);
	row = SPI_returntuple(heap_form_tuple(BlessTupleDesc(desc), values, nulls), desc);
	SPI_finish();
	return HeapTupleHeaderGetDatum(row);
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
