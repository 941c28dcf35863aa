/*
 * history.c
 *	  The state of each record before each change.
 *
 * A row of catalogue_history.<resource> is the state before one change; after several changes in
 * one transaction, the state before the first.  A null created_at means that the record did not
 * exist.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "commands/event_trigger.h"
#include "common/pg_prng.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "history/history.h"
#include "pg/pg.h"

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

/* Return whether there is the table of the numbers of facets, which a database that has not been updated yet lacks. */
static bool
has_facet_counter(void)
{
	return OidIsValid(get_relname_relid("facet_counter", get_namespace_oid("catalogue", false)));
}

/*
 * Return whether ALTER TABLE may have changed what the columns of names have, without a trigger.  All that does so locks
 * out readers and writers.
 */
static bool
changes_columns(const Node *statement)
{
	if (IsA(statement, RenameStmt))
		return ((const RenameStmt *) statement)->renameType == OBJECT_COLUMN;
	if (!IsA(statement, AlterTableStmt))
		return false;
	foreach_ptr(const AlterTableCmd, command, ((const AlterTableStmt *) statement)->cmds)
		if (command->subtype == AT_DropColumn || command->subtype == AT_AlterColumnType ||
			command->subtype == AT_SetExpression)
			return true;
	return false;
}

/*
 * Event trigger after ALTER TABLE: add the columns of altered tables to their history, and make
 * every backend read all resources again if a table or a column got another name.  PostgreSQL
 * invalidates a renamed table only, but definitions of resources that refer to it have its name.
 * The numbers of facets are no longer those of the columns: the records are counted until recount().
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
	if (changes_columns(statement) && has_facet_counter())
		run_as_owner(ACL_DELETE, "DELETE FROM catalogue.facet_counter f USING catalogue.resource r "
								 "WHERE f.resource = r.resource AND r.relation IN "
								 "(SELECT objid FROM pg_event_trigger_ddl_commands() "
								 "WHERE classid = 'pg_catalog.pg_class'::regclass)");
	PG_RETURN_NULL();
}
