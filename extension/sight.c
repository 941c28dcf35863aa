/*
 * sight.c
 *	  What a snapshot sees, as a value that can be compared.
 *
 * Between two writes any number of calls see the same rows.  What one of them
 * has looked up, the next need not look up again.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

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
sight_take(Sight *sight)
{
	Snapshot snapshot = GetActiveSnapshot();

	memset(sight, 0, sizeof(*sight));
	if (snapshot->snapshot_type != SNAPSHOT_MVCC || snapshot->suboverflowed ||
		IsolationIsSerializable() || TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return false;
	sight->user = GetUserId();
	sight->behind = snapshot->xmax;
	sight->running = snapshot->xcnt;
	sight->subrunning = snapshot->subxcnt;
	sight->taken = GetCurrentStatementStartTimestamp();
	return true;
}

/* Whether two saw the same; the later one second. */
bool
sight_same(const Sight *before, const Sight *now)
{
	return before->user == now->user && before->behind == now->behind &&
		   before->running == now->running && before->subrunning == now->subrunning &&
		   now->taken - before->taken < GOOD_FOR && now->taken >= before->taken;
}
