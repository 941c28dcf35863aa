/*
 * invalidation.c
 *	  How often PostgreSQL has invalidated what its caches hold: definitions, rights, policies.
 *
 * A cache that depends on them compares this number with the one that it was filled at.
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

#define OWN_MAX 64 /* tables of the service itself, and their indexes */

/*
 * Tables that the service writes while nothing but requests are counted, with their indexes.
 *
 * They are vacuumed and analyzed all the time, which invalidates their entries as a changed
 * definition does, and no answer depends on their definitions.
 */
static const char *const own_tables[] = {"attempt", "change",	"consumer_use",
										 "counter", "recorder", "statistics"};
static struct
{
	Oid ids[OWN_MAX];
	int count;
	uint64 found; /* invalidations when they were looked up */
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
 * Count invalidations of tables, and with them of their definitions and rights, of the rules and
 * keys, whose triggers invalidate their table, and of whatever else decides what a read returns.
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

/* Add a table and its indexes, without a lock: it is only to be known which they are. */
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

/* Add a table with its indexes, and its TOAST table with its index. */
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

/* Look up the own tables, if anything was invalidated since the last time. */
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

/* The number of invalidations, but for those of own tables. */
uint64
cat_invalidation_count(void)
{
	find_own_tables();
	return invalidations;
}
