/*
 * generation.c
 *	  A word for all that reads of records depend on: while it is the same, so
 *	  is what they give.
 *
 * It names this backend and how often the backend has found something changed:
 * the newest change of the records, what they are defined as, rules, keys and
 * rights, or the settings.  So no other server has the same word, nor this one
 * after a restart, and a restored or promoted one none that was given before.
 *
 * The words of two snapshots are the same only where all changes that the
 * later one sees are seen by the earlier one as well.  The instant of the
 * newest change tells that where, at the earlier one, nobody was in the middle
 * of a commit: who begins one later sees what that snapshot saw, and takes an
 * instant behind it (commit_time.c), whatever the clock says.
 */
#include "catalogue.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(catalogue_generation);

#define NAME_BYTES 12 /* random ones, of a backend */
#define OWN_MAX 64	  /* tables of the service itself, and their indexes */

/* What reads of records depend on. */
typedef struct State
{
	TimestampTz newest;	  /* change of all resources but those that grow by themselves */
	TimestampTz reloaded; /* the settings */
	int64 max_limit;
	uint64 marks;
} State;

static struct
{
	Mark mark; /* what was seen when it was found to be good the last time */
	State state;
	uint64 number; /* 0: none was given yet */
	char name[2 * NAME_BYTES + 1];
	char word[2 * NAME_BYTES + 24];
} given;

/*
 * Tables that the service writes while nothing but requests are counted, with their indexes: they
 * are vacuumed and analyzed all the time, of which PostgreSQL tells as of a changed definition, and
 * no read that a word is given for depends on what they are.
 */
static const char *const own_tables[] = {"attempt", "change",	"consumer_use",
										 "counter", "recorder", "statistics"};
static struct
{
	Oid ids[OWN_MAX];
	int count;
	uint64 found; /* marks when they were looked up */
} own;

static uint64 marks = 1; /* how often PostgreSQL has told of a change of what its caches hold */
static uint64 begun;	 /* so, when the call under way began; 0: none is, or one within it was */

static bool
is_own(Oid relid)
{
	for (int i = 0; i < own.count; i++)
		if (own.ids[i] == relid)
			return true;
	return false;
}

static void
mark_table(Datum arg, Oid relid)
{
	if (!OidIsValid(relid) || !is_own(relid))
		marks++;
}

static void
mark_entry(Datum arg, int cache, uint32 hash)
{
	marks++;
}

/*
 * Tables, and with them definitions, rights to them, rules and keys, whose triggers speak of their
 * table; and whatever else decides what a read gives, or whether it may be made.
 */
void
generation_init(void)
{
	static const int caches[] = {TYPEOID,		 ENUMTYPOIDNAME, ENUMOID, AUTHOID,
								 AUTHMEMROLEMEM, NAMESPACEOID,	 PROCOID};

	CacheRegisterRelcacheCallback(mark_table, 0);
	for (size_t i = 0; i < lengthof(caches); i++)
		CacheRegisterSyscacheCallback(caches[i], mark_entry, 0);
}

/* A call begins: what it looks up in the caches from now on is what it answers by. */
void
generation_begin(void)
{
	begun = marks;
}

/* It ends; one around it, if there is any, is not known to have looked up all since it began. */
void
generation_end(void)
{
	begun = 0;
}

/*
 * Whether nobody who changes records is in the middle of a commit that the snapshot does not see.
 */
static bool
is_settled(const Mark *mark)
{
	Mark later;
	bool same;
	int committing;

	stamp_committing(&committing);
	if (committing > 0)
		return false;
	/* nor has one ended it between the snapshot and that look */
	PushActiveSnapshot(GetLatestSnapshot());
	same = mark_take(&later) && mark_same(mark, &later);
	PopActiveSnapshot();
	return same;
}

static bool
is_same(const State *one, const State *other)
{
	return one->newest == other->newest && one->reloaded == other->reloaded &&
		   one->max_limit == other->max_limit && one->marks == other->marks;
}

/* Is the snapshot of a mark the one that the word was found good for last, or a later one? */
static bool
is_later(const Mark *mark)
{
	return TransactionIdFollows(mark->behind, given.mark.behind) ||
		   (mark->behind == given.mark.behind && mark->running <= given.mark.running &&
			mark->subrunning <= given.mark.subrunning);
}

/* The name of this backend: made when it is first needed, which is after it was started. */
static void
name_backend(void)
{
	unsigned char bytes[NAME_BYTES];

	if (!pg_strong_random(bytes, sizeof(bytes)))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("no random number can be made")));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(given.name + 2 * i, 3, "%02x", bytes[i]);
}

static void
name_state(const State *state)
{
	if (given.number == 0)
		name_backend();
	given.number++;
	given.state = *state;
	snprintf(given.word, sizeof(given.word), "%s." UINT64_FORMAT, given.name, given.number);
}

static void
add_own(Oid relid)
{
	if (own.count < OWN_MAX)
		own.ids[own.count++] = relid;
}

/* Add a table and its indexes, without a lock: it is only to be known which they are. */
static void
add_own_indexed(Oid table)
{
	Relation indexes = table_open(IndexRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	add_own(table);
	ScanKeyInit(&key, Anum_pg_index_indrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(table));
	scan = systable_beginscan(indexes, IndexIndrelidIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		add_own(((Form_pg_index) GETSTRUCT(tuple))->indexrelid);
	systable_endscan(scan);
	table_close(indexes, AccessShareLock);
}

/* So, with the table that long values of it are in. */
static void
add_own_table(Oid table)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	Oid long_values;

	if (!HeapTupleIsValid(tuple))
		return;
	long_values = ((Form_pg_class) GETSTRUCT(tuple))->reltoastrelid;
	ReleaseSysCache(tuple);
	add_own_indexed(table);
	if (OidIsValid(long_values))
		add_own_indexed(long_values);
}

/* Look the service's own tables up, where something has changed since that was done last. */
static void
find_own_tables(void)
{
	uint64 before = marks;

	if (own.found == before)
		return;
	own.count = 0;
	for (size_t i = 0; i < lengthof(own_tables); i++)
	{
		Oid table = get_relname_relid(own_tables[i], get_namespace_oid("catalogue", false));

		add_own_table(table);
	}
	own.found = before;
}

/*
 * How often PostgreSQL has told of a change of what its caches hold: definitions, rights, policies,
 * but for those of the service's own tables.
 */
uint64
generation_marks(void)
{
	find_own_tables();
	return marks;
}

/* Look what the snapshot of a mark sees; false where that has no name. */
static bool
look(const Mark *mark, State *state)
{
	find_own_tables();
	if (!version_newest(&state->newest))
		return false;
	if (given.number > 0 && is_same(state, &given.state) && is_later(mark))
		return true;
	if (!is_settled(mark))
		return false;
	name_state(state);
	return true;
}

/*
 * The word for what the caller's snapshot sees; NULL where there is none.
 *
 * None on a standby, which does not know who is committing; nor in a transaction that has changed
 * something or sees an earlier state; nor where a definition has changed since the call began.
 * It is good until the next call.
 */
static const char *
word_now(void)
{
	State state = {.reloaded = PgReloadTime, .max_limit = cat_max_limit};
	Mark mark;

	AcceptInvalidationMessages();
	state.marks = marks;
	if (begun != marks || RecoveryInProgress() || IsolationUsesXactSnapshot() || !mark_take(&mark))
		return NULL;
	if (given.number > 0 && mark_same(&given.mark, &mark) && given.state.marks == state.marks &&
		given.state.reloaded == state.reloaded && given.state.max_limit == state.max_limit)
		return given.word;
	/* to look may have been the time to hear of more */
	if (!look(&mark, &state) || marks != state.marks)
		return NULL;
	given.mark = mark;
	return given.word;
}

/* Whether a resource grows by itself: no word tells of that. */
static bool
grows(const char *resource)
{
	return registry_resource(resource)->change != NULL;
}

/*
 * Whether the caller has the state of the reply's tag already; then the reply is given the word by
 * which that is sure to be so again.
 *
 * known: state tags that the caller has.  resources: List of char *, what the read depends on; NIL
 * for a record alone, as it is.  There is no word where an instant was asked for, since that a
 * history ends is a matter of the clock; nor where others had to be waited for, as what is shown is
 * of the instant before.
 */
bool
generation_knows(const Params *params, List *resources, const char *known, Reply *reply)
{
	ListCell *cell;

	if (!etag_is_among(known, reply->etag))
		return false;
	if (params->as_of || params->waited || params->then || grows(params->resource->name))
		return true;
	foreach(cell, resources)
		if (grows(lfirst(cell)))
			return true;
	reply->generation = word_now();
	return true;
}

/* What reads would be answered by now, for an actor who may still ask. */
Datum
catalogue_generation(PG_FUNCTION_ARGS)
{
	Reply reply = {0};
	Actor actor;

	reply_begin();
	actor_read(fcinfo, 0, &actor);
	reply.generation = word_now();
	return reply_end(fcinfo, &reply);
}
