/*
 * index_scan.c
 *	  Index scans without the executor.
 *
 * For look-ups by key, since the start-up of the executor costs several times as much as the index
 * scan.  Rows are those visible to the active snapshot.
 */
#include "catalogue.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/visibilitymap.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "pg/pg.h"

bool
cat_index_scan_sees_all(Oid table)
{
	return pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK &&
		   check_enable_rls(table, InvalidOid, true) != RLS_ENABLED;
}

/*
 * Return whether a statement on the table would return exactly the table's own rows: it is an
 * ordinary table without children, and no row security applies to the user.
 */
static bool
is_all(Relation table)
{
	const FormData_pg_class *form = table->rd_rel;
	Oid relid = RelationGetRelid(table);

	return form->relkind == RELKIND_RELATION &&
		   (!form->relhassubclass || find_inheritance_children(relid, NoLock) == NIL) &&
		   (!form->relrowsecurity || check_enable_rls(relid, InvalidOid, true) != RLS_ENABLED);
}

/* Open a table; false, with nothing open, if a statement must be used. */
static bool
open_table(CatScan *scan, Oid table)
{
	AclResult result = pg_class_aclcheck(table, GetUserId(), ACL_SELECT);

	/* as the executor does */
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, get_rel_name(table));
	*scan = (CatScan){.table = table_open(table, AccessShareLock)};
	cat_invalidation_hook_lock();
	if (is_all(scan->table))
		return true;
	table_close(scan->table, AccessShareLock);
	return false;
}

/*
 * Return whether an index has all rows of the snapshot.  One that was built after the snapshot may
 * lack row versions of broken HOT chains.
 */
static bool
is_complete(Relation index)
{
	const FormData_pg_index *form = index->rd_index;

	return form->indisvalid &&
		   (!form->indcheckxmin ||
			TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
								  TransactionXmin));
}

/* Open an index of the table; false if the scan cannot use it. */
static bool
open_index(CatScan *scan, Oid index)
{
	scan->index = try_relation_open(index, AccessShareLock);
	if (scan->index && !is_complete(scan->index))
	{
		relation_close(scan->index, AccessShareLock);
		scan->index = NULL;
	}
	return scan->index != NULL;
}

bool
cat_index_scan_open(CatScan *scan, Oid table, Oid index)
{
	if (!OidIsValid(index) || !open_table(scan, table))
		return false;
	if (open_index(scan, index))
		return true;
	cat_index_scan_close(scan);
	return false;
}

/*
 * Open a table and an index of the schema catalogue by their names.
 *
 * REINDEX CONCURRENTLY gives the name to another index; who has looked it up just before finds an
 * index that is not valid any more, and looks it up again.
 */
bool
cat_index_scan_open_named(CatScan *scan, const char *table, const char *index)
{
	Oid schema = get_namespace_oid("catalogue", false);
	Oid tried = InvalidOid;
	Oid found;

	while (OidIsValid(found = get_relname_relid(index, schema)) && found != tried)
	{
		if (cat_index_scan_open(scan, get_relname_relid(table, schema), found))
			return true;
		tried = found;
	}
	return false;
}

/* Start or restart the scan.  The number of keys must be the same in each call. */
static void
begin(CatScan *scan, ScanKey keys, int count)
{
	if (!scan->desc)
	{
		scan->desc = compat_index_beginscan(scan->table, scan->index, GetActiveSnapshot(), count);
	}
	index_rescan(scan->desc, keys, count, NULL, 0);
}

void
cat_index_scan_seek(CatScan *scan, const char *key)
{
	cat_index_scan_seek_words(scan, list_make1(unconstify(char *, key)));
}

void
cat_index_scan_seek_words(CatScan *scan, List *words)
{
	ScanKeyData conditions[INDEX_MAX_KEYS];

	foreach_ptr(char, word, words)
	{
		int i = foreach_current_index(word);

		ScanKeyEntryInitialize(&conditions[i], 0, (AttrNumber) (i + 1), BTEqualStrategyNumber,
							   InvalidOid, scan->index->rd_indcollation[i], F_TEXTEQ,
							   CStringGetTextDatum(word));
	}
	begin(scan, conditions, list_length(words));
}

void
cat_index_scan_seek_since(CatScan *scan, const char *key, TimestampTz since)
{
	ScanKeyData conditions[2];
	AttrNumber count = 0;

	if (key)
	{
		ScanKeyEntryInitialize(&conditions[0], 0, 1, BTEqualStrategyNumber, InvalidOid,
							   scan->index->rd_indcollation[0], F_TEXTEQ, CStringGetTextDatum(key));
		count++;
	}
	ScanKeyInit(&conditions[count], (AttrNumber) (count + 1), BTGreaterEqualStrategyNumber,
				F_TIMESTAMPTZ_GE, TimestampTzGetDatum(since));
	begin(scan, conditions, count + 1);
}

void
cat_index_scan_seek_numbers(CatScan *scan, int64 key, int64 bound, bool backwards)
{
	ScanKeyData conditions[2];

	ScanKeyInit(&conditions[0], 1, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(key));
	ScanKeyInit(&conditions[1], 2,
				backwards ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber,
				backwards ? F_INT8LE : F_INT8GE, Int64GetDatum(bound));
	begin(scan, conditions, 2);
}

void
cat_index_scan_seek_values(CatScan *scan, List *values, bool backwards)
{
	StrategyNumber strategy = backwards ? BTLessStrategyNumber : BTGreaterStrategyNumber;
	ScanKey parts = palloc(sizeof(ScanKeyData) * 2); /* must live as long as the scan */
	ScanKeyData condition = {.sk_flags = SK_ROW_HEADER,
							 .sk_attno = 1,
							 .sk_strategy = strategy,
							 .sk_argument = PointerGetDatum(parts)};

	if (values != NIL)
	{
		ScanKeyEntryInitialize(&parts[0], SK_ROW_MEMBER, 1, strategy, InvalidOid, InvalidOid,
							   F_TIMESTAMPTZ_CMP, cat_literal_timestamp(linitial(values)));
		ScanKeyEntryInitialize(&parts[1], SK_ROW_MEMBER | SK_ROW_END, 2, strategy, InvalidOid,
							   scan->index->rd_indcollation[1], F_BTTEXTCMP,
							   CStringGetTextDatum(lsecond(values)));
	}
	begin(scan, &condition, values != NIL);
}

bool
cat_index_scan_next(CatScan *scan, bool backwards)
{
	if (!scan->slot)
		scan->slot = table_slot_create(scan->table, NULL);
	return index_getnext_slot(scan->desc, backwards ? BackwardScanDirection : ForwardScanDirection,
							  scan->slot);
}

bool
cat_index_scan_try(CatScan *scan, int *entries)
{
	if (!scan->slot)
		scan->slot = table_slot_create(scan->table, NULL);
	while (--*entries >= 0 && index_getnext_tid(scan->desc, BackwardScanDirection))
		if (index_fetch_heap(scan->desc, scan->slot))
			return true;
	return false;
}

void
cat_index_scan_close(CatScan *scan)
{
	if (scan->slot)
		ExecDropSingleTupleTableSlot(scan->slot);
	if (scan->desc)
		index_endscan(scan->desc);
	if (scan->index)
		relation_close(scan->index, AccessShareLock);
	table_close(scan->table, AccessShareLock);
}
