/*
 * history_scan.c
 *	  Records at an earlier instant, read by index scans.
 *
 * A record's state at an instant is its present one, unless the history has changes with a later
 * commit time: then it is the state before the first of those.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "pg/pg.h"
#include "query/query.h"
#include "read/fast/fast.h"
#include "read/fast/fast_internal.h"
#include "registry/registry.h"
#include "registry/rows.h"

/* Column numbers in a history table and in catalogue.change. */
#define HISTORY_NUMBER 2
#define CHANGE_AT 3

/* The open history of a resource. */
typedef struct HistoryScan
{
	Resource *resource;
	TimestampTz then; /* instant that records are read as of */
	CatScan states;	  /* the table of the history, by id and change */
	CatScan changes;  /* catalogue.change, by number */
} HistoryScan;

/* Result of earlier_state(). */
typedef enum State
{
	STATE_SAME,	 /* the present state */
	STATE_OTHER, /* the state in the tuple */
	STATE_NONE	 /* the record did not exist */
} State;

/* Open the history of a resource; false, with nothing open, if a statement must be used. */
static bool
history_open(HistoryScan *history, const RequestParams *params)
{
	history->resource = params->resource;
	history->then = params->then;
	if (!cat_index_scan_open(&history->states, history->resource->history_relid,
							 history->resource->history_key))
		return false;
	if (cat_index_scan_open_named(&history->changes, "change", "change_pkey"))
		return true;
	cat_index_scan_close(&history->states);
	return false;
}

static void
history_close(HistoryScan *history)
{
	cat_index_scan_close(&history->states);
	cat_index_scan_close(&history->changes);
}

/* Return the commit time of a change; 0 if it has none yet or has been purged. */
static TimestampTz
instant_of(HistoryScan *history, int64 number)
{
	bool isnull;

	cat_index_scan_seek_number(&history->changes, number);
	if (!cat_index_scan_next(&history->changes, false))
		return 0;
	return DatumGetTimestampTz(slot_getattr(history->changes.slot, CHANGE_AT, &isnull));
}

/* Return the state in a slot of the history, as a row of the resource's table. */
static HeapTuple
state_in(const Resource *resource, TupleTableSlot *slot)
{
	Datum *values = palloc0(sizeof(Datum) * resource->desc->natts);
	bool *nulls = palloc(sizeof(bool) * resource->desc->natts);

	memset(nulls, true, sizeof(bool) * resource->desc->natts);
	slot_getallattrs(slot);
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];
		int at = field->attno - 1;

		if (field->history_attno == 0)
			continue;
		values[at] = slot->tts_values[field->history_attno - 1];
		nulls[at] = slot->tts_isnull[field->history_attno - 1];
	}
	return heap_form_tuple(resource->desc, values, nulls);
}

/* Return which state a record had; *tuple is set to the state unless STATE_SAME is returned. */
static State
earlier_state(HistoryScan *history, const char *id, HeapTuple *tuple)
{
	TimestampTz first = 0;
	AttrNumber created_at = cat_registry_column(history->resource, "created_at")->attno;

	cat_index_scan_seek(&history->states, id);
	while (cat_index_scan_next(&history->states, false))
	{
		TupleTableSlot *slot = history->states.slot;
		bool isnull;
		TimestampTz at =
			instant_of(history, DatumGetInt64(slot_getattr(slot, HISTORY_NUMBER, &isnull)));

		if (at <= history->then || (first != 0 && at >= first))
			continue;
		first = at;
		*tuple = state_in(history->resource, slot);
	}
	if (first == 0)
		return STATE_SAME;
	return heap_attisnull(*tuple, created_at, history->resource->desc) ? STATE_NONE : STATE_OTHER;
}

/*
 * Return whether a record that stores the number of its first change was created after the instant.
 */
static bool
is_born_later(HistoryScan *history, TupleTableSlot *slot)
{
	bool isnull = true;
	Datum number = history->resource->change
					   ? slot_getattr(slot, history->resource->change->attno, &isnull)
					   : (Datum) 0;

	return !isnull && instant_of(history, DatumGetInt64(number)) > history->then;
}

static char *
slot_id(const Resource *resource, TupleTableSlot *slot)
{
	bool isnull;

	return TextDatumGetCString(slot_getattr(
		slot, cat_registry_column(unconstify(Resource *, resource), "id")->attno, &isnull));
}

/* Return the state of the record in a slot of the resource's table, NULL if it was not visible. */
static HeapTuple
record_then(HistoryScan *history, TupleTableSlot *slot, AccessLevel access)
{
	HeapTuple tuple = NULL;
	State state;

	if (!cat_visibility_past(history->resource, ExecFetchSlotHeapTuple(slot, false, NULL), access))
		return NULL;
	state = earlier_state(history, slot_id(history->resource, slot), &tuple);
	if (state == STATE_SAME && !is_born_later(history, slot))
		tuple = ExecCopySlotHeapTuple(slot);
	else if (state != STATE_OTHER)
		return NULL;
	return cat_visibility_record(history->resource, tuple, access) ? tuple : NULL;
}

/*
 * Read the state of a record by its id; no row if it was not visible.
 *
 * Returns false if a statement must be used.
 */
bool
cat_history_scan_by_id(const RequestParams *params, const char *id, Rows *rows)
{
	HistoryScan history;
	CatScan scan;
	HeapTuple tuple;

	if (!history_open(&history, params))
		return false;
	if (!cat_index_scan_open(&scan, params->resource->relid, params->resource->key_index))
	{
		history_close(&history);
		return false;
	}
	*rows = cat_rows_whole(params->resource, 1);
	cat_index_scan_seek(&scan, id);
	if (cat_index_scan_next(&scan, false) &&
		(tuple = record_then(&history, scan.slot, params->access)) != NULL)
		rows->tuples[rows->count++] = tuple;
	cat_index_scan_close(&scan);
	history_close(&history);
	cat_past_lists_show(rows, params->resource, params->access);
	return true;
}

/*
 * Return the states of a record before each of its changes, as far as the history is kept: List of
 * EarlierState *.  NIL also if there is no history.
 */
List *
cat_history_scan_states(const RequestParams *params, const char *id)
{
	HistoryScan history;
	List *states = NIL;
	AttrNumber created_at = cat_registry_column(params->resource, "created_at")->attno;

	if (!history_open(&history, params))
		return NIL;
	cat_index_scan_seek(&history.states, id);
	while (cat_index_scan_next(&history.states, false))
	{
		EarlierState *state = palloc(sizeof(EarlierState));
		bool isnull;

		state->until = instant_of(
			&history, DatumGetInt64(slot_getattr(history.states.slot, HISTORY_NUMBER, &isnull)));
		state->tuple = state_in(params->resource, history.states.slot);
		if (heap_attisnull(state->tuple, created_at, params->resource->desc))
			state->tuple = NULL;
		if (state->until != 0)
			states = lappend(states, state);
	}
	history_close(&history);
	return states;
}

/* Scans of the living records and of those deleted since, in parallel, in the order of creation. */
typedef struct Walk
{
	HistoryScan history;
	const RequestParams *params;
	bool backwards;
	CatScan living;
	CatScan ended; /* index of the history */
	CatScan keyed; /* the resource's table by id */
	HeapTuple next_living;
	HeapTuple next_ended;
	char last_ended[ID_LENGTH + 1];
} Walk;

static void
next_living(Walk *walk)
{
	walk->next_living = NULL;
	while (!walk->next_living && cat_index_scan_next(&walk->living, walk->backwards))
		walk->next_living = record_then(&walk->history, walk->living.slot, walk->params->access);
}

/* Return the record of a history entry if it lived at the instant and is deleted now; else NULL. */
static HeapTuple
ended_record(Walk *walk, const char *id)
{
	const Resource *resource = walk->history.resource;
	HeapTuple tuple = NULL;
	HeapTuple now;

	cat_index_scan_seek(&walk->keyed, id);
	if (!cat_index_scan_next(&walk->keyed, false))
		return NULL;
	now = ExecCopySlotHeapTuple(walk->keyed.slot);
	if (cat_visibility_record(resource, now, ACCESS_ALL) ||
		!cat_visibility_past(resource, now, walk->params->access) ||
		earlier_state(&walk->history, id, &tuple) != STATE_OTHER)
		return NULL;
	return cat_visibility_record(resource, tuple, walk->params->access) ? tuple : NULL;
}

static void
next_ended(Walk *walk)
{
	walk->next_ended = NULL;
	/* outsiders no longer see deleted records */
	if (walk->params->access == ACCESS_OUTSIDER)
		return;
	while (!walk->next_ended && cat_index_scan_next(&walk->ended, walk->backwards))
	{
		bool isnull;
		char *id = TextDatumGetCString(slot_getattr(walk->ended.slot, 1, &isnull));

		/* a record may have been deleted several times */
		if (strcmp(id, walk->last_ended) == 0)
			continue;
		strlcpy(walk->last_ended, id, sizeof(walk->last_ended));
		walk->next_ended = ended_record(walk, id);
	}
}

/* Return whether the first record comes before the second by created_at and id. */
static bool
is_before(const Resource *resource, HeapTuple first, HeapTuple second)
{
	Resource *known = unconstify(Resource *, resource);
	AttrNumber created_at = cat_registry_column(known, "created_at")->attno;
	AttrNumber id = cat_registry_column(known, "id")->attno;
	bool isnull;
	TimestampTz one = DatumGetTimestampTz(heap_getattr(first, created_at, resource->desc, &isnull));
	TimestampTz two =
		DatumGetTimestampTz(heap_getattr(second, created_at, resource->desc, &isnull));

	if (one != two)
		return one < two;
	return DatumGetBool(DirectFunctionCall2Coll(text_lt,
												TupleDescAttr(resource->desc, id - 1)->attcollation,
												heap_getattr(first, id, resource->desc, &isnull),
												heap_getattr(second, id, resource->desc, &isnull)));
}

/* Return the next record, NULL at the end. */
static HeapTuple
walk_next(Walk *walk)
{
	HeapTuple tuple;
	bool ended = !walk->next_living;

	if (walk->next_living && walk->next_ended)
		ended = is_before(walk->history.resource, walk->next_ended, walk->next_living) !=
				walk->backwards;
	tuple = ended ? walk->next_ended : walk->next_living;
	if (tuple)
		(ended ? next_ended : next_living)(walk);
	return tuple;
}

static bool
open_scans(Walk *walk, const Resource *resource)
{
	if (!cat_index_scan_open(&walk->living, resource->relid, resource->order_index))
		return false;
	if (cat_index_scan_open(&walk->ended, resource->history_relid, resource->history_ended))
	{
		if (cat_index_scan_open(&walk->keyed, resource->relid, resource->key_index))
			return true;
		cat_index_scan_close(&walk->ended);
	}
	cat_index_scan_close(&walk->living);
	return false;
}

/* Open the scans; false, with nothing open, if a statement must be used. */
static bool
walk_open(Walk *walk, const RequestParams *params, const Slice *slice)
{
	const Resource *resource = params->resource;
	List *cursor = slice->at_cursor ? cat_order_cursor(params) : NIL;

	memset(walk, 0, sizeof(*walk));
	walk->params = params;
	walk->backwards = resource->newest_first != slice->backwards;
	if (!history_open(&walk->history, params))
		return false;
	if (!open_scans(walk, resource))
	{
		history_close(&walk->history);
		return false;
	}
	cat_index_scan_seek_place(&walk->living, cursor, walk->backwards);
	cat_index_scan_seek_place(&walk->ended, cursor, walk->backwards);
	next_living(walk);
	next_ended(walk);
	return true;
}

static void
walk_close(Walk *walk)
{
	cat_index_scan_close(&walk->living);
	cat_index_scan_close(&walk->ended);
	cat_index_scan_close(&walk->keyed);
	history_close(&walk->history);
}

/*
 * Read a range of all records in the order of creation, in their states at the instant.
 *
 * Returns false if a statement must be used.
 */
bool
cat_history_scan_in_order(const RequestParams *params, const Slice *slice, Rows *rows)
{
	Walk walk;
	int64 skip = slice->at_cursor ? 0 : slice->skip;
	HeapTuple tuple;

	if (!walk_open(&walk, params, slice))
		return false;
	*rows = cat_rows_whole(params->resource, slice->limit);
	while (rows->count < slice->limit && (tuple = walk_next(&walk)))
		if (skip-- <= 0)
			rows->tuples[rows->count++] = tuple;
	walk_close(&walk);
	cat_past_lists_show(rows, params->resource, params->access);
	return true;
}
