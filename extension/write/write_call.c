/*
 * write_call.c
 *	  Common parts of calls that change a record; SQL functions delete, restore, deactivate and
 *	  act.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "base/body.h"
#include "call/call.h"
#include "pg/pg.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/read.h"
#include "registry/registry.h"
#include "registry/rows.h"
#include "write/validation_internal.h"
#include "write/write.h"
#include "write/write_internal.h"

PG_FUNCTION_INFO_V1(catalogue_delete);
PG_FUNCTION_INFO_V1(catalogue_restore);
PG_FUNCTION_INFO_V1(catalogue_deactivate);
PG_FUNCTION_INFO_V1(catalogue_act);

static bool
has_action(const Resource *resource, const char *action)
{
	ListCell *cell;

	foreach(cell, resource->actions)
		if (strcmp(lfirst(cell), action) == 0)
			return true;
	return false;
}

void
cat_write_call_open(WriteCall *call, FunctionCallInfo fcinfo, const char *resource,
					const char *action, int actor)
{
	call->resource = cat_registry_resource(resource);
	if (!has_action(call->resource, action))
		ereport(ERROR,
				(errcode(cat_registry_actions_refuse(call->resource, action) ? OD405 : OD404),
				 errmsg("resource \"%s\" does not take \"%s\"", call->resource->name, action)));
	cat_actor_read(fcinfo, actor, &call->actor);
	cat_permission_require(&call->actor, call->resource, action);
	cat_consumer_require(&call->actor, call->resource->name);
	call->action = action;
	call->id = NULL;
	call->match = NULL;
	call->ignored = NIL;
	call->outer = cat_actor_current();
	cat_actor_set(&call->actor);
}

void
cat_write_call_leave(const WriteCall *call)
{
	cat_actor_set(call->outer);
}

void
cat_write_call_begin(WriteCall *call, FunctionCallInfo fcinfo, const char *action, int actor)
{
	cat_call_reply_begin();
	cat_write_call_open(call, fcinfo, cat_call_reply_required(fcinfo, 0), action, actor);
}

/* Lock what the record belongs to, where the change needs that besides the record. */
static void
lock_parents(const WriteCall *call)
{
	bool made = cat_derived_is_of(call->resource);

	if (strcmp(call->action, "restore") == 0 || (made && strcmp(call->action, "update") == 0))
		cat_reference_lock_parents(call->resource, call->id, made);
}

void
cat_write_call_take(WriteCall *call, const char *id, const char *match)
{
	call->id = id;
	call->match = match;
	lock_parents(call);
	cat_permission_require_record(&call->actor, call->resource, call->action, call->id);
	cat_consumer_require_record(&call->actor, call->resource, call->id);
	cat_precondition_require(call);
}

/*
 * Set the record to change to that of argument 1; match: number of the argument with the entity
 * tags.
 */
void
cat_write_call_target(WriteCall *call, FunctionCallInfo fcinfo, int match)
{
	cat_write_call_take(
		call, cat_named_id(call->resource, cat_call_reply_required(fcinfo, 1), call->actor.access),
		PG_ARGISNULL(match) ? NULL : cat_call_reply_argument(fcinfo, match));
}

/* Return the present state of the record, including changes of this call. */
static StringInfo
read_present(const WriteCall *call, bool embedded)
{
	StringInfo data;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	data = cat_read_record(cat_selection_all(call->resource, &call->actor, embedded), call->id);
	PopActiveSnapshot();
	return data;
}

/* End a change with a reply whose data are already set. */
static Datum
end_with(const WriteCall *call, FunctionCallInfo fcinfo, CallReply *reply)
{
	cat_consumer_require_record(&call->actor, call->resource, call->id);
	reply->resource = call->resource->name;
	reply->id = call->id;
	reply->links = call->resource->closed[call->actor.access] ? "-" : NULL;
	reply->ignored = cat_ignored_json(call->ignored);
	return cat_call_reply_end(fcinfo, reply);
}

Datum
cat_write_call_end(WriteCall *call, FunctionCallInfo fcinfo, int wanted)
{
	CallReply reply = {0};

	if (cat_call_reply_argument_is(fcinfo, wanted, "representation"))
		reply.data = read_present(call, cat_call_reply_argument_is(fcinfo, wanted + 1, "embedded"));
	reply.meta = cat_derived_counts(call->resource, call->id);
	return end_with(call, fcinfo, &reply);
}

/* Lock a record for a change; false if it is not living. */
bool
cat_write_call_lock(const Resource *resource, const char *id)
{
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(id);

	cat_statement_run(
		psprintf("SELECT FROM %s t WHERE t.id = $1 AND t.deleted_at IS NULL FOR NO KEY UPDATE",
				 resource->table),
		1, &type, &value, NULL, true, 0);
	return SPI_processed > 0;
}

/*
 * Raise OD404 if the last statement, an update, found no living record.
 *
 * An update that changes nothing is skipped by the trigger and counts no row either.
 */
void
cat_write_call_require_met(const Resource *resource, const char *id)
{
	if (SPI_processed == 0 && !cat_write_call_lock(resource, id))
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", resource->model, id)));
}

/* Run a statement with the id as its only parameter.  Raises OD404 if it finds no record. */
static void
change_record(const WriteCall *call, const char *sql)
{
	Oid type = TEXTOID;
	Datum id = CStringGetTextDatum(call->id);

	cat_statement_run(sql, 1, &type, &id, NULL, true, 0);
	cat_write_call_require_met(call->resource, call->id);
}

static void
delete_record(const WriteCall *call)
{
	change_record(call,
				  psprintf("UPDATE %s SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL",
						   call->resource->table));
}

/* Restore the record.  Raises OD409 if it is not deleted, OD404 if it does not exist. */
static void
bring_back(const WriteCall *call)
{
	Rows rows = cat_rows_by_id(call->resource, call->id, ACCESS_ALL);
	bool deactivates = call->resource->deactivates;

	if (rows.count == 1 &&
		(!deactivates ||
		 heap_attisnull(rows.tuples[0], call->resource->deactivated_at, call->resource->desc)))
		ereport(ERROR, (errcode(OD409),
						errmsg("%s \"%s\" is not deleted", call->resource->model, call->id)));
	if (call->match)
		ereport(ERROR,
				(errcode(OD412), errmsg("%s \"%s\" is deleted", call->resource->model, call->id)));
	change_record(call,
				  psprintf("UPDATE %s SET deleted_at = NULL%s WHERE id = $1 AND "
						   "coalesce(deleted_at%s) IS NOT NULL",
						   call->resource->table, deactivates ? ", deactivated_at = NULL" : "",
						   deactivates ? ", deactivated_at" : ""));
}

/* Restore the record.  Raises OD409 also if its name is taken, possibly by a concurrent writer. */
static void
restore_record(const WriteCall *call)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		bring_back(call);
	}
	PG_CATCH();
	{
		List *errors;

		MemoryContextSwitchTo(context);
		errors = cat_validate_caught(call->resource);
		if (errors == NIL)
			PG_RE_THROW();
		cat_validation_error_raise(errors, OD409, cat_actor_hint(call->resource, errors));
	}
	PG_END_TRY();
}

static void
deactivate_record(const WriteCall *call)
{
	change_record(call, psprintf("UPDATE %s SET deactivated_at = coalesce(deactivated_at, now()) "
								 "WHERE id = $1 AND deleted_at IS NULL",
								 call->resource->table));
}

static void
move_record(const WriteCall *call, const char *action)
{
	Oid types[] = {TEXTOID, TEXTOID};
	Datum values[2];
	const char *status = cat_state_after(call->resource, call->id, action);

	values[0] = CStringGetTextDatum(call->id);
	values[1] = CStringGetTextDatum(status);
	cat_statement_run(psprintf("UPDATE %s SET status = $2 WHERE id = $1", call->resource->table), 2,
					  types, values, NULL, true, 0);
}

/* Run one change of the record named by argument 1. */
static Datum
change(FunctionCallInfo fcinfo, const char *action, void (*step)(const WriteCall *), int wanted,
	   int actor)
{
	WriteCall call;

	cat_write_call_begin(&call, fcinfo, action, actor);
	PG_TRY();
	{
		cat_write_call_target(&call, fcinfo, actor + 1);
		step(&call);
	}
	PG_FINALLY();
	{
		cat_write_call_leave(&call);
	}
	PG_END_TRY();
	return cat_write_call_end(&call, fcinfo, wanted);
}

/* Delete the record named by argument 1; if requested, the reply has its last state. */
Datum
catalogue_delete(PG_FUNCTION_ARGS)
{
	WriteCall call;
	CallReply reply = {0};

	cat_write_call_begin(&call, fcinfo, "delete", 2);
	PG_TRY();
	{
		cat_write_call_target(&call, fcinfo, 3);
		/* locked against changes before the deletion */
		if (cat_call_reply_argument_is(fcinfo, 4, "representation") &&
			cat_write_call_lock(call.resource, call.id))
			reply.data = read_present(&call, cat_call_reply_argument_is(fcinfo, 5, "embedded"));
		delete_record(&call);
	}
	PG_FINALLY();
	{
		cat_write_call_leave(&call);
	}
	PG_END_TRY();
	return end_with(&call, fcinfo, &reply);
}

Datum
catalogue_restore(PG_FUNCTION_ARGS)
{
	return change(fcinfo, "restore", restore_record, 2, 4);
}

Datum
catalogue_deactivate(PG_FUNCTION_ARGS)
{
	return change(fcinfo, "deactivate", deactivate_record, 2, 4);
}

Datum
catalogue_act(PG_FUNCTION_ARGS)
{
	WriteCall call;
	const char *action = cat_call_reply_required(fcinfo, 2);

	cat_write_call_begin(&call, fcinfo, action, 5);
	PG_TRY();
	{
		cat_write_call_target(&call, fcinfo, 6);
		move_record(&call, action);
	}
	PG_FINALLY();
	{
		cat_write_call_leave(&call);
	}
	PG_END_TRY();
	return cat_write_call_end(&call, fcinfo, 3);
}
