/*
 * sheet_scan.c
 *	  Scan of a sheet's chunks and their cells.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "executor/tuptable.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/array.h"

#include "rows/sheets/sheets.h"

/* Column numbers of catalogue.sheet_chunk. */
#define CHUNK_FIRST 2
#define CHUNK_COUNT 3
#define CHUNK_DATA 4

/* Scans that statements read from, the last one first. */
static ChunkScan *known;

void
cat_sheet_scan_open(ChunkScan *scan, const Sheet *sheet, int64 row)
{
	memset(scan, 0, sizeof(*scan));
	scan->sheet = sheet;
	scan->memory = CurrentMemoryContext;
	scan->cells = palloc0(sizeof(Cells *) * (sheet->ncolumns + 1));
	scan->decoded = palloc0(sizeof(int64) * (sheet->ncolumns + 1));
	scan->folded = palloc0(sizeof(FoldedCells *) * (sheet->ncolumns + 1));
	scan->next = Max(row, 1);
}

/* Callback at the end of a scan's memory: no statement reads from it any more. */
static void
forget(void *scan)
{
	for (ChunkScan **at = &known; *at; at = &(*at)->outer)
		if (*at == scan)
		{
			*at = (*at)->outer;
			return;
		}
}

ChunkScan *
cat_sheet_scan_known(const Sheet *sheet)
{
	static int64 number;
	ChunkScan *scan = palloc(sizeof(ChunkScan));
	MemoryContextCallback *end = palloc0(sizeof(MemoryContextCallback));

	cat_sheet_scan_open(scan, sheet, 1);
	scan->number = ++number;
	scan->outer = known;
	known = scan;
	end->func = forget;
	end->arg = scan;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, end);
	return scan;
}

/* Return the scan of a number. */
ChunkScan *
cat_sheet_scan_numbered(int64 number)
{
	for (ChunkScan *scan = known; scan; scan = scan->outer)
		if (scan->number == number)
			return scan;
	elog(ERROR, "there is no scan " INT64_FORMAT, number);
}

static void
drop_data(ChunkScan *scan)
{
	if (scan->data)
		pfree(scan->data);
	scan->data = NULL;
}

/* Read a chunk from the row of the table that a scan has found. */
static void
take_chunk(ChunkScan *scan, TupleTableSlot *slot)
{
	MemoryContext old = MemoryContextSwitchTo(scan->memory);
	bool isnull;

	scan->data = PG_DETOAST_DATUM_COPY(slot_getattr(slot, CHUNK_DATA, &isnull));
	MemoryContextSwitchTo(old);
	cat_chunk_open(&scan->chunk, VARDATA(scan->data), VARSIZE(scan->data) - VARHDRSZ,
				   DatumGetInt64(slot_getattr(slot, CHUNK_FIRST, &isnull)),
				   DatumGetInt32(slot_getattr(slot, CHUNK_COUNT, &isnull)));
	scan->next = scan->chunk.first + scan->chunk.rows;
	scan->read++;
}

void
cat_sheet_scan_at(ChunkScan *scan, int64 row)
{
	CatScan chunks = {0};

	if (scan->data && row >= scan->chunk.first && row < scan->next)
		return;
	CHECK_FOR_INTERRUPTS();
	drop_data(scan);
	if (!cat_index_scan_open_named(&chunks, "sheet_chunk", "sheet_chunk_pkey"))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("rows of files cannot be read under row security")));
	cat_index_scan_seek_numbers(&chunks, scan->sheet->id, row, true);
	if (cat_index_scan_next(&chunks, true))
		take_chunk(scan, chunks.slot);
	cat_index_scan_close(&chunks);
	if (!scan->data || row >= scan->next)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("rows of a sheet are missing")));
}

bool
cat_sheet_scan_next(ChunkScan *scan)
{
	if (scan->next > scan->sheet->rows)
	{
		drop_data(scan);
		return false;
	}
	cat_sheet_scan_at(scan, scan->next);
	return true;
}

const Cells *
cat_sheet_scan_cells(ChunkScan *scan, int column)
{
	Cells *cells = scan->cells[column];

	if (!cells)
		cells = scan->cells[column] = MemoryContextAlloc(scan->memory, sizeof(Cells));
	if (scan->decoded[column] == scan->read)
		return cells;
	if (column < scan->chunk.columns)
		cat_chunk_cells(&scan->chunk, column, cells);
	else
	{
		memset(cells, 0, sizeof(Cells));
		cells->rows = scan->chunk.rows;
		cells->ascii = true;
		memset(cells->absent, true, sizeof(cells->absent));
	}
	scan->decoded[column] = scan->read;
	return cells;
}

/* Fold the cells of a column: together, unless the length of one may change. */
static void
fold_cells(FoldedCells *folded, const Cells *cells)
{
	resetStringInfo(&folded->bytes);
	if (cells->ascii)
	{
		memcpy(folded->starts, cells->starts, sizeof(cells->starts));
		cat_fold_append(&folded->bytes, cells->bytes, cells->starts[cells->rows]);
		return;
	}
	for (int i = 0; i < cells->rows; i++)
	{
		folded->starts[i] = (uint32) folded->bytes.len;
		cat_fold_append(&folded->bytes, cells_text(cells, i), (size_t) cells_length(cells, i));
	}
	folded->starts[cells->rows] = (uint32) folded->bytes.len;
}

/* Return the cells of a column of the current chunk, folded. */
const FoldedCells *
cat_sheet_scan_folded(ChunkScan *scan, int column)
{
	FoldedCells *folded = scan->folded[column];
	MemoryContext old;

	if (folded && folded->of == scan->read)
		return folded;
	old = MemoryContextSwitchTo(scan->memory);
	if (!folded)
	{
		folded = scan->folded[column] = palloc0(sizeof(FoldedCells));
		initStringInfo(&folded->bytes);
	}
	fold_cells(folded, cat_sheet_scan_cells(scan, column));
	folded->of = scan->read;
	MemoryContextSwitchTo(old);
	return folded;
}
