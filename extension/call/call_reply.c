/*
 * call_reply.c
 *	  Start and end of an API call; its result of type catalogue.reply, also as one binary value.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "call/call.h"
#include "call/reply_columns.h"

/*
 * ---- A reply as a single value in a binary format ----
 *
 * Sending and parsing a row of so many columns costs more than reading the record.
 */

/*
 * Append the members of a reply except its data: each as text terminated by a zero byte, in the
 * order of catalogue.reply; a missing one is empty.  The data follow, up to the end.
 */
static void
packed_append(StringInfo out, const char *const *members)
{
	for (int i = 0; i < REPLY_COLUMNS; i++)
	{
		if (i == REPLY_DATA)
			continue;
		if (members[i])
			cat_json_text_bytes(out, members[i], (int) strlen(members[i]));
		appendStringInfoCharMacro(out, '\0');
	}
}

/* Return a reply in the packed format. */
CAT_FUNCTION(catalogue_packed)
{
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(ARG_PACKED_REPLY);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	TupleDesc desc =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	Datum values[REPLY_COLUMNS];
	bool nulls[REPLY_COLUMNS];
	const char *members[REPLY_COLUMNS];
	StringInfoData packed;

	if (desc->natts != REPLY_COLUMNS)
		elog(ERROR, "not of type catalogue.reply");
	heap_deform_tuple(&tuple, desc, values, nulls);
	for (int i = 0; i < REPLY_COLUMNS; i++)
		members[i] =
			nulls[i] ? NULL : cat_statement_value_text(TupleDescAttr(desc, i)->atttypid, values[i]);
	ReleaseTupleDesc(desc);
	initStringInfo(&packed);
	appendStringInfoSpaces(&packed, VARHDRSZ);
	packed_append(&packed, members);
	if (members[REPLY_DATA])
		cat_json_text_bytes(&packed, members[REPLY_DATA], (int) strlen(members[REPLY_DATA]));
	SET_VARSIZE(packed.data, packed.len);
	PG_RETURN_BYTEA_P(packed.data);
}

void
cat_call_reply_begin(void)
{
	cat_security_context_take();
	cat_statement_trim();
	SPI_connect();
	cat_registry_begin();
}

void
cat_call_reply_format(CallReply *reply, const char *format, ...)
{
	va_list values;
	int needed = -1;

	reply->data = makeStringInfo();
	while (needed != 0)
	{
		if (needed > 0)
			enlargeStringInfo(reply->data, needed);
		va_start(values, format);
		needed = appendStringInfoVA(reply->data, format, values);
		va_end(values);
	}
}

/* Set a column of type text; null for NULL. */
static void
set_text(Datum *values, bool *nulls, int column, const char *text)
{
	nulls[column] = text == NULL;
	if (text)
		values[column] = CStringGetTextDatum(text);
}

/* Set a column that describes the page; null if the reply is not a list. */
static void
set_page(Datum *values, bool *nulls, const CallReply *reply, int column, Datum value)
{
	values[column] = value;
	nulls[column] = !reply->is_list;
}

/* Return the reply as a row of the function's result type, in the caller's memory context. */
static Datum
make_row(FunctionCallInfo fcinfo, const CallReply *reply)
{
	Datum values[REPLY_COLUMNS];
	bool nulls[REPLY_COLUMNS];
	TupleDesc desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE ||
		desc->natts != REPLY_COLUMNS)
		elog(ERROR, "function does not return catalogue.reply");
	set_text(values, nulls, REPLY_RESOURCE, reply->resource);
	set_text(values, nulls, REPLY_ID, reply->id);
	set_text(values, nulls, REPLY_RELATIONS, reply->relations);
	nulls[REPLY_DATA] = reply->data == NULL;
	if (reply->data)
		values[REPLY_DATA] =
			PointerGetDatum(cstring_to_text_with_len(reply->data->data, reply->data->len));
	set_page(values, nulls, reply, REPLY_COUNT, Int64GetDatum(reply->count));
	nulls[REPLY_COUNT] |= reply->estimated;
	set_page(values, nulls, reply, REPLY_LIMIT, Int32GetDatum(reply->limit));
	set_page(values, nulls, reply, REPLY_SKIP, Int64GetDatum(reply->skip));
	set_page(values, nulls, reply, REPLY_RETURNED, Int32GetDatum(reply->returned));
	set_text(values, nulls, REPLY_VERSION,
			 reply->version ? cat_json_text_instant(reply->version) : NULL);
	set_text(values, nulls, REPLY_IGNORED, reply->ignored);
	set_text(values, nulls, REPLY_ETAG, reply->etag);
	set_text(values, nulls, REPLY_NEXT, reply->next);
	set_text(values, nulls, REPLY_PREVIOUS, reply->previous);
	set_text(values, nulls, REPLY_LINKS, reply->links);
	set_text(values, nulls, REPLY_META, reply->meta);
	return HeapTupleHeaderGetDatum(
		SPI_returntuple(heap_form_tuple(BlessTupleDesc(desc), values, nulls), desc));
}

/* Return a number of the page as text; NULL if the reply is not a list. */
static char *
number_text(const CallReply *reply, int64 number)
{
	char *text;

	if (!reply->is_list)
		return NULL;
	text = palloc(MAXINT8LEN + 1);
	pg_lltoa(number, text);
	return text;
}

/* Fill in the members of a reply in the order of catalogue.packed(), except the data. */
static void
set_members(const char **members, const CallReply *reply)
{
	members[REPLY_RESOURCE] = reply->resource;
	members[REPLY_ID] = reply->id;
	members[REPLY_RELATIONS] = reply->relations;
	members[REPLY_DATA] = NULL;
	members[REPLY_COUNT] = reply->estimated ? NULL : number_text(reply, reply->count);
	members[REPLY_LIMIT] = number_text(reply, reply->limit);
	members[REPLY_SKIP] = number_text(reply, reply->skip);
	members[REPLY_RETURNED] = number_text(reply, reply->returned);
	members[REPLY_VERSION] = reply->version ? cat_json_text_instant(reply->version) : NULL;
	members[REPLY_IGNORED] = reply->ignored;
	members[REPLY_ETAG] = reply->etag;
	members[REPLY_NEXT] = reply->next;
	members[REPLY_PREVIOUS] = reply->previous;
	members[REPLY_LINKS] = reply->links;
	members[REPLY_META] = reply->meta;
}

void
cat_call_reply_append(StringInfo out, const CallReply *reply)
{
	const char *members[REPLY_COLUMNS];

	set_members(members, reply);
	packed_append(out, members);
}

void
cat_call_reply_close(void)
{
	cat_registry_end();
	SPI_finish();
	cat_security_context_return();
}

Datum
cat_call_reply_end(FunctionCallInfo fcinfo, const CallReply *reply)
{
	Datum result = make_row(fcinfo, reply);

	cat_call_reply_close();
	return result;
}

Datum
cat_call_reply_run(FunctionCallInfo fcinfo,
				   void (*answer)(FunctionCallInfo fcinfo, CallReply *reply))
{
	CallReply reply = {0};

	cat_call_reply_begin();
	answer(fcinfo, &reply);
	return cat_call_reply_end(fcinfo, &reply);
}

const char *
cat_call_reply_argument(FunctionCallInfo fcinfo, int number)
{
	return PG_ARGISNULL(number) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(number));
}

const char *
cat_call_reply_optional(FunctionCallInfo fcinfo, int number)
{
	return PG_ARGISNULL(number) ? NULL : cat_call_reply_argument(fcinfo, number);
}

/* Return the name of an argument of the called function, for messages; palloc'd. */
static const char *
argument_name(FunctionCallInfo fcinfo, int number)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	Oid *types;
	char **names;
	char *modes;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "function %u is not in the cache", fcinfo->flinfo->fn_oid);
	(void) get_func_arg_info(tuple, &types, &names, &modes);
	ReleaseSysCache(tuple);
	return names[number];
}

const char *
cat_call_reply_required(FunctionCallInfo fcinfo, int number)
{
	if (PG_ARGISNULL(number))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" of function \"%s\" is null", argument_name(fcinfo, number),
						get_func_name(fcinfo->flinfo->fn_oid))));
	return cat_call_reply_argument(fcinfo, number);
}

Resource *
cat_call_reply_resource(FunctionCallInfo fcinfo, int number)
{
	return cat_registry_resource(cat_call_reply_required(fcinfo, number));
}

bool
cat_call_reply_argument_is(FunctionCallInfo fcinfo, int number, const char *word)
{
	return strcmp(cat_call_reply_argument(fcinfo, number), word) == 0;
}
