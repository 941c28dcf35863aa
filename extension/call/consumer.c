/*
 * consumer.c
 *	  The registered application that a request comes from, and what its key
 *	  is limited to.
 *
 * The shim has verified the credential.  Whether the key still lives is looked
 * at here, at each call.  Each backend remembers the keys that it was asked with
 * until one is changed, of which a trigger tells all backends; so an end counts
 * from the next call on, and a call costs no look at a table.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "base/base.h"
#include "call/call.h"
#include "call/call_internal.h"
#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_credential);
PG_FUNCTION_INFO_V1(catalogue_use_key);
PG_FUNCTION_INFO_V1(catalogue_web_access);

PG_FUNCTION_INFO_V1(catalogue_forget_consumers);

/* So many are remembered; when there are more, it begins anew. */
#define KEPT_MAX 256

/* A key, or by its id with '@' before it a consumer that a gateway vouches for. */
typedef struct Known
{
	char name[KEY_LENGTH + 2];
	char consumer[CONSUMER_LENGTH + 1];
	TimestampTz expires; /* DT_NOEND: not by time */
	List *resources;	 /* of char * */
	List *verbs;		 /* of char * */
	char organization[ID_LENGTH + 1];
} Known;

static HTAB *kept; /* of Known, of those that live */
static MemoryContext memory;
static bool valid;

/* A table has changed, or all may have; which one matters little, so seldom is it. */
static void
forget(Datum arg, Oid relid)
{
	valid = false;
}

/* Tell all backends that a key or a consumer has changed. */
Datum
catalogue_forget_consumers(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		elog(ERROR, "not called as a trigger");
	CacheInvalidateRelcache(trigger->tg_relation);
	return PointerGetDatum(NULL);
}

static void
begin_anew(void)
{
	HASHCTL control = {.keysize = KEY_LENGTH + 2, .entrysize = sizeof(Known)};

	if (memory)
		MemoryContextReset(memory);
	else
	{
		memory = AllocSetContextCreate(TopMemoryContext, "catalogue keys", ALLOCSET_SMALL_SIZES);
		CacheRegisterRelcacheCallback(forget, 0);
	}
	control.hcxt = memory;
	kept = hash_create("catalogue keys", 32, &control, HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	valid = true;
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

static Datum
value_at(int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, isnull);
}

/* The words of a column that is an array, none where it is null. */
static List *
words_at(int column)
{
	List *list = NIL;
	bool isnull;
	Datum value = value_at(column, &isnull);
	int count = 0;
	Datum *words = isnull ? NULL : cat_text_array_elements(value, &count);

	for (int i = 0; i < count; i++)
		list = lappend(list, TextDatumGetCString(words[i]));
	return list;
}

/* Take the row that was found; what it points to is made in the memory of all. */
static void
take_row(Known *known)
{
	MemoryContext old = MemoryContextSwitchTo(memory);
	bool isnull;
	Datum value;

	strlcpy(known->consumer, TextDatumGetCString(value_at(1, &isnull)), sizeof(known->consumer));
	value = value_at(2, &isnull);
	known->expires = isnull ? DT_NOEND : DatumGetTimestampTz(value);
	known->resources = words_at(3);
	known->verbs = words_at(5);
	value = value_at(4, &isnull);
	known->organization[0] = '\0';
	if (!isnull)
		strlcpy(known->organization, TextDatumGetCString(value), sizeof(known->organization));
	MemoryContextSwitchTo(old);
}

/* Read a key or a consumer as it is now, even where the caller's snapshot is older. */
static Known *
read_known(const char *name)
{
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(name);
	Known *known;

	if (!valid || hash_get_num_entries(kept) >= KEPT_MAX)
		begin_anew();
	PushActiveSnapshot(GetLatestSnapshot());
	cat_statement_run(*name == '@' ? consumer_sql : key_sql, 1, &type, &value, NULL, false, 1);
	PopActiveSnapshot();
	if (SPI_processed == 0)
		refuse();
	known = hash_search(kept, name, HASH_ENTER, NULL);
	take_row(known);
	return known;
}

/* What is known of a key or a consumer; OD401 where it is unknown or revoked. */
static Known *
find_known(const char *name)
{
	Known *known = valid ? hash_search(kept, name, HASH_FIND, NULL) : NULL;

	return known ? known : read_known(name);
}

/* A copy of words that are forgotten when a key changes. */
static List *
copy_words(List *words)
{
	List *copy = NIL;
	ListCell *cell;

	foreach(cell, words)
		copy = lappend(copy, pstrdup(lfirst(cell)));
	return copy;
}

/*
 * Look up the key of the consumer that actor->consumer names, or the consumer
 * itself where key is NULL, as a gateway vouches for it, and take its limits.
 *
 * OD401 where that is unknown, revoked or past its time.  The keys of a consumer
 * are revoked with it, and the shim knows of no key that outlives its consumer.
 */
void
cat_consumer_look_up(Actor *actor, const char *key)
{
	char name[KEY_LENGTH + 2];
	const Known *known;

	snprintf(name, sizeof(name), "%s%s", key ? "" : "@", key ? key : actor->consumer);
	known = find_known(name);
	if (known->expires <= GetCurrentStatementStartTimestamp() ||
		strcmp(known->consumer, actor->consumer) != 0)
		refuse();
	actor->resources = copy_words(known->resources);
	actor->verbs = copy_words(known->verbs);
	strlcpy(actor->organization, known->organization, sizeof(actor->organization));
}

/* Whether the key that the actor came with lets it ask for a resource. */
bool
cat_consumer_may_ask(const Actor *actor, const char *resource)
{
	return actor->resources == NIL || cat_query_string_has_word(actor->resources, resource);
}

/* Whether that key lets it send requests with a verb. */
bool
cat_consumer_may_send(const Actor *actor, const char *verb)
{
	return actor->verbs == NIL || cat_query_string_has_word(actor->verbs, verb);
}

/* OD403 unless so. */
void
cat_consumer_require(const Actor *actor, const char *resource)
{
	if (!cat_consumer_may_ask(actor, resource))
		ereport(ERROR, (errcode(OD403), errmsg("this key is not for resource \"%s\"", resource)));
}

/*
 * Whether the actor's key lets it change a record, as this transaction has left it: one that is for
 * an organization is for that one's records only.  So too where there is no record.
 */
bool
cat_consumer_may_change(const Actor *actor, const Resource *resource, const char *id)
{
	Oid types[] = {TEXTOID, TEXTOID};
	Datum values[2];
	const char *organization;
	bool isnull;

	if (actor->organization[0] == '\0')
		return true;
	organization = cat_permission_organization(resource);
	values[0] = CStringGetTextDatum(id);
	values[1] = CStringGetTextDatum(actor->organization);
	cat_statement_run(psprintf("SELECT %s IS NOT DISTINCT FROM $2 FROM %s t WHERE t.id = $1",
							   organization ? organization : "NULL::text", resource->table),
					  2, types, values, NULL, true, 1);
	return SPI_processed != 1 || DatumGetBool(value_at(1, &isnull));
}

/* OD403 unless so. */
void
cat_consumer_require_record(const Actor *actor, const Resource *resource, const char *id)
{
	if (!cat_consumer_may_change(actor, resource, id))
		ereport(ERROR, (errcode(OD403), errmsg("this key is for records of another organization")));
}

/* The reply whose data are what a statement gives for the function's arguments. */
static Datum
reply_of(FunctionCallInfo fcinfo, const char *sql, Oid *types, bool fresh)
{
	Datum values[2];
	char nulls[2];
	CallReply reply = {0};

	cat_call_reply_begin();
	for (int i = 0; i < PG_NARGS(); i++)
	{
		values[i] = PG_GETARG_DATUM(i);
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	cat_statement_run(sql, PG_NARGS(), types, values, nulls, fresh, 1);
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data,
						   SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	return cat_call_reply_end(fcinfo, &reply);
}

Datum
catalogue_credential(PG_FUNCTION_ARGS)
{
	Oid types[] = {TEXTOID, TEXTOID};

	return reply_of(fcinfo, "SELECT catalogue.key_facts($1, $2)", types, false);
}

Datum
catalogue_use_key(PG_FUNCTION_ARGS)
{
	Oid types[] = {TEXTOID, INT4OID};

	return reply_of(fcinfo, "SELECT catalogue.grant_requests($1, $2)", types, true);
}

Datum
catalogue_web_access(PG_FUNCTION_ARGS)
{
	return reply_of(fcinfo, "SELECT catalogue.web_facts()", NULL, false);
}
