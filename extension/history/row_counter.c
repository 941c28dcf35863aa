/*
 * row_counter.c
 *	  Number of living records of each resource.
 *
 * Every statement that changes the number inserts a row with the difference, so writers never wait
 * for each other, and the sum is exact in every snapshot.  Occasionally a writer merges the rows
 * that it can lock.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "common/pg_prng.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "history/history.h"
#include "pg/pg.h"

/* Column numbers of catalogue.counter. */
#define COUNTER_LIVING 2
#define COUNTER_SHOWN 3

/* One out of this many statements merges the rows. */
#define FOLD_EVERY 32
/* In a long transaction, one out of this part of its statements: see fold_interval(). */
#define FOLD_PART 4

static const char *const counter_columns[] = {"resource", "living", "shown"};

static bool
open_counter(CatScan *scan)
{
	return cat_index_scan_open_named(scan, "counter", "counter_resource");
}

static void
add_row(const Resource *resource, const Tally *delta)
{
	BulkInsert *bulk = cat_bulk_insert_open(cat_bulk_insert_table("counter"),
											lengthof(counter_columns), counter_columns);

	cat_bulk_insert_row(bulk);
	cat_bulk_insert_set_text(bulk, 0, resource->name);
	cat_bulk_insert_set(bulk, 1, Int64GetDatum(delta->living));
	cat_bulk_insert_set(bulk, 2, Int64GetDatum(delta->shown));
	cat_bulk_insert_end_row(bulk);
	cat_bulk_insert_close(bulk);
}

/* Add the current row of the scan. */
static void
add_to(Tally *sum, CatScan *scan)
{
	bool isnull;

	sum->living += DatumGetInt64(slot_getattr(scan->slot, COUNTER_LIVING, &isnull));
	sum->shown += DatumGetInt64(slot_getattr(scan->slot, COUNTER_SHOWN, &isnull));
}

void
cat_row_counter_fold(const Resource *resource)
{
	CatScan scan;
	Tally sum = {0};
	int count = 0;

	LockRelationOid(cat_bulk_insert_table("counter"), RowExclusiveLock);
	if (!open_counter(&scan))
		return;
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	cat_index_scan_seek(&scan, resource->name);
	while (cat_index_scan_next(&scan, false))
	{
		TM_FailureData failure;
		Tally row = {0};

		add_to(&row, &scan);
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
		add_row(resource, &sum);
}

Tally
cat_row_counter_alike(const Resource *resource, int64 count)
{
	int64 shown = resource->private[ACCESS_OUTSIDER] ? 0 : count;

	return (Tally){count, shown, shown};
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

void
cat_row_counter_add(const Resource *resource, const Tally *delta)
{
	if (delta->living == 0 && delta->shown == 0)
		return;
	add_row(resource, delta);
	if (pg_prng_uint64_range(&pg_global_prng_state, 1, fold_interval()) == 1)
		cat_row_counter_fold(resource);
}

/* Like cat_row_counter_read(), if there is no index. */
static Tally
read_by_statement(const Resource *resource)
{
	Tally sum = {0};

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	cat_statement_read(
		"SELECT sum(c.living)::bigint, sum(c.shown)::bigint FROM catalogue.counter c "
		"WHERE c.resource = $1",
		text_param(resource->name));
	sum.living = cat_result_int64(1);
	sum.shown = cat_result_int64(2);
	SPI_finish();
	return sum;
}

Tally
cat_row_counter_read(const Resource *resource)
{
	CatScan scan;
	Tally sum = {0};

	if (!open_counter(&scan))
		return read_by_statement(resource);
	cat_index_scan_seek(&scan, resource->name);
	while (cat_index_scan_next(&scan, false))
		add_to(&sum, &scan);
	cat_index_scan_close(&scan);
	return sum;
}
