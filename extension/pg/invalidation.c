/*
 * invalidation.c
 *	  Numbered cache invalidations by PostgreSQL, and checks of definitions while tables are read.
 *
 * Only this file registers callbacks.  Each invalidation takes the next number, and the number of
 * the last one is stored for each group of catalogs and for each table that a cache depends on.  A
 * cache stores cat_invalidation_number() before it reads what it depends on, because callbacks also
 * run while catalogs are read; it is valid while nothing that it depends on has a greater number.
 *
 * Tables have numbers of their own since VACUUM and ANALYZE invalidate a table as well: with one
 * number for all, each would make every cache be filled again.
 */
#include "catalogue.h"

#include "catalog/namespace.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/pg.h"

/*
 * ---- Checks of definitions while tables are read ----
 *
 * A table can be redefined while a statement or an index scan waits for its lock.  The folder that
 * caches definitions decides what that means for the running call: that folder sets its functions
 * here, so that this one does not depend on it.
 */

static void (*after_lock)(void);
static void (*after_error)(void);

void
cat_invalidation_hook_set(void (*lock)(void), void (*error)(void))
{
	after_lock = lock;
	after_error = error;
}

void
cat_invalidation_hook_lock(void)
{
	if (after_lock)
		after_lock();
}

void
cat_invalidation_hook_error(void)
{
	if (after_error)
		after_error();
	PG_RE_THROW();
}

#define OWN_MAX 64 /* OIDs of own tables and their indexes */

/*
 * Tables that the service writes even if clients only read, with their indexes.
 *
 * They are vacuumed and analyzed frequently, which invalidates their relcache entries like a
 * changed definition, although no response depends on their definitions.
 */
static const char *const own_tables[] = {"attempt",	 "change",		"consumer_use",
										 "counter",	 "facet_cache", "facet_counter",
										 "recorder", "statistics",	"statistics_by_day"};
static struct
{
	Oid ids[OWN_MAX];
	int count;
	uint64 found; /* last[INVALIDATION_READS] when they were looked up */
} own;

/* Number of the last invalidation of a table. */
typedef struct TableInvalidation
{
	Oid relid;
	uint64 last;
} TableInvalidation;

/* Catalogs with a callback, and the groups that each belongs to, as a mask. */
static const struct
{
	int cache;
	int groups;
} catalogs[] = {
	{TYPEOID, 1 << INVALIDATION_TYPES | 1 << INVALIDATION_READS},
	{ENUMTYPOIDNAME, 1 << INVALIDATION_TYPES | 1 << INVALIDATION_READS},
	{ENUMOID, 1 << INVALIDATION_READS},
	{AUTHOID, 1 << INVALIDATION_ROLES | 1 << INVALIDATION_READS},
	{AUTHMEMROLEMEM, 1 << INVALIDATION_ROLES | 1 << INVALIDATION_READS},
	{NAMESPACEOID, 1 << INVALIDATION_TYPES | 1 << INVALIDATION_ROLES | 1 << INVALIDATION_READS},
	{PROCOID, 1 << INVALIDATION_READS},
};

static uint64 number = 1;				 /* of the last invalidation */
static uint64 last[INVALIDATION_GROUPS]; /* number of the last invalidation of each group */
static HTAB *watched;					 /* Oid to TableInvalidation; entries are never removed */

static bool
is_own(Oid relid)
{
	for (int i = 0; i < own.count; i++)
		if (own.ids[i] == relid)
			return true;
	return false;
}

/* Number the invalidation of a table if it is watched; of all if relid is invalid. */
static void
number_watched(Oid relid)
{
	HASH_SEQ_STATUS scan;
	TableInvalidation *table;

	if (OidIsValid(relid))
	{
		if ((table = hash_search(watched, &relid, HASH_FIND, NULL)))
			table->last = number;
		return;
	}
	hash_seq_init(&scan, watched);
	while ((table = hash_seq_search(&scan)))
		table->last = number;
}

/* Relcache callback.  relid: InvalidOid for all tables, also when messages were lost. */
static void
number_table(Datum arg, Oid relid)
{
	number++;
	last[INVALIDATION_TABLES] = number;
	number_watched(relid);
	if (!OidIsValid(relid) || !is_own(relid))
		last[INVALIDATION_READS] = number;
}

/* Syscache callback.  groups: mask of the groups of the catalog. */
static void
number_catalog(Datum groups, int cache, uint32 hash)
{
	number++;
	for (int group = 0; group < INVALIDATION_GROUPS; group++)
		if (DatumGetInt32(groups) & 1 << group)
			last[group] = number;
}

void
cat_invalidation_init(void)
{
	HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(TableInvalidation)};

	watched = hash_create("catalogue invalidations", 64, &control, HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(number_table, 0);
	for (size_t i = 0; i < lengthof(catalogs); i++)
		CacheRegisterSyscacheCallback(catalogs[i].cache, number_catalog,
									  Int32GetDatum(catalogs[i].groups));
}

uint64
cat_invalidation_number(void)
{
	return number;
}

const uint64 *
cat_invalidation_of_table(Oid relid)
{
	bool found;
	TableInvalidation *table = hash_search(watched, &relid, HASH_ENTER, &found);

	/* earlier invalidations of the table were not noted, so assume the latest */
	if (!found)
		table->last = number;
	return &table->last;
}

static void
add_own(Oid relid)
{
	if (own.count < OWN_MAX)
		own.ids[own.count++] = relid;
}

/* Add a table, its indexes and its TOAST table.  No lock is needed, since only their OIDs are used. */
static void
add_own_table(Oid relid)
{
	Relation table = RelationIdGetRelation(relid);
	Oid long_values;

	if (!RelationIsValid(table))
		return;
	add_own(relid);
	foreach_oid(index, RelationGetIndexList(table))
		add_own(index);
	long_values = table->rd_rel->reltoastrelid;
	RelationClose(table);
	if (OidIsValid(long_values))
		add_own_table(long_values);
}

/* Look up the own tables again if there were invalidations that they might explain. */
static void
find_own_tables(void)
{
	uint64 before = last[INVALIDATION_READS];

	if (own.found == before)
		return;
	own.count = 0;
	for (size_t i = 0; i < lengthof(own_tables); i++)
	{
		Oid table = get_relname_relid(own_tables[i], get_namespace_oid("catalogue", false));

		if (OidIsValid(table))
			add_own_table(table);
	}
	own.found = before;
}

uint64
cat_invalidation_last(InvalidationGroup group)
{
	if (group == INVALIDATION_READS)
		find_own_tables();
	return last[group];
}
