/*
 * row_fetch.c
 *	  Records as they were read: by a statement, or straight from an index.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/rel.h"

/* The rows of the last statement, whose columns are those of query_columns(). */
Rows
rows_of_statement(void)
{
	Rows rows = {SPI_tuptable->tupdesc, SPI_tuptable->vals, (int) SPI_processed, false, false};

	return rows;
}

/* Room for so many rows of the resource's table. */
Rows
rows_whole(const Resource *resource, int most)
{
	Rows rows = {resource->desc, palloc(sizeof(HeapTuple) * (most + 1)), 0, true, false};

	return rows;
}

/* Whether the record in the slot is to be seen. */
static bool
is_seen(TupleTableSlot *slot, const Resource *resource, Sight sight)
{
	return visibility_record(resource, ExecFetchSlotHeapTuple(slot, false, NULL), sight);
}

/*
 * Read some records by their ids, each into rows of its own; none where it is not to be seen.
 *
 * The table is opened once for all, and let go before anything else is looked at.  False where a
 * statement must do it.
 */
bool
rows_by_ids(const Resource *resource, const char *const *ids, int count, Sight sight, Rows *rows)
{
	CatScan scan;

	if (!OidIsValid(resource->key_index) || !scan_open(&scan, resource->relid, resource->key_index))
		return false;
	for (int i = 0; i < count; i++)
	{
		rows[i] = rows_whole(resource, 1);
		scan_seek(&scan, ids[i]);
		if (scan_next(&scan, false) && is_seen(scan.slot, resource, sight))
			rows[i].tuples[rows[i].count++] = ExecCopySlotHeapTuple(scan.slot);
	}
	scan_close(&scan);
	return true;
}

/* So, of one record. */
bool
rows_by_id(const Resource *resource, const char *id, Sight sight, Rows *rows)
{
	return rows_by_ids(resource, &id, 1, sight, rows);
}

/*
 * Read a stretch of a list's records in the order of creation, as they are.
 *
 * False where a statement must do it: there are conditions that are not on
 * keys of the record, or that hardly any fulfils.
 */
bool
rows_in_order(const Params *params, const Source *source, const Stretch *stretch, Rows *rows)
{
	Trail trail;
	Sieve sieve;
	TupleTableSlot *slot;
	int64 skip = stretch->placed ? 0 : stretch->skip;

	if (!sieve_make(&sieve, params) || !trail_open(&trail, params, source, &sieve, stretch))
		return false;
	*rows = rows_whole(params->resource, stretch->limit);
	while (rows->count < stretch->limit && !sieve_is_clogged(&sieve) && (slot = trail_next(&trail)))
	{
		if (!is_seen(slot, params->resource, params->sight))
			sieve.rejected++;
		else if (sieve_passes(&sieve, slot) && skip-- <= 0)
			rows->tuples[rows->count++] = ExecCopySlotHeapTuple(slot);
	}
	trail_close(&trail);
	return !sieve_is_clogged(&sieve);
}

void
rows_reverse(Rows *rows)
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
rows_column(const Rows *rows, const Selection *selection, const char *name)
{
	int column = 1;

	if (strcmp(name, "id") == 0)
		return rows->whole ? selection->resource->id - 1 : 0;
	if (rows->whole)
		return registry_field(selection->resource, name)->attno - 1;
	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0; column++)
		if (strcmp(selection->resource->fields[i].name, name) == 0)
			return column;
	elog(ERROR, "field \"%s\" is not selected", name);
}

/*
 * The values of a row, rows->desc->natts of them.
 *
 * When a record was deactivated is shown as when it was deleted, as
 * query_columns() does in SQL.
 */
void
rows_values(const Rows *rows, const Resource *resource, int row, Datum *values, bool *nulls)
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
