/*
 * user_data.c
 *	  What a user leaves: his records are transferred to another user, and his personal data erased.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "history/history.h"
#include "registry/rows.h"
#include "write/write_internal.h"

/* What imports have of their user, besides the records that they made. */
static const char *const import_tables[] = {"catalogue.harvest", "catalogue.import_source"};

/* Return the id of the user who gets the records.  Raises OD400 unless he may log in, OD403 if the
 * actor, who is no superadmin, gives them to somebody else. */
static char *
receiver(const WriteCall *call, List *members, List **errors)
{
	char *id = cat_body_text(members, "to", errors);
	const Member *member = cat_body_member(members, "to");

	if (!id)
		return NULL;
	cat_statement_fresh("SELECT FROM catalogue.users u WHERE u.id = $1 AND u.deleted_at IS NULL "
						"AND u.deactivated_at IS NULL AND u.active IS NOT FALSE FOR KEY SHARE",
						text_param(id));
	if (SPI_processed == 0)
		cat_validation_error_add(errors, "to", "reference", member, "is no user who may log in");
	else if (strcmp(id, call->id) == 0)
		cat_validation_error_add(errors, "to", "reference", member, "is the same user");
	else if (call->actor.access != ACCESS_ALL && !cat_permission_is_super(&call->actor) &&
			 strcmp(id, call->actor.user) != 0)
		ereport(ERROR, (errcode(OD403), errmsg("your role may transfer records to yourself only")));
	return id;
}

/* Add the number of records of a resource to the reply, if there are any. */
static void
add_count(StringInfo meta, const char *resource, uint64 count)
{
	if (count > 0)
		appendStringInfo(meta, "%s%s:" UINT64_FORMAT, meta->data[meta->len - 1] == '{' ? "" : ",",
						 cat_json_quoted(resource), count);
}

/* Return whether a foreign key prevents the deletion of a user: records that have it are transferred. */
static bool
keeps(const Dependent *dependent)
{
	return !dependent->is_join && !strchr("cn", dependent->deletion);
}

/*
 * Transfer the records of a resource by all its columns that name a user, in one statement, so that
 * the log has one record of each.
 */
static void
transfer_records(const WriteCall *call, const Dependent *first, const char *to, StringInfo meta)
{
	StringInfo set = makeStringInfo();
	StringInfo where = makeStringInfo();

	foreach_ptr(const Dependent, dependent, call->resource->dependents)
	{
		if (!keeps(dependent) || strcmp(dependent->table, first->table) != 0)
			continue;
		appendStringInfo(set, "%s%s = CASE t.%s WHEN $1 THEN $2 ELSE t.%s END",
						 set->len ? ", " : "", dependent->column, dependent->column,
						 dependent->column);
		appendStringInfo(where, "%st.%s = $1", where->len ? " OR " : "", dependent->column);
	}
	cat_permission_require_within(&call->actor, cat_registry_resource(first->resource),
								  psprintf("(%s) AND $2 IS NULL", where->data), call->id,
								  null_param(TEXTOID));
	cat_statement_in(WRITE_BY_RULES,
					 psprintf("UPDATE %s t SET %s WHERE %s", first->table, set->data, where->data),
					 text_param(call->id), text_param(to));
	add_count(meta, first->resource, SPI_processed);
	if (SPI_processed > 0)
		cat_consumer_require(&call->actor, first->resource);
}

/* Transfer all records, deleted ones as well, which may be restored. */
static char *
transfer_all(const WriteCall *call, const char *to)
{
	StringInfo meta = makeStringInfo();
	List *done = NIL;
	uint64 imports = 0;

	appendStringInfoString(meta, "\"transferred\":{");
	foreach_ptr(const Dependent, dependent, call->resource->dependents)
	{
		CHECK_FOR_INTERRUPTS();
		if (!keeps(dependent) || cat_query_string_has_word(done, dependent->table))
			continue;
		done = lappend(done, dependent->table);
		transfer_records(call, dependent, to, meta);
	}
	for (size_t i = 0; i < lengthof(import_tables); i++)
	{
		cat_statement_fresh(
			psprintf("UPDATE %s SET \"user\" = $2 WHERE \"user\" = $1", import_tables[i]),
			text_param(call->id), text_param(to));
		imports += SPI_processed;
	}
	add_count(meta, "imports", imports);
	appendStringInfoChar(meta, '}');
	return meta->data;
}

CAT_FUNCTION(catalogue_transfer)
{
	WriteCall call;
	List *members;
	List *errors = NIL;
	char *to;

	cat_write_call_begin(&call, fcinfo, "transfer", &args_transfer);
	cat_write_call_target(&call, fcinfo, &args_transfer);
	members = cat_body_argument(fcinfo, ARG_TRANSFER_BODY);
	call.ignored = cat_ignored_members(members, list_make1("to"), call.actor.strict, &errors);
	(void) cat_write_call_lock(call.resource, call.id);
	cat_write_call_require_met(call.resource, call.id);
	to = receiver(&call, members, &errors);
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
	call.meta = transfer_all(&call, to);
	return cat_write_call_end(&call, fcinfo, &args_transfer);
}

/* Log an erasure.  changes: those of the log record, as catalogue.erase_user() returns them. */
static void
log_erasure(const WriteCall *call, char *changes)
{
	Rows rows = cat_rows_by_id(call->resource, call->id, ACCESS_ALL);
	LogEntry entry = {"update", call->id, changes, ACCESS_LEVELS, ACCESS_LEVELS};

	for (int access = ACCESS_LEVELS - 1; access >= 0; access--)
		if (rows.count == 1 &&
			cat_seen_record(call->resource, rows.tuples[0], (AccessLevel) access))
			entry.seen_before = entry.seen_after = (AccessLevel) access;
	cat_action_log_records(call->resource, list_make1(&entry));
}

/*
 * Erase the personal data of a user, who may be deleted, everywhere.
 *
 * The update that deactivates the user follows the rules, so that the last superadmin is kept, and so does the deletion
 * of what he has asked, which is counted.  Log
 * and history do not record the erasure itself, since they would keep what is erased.
 */
CAT_FUNCTION(catalogue_erase)
{
	WriteCall call;

	cat_write_call_begin(&call, fcinfo, "erase", &args_erase);
	cat_write_call_target(&call, fcinfo, &args_erase);
	cat_deletion_lock(call.resource, call.id);
	cat_write_call_require_met(call.resource, call.id);
	if (call.match)
		ereport(ERROR,
				(errcode(OD412), errmsg("%s \"%s\" is deleted", call.resource->model, call.id)));
	cat_statement_fresh("UPDATE catalogue.users SET active = false, "
						"password = catalogue.new_id() || catalogue.new_id(), deactivated_at = "
						"coalesce(deactivated_at, now()) WHERE id = $1",
						text_param(call.id));
	cat_statement_fresh("UPDATE catalogue.questions q SET deleted_at = now() WHERE q.id = ANY "
						"(catalogue.asked_by($1)) AND q.deleted_at IS NULL",
						text_param(call.id));
	cat_statement_in(WRITE_UNRECORDED, "SELECT e.changes, e.meta FROM catalogue.erase_user($1) e",
					 text_param(call.id));
	call.meta = cat_result_text(2);
	log_erasure(&call, cat_result_text(1));
	return cat_write_call_end(&call, fcinfo, &args_erase);
}
