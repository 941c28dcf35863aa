/*
 * events.c
 *	  Change events: what the action log tells the present caller, in the order of commits.
 *
 * The log records of a transaction get the number of its commit, which is taken while a lock is held
 * (history/commit_time.c).  A page of events ends before the first commit at which another one was
 * in progress that the snapshot does not see: that one can have a lower number.  So what becomes
 * visible later has a higher number than all that was told, and a reader who continues behind the
 * last event misses nothing.  Within a commit, ids of log records are in the order of the actions.
 *
 * What an event says depends on who sees the record.  The log has the least access level that saw it
 * before the action and after it; a record that appears for the caller is created, one that
 * disappears is deleted.  An event other than "delete" is told only while the caller sees the record
 * now, so that earlier work on a record that was hidden, or is hidden since, is told to nobody.
 */
#include "catalogue.h"

#include "history/history.h"
#include "registry/rows.h"

#define PAGE 128 /* log records of a page at most; a literal in page_sql as well */

/* Record id of log records that stand for all records of a resource. */
#define ALL_RECORDS "*"

/* A place in the order of events: behind a log record of a commit. */
typedef struct Place
{
	int64 commit;
	const char *log; /* empty: before the first record of the commit */
} Place;

/* Columns of page_sql. */
enum
{
	COLUMN_COMMIT = 1,
	COLUMN_AT,
	COLUMN_PENDING,
	COLUMN_LOG,
	COLUMN_RECORD,
	COLUMN_BEFORE,
	COLUMN_AFTER,
	COLUMN_TABLE
};

/* The limits are literals, so that the planner expects few rows whatever the table's size.  A commit
 * without log records left has a row as well, since the page has passed it. */
static const char page_sql[] =
	"SELECT c.commit_number, c.at, c.pending, l.id::text, l.resource, l.seen_before::int2, "
	"l.seen_after::int2, (SELECT r.relation::oid FROM catalogue.resource r WHERE lower(r.model) = "
	"l.target LIMIT 1) FROM catalogue.change c LEFT JOIN LATERAL (SELECT o.id, o.resource, "
	"o.target, o.seen_before, o.seen_after FROM catalogue.logs o WHERE o.change = c.number AND "
	"o.id > CASE WHEN c.commit_number = $1 THEN $2 COLLATE \"C\" ELSE '' END ORDER BY o.id LIMIT "
	"128) l ON true WHERE c.commit_number >= $1 ORDER BY c.commit_number, l.id LIMIT 128";

static const char head_sql[] =
	"SELECT c.commit_number, c.at, c.pending FROM catalogue.change c WHERE c.commit_number IS NOT "
	"NULL ORDER BY c.commit_number DESC LIMIT 64";

/* The rows of a statement; they stay valid while other statements run. */
typedef struct Found
{
	SPITupleTable *table;
	int count;
} Found;

static Found
found(void)
{
	return (Found){SPI_tuptable, (int) SPI_processed};
}

static Datum
value_of(const Found *rows, int row, int column, bool *isnull)
{
	return SPI_getbinval(rows->table->vals[row], rows->table->tupdesc, column, isnull);
}

static char *
text_of(const Found *rows, int row, int column)
{
	return SPI_getvalue(rows->table->vals[row], rows->table->tupdesc, column);
}

static int64
number_of(const Found *rows, int row, int column)
{
	bool isnull;
	Datum value = value_of(rows, row, column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

/* Return whether everything before a commit is visible; columns 1 to 3 of the row are the commit. */
static bool
is_settled(const Found *rows, int row)
{
	bool isnull;
	TimestampTz at = DatumGetTimestampTz(value_of(rows, row, COLUMN_AT, &isnull));

	return cat_read_version_is_settled(at, value_of(rows, row, COLUMN_PENDING, &isnull));
}

/* Return the newest commit before which everything is visible to the active snapshot, 0 for none. */
static int64
settled_commit(void)
{
	Found commits;
	int64 number = 0;

	cat_statement_read(head_sql);
	commits = found();
	for (int i = 0; i < commits.count; i++)
	{
		number = number_of(&commits, i, COLUMN_COMMIT);
		if (is_settled(&commits, i))
			return number;
	}
	return number > 0 ? number - 1 : 0;
}

/* Parse a place, "commit-log".  Raises OD422 for any other text. */
static Place
read_place(const char *text)
{
	char *end = NULL;
	Place place = {strtoll(text, &end, 10), ""};

	if (end == text || *end != '-' || place.commit < 0)
		cat_query_string_refuse("after", text, "It takes the id of an event.");
	place.log = end + 1;
	return place;
}

/* Return a place, behind a log record of a commit, as a JSON string. */
static char *
place_text(int64 commit, const char *log)
{
	return cat_json_quoted(psprintf(INT64_FORMAT "-%s", commit, log));
}

/* Return the access level in a column; ACCESS_LEVELS, which nobody has, for null. */
static AccessLevel
level_of(const Found *rows, int row, int column)
{
	bool isnull;
	Datum value = value_of(rows, row, column, &isnull);

	return isnull ? ACCESS_LEVELS : (AccessLevel) DatumGetInt16(value);
}

/* Return the resource of a log record, NULL if the actor must not learn of it. */
static Resource *
resource_of(const Found *rows, int row, const Actor *actor)
{
	bool isnull;
	Oid relid = DatumGetObjectId(value_of(rows, row, COLUMN_TABLE, &isnull));
	Resource *resource = isnull ? NULL : cat_registry_known(relid);

	return resource && !resource->unfit && !resource->private[actor->access] &&
				   cat_consumer_may_ask(actor, resource->name)
			   ? resource
			   : NULL;
}

/* Return what a log record means for the actor, NULL for nothing. */
static const char *
action_of(const Found *rows, int row, const Resource *resource, const char *record,
		  const Actor *actor)
{
	bool before = level_of(rows, row, COLUMN_BEFORE) <= actor->access;
	bool after = level_of(rows, row, COLUMN_AFTER) <= actor->access;

	if (!after)
		return before ? "delete" : NULL;
	if (!cat_rows_exists(resource, record, actor->access))
		return NULL;
	return before ? "update" : "create";
}

/* Append the event of a log record, if it has a meaning for the actor. */
static void
append_event(StringInfo out, const Found *rows, int row, const Actor *actor)
{
	const Resource *resource = resource_of(rows, row, actor);
	const char *record = resource ? text_of(rows, row, COLUMN_RECORD) : NULL;
	const char *action = resource ? action_of(rows, row, resource, record, actor) : NULL;
	bool isnull;

	if (!action)
		return;
	appendStringInfo(
		out, "%s{\"place\":%s,\"event\":\"%s\",\"resource\":\"%s\",\"id\":%s,\"time\":\"%s\"}",
		out->data[out->len - 1] == '[' ? "" : ",",
		place_text(number_of(rows, row, COLUMN_COMMIT), text_of(rows, row, COLUMN_LOG)), action,
		resource->name, cat_json_quoted(record),
		cat_json_text_instant(DatumGetTimestampTz(value_of(rows, row, COLUMN_AT, &isnull))));
}

/* Append the events of the first rows of a page; return the place behind them. */
static Place
append_events(StringInfo out, const Found *rows, int count, Place place, const Actor *actor)
{
	for (int i = 0; i < count; i++)
	{
		char *log = text_of(rows, i, COLUMN_LOG);
		int64 commit = number_of(rows, i, COLUMN_COMMIT);

		if (log)
		{
			append_event(out, rows, i, actor);
			place = (Place){commit, log};
		}
		else if (commit != place.commit)
			place = (Place){commit, ""};
	}
	return place;
}

/* Return a page of events behind a place (sql/33-events.sql). */
CAT_REPLY(catalogue_events)
{
	Actor actor;
	Place place;
	Found rows;
	int settled = 0; /* rows that can be told: those before the first that is not settled */

	cat_actor_read(fcinfo, 1, &actor);
	place = read_place(cat_call_reply_required(fcinfo, 0));
	reply->data = makeStringInfo();
	appendStringInfoString(reply->data, "{\"events\":[");
	cat_statement_read(page_sql, int8_param(place.commit), text_param(place.log));
	rows = found();
	while (settled < rows.count && is_settled(&rows, settled))
		settled++;
	place = append_events(reply->data, &rows, settled, place, &actor);
	appendStringInfo(reply->data, "],\"place\":%s,\"more\":%s}",
					 place_text(place.commit, place.log), settled == PAGE ? "true" : "false");
}

/* Return the number of the newest commit, of which there may be events for somebody. */
CAT_REPLY(catalogue_events_newest)
{
	cat_statement_read(head_sql);
	cat_call_reply_format(reply, INT64_FORMAT,
						  SPI_processed > 0 ? cat_result_int64(1) : INT64CONST(0));
}

/* Return the place behind all that has happened: behind every log record of the newest commit. */
CAT_REPLY(catalogue_events_start)
{
	cat_call_reply_format(reply, "{\"place\":%s}", place_text(settled_commit(), "~"));
}
