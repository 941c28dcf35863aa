/*
 * call.c - the calls: the only SQL statements of this program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database/connection_internal.h"

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
