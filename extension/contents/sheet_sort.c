/*
 * sheet_sort.c
 *	  Sorting of a sheet's rows.
 *
 * It uses tuplesort, which writes to disk beyond work_mem, and keeps only the first rows if no more
 * are wanted.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "base/base.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "sheets/sheets.h"

struct SheetSort
{
	const SheetQuery *sheet_query;
	int keys;
	bool with_text;
	TupleDesc desc;
	Tuplesortstate *state;
	TupleTableSlot *slot;
	MemoryContext scratch;
};

/* Return the type to sort a column as. */
static Oid
type_of(const SheetQuery *sheet_query, const SheetOrder *order)
{
	if (order->column == ROW_NUMBER)
		return INT8OID;
	switch (sheet_query->sheet->columns[order->column].kind)
	{
		case CELL_INTEGER:
		case CELL_DECIMAL:
			return NUMERICOID;
		case CELL_BOOLEAN:
		case CELL_DATE:
		case CELL_DATETIME:
			return INT8OID;
		case CELL_TEXT:
			break;
	}
	return TEXTOID;
}

/* Return the tuple descriptor of the sort: keys, row number, text. */
static TupleDesc
make_desc(const SheetSort *sort)
{
	TupleDesc desc = CreateTemplateTupleDesc(sort->keys + 1 + sort->with_text);
	ListCell *cell;

	foreach(cell, sort->sheet_query->orders)
		TupleDescInitEntry(desc, (AttrNumber) (foreach_current_index(cell) + 1), "key",
						   type_of(sort->sheet_query, lfirst(cell)), -1, 0);
	TupleDescInitEntry(desc, (AttrNumber) (sort->keys + 1), "number", INT8OID, -1, 0);
	if (sort->with_text)
		TupleDescInitEntry(desc, (AttrNumber) (sort->keys + 2), "text", TEXTOID, -1, 0);
	return desc;
}

/* Begin the sort by all keys, then by row number, so that it is stable. */
static Tuplesortstate *
begin_state(const SheetSort *sort)
{
	int count = sort->keys + 1;
	AttrNumber *columns = palloc(sizeof(AttrNumber) * (size_t) count);
	Oid *operators = palloc(sizeof(Oid) * (size_t) count);
	Oid *collations = palloc0(sizeof(Oid) * (size_t) count);
	bool *nulls_first = palloc0(sizeof(bool) * (size_t) count);

	for (int i = 0; i < count; i++)
	{
		const SheetOrder *order = i < sort->keys ? list_nth(sort->sheet_query->orders, i) : NULL;
		Oid type = TupleDescAttr(sort->desc, i)->atttypid;
		TypeCacheEntry *known = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

		columns[i] = (AttrNumber) (i + 1);
		operators[i] = order && order->descending ? known->gt_opr : known->lt_opr;
		collations[i] = type == TEXTOID ? cat_fold_collation() : InvalidOid;
	}
	return tuplesort_begin_heap(sort->desc, count, columns, operators, collations, nulls_first,
								work_mem, NULL, TUPLESORT_ALLOWBOUNDED);
}

/*
 * Begin a sort; it lives in the current memory context until cat_sheet_sort_end().
 *
 * bound: number of rows wanted from the beginning, 0 for all.  with_text: each row carries a text.
 */
SheetSort *
cat_sheet_sort_begin(const SheetQuery *sheet_query, int64 bound, bool with_text)
{
	SheetSort *sort = palloc0(sizeof(SheetSort));

	sort->sheet_query = sheet_query;
	sort->keys = list_length(sheet_query->orders);
	sort->with_text = with_text;
	sort->desc = make_desc(sort);
	sort->state = begin_state(sort);
	sort->slot = MakeSingleTupleTableSlot(sort->desc, &TTSOpsVirtual);
	sort->scratch =
		AllocSetContextCreate(CurrentMemoryContext, "catalogue sort", ALLOCSET_DEFAULT_SIZES);
	if (bound > 0)
		tuplesort_set_bound(sort->state, bound);
	return sort;
}

/* Return the sort key of a cell; *isnull is set for an empty or invalid one. */
static Datum
key_of(const SheetColumn *column, const char *text, int length, bool *isnull)
{
	CellValue value;

	*isnull = length == 0;
	if (length == 0)
		return (Datum) 0;
	if (column->kind == CELL_TEXT)
		return PointerGetDatum(cstring_to_text_with_len(text, length));
	*isnull = !cat_cell_value(column, text, length, &value);
	if (*isnull)
		return (Datum) 0;
	if (column->kind == CELL_INTEGER || column->kind == CELL_DECIMAL)
		return cat_cell_numeric(&value.number);
	return Int64GetDatum(column->kind == CELL_BOOLEAN ? (int64) value.number.value : value.instant);
}

/* Add a row of the current chunk; text: stored with the row if the sort has texts. */
void
cat_sheet_sort_row(SheetSort *sort, ChunkScan *scan, int row, const StringInfoData *text)
{
	TupleTableSlot *slot = ExecClearTuple(sort->slot);
	MemoryContext old = MemoryContextSwitchTo(sort->scratch);
	int64 number = scan->chunk.first + row;
	ListCell *cell;

	foreach(cell, sort->sheet_query->orders)
	{
		const SheetOrder *order = lfirst(cell);
		int at = foreach_current_index(cell);
		const Cells *cells;

		slot->tts_isnull[at] = false;
		slot->tts_values[at] = Int64GetDatum(number);
		if (order->column == ROW_NUMBER)
			continue;
		cells = cat_sheet_scan_cells(scan, order->column);
		slot->tts_values[at] =
			key_of(&sort->sheet_query->sheet->columns[order->column], cells_text(cells, row),
				   cells_length(cells, row), &slot->tts_isnull[at]);
	}
	slot->tts_values[sort->keys] = Int64GetDatum(number);
	slot->tts_isnull[sort->keys] = false;
	if (sort->with_text)
	{
		slot->tts_values[sort->keys + 1] =
			PointerGetDatum(cstring_to_text_with_len(text->data, text->len));
		slot->tts_isnull[sort->keys + 1] = false;
	}
	MemoryContextSwitchTo(old);
	tuplesort_puttupleslot(sort->state, ExecStoreVirtualTuple(slot));
	MemoryContextReset(sort->scratch);
}

void
cat_sheet_sort_perform(SheetSort *sort)
{
	ExecDropSingleTupleTableSlot(sort->slot);
	sort->slot = MakeSingleTupleTableSlot(sort->desc, &TTSOpsMinimalTuple);
	tuplesort_performsort(sort->state);
}

/*
 * Return the next row; false at the end.  The text, if the sort has one, is valid until the next
 * call.
 */
bool
cat_sheet_sort_next(SheetSort *sort, int64 *number, text **with)
{
	bool isnull;

	if (!tuplesort_gettupleslot(sort->state, true, false, sort->slot, NULL))
		return false;
	*number = DatumGetInt64(slot_getattr(sort->slot, sort->keys + 1, &isnull));
	if (sort->with_text)
		*with = DatumGetTextPP(slot_getattr(sort->slot, sort->keys + 2, &isnull));
	return true;
}

void
cat_sheet_sort_end(SheetSort *sort)
{
	ExecDropSingleTupleTableSlot(sort->slot);
	tuplesort_end(sort->state);
	MemoryContextDelete(sort->scratch);
}
