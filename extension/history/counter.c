/*
 * counter.c
 *	  Numbers of records that every statement adds to.
 *
 * Every statement that changes a number inserts a row with the difference, so writers never wait for
 * each other, and the sum is exact in every snapshot.  Occasionally a writer merges the rows that it
 * can lock.
 */
#include "catalogue.h"

#include "access/tableam.h"
#include "access/xact.h"
#include "common/pg_prng.h"
#include "executor/tuptable.h"
#include "storage/lmgr.h"
#include "utils/snapmgr.h"

#include "history/history_internal.h"
#include "pg/pg.h"

/* One out of this many statements merges the rows. */
#define FOLD_EVERY 32
/* In a long transaction, one out of this part of its statements: see fold_interval(). */
#define FOLD_PART 4

BulkInsert *
cat_counter_open(const CounterTable *table)
{
	return cat_bulk_insert_open(cat_bulk_insert_table(table->name), table->ncolumns,
								table->columns);
}

void
cat_counter_add_row(BulkInsert *bulk, List *key, const Tally *delta)
{
	int column = 0;

	cat_bulk_insert_row(bulk);
	foreach_ptr(const char, word, key)
		cat_bulk_insert_set_text(bulk, column++, word);
	cat_bulk_insert_set(bulk, column++, Int64GetDatum(delta->living));
	cat_bulk_insert_set(bulk, column, Int64GetDatum(delta->shown));
	cat_bulk_insert_end_row(bulk);
}

/* Add the current row of a scan. */
static void
add_to(Tally *sum, const CounterTable *table, const CatScan *scan)
{
	bool isnull;

	sum->living += DatumGetInt64(slot_getattr(scan->slot, table->nkeys + 1, &isnull));
	sum->shown += DatumGetInt64(slot_getattr(scan->slot, table->nkeys + 2, &isnull));
}

void
cat_counter_fold(const CounterTable *table, List *key)
{
	CatScan scan;
	Tally sum = {0};
	int count = 0;

	LockRelationOid(cat_bulk_insert_table(table->name), RowExclusiveLock);
	if (!cat_index_scan_open_named(&scan, table->name, table->index))
		return;
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	cat_index_scan_seek_words(&scan, key);
	while (cat_index_scan_next(&scan, false))
	{
		TM_FailureData failure;
		Tally row = {0};

		add_to(&row, table, &scan);
		/* another transaction may have locked or changed it */
		if (table_tuple_delete(scan.table, &scan.slot->tts_tid, GetCurrentCommandId(true),
							   GetActiveSnapshot(), InvalidSnapshot, false, &failure,
							   false) != TM_Ok)
			continue;
		sum.living += row.living;
		sum.shown += row.shown;
		count++;
	}
	cat_index_scan_close(&scan);
	PopActiveSnapshot();
	if (count > 0)
	{
		BulkInsert *bulk = cat_counter_open(table);

		cat_counter_add_row(bulk, key, &sum);
		cat_bulk_insert_close(bulk);
	}
}

/*
 * Return how many statements there are between two merges.
 *
 * The rows that a transaction has deleted can only be removed when it has ended, and each merge
 * passes them again; so that all merges of a transaction together take a time in proportion to its
 * length, it merges the less often the longer it is.
 */
static uint64
fold_interval(void)
{
	static TimestampTz transaction;
	static uint64 statements;

	if (transaction != GetCurrentTransactionStartTimestamp())
	{
		transaction = GetCurrentTransactionStartTimestamp();
		statements = 0;
	}
	return Max(FOLD_EVERY, ++statements / FOLD_PART);
}

bool
cat_counter_is_fold_due(void)
{
	return pg_prng_uint64_range(&pg_global_prng_state, 1, fold_interval()) == 1;
}

bool
cat_counter_sum(const CounterTable *table, List *key, Tally *sum, bool *found)
{
	CatScan scan;

	if (!cat_index_scan_open_named(&scan, table->name, table->index))
		return false;
	*sum = (Tally){0};
	*found = false;
	cat_index_scan_seek_words(&scan, key);
	while (cat_index_scan_next(&scan, false))
	{
		*found = true;
		add_to(sum, table, &scan);
	}
	cat_index_scan_close(&scan);
	return true;
}
