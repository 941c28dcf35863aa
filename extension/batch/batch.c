/*
 * batch.c
 *	  Several changes in one transaction: the execution of their parts.
 *
 * All parts are executed in one subtransaction.  If one fails, they are executed again, each in a
 * subtransaction of its own, so that the errors of all parts are known; then all is undone.  The
 * parts run with the rights of the caller, as the functions that they call take their own.
 */
#include "catalogue.h"

#include "utils/jsonb.h"
#include "utils/jsonfuncs.h"

#include "batch/batch_internal.h"
#include "query/query.h"

Batch
cat_batch_begin(FunctionCallInfo fcinfo, const CallArguments *args)
{
	return (Batch){.wanted = cat_call_reply_argument(fcinfo, args->return_),
				   .relations = cat_call_reply_argument(fcinfo, args->relations),
				   .actor = PG_GETARG_DATUM(args->actor),
				   .no_actor = PG_ARGISNULL(args->actor),
				   .address = cat_call_reply_optional(fcinfo, args->address),
				   .results = makeStringInfo(),
				   .faults = makeStringInfo()};
}

void
cat_batch_add_fault(Batch *batch, int number, int code, const char *message, const char *detail)
{
	int line = batch->parts[number - 1].line;

	/* there is nothing at the path of a model */
	if (code == OD308)
	{
		code = OD404;
		detail = NULL;
	}
	if (batch->nfaults++ > 0)
		appendStringInfoChar(batch->faults, ',');
	appendStringInfo(batch->faults, "{\"part\":%d,", number);
	if (batch->rows)
		appendStringInfo(batch->faults, "\"line\":%d,", line);
	appendStringInfo(batch->faults, "\"status\":%s,\"message\":%s,\"data\":%s}",
					 unpack_sql_state(code) + 2, cat_json_quoted(message),
					 detail && *detail == '{' ? detail : "{}");
	if (batch->nfaults == 1)
	{
		batch->code = code;
		batch->message = psprintf("%s %d: %s", batch->rows ? "line" : "part",
								  batch->rows ? line : number, message);
	}
	else if (batch->code != code)
		batch->code = OD400;
}

/* Add the errors that were found in a part before it is executed. */
static void
add_errors(Batch *batch, int number, List *errors)
{
	batch->parts[number - 1].failed = true;
	cat_batch_add_fault(batch, number, OD400,
						cat_validation_error_is_full(errors)
							? psprintf("invalid part: %s", cat_validation_error_count(errors))
							: "invalid part",
						cat_validation_error_json(errors));
}

/* Return the elements of the array "parts"; raises OD400. */
static List *
elements_of(List *members, List *errors)
{
	const Member *parts = cat_body_member(members, "parts");
	List *elements = NIL;

	if (!parts || parts->kind == MEMBER_NULL)
		cat_validation_error_add(&errors, "parts", "required", NULL, "is required");
	else if (parts->kind != MEMBER_ARRAY)
		cat_validation_error_add(&errors, "parts", "type", parts, "takes an array");
	else
	{
		elements = cat_body_elements(parts->raw);
		if (elements == NIL || list_length(elements) > BATCH_PARTS_MAX)
			cat_validation_error_add(&errors, "parts", "maxLength", NULL,
									 psprintf("takes 1 to %d parts", BATCH_PARTS_MAX));
	}
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
	return elements;
}

static void
read_parts(Batch *batch, List *elements)
{
	batch->parts = palloc0(sizeof(Part) * list_length(elements));
	foreach_ptr(Member, member, elements)
	{
		List *errors = NIL;

		batch->count++;
		cat_batch_part_read(&batch->parts[batch->count - 1], batch->count, member, &errors);
		if (errors)
			add_errors(batch, batch->count, errors);
	}
}

/* Check the actor, and that its key is for the method of each part. */
static void
check_methods(Batch *batch, FunctionCallInfo fcinfo)
{
	MemoryContext outer = CurrentMemoryContext;
	Actor actor;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, ARG_BATCH_ACTOR, &actor);
	MemoryContextSwitchTo(outer);
	for (int i = 0; i < batch->count; i++)
	{
		Part *part = &batch->parts[i];

		if (part->failed || !part->operation ||
			cat_consumer_may_send(&actor, part->operation->method))
			continue;
		part->failed = true;
		cat_batch_add_fault(batch, i + 1, OD403, "this key is not for the method", NULL);
	}
	cat_call_reply_close();
}

/* Append the result of a part, which is the row of the last statement. */
static void
append_result(StringInfo out, int number, const Part *part)
{
	static const struct
	{
		const char *format;
		int column;
	} members[] = {{",\"data\":%s", 3}, {",\"ignored\":%s", 4}, {",\"meta\":{%s}", 5}};

	appendStringInfo(out, "%s{\"part\":%d,\"status\":%d,\"resource\":%s,\"id\":%s",
					 number > 1 ? "," : "", number, part->operation->status,
					 cat_json_quoted(cat_result_text(1)), cat_json_quoted(part->id));
	for (size_t i = 0; i < lengthof(members); i++)
	{
		const char *text = cat_result_text(members[i].column);

		if (text)
			appendStringInfo(out, members[i].format, text);
	}
	appendStringInfoChar(out, '}');
}

/* Return the id in the path of a part, NULL for none. */
static const char *
id_of(const Batch *batch, const Part *part)
{
	const char *id = part->words[1];
	int number = id ? cat_batch_part_reference(id, strlen(id)) : -1;

	return number < 0 ? id : batch->parts[number - 1].id;
}

/* Return the id of a part in place of a reference to it. */
static text *
fill_string(void *state, char *text, int length)
{
	const Batch *batch = state;
	int number = cat_batch_part_reference(text, (size_t) length);

	return cstring_to_text(number >= 0 ? batch->parts[number - 1].id
									   : text + cat_batch_part_is_doubled(text));
}

/* Return the body of a part as the function of its request takes it, NULL for none. */
static const char *
body_of(const Batch *batch, const Part *part)
{
	if (part->row)
		return cat_batch_rows_body(batch->rows, part);
	if (!part->filled)
		return part->body;
	return text_to_cstring(transform_json_string_values(cstring_to_text(part->body),
														unconstify(Batch *, batch), fill_string));
}

/* Execute one part, which is the step batch->next. */
static void
run_part(void *argument)
{
	Batch *batch = argument;
	Part *part = &batch->parts[batch->next];
	StatementParam id = text_param(id_of(batch, part));
	StatementParam body = text_param(body_of(batch, part));

	body.type = JSONOID;
	cat_statement_fresh(
		part->operation->sql, text_param(part->words[0]), id, body, text_param(batch->wanted),
		text_param(batch->relations), ((StatementParam){JSONBOID, batch->actor, batch->no_actor}),
		text_param(part->match), text_param(batch->address), text_param(part->words[2]));
	part->id = cat_result_text(2);
	append_result(batch->results, batch->next + 1, part);
	SPI_freetuptable(SPI_tuptable);
}

static void
run_all(void *argument)
{
	Batch *batch = argument;

	for (batch->next = 0; batch->next < batch->count; batch->next++)
		run_part(batch);
}

/* Whether a part refers to one that failed. */
static bool
depends_on_failed(const Batch *batch, const Part *part)
{
	foreach_int(reference, part->references)
		if (batch->parts[reference - 1].failed)
			return true;
	return false;
}

/* Execute the parts one by one, and add the faults of those that fail. */
static void
collect_faults(Batch *batch)
{
	for (batch->next = 0; batch->next < batch->count; batch->next++)
	{
		Part *part = &batch->parts[batch->next];
		ErrorData *error = NULL;

		part->failed |= depends_on_failed(batch, part);
		if (part->failed)
			continue;
		error = cat_statement_in_subtransaction(run_part, batch);
		if (!error)
			continue;
		if (!cat_validation_error_is_fault(error))
			ReThrowError(error);
		part->failed = true;
		if (strncmp(unpack_sql_state(error->sqlerrcode), "OD", 2) == 0)
			cat_batch_add_fault(batch, batch->next + 1, error->sqlerrcode, error->message,
								error->detail);
		else
			cat_batch_add_fault(batch, batch->next + 1, OD400, "the part is not valid", NULL);
	}
}

/* Execute all parts, or none: then raise the faults of all. */
static void
run_batch(Batch *batch)
{
	ErrorData *error = NULL;

	if (batch->nfaults == 0)
	{
		error = cat_statement_in_subtransaction(run_all, batch);
		if (!error)
			return;
		if (!cat_validation_error_is_fault(error))
			ReThrowError(error);
	}
	/* rows that cannot be read are reported alone */
	if (!batch->rows || batch->nfaults == 0)
		collect_faults(batch);
	if (batch->nfaults == 0)
		ReThrowError(error);
	/* 405 would be about the path of the batch */
	ereport(ERROR, (errcode(batch->code == OD405 ? OD400 : batch->code),
					batch->nfaults == 1 ? errmsg("%s", batch->message)
										: errmsg("%d of %d %s are at fault", batch->nfaults,
												 batch->count, batch->rows ? "rows" : "parts"),
					errdetail_internal("{\"faults\":[%s]}", batch->faults->data)));
}

Datum
cat_batch_run(Batch *batch, FunctionCallInfo fcinfo, CallReply *reply)
{
	appendStringInfoChar(batch->results, '[');
	SPI_connect();
	run_batch(batch);
	SPI_finish();
	appendStringInfoChar(batch->results, ']');
	reply->data = batch->results;
	cat_call_reply_begin();
	return cat_call_reply_end(fcinfo, reply);
}

CAT_FUNCTION(catalogue_batch)
{
	CallReply reply = {0};
	List *members = cat_body_argument(fcinfo, ARG_BATCH_BODY);
	List *errors = NIL;
	Batch batch = cat_batch_begin(fcinfo, &args_batch);

	reply.ignored = cat_ignored_of_members(fcinfo, ARG_BATCH_STRICT, members,
										   list_make1(pstrdup("parts")), &errors);
	read_parts(&batch, elements_of(members, errors));
	check_methods(&batch, fcinfo);
	return cat_batch_run(&batch, fcinfo, &reply);
}
