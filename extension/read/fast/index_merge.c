/*
 * index_merge.c
 *	  Records in the order of creation: all of a resource, or those that some keys lead to.
 *
 * An index by key, deleted_at, created_at and id has the living records of
 * each key in order: of a table with the key for records that refer by it, of
 * a join table for records that it links.  So a page of them costs what a page
 * of all costs, however few they are and wherever they lie.  Those of several
 * keys are merged.
 */
#include "catalogue.h"

#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/rel.h"

/* Of a join table no more rows are passed over: each costs a look at the record. */
#define SKIP_MAX 1000

/* Place of the id among the columns of such an index. */
#define ID_COLUMN 3

/* Keys, and the index by which they lead to records. */
typedef struct Lead
{
	const KeyIndex *via; /* NULL: no keys, all records */
	int count;
	const Datum *keys;
} Lead;

/* The records that a caller of that sight sees, where a key leads to them; else all. */
static Lead
lead_of_sight(const Resource *resource, AccessLevel sight, Datum *key)
{
	Lead all = {0};
	Lead lead = {cat_visibility_lead(resource, sight, key), 1, key};

	return lead.via ? lead : all;
}

/* Whether one lead is to be taken rather than another: a join table mostly links fewer records. */
static bool
is_better(const Lead *lead, const Lead *other, Oid table)
{
	return OidIsValid(lead->via->index) &&
		   (!other->via || (other->via->table == table && lead->via->table != table));
}

/* The best of the filters to be led by. */
static Lead
lead_of_filters(const RequestParams *params, const RowFilter *sieve)
{
	Lead best = {0};

	for (int i = 0; i < sieve->count; i++)
	{
		const Filter *filter = sieve->filters[i];
		CatRelation *relation = cat_registry_relation(params->resource, linitial(filter->path));
		Lead lead = {relation ? &relation->here : NULL, filter->nids, filter->ids};

		if (lead.via && *filter->comparison == '\0' &&
			is_better(&lead, &best, params->resource->relid))
			best = lead;
	}
	return best;
}

static void
close_scans(MergeScan *trail, int count)
{
	for (int i = 0; i < count; i++)
		cat_index_scan_close(&trail->scans[i]);
}

/* Open the scans of a trail, and what joined records are looked up by; false where that fails. */
static bool
open_scans(MergeScan *trail, const Resource *resource)
{
	Oid table = trail->via ? trail->via->table : resource->relid;
	Oid index = trail->via ? trail->via->index : resource->order_index;

	for (int i = 0; i < trail->count; i++)
		if (!cat_index_scan_open(&trail->scans[i], table, index))
		{
			close_scans(trail, i);
			return false;
		}
	if (!trail->joined ||
		cat_index_scan_open(&trail->records, resource->relid, resource->key_index))
		return true;
	close_scans(trail, trail->count);
	return false;
}

static void
move(MergeScan *trail, int scan)
{
	trail->more[scan] = cat_index_scan_next(&trail->scans[scan], trail->backwards);
}

/* Take each scan to its first row; keys: one for each, NULL where all records are wanted. */
static void
seek(MergeScan *trail, const Datum *keys, List *place)
{
	for (int i = 0; i < trail->count; i++)
	{
		if (keys)
			cat_index_scan_seek_key_place(&trail->scans[i], keys[i], place, trail->backwards);
		else
			cat_index_scan_seek_place(&trail->scans[i], place, trail->backwards);
		move(trail, i);
	}
}

/*
 * Begin to read a stretch of a list's records; the caller closes the trail.
 *
 * sieve: the filters; the records may be led to by one of them, and must pass
 * all.  False, and nothing open, where a statement must be used instead.
 */
bool
cat_index_merge_open(MergeScan *trail, const RequestParams *params, const Source *source,
					 const RowFilter *sieve, const Stretch *stretch)
{
	const Resource *resource = params->resource;
	Datum owner = source->relation ? CStringGetTextDatum(source->owner) : (Datum) 0;
	Lead lead = {source->relation ? &source->relation->there : NULL, 1, &owner};

	if (!source->relation)
		lead = lead_of_filters(params, sieve);
	if (!lead.via)
		lead = lead_of_sight(resource, params->sight, &owner);
	trail->via = lead.via;
	trail->count = lead.via ? lead.count : 1;
	trail->joined = lead.via && lead.via->table != resource->relid;
	trail->current = -1;
	trail->last = NULL;
	trail->backwards = resource->newest_first != stretch->backwards;
	if ((trail->joined && !stretch->placed && stretch->skip > SKIP_MAX) ||
		!open_scans(trail, resource))
		return false;
	seek(trail, lead.keys, stretch->placed ? cat_order_cursor(params) : NIL);
	return true;
}

/* A value of the row that a scan is on. */
static Datum
value_at(const MergeScan *trail, int scan, AttrNumber column)
{
	bool isnull;

	return slot_getattr(trail->scans[scan].slot, column, &isnull);
}

/* Whether the record of one scan's row comes before that of another's in the order of creation. */
static bool
is_before(const MergeScan *trail, int one, int other)
{
	TimestampTz a = DatumGetTimestampTz(value_at(trail, one, trail->via->created_at));
	TimestampTz b = DatumGetTimestampTz(value_at(trail, other, trail->via->created_at));

	if (a != b)
		return a < b;
	return DatumGetBool(DirectFunctionCall2Coll(
		text_lt, trail->scans[one].index->rd_indcollation[ID_COLUMN],
		value_at(trail, one, trail->via->id), value_at(trail, other, trail->via->id)));
}

/* The scan whose row comes next, -1 where none is left. */
static int
next_scan(const MergeScan *trail)
{
	int next = -1;

	for (int i = 0; i < trail->count; i++)
		if (trail->more[i] && (next < 0 || is_before(trail, i, next) != trail->backwards))
			next = i;
	return next;
}

/* Whether several keys lead to the record of the current scan, and it was given already. */
static bool
is_repeated(MergeScan *trail)
{
	Datum id;
	bool repeated;

	if (trail->count == 1)
		return false;
	id = value_at(trail, trail->current, trail->via->id);
	repeated = trail->last && DatumGetBool(DirectFunctionCall2Coll(
								  texteq, trail->scans[0].index->rd_indcollation[ID_COLUMN], id,
								  PointerGetDatum(trail->last)));
	if (!repeated)
		trail->last = DatumGetTextPCopy(id);
	return repeated;
}

/* The record that the row of a join table links, NULL where there is none. */
static TupleTableSlot *
look_up(MergeScan *trail)
{
	cat_index_scan_seek_value(&trail->records, value_at(trail, trail->current, trail->via->id));
	return cat_index_scan_next(&trail->records, false) ? trail->records.slot : NULL;
}

/* The next record, which may be one that is not to be seen; NULL at the end. */
TupleTableSlot *
cat_index_merge_next(MergeScan *trail)
{
	TupleTableSlot *slot = NULL;

	while (!slot)
	{
		if (trail->current >= 0)
			move(trail, trail->current);
		trail->current = next_scan(trail);
		if (trail->current < 0)
			return NULL;
		if (!is_repeated(trail))
			slot = trail->joined ? look_up(trail) : trail->scans[trail->current].slot;
	}
	return slot;
}

void
cat_index_merge_close(MergeScan *trail)
{
	close_scans(trail, trail->count);
	if (trail->joined)
		cat_index_scan_close(&trail->records);
}
