/*
 * actor.c
 *	  The actor of a call, limits of its key, and rate limits of failed logins, wrong ids and anonymous records.
 */
#include "catalogue.h"

#include <arpa/inet.h>

#include "access/htup_details.h"
#include "commands/trigger.h"
#include "common/hashfn.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "base/body.h"
#include "base/settings.h"
#include "call/call.h"
#include "call/call_internal.h"
#include "pg/pg.h"
#include "registry/rows.h"

/*
 * They are counted in a table, so that several instances of the HTTP service share the counts.  An
 * attempt is counted before the password is verified, and the count is taken back if it was right.
 * Concurrent attempts for the same name wait for the row, so no more attempts than allowed succeed,
 * however many are made at once.  A failed login must therefore not raise an error, which would
 * roll back the count.
 */

/* The key is stored as a hash, since some users type their password in place of the name. */
#define KEY "encode(sha256(convert_to(lower($1), 'UTF8')), 'hex')"

static const char count_sql[] =
	"INSERT INTO catalogue.attempt AS a (key, began, failures) VALUES (" KEY ", now(), 1) "
	"ON CONFLICT (key) DO UPDATE SET "
	"began = CASE WHEN a.began + $2 * interval '1 second' < now() THEN now() ELSE a.began END, "
	"failures = CASE WHEN a.began + $2 * interval '1 second' < now() THEN 1 "
	"ELSE a.failures + 1 END "
	"RETURNING failures, ceil(extract(epoch FROM began + $2 * interval '1 second' - now()))::int4";

static const char look_sql[] =
	"SELECT failures, ceil(extract(epoch FROM began + $2 * interval '1 second' - now()))::int4 "
	"FROM catalogue.attempt WHERE key = " KEY " AND began + $2 * interval '1 second' >= now()";

static const char forget_sql[] = "DELETE FROM catalogue.attempt WHERE key = " KEY;

static const char take_back_sql[] =
	"UPDATE catalogue.attempt SET failures = failures - 1 WHERE key = " KEY;

/*
 * Return the network of an address: the first 64 bits of an IPv6 address, which usually belong to
 * one customer; an IPv4 address unchanged.
 */
static const char *
network_of(const char *address)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	unsigned char bytes[16];
	StringInfoData out;

	if (inet_pton(AF_INET6, address, bytes) != 1)
		return address;
	if (memcmp(bytes, mapped, sizeof(mapped)) == 0)
		return psprintf("%d.%d.%d.%d", bytes[12], bytes[13], bytes[14], bytes[15]);
	initStringInfo(&out);
	for (int i = 0; i < 8; i++)
		appendStringInfo(&out, "%02x", bytes[i]);
	return out.data;
}

static void
run(const char *sql, const char *key, int nargs)
{
	cat_statement_fresh(sql, text_param(key), int4_param(cat_login_window));
}

static int
result(int column)
{
	bool isnull;

	return DatumGetInt32(cat_result_datum(column, &isnull));
}

/*
 * Raise OD429; what: the counted events.  The result of the last statement has the seconds to wait.
 */
pg_noreturn static void
refuse_attempt(const char *what)
{
	ereport(ERROR, (errcode(OD429), errmsg("too many %s, please try again later", what),
					errdetail_internal("{\"retryAfter\":%d}", Max(result(2), 1))));
}

/* Count an event under a key.  Raises OD429 if that exceeds the limit; 0 means no limit. */
static void
count(const char *key, int limit, const char *what)
{
	if (limit == 0)
		return;
	run(count_sql, key, 2);
	if (result(1) > limit)
		refuse_attempt(what);
}

void
cat_throttle_begin(const char *name, const char *address)
{
	/* every caller locks names before addresses, so there are no deadlocks */
	count(psprintf("name %s", name), cat_login_failures_name, "failed logins");
	cat_throttle_wrong_id(address);
}

void
cat_throttle_end(const char *name, const char *address)
{
	run(forget_sql, psprintf("name %s", name), 1);
	if (address)
		run(take_back_sql, psprintf("address %s", network_of(address)), 1);
}

void
cat_throttle_id(const char *address)
{
	if (!address || cat_login_failures_address == 0)
		return;
	run(look_sql, psprintf("address %s", network_of(address)), 2);
	if (SPI_processed == 1 && result(1) >= cat_login_failures_address)
		refuse_attempt("failed logins");
}

void
cat_throttle_wrong_id(const char *address)
{
	if (address)
		count(psprintf("address %s", network_of(address)), cat_login_failures_address,
			  "failed logins");
}

void
cat_throttle_creation(const char *address)
{
	if (address)
		count(psprintf("creations %s", network_of(address)), cat_public_creations,
			  "records from this address");
}

/* Count a message from an address, as cat_throttle_creation() counts records. */
void
cat_throttle_email(const char *address)
{
	if (address)
		count(psprintf("emails %s", network_of(address)), cat_public_creations,
			  "messages from this address");
}

/*
 * The HTTP service has verified the credential; each call checks here that the key is still valid.
 * Each backend caches the keys that it was asked for, until a trigger invalidates the caches
 * because a key or consumer has changed.  A revocation therefore takes effect with the next call,
 * and a call usually reads no table.
 */

/* Maximum number of cached keys; when it is reached, the cache is emptied. */
#define CACHE_MAX 256

/* An API key; or a consumer that a gateway vouches for, under its id preceded by '@'. */
typedef struct Known
{
	char name[KEY_LENGTH + 2];
	char consumer[CONSUMER_LENGTH + 1];
	TimestampTz expires; /* DT_NOEND: never */
	List *resources;	 /* of char * */
	List *verbs;		 /* of char * */
	char organization[ID_LENGTH + 1];
} Known;

/* The tables that the cache depends on. */
static const char *const tables[] = {"consumers", "consumer_keys"};

static HTAB *cached; /* name to Known */
static MemoryContext memory;
static uint64 loaded;							/* cat_invalidation_number() before the first */
static const uint64 *changed[lengthof(tables)]; /* numbers of their last invalidations */

/* Trigger: tell all backends that a key or a consumer has changed. */
CAT_FUNCTION(catalogue_forget_consumers)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		elog(ERROR, "not called as a trigger");
	CacheInvalidateRelcache(trigger->tg_relation);
	return PointerGetDatum(NULL);
}

/* Return whether the cache has been filled and none of its tables has changed since. */
static bool
is_valid(void)
{
	if (!cached)
		return false;
	for (size_t i = 0; i < lengthof(tables); i++)
		if (loaded < *changed[i])
			return false;
	return true;
}

/* Empty the cache. */
static void
begin_anew(void)
{
	HASHCTL control = {.keysize = KEY_LENGTH + 2, .entrysize = sizeof(Known)};
	uint64 before = cat_invalidation_number();

	cached = NULL; /* if an error ends this function */
	for (size_t i = 0; i < lengthof(tables); i++)
		changed[i] = cat_invalidation_of_table(cat_bulk_insert_table(tables[i]));
	if (memory)
		MemoryContextReset(memory);
	else
		memory = AllocSetContextCreate(TopMemoryContext, "catalogue keys", ALLOCSET_SMALL_SIZES);
	control.hcxt = memory;
	cached = hash_create("catalogue keys", 32, &control, HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	loaded = before;
}

static const char key_sql[] =
	"SELECT k.consumer, k.expires_at, k.resources, k.organization::text, k.verbs "
	"FROM catalogue.consumer_keys k WHERE k.key = $1 AND k.revoked_at IS NULL";

static const char consumer_sql[] =
	"SELECT c.id, c.expires_at, NULL::text[], NULL::text, NULL::text[] "
	"FROM catalogue.consumers c WHERE c.id = substr($1, 2) AND c.revoked_at IS NULL";

pg_noreturn static void
refuse(void)
{
	ereport(ERROR,
			(errcode(OD401), errmsg("the consumer of this credential is not registered any more")));
}

/* Return the elements of an array column as a List of char *; NIL for null. */
static List *
words_at(int column)
{
	bool isnull;
	Datum value = cat_result_datum(column, &isnull);

	return isnull ? NIL : cat_text_array_list(value);
}

/*
 * Fill an entry from the row that was read; its lists are allocated in the cache's memory context.
 */
static void
take_row(Known *known)
{
	MemoryContext old = MemoryContextSwitchTo(memory);
	const char *organization = cat_result_text(4);
	bool isnull;
	Datum expires = cat_result_datum(2, &isnull);

	strlcpy(known->consumer, cat_result_text(1), sizeof(known->consumer));
	known->expires = isnull ? DT_NOEND : DatumGetTimestampTz(expires);
	known->resources = words_at(3);
	known->verbs = words_at(5);
	strlcpy(known->organization, organization ? organization : "", sizeof(known->organization));
	MemoryContextSwitchTo(old);
}

/* Read the present state of a key or a consumer, even if the caller's snapshot is older. */
static Known *
read_known(const char *name)
{
	Known *known;

	if (!is_valid() || hash_get_num_entries(cached) >= CACHE_MAX)
		begin_anew();
	PushActiveSnapshot(GetLatestSnapshot());
	cat_statement_read(*name == '@' ? consumer_sql : key_sql, text_param(name));
	PopActiveSnapshot();
	if (SPI_processed == 0)
		refuse();
	known = hash_search(cached, name, HASH_ENTER, NULL);
	take_row(known);
	return known;
}

/* Copy a list into the current memory context, since an invalidation frees the cached one. */
static List *
copy_words(List *words)
{
	List *copy = NIL;

	foreach_ptr(char, word, words)
		copy = lappend(copy, pstrdup(word));
	return copy;
}

/*
 * Look up the key of the consumer that actor->consumer names (or, if key is NULL, the consumer
 * itself, which a gateway vouches for), and copy its limits to the actor.
 *
 * Raises OD401 if it is unknown, revoked or expired.  A consumer's keys are revoked with it, and
 * none expires later than the consumer.
 */
static void
consumer_look_up(Actor *actor, const char *key)
{
	char name[KEY_LENGTH + 2];
	const Known *known;

	snprintf(name, sizeof(name), "%s%s", key ? "" : "@", key ? key : actor->consumer);
	known = is_valid() ? hash_search(cached, name, HASH_FIND, NULL) : NULL;
	if (!known)
		known = read_known(name);
	if (known->expires <= GetCurrentStatementStartTimestamp() ||
		strcmp(known->consumer, actor->consumer) != 0)
		refuse();
	actor->resources = copy_words(known->resources);
	actor->verbs = copy_words(known->verbs);
	strlcpy(actor->organization, known->organization, sizeof(actor->organization));
}

bool
cat_consumer_may_ask(const Actor *actor, const char *resource)
{
	return actor->resources == NIL || cat_query_string_has_word(actor->resources, resource);
}

/* Return whether the actor's API key includes an HTTP method. */
bool
cat_consumer_may_send(const Actor *actor, const char *verb)
{
	return actor->verbs == NIL || cat_query_string_has_word(actor->verbs, verb);
}

/* Raise OD403 unless the actor's API key is for requests with a method. */
void
cat_consumer_require_method(const Actor *actor, const char *method)
{
	if (!cat_consumer_may_send(actor, method))
		ereport(ERROR, (errcode(OD403), errmsg("this key is not for the method")));
}

void
cat_consumer_require(const Actor *actor, const char *resource)
{
	if (!cat_consumer_may_ask(actor, resource))
		ereport(ERROR, (errcode(OD403), errmsg("this key is not for resource \"%s\"", resource)));
}

bool
cat_consumer_may_change(const Actor *actor, const Resource *resource, const char *id)
{
	const char *organization;

	if (actor->organization[0] == '\0')
		return true;
	organization = cat_permission_organization(resource);
	cat_statement_fresh(psprintf("SELECT %s IS NOT DISTINCT FROM $2 FROM %s t WHERE t.id = $1",
								 organization ? organization : "NULL::text", resource->table),
						text_param(id), text_param(actor->organization));
	return SPI_processed != 1 || cat_result_bool(1);
}

void
cat_consumer_require_record(const Actor *actor, const Resource *resource, const char *id)
{
	if (!cat_consumer_may_change(actor, resource, id))
		ereport(ERROR, (errcode(OD403), errmsg("this key is for records of another organization")));
}

CAT_REPLY(catalogue_credential)
{
	cat_statement_read("SELECT catalogue.key_facts($1, $2)",
					   text_param(cat_call_reply_optional(fcinfo, 0)),
					   text_param(cat_call_reply_optional(fcinfo, 1)));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

CAT_REPLY(catalogue_use_key)
{
	cat_statement_fresh("SELECT catalogue.grant_requests($1, $2)",
						text_param(cat_call_reply_optional(fcinfo, 0)),
						PG_ARGISNULL(1) ? null_param(INT4OID) : int4_param(PG_GETARG_INT32(1)));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

CAT_REPLY(catalogue_web_access)
{
	cat_statement_read("SELECT catalogue.web_facts()");
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

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
		consumer_look_up(actor, member_text(json, "key", key, sizeof(key)) ? key : NULL);
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
	bool told;

	memset(actor, 0, sizeof(*actor));
	actor->trusted = json == NULL && cat_security_context_is_trusted();
	actor->access = actor->trusted ? ACCESS_ALL : ACCESS_OUTSIDER;
	cat_security_context_set_reader("");
	if (!json)
		return;
	entry = &known[hash_bytes((const unsigned char *) json, (int) VARSIZE(json)) % lengthof(known)];
	told = cat_snapshot_key_take(&snapshot_key);
	if (told && entry->json && VARSIZE(entry->json) == VARSIZE(json) &&
		memcmp(entry->json, json, VARSIZE(json)) == 0 &&
		cat_snapshot_key_equal(&entry->snapshot_key, &snapshot_key))
		*actor = entry->actor;
	else
	{
		take_user(json, actor);
		if (told)
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
