/*
 * read_version.c
 *	  The instants that pages are versions of.
 *
 * Each transaction that changes records has one (commit_time.c).  What a statement
 * sees is named by the instant of the newest change among it; the same
 * instant shows the same records later.  A reader who sees a change, but not
 * yet one with an earlier instant that was being committed then, waits.
 *
 * Outsiders are told of no change of what they do not see: for them the newest
 * change is the newest of the others.
 */
#include "catalogue.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "base/base.h"
#include "base/settings.h"
#include "call/call.h"
#include "history/history.h"
#include "pg/pg.h"
#include "query/query.h"
#include "registry/registry.h"

PG_FUNCTION_INFO_V1(catalogue_history_horizon);

/* columns of catalogue.change */
#define CHANGE_AT 3
#define CHANGE_PENDING 6

/* The newest change of some resources that the active snapshot sees. */
typedef struct Newest
{
	TimestampTz at;
	List *unseen; /* of int: transactions with an earlier instant that it does not see */
} Newest;

/* Note which of the pending transactions the active snapshot does not see. */
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

static Oid
object_oid(const char *name)
{
	return get_relname_relid(name, get_namespace_oid("catalogue", false));
}

/* Take in the newest change that a scan comes to first. */
static void
add_newest(Newest *newest, CatScan *scan)
{
	bool isnull;
	TimestampTz at;

	if (!cat_index_scan_next(scan, true))
		return;
	at = DatumGetTimestampTz(slot_getattr(scan->slot, CHANGE_AT, &isnull));
	newest->at = Max(newest->at, at);
	/* a server that was started since has ended all commits that were pending */
	if (at >= PgStartTime)
		newest->unseen = list_concat(newest->unseen,
									 unseen_of(slot_getattr(scan->slot, CHANGE_PENDING, &isnull)));
}

static void
open_changes(CatScan *scan, const char *index)
{
	if (!cat_index_scan_open(scan, object_oid("change"), object_oid(index)))
		elog(ERROR, "catalogue.change cannot be read by its index \"%s\"", index);
}

/* The indexes of the changes that each audience is told of: of each resource, and of all. */
static const char *const by_resource[AUDIENCES] = {"change_resource_at", "change_resource_seen"};
static const char *const by_instant[AUDIENCES] = {"change_at", "change_seen"};

static Audience
audience_of(AccessLevel sight)
{
	return sight == ACCESS_OUTSIDER ? AUDIENCE_OUTSIDERS : AUDIENCE_USERS;
}

/* The newest change of some resources, a List of const char *. */
static Newest
newest_of(List *resources, Audience audience)
{
	Newest newest = {0, NIL};
	CatScan scan;
	ListCell *cell;

	open_changes(&scan, by_resource[audience]);
	foreach(cell, resources)
	{
		cat_index_scan_seek(&scan, lfirst(cell));
		add_newest(&newest, &scan);
	}
	cat_index_scan_close(&scan);
	return newest;
}

/*
 * The newest change of one resource, given the newest one of all resources.
 *
 * That names the state of all resources but those that grow by themselves, so
 * what was looked up under the same name before need not be looked up again.
 */
static Newest
newest_given(const char *name, Audience audience, const Newest *all)
{
	Resource *resource = cat_registry_resource(name);
	Newest newest = {resource->newest[audience], NIL};

	if (resource->settled[audience] == all->at && all->unseen == NIL && !resource->change)
		return newest;
	newest = newest_of(list_make1(unconstify(char *, name)), audience);
	if (all->unseen == NIL && newest.unseen == NIL)
	{
		resource->settled[audience] = all->at;
		resource->newest[audience] = newest.at;
	}
	return newest;
}

/* The newest change of several resources, a List of char *. */
static Newest
newest_of_each(List *names, Audience audience, const Newest *all)
{
	Newest newest = {0, NIL};
	ListCell *cell;

	foreach(cell, names)
	{
		Newest one = newest_given(lfirst(cell), audience, all);

		newest.at = Max(newest.at, one.at);
		newest.unseen = list_concat(newest.unseen, one.unseen);
	}
	return newest;
}

/* The newest change of all resources but those that grow by themselves. */
static Newest
newest_of_all(Audience audience)
{
	static SnapshotKey marks[AUDIENCES];
	static TimestampTz instants[AUDIENCES];
	Newest newest = {0, NIL};
	SnapshotKey now;
	CatScan scan;
	bool known = cat_snapshot_key_take(&now);

	if (known && cat_snapshot_key_equal(&marks[audience], &now))
		return (Newest){instants[audience], NIL};
	open_changes(&scan, by_instant[audience]);
	cat_index_scan_seek_place(&scan, NIL, true);
	add_newest(&newest, &scan);
	cat_index_scan_close(&scan);
	if (known && newest.unseen == NIL)
	{
		marks[audience] = now;
		instants[audience] = newest.at;
	}
	return newest;
}

/* The earliest instant that the history is sure to reach back to. */
static TimestampTz
horizon(void)
{
	return GetCurrentTimestamp() - (int64) cat_history_retention * USECS_PER_SEC;
}

Datum
catalogue_history_horizon(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMPTZ(horizon());
}

static const char age_sql[] =
	"SELECT EXISTS (SELECT FROM catalogue.change c WHERE c.at = $2 AND NOT c.apart) AND NOT EXISTS "
	"(SELECT FROM catalogue.change c WHERE c.resource = ANY ($1) AND c.at > $2 AND c.at <= $3 "
	"AND (c.seen OR NOT $4))";

/*
 * Refuse an instant that the history does not reach back to.
 *
 * What was removed stays removed, even if history_retention is longer now.
 * But where nothing has changed for long, pages are named by the instant of
 * that old change; until the next one it stands for the time since.
 */
static void
refuse_age(TimestampTz version, List *resources, Audience audience)
{
	Oid types[] = {TEXTARRAYOID, TIMESTAMPTZOID, TIMESTAMPTZOID, BOOLOID};
	TimestampTz earliest = Max(horizon(), newest_of(list_make1(""), AUDIENCE_USERS).at);
	Datum values[] = {cat_text_array_of_list(resources), TimestampTzGetDatum(version),
					  TimestampTzGetDatum(earliest), BoolGetDatum(audience == AUDIENCE_OUTSIDERS)};
	bool isnull;

	if (version >= earliest)
		return;
	cat_statement_run(age_sql, lengthof(types), types, values, NULL, false, 0);
	if (!DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)))
		ereport(ERROR, (errcode(OD422),
						errmsg("invalid value for parameter \"version\": it is too long ago"),
						errhint("The history is kept as long as catalogue.history_retention.")));
}

/* Let those who are committing end, and see what they did. */
static void
wait_for_commits(const Newest *newest)
{
	ListCell *cell;

	if (newest)
		foreach(cell, newest->unseen)
			XactLockTableWait((TransactionId) lfirst_int(cell), NULL, NULL, XLTW_None);
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
 * Settle which instant a read is of: the one that was asked for, else that of
 * the newest change that is seen, and that the caller is told of.
 *
 * resources: List of const char *, all that the read depends on.  Sets
 * Params.version, and whether it was asked for; Params.then where the records have to be shown in
 * an earlier state than they are in; Params.newest, when they changed last. OD422 for an instant
 * before the history.  cat_read_version_release() ends it.
 */
void
cat_read_version_settle(RequestParams *params, List *resources)
{
	Audience audience = audience_of(params->sight);
	Newest all = newest_of_all(audience);
	Newest newest = newest_of_each(resources, audience, &all);
	TimestampTz version = params->version ? params->version : Max(all.at, newest.at);

	params->as_of = params->version != 0;
	all.unseen = list_concat(all.unseen, newest.unseen);
	/* an instant of the caller's own may be that of somebody who is about to be seen */
	params->waited = version > Max(all.at, newest.at) || all.unseen != NIL;
	if (params->waited)
	{
		wait_for_commits(all.unseen == NIL ? NULL : &all);
		newest = newest_of(resources, audience);
	}
	params->newest = newest.at;
	params->version = version;
	params->then = newest.at > version ? version : 0;
	if (params->then)
		refuse_age(version, resources, audience);
}

/* The snapshot of the caller again. */
void
cat_read_version_release(const RequestParams *params)
{
	if (params->waited)
		PopActiveSnapshot();
}

/* The instant behind the last of the changes that a scan comes to. */
static TimestampTz
behind(CatScan *scan, TimestampTz instant)
{
	bool isnull;

	if (cat_index_scan_next(scan, true))
		instant =
			Max(instant, DatumGetTimestampTz(slot_getattr(scan->slot, CHANGE_AT, &isnull)) + 1);
	return instant;
}

/*
 * The instant, or where changes from then on are seen, one behind them.
 *
 * Of all resources and of these, which grow by themselves, besides.  The scans
 * begin at the instant: behind it there is mostly nothing to look at.
 */
TimestampTz
cat_read_version_behind(TimestampTz instant, List *resources)
{
	CatScan scan;
	ListCell *cell;
	TimestampTz result;

	open_changes(&scan, by_instant[AUDIENCE_USERS]);
	cat_index_scan_seek_instant(&scan, instant);
	result = behind(&scan, instant);
	cat_index_scan_close(&scan);
	if (resources == NIL)
		return result;
	open_changes(&scan, by_resource[AUDIENCE_USERS]);
	foreach(cell, resources)
	{
		cat_index_scan_seek_word_instant(&scan, lfirst(cell), instant);
		result = behind(&scan, result);
	}
	cat_index_scan_close(&scan);
	return result;
}
