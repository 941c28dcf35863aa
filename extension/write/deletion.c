/*
 * deletion.c
 *	  Deletion and restoration of records.
 *
 * The action of a foreign key (ON DELETE) applies: CASCADE also deletes the referring records, SET
 * NULL leaves them unchanged, anything else prevents the deletion.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "utils/snapmgr.h"

#include "write/write_internal.h"

/*
 * Raise OD403 if the caller's rights are limited to an organization and a record that the change of
 * another one takes along is not of it.
 *
 * where: SQL for what is taken along of the records t that refer to the one with this id, $1; value:
 * the parameter $2.
 */
void
cat_deletion_require_within(const Dependent *dependent, const char *where, const char *id,
							StatementParam value)
{
	cat_permission_require_within(
		cat_security_context_actor(), cat_registry_resource(dependent->resource),
		psprintf("t.%s = $1 AND %s", dependent->column, where), id, value);
}

static void
run_for(const char *sql, const char *id, TimestampTz at)
{
	cat_statement_fresh(sql, text_param(id), instant_param(at));
}

/* Living settings that name record $1 of the resource with model $2 and path $3. */
#define NAMING                                                                  \
	"FROM catalogue.configs d WHERE d.deleted_at IS NULL AND d.type = 'model' " \
	"AND lower(d.model) IN (lower($2), $3) "                                    \
	"AND $1 = ANY (regexp_split_to_array(d.value, '[^0-9A-Za-z]+')) "           \
	"AND (d.id <> $1 OR $3 <> 'configs')"

/*
 * Ask something of the living rows r that refer to a record: of tableoid and ctid, of the resource,
 * and of the number (at) of the key among all.  but: keys with these actions are left out.
 */
static void
ask_references(const Resource *resource, const char *id, const char *but, const char *what,
			   bool fresh)
{
	StringInfo rows = makeStringInfo();

	foreach_ptr(const Dependent, dependent, resource->dependents)
		if (!strchr(but, dependent->deletion))
			appendStringInfo(
				rows,
				"SELECT %d AS at, %s AS resource, d.tableoid, d.ctid FROM %s d "
				"WHERE d.%s = $1 AND d.deleted_at IS NULL%s UNION ALL ",
				foreach_current_index(dependent), quote_literal_cstr(dependent->resource),
				dependent->table, dependent->column,
				strcmp(dependent->table, resource->table) == 0 ? " AND d.id <> $1" : "");
	cat_statement_with(fresh,
					   psprintf("WITH r AS (%sSELECT %d AS at, 'configs' AS resource, d.tableoid, "
								"d.ctid " NAMING ") %s",
								rows->data, list_length(resource->dependents), what),
					   text_param(id), text_param(resource->model), text_param(resource->name));
}

/* Return the rows whose keys prevent the deletion or take part in it, as the active snapshot sees
 * them. */
static char *
referring_rows(const Resource *resource, const char *id)
{
	ask_references(resource, id, "n",
				   "SELECT coalesce(string_agg(concat(r.tableoid, r.ctid), '' ORDER BY r.tableoid, "
				   "r.ctid), '') FROM r",
				   false);
	return cat_result_text(1);
}

/*
 * Raise 40001 if records refer to this one that the transaction's snapshot does not see: the
 * deletion would miss them.
 */
static void
require_seen(const Resource *resource, const char *id)
{
	char *seen;

	PushActiveSnapshot(GetTransactionSnapshot());
	seen = referring_rows(resource, id);
	PopActiveSnapshot();
	PushActiveSnapshot(GetLatestSnapshot());
	if (strcmp(seen, referring_rows(resource, id)) != 0)
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("could not serialize access due to concurrent update")));
	PopActiveSnapshot();
}

/*
 * Wait for writers of records that refer to this one, and block new ones.
 *
 * They hold FOR KEY SHARE on the record from their check to their commit.
 */
void
cat_deletion_lock(const Resource *resource, const char *id)
{
	cat_statement_fresh(psprintf("SELECT FROM %s t WHERE t.id = $1 FOR UPDATE", resource->table),
						text_param(id));
	if (IsolationUsesXactSnapshot())
		require_seen(resource, id);
}

/* Delete the records that belong to a record. */
void
cat_deletion_cascade(const Resource *resource, const char *id, TimestampTz at)
{
	foreach_ptr(const Dependent, dependent, resource->dependents)
	{
		if (dependent->deletion != 'c')
			continue;
		if (!dependent->is_join)
			cat_deletion_require_within(dependent, "t.deleted_at IS NULL AND $2 IS NULL", id,
										null_param(TEXTOID));
		run_for(psprintf("UPDATE %s SET deleted_at = $2 WHERE %s = $1 AND deleted_at IS NULL",
						 dependent->table, dependent->column),
				id, at);
	}
}

/* Raise OD409, with the counts by resource, if living records refer to a deleted one. */
void
cat_deletion_check(const Resource *resource, const char *id)
{
	ask_references(
		resource, id, "cn",
		", n AS (SELECT r.resource, min(r.at) AS at, count(DISTINCT (r.tableoid, r.ctid)) AS count "
		"FROM r GROUP BY 1) SELECT string_agg(concat(n.count, ' ', n.resource), ', ' ORDER BY "
		"n.at), "
		"concat('{', string_agg(concat(to_json(n.resource), ':', n.count), ',' ORDER BY n.at), "
		"'}') "
		"FROM n",
		true);
	if (!cat_result_text(1))
		return;
	ereport(ERROR,
			(errcode(OD409),
			 errmsg("%s \"%s\" is in use by %s", resource->model, id, cat_result_text(1)),
			 errdetail_internal("%s", cat_result_text(2)),
			 errhint("Delete these first, or have them refer to another record%s.",
					 strcmp(resource->name, "users") == 0 ? ": POST /users/{id}/transfer" : "")));
}

/*
 * Restore what was deleted together with a record at that time.
 *
 * A row of a join table whose other record is also deleted is restored with that one.
 */
void
cat_deletion_undo(const Resource *resource, const char *id, TimestampTz at)
{
	foreach_ptr(const Dependent, dependent, resource->dependents)
	{
		const char *stamp = "NULL";

		if (dependent->deletion != 'c')
			continue;
		if (dependent->is_join)
			stamp = psprintf("(SELECT o.deleted_at FROM %s o WHERE o.id = d.%s)",
							 dependent->far_table, dependent->far);
		else
			cat_deletion_require_within(dependent, "t.deleted_at = $2", id, instant_param(at));
		run_for(psprintf("UPDATE %s d SET deleted_at = %s WHERE d.%s = $1 AND d.deleted_at = $2",
						 dependent->table, stamp, dependent->column),
				id, at);
	}
}
