/*
 * call.c - the calls, the only SQL statements of this program, batches of reads, and replies.
 */
#include <arpa/inet.h>

#include "../../extension/call/reply_columns.h"
#include "database/connection_internal.h"

/*
 * ---- Calls that answer several requests ----
 *
 * A call that has not been sent yet will see everything that is committed before it is sent.
 * Therefore another request for the same gets the same answer: a page that hundreds request at once
 * is read a few times only.  Requests for other records of the resource become further rows of one
 * statement, since most of the cost of a record is that of the statement.
 */

#define ROWS_MAXIMUM 16 /* records that one statement gives */

/* Is the value of the function a list of rows, each preceded by its length? */
static bool
returns_rows(const CallSpec *spec)
{
	return spec == &call_specs[CALL_ITEM];
}

/* May the argument differ among the rows of one statement? */
static bool
is_own(const CallSpec *spec, int argument)
{
	return returns_rows(spec) && (spec->arguments[argument] == ARGUMENT_ID ||
								  spec->arguments[argument] == ARGUMENT_KNOWN);
}

/* A hash of the arguments that all rows of a statement have in common. */
static uint32_t
hash_of(const Call *call)
{
	uint32_t hash = TEXT_HASH;

	for (int i = 0; i < call->spec->count; i++)
	{
		if (is_own(call->spec, i) || call->arguments[i] == NULL)
			continue;
		hash = text_hash(hash, call->arguments[i], strlen(call->arguments[i])) + (uint32_t) i;
	}
	return hash;
}

static bool
same_text(const char *one, const char *other)
{
	return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Are the arguments the same; own: those that may differ among rows, else the others? */
static bool
same_arguments(const Call *one, const Call *other, bool own)
{
	for (int i = 0; i < one->spec->count; i++)
		if (is_own(one->spec, i) == own && !same_text(one->arguments[i], other->arguments[i]))
			return false;
	return true;
}

/* The row of a waiting call's result that answers a further call, -1 if none can. */
static int
row_for(const Call *waiting, const Call *call)
{
	if (waiting->alone || waiting->client != call->client || waiting->spec != call->spec ||
		waiting->hash != call->hash || !same_arguments(waiting, call, false))
		return -1;
	if (same_arguments(waiting, call, true))
		return waiting->row;
	for (const Call *other = waiting->joined; other != NULL; other = other->next)
		if (same_arguments(other, call, true))
			return other->row;
	return waiting->rows < ROWS_MAXIMUM ? waiting->rows : -1;
}

/* May several calls share one result?  Requests granted to a key are for one call only. */
static bool
is_joinable(const CallSpec *spec)
{
	return spec->kind != KIND_WRITE && spec->kind != KIND_STREAM &&
		   spec != &call_specs[CALL_USE_KEY];
}

bool
call_batch_join(const CallQueue *queue, Call *call)
{
	Call *waiting;

	call->rows = 1;
	if (call->alone || !is_joinable(call->spec))
		return false;
	call->hash = hash_of(call);
	TAILQ_FOREACH(waiting, &queue->calls, queued)
	{
		int row = row_for(waiting, call);

		if (row < 0)
			continue;
		call->row = row;
		call->next = waiting->joined;
		waiting->joined = call;
		if (row == waiting->rows)
			waiting->rows++;
		return true;
	}
	return false;
}

/* Append an element of an array's text. */
static void
append_element(Buffer *text, const char *element)
{
	buffer_text(text, text->length > 1 ? "," : "");
	if (element == NULL)
	{
		buffer_text(text, "NULL");
		return;
	}
	buffer_text(text, "\"");
	for (const char *c = element; *c; c++)
	{
		if (*c == '"' || *c == '\\')
			buffer_text(text, "\\");
		buffer_append(text, c, 1);
	}
	buffer_text(text, "\"");
}

/* The call that a row answers; of several the last one. */
static const Call *
call_of_row(const Call *call, int row)
{
	const Call *joined = call->joined;

	while (row != call->row && joined->row != row)
		joined = joined->next;
	return row == call->row ? call : joined;
}

/* Append an argument of all rows as an array; false if none of them has one. */
static bool
append_array(Buffer *text, const Call *call, int argument)
{
	bool any = false;

	buffer_text(text, "{");
	for (int row = 0; row < call->rows; row++)
	{
		const char *element = call_of_row(call, row)->arguments[argument];

		any = any || element != NULL;
		append_element(text, element);
	}
	buffer_append(text, "}", sizeof("}"));
	return any;
}

/* Send a call that returns rows; false: the connection is gone. */
static bool
call_batch_send(PGconn *pg, const Call *call)
{
	const CallSpec *spec = call->spec;
	const char *arguments[ARGUMENTS_MAXIMUM];
	Buffer text[ARGUMENTS_MAXIMUM];
	bool sent = true;

	for (int i = 0; i < spec->count; i++)
	{
		buffer_init(&text[i], SIZE_MAX);
		arguments[i] = call->arguments[i];
		if (!is_own(spec, i))
			continue;
		arguments[i] = append_array(&text[i], call, i) || spec->arguments[i] == ARGUMENT_ID
						   ? text[i].data
						   : NULL;
		sent = sent && !text[i].failed;
	}
	sent = sent && PQsendQueryPrepared(pg, spec->function, spec->count, arguments, NULL, NULL,
									   RESULT_BINARY);
	for (int i = 0; i < spec->count; i++)
		buffer_free(&text[i]);
	return sent;
}

/* Let a call share the result of another one; false: no memory. */
static bool
share_result(Call *owner, Call *call)
{
	if (owner->users == NULL)
	{
		owner->users = malloc(sizeof(*owner->users));
		if (owner->users == NULL)
			return false;
		*owner->users = 1;
	}
	++*owner->users;
	call->users = owner->users;
	call->result = owner->result;
	return true;
}

void
call_forget_result(Call *call)
{
	bool last = call->users == NULL || --*call->users == 0;

	if (last)
	{
		PQclear(call->result);
		free(call->users);
	}
	call->result = NULL;
	call->users = NULL;
}

/* Advance to the next row; false at the end. */
static bool
next_row(const char **bytes, size_t *left, CallRow *row)
{
	uint32_t length;

	if (*left < sizeof(length))
		return false;
	memcpy(&length, *bytes, sizeof(length));
	row->bytes = *bytes + sizeof(length);
	row->length = ntohl(length);
	*left -= sizeof(length);
	if (row->length > *left)
		return false;
	*left -= row->length;
	*bytes = row->bytes + row->length;
	return true;
}

/* Split off the SQLSTATE at the beginning of a row: empty, or that of an error and its message. */
static bool
take_state(CallRow *row)
{
	const char *end = memchr(row->bytes, '\0', row->length);

	if (end == NULL)
		return false;
	row->sqlstate = end > row->bytes ? row->bytes : NULL;
	row->length -= (size_t) (end + 1 - row->bytes);
	row->bytes = end + 1;
	return row->sqlstate == NULL || (row->length > 0 && row->bytes[row->length - 1] == '\0');
}

/* The value of a result; false if it does not have the expected shape. */
static bool
call_value(const PGresult *result, CallRow *row)
{
	if (PQntuples(result) < 1 || PQnfields(result) != 1 || PQfformat(result, 0) != RESULT_BINARY)
		return false;
	*row = (CallRow){NULL, PQgetvalue(result, 0, 0), (size_t) PQgetlength(result, 0, 0)};
	return true;
}

bool
call_row(const Call *call, CallRow *row)
{
	const char *bytes;
	size_t left;
	int passed = 0;

	if (!call_value(call->result, row))
		return false;
	if (!returns_rows(call->spec))
		return true;
	bytes = row->bytes;
	left = row->length;
	while (next_row(&bytes, &left, row))
		if (passed++ == call->row)
			return take_state(row);
	return false;
}

/* Make a call again, by itself. */
static void
separate(Database *database, Call *call)
{
	call->alone = true;
	call->row = 0;
	database_submit(database, call);
}

bool
call_batch_retry(Database *database, Call *call)
{
	Call *joined = call->joined;

	if (call->rows == 1 || PQresultStatus(call->result) == PGRES_TUPLES_OK)
		return false;
	call_forget_result(call);
	call->joined = NULL;
	while (joined != NULL)
	{
		Call *next = joined->next;

		separate(database, joined);
		joined = next;
	}
	separate(database, call);
	return true;
}

void
call_batch_finish(Database *database, Call *call, CallResult outcome)
{
	Call *joined = call->joined;

	call->joined = NULL;
	while (joined != NULL)
	{
		Call *next = joined->next;

		if (outcome != RESULT_ANSWER || share_result(call, joined))
			database_finish(joined, outcome);
		else
			separate(database, joined);
		joined = next;
	}
}

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
		.is_list = members[REPLY_LIMIT] != NULL,
		.count = members[REPLY_COUNT] != NULL ? number(members[REPLY_COUNT]) : -1,
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
call_reply_of_result(const PGresult *result, Reply *reply)
{
	CallRow row;

	return call_value(result, &row) && read_packed(&row, reply);
}

bool
call_reply(const Call *call, Reply *reply)
{
	CallRow row;

	return call_row(call, &row) && row.sqlstate == NULL && read_packed(&row, reply);
}

#define PARAMETER_BINARY 1 /* for libpq: an argument is in binary format */

/* Parameters of catalogue.once(): key, digest and function, the arguments of that one, the actor. */
#define ONCE_ARGUMENTS 3 /* index of the first argument of the function */
#define ONCE_ACTOR (ONCE_ARGUMENTS + ARGUMENTS_MAXIMUM)
#define ONCE_STATEMENT \
	"SELECT catalogue.once($1, $2, $3, ARRAY[$4, $5, $6, $7, $8, $9, $10]::text[], $11)"

#define HAS(argument) (ARGUMENT_##argument != ARGUMENT_NONE)
#define SPEC(name, function, kind, trait, summary, a, b, c, d, e, f, g, ...)                \
	[CALL_##name] = {function,                                                              \
					 KIND_##kind,                                                           \
					 TRAIT_##trait,                                                         \
					 summary,                                                               \
					 HAS(a) + HAS(b) + HAS(c) + HAS(d) + HAS(e) + HAS(f) + HAS(g),          \
					 {ARGUMENT_##a, ARGUMENT_##b, ARGUMENT_##c, ARGUMENT_##d, ARGUMENT_##e, \
					  ARGUMENT_##f, ARGUMENT_##g}},

const CallSpec call_specs[CALL_NAMES] = {
#define PATH(...)
#define CALL(...) SPEC(__VA_ARGS__, NONE, NONE, NONE, NONE, NONE, NONE, NONE)
#include "database/endpoints.h"
};

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
	/* Does the function return a value, not a reply? */
	snprintf(text, size,
			 (spec == &call_specs[CALL_RECORD] || spec == &call_specs[CALL_BLOB_BYTES] ||
			  spec == &call_specs[CALL_ITEM])
				 ? "SELECT catalogue.%s(%.*s)"
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
