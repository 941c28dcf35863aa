/*
 * row_fetch.c
 *	  Records as they were read: by a statement, or straight from an index.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/rel.h"

/* The rows of the last statement, whose columns are those of cat_sql_builder_columns(). */
Rows
cat_row_fetch_of_statement(void)
{
	Rows rows = {SPI_tuptable->tupdesc, SPI_tuptable->vals, (int) SPI_processed, false, false};

	return rows;
}

/* Room for so many rows of the resource's table. */
Rows
cat_row_fetch_whole(const Resource *resource, int most)
{
	Rows rows = {resource->desc, palloc(sizeof(HeapTuple) * (most + 1)), 0, true, false};

	return rows;
}

/* Whether the record in the slot is to be seen. */
static bool
is_seen(TupleTableSlot *slot, const Resource *resource, AccessLevel sight)
{
	return cat_visibility_record(resource, ExecFetchSlotHeapTuple(slot, false, NULL), sight);
}

/*
 * Read some records by their ids, each into rows of its own; none where it is not to be seen.
 *
 * The table is opened once for all, and let go before anything else is looked at.  False where a
 * statement must do it.
 */
bool
cat_row_fetch_by_ids(const Resource *resource, const char *const *ids, int count, AccessLevel sight,
					 Rows *rows)
{
	CatScan scan;

	if (!OidIsValid(resource->key_index) ||
		!cat_index_scan_open(&scan, resource->relid, resource->key_index))
		return false;
	for (int i = 0; i < count; i++)
	{
		rows[i] = cat_row_fetch_whole(resource, 1);
		cat_index_scan_seek(&scan, ids[i]);
		if (cat_index_scan_next(&scan, false) && is_seen(scan.slot, resource, sight))
			rows[i].tuples[rows[i].count++] = ExecCopySlotHeapTuple(scan.slot);
	}
	cat_index_scan_close(&scan);
	return true;
}

/* Read one record by its id; false where a statement must do it. */
bool
cat_row_fetch_by_id(const Resource *resource, const char *id, AccessLevel sight, Rows *rows)
{
	return cat_row_fetch_by_ids(resource, &id, 1, sight, rows);
}

/*
 * Read a stretch of a list's records in the order of creation, as they are.
 *
 * False where a statement must do it: there are conditions that are not on
 * keys of the record, or that hardly any fulfils.
 */
bool
cat_row_fetch_in_order(const RequestParams *params, const Source *source, const Stretch *stretch,
					   Rows *rows)
{
	MergeScan trail;
	RowFilter sieve;
	TupleTableSlot *slot;
	int64 skip = stretch->placed ? 0 : stretch->skip;

	if (!cat_row_filter_make(&sieve, params) ||
		!cat_index_merge_open(&trail, params, source, &sieve, stretch))
		return false;
	*rows = cat_row_fetch_whole(params->resource, stretch->limit);
	while (rows->count < stretch->limit && !cat_row_filter_rejects_most(&sieve) &&
		   (slot = cat_index_merge_next(&trail)))
	{
		if (!is_seen(slot, params->resource, params->sight))
			sieve.rejected++;
		else if (cat_row_filter_passes(&sieve, slot) && skip-- <= 0)
			rows->tuples[rows->count++] = ExecCopySlotHeapTuple(slot);
	}
	cat_index_merge_close(&trail);
	return !cat_row_filter_rejects_most(&sieve);
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

/* The place of a field of the selection in the values of a row; "id" is always there. */
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
 * The values of a row, rows->desc->natts of them.
 *
 * When a record was deactivated is shown as when it was deleted, as
 * cat_sql_builder_columns() does in SQL.
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
