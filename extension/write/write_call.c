/*
 * write_call.c
 *	  Begin and end of a call that changes a record, and its deletion, restoration and deactivation.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "utils/snapmgr.h"

#include "write/write_internal.h"

/* Set what a call changes.  Raises OD405 or OD404 if the resource does not have the action. */
static void
set_target(WriteCall *call, const char *resource, const char *action)
{
	*call = (WriteCall){.resource = cat_registry_resource(resource), .action = action};
	if (!cat_query_string_has_word(call->resource->actions, action))
		ereport(ERROR,
				(errcode(cat_registry_actions_refuse(call->resource, action) ? OD405 : OD404),
				 errmsg("resource \"%s\" does not take \"%s\"", call->resource->name, action)));
}

/* Let triggers see the actor of a call, who must be allowed to make it. */
static void
enter(WriteCall *call)
{
	cat_permission_require(&call->actor, call->resource, call->action);
	cat_consumer_require(&call->actor, call->resource->name);
	call->outer = cat_security_context_actor();
	cat_security_context_set_actor(&call->actor);
}

void
cat_write_call_open(WriteCall *call, FunctionCallInfo fcinfo, const char *resource,
					const char *action, int actor)
{
	set_target(call, resource, action);
	cat_actor_read(fcinfo, actor, &call->actor);
	enter(call);
}

void
cat_write_call_open_as(WriteCall *call, const Actor *actor, const char *resource,
					   const char *action)
{
	set_target(call, resource, action);
	call->actor = *actor;
	enter(call);
}

void
cat_write_call_leave(const WriteCall *call)
{
	cat_security_context_set_actor(call->outer);
}

void
cat_write_call_begin(WriteCall *call, FunctionCallInfo fcinfo, const char *action,
					 const CallArguments *args)
{
	cat_call_reply_begin();
	cat_write_call_open(call, fcinfo, cat_call_reply_required(fcinfo, args->resource), action,
						args->actor);
}

void
cat_write_call_take(WriteCall *call, const char *id, const char *match)
{
	bool made = cat_derived_is_of(call->resource);

	call->id = id;
	call->match = match;
	/* what the record belongs to, where the change needs that besides the record */
	if (strcmp(call->action, "restore") == 0 || (made && strcmp(call->action, "update") == 0))
		cat_reference_lock_parents(call->resource, call->id, made);
	cat_permission_require_record(&call->actor, call->resource, call->action, call->id);
	cat_consumer_require_record(&call->actor, call->resource, call->id);
	cat_permission_take_limit(&call->actor, call->resource, call->action, call->id);
	if (strcmp(call->action, "restore") == 0)
		cat_reference_require_within(call, NULL);
	cat_write_require_precondition(call);
}

/* Set the record to change to that of the argument "id", in a state that the argument "match" allows. */
void
cat_write_call_target(WriteCall *call, FunctionCallInfo fcinfo, const CallArguments *args)
{
	cat_write_call_take(call,
						cat_record_named_id(call->resource,
											cat_call_reply_required(fcinfo, args->id),
											call->actor.access),
						cat_call_reply_optional(fcinfo, args->match));
}

/* Return the present state of the record, including changes of this call. */
static StringInfo
read_present(const WriteCall *call, bool embedded)
{
	StringInfo data;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	data = cat_item_read(cat_selection_all(call->resource, &call->actor, embedded), call->id);
	PopActiveSnapshot();
	return data;
}

/* End a change with a reply whose data are already set. */
static Datum
end_with(const WriteCall *call, FunctionCallInfo fcinfo, CallReply *reply)
{
	cat_write_call_leave(call);
	cat_consumer_require_record(&call->actor, call->resource, call->id);
	reply->resource = call->resource->name;
	reply->id = call->id;
	reply->links = cat_visibility_is_private(call->resource, call->actor.access) ? "-" : NULL;
	reply->ignored = cat_ignored_json(call->ignored);
	return cat_call_reply_end(fcinfo, reply);
}

Datum
cat_write_call_end(WriteCall *call, FunctionCallInfo fcinfo, const CallArguments *args)
{
	CallReply reply = {0};

	if (cat_call_reply_argument_is(fcinfo, args->return_, "representation"))
		reply.data =
			read_present(call, cat_call_reply_argument_is(fcinfo, args->relations, "embedded"));
	reply.meta = call->meta ? call->meta : cat_derived_meta(call->resource, call->id);
	return end_with(call, fcinfo, &reply);
}

/* Lock a record for a change; false if it is not living. */
bool
cat_write_call_lock(const Resource *resource, const char *id)
{
	cat_statement_fresh(
		psprintf("SELECT FROM %s t WHERE t.id = $1 AND t.deleted_at IS NULL FOR NO KEY UPDATE",
				 resource->table),
		text_param(id));
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
	cat_statement_fresh(sql, text_param(call->id));
	cat_write_call_require_met(call->resource, call->id);
}

/* Restore the record.  Raises OD409 if it is not deleted, OD404 if it does not exist. */
static void
undelete(const WriteCall *call)
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

static void
deactivate_record(const WriteCall *call)
{
	change_record(call, psprintf("UPDATE %s SET deactivated_at = coalesce(deactivated_at, now()) "
								 "WHERE id = $1 AND deleted_at IS NULL",
								 call->resource->table));
}

static void
move_record(const WriteCall *call)
{
	const char *status = cat_state_after(call->resource, call->id, call->action);

	cat_statement_fresh(psprintf("UPDATE %s SET status = $2 WHERE id = $1", call->resource->table),
						text_param(call->id), text_param(status));
}

static void
delete_record(const WriteCall *call)
{
	change_record(call,
				  psprintf("UPDATE %s SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL",
						   call->resource->table));
}

/* Change the record.  A violated constraint, such as a name that is taken by now, becomes its error. */
static void
take_step(const WriteCall *call, void (*step)(const WriteCall *))
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		step(call);
	}
	PG_CATCH();
	{
		cat_constraint_rethrow(call->resource, context, step == undelete ? OD409 : OD400);
	}
	PG_END_TRY();
}

/* Run one change of a record. */
static Datum
change(FunctionCallInfo fcinfo, const CallArguments *args, const char *action,
	   void (*step)(const WriteCall *))
{
	WriteCall call;

	cat_write_call_begin(&call, fcinfo, action, args);
	cat_write_call_target(&call, fcinfo, args);
	take_step(&call, step);
	return cat_write_call_end(&call, fcinfo, args);
}

/* Delete a record; if requested, the reply has its last state. */
CAT_FUNCTION(catalogue_delete)
{
	WriteCall call;
	CallReply reply = {0};

	cat_write_call_begin(&call, fcinfo, "delete", &args_delete);
	cat_write_call_target(&call, fcinfo, &args_delete);
	/* locked against changes before the deletion */
	if (cat_call_reply_argument_is(fcinfo, ARG_DELETE_RETURN, "representation") &&
		cat_write_call_lock(call.resource, call.id))
		reply.data = read_present(
			&call, cat_call_reply_argument_is(fcinfo, ARG_DELETE_RELATIONS, "embedded"));
	take_step(&call, delete_record);
	return end_with(&call, fcinfo, &reply);
}

CAT_FUNCTION(catalogue_restore)
{
	return change(fcinfo, &args_restore, "restore", undelete);
}

CAT_FUNCTION(catalogue_deactivate)
{
	return change(fcinfo, &args_deactivate, "deactivate", deactivate_record);
}

CAT_FUNCTION(catalogue_act)
{
	return change(fcinfo, &args_act, cat_call_reply_required(fcinfo, ARG_ACT_ACTION), move_record);
}
