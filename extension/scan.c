/*
 * scan.c
 *	  Records in the order of an index, read without a statement.
 *
 * For reads by key and plain pages: starting the executor costs several times
 * what the index itself does.  Rows are those of the active snapshot.
 */
#include "catalogue.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#if PG_VERSION_NUM >= 180000
#define begin_scan(table, index, keys) \
	index_beginscan(table, index, GetActiveSnapshot(), NULL, keys, 0)
#else
#define begin_scan(table, index, keys) index_beginscan(table, index, GetActiveSnapshot(), keys, 0)
#endif

/* As the executor would: the caller needs SELECT. */
static void
check_privilege(Oid table)
{
	AclResult result = pg_class_aclcheck(table, GetUserId(), ACL_SELECT);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, get_rel_name(table));
}

/*
 * Open a table and an index of it; scan_seek() comes next.
 *
 * False, and nothing open, where a statement must be used instead: the index
 * is gone, or row security applies to the caller.
 */
bool
scan_open(CatScan *scan, Oid table, Oid index)
{
	if (!OidIsValid(index) || check_enable_rls(table, InvalidOid, true) == RLS_ENABLED)
		return false;
	check_privilege(table);
	scan->table = table_open(table, AccessShareLock);
	scan->index = try_relation_open(index, AccessShareLock);
	if (!scan->index)
	{
		table_close(scan->table, AccessShareLock);
		return false;
	}
	scan->slot = table_slot_create(scan->table, NULL);
	scan->desc = NULL;
	return true;
}

/* Begin at the rows whose first column of the index is the key; NULL: at all rows. */
void
scan_seek(CatScan *scan, const char *key)
{
	ScanKeyData condition;
	int count = key ? 1 : 0;

	if (key)
		ScanKeyEntryInitialize(&condition, 0, 1, BTEqualStrategyNumber, InvalidOid,
							   scan->index->rd_indcollation[0], F_TEXTEQ, CStringGetTextDatum(key));
	if (!scan->desc)
		scan->desc = begin_scan(scan->table, scan->index, count);
	index_rescan(scan->desc, key ? &condition : NULL, count, NULL, 0);
}

/* Move to the next row; false at the end.  The row is in CatScan.slot. */
bool
scan_next(CatScan *scan, bool backwards)
{
	return index_getnext_slot(scan->desc, backwards ? BackwardScanDirection : ForwardScanDirection,
							  scan->slot);
}

void
scan_close(CatScan *scan)
{
	ExecDropSingleTupleTableSlot(scan->slot);
	if (scan->desc)
		index_endscan(scan->desc);
	relation_close(scan->index, AccessShareLock);
	table_close(scan->table, AccessShareLock);
}
