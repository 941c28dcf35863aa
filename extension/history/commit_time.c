/*
 * commit_time.c
 *	  Commit time of a transaction that changes records.
 *
 * It is taken during the commit.  Transactions do not become visible in the order of their commit
 * times: one may still be committing while another one, with a later commit time, is already
 * visible.  Each transaction therefore records which others were committing; read_version.c waits
 * for those.
 *
 * A transaction that writes into the action log also takes a number, from a sequence, while it holds
 * the lock.  These numbers are the order of events (events/events.c): unlike the clock a sequence
 * neither repeats nor steps back.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "storage/procarray.h"
#include "storage/sinvaladt.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "history/history.h"
#include "pg/pg.h"

/* Changes of the transaction to a resource. */
typedef struct Touched
{
	char resource[NAMEDATALEN];
	int64 number;
	bool unrecorded; /* without rows in the history, so that it has a number of its own */
	bool apart;	  /* the resource is append-only: it has a column with the number of the change */
	bool ordered; /* it is the action log: the commit gets a number */
	List *deltas; /* of Delta *, innermost subtransaction first */
} Touched;

/* Changes of a subtransaction: growth in records, and changes that outsiders see. */
typedef struct Delta
{
	SubTransactionId subtransaction;
	Tally tally;
} Delta;

static List *touched; /* in TopTransactionContext */

/*
 * Return the tag of the lock that transactions share from taking their commit time until they are
 * visible.
 */
static LOCKTAG
commit_lock(void)
{
	LOCKTAG tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, 0, 0, CAT_LOCK_COMMIT_TIME);
	return tag;
}

/* Return the other transactions that hold the commit lock, palloc'd. */
VirtualTransactionId *
cat_commit_time_committing(int *count)
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
 * Return the IDs of the transactions that are committing, as int8[].
 *
 * A virtual transaction that holds the lock before and after its ID is read had that ID all the
 * time.
 */
static Datum
pending_now(void)
{
	int count;
	int later;
	VirtualTransactionId *holders = cat_commit_time_committing(&count);
	TransactionId *ids = palloc(sizeof(TransactionId) * (count + 1));
	Datum *pending = palloc(sizeof(Datum) * (count + 1));
	VirtualTransactionId *still;
	int n = 0;

	for (int i = 0; i < count; i++)
	{
		TransactionId xmin;
		int nested pg_attribute_unused();
		bool overflowed pg_attribute_unused();

		compat_transaction_ids(holders[i], &ids[i], &xmin, &nested, &overflowed);
	}
	still = cat_commit_time_committing(&later);
	for (int i = 0; i < count; i++)
		if (TransactionIdIsValid(ids[i]) && is_among(still, later, holders[i]))
			pending[n++] = Int64GetDatum(ids[i]);
	return PointerGetDatum(construct_array(pending, n, INT8OID, 8, true, TYPALIGN_DOUBLE));
}

static int64
next_number(const char *sequence)
{
	return nextval_internal(get_relname_relid(sequence, get_namespace_oid("catalogue", false)),
							true);
}

static Touched *
touched_resource(const char *resource, bool unrecorded)
{
	foreach_ptr(Touched, entry, touched)
		if (strcmp(entry->resource, resource) == 0 && entry->unrecorded == unrecorded)
			return entry;
	return NULL;
}

bool
cat_commit_time_is_due(void)
{
	return touched != NIL;
}

/* Add to the counts of the current subtransaction, which may be rolled back separately. */
static void
add_delta(Touched *entry, const Tally *tally)
{
	SubTransactionId current = GetCurrentSubTransactionId();
	Delta *delta = entry->deltas ? linitial(entry->deltas) : NULL;
	MemoryContext old;

	if (!tally || (tally->living == 0 && tally->seen == 0))
		return;
	if (!delta || delta->subtransaction != current)
	{
		old = MemoryContextSwitchTo(TopTransactionContext);
		delta = palloc0(sizeof(Delta));
		delta->subtransaction = current;
		entry->deltas = lcons(delta, entry->deltas);
		MemoryContextSwitchTo(old);
	}
	delta->tally.living += tally->living;
	delta->tally.seen += tally->seen;
}

static Tally
tally_of(const Touched *entry)
{
	Tally sum = {0};

	foreach_ptr(const Delta, delta, entry->deltas)
	{
		sum.living += delta->tally.living;
		sum.seen += delta->tally.seen;
	}
	return sum;
}

/* Discard the counts of a subtransaction, or add them to those of its parent, so that their number
 * does not grow with that of the subtransactions. */
static void
end_delta(Touched *entry, SubTransactionId mine, SubTransactionId parent, bool kept)
{
	Delta *delta = entry->deltas ? linitial(entry->deltas) : NULL;
	Delta *outer = list_length(entry->deltas) > 1 ? lsecond(entry->deltas) : NULL;

	if (!delta || delta->subtransaction != mine)
		return;
	if (!kept)
		delta->tally = (Tally){0};
	if (!outer || outer->subtransaction != parent)
	{
		delta->subtransaction = parent;
		return;
	}
	outer->tally.living += delta->tally.living;
	outer->tally.seen += delta->tally.seen;
	entry->deltas = list_delete_first(entry->deltas);
	pfree(delta);
}

/* Subtransaction callback. */
static void
end_subtransaction(SubXactEvent event, SubTransactionId mine, SubTransactionId parent, void *arg)
{
	if (event != SUBXACT_EVENT_COMMIT_SUB && event != SUBXACT_EVENT_ABORT_SUB)
		return;
	foreach_ptr(Touched, entry, touched)
		end_delta(entry, mine, parent, event == SUBXACT_EVENT_COMMIT_SUB);
}

/* Return the changes of the transaction to a resource, added if there are none yet. */
static Touched *
touch(const Resource *resource, bool unrecorded)
{
	Touched *entry = touched_resource(resource->name, unrecorded);
	MemoryContext old;

	if (!entry)
	{
		old = MemoryContextSwitchTo(TopTransactionContext);
		entry = palloc0(sizeof(Touched));
		strlcpy(entry->resource, resource->name, sizeof(entry->resource));
		entry->unrecorded = unrecorded;
		entry->apart = resource->change != NULL;
		entry->ordered = !unrecorded && strcmp(resource->name, "logs") == 0;
		entry->number = next_number("change_number");
		touched = lappend(touched, entry);
		MemoryContextSwitchTo(old);
	}
	return entry;
}

int64
cat_commit_time_touch(const Resource *resource, const Tally *delta)
{
	Touched *entry = touch(resource, false);

	add_delta(entry, delta);
	return entry->number;
}

void
cat_commit_time_forget(const Resource *resource)
{
	int64 living = 0;

	foreach_ptr(const Touched, entry, touched)
		if (strcmp(entry->resource, resource->name) == 0)
			living += tally_of(entry).living;
	add_delta(touch(resource, true), &(Tally){.living = -living, .seen = 1});
}

/* Register that records of a resource may have changed without triggers. */
CAT_FUNCTION(catalogue_touch)
{
	Tally unknown = {.seen = 1};

	add_delta(touch(cat_call_reply_resource(fcinfo, ARG_TOUCH_RESOURCE), true), &unknown);
	PG_RETURN_VOID();
}

static void
write_change(BulkInsert *bulk, const Touched *entry, Datum instant, Datum pending,
			 int64 commit_number)
{
	Tally tally = tally_of(entry);
	const Datum values[] = {
		Int64GetDatum(entry->number),
		CStringGetTextDatum(entry->resource),
		BoolGetDatum(entry->apart),
		Int64GetDatum(tally.living),
		BoolGetDatum(tally.seen > 0),
		instant,
		pending,
		Int64GetDatum(commit_number),
	};

	cat_bulk_insert_row(bulk);
	for (int i = 0; i < (int) lengthof(values) - (commit_number == 0); i++)
		cat_bulk_insert_set(bulk, i, values[i]);
	cat_bulk_insert_end_row(bulk);
}

/* In the order of write_change(). */
static const char *const columns[] = {"number", "resource", "apart",   "living",
									  "seen",	"at",		"pending", "commit_number"};

/*
 * Write the rows of catalogue.change.
 *
 * Commit time and number are taken before the list of committing transactions: one with an earlier
 * time or number that is not visible yet is then in the list.
 */
static void
write_changes(void)
{
	List *apart = NIL;
	int64 commit_number = 0;
	Datum instant;
	Datum pending;
	BulkInsert *bulk;

	foreach_ptr(Touched, item, touched)
		if (item->apart)
			apart = lappend(apart, item->resource);
	/* now, but later than all visible changes */
	instant = TimestampTzGetDatum(cat_read_version_behind(GetCurrentTimestamp(), apart));
	foreach_ptr(Touched, other, touched)
		if (other->ordered)
			commit_number = next_number("commit_number");
	pending = pending_now();
	bulk = cat_bulk_insert_open(cat_bulk_insert_table("change"), lengthof(columns), columns);
	foreach_ptr(const Touched, entry, touched)
		write_change(bulk, entry, instant, pending, entry->ordered ? commit_number : 0);
	cat_bulk_insert_close(bulk);
}

/* Take the transaction's commit time. */
static void
stamp_transaction(void)
{
	LOCKTAG tag = commit_lock();

	LockAcquire(&tag, RowExclusiveLock, false, false);
	/* use the latest snapshot, even if the transaction has an older one */
	PushActiveSnapshot(GetLatestSnapshot());
	/* the call that changed the records has ended, so take its rights again */
	cat_security_context_take();
	write_changes();
	cat_security_context_return();
	PopActiveSnapshot();
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
cat_commit_time_init(void)
{
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
}
