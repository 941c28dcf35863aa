/*
 * snapshot_key.c
 *	  Comparable key of a snapshot.
 *
 * Between two writes, any number of calls see the same rows, so the result of a look-up can be
 * cached while the key is unchanged.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

#include "call/call.h"

/* Maximum age of a key: cached data may expire by the clock, and transaction IDs wrap around. */
#define GOOD_FOR USECS_PER_SEC

bool
cat_snapshot_key_take(SnapshotKey *snapshot_key)
{
	Snapshot snapshot = GetActiveSnapshot();

	memset(snapshot_key, 0, sizeof(*snapshot_key));
	if (snapshot->snapshot_type != SNAPSHOT_MVCC || snapshot->suboverflowed ||
		IsolationIsSerializable() || TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return false;
	snapshot_key->user = GetUserId();
	snapshot_key->behind = snapshot->xmax;
	snapshot_key->running = snapshot->xcnt;
	snapshot_key->subrunning = snapshot->subxcnt;
	snapshot_key->taken = GetCurrentStatementStartTimestamp();
	return true;
}

bool
cat_snapshot_key_equal(const SnapshotKey *before, const SnapshotKey *now)
{
	return before->user == now->user && before->behind == now->behind &&
		   before->running == now->running && before->subrunning == now->subrunning &&
		   now->taken - before->taken < GOOD_FOR && now->taken >= before->taken;
}
