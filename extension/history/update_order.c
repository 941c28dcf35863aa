/*
 * update_order.c
 *	  When living records were changed last, for lists in that order.
 *
 * An index on updated_at in the table of a resource would end heap-only updates: each change of a
 * record would write all of its indexes.  catalogue.update_order has the instants in rows of their
 * own, for resources whose "ordered" names updated_at.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "executor/tuptable.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "history/history.h"
#include "pg/pg.h"

/* Columns of catalogue.update_order. */
enum
{
	COLUMN_RESOURCE,
	COLUMN_ID,
	COLUMN_UPDATED_AT,
	COLUMNS
};

static const char *const columns[COLUMNS] = {
	[COLUMN_RESOURCE] = "resource", [COLUMN_ID] = "id", [COLUMN_UPDATED_AT] = "updated_at"};

/* Return when a record was changed last, 0 for one that is deleted. */
static TimestampTz
instant_of(const Resource *resource, TupleTableSlot *slot)
{
	bool isnull;

	if (!slot_attisnull(slot, resource->deleted_at))
		return 0;
	return DatumGetTimestampTz(slot_getattr(slot, resource->updated_at, &isnull));
}

/* Set the pending row. */
static void
set_row(BulkInsert *bulk, const Resource *resource, Datum id, TimestampTz instant)
{
	cat_bulk_insert_row(bulk);
	cat_bulk_insert_set_text(bulk, COLUMN_RESOURCE, resource->name);
	cat_bulk_insert_set_copy(bulk, COLUMN_ID, id);
	cat_bulk_insert_set(bulk, COLUMN_UPDATED_AT, TimestampTzGetDatum(instant));
}

/* Add the rows of new records; one that is left of another record with the id stays, which check() tells. */
static void
add_records(const Resource *resource, Tuplestorestate *records, TupleTableSlot *slot)
{
	BulkInsert *bulk =
		cat_bulk_insert_open_absent(cat_bulk_insert_table("update_order"), COLUMNS, columns);
	bool isnull;

	while (tuplestore_gettupleslot(records, true, true, slot))
	{
		TimestampTz instant = instant_of(resource, slot);

		if (instant == 0)
			continue;
		set_row(bulk, resource, slot_getattr(slot, resource->id, &isnull), instant);
		cat_bulk_insert_end_row(bulk);
	}
	cat_bulk_insert_close(bulk);
}

/* Set the instant of a record in place of the former one; false: it has no row, or this snapshot cannot change it. */
static bool
move_row(BulkInsert *bulk, CatScan *scan, const Resource *resource, Datum id, TimestampTz instant)
{
	cat_index_scan_seek_words(scan, list_make2(resource->name, TextDatumGetCString(id)));
	if (!cat_index_scan_next(scan, false))
		return false;
	set_row(bulk, resource, id, instant);
	return cat_bulk_insert_replace(bulk, &scan->slot->tts_tid);
}

/* Change the row of a record by a statement; after: its instant, 0 if it was deleted. */
static void
change_row(const Resource *resource, Datum id, TimestampTz after)
{
	/* a row may be left of a record that was deleted with the triggers disabled */
	static const char *const add = "INSERT INTO catalogue.update_order (resource, id, updated_at) "
								   "VALUES ($1, $2, $3) ON CONFLICT (resource, id) "
								   "DO UPDATE SET updated_at = excluded.updated_at";
	StatementParam name = text_param(resource->name);

	if (after == 0)
		cat_statement_fresh("DELETE FROM catalogue.update_order WHERE resource = $1 AND id = $2",
							name, datum_param(TEXTOID, id));
	else
		cat_statement_fresh(add, name, datum_param(TEXTOID, id), instant_param(after));
}

/* Change the rows of records that were changed, deleted or restored; those that stay living in place. */
static void
move_records(const Resource *resource, const TriggerData *trigger, TupleTableSlot *old,
			 TupleTableSlot *new)
{
	BulkInsert *bulk =
		cat_bulk_insert_open(cat_bulk_insert_table("update_order"), COLUMNS, columns);
	CatScan scan;
	bool found, isnull;

	/* an earlier statement of the transaction may have changed the rows */
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	found = cat_index_scan_open_named(&scan, "update_order", "update_order_pkey");
	while (tuplestore_gettupleslot(trigger->tg_oldtable, true, false, old) &&
		   tuplestore_gettupleslot(trigger->tg_newtable, true, false, new))
	{
		TimestampTz before = instant_of(resource, old);
		TimestampTz after = instant_of(resource, new);
		Datum id = slot_getattr(new, resource->id, &isnull);

		if (before != after &&
			!(found && before != 0 && after != 0 && move_row(bulk, &scan, resource, id, after)))
			change_row(resource, id, after);
	}
	if (found)
		cat_index_scan_close(&scan);
	PopActiveSnapshot();
	cat_bulk_insert_close(bulk);
}

void
cat_update_order_write(const Resource *resource, const TriggerData *trigger)
{
	TupleDesc desc = RelationGetDescr(trigger->tg_relation);
	TupleTableSlot *old, *new;

	if (!resource->update_order)
		return;
	old = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	new = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	tuplestore_rescan(trigger->tg_newtable);
	if (trigger->tg_oldtable)
	{
		tuplestore_rescan(trigger->tg_oldtable);
		move_records(resource, trigger, old, new);
	}
	else
		add_records(resource, trigger->tg_newtable, new);
	ExecDropSingleTupleTableSlot(old);
	ExecDropSingleTupleTableSlot(new);
}
