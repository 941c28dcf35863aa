/*
 * index_merge.c
 *	  Merge of index scans: records in the order of creation, all of them or those of some keys.
 *
 * An index on key, deleted_at, created_at and id has the living records of each key in order: in
 * the resource's table for records that refer by the key, in a join table for linked records.  The
 * cost of a page therefore does not depend on how few records match or where they are stored.  The
 * scans of several keys are merged.
 */
#include "catalogue.h"

#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "pg/pg.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/fast/fast.h"
#include "read/fast/fast_internal.h"
#include "registry/registry.h"

/* Maximum offset in a join table: each row that is skipped costs a look-up of its record. */
#define SKIP_MAX 1000

/* Position of the id in the key of such an index. */
#define ID_COLUMN 3

/* Keys and the index to scan with them. */
typedef struct Lead
{
	const KeyIndex *via; /* NULL: no keys, scan all records */
	int count;
	const Datum *keys;
} Lead;

/*
 * Return the key that restricts the records to those visible at an access level; without one, all
 * records.
 */
static Lead
lead_of_sight(const Resource *resource, AccessLevel access, Datum *key)
{
	Lead all = {0};
	Lead lead = {cat_visibility_lead(resource, access, key), 1, key};

	return lead.via ? lead : all;
}

/* Prefer an index on a join table: it usually matches fewer rows. */
static bool
is_better(const Lead *lead, const Lead *other, Oid table)
{
	return OidIsValid(lead->via->index) &&
		   (!other->via || (other->via->table == table && lead->via->table != table));
}

/* Return the keys and the index of the most selective filter. */
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

/* Open the scans, and for a join table the one that looks up records; false if that fails. */
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

/* Position each scan on its first row; keys: one for each scan, NULL to read all records. */
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
 * Open a merge scan over a range of a list's records; close it with cat_index_merge_close().
 *
 * One of the filters may select the index; the caller checks all of them on each record.  Returns
 * false, with nothing open, if a statement must be used.
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
		lead = lead_of_sight(resource, params->access, &owner);
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

/* Return a column of a scan's current row. */
static Datum
value_at(const MergeScan *trail, int scan, AttrNumber column)
{
	bool isnull;

	return slot_getattr(trail->scans[scan].slot, column, &isnull);
}

/* Return whether one scan's row comes before another's in the order of creation. */
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

/* Return the scan whose row is next, -1 if none is left. */
static int
next_scan(const MergeScan *trail)
{
	int next = -1;

	for (int i = 0; i < trail->count; i++)
		if (trail->more[i] && (next < 0 || is_before(trail, i, next) != trail->backwards))
			next = i;
	return next;
}

/* Return whether the current record was already returned for another key. */
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

/* Return the record that the current row of a join table links, NULL if there is none. */
static TupleTableSlot *
look_up(MergeScan *trail)
{
	cat_index_scan_seek_value(&trail->records, value_at(trail, trail->current, trail->via->id));
	return cat_index_scan_next(&trail->records, false) ? trail->records.slot : NULL;
}

/* Return the next record, whether visible or not; NULL at the end. */
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
