/*
 * history.c
 *	  What each change leaves: the state of the record before it, the action log, the row counter.
 *
 * A row of catalogue_history.<resource> is the state before one change; after several changes in
 * one transaction, the state before the first.  A null created_at means that the record did not
 * exist.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "commands/event_trigger.h"
#include "common/pg_prng.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/formatting.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "base/settings.h"
#include "history/history.h"
#include "pg/pg.h"

/* Id in a log record that stands for all records of a table. */
#define ALL_RECORDS "*"

/* Columns of a log record that the service sets. */
typedef enum Part
{
	PART_ACTION,
	PART_TARGET,
	PART_RESOURCE,
	PART_USER,
	PART_CHANGES,
	PART_SEEN_BEFORE,
	PART_SEEN_AFTER,
	PARTS
} Part;

static const char *const log_columns[PARTS] = {
	[PART_ACTION] = "action",		  [PART_TARGET] = "target",
	[PART_RESOURCE] = "resource",	  [PART_USER] = "user",
	[PART_CHANGES] = "changes",		  [PART_SEEN_BEFORE] = "seen_before",
	[PART_SEEN_AFTER] = "seen_after",
};

/* Log records to write. */
typedef struct LogBatch
{
	const char *target;
	List *entries; /* of LogEntry * */
} LogBatch;

/* Set the least access level that sees a record; none is null. */
static void
set_seen(BulkInsert *bulk, Part part, AccessLevel access)
{
	if (access < ACCESS_LEVELS)
		cat_bulk_insert_set(bulk, part, Int16GetDatum((int16) access));
}

static void
write_row(BulkInsert *bulk, const char *target, const LogEntry *entry)
{
	const Actor *actor = cat_security_context_actor();

	cat_bulk_insert_row(bulk);
	cat_bulk_insert_set_text(bulk, PART_ACTION, entry->action);
	cat_bulk_insert_set_text(bulk, PART_TARGET, target);
	cat_bulk_insert_set_text(bulk, PART_RESOURCE, entry->id);
	/* known to be an id; checking its domain would cost more than the rest */
	if (actor && actor->user[0] != '\0')
		cat_bulk_insert_set_copy(bulk, PART_USER, CStringGetTextDatum(actor->user));
	if (entry->changes)
		cat_bulk_insert_set_text(bulk, PART_CHANGES, entry->changes);
	set_seen(bulk, PART_SEEN_BEFORE, entry->seen_before);
	set_seen(bulk, PART_SEEN_AFTER, entry->seen_after);
}

static void
write_records(void *argument)
{
	const LogBatch *batch = argument;
	BulkInsert *bulk =
		cat_bulk_insert_open_ruled(cat_bulk_insert_table("logs"), PARTS, log_columns);

	foreach_ptr(LogEntry, entry, batch->entries)
	{
		write_row(bulk, batch->target, entry);
		cat_bulk_insert_end_row(bulk);
	}
	cat_bulk_insert_close(bulk);
}

void
cat_action_log_records(const Resource *resource, List *entries)
{
	LogBatch batch = {NULL, entries};

	if (!resource->logged || entries == NIL ||
		(resource->change && cat_write_mode() == WRITE_ACTION_LOG))
		return;
	batch.target = asc_tolower(resource->model, strlen(resource->model));
	cat_write_mode_call(WRITE_ACTION_LOG, write_records, &batch);
}

void
cat_action_log_require_owner(Relation table)
{
	if (cat_write_mode() != WRITE_ACTION_LOG &&
		!has_privs_of_role(GetUserId(), table->rd_rel->relowner))
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("only the service writes into table \"%s\"", RelationGetRelationName(table)),
			 errhint("The owner of the table may change it; the action log records that.")));
}

void
cat_action_log_all_removed(const Resource *resource)
{
	LogEntry entry = {"delete", ALL_RECORDS, NULL, ACCESS_OUTSIDER, ACCESS_LEVELS};

	while (entry.seen_before < ACCESS_LEVELS && resource->private[entry.seen_before])
		entry.seen_before++;
	cat_action_log_records(resource, list_make1(&entry));
}

/*
 * Run a statement on at most limit log records up to an instant; return the number of changed rows.
 */
static int64
run_on_expired(WriteMode mode, const char *sql, TimestampTz until, int64 limit)
{
	cat_statement_in(mode, sql, instant_param(until), int8_param(limit));
	return (int64) SPI_processed;
}

static const char delete_sql[] =
	"UPDATE catalogue.logs l SET deleted_at = now() WHERE l.id IN (SELECT o.id FROM catalogue.logs "
	"o WHERE o.deleted_at IS NULL AND o.created_at < $1 ORDER BY o.created_at, o.id LIMIT $2)";

/* Log records that pages of an earlier instant can still show are kept.  The days on which the
 * removed records were sealed are marked, so that catalogue.verify_log() does not miss them. */
static const char purge_sql[] =
	"WITH purged AS (DELETE FROM catalogue.logs l WHERE l.id IN (SELECT o.id FROM catalogue.logs o "
	"WHERE o.deleted_at < least(catalogue.history_horizon(), now()) AND o.created_at < $1 LIMIT "
	"$2) RETURNING l.id) "
	"UPDATE catalogue.log_day d SET expired_at = now() WHERE d.expired_at IS NULL AND d.day IN "
	"(SELECT c.day FROM purged p JOIN catalogue.log_chain c ON c.log = p.id)";

/*
 * Delete at most limit log records that are older than catalogue.log_retention, and physically
 * remove those that no page of an earlier instant can show any more.
 *
 * The deletion is logged as one record.  Returns the number of records marked as deleted.
 */
CAT_FUNCTION(catalogue_expire_logs)
{
	int64 limit = PG_GETARG_INT64(0);
	TimestampTz until = GetCurrentTimestamp() - (int64) cat_log_retention * USECS_PER_SEC;
	Resource *logs;
	int64 count = 0;

	cat_owner_call_begin();
	logs = cat_registry_table(cat_bulk_insert_table("logs"));
	if (cat_log_retention >= 0 && logs)
	{
		run_on_expired(WRITE_UNRECORDED, purge_sql, until, limit);
		count = run_on_expired(WRITE_ACTION_LOG, delete_sql, until, limit);
		if (count > 0)
			cat_action_log_all_removed(logs);
	}
	cat_owner_call_end();
	PG_RETURN_INT64(count);
}

/*
 * Every statement that changes the number inserts a row with the difference, so writers never wait
 * for each other, and the sum is exact in every snapshot.  Occasionally a writer merges the rows
 * that it can lock.
 */

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

/* Columns of a history row that is inserted without a statement; the record's columns follow. */
enum
{
	HISTORY_ID,
	HISTORY_NUMBER,
	HISTORY_ENDED,
	HISTORY_SHARED
};

/* Rows that are inserted into the history of a resource for one change. */
typedef struct HistoryInsert
{
	BulkInsert *bulk;
	int64 number;	/* of the change */
	Field **shared; /* fields of the resource that the history has, except the id */
	int count;		/* of them */
	bool births;	/* rows are written for new records, without their state */
} HistoryInsert;

static const char *const first_columns[HISTORY_SHARED] = {
	[HISTORY_ID] = "id", [HISTORY_NUMBER] = "change_number", [HISTORY_ENDED] = "change_ended"};

/* Open the history for what a statement has changed: states before it, or births of records. */
static HistoryInsert
open_history(Resource *resource, int64 number, const TriggerData *trigger)
{
	HistoryInsert history = {.number = number, .births = !trigger->tg_oldtable};
	const char **columns = palloc(sizeof(char *) * (HISTORY_SHARED + resource->nfields));

	memcpy(columns, first_columns, sizeof(first_columns));
	history.shared = palloc(sizeof(Field *) * (resource->nfields + 1));
	for (int i = 0; !history.births && i < resource->nfields; i++)
	{
		Field *field = &resource->fields[i];

		if (field->history_attno == 0 || field->attno == resource->id)
			continue;
		columns[HISTORY_SHARED + history.count] = field->column;
		history.shared[history.count++] = field;
	}
	history.bulk = cat_bulk_insert_open_absent(resource->history_relid,
											   HISTORY_SHARED + history.count, columns);
	return history;
}

/* Add the row of a record, whose columns are those of the slot. */
static void
add_state(const Resource *resource, const HistoryInsert *history, TupleTableSlot *slot)
{
	bool isnull;

	cat_bulk_insert_row(history->bulk);
	cat_bulk_insert_set_copy(history->bulk, HISTORY_ID, slot_getattr(slot, resource->id, &isnull));
	cat_bulk_insert_set(history->bulk, HISTORY_NUMBER, Int64GetDatum(history->number));
	cat_bulk_insert_set(history->bulk, HISTORY_ENDED, BoolGetDatum(false));
	for (int i = 0; i < history->count; i++)
	{
		Datum value = slot_getattr(slot, history->shared[i]->attno, &isnull);

		if (!isnull)
			cat_bulk_insert_set_copy(history->bulk, HISTORY_SHARED + i, value);
	}
	cat_bulk_insert_end_row(history->bulk);
}

/* Append history rows, except for records of which this transaction has written one already. */
void
cat_history_write(Resource *resource, const TriggerData *trigger)
{
	int64 number = cat_commit_time_touch(resource, NULL);
	Tuplestorestate *rows = trigger->tg_oldtable ? trigger->tg_oldtable : trigger->tg_newtable;
	HistoryInsert history;
	TupleTableSlot *slot;

	if (!resource->history_table || (!trigger->tg_oldtable && resource->change))
		return;
	slot = MakeSingleTupleTableSlot(RelationGetDescr(trigger->tg_relation), &TTSOpsMinimalTuple);
	history = open_history(resource, number, trigger);
	tuplestore_rescan(rows);
	while (tuplestore_gettupleslot(rows, true, true, slot))
		if (!history.births || slot_attisnull(slot, resource->deleted_at))
			add_state(resource, &history, slot);
	ExecDropSingleTupleTableSlot(slot);
	cat_bulk_insert_close(history.bulk);
}

void
cat_history_end(const Resource *resource, const char *id)
{
	int64 number = cat_commit_time_touch(resource, NULL);

	if (resource->history_table)
		cat_statement_fresh(
			psprintf("UPDATE %s SET change_ended = true WHERE id = $1 AND change_number = $2",
					 resource->history_table),
			text_param(id), int8_param(number));
}

/*
 * Run a statement for an event trigger with the rights of the catalogue's owner.
 *
 * If the owner is a superuser, the statement runs with the current user's rights.  If the resulting
 * user lacks the given rights on the registry, nothing is run, since otherwise he could not alter
 * or drop any table.
 */
static void
run_as_owner(AclMode rights, const char *sql)
{
	cat_security_context_take_owners();
	if (pg_class_aclcheck(cat_bulk_insert_table("resource"), GetUserId(), rights) == ACLCHECK_OK)
	{
		SPI_connect();
		SPI_execute(sql, false, 0);
		SPI_finish();
	}
	cat_security_context_return();
}

/*
 * Event trigger on sql_drop: hide resources whose tables were dropped; reload a resource whose
 * history was dropped.
 *
 * A user who drops a table needs no rights on the catalogue.
 */
CAT_FUNCTION(catalogue_forget_dropped)
{
	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		elog(ERROR, "forget_dropped: not called as an event trigger");
	run_as_owner(ACL_DELETE,
				 "WITH dropped AS (SELECT objid, schema_name, object_name "
				 "FROM pg_event_trigger_dropped_objects() "
				 "WHERE classid = 'pg_catalog.pg_class'::regclass AND objsubid = 0), "
				 "again AS (UPDATE catalogue.resource r SET model = r.model FROM dropped d "
				 "WHERE d.schema_name = 'catalogue_history' AND d.object_name = r.resource) "
				 "SELECT catalogue.hide(r.resource) FROM catalogue.resource r "
				 "WHERE r.relation IN (SELECT objid FROM dropped)");
	PG_RETURN_NULL();
}

/*
 * Event trigger after ALTER TABLE: add the columns of altered tables to their history, and make
 * every backend read all resources again if a table or a column got another name.  PostgreSQL
 * invalidates a renamed table only, but definitions of resources that refer to it have its name.
 *
 * It runs with the rights of the catalogue's owner, who also owns the history: the user who alters
 * the table may be another one, and conversion functions of his types must not run as a superuser.
 */
CAT_FUNCTION(catalogue_follow_definition)
{
	const Node *statement;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		elog(ERROR, "follow_definition: not called as an event trigger");
	statement = ((EventTriggerData *) fcinfo->context)->parsetree;
	if (IsA(statement, RenameStmt) || IsA(statement, AlterObjectSchemaStmt))
		CacheInvalidateRelcacheAll();
	run_as_owner(ACL_SELECT, "SELECT catalogue.keep_history(resource) FROM catalogue.resource "
							 "WHERE relation IN (SELECT objid FROM pg_event_trigger_ddl_commands() "
							 "WHERE classid = 'pg_catalog.pg_class'::regclass)");
	PG_RETURN_NULL();
}
