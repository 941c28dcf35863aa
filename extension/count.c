/*
 * count.c
 *	  Numbers of records that a statement has to count.
 *
 * Whoever walks the pages of a list asks for the same number again and
 * again.  It is kept by this backend until anything that it depends on has
 * changed, which the instant of the newest change tells.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* More different numbers than this, and all are counted anew. */
#define COUNT_MAX 256

typedef struct CountEntry
{
	uint64 hash;
	char *key; /* who asks, as of when, statement, parameters */
	TimestampTz newest;
	int64 count;
} CountEntry;

static HTAB *counts;
static MemoryContext memory;

static void
forget_all(void)
{
	HASHCTL control = {.keysize = sizeof(uint64), .entrysize = sizeof(CountEntry)};

	if (memory)
		MemoryContextReset(memory);
	else
		memory = AllocSetContextCreate(TopMemoryContext, "catalogue counts", ALLOCSET_SMALL_SIZES);
	control.hcxt = memory;
	counts =
		hash_create("catalogue counts", COUNT_MAX, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static char *
key_of(const CatQuery *query)
{
	StringInfoData key;
	ListCell *cell;

	initStringInfo(&key);
	appendStringInfo(&key, "%u " INT64_FORMAT " %s", GetUserId(), query->then, query->sql.data);
	foreach(cell, query->params)
	{
		const QueryParam *param = lfirst(cell);
		Oid function;
		bool varlena;
		char *text;

		getTypeOutputInfo(param->type, &function, &varlena);
		text = OidOutputFunctionCall(function, param->value);
		appendStringInfo(&key, " %zu:%s", strlen(text), text);
	}
	return key.data;
}

static int64
run(CatQuery *query)
{
	bool isnull;

	query_run(query);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/* Keep a number; an entry of another key under the same hash gives way. */
static void
keep(uint64 hash, const char *key, TimestampTz newest, int64 count)
{
	CountEntry *entry;

	if (hash_get_num_entries(counts) >= COUNT_MAX)
		forget_all();
	entry = hash_search(counts, &hash, HASH_ENTER, NULL);
	entry->key = MemoryContextStrdup(memory, key);
	entry->newest = newest;
	entry->count = count;
}

/*
 * The number that a statement counts, from what this backend knows or by running it.
 *
 * Not kept where the transaction itself has changed records.
 */
int64
count_run(CatQuery *query, const Params *params)
{
	char *key;
	uint64 hash;
	CountEntry *entry;
	int64 count;

	if (stamp_is_due())
		return run(query);
	if (!counts)
		forget_all();
	key = key_of(query);
	hash = hash_bytes_extended((unsigned char *) key, (int) strlen(key), 0);
	entry = hash_search(counts, &hash, HASH_FIND, NULL);
	if (entry && entry->newest == params->newest && strcmp(entry->key, key) == 0)
		return entry->count;
	count = run(query);
	keep(hash, key, params->newest, count);
	return count;
}
