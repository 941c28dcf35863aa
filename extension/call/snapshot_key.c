/*
 * snapshot_key.c
 *	  What a snapshot sees, as a value that can be compared.
 *
 * Between two writes any number of calls see the same rows.  What one of them
 * has looked up, the next need not look up again.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

#include "call/call.h"

/* What was looked up may end by the clock, and numbers of transactions come again. */
#define GOOD_FOR USECS_PER_SEC

/*
 * Note what the active snapshot sees; false where that cannot be told.
 *
 * A snapshot has the number behind the last transaction that had ended, and
 * those before it that had not.  While the first stays the same, no transaction
 * joins the others, so their number tells which they are.  Not where the
 * transaction may have changed rows itself, and not where it must be known what
 * it has read.
 */
bool
cat_snapshot_key_take(SnapshotKey *mark)
{
	Snapshot snapshot = GetActiveSnapshot();

	memset(mark, 0, sizeof(*mark));
	if (snapshot->snapshot_type != SNAPSHOT_MVCC || snapshot->suboverflowed ||
		IsolationIsSerializable() || TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return false;
	mark->user = GetUserId();
	mark->behind = snapshot->xmax;
	mark->running = snapshot->xcnt;
	mark->subrunning = snapshot->subxcnt;
	mark->taken = GetCurrentStatementStartTimestamp();
	return true;
}

/* Whether two saw the same; the later one second. */
bool
cat_snapshot_key_equal(const SnapshotKey *before, const SnapshotKey *now)
{
	return before->user == now->user && before->behind == now->behind &&
		   before->running == now->running && before->subrunning == now->subrunning &&
		   now->taken - before->taken < GOOD_FOR && now->taken >= before->taken;
}
