/*
 * row_fetch.c
 *	  Rows of records, read by a statement or by index scans.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "pg/pg.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/fast/fast.h"
#include "read/fast/fast_internal.h"
#include "registry/registry.h"

/* Return the rows of the last statement; its columns must be those of cat_sql_builder_columns(). */
Rows
cat_row_fetch_of_statement(void)
{
	Rows rows = {SPI_tuptable->tupdesc, SPI_tuptable->vals, (int) SPI_processed, false, false};

	return rows;
}

/* Allocate an empty Rows for that many rows of the resource's table. */
Rows
cat_row_fetch_whole(const Resource *resource, int most)
{
	Rows rows = {resource->desc, palloc(sizeof(HeapTuple) * (most + 1)), 0, true, false};

	return rows;
}

/* Return whether the record in the slot is visible. */
static bool
is_seen(TupleTableSlot *slot, const Resource *resource, AccessLevel access)
{
	return cat_visibility_record(resource, ExecFetchSlotHeapTuple(slot, false, NULL), access);
}

/*
 * Read records by their ids, each into a Rows of its own; no row if a record is not visible.
 *
 * The table is opened once, and closed before anything else is read.  Returns false if a statement
 * must be used.
 */
bool
cat_row_fetch_by_ids(const Resource *resource, const char *const *ids, int count,
					 AccessLevel access, Rows *rows)
{
	CatScan scan;

	if (!OidIsValid(resource->key_index) ||
		!cat_index_scan_open(&scan, resource->relid, resource->key_index))
		return false;
	for (int i = 0; i < count; i++)
	{
		rows[i] = cat_row_fetch_whole(resource, 1);
		cat_index_scan_seek(&scan, ids[i]);
		if (cat_index_scan_next(&scan, false) && is_seen(scan.slot, resource, access))
			rows[i].tuples[rows[i].count++] = ExecCopySlotHeapTuple(scan.slot);
	}
	cat_index_scan_close(&scan);
	return true;
}

/* Read one record by its id; false if a statement must be used. */
bool
cat_row_fetch_by_id(const Resource *resource, const char *id, AccessLevel access, Rows *rows)
{
	return cat_row_fetch_by_ids(resource, &id, 1, access, rows);
}

/*
 * Read a range of a list's records in the order of creation, in their present state.
 *
 * Returns false if a statement must be used: a condition is not on a key of the record, or hardly
 * any record meets the conditions.
 */
bool
cat_row_fetch_in_order(const RequestParams *params, const Source *source, const Slice *slice,
					   Rows *rows)
{
	MergeScan merge;
	RowFilter row_filter;
	TupleTableSlot *slot;
	int64 skip = slice->placed ? 0 : slice->skip;

	if (!cat_row_filter_make(&row_filter, params) ||
		!cat_index_merge_open(&merge, params, source, &row_filter, slice))
		return false;
	*rows = cat_row_fetch_whole(params->resource, slice->limit);
	while (rows->count < slice->limit && !cat_row_filter_rejects_most(&row_filter) &&
		   (slot = cat_index_merge_next(&merge)))
	{
		if (!is_seen(slot, params->resource, params->access))
			row_filter.rejected++;
		else if (cat_row_filter_passes(&row_filter, slot) && skip-- <= 0)
			rows->tuples[rows->count++] = ExecCopySlotHeapTuple(slot);
	}
	cat_index_merge_close(&merge);
	return !cat_row_filter_rejects_most(&row_filter);
}

void
cat_row_fetch_reverse(Rows *rows)
{
	for (int i = 0, j = rows->count - 1; i < j; i++, j--)
	{
		HeapTuple tuple = rows->tuples[i];

		rows->tuples[i] = rows->tuples[j];
		rows->tuples[j] = tuple;
	}
}

/* Return the index of a field's value in a row; "id" is always part of it. */
int
cat_row_fetch_column(const Rows *rows, const Selection *selection, const char *name)
{
	int column = 1;

	if (strcmp(name, "id") == 0)
		return rows->whole ? selection->resource->id - 1 : 0;
	if (rows->whole)
		return cat_registry_field(selection->resource, name)->attno - 1;
	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0; column++)
		if (strcmp(selection->resource->fields[i].name, name) == 0)
			return column;
	elog(ERROR, "field \"%s\" is not selected", name);
}

/*
 * Fill in the rows->desc->natts values of a row.
 *
 * Like cat_sql_builder_columns(), shows deactivated_at as deleted_at.
 */
void
cat_row_fetch_values(const Rows *rows, const Resource *resource, int row, Datum *values,
					 bool *nulls)
{
	heap_deform_tuple(rows->tuples[row], rows->desc, values, nulls);
	if (rows->whole && resource->deactivates)
	{
		int deleted = resource->deleted_at - 1;
		int deactivated = resource->deactivated_at - 1;

		if (nulls[deleted])
		{
			values[deleted] = values[deactivated];
			nulls[deleted] = nulls[deactivated];
		}
	}
}
