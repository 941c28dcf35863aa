/*
 * call.c - the calls, the only SQL statements of this program, and their replies, parsed in place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../extension/call/reply_columns.h"
#include "database/connection_internal.h"
#include "database/reply.h"

/* Split off the members, except the data: their texts, NULL if empty. */
static bool
take_members(const char **bytes, size_t *length, const char **members)
{
	for (ReplyColumn column = 0; column < REPLY_COLUMNS; column++)
	{
		const char *end;

		if (column == REPLY_DATA)
			continue;
		end = memchr(*bytes, '\0', *length);
		if (end == NULL)
			return false;
		members[column] = end > *bytes ? *bytes : NULL;
		*length -= (size_t) (end + 1 - *bytes);
		*bytes = end + 1;
	}
	return true;
}

static int64_t
number(const char *text)
{
	return text != NULL ? strtoll(text, NULL, 10) : 0;
}

/* Read a packed reply; false if it is malformed. */
static bool
read_packed(const CallRow *row, Reply *reply)
{
	const char *members[REPLY_COLUMNS];
	const char *bytes = row->bytes;
	size_t length = row->length;

	if (!take_members(&bytes, &length, members))
		return false;
	*reply = (Reply){
		.resource = members[REPLY_RESOURCE],
		.id = members[REPLY_ID],
		.relations = members[REPLY_RELATIONS],
		.data = length > 0 ? bytes : NULL,
		.data_length = length,
		.has_count = members[REPLY_COUNT] != NULL,
		.count = number(members[REPLY_COUNT]),
		.limit = number(members[REPLY_LIMIT]),
		.skip = number(members[REPLY_SKIP]),
		.returned = number(members[REPLY_RETURNED]),
		.version = members[REPLY_VERSION],
		.ignored = members[REPLY_IGNORED],
		.etag = members[REPLY_ETAG],
		.next = members[REPLY_NEXT],
		.previous = members[REPLY_PREVIOUS],
		.links = members[REPLY_LINKS],
		.meta = members[REPLY_META],
	};
	return true;
}

bool
reply_of_result(const PGresult *result, Reply *reply)
{
	CallRow row;

	return call_value(result, &row) && read_packed(&row, reply);
}

bool
reply_of_call(const Call *call, Reply *reply)
{
	CallRow row;

	return call_row(call, &row) && row.state == NULL && read_packed(&row, reply);
}

#define PARAMETER_BINARY 1 /* for libpq: an argument is in binary format */

/* Parameters of catalogue.once(): key, digest and function, the arguments of that one, the actor. */
#define ONCE_ARGUMENTS 3 /* index of the first argument of the function */
#define ONCE_ACTOR (ONCE_ARGUMENTS + ARGUMENTS_MAXIMUM)
#define ONCE_STATEMENT \
	"SELECT catalogue.once($1, $2, $3, ARRAY[$4, $5, $6, $7, $8, $9, $10]::text[], $11)"

#define HAS(argument) (ARGUMENT_##argument != ARGUMENT_NONE)
#define SPEC(name, function, kind, summary, a, b, c, d, e, f, g, ...)                       \
	[CALL_##name] = {function,                                                              \
					 KIND_##kind,                                                           \
					 summary,                                                               \
					 HAS(a) + HAS(b) + HAS(c) + HAS(d) + HAS(e) + HAS(f) + HAS(g),          \
					 {ARGUMENT_##a, ARGUMENT_##b, ARGUMENT_##c, ARGUMENT_##d, ARGUMENT_##e, \
					  ARGUMENT_##f, ARGUMENT_##g}},
#define CALL(...) SPEC(__VA_ARGS__, NONE, NONE, NONE, NONE, NONE, NONE, NONE)

const CallSpec call_specs[CALL_NAMES] = {
#include "database/calls_list.h"
};

/* Does the function return a value, not a reply? */
static bool
returns_value(const CallSpec *spec)
{
	return spec == &call_specs[CALL_RECORD] || spec == &call_specs[CALL_BLOB_BYTES] ||
		   spec == &call_specs[CALL_ITEM];
}

bool
call_takes(const CallSpec *spec, Argument argument)
{
	for (int i = 0; i < spec->count; i++)
		if (spec->arguments[i] == argument)
			return true;
	return false;
}

void
call_statement(const CallSpec *spec, char *text, size_t size)
{
	static const char parameters[] = "$1, $2, $3, $4, $5, $6, $7";
	int length = spec->count > 0 ? spec->count * 4 - 2 : 0;

	if (spec == &call_specs[CALL_ONCE])
	{
		snprintf(text, size, ONCE_STATEMENT);
		return;
	}
	snprintf(text, size,
			 returns_value(spec) ? "SELECT catalogue.%s(%.*s)"
								 : "SELECT catalogue.packed(catalogue.%s(%.*s))",
			 spec->function, length, parameters);
}

/* Send the call of a request with an Idempotency-Key; false: the connection is gone. */
static bool
send_once(PGconn *pg, const Call *call)
{
	const char *values[ONCE_ACTOR + 1] = {call->key, call->digest, call->spec->function};

	for (int i = 0; i < call->spec->count; i++)
	{
		values[ONCE_ARGUMENTS + i] = call->arguments[i];
		if (call->spec->arguments[i] == ARGUMENT_ACTOR)
			values[ONCE_ACTOR] = call->arguments[i];
	}
	return PQsendQueryPrepared(pg, call_specs[CALL_ONCE].function, lengthof(values), values, NULL,
							   NULL, RESULT_BINARY);
}

bool
call_send(PGconn *pg, const Call *call)
{
	const CallSpec *spec = call->spec;
	int lengths[ARGUMENTS_MAXIMUM] = {0};
	int formats[ARGUMENTS_MAXIMUM] = {0};

	if (spec == &call_specs[CALL_ITEM])
		return call_batch_send(pg, call);
	if (call->digest != NULL)
		return send_once(pg, call);
	if (call->bytes == 0)
		return PQsendQueryPrepared(pg, spec->function, spec->count, call->arguments, NULL, NULL,
								   RESULT_BINARY);
	lengths[call->bytes - 1] = call->length;
	formats[call->bytes - 1] = PARAMETER_BINARY;
	return PQsendQueryPrepared(pg, spec->function, spec->count, call->arguments, lengths, formats,
							   RESULT_BINARY);
}
