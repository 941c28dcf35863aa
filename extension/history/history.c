/*
 * history.c
 *	  History: the states of records before each change.
 *
 * A row of catalogue_history.<resource> is the state before one change; after several changes in
 * one transaction, the state before the first.  A null created_at means that the record did not
 * exist.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "commands/event_trigger.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "history/history.h"
#include "pg/bulk_insert.h"
#include "pg/pg.h"
#include "registry/registry.h"

PG_FUNCTION_INFO_V1(catalogue_follow_definition);
PG_FUNCTION_INFO_V1(catalogue_forget_dropped);

static void
run_with_tables(const char *sql, const TriggerData *trigger, int64 number)
{
	Oid type = INT8OID;
	Datum value = Int64GetDatum(number);

	if (SPI_register_trigger_data(unconstify(TriggerData *, trigger)) < 0)
		elog(ERROR, "could not register the tables of the trigger");
	cat_statement_run(sql, 1, &type, &value, NULL, true, 0);
}

/*
 * Return the columns that a history shares with its resource, each preceded by a comma and the
 * prefix.
 */
static char *
shared_columns(const Resource *resource, const char *prefix)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].history_attno > 0 && strcmp(resource->fields[i].column, "id") != 0)
			appendStringInfo(&columns, ", %s%s", prefix, resource->fields[i].quoted);
	return columns.data;
}

/* Append history rows for created records, unless this transaction has written one already. */
static void
write_births(const Resource *resource, const TriggerData *trigger, int64 number)
{
	run_with_tables(psprintf("INSERT INTO %s (id, change_number, change_ended) "
							 "SELECT n.id, $1, false FROM new n WHERE n.deleted_at IS NULL "
							 "ON CONFLICT DO NOTHING",
							 resource->history_table),
					trigger, number);
}

static void
write_states(const Resource *resource, const TriggerData *trigger, int64 number)
{
	run_with_tables(psprintf("INSERT INTO %s (id, change_number, change_ended%s) "
							 "SELECT o.id, $1, false%s FROM old o ON CONFLICT DO NOTHING",
							 resource->history_table, shared_columns(resource, ""),
							 shared_columns(resource, "o.")),
					trigger, number);
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
	AttrNumber id;	/* column of the resource's table */
} HistoryInsert;

static const char *const first_columns[HISTORY_SHARED] = {
	[HISTORY_ID] = "id", [HISTORY_NUMBER] = "change_number", [HISTORY_ENDED] = "change_ended"};

static HistoryInsert
open_past(Resource *resource, int64 number)
{
	HistoryInsert history = {.number = number, .id = cat_registry_column(resource, "id")->attno};
	const char **columns = palloc(sizeof(char *) * (HISTORY_SHARED + resource->nfields));

	memcpy(columns, first_columns, sizeof(first_columns));
	history.shared = palloc(sizeof(Field *) * (resource->nfields + 1));
	for (int i = 0; i < resource->nfields; i++)
	{
		Field *field = &resource->fields[i];

		if (field->history_attno == 0 || field->attno == history.id)
			continue;
		columns[HISTORY_SHARED + history.count] = field->column;
		history.shared[history.count++] = field;
	}
	history.bulk =
		cat_bulk_insert_open(resource->history_relid, HISTORY_SHARED + history.count, columns);
	return history;
}

/* Begin a record's history row. */
static void
begin_row(BulkInsert *bulk, int64 number, TupleTableSlot *record, AttrNumber id)
{
	bool isnull;

	cat_bulk_insert_row(bulk);
	cat_bulk_insert_set_copy(bulk, HISTORY_ID, slot_getattr(record, id, &isnull));
	cat_bulk_insert_set(bulk, HISTORY_NUMBER, Int64GetDatum(number));
	cat_bulk_insert_set(bulk, HISTORY_ENDED, BoolGetDatum(false));
}

static void
add_births(Resource *resource, const HistoryInsert *history, Tuplestorestate *news,
		   TupleTableSlot *slot)
{
	AttrNumber deleted_at = cat_registry_column(resource, "deleted_at")->attno;

	tuplestore_rescan(news);
	while (tuplestore_gettupleslot(news, true, true, slot))
		if (slot_attisnull(slot, deleted_at))
		{
			begin_row(history->bulk, history->number, slot, history->id);
			cat_bulk_insert_end_row(history->bulk);
		}
}

static void
add_states(Resource *resource, const HistoryInsert *history, Tuplestorestate *olds,
		   TupleTableSlot *slot)
{
	tuplestore_rescan(olds);
	while (tuplestore_gettupleslot(olds, true, true, slot))
	{
		begin_row(history->bulk, history->number, slot, history->id);
		for (int i = 0; i < history->count; i++)
		{
			bool isnull;
			Datum value = slot_getattr(slot, history->shared[i]->attno, &isnull);

			if (!isnull)
				cat_bulk_insert_set_copy(history->bulk, HISTORY_SHARED + i, value);
		}
		cat_bulk_insert_end_row(history->bulk);
	}
}

/* Write the history rows without a statement; none of them may exist already. */
static void
write_straight(Resource *resource, const TriggerData *trigger, int64 number)
{
	HistoryInsert history = open_past(resource, number);
	TupleTableSlot *slot =
		MakeSingleTupleTableSlot(RelationGetDescr(trigger->tg_relation), &TTSOpsMinimalTuple);

	if (trigger->tg_oldtable)
		add_states(resource, &history, trigger->tg_oldtable, slot);
	else
		add_births(resource, &history, trigger->tg_newtable, slot);
	ExecDropSingleTupleTableSlot(slot);
	cat_bulk_insert_close(history.bulk);
}

void
cat_history_write(Resource *resource, const TriggerData *trigger)
{
	bool first = !cat_commit_time_has(resource);
	int64 number = cat_commit_time_touch(resource, NULL);

	if (!resource->history_table || (!trigger->tg_oldtable && resource->change))
		return;
	if (first)
		write_straight(resource, trigger, number);
	else if (trigger->tg_oldtable)
		write_states(resource, trigger, number);
	else
		write_births(resource, trigger, number);
}

void
cat_history_end(const Resource *resource, const char *id)
{
	Oid types[] = {TEXTOID, INT8OID};
	Datum values[] = {CStringGetTextDatum(id),
					  Int64GetDatum(cat_commit_time_touch(resource, NULL))};

	if (resource->history_table)
		cat_statement_run(
			psprintf("UPDATE %s SET change_ended = true WHERE id = $1 AND change_number = $2",
					 resource->history_table),
			2, types, values, NULL, true, 0);
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
Datum
catalogue_forget_dropped(PG_FUNCTION_ARGS)
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
Datum
catalogue_follow_definition(PG_FUNCTION_ARGS)
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
