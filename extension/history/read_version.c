/*
 * read_version.c
 *	  Versions of pages: the instants that identify them, by the resources that a read depends on.
 *
 * Each transaction that changes records has a commit time (commit_time.c).  The state that a
 * statement sees is identified by the commit time of its newest visible change; a later read as of
 * that instant returns the same records.  A reader waits if it sees a change but not yet one with
 * an earlier commit time, which was still committing.
 *
 * Outsiders learn nothing about changes of records that they do not see: for them, the newest
 * change is the newest visible one.
 */
#include "catalogue.h"

#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "catalog/namespace.h"
#include "executor/tuptable.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "base/settings.h"
#include "history/history.h"
#include "query/terms.h"

static List *
add(List *names, const Resource *resource)
{
	return cat_query_string_has_word(names, resource->name) ? names
															: lappend(names, resource->name);
}

/* Add the resources on a path; whole: and that of a to-one relation at its end. */
static List *
add_path(List *names, Resource *resource, List *path, bool whole)
{
	ListCell *cell;

	foreach(cell, path)
	{
		CatRelation *relation = cat_registry_relation(resource, lfirst(cell));

		if (!relation || (!lnext(path, cell) && !whole && relation->kind == RELATION_TO_ONE))
			break;
		resource = cat_registry_resource(relation->target);
		names = add(names, resource);
	}
	return names;
}

static List *
add_embeds(List *names, const Selection *selection)
{
	foreach_ptr(const Embed, embed, selection->embeds)
	{
		if (!embed->selection)
			continue;
		names = add(names, embed->selection->resource);
		names = add_embeds(names, embed->selection);
	}
	return names;
}

/* Add the resources that tell which records of the others the caller sees. */
static List *
add_limits(List *names, const RequestParams *params)
{
	List *all = names;

	foreach_ptr(const char, name, list_copy(names))
	{
		const Resource *resource = cat_registry_resource(name);

		if (!resource->parent || !cat_visibility_is_limited(resource, params->access))
			continue;
		all = add(all, cat_registry_resource(resource->parent->target));
		all = add(all, cat_registry_resource("users"));
	}
	return all;
}

void
cat_read_version_dependencies(ReadPlan *plan)
{
	const RequestParams *params = plan->params;
	List *names = list_make1(params->resource->name);

	if (plan->source.resource)
		names = add(names, plan->source.resource);
	names = add_embeds(names, plan->selection);
	if (cat_filter_is_whitelisted(params))
		names = add(names, cat_registry_resource("configs"));
	foreach_ptr(Filter, filter, params->filters)
		if (filter->box)
			names = add(names, cat_registry_resource("files"));
		else
			names = add_path(names, params->resource, filter->path, false);
	foreach_ptr(Order, order, params->orders)
		names = add_path(names, params->resource, order->path, false);
	foreach_ptr(Facet, facet, params->facets)
		names = add_path(names, params->resource, facet->path, facet->of_records);
	plan->resources = add_limits(names, params);
}

/* Column numbers of catalogue.change. */
#define CHANGE_AT 3
#define CHANGE_PENDING 6

/* The newest change of some resources that is visible to the active snapshot. */
typedef struct Newest
{
	TimestampTz at;
	List *unseen; /* of int: transactions with an earlier commit time that are not visible */
} Newest;

/* Return those of the pending transactions that the active snapshot does not see. */
static List *
unseen_of(Datum pending)
{
	List *unseen = NIL;
	Datum *ids;
	int count;

	deconstruct_array(DatumGetArrayTypeP(pending), INT8OID, 8, true, TYPALIGN_DOUBLE, &ids, NULL,
					  &count);
	for (int i = 0; i < count; i++)
	{
		TransactionId id = (TransactionId) DatumGetInt64(ids[i]);

		if (XidInMVCCSnapshot(id, GetActiveSnapshot()))
			unseen = lappend_int(unseen, (int) id);
	}
	return unseen;
}

/* Return whether the transactions that were committing at an instant have ended: a standby may follow them still. */
static bool
have_ended(TimestampTz at)
{
	return at < PgStartTime && !RecoveryInProgress();
}

bool
cat_read_version_is_complete(TimestampTz at, Datum pending)
{
	return have_ended(at) || unseen_of(pending) == NIL;
}

static void
add_change(Newest *newest, TimestampTz at, Datum pending)
{
	newest->at = Max(newest->at, at);
	if (!have_ended(at))
		newest->unseen = list_concat(newest->unseen, unseen_of(pending));
}

/* Add the newest change of a scan, which is the first one that it returns. */
static void
add_newest(Newest *newest, CatScan *scan)
{
	bool isnull;

	if (cat_index_scan_next(scan, true))
		add_change(newest, DatumGetTimestampTz(slot_getattr(scan->slot, CHANGE_AT, &isnull)),
				   slot_getattr(scan->slot, CHANGE_PENDING, &isnull));
}

/*
 * Add the newest change by a statement, if there is no index.
 *
 * name: of a resource; NULL for all that are not append-only.
 */
static void
add_by_statement(Newest *newest, const char *name, Audience audience)
{
	MemoryContext caller = CurrentMemoryContext;
	bool isnull;

	/* at the end of a transaction there is no connection */
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	cat_statement_read("SELECT c.at, c.pending FROM catalogue.change c WHERE CASE WHEN $1 IS NULL "
					   "THEN NOT c.apart ELSE c.resource = $1 END AND (c.seen OR NOT $2) "
					   "ORDER BY c.at DESC LIMIT 1",
					   text_param(name), bool_param(audience == AUDIENCE_OUTSIDERS));
	MemoryContextSwitchTo(caller);
	if (SPI_processed > 0)
		add_change(newest, DatumGetTimestampTz(cat_result_datum(1, &isnull)),
				   cat_result_datum(2, &isnull));
	SPI_finish();
}

static bool
open_changes(CatScan *scan, const char *index)
{
	return cat_index_scan_open_named(scan, "change", index);
}

/* Indexes on the changes that each audience may learn of: by resource, and of all resources. */
static const char *const by_resource[AUDIENCES] = {"change_resource_at", "change_resource_seen"};
static const char *const by_instant[AUDIENCES] = {"change_at", "change_seen"};

/*
 * Return the newest change of some resources, a List of const char *, from an instant on; nothing if there is none.
 *
 * A scan that begins at the end of a resource looks at all of its changes in that block of the index, unless it knows
 * an instant near the newest one.
 */
static Newest
newest_since(List *resources, Audience audience, TimestampTz since)
{
	Newest newest = {0, NIL};
	CatScan scan;
	bool opened = open_changes(&scan, by_resource[audience]);

	foreach_ptr(char, resource, resources)
	{
		if (!opened)
		{
			add_by_statement(&newest, resource, audience);
			continue;
		}
		cat_index_scan_seek_since(&scan, resource, since);
		add_newest(&newest, &scan);
	}
	if (opened)
		cat_index_scan_close(&scan);
	return newest;
}

/* Likewise, of all times. */
static Newest
newest_of(List *resources, Audience audience)
{
	return newest_since(resources, audience, DT_NOBEGIN);
}

/*
 * Return the newest change of one resource, given the newest one of all resources.
 *
 * The latter identifies the state of all resources that are not append-only, so for these a result
 * can be cached under it.
 */
static Newest
newest_given(const char *name, Audience audience, const Newest *all)
{
	Resource *resource = cat_registry_resource(name);
	Newest newest = {resource->newest[audience], NIL};

	if (resource->compared[audience] == all->at && all->unseen == NIL && !resource->change)
		return newest;
	newest = newest_since(list_make1(unconstify(char *, name)), audience, newest.at);
	/* the snapshot may be of a time before that, or the change have been removed */
	if (newest.at == 0)
		newest = newest_of(list_make1(unconstify(char *, name)), audience);
	if (all->unseen == NIL && newest.unseen == NIL)
	{
		resource->compared[audience] = all->at;
		resource->newest[audience] = newest.at;
	}
	return newest;
}

/* Return the newest change of several resources, a List of char *. */
static Newest
newest_of_each(List *names, Audience audience, const Newest *all)
{
	Newest newest = {0, NIL};

	foreach_ptr(char, name, names)
	{
		Newest one = newest_given(name, audience, all);

		newest.at = Max(newest.at, one.at);
		newest.unseen = list_concat(newest.unseen, one.unseen);
	}
	return newest;
}

/* Add the newest change of all resources that are not append-only, from an instant on; nothing if there is none. */
static void
add_newest_since(Newest *newest, CatScan *scan, TimestampTz since)
{
	cat_index_scan_seek_since(scan, NULL, since);
	add_newest(newest, scan);
}

/* Return the newest change of all resources that are not append-only. */
static Newest
newest_of_all(Audience audience)
{
	/* the last state that is whole, and its newest change */
	static SnapshotKey snapshot_keys[AUDIENCES];
	static TimestampTz instants[AUDIENCES];
	/* the newest change that was found last, of any state: the next one is sought from there on */
	static TimestampTz last[AUDIENCES];
	Newest newest = {0, NIL};
	SnapshotKey now;
	CatScan scan;
	bool known = cat_snapshot_key_take(&now);

	if (known && cat_snapshot_key_equal(&snapshot_keys[audience], &now))
		return (Newest){instants[audience], NIL};
	if (open_changes(&scan, by_instant[audience]))
	{
		add_newest_since(&newest, &scan, last[audience]);
		/* as in newest_given() */
		if (newest.at == 0)
			add_newest_since(&newest, &scan, DT_NOBEGIN);
		last[audience] = newest.at;
		cat_index_scan_close(&scan);
	}
	else
		add_by_statement(&newest, NULL, audience);
	if (known && newest.unseen == NIL)
	{
		snapshot_keys[audience] = now;
		instants[audience] = newest.at;
	}
	return newest;
}

/* Return the earliest instant that history_retention covers. */
static TimestampTz
horizon(void)
{
	return GetCurrentTimestamp() - (int64) cat_history_retention * USECS_PER_SEC;
}

CAT_FUNCTION(catalogue_history_horizon)
{
	PG_RETURN_TIMESTAMPTZ(horizon());
}

static const char age_sql[] =
	"SELECT EXISTS (SELECT FROM catalogue.change c WHERE c.at = $2 AND NOT c.apart) AND NOT EXISTS "
	"(SELECT FROM catalogue.change c WHERE c.resource = ANY ($1) AND c.at > $2 AND c.at <= $3 "
	"AND (c.seen OR NOT $4))";

/*
 * Raise OD422 for an instant that the history does not cover.
 *
 * What was purged stays unavailable, even if history_retention has been raised since.  But if
 * nothing has changed for long, pages are identified by the commit time of that old change, which
 * stands for the time up to the next one.
 */
static void
refuse_age(TimestampTz version, List *resources, Audience audience)
{
	TimestampTz earliest = Max(horizon(), newest_of(list_make1(""), AUDIENCE_USERS).at);

	if (version >= earliest)
		return;
	cat_statement_read(age_sql, texts_param(resources), instant_param(version),
					   instant_param(earliest), bool_param(audience == AUDIENCE_OUTSIDERS));
	if (!cat_result_bool(1))
		ereport(ERROR, (errcode(OD422),
						errmsg("invalid value for parameter \"version\": it is too long ago"),
						errhint("The history is kept as long as catalogue.history_retention.")));
}

/* Wait for committing transactions to end, and push a snapshot that sees their changes. */
static void
wait_for_commits(const Newest *newest)
{
	if (newest)
		foreach_int(number, newest->unseen)
			XactLockTableWait((TransactionId) number, NULL, NULL, XLTW_None);
	else
	{
		int count;
		VirtualTransactionId *holders = cat_commit_time_committing(&count);

		for (int i = 0; i < count; i++)
			VirtualXactLock(holders[i], true);
	}
	PushActiveSnapshot(GetLatestSnapshot());
}

/*
 * Raise OD503 on a standby for an instant up to which it has not followed the primary: it would answer with older
 * content under the name of that instant.
 */
static void
require_followed(TimestampTz version)
{
	if (RecoveryInProgress() && GetLatestXTime() < version)
		ereport(ERROR,
				(errcode(OD503), errmsg("the standby has not followed up to that version yet"),
				 errdetail_internal("{\"retryAfter\":1}")));
}

void
cat_read_version_acquire(RequestParams *params, List *resources)
{
	Audience audience = params->access == ACCESS_OUTSIDER ? AUDIENCE_OUTSIDERS : AUDIENCE_USERS;
	Newest all = newest_of_all(audience);
	Newest newest = newest_of_each(resources, audience, &all);
	TimestampTz version = params->version ? params->version : Max(all.at, newest.at);

	params->as_of = params->version != 0;
	all.unseen = list_concat(all.unseen, newest.unseen);
	/* an instant of the caller's choice may be that of a transaction about to become visible */
	params->waited = version > Max(all.at, newest.at) || all.unseen != NIL;
	if (params->waited)
	{
		wait_for_commits(all.unseen == NIL ? NULL : &all);
		newest = newest_of(resources, audience);
		if (params->as_of && version > Max(newest_of_all(audience).at, newest.at))
			require_followed(version);
	}
	params->newest = newest.at;
	params->version = version;
	params->then = newest.at > version ? version : 0;
	if (params->then)
		refuse_age(version, resources, audience);
}

void
cat_read_version_release(const RequestParams *params)
{
	if (params->waited)
		PopActiveSnapshot();
}

/*
 * Return an instant, or the one after the last change if there are changes from that instant on.
 *
 * This covers changes of all resources that are not append-only, and of those listed, which are.
 */
TimestampTz
cat_read_version_behind(TimestampTz instant, List *resources)
{
	Newest all = newest_of_all(AUDIENCE_USERS);
	Newest listed = newest_since(resources, AUDIENCE_USERS, all.at);

	return Max(instant, Max(all.at, listed.at) + 1);
}
