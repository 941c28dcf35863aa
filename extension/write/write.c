/*
 * write.c
 *	  SQL functions that write, and their preconditions.
 */
#include "catalogue.h"

#include "storage/lmgr.h"
#include "utils/snapmgr.h"

#include "account/account.h"
#include "call/call.h"
#include "write/write_internal.h"

/* Tag of a record that is not living, and one that matches no tag in a list. */
#define NO_STATE ""
#define UNKNOWN_STATE ","

/* Return the entity tag of a living record's present state. */
static const char *
present_tag(const WriteCall *call)
{
	char *tag = NULL;
	Rows rows;

	PushActiveSnapshot(GetLatestSnapshot());
	rows = cat_rows_by_id(call->resource, call->id, ACCESS_ALL);
	if (rows.count == 1)
		tag = cat_etag_of_record(call->resource, &rows, 0);
	PopActiveSnapshot();
	return tag ? tag : UNKNOWN_STATE;
}

/*
 * Raise OD412 if the record's state does not meet the caller's precondition.  The record stays
 * locked, so that its state holds until the change.
 *
 * If there is no living record, the change itself raises an error; call->match stays set if the
 * precondition was not met.
 */
void
cat_write_require_precondition(WriteCall *call)
{
	bool lives;

	if (!call->match)
		return;
	lives = cat_write_call_lock(call->resource, call->id);
	if (cat_etag_meets(call->match, lives ? present_tag(call) : NO_STATE))
		call->match = NULL;
	else if (lives)
		ereport(ERROR,
				(errcode(OD412), errmsg("%s \"%s\" does not meet the precondition of the request",
										call->resource->model, call->id)));
}

/* Update the record.  Raises OD404 if it is not living. */
static void
update_record(NewRecord *record)
{
	const char *id = record->id;
	Resource *resource = record->resource;
	StringInfoData sets;
	StatementParam *params = palloc(sizeof(StatementParam) * (record->natts + 1));
	int count = 0;

	initStringInfo(&sets);
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (!record->given[field->attno - 1])
			continue;
		/* as in a creation, where no value means the default */
		if (record->nulls[field->attno - 1] && field->required && field->has_default)
			appendStringInfo(&sets, "%s%s = DEFAULT", sets.len ? ", " : "", field->quoted);
		else
		{
			params[count++] = cat_new_record_param(record, field);
			appendStringInfo(&sets, "%s%s = $%d", sets.len ? ", " : "", field->quoted, count);
		}
	}
	params[count++] = text_param(id);
	cat_statement_params(
		true,
		psprintf("UPDATE %s SET %s WHERE id = $%d AND deleted_at IS NULL RETURNING id::text",
				 resource->table, sets.len ? sets.data : "updated_at = updated_at", count),
		count, params);
	cat_write_call_require_met(resource, id);
}

/* Return the status in the body, NULL if there is none. */
static const char *
given_status(const NewRecord *record)
{
	const Field *status = record->resource->status;

	if (!status || !record->given[status->attno - 1] || record->nulls[status->attno - 1])
		return NULL;
	return TextDatumGetCString(record->values[status->attno - 1]);
}

static void
update_linked(NewRecord *record)
{
	update_record(record);
	for (int i = 0; i < record->resource->nrelations; i++)
		if (record->linked[i])
			cat_link_replace(&record->resource->relations[i], record->id, record->links[i]);
}

/* Records to write. */
typedef struct NewRecords
{
	NewRecord *records;
	int count;
} NewRecords;

static void
create_step(const NewRecords *all)
{
	cat_new_record_insert(all->records, all->count);
}

static void
update_step(const NewRecords *all)
{
	update_linked(all->records);
}

/*
 * Write records of a resource.  A violated constraint becomes an error of the record; that of a unique
 * index is caused by a concurrent writer.
 *
 * Raises 40001 if the columns may no longer have the types of the values.
 */
static void
write_records(NewRecords all, void (*step)(const NewRecords *all))
{
	MemoryContext context = CurrentMemoryContext;
	Resource *resource = all.records->resource;

	LockRelationOid(resource->relid, RowExclusiveLock);
	cat_registry_require();
	PG_TRY();
	{
		step(&all);
	}
	PG_CATCH();
	{
		cat_constraint_rethrow(resource, context, OD400);
	}
	PG_END_TRY();
}

/* Check that the call may have created a record. */
static void
require_created(WriteCall *call, const NewRecord *record)
{
	call->id = record->id;
	cat_permission_require_written(&call->actor, call->resource, call->action, call->id);
	cat_permission_take_limit(&call->actor, call->resource, call->action, call->id);
	cat_reference_require_within(call, NULL);
}

void
cat_write_create(WriteCall *call, NewRecord *record)
{
	cat_new_record_refuse(record, NULL);
	cat_state_require(call, given_status(record));
	write_records((NewRecords){record, 1}, create_step);
	call->ignored = record->ignored;
	require_created(call, record);
}

List *
cat_write_create_all(const Actor *actor, const char *resource, List *bodies)
{
	MemoryContext outer = CurrentMemoryContext;
	NewRecords all = {palloc0(sizeof(NewRecord) * list_length(bodies)), list_length(bodies)};
	List *ids = NIL;
	WriteCall call;

	cat_call_reply_begin();
	cat_write_call_open_as(&call, actor, resource, "create");
	foreach_ptr(const char, body, bodies)
	{
		NewRecord *record = &all.records[foreach_current_index(body)];

		cat_new_record_begin(record, call.resource);
		cat_new_record_read(record, &call, cat_body_record(body, strlen(body)));
		cat_new_record_refuse(record, NULL);
		cat_state_require(&call, given_status(record));
	}
	write_records(all, create_step);
	for (int i = 0; i < all.count; i++)
	{
		WriteCall one = call;

		require_created(&one, &all.records[i]);
		cat_consumer_require_record(&one.actor, one.resource, one.id);
		ids = lappend(ids, MemoryContextStrdup(outer, one.id));
	}
	cat_write_call_leave(&call);
	MemoryContextSwitchTo(outer);
	ids = list_copy(ids);
	cat_call_reply_close();
	return ids;
}

void
cat_write_check(WriteCall *call, List *members, const char *const *later)
{
	NewRecord record;

	cat_new_record_begin(&record, call->resource);
	cat_new_record_read(&record, call, members);
	cat_new_record_check(&record, call->id);
	for (; *later; later++)
		if (!cat_body_member(members, *later))
			cat_validation_error_drop(&record.errors, *later);
	if (record.errors != NIL)
		cat_validation_error_raise(record.errors, OD400,
								   cat_actor_hint(record.resource, record.errors));
	if (!call->id)
		cat_state_require(call, given_status(&record));
}

void
cat_write_update(WriteCall *call, NewRecord *record)
{
	cat_new_record_refuse(record, call->id);
	cat_state_require(call, given_status(record));
	record->id = call->id;
	call->ignored = record->ignored;
	cat_reference_require_within(call, record);
	write_records((NewRecords){record, 1}, update_step);
	cat_permission_require_written(&call->actor, call->resource, call->action, call->id);
}

/* Hooks of all resources. */
static const WriteHook *hooks;
static int nhooks;

void
cat_write_set_hooks(const WriteHook *all, int count)
{
	hooks = all;
	nhooks = count;
}

void
cat_write_run_hooks(const WriteCall *call, List *members, NewRecord *record)
{
	for (int i = 0; i < nhooks; i++)
		if (hooks[i].update && strcmp(hooks[i].resource, call->resource->name) == 0)
			hooks[i].update(call, members, record);
}

CAT_FUNCTION(catalogue_create)
{
	WriteCall call;
	WriteCall other = {0};
	List *members;
	NewRecord record;

	cat_write_call_begin(&call, fcinfo, "create", &args_create);
	members = cat_body_argument(fcinfo, ARG_CREATE_BODY);
	/* Create the other record that the body describes, if any. */
	for (int i = 0; i < nhooks; i++)
		if (hooks[i].create && strcmp(hooks[i].resource, call.resource->name) == 0)
			hooks[i].create(&call, members, &other);
	cat_new_record_begin(&record, call.resource);
	cat_new_record_read(&record, &call, members);
	if (call.actor.access == ACCESS_OUTSIDER && !PG_ARGISNULL(ARG_CREATE_ADDRESS))
		cat_throttle_creation(cat_call_reply_argument(fcinfo, ARG_CREATE_ADDRESS));
	cat_write_create(&call, &record);
	if (other.resource)
		other.ignored = list_concat(other.ignored, call.ignored);
	return cat_write_call_end(other.resource ? &other : &call, fcinfo, &args_create);
}

CAT_FUNCTION(catalogue_update)
{
	WriteCall call;
	List *members;
	NewRecord record;

	cat_write_call_begin(&call, fcinfo, "update", &args_update);
	cat_write_call_target(&call, fcinfo, &args_update);
	members = cat_body_argument(fcinfo, ARG_UPDATE_BODY);
	cat_new_record_begin(&record, call.resource);
	cat_user_check_own_password(call.resource, call.id, &call.actor, members, &record.errors);
	cat_new_record_read(&record, &call, members);
	cat_write_run_hooks(&call, members, &record);
	cat_write_update(&call, &record);
	return cat_write_call_end(&call, fcinfo, &args_update);
}
