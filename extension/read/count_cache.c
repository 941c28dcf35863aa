/*
 * count_cache.c
 *	  Counts: the cache of their results, and what has come since an earlier state.
 *
 * Clients that page through a list ask for the same total repeatedly.  A count is cached in the
 * backend until something that it depends on changes: records (detected by the commit time of the
 * newest change) or definitions (detected by PostgreSQL's cache invalidations, for example a row
 * security policy or a column type).  For the choice of a read method, a count is accepted for some
 * minutes.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "history/history.h"
#include "pg/pg.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/read_internal.h"

/* Maximum number of entries; when it is reached, the cache is emptied. */
#define COUNT_MAX 1024

/* Age up to which a count may be used to choose a read method. */
#define LATELY (5 * SECS_PER_MINUTE * USECS_PER_SEC)

typedef struct CountEntry
{
	uint64 hash;
	char *key;			 /* user, instant, statement, parameters */
	TimestampTz newest;	 /* newest change that is counted */
	uint64 invalidation; /* number of the last invalidation before counting */
	TimestampTz counted; /* time of counting */
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
	return psprintf("%u " INT64_FORMAT " %s", GetUserId(), query->then, cat_sql_builder_key(query));
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

/* Return the entry of a key, or NULL. */
static const CountEntry *
find(const char *key)
{
	uint64 hash = hash_of(key);
	const CountEntry *entry = counts ? hash_search(counts, &hash, HASH_FIND, NULL) : NULL;

	return entry && strcmp(entry->key, key) == 0 ? entry : NULL;
}

/* Store a count; an entry of another key with the same hash is replaced. */
static void
keep(const char *key, TimestampTz newest, uint64 invalidation, int64 number)
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
	entry->invalidation = invalidation;
	entry->counted = GetCurrentTimestamp();
	entry->count = number;
}

/*
 * Return the count of a statement, from the cache or by running it.
 *
 * run: runs the statement.  The cache is bypassed if the transaction itself has changed records.
 */
int64
cat_count_cache_run(SqlBuilder *query, const RequestParams *params, void (*run)(SqlBuilder *))
{
	char *key;
	const CountEntry *entry;
	uint64 invalidation = cat_invalidation_last(INVALIDATION_READS);
	int64 number;

	if (cat_commit_time_is_due())
		return count(query, run);
	key = key_of(query);
	entry = find(key);
	if (entry && entry->newest == params->newest && entry->invalidation == invalidation)
		return entry->count;
	number = count(query, run);
	keep(key, params->newest, invalidation, number);
	return number;
}

/*
 * Like cat_count_cache_run(), but accepts a count that is up to LATELY old: use it only to choose a
 * read method.
 */
int64
cat_count_cache_lately(SqlBuilder *query, const RequestParams *params, void (*run)(SqlBuilder *))
{
	const CountEntry *entry = find(key_of(query));

	if (entry && entry->counted > GetCurrentTimestamp() - LATELY)
		return entry->count;
	return cat_count_cache_run(query, params, run);
}

static const char living_sql[] =
	"SELECT coalesce(sum(c.living), 0)::bigint FROM catalogue.change c "
	"WHERE c.resource = $1 AND c.at > $2 AND c.living <> 0";

/* Return by how much the number of living records has grown since the instant of a read. */
static int64
living_since(const RequestParams *params)
{
	Oid types[] = {TEXTOID, TIMESTAMPTZOID};
	Datum values[] = {CStringGetTextDatum(params->resource->name),
					  TimestampTzGetDatum(params->then)};
	bool isnull;

	cat_statement_run(living_sql, 2, types, values, NULL, false, 0);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/*
 * Return how many of the records that outsiders see now were not visible to them at the instant of
 * a read.
 */
static int64
shown_since(const RequestParams *params)
{
	SqlBuilder query;

	cat_sql_builder_begin(&query, params->access, params->then);
	appendStringInfo(&query.sql, "SELECT count(*) FROM %s p JOIN %s t ON t.id = p.id WHERE ",
					 cat_history_sql_past(&query, params->resource), params->resource->table);
	cat_sql_builder_living(&query, params->resource, "t");
	appendStringInfoString(&query.sql, " AND (p.created_at IS NOT NULL AND ");
	cat_sql_builder_living(&query, params->resource, "p");
	appendStringInfoString(&query.sql, ") IS NOT TRUE");
	return cat_count_cache_run(&query, params, cat_sql_builder_run);
}

/*
 * Return how many of the records counted now do not belong to the state at the instant of a read; 0
 * for a read of the present state.
 */
int64
cat_count_since(const RequestParams *params)
{
	if (!params->then)
		return 0;
	return params->access == ACCESS_OUTSIDER ? shown_since(params) : living_since(params);
}
