/*
 * sheet_sort.c
 *	  Rows of a sheet put in order.
 *
 * By PostgreSQL's own sort, which goes to disk where work_mem is too small,
 * and keeps only the first rows where no more are wanted.
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
	const SheetQuery *asked;
	int keys;
	bool with_text;
	TupleDesc desc;
	Tuplesortstate *state;
	TupleTableSlot *slot;
	MemoryContext scratch;
};

/* The type that a column is put in order as. */
static Oid
type_of(const SheetQuery *asked, const SheetOrder *order)
{
	if (order->column == ROW_NUMBER)
		return INT8OID;
	switch (asked->sheet->columns[order->column].kind)
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

/* What each row has: the values that it is put in order by, its number, its text. */
static TupleDesc
make_desc(const SheetSort *sort)
{
	TupleDesc desc = CreateTemplateTupleDesc(sort->keys + 1 + sort->with_text);
	ListCell *cell;

	foreach(cell, sort->asked->orders)
		TupleDescInitEntry(desc, (AttrNumber) (foreach_current_index(cell) + 1), "key",
						   type_of(sort->asked, lfirst(cell)), -1, 0);
	TupleDescInitEntry(desc, (AttrNumber) (sort->keys + 1), "number", INT8OID, -1, 0);
	if (sort->with_text)
		TupleDescInitEntry(desc, (AttrNumber) (sort->keys + 2), "text", TEXTOID, -1, 0);
	return desc;
}

/* Begin the sort by all keys, then by the number: rows that are equal stay in their own order. */
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
		const SheetOrder *order = i < sort->keys ? list_nth(sort->asked->orders, i) : NULL;
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
 * Begin to put rows in order, in memory that lasts until cat_sheet_sort_end().
 *
 * bound: so many rows are wanted of the beginning, 0: all.  with_text: each row has a text with it.
 */
SheetSort *
cat_sheet_sort_begin(const SheetQuery *asked, int64 bound, bool with_text)
{
	SheetSort *sort = palloc0(sizeof(SheetSort));

	sort->asked = asked;
	sort->keys = list_length(asked->orders);
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

/* The value of a cell that its row is put in order by; *isnull for an empty one. */
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

/* Take a row of the present chunk; text: what is kept with it, where the sort has that. */
void
cat_sheet_sort_row(SheetSort *sort, ChunkScan *scan, int row, const StringInfoData *text)
{
	TupleTableSlot *slot = ExecClearTuple(sort->slot);
	MemoryContext old = MemoryContextSwitchTo(sort->scratch);
	int64 number = scan->chunk.first + row;
	ListCell *cell;

	foreach(cell, sort->asked->orders)
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
			key_of(&sort->asked->sheet->columns[order->column], cells_text(cells, row),
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

/* Give the next row; false at the end.  The text, where there is one, is good until the next. */
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
