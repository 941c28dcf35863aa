/*
 * events_start.c
 *	  Where a listener to change events starts, and what it wants to hear of.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "call/call.h"
#include "pg/pg.h"
#include "query/query.h"
#include "registry/registry.h"
#include "services/entry.h"
#include "services/events.h"

PG_FUNCTION_INFO_V1(catalogue_events_start);

static const char found_sql[] =
	"SELECT c.commit_number FROM catalogue.logs l JOIN catalogue.change c ON c.number = l.change "
	"WHERE l.id = $1 AND l.deleted_at IS NULL AND c.commit_number IS NOT NULL";

/* The last log record of the newest commit that users may learn of. */
static const char last_sql[] =
	"SELECT l.id::text FROM catalogue.change c CROSS JOIN LATERAL (SELECT o.id FROM catalogue.logs "
	"o WHERE o.change = c.number AND o.deleted_at IS NULL ORDER BY o.id DESC LIMIT 1) l "
	"WHERE c.commit_number <= $1 ORDER BY c.commit_number DESC LIMIT 1";

/* The same for outsiders: what they do not see must not show in the id either. */
static const char last_seen_sql[] =
	"SELECT l.id::text FROM catalogue.change c CROSS JOIN LATERAL (SELECT o.id FROM catalogue.logs "
	"o WHERE o.change = c.number AND o.deleted_at IS NULL ORDER BY o.id DESC LIMIT 1) l "
	"WHERE c.resource = 'logs' AND c.at <= (SELECT s.at FROM catalogue.change s WHERE s.seen AND "
	"NOT s.apart ORDER BY s.at DESC LIMIT 1) AND c.commit_number <= $1 ORDER BY c.at DESC LIMIT 1";

/* What a listener asks for. */
typedef struct Wish
{
	List *resources;  /* of char *: names; NIL for all */
	List *ids;		  /* of char *: records; NIL for all */
	const char *last; /* id of the last event that it has; empty: none */
	List *ignored;	  /* of char *: unknown parameters */
} Wish;

/* Return the names of resources in a list that the actor may read.  Raises OD403 or OD422. */
static List *
read_resources(const char *value, const Actor *actor)
{
	List *names = NIL;
	ListCell *cell;

	foreach(cell, cat_query_string_split(value, ','))
	{
		const Resource *resource = cat_registry_find(lfirst(cell));

		if (!resource || resource->closed[actor->access])
			cat_entry_refuse_name(actor, "resource", lfirst(cell));
		cat_consumer_require(actor, resource->name);
		names = lappend(names, pstrdup(resource->name));
	}
	return names;
}

static Wish
read_wish(const char *query, const Actor *actor)
{
	Wish wish = {NIL, NIL, "", NIL};
	char *name;
	char *value;

	while (cat_query_string_next(&query, &name, &value))
		if (strcmp(name, "resource") == 0)
			wish.resources = read_resources(value, actor);
		else if (strcmp(name, "id") == 0)
			wish.ids = cat_query_string_split(value, ',');
		else if (strcmp(name, "lastEventId") == 0)
			wish.last = value;
		else
			wish.ignored = lappend(wish.ignored, name);
	cat_ignored_require_known(actor, wish.ignored, list_make3("resource", "id", "lastEventId"));
	return wish;
}

/* Return the first column of the only row of a statement as text; empty if there is no row. */
static char *
only_text(const char *sql, Oid type, Datum value)
{
	cat_statement_run(sql, 1, &type, &value, NULL, false, 1);
	return SPI_processed > 0 ? SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1)
							 : pstrdup("");
}

static void
append_list(StringInfo out, const char *name, List *words)
{
	char *json = cat_ignored_json(words);

	appendStringInfo(out, ",\"%s\":%s", name, json ? json : "[]");
}

/* Return where a listener starts (sql/33-events.sql). */
Datum
catalogue_events_start(PG_FUNCTION_ARGS)
{
	CallReply reply = {0};
	Actor actor;
	Wish wish;
	int64 head;
	int64 commit;
	const char *log = "~"; /* behind all log records of the commit */
	const char *known = "";

	cat_call_reply_begin();
	cat_actor_read(fcinfo, 2, &actor);
	wish = read_wish(cat_call_reply_argument(fcinfo, 0), &actor);
	if (!PG_ARGISNULL(1) && VARSIZE_ANY_EXHDR(PG_GETARG_TEXT_PP(1)) > 0)
		wish.last = cat_call_reply_argument(fcinfo, 1);
	head = cat_events_head();
	if (*wish.last)
		known = only_text(found_sql, TEXTOID, CStringGetTextDatum(wish.last));
	commit = *known ? strtoll(known, NULL, 10) : head;
	/* an id that was read elsewhere can be that of a commit behind one in progress */
	if (*known && commit <= head)
		log = wish.last;
	else
		commit = head;
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data, "{\"place\":");
	cat_events_place(reply.data, commit, log);
	appendStringInfo(reply.data,
					 ",\"reset\":%s,\"last\":", *wish.last && !*known ? "true" : "false");
	cat_json_text_string(
		reply.data, *known ? wish.last
						   : only_text(actor.access == ACCESS_OUTSIDER ? last_seen_sql : last_sql,
									   INT8OID, Int64GetDatum(head)));
	append_list(reply.data, "resources", wish.resources);
	append_list(reply.data, "ids", wish.ids);
	appendStringInfoChar(reply.data, '}');
	reply.ignored = cat_ignored_json(wish.ignored);
	return cat_call_reply_end(fcinfo, &reply);
}
