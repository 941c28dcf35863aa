/*
 * actor.c
 *	  Who asks.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "base/base.h"
#include "base/body.h"
#include "call/call.h"
#include "call/call_internal.h"
#include "pg/pg.h"
#include "read/fast/fast.h"
#include "registry/registry.h"

#define SESSION_SIZE 32 /* bytes of an instant as text */

/* An actor that was looked up, for the next call that sees the same. */
typedef struct KnownActor
{
	SnapshotKey mark;
	Jsonb *json; /* the argument; NULL: none yet */
	Actor actor;
} KnownActor;

static KnownActor known[16];

/* The actor of the API call under way, for the triggers; NULL outside of one. */
static const Actor *current;

static bool
member_text(Jsonb *json, const char *name, char *out, size_t size)
{
	JsonbValue *value = NULL;
	JsonbValue found;

	if (JB_ROOT_IS_OBJECT(json))
		value = getKeyJsonValueFromContainer(&json->root, name, (int) strlen(name), &found);
	if (!value || value->type != jbvString || value->val.string.len >= (int) size)
		return false;
	memcpy(out, value->val.string.val, value->val.string.len);
	out[value->val.string.len] = '\0';
	return true;
}

static Datum
column_of(const Rows *rows, Resource *users, const char *column, bool *isnull)
{
	return SPI_getbinval(rows->tuples[0], rows->desc, cat_registry_column(users, column)->attno,
						 isnull);
}

/* The record of a user; none where the user was deleted or deactivated. */
static Rows
find_user(const Resource *users, const char *id)
{
	Rows rows;

	if (!cat_row_fetch_by_id(users, id, ACCESS_ALL, &rows))
		elog(ERROR, "users cannot be read by their primary key");
	if (rows.count == 1 && !heap_attisnull(rows.tuples[0], users->deactivated_at, users->desc))
		rows.count = 0;
	return rows;
}

static bool
is_active(const Rows *rows, Resource *users)
{
	bool isnull;
	Datum active = column_of(rows, users, "active", &isnull);

	return isnull || DatumGetBool(active);
}

/*
 * Look a user up: OD401 unless the user lives and may log in.
 *
 * session: the instant that the user's token bears, NULL where there is no token.  It and the
 * role are read here, at each call, so that a change counts at once.
 */
static void
look_up(Actor *actor, const char *session)
{
	Resource *users = cat_registry_resource("users");
	Rows rows = find_user(users, actor->user);
	bool isnull;

	if (rows.count == 0 || !is_active(&rows, users))
		ereport(ERROR, (errcode(OD401), errmsg("the user of this credential may not log in")));
	if (session && strcmp(session, cat_json_text_instant(DatumGetTimestampTz(
									   column_of(&rows, users, "session", &isnull)))) != 0)
		ereport(ERROR,
				(errcode(OD401), errmsg("this credential was ended"), errhint("Log in again.")));
	actor->role = DatumGetObjectId(column_of(&rows, users, "role", &isnull));
	actor->sight = cat_permission_is_super(actor) ? ACCESS_ALL : ACCESS_INTERNAL;
}

/* The user of an argument, looked up. */
static void
take_user(Jsonb *json, Actor *actor)
{
	char session[SESSION_SIZE];
	bool borne;

	if (!member_text(json, "user", actor->user, sizeof(actor->user)))
		return;
	borne = member_text(json, "session", session, sizeof(session));
	look_up(actor, borne ? session : NULL);
}

/* The consumer of an argument; its end may also be one by the clock. */
static void
take_consumer(Jsonb *json, Actor *actor)
{
	char key[KEY_LENGTH + 1];

	if (member_text(json, "consumer", actor->consumer, sizeof(actor->consumer)))
		cat_consumer_look_up(actor, member_text(json, "key", key, sizeof(key)) ? key : NULL);
}

/* Whether a preference of the caller has this value. */
static bool
prefers(Jsonb *json, const char *name, const char *value)
{
	char text[sizeof("strict")];

	return member_text(json, name, text, sizeof(text)) && strcmp(text, value) == 0;
}

static void
take_preferences(Jsonb *json, Actor *actor)
{
	actor->css = prefers(json, "color", "css");
	actor->strict = prefers(json, "handling", "strict");
}

static KnownActor *
entry_of(const Jsonb *json)
{
	uint32 hash = hash_bytes((const unsigned char *) json, (int) VARSIZE(json));

	return &known[hash % lengthof(known)];
}

static bool
is_of(const KnownActor *entry, const Jsonb *json, const SnapshotKey *mark)
{
	return entry->json && VARSIZE(entry->json) == VARSIZE(json) &&
		   memcmp(entry->json, json, VARSIZE(json)) == 0 &&
		   cat_snapshot_key_equal(&entry->mark, mark);
}

static void
remember(KnownActor *entry, const Jsonb *json, const SnapshotKey *mark, const Actor *actor)
{
	Jsonb *copy = MemoryContextAlloc(TopMemoryContext, VARSIZE(json));

	memcpy(copy, json, VARSIZE(json));
	if (entry->json)
		pfree(entry->json);
	entry->json = copy;
	entry->mark = *mark;
	entry->actor = *actor;
}

/*
 * Read an argument "actor": {"user": id} for a user, {"consumer": id} for an application, with
 * "key" where its own credential was verified; both for a user of one; {} for nobody.
 *
 * "session" beside "user" is what the user's token bears.  "color": "css" has colours shown with
 * "#" before them, "handling": "strict" has names that are not known refused.  NULL is a database
 * user who calls the function directly and is trusted, where the rights of the
 * catalogue's owner say so, and else nobody.
 */
void
cat_actor_read(FunctionCallInfo fcinfo, int number, Actor *actor)
{
	Jsonb *json = PG_ARGISNULL(number) ? NULL : PG_GETARG_JSONB_P(number);
	KnownActor *entry;
	SnapshotKey mark;
	bool told;

	memset(actor, 0, sizeof(*actor));
	actor->trusted = json == NULL && cat_security_context_is_trusted();
	actor->sight = actor->trusted ? ACCESS_ALL : ACCESS_OUTSIDER;
	if (!json)
		return;
	entry = entry_of(json);
	told = cat_snapshot_key_take(&mark);
	if (told && is_of(entry, json, &mark))
		*actor = entry->actor;
	else
	{
		take_user(json, actor);
		if (told)
			remember(entry, json, &mark, actor);
	}
	take_consumer(json, actor);
	take_preferences(json, actor);
}

/* Make the actor known to the triggers, or nobody by NULL. */
void
cat_actor_set(const Actor *actor)
{
	current = actor;
}

/* The actor of the API call under way, NULL outside of one. */
const Actor *
cat_actor_current(void)
{
	return current;
}

/*
 * What a database user is to do who makes a record without saying for whom, where that is one of
 * the faults; else NULL.
 */
const char *
cat_actor_hint(List *faults)
{
	if (!cat_validation_error_has(faults, "createdBy"))
		return NULL;
	if (!current)
		return "Give created_by the id of a user, or call catalogue.create() with an actor.";
	return current->trusted ? "Pass the user who creates the record: actor => '{\"user\": \"id\"}'."
							: NULL;
}
