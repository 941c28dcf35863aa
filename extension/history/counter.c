/*
 * counter.c
 *	  Numbers of records that every statement adds to.
 *
 * A number is the sum of some rows, so that it is exact in every snapshot and writers never wait for
 * each other: a statement adds its difference to the first row that no other transaction holds, in
 * place, where PostgreSQL needs no index entry for it (heap-only update), else as a row of its own.
 * Occasionally a writer merges the rows that it can lock.
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

/* Maximum number of index entries that a statement tries for each number. */
#define ENTRIES_TRIED 8
/*
 * Maximum number of statements of a transaction that replace rows; further ones only insert.  Row versions
 * that a transaction has replaced cannot be removed before it ends, and each statement would pass
 * all of them again.
 */
#define REPLACING_STATEMENTS 16
/* One out of this many statements merges the rows. */
#define FOLD_EVERY 32
/* In a long transaction, one out of this part of its statements: see fold_interval(). */
#define FOLD_PART 4

/* Statements of the running transaction that have added to numbers. */
static struct
{
	TimestampTz transaction;
	uint64 count;
} statements;

static void
count_statement(void)
{
	if (statements.transaction != GetCurrentTransactionStartTimestamp())
	{
		statements.transaction = GetCurrentTransactionStartTimestamp();
		statements.count = 0;
	}
	statements.count++;
}

static BulkInsert *
open_bulk(const CounterTable *table)
{
	return cat_bulk_insert_open(cat_bulk_insert_table(table->name), table->ncolumns,
								table->columns);
}

void
cat_counter_open(CounterWriter *writer, const CounterTable *table)
{
	count_statement();
	*writer = (CounterWriter){.table = table, .bulk = open_bulk(table)};
	/* a serializable transaction that reads the rows would conflict with all others */
	writer->replaces = statements.count <= REPLACING_STATEMENTS && !IsolationIsSerializable() &&
					   cat_index_scan_open_named(&writer->scan, table->name, table->index);
	if (!writer->replaces)
		return;
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
}

void
cat_counter_close(CounterWriter *writer)
{
	if (writer->replaces)
	{
		cat_index_scan_close(&writer->scan);
		PopActiveSnapshot();
	}
	cat_bulk_insert_close(writer->bulk);
}

/* Set the pending row. */
static void
set_row(BulkInsert *bulk, List *key, const Tally *tally)
{
	int column = 0;

	cat_bulk_insert_row(bulk);
	foreach_ptr(const char, word, key)
		cat_bulk_insert_set_text(bulk, column++, word);
	cat_bulk_insert_set(bulk, column++, Int64GetDatum(tally->living));
	cat_bulk_insert_set(bulk, column, Int64GetDatum(tally->shown));
}

/* Add the current row of a scan. */
static void
add_to(Tally *sum, const CounterTable *table, const CatScan *scan)
{
	bool isnull;

	sum->living += DatumGetInt64(slot_getattr(scan->slot, table->nkeys + 1, &isnull));
	sum->shown += DatumGetInt64(slot_getattr(scan->slot, table->nkeys + 2, &isnull));
}

/* Add to a row of a number in place; false: none was found soon, or other transactions hold them. */
static bool
replace_row(CounterWriter *writer, List *key, const Tally *delta)
{
	int entries = ENTRIES_TRIED;

	cat_index_scan_seek_words(&writer->scan, key);
	while (cat_index_scan_try(&writer->scan, &entries))
	{
		Tally sum = *delta;

		add_to(&sum, writer->table, &writer->scan);
		set_row(writer->bulk, key, &sum);
		if (cat_bulk_insert_replace(writer->bulk, &writer->scan.slot->tts_tid))
			return true;
	}
	return false;
}

void
cat_counter_add(CounterWriter *writer, List *key, const Tally *delta)
{
	if (writer->replaces && replace_row(writer, key, delta))
		return;
	set_row(writer->bulk, key, delta);
	cat_bulk_insert_end_row(writer->bulk);
}

/* Return whether a scan finds more than one row of a number. */
static bool
are_several(CatScan *scan, List *key)
{
	cat_index_scan_seek_words(scan, key);
	return cat_index_scan_next(scan, false) && cat_index_scan_next(scan, false);
}

/* Delete the rows of a number that no other transaction holds; return their sum, and how many they were. */
static int
delete_rows(const CounterTable *table, CatScan *scan, List *key, Tally *sum)
{
	TM_FailureData failure;
	int count = 0;

	cat_index_scan_seek_words(scan, key);
	while (cat_index_scan_next(scan, false))
	{
		Tally row = {0};

		add_to(&row, table, scan);
		if (table_tuple_delete(scan->table, &scan->slot->tts_tid, GetCurrentCommandId(true),
							   GetActiveSnapshot(), InvalidSnapshot, false, &failure,
							   false) != TM_Ok)
			continue;
		sum->living += row.living;
		sum->shown += row.shown;
		count++;
	}
	return count;
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
	if (are_several(&scan, key))
		count = delete_rows(table, &scan, key, &sum);
	cat_index_scan_close(&scan);
	PopActiveSnapshot();
	if (count > 0)
	{
		BulkInsert *bulk = open_bulk(table);

		set_row(bulk, key, &sum);
		cat_bulk_insert_end_row(bulk);
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
	return Max(FOLD_EVERY, statements.count / FOLD_PART);
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
