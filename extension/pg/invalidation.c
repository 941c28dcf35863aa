/*
 * invalidation.c
 *	  Counter of cache invalidations by PostgreSQL: of definitions, privileges and policies.
 *
 * A cache that depends on them stores the count at the time when it was filled and compares it.
 */
#include "catalogue.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "pg/pg.h"

#define OWN_MAX 64 /* OIDs of own tables and their indexes */

/*
 * Tables that the service writes even if clients only read, with their indexes.
 *
 * They are vacuumed and analyzed frequently, which invalidates their relcache entries like a
 * changed definition, although no response depends on their definitions.
 */
static const char *const own_tables[] = {"attempt", "change",	"consumer_use",
										 "counter", "recorder", "statistics"};
static struct
{
	Oid ids[OWN_MAX];
	int count;
	uint64 found; /* count when they were looked up */
} own;

static uint64 invalidations = 1;

static bool
is_own(Oid relid)
{
	for (int i = 0; i < own.count; i++)
		if (own.ids[i] == relid)
			return true;
	return false;
}

static void
count_table(Datum arg, Oid relid)
{
	if (!OidIsValid(relid) || !is_own(relid))
		invalidations++;
}

static void
count_entry(Datum arg, int cache, uint32 hash)
{
	invalidations++;
}

/*
 * Register callbacks that count invalidations of tables (definitions and privileges; also rules and
 * keys, whose triggers invalidate their tables) and of other catalogs that affect the results of
 * reads.
 */
void
cat_invalidation_init(void)
{
	static const int caches[] = {TYPEOID,		 ENUMTYPOIDNAME, ENUMOID, AUTHOID,
								 AUTHMEMROLEMEM, NAMESPACEOID,	 PROCOID};

	CacheRegisterRelcacheCallback(count_table, 0);
	for (size_t i = 0; i < lengthof(caches); i++)
		CacheRegisterSyscacheCallback(caches[i], count_entry, 0);
}

static void
add_own(Oid relid)
{
	if (own.count < OWN_MAX)
		own.ids[own.count++] = relid;
}

/* Add a table and its indexes.  No lock is needed, since only their OIDs are used. */
static void
add_own_indexed(Oid table)
{
	Relation indexes = table_open(IndexRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	add_own(table);
	ScanKeyInit(&key, Anum_pg_index_indrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(table));
	scan = systable_beginscan(indexes, IndexIndrelidIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		add_own(((Form_pg_index) GETSTRUCT(tuple))->indexrelid);
	systable_endscan(scan);
	table_close(indexes, AccessShareLock);
}

/* Add a table and its TOAST table, with their indexes. */
static void
add_own_table(Oid table)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	Oid long_values;

	if (!HeapTupleIsValid(tuple))
		return;
	long_values = ((Form_pg_class) GETSTRUCT(tuple))->reltoastrelid;
	ReleaseSysCache(tuple);
	add_own_indexed(table);
	if (OidIsValid(long_values))
		add_own_indexed(long_values);
}

/* Look up the own tables again if there were invalidations. */
static void
find_own_tables(void)
{
	uint64 before = invalidations;

	if (own.found == before)
		return;
	own.count = 0;
	for (size_t i = 0; i < lengthof(own_tables); i++)
	{
		Oid table = get_relname_relid(own_tables[i], get_namespace_oid("catalogue", false));

		add_own_table(table);
	}
	own.found = before;
}

/* Return the number of invalidations, except those of own tables. */
uint64
cat_invalidation_count(void)
{
	find_own_tables();
	return invalidations;
}
