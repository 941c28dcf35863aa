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
#include "registry/rows.h"

/* Maximum offset in a join table: each row that is skipped costs a look-up of its record. */
#define SKIP_MAX 1000

/* Position of the id in the key of such an index. */
#define ID_COLUMN 3

/* Records in the order of creation: all, or those that some keys lead to. */
typedef struct MergeScan
{
	const KeyIndex *via; /* NULL: all */
	int count;			 /* of scans, one for each key */
	CatScan scans[KEYS_MAX];
	bool more[KEYS_MAX]; /* the scan is on a row */
	int current;		 /* the scan that gave the last record, -1: there was none */
	text *last;			 /* id of that record, where there are several scans */
	bool joined;		 /* the rows are of a join table; the records are looked up */
	AttrNumber shown;	 /* column of the join table that says whether to look them up, or 0 */
	CatScan records;
	bool backwards;
} MergeScan;

/* Keys and the index to scan with them. */
typedef struct Driver
{
	const KeyIndex *via; /* NULL: no keys, scan all records */
	int count;
	const Datum *keys;
} Driver;

/*
 * Return the key that restricts the records to those visible at an access level; without one, all
 * records.
 */
static Driver
lead_of_sight(const Resource *resource, AccessLevel access, Datum *key)
{
	Driver all = {0};
	Driver driver = {cat_visibility_lead(resource, access, key), 1, key};

	return driver.via ? driver : all;
}

/* Prefer an index on a join table: it usually matches fewer rows. */
static bool
is_better(const Driver *driver, const Driver *other, Oid table)
{
	return OidIsValid(driver->via->index) &&
		   (!other->via || (other->via->table == table && driver->via->table != table));
}

/*
 * Return the keys and the index of the most selective filter, and remove it from those that each
 * record has to pass.
 */
static Driver
lead_of_filters(const RequestParams *params, RowFilter *row_filter)
{
	Driver best = {0};
	int chosen = -1;

	for (int i = 0; i < row_filter->count; i++)
	{
		const Filter *filter = row_filter->filters[i];
		CatRelation *relation = cat_registry_relation(params->resource, linitial(filter->path));
		Driver driver = {relation ? &relation->here : NULL, filter->nids, filter->ids};

		if (driver.via && filter->comparison == COMPARE_EQUAL &&
			is_better(&driver, &best, params->resource->relid))
		{
			best = driver;
			chosen = i;
		}
	}
	if (chosen >= 0)
		cat_row_filter_remove(row_filter, chosen);
	return best;
}

static void
close_scans(MergeScan *merge, int count)
{
	for (int i = 0; i < count; i++)
		cat_index_scan_close(&merge->scans[i]);
}

/* Open the scans, and for a join table the one that looks up records; false if that fails. */
static bool
open_scans(MergeScan *merge, const Resource *resource)
{
	Oid table = merge->via ? merge->via->table : resource->relid;
	Oid index = merge->via ? merge->via->index : resource->order_index;

	for (int i = 0; i < merge->count; i++)
		if (!cat_index_scan_open(&merge->scans[i], table, index))
		{
			close_scans(merge, i);
			return false;
		}
	if (!merge->joined ||
		cat_index_scan_open(&merge->records, resource->relid, resource->key_index))
		return true;
	close_scans(merge, merge->count);
	return false;
}

static void
move(MergeScan *merge, int scan)
{
	merge->more[scan] = cat_index_scan_next(&merge->scans[scan], merge->backwards);
}

/* Position each scan on its first row; keys: one for each scan, NULL to read all records. */
static void
seek(MergeScan *merge, const Datum *keys, List *cursor)
{
	for (int i = 0; i < merge->count; i++)
	{
		if (keys)
			cat_index_scan_seek_key_place(&merge->scans[i], keys[i], cursor, merge->backwards);
		else
			cat_index_scan_seek_place(&merge->scans[i], cursor, merge->backwards);
		move(merge, i);
	}
}

/*
 * Open a merge scan over a range of a list's records; close it with merge_close().
 *
 * One of the filters may select the index; the caller checks the others on each record.  Returns
 * false, with nothing open, if a statement must be used.
 */
static bool
merge_open(MergeScan *merge, const RequestParams *params, const Source *source,
		   RowFilter *row_filter, const Slice *slice)
{
	const Resource *resource = params->resource;
	Datum owner = source->relation ? CStringGetTextDatum(source->owner) : (Datum) 0;
	Driver driver = {source->relation ? &source->relation->there : NULL, 1, &owner};

	if (!source->relation)
		driver = lead_of_filters(params, row_filter);
	if (!driver.via)
		driver = lead_of_sight(resource, params->access, &owner);
	merge->via = driver.via;
	merge->count = driver.via ? driver.count : 1;
	merge->joined = driver.via && driver.via->table != resource->relid;
	merge->shown = merge->joined && params->access == ACCESS_OUTSIDER ? driver.via->shown : 0;
	merge->current = -1;
	merge->last = NULL;
	merge->backwards = resource->newest_first != slice->backwards;
	if ((merge->joined && !slice->at_cursor && slice->skip > SKIP_MAX) ||
		!open_scans(merge, resource))
		return false;
	seek(merge, driver.keys, slice->at_cursor ? cat_order_cursor(params) : NIL);
	return true;
}

/* Return a column of a scan's current row. */
static Datum
value_at(const MergeScan *merge, int scan, AttrNumber column)
{
	bool isnull;

	return slot_getattr(merge->scans[scan].slot, column, &isnull);
}

/* Return whether one scan's row comes before another's in the order of creation. */
static bool
is_before(const MergeScan *merge, int one, int other)
{
	TimestampTz a = DatumGetTimestampTz(value_at(merge, one, merge->via->created_at));
	TimestampTz b = DatumGetTimestampTz(value_at(merge, other, merge->via->created_at));

	if (a != b)
		return a < b;
	return DatumGetBool(DirectFunctionCall2Coll(
		text_lt, merge->scans[one].index->rd_indcollation[ID_COLUMN],
		value_at(merge, one, merge->via->id), value_at(merge, other, merge->via->id)));
}

/* Return the scan whose row is next, -1 if none is left. */
static int
next_scan(const MergeScan *merge)
{
	int next = -1;

	for (int i = 0; i < merge->count; i++)
		if (merge->more[i] && (next < 0 || is_before(merge, i, next) != merge->backwards))
			next = i;
	return next;
}

/* Return whether the current record was already returned for another key. */
static bool
is_repeated(MergeScan *merge)
{
	Datum id;
	bool repeated;

	if (merge->count == 1)
		return false;
	id = value_at(merge, merge->current, merge->via->id);
	repeated = merge->last && DatumGetBool(DirectFunctionCall2Coll(
								  texteq, merge->scans[0].index->rd_indcollation[ID_COLUMN], id,
								  PointerGetDatum(merge->last)));
	if (!repeated)
		merge->last = DatumGetTextPCopy(id);
	return repeated;
}

/*
 * Return the record that the current row of a join table links, NULL if there is none, or if the
 * row says that outsiders do not see it.
 */
static TupleTableSlot *
look_up(MergeScan *merge)
{
	if (merge->shown && !DatumGetBool(value_at(merge, merge->current, merge->shown)))
		return NULL;
	cat_index_scan_seek_value(&merge->records, value_at(merge, merge->current, merge->via->id));
	return cat_index_scan_next(&merge->records, false) ? merge->records.slot : NULL;
}

/* Return the next record, whether visible or not; NULL at the end. */
static TupleTableSlot *
merge_next(MergeScan *merge)
{
	TupleTableSlot *slot = NULL;

	while (!slot)
	{
		if (merge->current >= 0)
			move(merge, merge->current);
		merge->current = next_scan(merge);
		if (merge->current < 0)
			return NULL;
		if (!is_repeated(merge))
			slot = merge->joined ? look_up(merge) : merge->scans[merge->current].slot;
	}
	return slot;
}

static void
merge_close(MergeScan *merge)
{
	close_scans(merge, merge->count);
	if (merge->joined)
		cat_index_scan_close(&merge->records);
}

/*
 * Read a range of a list's records in the order of creation, in their present state.
 *
 * Returns false if a statement must be used: a condition is not on a key of the record, or hardly
 * any record meets the conditions.
 */
bool
cat_index_merge_page(const RequestParams *params, const Source *source, const Slice *slice,
					 Rows *rows)
{
	MergeScan merge;
	RowFilter row_filter;
	TupleTableSlot *slot;
	int64 skip = slice->at_cursor ? 0 : slice->skip;

	if (!cat_row_filter_make(&row_filter, params) ||
		!merge_open(&merge, params, source, &row_filter, slice))
		return false;
	*rows = cat_rows_whole(params->resource, slice->limit);
	while (rows->count < slice->limit && !cat_row_filter_rejects_most(&row_filter) &&
		   (slot = merge_next(&merge)))
	{
		if (!cat_rows_is_seen(slot, params->resource, params->access))
			row_filter.rejected++;
		else if (cat_row_filter_passes(&row_filter, slot) && skip-- <= 0)
			rows->tuples[rows->count++] = ExecCopySlotHeapTuple(slot);
	}
	merge_close(&merge);
	return !cat_row_filter_rejects_most(&row_filter);
}
