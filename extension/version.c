/*
 * version.c
 *	  The instants that pages are versions of.
 *
 * Each transaction that changes records gets one instant, taken while it
 * commits.  What a statement sees is then named by the instant of the newest
 * change among it; the same instant shows the same records later.
 *
 * Transactions do not become visible in the order of their instants: one may
 * be in the middle of its commit while another, with a later instant, is
 * seen already.  So each notes which others were in the middle of theirs,
 * and a reader who does not see one of them yet waits for it.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/sinvaladt.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(catalogue_history_horizon);

/* Class of the advisory lock; those of users are 1 and 2. */
#define COMMIT_LOCK_CLASS 3

/* columns of catalogue.change */
#define CHANGE_AT 3
#define CHANGE_PENDING 5

/* What the transaction has changed of a resource. */
typedef struct Touched
{
	char resource[NAMEDATALEN];
	int64 number;
	int64 living; /* records that came to life, less those deleted */
} Touched;

static List *touched; /* in TopTransactionContext */

#if PG_VERSION_NUM >= 170000
#define transaction_of(holder, xid, xmin, count, overflowed) \
	ProcNumberGetTransactionIds((holder).procNumber, xid, xmin, count, overflowed)
#elif PG_VERSION_NUM >= 160000
#define transaction_of(holder, xid, xmin, count, overflowed) \
	BackendIdGetTransactionIds((holder).backendId, xid, xmin, count, overflowed)
#else
#define transaction_of(holder, xid, xmin, count, overflowed) \
	BackendIdGetTransactionIds((holder).backendId, xid, xmin)
#endif

/* The lock that transactions share from their instant until they are seen. */
static LOCKTAG
commit_lock(void)
{
	LOCKTAG tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, 0, 0, COMMIT_LOCK_CLASS);
	return tag;
}

/* Those who hold it, but for this transaction; palloc'd. */
static VirtualTransactionId *
committing(int *count)
{
	LOCKTAG tag = commit_lock();

	return GetLockConflicts(&tag, AccessExclusiveLock, count);
}

static bool
is_among(VirtualTransactionId *holders, int count, VirtualTransactionId holder)
{
	for (int i = 0; i < count; i++)
		if (VirtualTransactionIdEquals(holders[i], holder))
			return true;
	return false;
}

/*
 * The transactions that are in the middle of their commits, as int8[].
 *
 * Who still holds the lock after the look at its id has had that id then.
 */
static Datum
pending_now(void)
{
	int count;
	int later;
	VirtualTransactionId *holders = committing(&count);
	TransactionId *ids = palloc(sizeof(TransactionId) * (count + 1));
	Datum *pending = palloc(sizeof(Datum) * (count + 1));
	VirtualTransactionId *still;
	int n = 0;

	for (int i = 0; i < count; i++)
	{
		TransactionId xmin;
		int nested pg_attribute_unused();
		bool overflowed pg_attribute_unused();

		transaction_of(holders[i], &ids[i], &xmin, &nested, &overflowed);
	}
	still = committing(&later);
	for (int i = 0; i < count; i++)
		if (TransactionIdIsValid(ids[i]) && is_among(still, later, holders[i]))
			pending[n++] = Int64GetDatum(ids[i]);
	return PointerGetDatum(construct_array(pending, n, INT8OID, 8, true, TYPALIGN_DOUBLE));
}

/* The newest change of some resources that the active snapshot sees. */
typedef struct Newest
{
	TimestampTz at;
	List *unseen; /* of int: transactions with an earlier instant that it does not see */
} Newest;

/* Note which of the pending transactions the active snapshot does not see. */
static List *
unseen_of(Datum pending)
{
	List *unseen = NIL;
	Datum *ids;
	int count;

	deconstruct_array(DatumGetArrayTypeP(pending), INT8OID, 8, true, TYPALIGN_DOUBLE, &ids, NULL,
					  &count);
	for (int i = 0; i < count; i++)
	{
		TransactionId id = (TransactionId) DatumGetInt64(ids[i]);

		if (XidInMVCCSnapshot(id, GetActiveSnapshot()))
			unseen = lappend_int(unseen, (int) id);
	}
	return unseen;
}

static Oid
object_oid(const char *name)
{
	return get_relname_relid(name, get_namespace_oid("catalogue", false));
}

static void
add_newest(Newest *newest, CatScan *scan, const char *resource)
{
	bool isnull;
	TimestampTz at;

	scan_seek(scan, resource);
	if (!scan_next(scan, true))
		return;
	at = DatumGetTimestampTz(slot_getattr(scan->slot, CHANGE_AT, &isnull));
	newest->at = Max(newest->at, at);
	/* a server that was started since has ended all commits that were pending */
	if (at >= PgStartTime)
		newest->unseen = list_concat(newest->unseen,
									 unseen_of(slot_getattr(scan->slot, CHANGE_PENDING, &isnull)));
}

/* resources: List of const char *. */
static Newest
newest_change(List *resources)
{
	Newest newest = {0, NIL};
	CatScan scan;
	ListCell *cell;

	if (!scan_open(&scan, object_oid("change"), object_oid("change_resource_at")))
		elog(ERROR, "catalogue.change cannot be read by its index");
	foreach(cell, resources)
		add_newest(&newest, &scan, lfirst(cell));
	scan_close(&scan);
	return newest;
}

/* The earliest instant that the history is sure to reach back to. */
static TimestampTz
horizon(void)
{
	return GetCurrentTimestamp() - (int64) cat_history_retention * USECS_PER_SEC;
}

Datum
catalogue_history_horizon(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMPTZ(horizon());
}

static void
refuse_age(TimestampTz version)
{
	if (version < horizon())
		ereport(ERROR, (errcode(OD422),
						errmsg("invalid value for parameter \"version\": it is too long ago"),
						errhint("The history is kept as long as catalogue.history_retention.")));
}

/* Let those who are committing end, and see what they did. */
static void
wait_for_commits(const Newest *newest)
{
	ListCell *cell;

	if (newest)
		foreach(cell, newest->unseen)
			XactLockTableWait((TransactionId) lfirst_int(cell), NULL, NULL, XLTW_None);
	else
	{
		int count;
		VirtualTransactionId *holders = committing(&count);

		for (int i = 0; i < count; i++)
			VirtualXactLock(holders[i], true);
	}
	PushActiveSnapshot(GetLatestSnapshot());
}

/*
 * Settle which instant a read is of: the one that was asked for, else that of
 * the newest change it sees.
 *
 * resources: List of const char *, all that the read depends on.  Sets
 * Params.version; and Params.then where the records have to be shown in an
 * earlier state than they are in.  OD422 for an instant before the history.
 * version_release() ends it.
 */
void
version_settle(Params *params, List *resources)
{
	Newest newest = newest_change(resources);
	TimestampTz version = params->version ? params->version : newest.at;

	/* an instant of the caller's own may be that of somebody who is about to be seen */
	params->waited = version > newest.at || newest.unseen != NIL;
	if (params->waited)
	{
		wait_for_commits(version > newest.at ? NULL : &newest);
		newest = newest_change(resources);
	}
	params->newest = newest.at;
	params->version = version;
	params->then = newest.at > version ? version : 0;
	if (params->then)
		refuse_age(version);
}

/* The snapshot of the caller again. */
void
version_release(const Params *params)
{
	if (params->waited)
		PopActiveSnapshot();
}

static Touched *
touched_resource(const char *resource)
{
	ListCell *cell;

	foreach(cell, touched)
		if (strcmp(((Touched *) lfirst(cell))->resource, resource) == 0)
			return lfirst(cell);
	return NULL;
}

/* Whether the transaction has changed records itself, which no instant names yet. */
bool
version_is_open(void)
{
	return touched != NIL;
}

/*
 * Note that the transaction changes records of a resource: the number of that change.
 *
 * living: how many more live, less than 0 for fewer.
 */
int64
version_touch(const Resource *resource, int64 living)
{
	Touched *entry = touched_resource(resource->name);
	MemoryContext old;

	if (!entry)
	{
		old = MemoryContextSwitchTo(TopTransactionContext);
		entry = palloc0(sizeof(Touched));
		strlcpy(entry->resource, resource->name, sizeof(entry->resource));
		entry->number = nextval_internal(object_oid("change_number"), true);
		touched = lappend(touched, entry);
		MemoryContextSwitchTo(old);
	}
	entry->living += living;
	return entry->number;
}

/* The instant of this transaction: now, and later than all that is seen. */
static TimestampTz
instant_of_commit(void)
{
	List *resources = NIL;
	ListCell *cell;
	Newest newest;

	foreach(cell, touched)
		resources = lappend(resources, ((Touched *) lfirst(cell))->resource);
	newest = newest_change(resources);
	return Max(GetCurrentTimestamp(), newest.at + 1);
}

static const char stamp_sql[] =
	"INSERT INTO catalogue.change (number, resource, at, living, pending) "
	"SELECT n.number, n.resource, $4, n.living, $5 FROM unnest($1, $2, $3) n(number, resource, "
	"living)";

static void
write_changes(void)
{
	Oid types[] = {INT8ARRAYOID, TEXTARRAYOID, INT8ARRAYOID, TIMESTAMPTZOID, INT8ARRAYOID};
	int count = list_length(touched);
	Datum *numbers = palloc(sizeof(Datum) * count);
	Datum *living = palloc(sizeof(Datum) * count);
	List *names = NIL;
	Datum values[5];
	ListCell *cell;

	foreach(cell, touched)
	{
		Touched *entry = lfirst(cell);

		numbers[foreach_current_index(cell)] = Int64GetDatum(entry->number);
		living[foreach_current_index(cell)] = Int64GetDatum(entry->living);
		names = lappend(names, entry->resource);
	}
	/* the instant first: whoever has an earlier one and is not seen yet is then among the pending
	 */
	values[3] = TimestampTzGetDatum(instant_of_commit());
	values[4] = pending_now();
	values[0] = PointerGetDatum(construct_array(numbers, count, INT8OID, 8, true, TYPALIGN_DOUBLE));
	values[1] = words_array(names);
	values[2] = PointerGetDatum(construct_array(living, count, INT8OID, 8, true, TYPALIGN_DOUBLE));
	plan_run(stamp_sql, 5, types, values, NULL, true, 0);
}

/* Give the transaction its instant. */
static void
stamp_transaction(void)
{
	LOCKTAG tag = commit_lock();

	LockAcquire(&tag, RowExclusiveLock, false, false);
	SPI_connect();
	PushActiveSnapshot(GetTransactionSnapshot());
	write_changes();
	PopActiveSnapshot();
	SPI_finish();
}

static void
end_transaction(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_COMMIT && touched != NIL)
		stamp_transaction();
	else if (event == XACT_EVENT_PRE_PREPARE && touched != NIL)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("cannot prepare a transaction that has changed records of the "
							   "catalogue")));
	else if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT)
		touched = NIL;
}

void
version_init(void)
{
	RegisterXactCallback(end_transaction, NULL);
}
