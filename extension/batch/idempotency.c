/*
 * idempotency.c
 *	  A change that is made once for a key, and the rights to its reply when that is repeated.
 *
 * The reply is stored in the transaction of the change: either both are there or neither.  While the
 * first request is executed, an advisory lock on the key lets the others be refused.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lock.h"

#include "batch/batch_internal.h"
#include "call/reply_columns.h"
#include "pg/pg.h"

/*
 * ---- Rights to a reply that was kept: those that the change needs, as they are now ----
 *
 * A role, a rule or an API key may have been changed since the reply was kept.
 */

#define ACTIONS 4

/* A function, and what its reply needs when it is given again, besides the method of the request. */
typedef struct RepeatableCall
{
	const char *function;
	int count;
	const char *arguments;		  /* with the casts of texts to their types */
	const char *resource;		  /* NULL: that of the reply */
	const char *actions[ACTIONS]; /* one of them; none: no rule is asked */
} RepeatableCall;

static const RepeatableCall calls[] = {
	{"create", 6, "$1, $2::json, $3, $4, $5::jsonb, $6", NULL, {"create"}},
	{"batch", 6, "$1::json, $2, $3, $4::jsonb, $5, $6::boolean", NULL, {NULL}},
	{"create_rows", 7, "$1, $2, $3, $4, $5, $6::jsonb, $7", NULL, {NULL}},
	{"import", 3, "$1::json, $2::jsonb, $3::boolean", "datasets", {"create"}},
	{"restore", 6, "$1, $2, $3, $4, $5::jsonb, $6", NULL, {"restore"}},
	{"deactivate", 6, "$1, $2, $3, $4, $5::jsonb, $6", NULL, {"deactivate"}},
	{"undo", 4, "$1, $2, $3, $4::jsonb", NULL, {"update", "delete", "restore", "deactivate"}},
	{"send_email", 4, "$1::json, $2, $3::jsonb, $4::boolean", "email", {NULL}},
	{"cancel_job", 2, "$1, $2::jsonb", "jobs", {"cancel"}},
	{"refresh_file", 2, "$1, $2::jsonb", "files", {"update"}},
	{"import_upload", 5, "$1, $2::json, $3::json, $4::jsonb, $5::boolean", "datasets", {"create"}},
	{"upload_finish",
	 7,
	 "$1, $2::json, $3::json, $4, $5, $6::jsonb, $7",
	 NULL,
	 {"create", "update"}},
};

/* Raise unless the actor may do one of the actions with the record of a resource. */
static void
require_action(const Actor *actor, const char *name, const char *const *actions, const char *id)
{
	const Resource *resource = cat_registry_resource(name);
	bool granted = false;

	for (int i = 0; i < ACTIONS && actions[i]; i++)
		granted |= cat_permission_decides(actor, resource, actions[i]);
	if (!granted)
		cat_permission_require(actor, resource, actions[0]);
	cat_consumer_require(actor, resource->name);
	cat_consumer_require_record(actor, resource, id);
}

/* Return a member of a packed reply; its data are behind the others, up to the end. */
static char *
member_of(Datum reply, int member)
{
	bytea *packed = DatumGetByteaPP(reply);
	const char *at = VARDATA_ANY(packed);
	const char *end = at + VARSIZE_ANY_EXHDR(packed);
	int before = member < REPLY_DATA	? member
				 : member == REPLY_DATA ? REPLY_COLUMNS - 1
										: member - 1;

	for (int i = 0; i < before; i++)
		at += strlen(at) + 1;
	return member == REPLY_DATA ? pnstrdup(at, end - at) : pstrdup(at);
}

/* The arguments are not those that the reply was kept with. */
pg_noreturn static void
refuse_arguments(void)
{
	ereport(ERROR, (errcode(OD422), errmsg("this Idempotency-Key was used for another request")));
}

/* Require the rights to a part of a batch.  result: the element of the reply. */
static void
require_part(const Actor *actor, const Member *element, const Member *result)
{
	List *members = cat_body_members(result->raw, strlen(result->raw));
	const char *actions[ACTIONS] = {NULL};
	List *errors = NIL;
	Part part = {0};

	cat_batch_part_read(&part, BATCH_PARTS_MAX, element, &errors);
	if (errors)
		refuse_arguments();
	actions[0] = part.operation->action ? part.operation->action : part.words[2];
	cat_consumer_require_method(actor, part.operation->method);
	require_action(actor, cat_body_text(members, "resource", &errors), actions,
				   cat_body_text(members, "id", &errors));
}

/* Require the rights to each part of a batch.  body: its argument; results: the data of its reply. */
static void
require_parts(const Actor *actor, const char *body, const char *results)
{
	const Member *parts =
		body ? cat_body_member(cat_body_members(body, strlen(body)), "parts") : NULL;
	List *elements = parts && parts->kind == MEMBER_ARRAY ? cat_body_elements(parts->raw) : NIL;
	List *done = cat_body_elements(results);

	if (list_length(elements) != list_length(done))
		refuse_arguments();
	foreach_ptr(Member, member, elements)
		require_part(actor, member, list_nth(done, foreach_current_index(member)));
}

/* Require the rights to each record that rows made.  results: the data of the reply. */
static void
require_rows(const Actor *actor, const char *results)
{
	static const char *const actions[ACTIONS] = {"create"};

	foreach_ptr(const Member, result, cat_body_elements(results))
	{
		List *members = cat_body_members(result->raw, strlen(result->raw));
		List *errors = NIL;

		require_action(actor, cat_body_text(members, "resource", &errors), actions,
					   cat_body_text(members, "id", &errors));
	}
}

/* Raise OD401 or OD403 unless the actor may still make the call that a kept reply is of.
 * body: the first argument, NULL for none; reply: what catalogue.packed() gave. */
static void
replay_require(const Actor *actor, const RepeatableCall *call, const char *body, Datum reply)
{
	cat_consumer_require_method(actor, "POST");
	if (strcmp(call->function, "batch") == 0)
		require_parts(actor, body, member_of(reply, REPLY_DATA));
	else if (strcmp(call->function, "create_rows") == 0)
		require_rows(actor, member_of(reply, REPLY_DATA));
	else if (call->actions[0])
		require_action(actor, call->resource ? call->resource : member_of(reply, REPLY_RESOURCE),
					   call->actions, member_of(reply, REPLY_ID));
	else
		cat_consumer_require(actor, call->resource);
}

#define KEY_MAXIMUM 255 /* bytes of a key */
#define ARGUMENTS_MAX 7 /* of a call */

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
run_statement(const Once *once, const char *sql, StatementParam reply)
{
	cat_statement_fresh(sql, text_param(once->owner), text_param(once->key),
						text_param(once->digest), reply);
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
		null_param(BYTEAOID));
	if (SPI_processed == 0)
		return false;
	if (!cat_result_bool(2))
		refuse_arguments();
	*reply = SPI_datumTransfer(cat_result_datum(1, &isnull), false, -1);
	return true;
}

/* Make the call, with the rights of the caller, and return its reply as catalogue.packed() does. */
static Datum
make_call(const RepeatableCall *call, Datum *values, const bool *missing, int count)
{
	Oid types[ARGUMENTS_MAX];
	char nulls[ARGUMENTS_MAX];
	Datum reply;
	bool isnull;

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
				  datum_param(BYTEAOID, reply));
	cat_call_reply_close();
}

CAT_FUNCTION(catalogue_once)
{
	Once once = {.key = cat_call_reply_required(fcinfo, ARG_ONCE_KEY),
				 .digest = cat_call_reply_required(fcinfo, ARG_ONCE_DIGEST)};
	const RepeatableCall *call = call_of(cat_call_reply_required(fcinfo, ARG_ONCE_FUNCTION));
	Datum reply = (Datum) 0;
	Datum *values;
	bool *missing;
	int count;
	Actor actor;
	bool found;

	check_key(once.key);
	if (PG_ARGISNULL(ARG_ONCE_ARGUMENTS))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("argument \"arguments\" of function \"once\" is null")));
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(ARG_ONCE_ARGUMENTS), TEXTOID, -1, false, TYPALIGN_INT,
					  &values, &missing, &count);
	cat_call_reply_begin();
	cat_actor_read(fcinfo, ARG_ONCE_ACTOR, &actor);
	/* the keys of all who have no credential would be one space: one would get the reply of another */
	if (!actor.trusted && actor.user[0] == '\0' && actor.consumer[0] == '\0')
		ereport(ERROR, (errcode(OD401), errmsg("an Idempotency-Key needs a credential")));
	/* no id of a user has a colon */
	snprintf(once.owner, sizeof(once.owner), "%s/%s", actor.trusted ? ":database" : actor.user,
			 actor.consumer);
	take_key(&once);
	found = find_reply(&once, &reply);
	if (found)
		replay_require(&actor, call,
					   count > 0 && !missing[0] ? TextDatumGetCString(values[0]) : NULL, reply);
	cat_call_reply_close();
	if (!found)
	{
		reply = make_call(call, values, missing, count);
		store_reply(&once, reply);
	}
	PG_RETURN_DATUM(reply);
}
