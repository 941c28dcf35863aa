/*
 * deletion.c
 *	  Logical deletion and restoring, with dependent records.
 *
 * The action of a foreign key (ON DELETE) applies: CASCADE also deletes the referring records, SET
 * NULL leaves them unchanged, anything else prevents the deletion.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/base.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "write/write_internal.h"

static void
run_for(const char *sql, const char *id, TimestampTz at)
{
	Oid types[] = {TEXTOID, TIMESTAMPTZOID};
	Datum values[] = {CStringGetTextDatum(id), TimestampTzGetDatum(at)};

	cat_statement_run(sql, 2, types, values, NULL, true, 0);
}

/*
 * Return the TIDs of a table's living rows that refer to a record, as the active snapshot sees
 * them.
 */
static char *
referring_rows(const Dependent *dependent, const char *id)
{
	cat_statement_texts(
		psprintf("SELECT coalesce(string_agg(d.ctid::text, '' ORDER BY d.ctid), '') "
				 "FROM %s d WHERE d.%s = $1 AND d.deleted_at IS NULL",
				 dependent->table, dependent->column),
		false, 0, 1, id);
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

/*
 * Return the TIDs of all living rows that refer to a record by a key whose action is not SET NULL.
 */
static char *
all_referring_rows(const Resource *resource, const char *id)
{
	StringInfoData rows;

	initStringInfo(&rows);
	foreach_ptr(const Dependent, dependent, resource->dependents)
	{
		if (dependent->deletion != 'n')
			appendStringInfo(&rows, "%s;", referring_rows(dependent, id));
	}
	appendStringInfoString(&rows, cat_setting_rows(resource, id));
	return rows.data;
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
	seen = all_referring_rows(resource, id);
	PopActiveSnapshot();
	PushActiveSnapshot(GetLatestSnapshot());
	if (strcmp(seen, all_referring_rows(resource, id)) != 0)
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
	cat_statement_texts(psprintf("SELECT FROM %s t WHERE t.id = $1 FOR UPDATE", resource->table),
						true, 0, 1, id);
	if (IsolationUsesXactSnapshot())
		require_seen(resource, id);
}

/* Delete the records that belong to a record. */
void
cat_deletion_cascade(const Resource *resource, const char *id, TimestampTz at)
{
	foreach_ptr(const Dependent, dependent, resource->dependents)
		if (dependent->deletion == 'c')
			run_for(psprintf("UPDATE %s SET deleted_at = $2 WHERE %s = $1 AND deleted_at IS NULL",
							 dependent->table, dependent->column),
					id, at);
}

/* Return whether living records with this key prevent the deletion. */
static bool
is_blocking(const Dependent *dependent)
{
	return dependent->deletion != 'c' && dependent->deletion != 'n';
}

/* Return how many living records of a table refer to a record by keys that prevent its deletion. */
static int64
count_referring(const Resource *resource, const Dependent *first, const char *id)
{
	bool isnull;
	bool itself = strcmp(first->table, resource->table) == 0;
	StringInfoData keys;

	initStringInfo(&keys);
	foreach_ptr(const Dependent, dependent, resource->dependents)
		if (is_blocking(dependent) && strcmp(dependent->table, first->table) == 0)
			appendStringInfo(&keys, "%sd.%s = $1", keys.len ? " OR " : "", dependent->column);
	run_for(psprintf("SELECT count(*) FROM %s d WHERE (%s) AND d.deleted_at IS NULL "
					 "AND $2 IS NOT NULL%s",
					 first->table, keys.data, itself ? " AND d.id <> $1" : ""),
			id, 0);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

typedef struct Use
{
	const char *resource;
	int64 count;
} Use;

static void
add_use(List **uses, const char *resource, int64 count)
{
	ListCell *cell;
	Use *use;

	foreach(cell, *uses)
	{
		use = lfirst(cell);
		if (strcmp(use->resource, resource) == 0)
		{
			use->count += count;
			return;
		}
	}
	use = palloc(sizeof(Use));
	use->resource = resource;
	use->count = count;
	*uses = lappend(*uses, use);
}

/* Raise OD409, with the counts by resource, if living records refer to a deleted one. */
void
cat_deletion_check(const Resource *resource, const char *id)
{
	List *uses = NIL;
	int64 settings;
	const char *counted = ""; /* the keys of one table are adjacent */
	StringInfoData detail;
	StringInfoData text;

	foreach_ptr(const Dependent, dependent, resource->dependents)
	{
		int64 count;

		if (!is_blocking(dependent) || strcmp(dependent->table, counted) == 0)
			continue;
		counted = dependent->table;
		if ((count = count_referring(resource, dependent, id)) > 0)
			add_use(&uses, dependent->resource, count);
	}
	if ((settings = cat_setting_count(resource, id)) > 0)
		add_use(&uses, "configs", settings);
	if (uses == NIL)
		return;
	initStringInfo(&detail);
	initStringInfo(&text);
	foreach_ptr(const Use, use, uses)
	{
		appendStringInfoChar(&detail, detail.len ? ',' : '{');
		cat_json_text_string(&detail, use->resource);
		appendStringInfo(&detail, ":" INT64_FORMAT, use->count);
		appendStringInfo(&text, "%s" INT64_FORMAT " %s", text.len ? ", " : "", use->count,
						 use->resource);
	}
	appendStringInfoChar(&detail, '}');
	ereport(ERROR,
			(errcode(OD409), errmsg("%s \"%s\" is in use by %s", resource->model, id, text.data),
			 errdetail_internal("%s", detail.data),
			 errhint("Delete these first, or have them refer to another record.")));
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
		run_for(psprintf("UPDATE %s d SET deleted_at = %s WHERE d.%s = $1 AND d.deleted_at = $2",
						 dependent->table, stamp, dependent->column),
				id, at);
	}
}
