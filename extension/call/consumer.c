/*
 * consumer.c
 *	  Keys of consumers: what they are limited to, and whether they are still valid.
 *
 * The HTTP service has verified the credential; each call checks here that the key is still valid.
 * Each backend caches the keys that it was asked for, until a trigger invalidates the caches
 * because a key or consumer has changed.  A revocation therefore takes effect with the next call,
 * and a call usually reads no table.
 */
#include "catalogue.h"

#include "commands/trigger.h"
#include "common/hashfn.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "call/call.h"
#include "call/call_internal.h"
#include "pg/pg.h"

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
void
cat_consumer_look_up(Actor *actor, const char *key)
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
	organization = cat_belonging_organization(resource, "t");
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
					   text_param(cat_call_reply_optional(fcinfo, ARG_CREDENTIAL_KEY)),
					   text_param(cat_call_reply_optional(fcinfo, ARG_CREDENTIAL_CONSUMER)));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

CAT_REPLY(catalogue_use_key)
{
	cat_statement_fresh("SELECT catalogue.grant_requests($1, $2)",
						text_param(cat_call_reply_optional(fcinfo, ARG_USE_KEY_KEY)),
						PG_ARGISNULL(ARG_USE_KEY_WANTED)
							? null_param(INT4OID)
							: int4_param(PG_GETARG_INT32(ARG_USE_KEY_WANTED)));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

CAT_REPLY(catalogue_web_access)
{
	cat_statement_read("SELECT catalogue.web_facts()");
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}
