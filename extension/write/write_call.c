/*
 * write_call.c
 *	  Start and end of a change, the form of a record to be changed, and changes by the service.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "utils/snapmgr.h"

#include "write/write_internal.h"

#define NAMES_MAX 100 /* of a cell */

static bool
is_word(const char *text, const char *word)
{
	return pg_strcasecmp(text, word) == 0;
}

/* Return the value that a text represents in a field of that kind; NULL for the text itself. */
static Member *
value_of_cell(FieldKind kind, const char *text)
{
	switch (kind)
	{
		case FIELD_BOOLEAN:
			return is_word(text, "true")	? cat_body_value("true")
				   : is_word(text, "false") ? cat_body_value("false")
											: NULL;
		case FIELD_INTEGER:
		case FIELD_NUMBER:
			return cat_literal_number(text) ? cat_body_value(text) : NULL;
		case FIELD_JSON:
			return cat_body_value(text);
		case FIELD_ARRAY:
		case FIELD_LIST:
			return *text == '[' ? cat_body_value(text) : NULL;
		case FIELD_ID:
			return *text == '{' ? cat_body_value(text) : NULL;
		default:
			return NULL;
	}
}

/* As value_of_cell(); a form has the word null, or nothing, where there is no value. */
static Member *
value_of_form(FieldKind kind, const char *text)
{
	if (is_word(text, "null") ||
		(*text == '\0' && kind != FIELD_TEXT && kind != FIELD_ID && kind != FIELD_OTHER))
		return cat_body_value("null");
	return value_of_cell(kind, text);
}

/* Convert the members that are texts, where value_of() returns a value for them. */
static void
convert(Resource *resource, List *members, Member *(*value_of)(FieldKind, const char *) )
{
	foreach_ptr(Member, member, members)
	{
		const Field *field = cat_new_record_field(resource, member->name);
		/* a relation's list of ids counts as a JSON array */
		Member *value = member->kind == MEMBER_STRING && member->text
							? value_of(field ? field->kind : FIELD_ARRAY, member->text)
							: NULL;

		if (!value)
			continue;
		value->name = member->name;
		*member = *value;
	}
}

void
cat_form_convert(Resource *resource, List *members)
{
	convert(resource, members, value_of_form);
}

/* Return the column by which records are called in texts, with a unique index; NULL for none. */
static const Field *
calling_field(const Resource *resource)
{
	static const char *const names[] = {"name", "username", "key"};

	foreach_ptr(const UniqueKey, key, resource->unique_keys)
	{
		const Field *field = &resource->fields[linitial_int(key->fields)];

		for (size_t i = 0; i < lengthof(names); i++)
			if (!key->alone && list_length(key->fields) == 1 && linitial_int(key->folded) &&
				strcmp(field->column, names[i]) == 0)
				return field;
	}
	return NULL;
}

/* Return the id of the record with an id or, if there is none, of that name; NULL for none. */
static char *
id_of(const Resource *target, const char *word, AccessLevel access)
{
	const Field *field = calling_field(target);
	StringInfoData sql;

	if (!field)
		return NULL;
	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "SELECT t.id::text FROM %s t WHERE (t.id = $1 OR lower(t.%s::text) = "
					 "lower($1)) AND ",
					 target->table, field->quoted);
	cat_visibility_write(&sql, target, "t", access);
	appendStringInfoString(&sql, " ORDER BY t.id = $1 DESC LIMIT 1");
	cat_statement_fresh(sql.data, text_param(cat_compose_text(word)));
	return SPI_processed > 0 ? cat_result_text(1) : NULL;
}

/* Put the ids of the records that a cell names in place of their names, divided by commas. */
static void
take_names(const Resource *target, Member *member, AccessLevel access)
{
	List *words = cat_query_string_first(member->text, ',', NAMES_MAX);
	StringInfoData ids;

	if (list_length(words) > NAMES_MAX)
		return;
	initStringInfo(&ids);
	foreach_ptr(char, word, words)
	{
		char *id = id_of(target, word, access);

		if (!id)
			return;
		appendStringInfo(&ids, "%s%s", ids.len ? "," : "", id);
	}
	member->text = ids.data;
	member->raw = cat_validation_error_value(ids.data)->raw;
}

void
cat_form_convert_cells(Resource *resource, List *members, AccessLevel access)
{
	convert(resource, members, value_of_cell);
	cat_security_context_take();
	foreach_ptr(Member, member, members)
	{
		const Resource *target = cat_new_record_target(resource, member->name);

		if (target && member->kind == MEMBER_STRING)
			take_names(target, member, access);
	}
	cat_security_context_return();
}

/*
 * They are not actions of a user: they are not logged and do not change updated_at.  The history
 * contains them, and the entity tag changes, since the record's representation does.
 */

/*
 * Return whether the service maintains a column: a visibility flag, or a kept column outside of API
 * calls, which are actions of a user.  New bytes of a file, whoever brings them, are a change of it.
 */
static bool
is_kept(const Resource *resource, AttrNumber attno)
{
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].attno == attno)
			return cat_visibility_is_flag(&resource->fields[i]) ||
				   (!cat_security_context_actor() &&
					strcmp(resource->fields[i].column, "sha256") != 0 &&
					cat_query_string_has_word(resource->kept, resource->fields[i].column));
	return false;
}

/* Return whether internal updates are possible now. */
static bool
is_possible(const Resource *resource)
{
	return resource->flagged || (resource->kept != NIL && !cat_security_context_actor());
}

/* Return whether an update is internal; changed: by attribute number minus one. */
bool
cat_internal_update_columns(const Resource *resource, const bool *changed, int natts)
{
	bool any = false;

	if (!is_possible(resource))
		return false;
	for (int i = 0; i < natts; i++)
	{
		if (changed[i] && !is_kept(resource, (AttrNumber) (i + 1)))
			return false;
		any |= changed[i];
	}
	return any;
}

/* Return whether an update is internal, from the rows before and after it. */
bool
cat_internal_update_rows(const Resource *resource, TupleTableSlot *old, TupleTableSlot *new)
{
	TupleDesc desc = old->tts_tupleDescriptor;

	if (!is_possible(resource))
		return false;
	slot_getallattrs(old);
	slot_getallattrs(new);
	return cat_internal_update_columns(resource,
									   cat_differ_columns(desc, old->tts_values, old->tts_isnull,
														  new->tts_values, new->tts_isnull),
									   desc->natts);
}

void
cat_write_call_open(WriteCall *call, FunctionCallInfo fcinfo, const char *resource,
					const char *action, int actor)
{
	call->resource = cat_registry_resource(resource);
	if (!cat_query_string_has_word(call->resource->actions, action))
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
	call->meta = NULL;
	call->outer = cat_security_context_actor();
	cat_security_context_set_actor(&call->actor);
}

void
cat_write_call_leave(const WriteCall *call)
{
	cat_security_context_set_actor(call->outer);
}

void
cat_write_call_begin(WriteCall *call, FunctionCallInfo fcinfo, const char *action, int actor)
{
	cat_call_reply_begin();
	cat_write_call_open(call, fcinfo, cat_call_reply_required(fcinfo, 0), action, actor);
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
		cat_call_reply_optional(fcinfo, match));
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
cat_write_call_end(WriteCall *call, FunctionCallInfo fcinfo, int wanted)
{
	CallReply reply = {0};

	if (cat_call_reply_argument_is(fcinfo, wanted, "representation"))
		reply.data = read_present(call, cat_call_reply_argument_is(fcinfo, wanted + 1, "embedded"));
	reply.meta = call->meta ? call->meta : cat_derived_counts(call->resource, call->id);
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
		cat_validate_rethrow(call->resource, context, OD409);
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
move_record(const WriteCall *call)
{
	const char *status = cat_state_after(call->resource, call->id, call->action);

	cat_statement_fresh(psprintf("UPDATE %s SET status = $2 WHERE id = $1", call->resource->table),
						text_param(call->id), text_param(status));
}

/* Run one change of the record named by argument 1. */
static Datum
change(FunctionCallInfo fcinfo, const char *action, void (*step)(const WriteCall *), int wanted,
	   int actor)
{
	WriteCall call;

	cat_write_call_begin(&call, fcinfo, action, actor);
	cat_write_call_target(&call, fcinfo, actor + 1);
	step(&call);
	return cat_write_call_end(&call, fcinfo, wanted);
}

/* Delete the record named by argument 1; if requested, the reply has its last state. */
CAT_FUNCTION(catalogue_delete)
{
	WriteCall call;
	CallReply reply = {0};

	cat_write_call_begin(&call, fcinfo, "delete", 2);
	cat_write_call_target(&call, fcinfo, 3);
	/* locked against changes before the deletion */
	if (cat_call_reply_argument_is(fcinfo, 4, "representation") &&
		cat_write_call_lock(call.resource, call.id))
		reply.data = read_present(&call, cat_call_reply_argument_is(fcinfo, 5, "embedded"));
	change_record(&call,
				  psprintf("UPDATE %s SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL",
						   call.resource->table));
	return end_with(&call, fcinfo, &reply);
}

CAT_FUNCTION(catalogue_restore)
{
	return change(fcinfo, "restore", restore_record, 2, 4);
}

CAT_FUNCTION(catalogue_deactivate)
{
	return change(fcinfo, "deactivate", deactivate_record, 2, 4);
}

CAT_FUNCTION(catalogue_act)
{
	return change(fcinfo, cat_call_reply_required(fcinfo, 2), move_record, 3, 5);
}
