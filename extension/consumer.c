/*
 * consumer.c
 *	  The registered application that a request comes from, and what its key
 *	  is limited to.
 *
 * The shim has verified the credential.  Whether the consumer and the key still
 * live is looked at here, at each call, so that their end counts at once.
 */
#include "catalogue.h"

#include "access/tableam.h"
#include "catalog/namespace.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* A table of consumers, and where rows of it were found, by a hash of their first column. */
typedef struct Register
{
	const char *table;
	const char *index;
	ItemPointerData places[64];
} Register;

static Register consumers = {.table = "consumers", .index = "consumers_pkey"};
static Register keys = {.table = "consumer_keys", .index = "consumer_keys_pkey"};

static bool
has_key(CatScan *scan, const char *key)
{
	bool isnull;
	Datum value = slot_getattr(scan->slot, 1, &isnull);

	return strcmp(TextDatumGetCString(value), key) == 0;
}

/*
 * Find the row of a key, first where it was the last time; scan_close() comes
 * next.  False, and nothing open, where there is none.
 */
static bool
find_row(CatScan *scan, Register *source, const char *key)
{
	Oid table = bulk_table(source->table);
	uint32 hash = hash_bytes((const unsigned char *) key, (int) strlen(key));
	ItemPointer place = &source->places[hash % lengthof(source->places)];

	if (ItemPointerIsValid(place) && scan_place(scan, table, place))
	{
		if (has_key(scan, key))
			return true;
		scan_close(scan);
	}
	if (!scan_open(scan, table,
				   get_relname_relid(source->index, get_namespace_oid("catalogue", false))))
		elog(ERROR, "table \"%s\" cannot be read by its primary key", source->table);
	scan_seek(scan, key);
	if (scan_next(scan, false))
	{
		*place = scan->slot->tts_tid;
		return true;
	}
	scan_close(scan);
	return false;
}

static Datum
column_of(CatScan *scan, const char *column, bool *isnull)
{
	AttrNumber attno = get_attnum(RelationGetRelid(scan->table), column);

	if (attno <= 0)
		elog(ERROR, "column \"%s\" of table \"%s\" does not exist", column,
			 RelationGetRelationName(scan->table));
	return slot_getattr(scan->slot, attno, isnull);
}

/* Whether a row says that it is neither revoked nor past its time. */
static bool
is_living(CatScan *scan)
{
	bool revoked;
	bool endless;
	TimestampTz expires;

	column_of(scan, "revoked_at", &revoked);
	expires = DatumGetTimestampTz(column_of(scan, "expires_at", &endless));
	/* "revoked" is the null flag of when it was: true where it was not */
	return revoked && (endless || expires > GetCurrentStatementStartTimestamp());
}

static void
pg_attribute_noreturn() refuse(void)
{
	ereport(ERROR,
			(errcode(OD401), errmsg("the consumer of this credential is not registered any more")));
}

/* The texts of an array, palloc'd; NIL for a null. */
static List *
texts_of(Datum array, bool isnull)
{
	List *texts = NIL;
	Datum *values;
	int count;

	if (isnull)
		return NIL;
	values = texts_of_array(array, &count);
	for (int i = 0; i < count; i++)
		texts = lappend(texts, TextDatumGetCString(values[i]));
	return texts;
}

/* Take the limits of the key into the actor; OD401 unless it lives and is the consumer's. */
static void
look_up_key(Actor *actor, const char *key)
{
	CatScan scan;
	bool isnull;
	Datum value;

	if (!find_row(&scan, &keys, key))
		refuse();
	if (!is_living(&scan) ||
		strcmp(TextDatumGetCString(column_of(&scan, "consumer", &isnull)), actor->consumer) != 0)
		refuse();
	value = column_of(&scan, "resources", &isnull);
	actor->resources = texts_of(value, isnull);
	value = column_of(&scan, "organization", &isnull);
	if (!isnull)
		strlcpy(actor->organization, TextDatumGetCString(value), sizeof(actor->organization));
	scan_close(&scan);
}

/*
 * Look up the consumer that actor->consumer names, and the key, NULL where a
 * gateway vouches for the consumer.
 *
 * OD401 where one of them is unknown, revoked or past its time.
 */
void
consumer_look_up(Actor *actor, const char *key)
{
	CatScan scan;

	if (!find_row(&scan, &consumers, actor->consumer) || !is_living(&scan))
		refuse();
	scan_close(&scan);
	if (key)
		look_up_key(actor, key);
}

/* Whether the key that the actor came with lets it ask for a resource. */
bool
consumer_may_ask(const Actor *actor, const char *resource)
{
	ListCell *cell;

	foreach(cell, actor->resources)
		if (strcmp(lfirst(cell), resource) == 0)
			return true;
	return actor->resources == NIL;
}

/* OD403 unless so. */
void
consumer_require(const Actor *actor, const char *resource)
{
	if (!consumer_may_ask(actor, resource))
		ereport(ERROR, (errcode(OD403), errmsg("this key is not for resource \"%s\"", resource)));
}
