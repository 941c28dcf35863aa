/*
 * events.c
 *	  Change events: what the action log tells the present caller, in the order of commits.
 *
 * The log records of a transaction get the number of its commit, which is taken while a lock is held
 * (history/commit_time.c).  A page of events ends before the first commit at which another one was
 * in progress that the snapshot does not see: that one can have a lower number.  So what becomes
 * visible later has a higher number than all that were returned, and a reader who continues behind the
 * last event misses nothing.  Within a commit, ids of log records are in the order of the actions.
 *
 * What an event says depends on who sees the record.  The log has the least access level that saw it
 * before the action and after it; a record that appears for the caller is created, one that
 * disappears is deleted.  An event other than "delete" is returned only while the caller sees the record
 * now, so that earlier work on a record that was hidden, or is hidden since, is returned to nobody.
 */
#include "catalogue.h"

#include "history/history.h"
#include "registry/registry.h"

/* Return whether everything before a commit is visible: its time, and the transactions that were in progress. */
CAT_FUNCTION(catalogue_is_complete)
{
	PG_RETURN_BOOL(cat_read_version_is_complete(PG_GETARG_TIMESTAMPTZ(ARG_IS_COMPLETE_AT),
												PG_GETARG_DATUM(ARG_IS_COMPLETE_PENDING)));
}

/* Return a page of events behind a place (events.sql). */
CAT_REPLY(catalogue_events)
{
	static const char *const audiences[] = {"outsiders", "internal", "all"};
	const char *place = cat_call_reply_required(fcinfo, ARG_EVENTS_AFTER);
	List *names = NIL;
	Actor actor;
	char *end;
	int64 commit = strtoll(place, &end, 10);

	cat_actor_read(fcinfo, ARG_EVENTS_ACTOR, &actor);
	if (end == place || *end != '-' || commit < 0)
		cat_query_string_refuse("after", place, "It takes the id of an event.");
	foreach_ptr(const Resource, resource, cat_permission_resources(&actor, false))
		names = lappend(names, resource->name);
	cat_statement_read("SELECT catalogue.events_page($1, $2, $3, $4)", int8_param(commit),
					   text_param(end + 1), texts_param(names),
					   text_param(audiences[access_level(actor.access)]));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

/* Return the number of the newest commit, of which there may be events for somebody. */
CAT_REPLY(catalogue_events_newest)
{
	cat_statement_read("SELECT coalesce(max(c.commit_number), 0) FROM catalogue.change c");
	cat_call_reply_format(reply, INT64_FORMAT, cat_result_int64(1));
}

/*
 * Return the place behind every log record of the newest commit before which everything is visible: of the
 * last 64, else the one in front of them.
 */
CAT_REPLY(catalogue_events_start)
{
	cat_statement_read(
		"SELECT coalesce(max(c.commit_number) FILTER (WHERE catalogue.is_complete(c.at, "
		"c.pending)), "
		"min(c.commit_number) - 1, 0) FROM (SELECT n.commit_number, n.at, n.pending FROM "
		"catalogue.change n WHERE n.commit_number IS NOT NULL ORDER BY n.commit_number DESC LIMIT "
		"64) c");
	cat_call_reply_format(reply, "{\"place\":\"" INT64_FORMAT "-~\"}", cat_result_int64(1));
}
