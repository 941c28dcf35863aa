/*
 * idempotency.c
 *	  A change that is made once, however often it is requested with the same key.
 *
 * The reply is stored in the transaction of the change: either both are there or neither.  While the
 * first request is executed, an advisory lock on the key lets the others be refused.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "batch/batch_internal.h"
#include "call/call.h"
#include "pg/lock_class.h"
#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_once);

#define KEY_MAXIMUM 255 /* bytes of a key */
#define ARGUMENTS_MAX 7 /* of a call */

typedef struct RepeatableCall
{
	const char *function;
	int count;
	const char *arguments; /* with the casts of texts to their types */
} RepeatableCall;

static const RepeatableCall calls[] = {
	{"create", 6, "$1, $2::json, $3, $4, $5::jsonb, $6"},
	{"batch", 6, "$1::json, $2, $3, $4::jsonb, $5, $6::boolean"},
	{"create_rows", 7, "$1, $2, $3, $4, $5, $6::jsonb, $7"},
	{"import", 3, "$1::json, $2::jsonb, $3::boolean"},
	{"restore", 6, "$1, $2, $3, $4, $5::jsonb, $6"},
	{"deactivate", 6, "$1, $2, $3, $4, $5::jsonb, $6"},
	{"undo", 4, "$1, $2, $3, $4::jsonb"},
	{"send_email", 4, "$1::json, $2, $3::jsonb, $4::boolean"},
	{"cancel_job", 2, "$1, $2::jsonb"},
	{"refresh_file", 2, "$1, $2::jsonb"},
	{"upload_finish", 7, "$1, $2::json, $3::json, $4, $5, $6::jsonb, $7"},
};

typedef struct Once
{
	char owner[ID_LENGTH + CONSUMER_LENGTH + 2]; /* who makes the request: user and consumer */
	const char *key;
	const char *digest; /* of the request */
} Once;

/* Return the call of a name; raises OD400. */
static const RepeatableCall *
call_of(const char *name)
{
	for (size_t i = 0; i < lengthof(calls); i++)
		if (strcmp(calls[i].function, name) == 0)
			return &calls[i];
	ereport(ERROR, (errcode(OD400), errmsg("function \"%s\" takes no Idempotency-Key", name)));
}

/* Raise OD400 unless the key has 1 to KEY_MAXIMUM visible characters of ASCII. */
static void
check_key(const char *key)
{
	size_t length = strlen(key);

	for (const char *c = key; *c != '\0'; c++)
		if (*c <= ' ' || *c > '~')
			length = 0;
	if (length == 0 || length > KEY_MAXIMUM)
		ereport(ERROR,
				(errcode(OD400),
				 errmsg("Idempotency-Key takes 1 to %d visible characters of ASCII", KEY_MAXIMUM)));
}

/* Take the key until the end of the transaction; OD409 where another request has it. */
static void
take_key(const Once *once)
{
	const char *name = psprintf("%s/%s", once->owner, once->key);
	uint64 hash = hash_bytes_extended((const unsigned char *) name, (int) strlen(name), 0);
	LOCKTAG tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (hash >> 32), (uint32) hash,
						 CAT_LOCK_IDEMPOTENCY);
	if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		ereport(ERROR, (errcode(OD409),
						errmsg("a request with this Idempotency-Key is still being executed")));
}

/* Run a statement whose first parameters are owner, key and digest. */
static void
run_statement(const Once *once, const char *sql, Datum reply, int nargs)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID, BYTEAOID};
	Datum values[] = {CStringGetTextDatum(once->owner), CStringGetTextDatum(once->key),
					  CStringGetTextDatum(once->digest), reply};

	cat_statement_run(sql, nargs, types, values, NULL, true, 0);
}

/* Return the reply of an earlier request with the key; false where there was none.  OD422 where that
 * was another request. */
static bool
find_reply(const Once *once, Datum *reply)
{
	bool isnull;

	run_statement(
		once,
		"SELECT i.reply, i.digest = $3 FROM catalogue.idempotency i "
		"WHERE i.owner = $1 AND i.key = $2 AND i.created_at > now() - interval '24 hours'",
		(Datum) 0, 3);
	if (SPI_processed == 0)
		return false;
	if (!cat_result_bool(2))
		ereport(ERROR,
				(errcode(OD422), errmsg("this Idempotency-Key was used for another request")));
	*reply = SPI_datumTransfer(cat_result_datum(1, &isnull), false, -1);
	return true;
}

/* Make the call, with the rights of the caller, and return its reply as catalogue.packed() does. */
static Datum
make_call(const RepeatableCall *call, ArrayType *arguments)
{
	Oid types[ARGUMENTS_MAX];
	char nulls[ARGUMENTS_MAX];
	Datum *values;
	bool *missing;
	Datum reply;
	bool isnull;
	int count;

	deconstruct_array(arguments, TEXTOID, -1, false, TYPALIGN_INT, &values, &missing, &count);
	if (count < call->count || count > ARGUMENTS_MAX)
		ereport(ERROR, (errcode(OD400),
						errmsg("function \"%s\" takes %d arguments", call->function, call->count)));
	for (int i = 0; i < call->count; i++)
	{
		types[i] = TEXTOID;
		nulls[i] = missing[i] ? 'n' : ' ';
	}
	SPI_connect();
	cat_statement_run(
		psprintf("SELECT catalogue.packed(catalogue.%s(%s))", call->function, call->arguments),
		call->count, types, values, nulls, true, 0);
	reply = SPI_datumTransfer(cat_result_datum(1, &isnull), false, -1);
	SPI_finish();
	return reply;
}

static void
store_reply(const Once *once, Datum reply)
{
	cat_call_reply_begin();
	run_statement(once,
				  "INSERT INTO catalogue.idempotency AS i (owner, key, digest, reply) "
				  "VALUES ($1, $2, $3, $4) ON CONFLICT (owner, key) DO UPDATE "
				  "SET digest = excluded.digest, reply = excluded.reply, created_at = now()",
				  reply, 4);
	cat_call_reply_close();
}

Datum
catalogue_once(PG_FUNCTION_ARGS)
{
	Once once = {.key = cat_call_reply_required(fcinfo, 0),
				 .digest = cat_call_reply_required(fcinfo, 1)};
	const RepeatableCall *call = call_of(cat_call_reply_required(fcinfo, 2));
	Datum reply = (Datum) 0;
	Actor actor;
	bool found;

	check_key(once.key);
	if (PG_ARGISNULL(3))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("argument \"arguments\" of function \"once\" is null")));
	cat_call_reply_begin();
	cat_actor_read(fcinfo, 4, &actor);
	/* the keys of all who have no credential would be one space: one would get the reply of another */
	if (!actor.trusted && actor.user[0] == '\0' && actor.consumer[0] == '\0')
		ereport(ERROR, (errcode(OD401), errmsg("an Idempotency-Key needs a credential")));
	/* no id of a user has a colon */
	snprintf(once.owner, sizeof(once.owner), "%s/%s", actor.trusted ? ":database" : actor.user,
			 actor.consumer);
	take_key(&once);
	found = find_reply(&once, &reply);
	if (found)
		cat_replay_require(&actor, call->function, PG_GETARG_ARRAYTYPE_P(3), reply);
	cat_call_reply_close();
	if (!found)
	{
		reply = make_call(call, PG_GETARG_ARRAYTYPE_P(3));
		store_reply(&once, reply);
	}
	PG_RETURN_DATUM(reply);
}
