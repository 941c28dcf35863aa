/*
 * facet_cache.c
 *	  Numbers of facets and searches that take long to count, for all backends.
 *
 * The facets of lists with more than catalogue.facets_exact records are kept in a table for
 * catalogue.facets_age seconds.  In the second half of that time one caller counts them anew, while
 * others are given what is kept.  The number of a search is kept with the instant of its state, from
 * which count.c brings it up to date.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/timestamp.h"

#include "base/settings.h"
#include "read/list_internal.h"

/* Return whether what the caller sees goes by his own records or organization, which may be others soon. */
static bool
is_limited(const ReadPlan *plan)
{
	foreach_ptr(const char, resource, plan->resources)
		if (cat_visibility_is_limited(cat_registry_resource(resource), plan->params->access))
			return true;
	return false;
}

bool
cat_facet_cache_serves(const ReadPlan *plan, const PageCacheKey *key)
{
	const RequestParams *params = plan->params;

	return cat_facets_age > 0 && key->state && !params->as_of && !RecoveryInProgress() &&
		   !XactReadOnly && !IsolationUsesXactSnapshot() && !is_limited(plan);
}

/* Take the lock of who counts, until the end of the transaction; false: another one has it. */
static bool
take_lock(const PageCacheKey *key)
{
	LOCKTAG tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (key->hash >> 32), (uint32) key->hash,
						 CAT_LOCK_FACETS);
	return LockAcquire(&tag, ExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

char *
cat_facet_cache_get(const PageCacheKey *key, TimestampTz *counted_at)
{
	char *facets;
	int64 age;
	bool isnull;

	cat_statement_fresh("SELECT c.facets, c.counted_at, "
						"ceil(extract(epoch FROM clock_timestamp() - c.counted_at))::bigint "
						"FROM catalogue.facet_cache c WHERE c.hash = $1 AND c.key = $2",
						datum_param(INT8OID, Int64GetDatum((int64) key->hash)),
						text_param(key->key));
	if (SPI_processed == 0)
		return NULL;
	facets = cat_result_text(1);
	*counted_at = DatumGetTimestampTz(cat_result_datum(2, &isnull));
	age = cat_result_int64(3);
	return age <= cat_facets_age && (age <= cat_facets_age / 2 || !take_lock(key)) ? facets : NULL;
}

char *
cat_facet_cache_get_any(const PageCacheKey *key)
{
	cat_statement_fresh("SELECT c.facets FROM catalogue.facet_cache c WHERE c.hash = $1 "
						"AND c.key = $2",
						datum_param(INT8OID, Int64GetDatum((int64) key->hash)),
						text_param(key->key));
	return SPI_processed > 0 ? cat_result_text(1) : NULL;
}

void
cat_facet_cache_put(const PageCacheKey *key, TimestampTz counted_at, const char *facets)
{
	/* a reader does not wait for the transaction of another one */
	if (!take_lock(key))
		return;
	cat_statement_fresh(
		"INSERT INTO catalogue.facet_cache AS c (hash, key, counted_at, facets) "
		"VALUES ($1, $2, $3, $4) ON CONFLICT (hash) DO UPDATE SET (key, counted_at, facets) = "
		"(excluded.key, excluded.counted_at, excluded.facets) "
		"WHERE c.counted_at < excluded.counted_at",
		datum_param(INT8OID, Int64GetDatum((int64) key->hash)), text_param(key->key),
		datum_param(TIMESTAMPTZOID, TimestampTzGetDatum(counted_at)), text_param(facets));
}
