/*
 * count_cache.c
 *	  Numbers of records that a statement has to count.
 *
 * Whoever walks the pages of a list asks for the same number again and
 * again.  It is kept by this backend until anything that it depends on has
 * changed: records, which the instant of the newest change tells, or what
 * PostgreSQL's caches hold, as a policy of row security or a column of another
 * type.  For choosing a way to read it is good enough for some minutes.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* More different numbers than this, and all are counted anew. */
#define COUNT_MAX 1024

/* How long a number is good for choosing a way to read. */
#define LATELY (5 * SECS_PER_MINUTE * USECS_PER_SEC)

typedef struct CountEntry
{
	uint64 hash;
	char *key;			 /* who asks, as of when, statement, parameters */
	TimestampTz newest;	 /* change that it counts */
	uint64 marks;		 /* of definitions, before it was counted */
	TimestampTz counted; /* when */
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
key_of(const SqlBuilder *query)
{
	StringInfoData key;
	ListCell *cell;

	initStringInfo(&key);
	appendStringInfo(&key, "%u " INT64_FORMAT " %s", GetUserId(), query->then, query->sql.data);
	foreach(cell, query->params)
	{
		const SqlParam *param = lfirst(cell);
		char *text = cat_sql_builder_param_text(param);

		appendStringInfo(&key, " %zu:%s", strlen(text), text);
	}
	return key.data;
}

static int64
count(SqlBuilder *query, void (*run)(SqlBuilder *))
{
	bool isnull;

	run(query);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

static uint64
hash_of(const char *key)
{
	return hash_bytes_extended((const unsigned char *) key, (int) strlen(key), 0);
}

/* What is known under a key, NULL for nothing. */
static const CountEntry *
find(const char *key)
{
	uint64 hash = hash_of(key);
	const CountEntry *entry = counts ? hash_search(counts, &hash, HASH_FIND, NULL) : NULL;

	return entry && strcmp(entry->key, key) == 0 ? entry : NULL;
}

/* Keep a number; an entry of another key under the same hash gives way. */
static void
keep(const char *key, TimestampTz newest, uint64 marks, int64 number)
{
	uint64 hash = hash_of(key);
	CountEntry *entry;
	bool found;

	if (!counts || hash_get_num_entries(counts) >= COUNT_MAX)
		forget_all();
	entry = hash_search(counts, &hash, HASH_ENTER, &found);
	if (!found || strcmp(entry->key, key) != 0)
		entry->key = MemoryContextStrdup(memory, key);
	entry->newest = newest;
	entry->marks = marks;
	entry->counted = GetCurrentTimestamp();
	entry->count = number;
}

/*
 * The number that a statement counts, from what this backend knows or by running it.
 *
 * run: runs the statement.
 * Not kept where the transaction itself has changed records.
 */
int64
cat_count_cache_run(SqlBuilder *query, const RequestParams *params, void (*run)(SqlBuilder *))
{
	char *key;
	const CountEntry *entry;
	uint64 marks = cat_invalidation_count();
	int64 number;

	if (cat_commit_time_is_due())
		return count(query, run);
	key = key_of(query);
	entry = find(key);
	if (entry && entry->newest == params->newest && entry->marks == marks)
		return entry->count;
	number = count(query, run);
	keep(key, params->newest, marks, number);
	return number;
}

/* The number now or some minutes ago: for choosing a way to read, for nothing else. */
int64
cat_count_cache_lately(SqlBuilder *query, const RequestParams *params, void (*run)(SqlBuilder *))
{
	const CountEntry *entry = find(key_of(query));

	if (entry && entry->counted > GetCurrentTimestamp() - LATELY)
		return entry->count;
	return cat_count_cache_run(query, params, run);
}
