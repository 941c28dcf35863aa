/*
 * update_order.c
 *	  When living records were changed last, for lists in that order.
 *
 * An index on updated_at in the table of a resource would end heap-only updates: each change of a
 * record would write all of its indexes.  catalogue.update_order has the instants in rows of their
 * own, for resources whose "ordered" names updated_at.
 */
#include "catalogue.h"

#include "executor/tuptable.h"
#include "utils/rel.h"
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
		cat_bulk_insert_row(bulk);
		cat_bulk_insert_set_text(bulk, COLUMN_RESOURCE, resource->name);
		cat_bulk_insert_set_copy(bulk, COLUMN_ID, slot_getattr(slot, resource->id, &isnull));
		cat_bulk_insert_set(bulk, COLUMN_UPDATED_AT, TimestampTzGetDatum(instant));
		cat_bulk_insert_end_row(bulk);
	}
	cat_bulk_insert_close(bulk);
}

/* Change the row of a record whose instant was "before" and is "after"; 0: it has none. */
static void
move(const Resource *resource, Datum id, TimestampTz before, TimestampTz after)
{
	/* takes a quarter less than "add", which would do as well */
	static const char *const change = "UPDATE catalogue.update_order SET updated_at = $3 "
									  "WHERE resource = $1 AND id = $2";
	/* a row may be left of a record that was deleted with the triggers disabled */
	static const char *const add = "INSERT INTO catalogue.update_order (resource, id, updated_at) "
								   "VALUES ($1, $2, $3) ON CONFLICT (resource, id) "
								   "DO UPDATE SET updated_at = excluded.updated_at";
	StatementParam name = text_param(resource->name);

	if (after == 0)
		cat_statement_fresh("DELETE FROM catalogue.update_order WHERE resource = $1 AND id = $2",
							name, datum_param(TEXTOID, id));
	else
		cat_statement_fresh(before == 0 ? add : change, name, datum_param(TEXTOID, id),
							instant_param(after));
}

static void
move_records(const Resource *resource, const TriggerData *trigger, TupleTableSlot *old,
			 TupleTableSlot *new)
{
	while (tuplestore_gettupleslot(trigger->tg_oldtable, true, false, old) &&
		   tuplestore_gettupleslot(trigger->tg_newtable, true, false, new))
	{
		TimestampTz before = instant_of(resource, old);
		TimestampTz after = instant_of(resource, new);
		bool isnull;

		if (before != after)
			move(resource, slot_getattr(new, resource->id, &isnull), before, after);
	}
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
