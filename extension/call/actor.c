/*
 * actor.c
 *	  The actor of a call: who makes it, as the argument "actor" says.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "base/body.h"
#include "call/call.h"
#include "call/call_internal.h"
#include "pg/pg.h"
#include "registry/rows.h"

#define SESSION_SIZE 32 /* size of a timestamp as text */

/* Cached actor, valid for calls that see the same rows. */
typedef struct KnownActor
{
	SnapshotKey snapshot_key;
	Jsonb *json; /* the argument; NULL if the entry is unused */
	Actor actor;
} KnownActor;

static KnownActor known[16];

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
column_of(HeapTuple row, Resource *users, const char *column, bool *isnull)
{
	return heap_getattr(row, cat_registry_column(users, column)->attno, users->desc, isnull);
}

/*
 * Look up a user.  Raises OD401 unless the user exists and may log in.
 *
 * session: the session start in the user's token, NULL if there is no token.  It is compared, and
 * the role is read, in each call that sees new rows, so a change takes effect at once.
 */
static void
look_up(Actor *actor, const char *session)
{
	Resource *users = cat_registry_resource("users");
	Rows rows = cat_rows_by_id(users, actor->user, ACCESS_ALL);
	HeapTuple row = rows.count > 0 ? rows.tuples[0] : NULL;
	bool isnull;

	if (!row || !heap_attisnull(row, users->deactivated_at, users->desc) ||
		(!DatumGetBool(column_of(row, users, "active", &isnull)) && !isnull))
		ereport(ERROR, (errcode(OD401), errmsg("the user of this credential may not log in")));
	if (session && strcmp(session, cat_json_text_instant(DatumGetTimestampTz(
									   column_of(row, users, "session", &isnull)))) != 0)
		ereport(ERROR,
				(errcode(OD401), errmsg("this credential was ended"), errhint("Log in again.")));
	actor->role = DatumGetObjectId(column_of(row, users, "role", &isnull));
	actor->access = cat_permission_is_super(actor) ? ACCESS_ALL : ACCESS_INTERNAL;
}

/* Look up the user of an argument. */
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

/*
 * Look up the consumer of an argument.  This is not cached with the actor, since a key can expire.
 */
static void
take_consumer(Jsonb *json, Actor *actor)
{
	char key[KEY_LENGTH + 1];

	if (member_text(json, "consumer", actor->consumer, sizeof(actor->consumer)))
		cat_consumer_look_up(actor, member_text(json, "key", key, sizeof(key)) ? key : NULL);
}

/* Return whether a preference of the caller has this value. */
static bool
prefers(Jsonb *json, const char *name, const char *value)
{
	char text[sizeof("strict")];

	return member_text(json, name, text, sizeof(text)) && strcmp(text, value) == 0;
}

static void
take_preferences(Jsonb *json, Actor *actor)
{
	char base[ADDRESS_LENGTH + 1];

	actor->base = member_text(json, "base", base, sizeof(base)) ? pstrdup(base) : NULL;
	actor->css = prefers(json, "color", "css");
	actor->strict = prefers(json, "handling", "strict");
	actor->recent = prefers(json, "login", "recent");
}

static void
remember(KnownActor *entry, const Jsonb *json, const SnapshotKey *snapshot_key, const Actor *actor)
{
	Jsonb *copy = MemoryContextAlloc(TopMemoryContext, VARSIZE(json));

	memcpy(copy, json, VARSIZE(json));
	if (entry->json)
		pfree(entry->json);
	entry->json = copy;
	entry->snapshot_key = *snapshot_key;
	entry->actor = *actor;
}

void
cat_actor_read(FunctionCallInfo fcinfo, int number, Actor *actor)
{
	Jsonb *json = PG_ARGISNULL(number) ? NULL : PG_GETARG_JSONB_P(number);
	KnownActor *entry;
	SnapshotKey snapshot_key;
	bool cacheable;

	memset(actor, 0, sizeof(*actor));
	actor->trusted = json == NULL && cat_security_context_is_trusted();
	actor->access = actor->trusted ? ACCESS_ALL : ACCESS_OUTSIDER;
	cat_security_context_set_reader("");
	if (!json)
		return;
	entry = &known[hash_bytes((const unsigned char *) json, (int) VARSIZE(json)) % lengthof(known)];
	cacheable = cat_snapshot_key_take(&snapshot_key);
	if (cacheable && entry->json && VARSIZE(entry->json) == VARSIZE(json) &&
		memcmp(entry->json, json, VARSIZE(json)) == 0 &&
		cat_snapshot_key_equal(&entry->snapshot_key, &snapshot_key))
		*actor = entry->actor;
	else
	{
		take_user(json, actor);
		if (cacheable)
			remember(entry, json, &snapshot_key, actor);
	}
	actor->access = cat_permission_access(actor);
	cat_security_context_set_reader(actor->user);
	take_consumer(json, actor);
	take_preferences(json, actor);
}

const char *
cat_actor_hint(const Resource *resource, List *errors)
{
	bool unsigned_record = cat_validation_error_has(errors, "createdBy");

	if (unsigned_record && !cat_security_context_actor())
		return "Give created_by the id of a user, or call catalogue.create() with an actor.";
	if (unsigned_record && cat_security_context_actor()->trusted)
		return "Pass the user who creates the record: actor => '{\"user\": \"id\"}'.";
	return psprintf("OPTIONS /%s and catalogue.describe('%s') tell what each field takes.",
					resource->name, resource->name);
}

/* Return the address of the service that the running call came to; NULL if it has none. */
CAT_FUNCTION(catalogue_address_of_call)
{
	const Actor *actor = cat_security_context_actor();

	if (!actor || !actor->base)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(actor->base));
}
