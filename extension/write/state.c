/*
 * state.c
 *	  States of datasets, files, charts and maps, and the actions that change them.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "base/state_action.h"
#include "call/call.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "registry/rows.h"
#include "write/write.h"
#include "write/write_internal.h"

/* Return the status of a record that has not been reviewed. */
const char *
cat_state_draft(void)
{
	return DRAFT;
}

/* Return whether dependent files, charts and maps follow a record into a status. */
static bool
cascades(const char *status)
{
	const StateAction *transition = cat_state_action_to(status);

	return transition && transition->cascades;
}

/*
 * Set the timestamp column of a new status, unless the statement sets it.
 *
 * changed: by attribute number minus one; NULL for a new record, which gets no timestamp as a
 * draft.
 */
void
cat_state_complete(Resource *resource, Datum *values, bool *nulls, const bool *changed)
{
	const Field *status = resource->status;
	const StateAction *transition;
	const Field *column;
	char *given;

	if (!status || nulls[status->attno - 1] || (changed && !changed[status->attno - 1]))
		return;
	given = TextDatumGetCString(values[status->attno - 1]);
	transition = cat_state_action_to(given);
	if (!transition || (!changed && strcmp(given, DRAFT) == 0))
		return;
	column = cat_registry_column(resource, transition->time_column);
	if (!column || (changed ? changed[column->attno - 1] : !nulls[column->attno - 1]))
		return;
	values[column->attno - 1] = TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
	nulls[column->attno - 1] = false;
}

/*
 * Return whether a change of a field requires a new review: fields that clients can change, lists
 * of ids, and the file's contents (sha256).
 */
static bool
is_reviewed(const Field *field)
{
	if (!field->read_only)
		return !field->fixed;
	return strcmp(field->column, "sha256") == 0 ||
		   (field->domain && strcmp(field->domain, "id_list") == 0);
}

/* Return whether an update changes reviewed fields; by attribute number minus one. */
static bool
is_rewritten(const Resource *resource, const Datum *old, const Datum *values, const bool *changed)
{
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];
		int at = field->attno - 1;

		if (changed[at] && is_reviewed(field) &&
			!cat_differ_alike(field->base_oid, old[at], values[at]))
			return true;
	}
	return false;
}

/*
 * Return a published record to review if the running call changes reviewed fields and its user may
 * not publish the record.
 *
 * old, values: the row before and after, by attribute number minus one; changed: the attributes
 * that differ.
 */
void
cat_state_take_back(Resource *resource, const Datum *old, Datum *values, bool *changed)
{
	const Field *status = resource->status;
	const Actor *actor = cat_actor_current();
	int at = status ? status->attno - 1 : 0;

	if (!actor || !status || changed[at] || !DatumGetPointer(values[at]) ||
		strcmp(TextDatumGetCString(values[at]), PUBLISHED) != 0 ||
		!is_rewritten(resource, old, values, changed) ||
		cat_permission_reaches(actor, resource, "publish",
							   TextDatumGetCString(values[resource->id - 1])))
		return;
	values[at] = CStringGetTextDatum(UNDER_REVIEW);
	changed[at] = true;
}

pg_noreturn static void
refuse(const Resource *resource, const char *action, const char *status)
{
	StringInfoData allowed;
	StringInfoData detail;

	initStringInfo(&allowed);
	initStringInfo(&detail);
	appendStringInfoString(&detail, "{\"status\":");
	cat_json_text_string(&detail, status);
	appendStringInfoString(&detail, ",\"allowed\":[");
	for (size_t i = 0; i < STATE_ACTIONS; i++)
		if (cat_state_action_is_allowed(&cat_state_actions[i], status))
		{
			appendStringInfo(&allowed, "%s%s", allowed.len ? ", " : "",
							 cat_state_actions[i].action);
			appendStringInfo(&detail, "%s\"%s\"", detail.data[detail.len - 1] == '[' ? "" : ",",
							 cat_state_actions[i].action);
		}
	appendStringInfoString(&detail, "]}");
	ereport(ERROR, (errcode(OD409),
					errmsg("cannot %s this %s in its present state; allowed: %s", action,
						   resource->model, allowed.data),
					errdetail_internal("%s", detail.data)));
}

/*
 * Return the status of a living record, which is locked until the end of the transaction.  Raises
 * OD404 if there is none.
 */
static char *
lock_status(const Resource *resource, const char *id)
{
	cat_statement_texts(
		psprintf("SELECT t.status::text FROM %s t WHERE t.id = $1 AND t.deleted_at IS NULL "
				 "FOR NO KEY UPDATE",
				 resource->table),
		true, 0, 1, id);
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", resource->model, id)));
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

/*
 * Return the status that an action leads to.
 *
 * Raises OD404 if there is no such action or record, OD409 if the record's status does not allow
 * the action.
 */
const char *
cat_state_after(const Resource *resource, const char *id, const char *action)
{
	const char *status = lock_status(resource, id);

	for (size_t i = 0; i < STATE_ACTIONS; i++)
	{
		if (strcmp(cat_state_actions[i].action, action) != 0)
			continue;
		if (!cat_state_action_is_allowed(&cat_state_actions[i], status))
			refuse(resource, action, status);
		return cat_state_actions[i].status;
	}
	ereport(ERROR, (errcode(OD404), errmsg("%s has no action \"%s\"", resource->model, action)));
}

static bool
exists(const char *status)
{
	return cat_rows_exists(cat_registry_resource("statuses"), status, ACCESS_ALL);
}

/*
 * Raise OD409 unless the record has this status or an action leads to it.
 *
 * A status that does not exist is left to the reference check.
 */
static void
check_way(const Resource *resource, const char *id, const char *status)
{
	const StateAction *transition = cat_state_action_to(status);
	const char *present = lock_status(resource, id);

	if (strcmp(present, status) == 0 || !exists(status))
		return;
	if (!transition || !cat_state_action_is_allowed(transition, present))
		refuse(resource, transition ? transition->action : "move", present);
}

/*
 * Return the action that leads a record to a status: "update" if there is none; NULL if the record
 * has the status already or the status does not exist.
 *
 * id: NULL for a new record, which starts as a draft.
 */
static const char *
leading_to(const Resource *resource, const char *id, const char *status)
{
	const StateAction *transition = cat_state_action_to(status);

	if (strcmp(id ? lock_status(resource, id) : DRAFT, status) == 0 || !exists(status))
		return NULL;
	return transition ? transition->action : "update";
}

/*
 * Check that the actor may give the record a status; NULL for none.
 *
 * The actor needs the permission for the corresponding action (OD401, OD403).  If he may change
 * only his own records, the transition must be one of the actions (OD409).
 */
void
cat_state_require(const WriteCall *call, const char *status)
{
	const Actor *actor = &call->actor;
	const char *action;

	if (!status || cat_permission_moves(actor, call->resource))
		return;
	action = leading_to(call->resource, call->id, status);
	if (!action)
		return;
	if (!call->id)
	{
		cat_permission_require(actor, call->resource, action);
		return;
	}
	cat_permission_require_record(actor, call->resource, action, call->id);
	if (cat_permission_is_own(actor, call->resource))
		check_way(call->resource, call->id, status);
}

/* Run a statement with the parameters $1, a record, $2, a status, and $3, a resource. */
static void
run_for(WriteMode mode, const char *resource, const char *sql, const char *id, const char *status)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(id), CStringGetTextDatum(status),
					  CStringGetTextDatum(resource)};

	cat_statement_run_in(mode, sql, 3, types, values);
}

/* Return whether the records of a dependent follow a record's status changes. */
static bool
follows(const Dependent *dependent)
{
	return dependent->deletion == 'c' && !dependent->is_join && dependent->has_status;
}

/*
 * Set the status of the records that belong to a record.
 *
 * If they are unpublished, their former status is stored.
 */
static void
cascade(const Resource *resource, const char *id, const char *status)
{
	foreach_ptr(const Dependent, dependent, resource->dependents)
	{
		if (!follows(dependent))
			continue;
		if (strcmp(status, UNPUBLISHED) == 0)
			run_for(WRITE_BY_RULES, dependent->resource,
					psprintf("INSERT INTO catalogue.taken_along (resource, id, status) "
							 "SELECT $3, d.id, d.status FROM %s d WHERE d.%s = $1 "
							 "AND d.deleted_at IS NULL AND d.status <> $2 FOR NO KEY UPDATE OF d "
							 "ON CONFLICT (resource, id) DO UPDATE SET status = excluded.status",
							 dependent->table, dependent->column),
					id, status);
		run_for(WRITE_BY_RULES, dependent->resource,
				psprintf("UPDATE %s SET status = $2 WHERE %s = $1 AND deleted_at IS NULL "
						 "AND status <> $2",
						 dependent->table, dependent->column),
				id, status);
	}
}

/* Restore the former status of the records that were unpublished with a record. */
static void
bring_back(const Resource *resource, const char *id)
{
	foreach_ptr(const Dependent, dependent, resource->dependents)
		if (follows(dependent))
			run_for(WRITE_FORMER_STATE, dependent->resource,
					psprintf("UPDATE %s d SET status = n.status FROM catalogue.taken_along n "
							 "WHERE n.resource = $3 AND n.id = d.id AND d.%s = $1 "
							 "AND d.deleted_at IS NULL AND d.status = $2",
							 dependent->table, dependent->column),
					id, UNPUBLISHED);
}

/* Delete the stored former status of a record, which has changed its status since. */
static void
forget(const Resource *resource, const char *id)
{
	run_for(WRITE_BY_RULES, resource->name,
			"DELETE FROM catalogue.taken_along n WHERE n.resource = $3 AND n.id = $1", id,
			UNPUBLISHED);
}

/*
 * Apply the consequences of a status change: dependent records follow it, or regain the status that
 * they had before they were unpublished.
 */
void
cat_state_follow(const Resource *resource, const char *id, const char *before, const char *after)
{
	bool was_unpublished = strcmp(before, UNPUBLISHED) == 0;
	bool returns = cat_write_mode() == WRITE_FORMER_STATE;

	if (was_unpublished)
		forget(resource, id);
	if (cascades(after))
		cascade(resource, id, after);
	if (strcmp(after, PUBLISHED) == 0 || (returns && was_unpublished))
		bring_back(resource, id);
}

/* Raise OD409 if a deleted record is a status that the actions need. */
void
cat_state_check_deletion(const Resource *resource, const char *id)
{
	const char *state = strcmp(resource->name, "statuses") == 0 ? cat_state_name(id) : NULL;

	if (!state)
		return;
	ereport(
		ERROR,
		(errcode(OD409),
		 errmsg("%s \"%s\" is the state \"%s\" and cannot be deleted", resource->model, id, state),
		 errdetail_internal("{\"state\":\"%s\"}", state), errhint("Its name can be changed.")));
}
