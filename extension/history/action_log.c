/*
 * action_log.c
 *	  Action log: one record for each create, update and delete.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/formatting.h"
#include "utils/inval.h"
#include "utils/rel.h"

#include "base/settings.h"
#include "history/history.h"
#include "pg/pg.h"

/* Id in a log record that stands for all records of a table. */
#define ALL_RECORDS "*"

/* Columns of a log record that the service sets. */
typedef enum Part
{
	PART_ACTION,
	PART_TARGET,
	PART_RESOURCE,
	PART_USER,
	PART_CHANGES,
	PART_SEEN_BEFORE,
	PART_SEEN_AFTER,
	PARTS
} Part;

static const char *const log_columns[PARTS] = {
	[PART_ACTION] = "action",		  [PART_TARGET] = "target",
	[PART_RESOURCE] = "resource",	  [PART_USER] = "user",
	[PART_CHANGES] = "changes",		  [PART_SEEN_BEFORE] = "seen_before",
	[PART_SEEN_AFTER] = "seen_after",
};

/* Log records to write. */
typedef struct LogBatch
{
	const char *target;
	List *entries; /* of LogEntry * */
} LogBatch;

/* Set the least access level that sees a record; none is null. */
static void
set_seen(BulkInsert *bulk, Part part, AccessLevel access)
{
	if (access < ACCESS_LEVELS)
		cat_bulk_insert_set(bulk, part, Int16GetDatum((int16) access));
}

static void
write_row(BulkInsert *bulk, const char *target, const LogEntry *entry)
{
	const Actor *actor = cat_security_context_actor();

	cat_bulk_insert_row(bulk);
	cat_bulk_insert_set_text(bulk, PART_ACTION, entry->action);
	cat_bulk_insert_set_text(bulk, PART_TARGET, target);
	cat_bulk_insert_set_text(bulk, PART_RESOURCE, entry->id);
	/* known to be an id; checking its domain would cost more than the rest */
	if (actor && actor->user[0] != '\0')
		cat_bulk_insert_set_copy(bulk, PART_USER, CStringGetTextDatum(actor->user));
	if (entry->changes)
		cat_bulk_insert_set_text(bulk, PART_CHANGES, entry->changes);
	set_seen(bulk, PART_SEEN_BEFORE, entry->seen_before);
	set_seen(bulk, PART_SEEN_AFTER, entry->seen_after);
}

static void
write_records(void *argument)
{
	const LogBatch *batch = argument;
	BulkInsert *bulk =
		cat_bulk_insert_open_ruled(cat_bulk_insert_table("logs"), PARTS, log_columns);

	foreach_ptr(LogEntry, entry, batch->entries)
	{
		write_row(bulk, batch->target, entry);
		cat_bulk_insert_end_row(bulk);
	}
	cat_bulk_insert_close(bulk);
}

void
cat_action_log_records(const Resource *resource, List *entries)
{
	LogBatch batch = {NULL, entries};

	if (!resource->logged || entries == NIL ||
		(resource->change && cat_write_mode() == WRITE_ACTION_LOG))
		return;
	batch.target = asc_tolower(resource->model, strlen(resource->model));
	cat_write_mode_call(WRITE_ACTION_LOG, write_records, &batch);
}

void
cat_action_log_require_owner(Relation table)
{
	if (cat_write_mode() != WRITE_ACTION_LOG &&
		!has_privs_of_role(GetUserId(), table->rd_rel->relowner))
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("only the service writes into table \"%s\"", RelationGetRelationName(table)),
			 errhint("The owner of the table may change it; the action log records that.")));
}

void
cat_action_log_all_removed(const Resource *resource)
{
	LogEntry entry = {"delete", ALL_RECORDS, NULL, ACCESS_OUTSIDER, ACCESS_LEVELS};

	while (entry.seen_before < ACCESS_LEVELS && resource->private[entry.seen_before])
		entry.seen_before++;
	cat_action_log_records(resource, list_make1(&entry));
}

/*
 * Run a statement on at most limit log records up to an instant; return the number of changed rows.
 */
static int64
run_on_expired(WriteMode mode, const char *sql, TimestampTz until, int64 limit)
{
	cat_statement_in(mode, sql, instant_param(until), int8_param(limit));
	return (int64) SPI_processed;
}

static const char delete_sql[] =
	"UPDATE catalogue.logs l SET deleted_at = now() WHERE l.id IN (SELECT o.id FROM catalogue.logs "
	"o WHERE o.deleted_at IS NULL AND o.created_at < $1 ORDER BY o.created_at, o.id LIMIT $2)";

/* Log records that pages of an earlier instant can still show are kept.  The days on which the
 * removed records were sealed are marked, so that catalogue.verify_log() does not miss them. */
static const char purge_sql[] =
	"WITH purged AS (DELETE FROM catalogue.logs l WHERE l.id IN (SELECT o.id FROM catalogue.logs o "
	"WHERE o.deleted_at < least(catalogue.history_horizon(), now()) AND o.created_at < $1 LIMIT "
	"$2) RETURNING l.id) "
	"UPDATE catalogue.log_day d SET expired_at = now() WHERE d.expired_at IS NULL AND d.day IN "
	"(SELECT c.day FROM purged p JOIN catalogue.log_chain c ON c.log = p.id)";

/*
 * Delete at most limit log records that are older than catalogue.log_retention, and physically
 * remove those that no page of an earlier instant can show any more.
 *
 * The deletion is logged as one record.  Returns the number of records marked as deleted.
 */
CAT_FUNCTION(catalogue_expire_logs)
{
	int64 limit = PG_GETARG_INT64(ARG_EXPIRE_LOGS_LIMIT);
	TimestampTz until = GetCurrentTimestamp() - (int64) cat_log_retention * USECS_PER_SEC;
	Resource *logs;
	int64 count = 0;

	cat_owner_call_begin();
	logs = cat_registry_table(cat_bulk_insert_table("logs"));
	if (cat_log_retention >= 0 && logs)
	{
		run_on_expired(WRITE_UNRECORDED, purge_sql, until, limit);
		count = run_on_expired(WRITE_ACTION_LOG, delete_sql, until, limit);
		if (count > 0)
			cat_action_log_all_removed(logs);
	}
	cat_owner_call_end();
	PG_RETURN_INT64(count);
}
