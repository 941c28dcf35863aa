/*
 * after_change.c
 *	  What follows a change: log, history, counters, and flags of other records.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "account/account.h"
#include "base/settings.h"
#include "write/write_internal.h"

/* Changes of one statement to a table. */
typedef struct Changes
{
	Resource *resource;
	AttrNumber status;	 /* 0 if there is none */
	AttrNumber revision; /* of the contents of files; 0 for other resources */
	bool of_users;		 /* the records are users */
	bool governs_less;	 /* a superadmin who may log in has ceased to be one */
	Tally tally;		 /* change in the numbers of records */
	FacetCounts *facets; /* so, by the values of facets */
	List *unchecked;	 /* ids of new records that links may have referred to before */
	List *deleted;		 /* ids of deleted records */
	List *entries;		 /* of LogEntry *: actions not yet logged */
} Changes;

static char *
slot_text(TupleTableSlot *slot, AttrNumber attno)
{
	bool isnull;
	Datum value = slot_getattr(slot, attno, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/* Return the timestamp in a column; 0 for null. */
static TimestampTz
slot_time(TupleTableSlot *slot, AttrNumber attno)
{
	bool isnull;
	Datum value = slot_getattr(slot, attno, &isnull);

	return isnull ? 0 : DatumGetTimestampTz(value);
}

/* A record before a change and after it: the least access levels that see it. */
typedef struct Access
{
	AccessLevel before;
	AccessLevel after;
} Access;

static void
note(Changes *changes, const char *action, const char *id, const char *details, Access access)
{
	LogEntry *entry = palloc(sizeof(LogEntry));

	*entry = (LogEntry){action, id, details, access.before, access.after};
	changes->entries = lappend(changes->entries, entry);
}

/*
 * Log the collected actions.  This happens before their consequences, so that the log has the order
 * of events.
 */
static void
log_noted(Changes *changes)
{
	cat_action_log_records(changes->resource, changes->entries);
	changes->entries = NIL;
}

/* Return the least access level that sees the record in a slot; ACCESS_LEVELS for none. */
static AccessLevel
least_access(const Changes *changes, TupleTableSlot *slot)
{
	bool copied;
	HeapTuple tuple = ExecFetchSlotHeapTuple(slot, false, &copied);
	AccessLevel access = ACCESS_OUTSIDER;

	while (access < ACCESS_LEVELS && !cat_seen_record(changes->resource, tuple, access))
		access++;
	if (copied)
		heap_freetuple(tuple);
	return access;
}

/* Return whether outsiders see a record that this is the least access level of. */
static bool
is_shown(AccessLevel least)
{
	return least == ACCESS_OUTSIDER;
}

/* Count a change by whether outsiders see the record before and after it. */
static void
count_access(Changes *changes, Access access)
{
	bool before = is_shown(access.before);
	bool after = is_shown(access.after);

	changes->tally.shown += after - before;
	changes->tally.seen += before || after;
}

/* Count a change by its visibility, and update the flags that depend on the record. */
static void
follow_access(Changes *changes, const char *id, Access access, bool deleted)
{
	count_access(changes, access);
	if (is_shown(access.after) != is_shown(access.before))
		cat_shown_cascade(changes->resource, id, is_shown(access.after), deleted);
}

static void
follow_insert(Changes *changes, TupleTableSlot *new)
{
	char *id = slot_text(new, changes->resource->id);
	bool living = slot_time(new, changes->resource->deleted_at) == 0;
	Access access = {ACCESS_LEVELS, least_access(changes, new)};

	note(changes, "create", id, NULL, access);
	changes->tally.living += living;
	count_access(changes, access);
	cat_facet_counter_follow(changes->facets, NULL,
							 &(CountedRecord){new, living, is_shown(access.after)});
	/* without reference checks, links and records that refer to it may exist already */
	if (cat_check_references)
		return;
	changes->unchecked = lappend(changes->unchecked, id);
	if (is_shown(access.after))
		cat_shown_cascade(changes->resource, id, true, false);
}

static void
follow_delete(Changes *changes, char *id, TimestampTz at, Access access)
{
	changes->tally.living--;
	cat_history_end(changes->resource, id);
	note(changes, "delete", id, NULL, access);
	log_noted(changes);
	cat_deletion_cascade(changes->resource, id, at);
	changes->deleted = lappend(changes->deleted, id);
}

static void
follow_status(Changes *changes, const char *id, TupleTableSlot *old, TupleTableSlot *new)
{
	char *before = slot_text(old, changes->status);
	char *after = slot_text(new, changes->status);

	if (after && before && strcmp(before, after) != 0)
	{
		log_noted(changes);
		cat_state_follow(changes->resource, id, before, after);
	}
}

/* Make what shows the rows of a file again if the file has other contents now. */
static void
follow_contents(const Changes *changes, const char *id, TupleTableSlot *old, TupleTableSlot *new)
{
	bool was_null, is_null;
	Datum before = slot_getattr(old, changes->revision, &was_null);
	Datum after = slot_getattr(new, changes->revision, &is_null);

	if (was_null != is_null || (!is_null && DatumGetInt64(before) != DatumGetInt64(after)))
		cat_derived_follow(id);
}

static void
follow_update(Changes *changes, TupleTableSlot *old, TupleTableSlot *new)
{
	char *id = slot_text(new, changes->resource->id);
	TimestampTz before = slot_time(old, changes->resource->deleted_at);
	TimestampTz after = slot_time(new, changes->resource->deleted_at);
	Access access = {least_access(changes, old), least_access(changes, new)};

	cat_facet_counter_follow(changes->facets,
							 &(CountedRecord){old, before == 0, is_shown(access.before)},
							 &(CountedRecord){new, after == 0, is_shown(access.after)});
	if (changes->of_users)
		changes->governs_less |=
			cat_user_governs(changes->resource, old) && !cat_user_governs(changes->resource, new);
	if (before == 0 && after != 0)
	{
		follow_delete(changes, id, after, access);
		follow_access(changes, id, access, true);
		return;
	}
	follow_access(changes, id, access, false);
	if (changes->revision)
		follow_contents(changes, id, old, new);
	if (cat_write_mode() == WRITE_LISTS || cat_internal_update_rows(changes->resource, old, new))
		return;
	note(changes, "update", id,
		 changes->resource->logged ? cat_differ_json(changes->resource, old, new) : NULL, access);
	if (before == 0 && after == 0)
		cat_address_follow(changes->resource, id, old, new);
	if (before != 0 && after == 0)
	{
		changes->tally.living++;
		log_noted(changes);
		cat_deletion_undo(changes->resource, id, before);
	}
	if (changes->status)
		follow_status(changes, id, old, new);
}

static void
begin_changes(Changes *changes, Resource *resource)
{
	const Field *revision =
		strcmp(resource->name, "files") == 0 ? cat_registry_column(resource, "revision") : NULL;

	changes->resource = resource;
	changes->status = resource->status ? resource->status->attno : 0;
	changes->revision = revision ? revision->attno : 0;
	changes->of_users = strcmp(resource->name, "users") == 0;
	changes->governs_less = false;
	changes->tally = (Tally){0};
	changes->facets = cat_facet_counter_begin(resource);
	changes->unchecked = NIL;
	changes->deleted = NIL;
	changes->entries = NIL;
}

static void
follow_all(Changes *changes, const TriggerData *trigger)
{
	TupleDesc desc = RelationGetDescr(trigger->tg_relation);
	TupleTableSlot *new = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	TupleTableSlot *old = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	Tuplestorestate *olds = trigger->tg_oldtable;

	tuplestore_rescan(trigger->tg_newtable);
	if (olds)
		tuplestore_rescan(olds);
	while (tuplestore_gettupleslot(trigger->tg_newtable, true, true, new))
	{
		if (!olds)
			follow_insert(changes, new);
		else if (tuplestore_gettupleslot(olds, true, true, old))
			follow_update(changes, old, new);
	}
	ExecDropSingleTupleTableSlot(new);
	ExecDropSingleTupleTableSlot(old);
}

/* Complete the changes of a statement: log, row counter and commit time. */
static void
end_changes(Changes *changes)
{
	/* what refers to one record may belong to another one that the statement has deleted */
	foreach_ptr(char, id, changes->deleted)
	{
		cat_deletion_check(changes->resource, id);
		cat_state_check_deletion(changes->resource, id);
	}
	if (changes->governs_less)
		cat_user_require_superadmin();
	log_noted(changes);
	if (changes->unchecked != NIL)
		cat_link_relist(changes->resource, changes->unchecked);
	cat_row_counter_add(changes->resource, &changes->tally);
	cat_facet_counter_end(changes->facets);
	cat_commit_time_touch(changes->resource, &changes->tally);
}

/*
 * Trigger: record what a statement changed, and apply the consequences.
 *
 * AFTER INSERT with a new table, AFTER UPDATE with an old and a new one, FOR EACH STATEMENT.
 * Writes one log record for each row and one counter row for each statement.
 */
CAT_FUNCTION(catalogue_record_changes)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	Resource *resource;
	Changes changes;
	int nest;

	if (!CALLED_AS_TRIGGER(fcinfo) || !trigger->tg_newtable)
		elog(ERROR, "record_changes: not called as a trigger with a new table");
	resource = cat_registry_table(RelationGetRelid(trigger->tg_relation));
	if (!resource || (cat_write_mode() == WRITE_UNRECORDED && trigger->tg_oldtable) ||
		tuplestore_tuple_count(trigger->tg_newtable) == 0)
		return PointerGetDatum(NULL);
	nest = cat_security_context_pin();
	SPI_connect();
	begin_changes(&changes, resource);
	/* before the consequences, which may change the same records again */
	cat_history_write(resource, trigger);
	cat_update_order_write(resource, trigger);
	follow_all(&changes, trigger);
	end_changes(&changes);
	SPI_finish();
	cat_security_context_unpin(nest);
	return PointerGetDatum(NULL);
}
