/*
 * counter.c
 *	  How many records live in each resource.
 *
 * Every statement that changes the number appends one row with the
 * difference, so that writers never wait for each other; the sum is exact for
 * every snapshot.  Now and then a writer folds the rows that it can have.
 */
#include "catalogue.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* column of catalogue.counter */
#define COUNTER_LIVING 2

/* One statement in so many folds. */
#define FOLD_EVERY 32

static const char add_sql[] = "INSERT INTO catalogue.counter (resource, living) VALUES ($1, $2)";

static const char fold_sql[] =
	"WITH rows AS (SELECT ctid FROM catalogue.counter WHERE resource = $1 "
	"FOR UPDATE SKIP LOCKED), "
	"gone AS (DELETE FROM catalogue.counter c USING rows WHERE c.ctid = rows.ctid "
	"RETURNING c.living) "
	"INSERT INTO catalogue.counter (resource, living) "
	"SELECT $1, sum(living) FROM gone HAVING count(*) > 0";

/* Note that so many more records live; less than 0 for fewer. */
void
counter_add(const Resource *resource, int64 delta)
{
	Oid types[] = {TEXTOID, INT8OID};
	Datum values[] = {CStringGetTextDatum(resource->name), Int64GetDatum(delta)};

	if (delta == 0)
		return;
	plan_run(add_sql, 2, types, values, NULL, true, 0);
	if (pg_prng_uint64_range(&pg_global_prng_state, 1, FOLD_EVERY) == 1)
		plan_run(fold_sql, 1, types, values, NULL, true, 0);
}

static const char since_sql[] = "SELECT coalesce(sum(c.living), 0)::bigint FROM catalogue.change c "
								"WHERE c.resource = $1 AND c.at > $2 AND c.living <> 0";

/* How many more records live than at an earlier instant; 0 for an instant of 0. */
int64
counter_since(const Resource *resource, TimestampTz then)
{
	Oid types[] = {TEXTOID, TIMESTAMPTZOID};
	Datum values[] = {CStringGetTextDatum(resource->name), TimestampTzGetDatum(then)};
	bool isnull;

	if (then == 0)
		return 0;
	plan_run(since_sql, 2, types, values, NULL, false, 0);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

static void
open_counter(CatScan *scan)
{
	Oid table = get_relname_relid("counter", get_namespace_oid("catalogue", false));
	Relation relation = relation_open(table, AccessShareLock);
	List *indexes = RelationGetIndexList(relation);
	bool opened = indexes != NIL && scan_open(scan, table, linitial_oid(indexes));

	relation_close(relation, AccessShareLock);
	if (!opened)
		elog(ERROR, "the counter cannot be read by its index");
}

/* The number of living records, as the calling statement sees them. */
int64
counter_read(const Resource *resource)
{
	CatScan scan;
	int64 sum = 0;
	bool isnull;

	open_counter(&scan);
	scan_seek(&scan, resource->name);
	while (scan_next(&scan, false))
		sum += DatumGetInt64(slot_getattr(scan.slot, COUNTER_LIVING, &isnull));
	scan_close(&scan);
	return sum;
}
