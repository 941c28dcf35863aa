/*
 * state.c
 *	  States of records: the actions that lead to them, who may take them, and what follows.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "base/state_action.h"
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
	const Actor *actor = cat_security_context_actor();
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
refuse_action(const Resource *resource, const char *action, const char *status)
{
	StringInfoData allowed;
	StringInfo detail = makeStringInfo();

	initStringInfo(&allowed);
	appendStringInfo(detail, "{\"status\":%s,\"allowed\":[", cat_json_quoted(status));
	for (size_t i = 0; i < lengthof(cat_state_actions); i++)
		if (cat_state_action_is_allowed(&cat_state_actions[i], status))
		{
			appendStringInfo(&allowed, "%s%s", allowed.len ? ", " : "",
							 cat_state_actions[i].action);
			appendStringInfo(detail, "%s\"%s\"", detail->data[detail->len - 1] == '[' ? "" : ",",
							 cat_state_actions[i].action);
		}
	appendStringInfoString(detail, "]}");
	ereport(ERROR, (errcode(OD409),
					errmsg("cannot %s this %s in its present state; allowed: %s", action,
						   resource->model, allowed.data),
					errdetail_internal("%s", detail->data)));
}

/*
 * Return the status of a living record, which is locked until the end of the transaction.  Raises
 * OD404 if there is none.
 */
static char *
lock_status(const Resource *resource, const char *id)
{
	cat_statement_fresh(
		psprintf("SELECT t.status::text FROM %s t WHERE t.id = $1 AND t.deleted_at IS NULL "
				 "FOR NO KEY UPDATE",
				 resource->table),
		text_param(id));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", resource->model, id)));
	return cat_result_text(1);
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
	const char *status = resource->status ? lock_status(resource, id) : NULL;

	for (size_t i = 0; i < lengthof(cat_state_actions); i++)
	{
		if (!status || strcmp(cat_state_actions[i].action, action) != 0)
			continue;
		if (!cat_state_action_is_allowed(&cat_state_actions[i], status))
			refuse_action(resource, action, status);
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
		refuse_action(resource, transition ? transition->action : "move", present);
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
cat_state_require(WriteCall *call, const char *status)
{
	Actor *actor = &call->actor;
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
	cat_permission_take_limit(actor, call->resource, action, call->id);
	if (cat_permission_is_own(actor, call->resource))
		check_way(call->resource, call->id, status);
}

/* Run a statement with the parameters $1, a record, $2, a status, and $3, a resource. */
static void
run_for_status(WriteMode mode, const char *resource, const char *sql, const char *id,
			   const char *status)
{
	cat_statement_in(mode, sql, text_param(id), text_param(status), text_param(resource));
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
		cat_deletion_require_within(dependent, "t.deleted_at IS NULL AND t.status <> $2", id,
									text_param(status));
		if (strcmp(status, UNPUBLISHED) == 0)
			run_for_status(
				WRITE_BY_RULES, dependent->resource,
				psprintf("INSERT INTO catalogue.taken_along (resource, id, status) "
						 "SELECT $3, d.id, d.status FROM %s d WHERE d.%s = $1 "
						 "AND d.deleted_at IS NULL AND d.status <> $2 FOR NO KEY UPDATE OF d "
						 "ON CONFLICT (resource, id) DO UPDATE SET status = excluded.status",
						 dependent->table, dependent->column),
				id, status);
		run_for_status(WRITE_BY_RULES, dependent->resource,
					   psprintf("UPDATE %s SET status = $2 WHERE %s = $1 AND deleted_at IS NULL "
								"AND status <> $2",
								dependent->table, dependent->column),
					   id, status);
	}
}

/* Restore the former status of the records that were unpublished with a record. */
static void
republish_taken_along(const Resource *resource, const char *id)
{
	foreach_ptr(const Dependent, dependent, resource->dependents)
	{
		if (!follows(dependent))
			continue;
		cat_deletion_require_within(
			dependent,
			"t.deleted_at IS NULL AND t.status = '" UNPUBLISHED "' AND EXISTS "
			"(SELECT FROM catalogue.taken_along n WHERE n.resource = $2 AND n.id = t.id)",
			id, text_param(dependent->resource));
		run_for_status(WRITE_FORMER_STATE, dependent->resource,
					   psprintf("UPDATE %s d SET status = n.status FROM catalogue.taken_along n "
								"WHERE n.resource = $3 AND n.id = d.id AND d.%s = $1 "
								"AND d.deleted_at IS NULL AND d.status = $2",
								dependent->table, dependent->column),
					   id, UNPUBLISHED);
	}
}

/*
 * SQL for the records t that followed a record, $2, in the action of the log record o, $1, each with
 * its own log record l: the first one behind o in its transaction, if it tells of such a change.
 */
#define FOLLOWERS                                                                                  \
	"SELECT t.id::text, json_build_object('path', $3, 'id', t.id, 'status', l.before, 'changed', " \
	"t.status <> l.after)::text, l.before <> t.status FROM catalogue.logs o, %s t, LATERAL ("      \
	"SELECT n.changes::jsonb #>> '{status,before}' AS before, "                                    \
	"n.changes::jsonb #>> '{status,after}' AS after FROM catalogue.logs n "                        \
	"WHERE n.change = o.change AND n.id > o.id AND n.resource = t.id "                             \
	"AND n.changes::jsonb ? 'status' ORDER BY n.id LIMIT 1) l "                                    \
	"WHERE o.id = $1 AND t.%s = $2 AND t.deleted_at IS NULL "                                      \
	"AND (l.after = o.changes::jsonb #>> '{status,after}' OR l.before = '" UNPUBLISHED             \
	"' AND o.changes::jsonb #>> '{status,after}' = '" PUBLISHED "') ORDER BY t.id"

/* Append those of the records that followed one whose statuses are not the former ones now. */
static void
add_followers(StringInfo out, const Resource *resource, const char *id, const char *log)
{
	foreach_ptr(const Dependent, dependent, resource->dependents)
	{
		List *ids = NIL;

		CHECK_FOR_INTERRUPTS();
		if (!follows(dependent))
			continue;
		cat_statement_fresh(psprintf(FOLLOWERS, dependent->table, dependent->column),
							text_param(log), text_param(id), text_param(dependent->resource));
		for (uint64 i = 0; i < SPI_processed; i++)
		{
			ids = lappend(ids, cat_result_text_at(i, 1));
			if (strcmp(cat_result_text_at(i, 3), "t") == 0)
				appendStringInfo(out, "%s%s", out->len > 1 ? "," : "", cat_result_text_at(i, 2));
		}
		foreach_ptr(char, follower, ids)
			add_followers(out, cat_registry_resource(dependent->resource), follower, log);
	}
}

/* Return the records whose statuses followed that of a log record, and are not as before: JSON. */
CAT_FUNCTION(catalogue_followers)
{
	StringInfo out = makeStringInfo();

	cat_owner_call_begin();
	appendStringInfoChar(out, '[');
	add_followers(out,
				  cat_registry_resource(cat_call_reply_argument(fcinfo, ARG_FOLLOWERS_RESOURCE)),
				  cat_call_reply_argument(fcinfo, ARG_FOLLOWERS_RECORD),
				  cat_call_reply_argument(fcinfo, ARG_FOLLOWERS_LOG));
	appendStringInfoChar(out, ']');
	cat_owner_call_end();
	PG_RETURN_TEXT_P(cstring_to_text(out->data));
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

	/* Delete the stored former status of a record, which has changed its status since. */
	if (was_unpublished)
		run_for_status(WRITE_BY_RULES, resource->name,
					   "DELETE FROM catalogue.taken_along n WHERE n.resource = $3 AND n.id = $1",
					   id, UNPUBLISHED);
	if (cascades(after))
		cascade(resource, id, after);
	if (strcmp(after, PUBLISHED) == 0 || (returns && was_unpublished))
		republish_taken_along(resource, id);
}

/* Raise OD409 if a deleted record is a status that the actions need. */
void
cat_state_check_deletion(const Resource *resource, const char *id)
{
	const char *state =
		strcmp(resource->name, "statuses") == 0 ? cat_state_action_state_name(id) : NULL;

	if (!state)
		return;
	ereport(
		ERROR,
		(errcode(OD409),
		 errmsg("%s \"%s\" is the state \"%s\" and cannot be deleted", resource->model, id, state),
		 errdetail_internal("{\"state\":\"%s\"}", state), errhint("Its name can be changed.")));
}
