/*
 * sheet_scan.c
 *	  Scan of a sheet's chunks and their cells.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "pg/pg.h"
#include "sheets/sheets.h"
#include "sheets/sheets_internal.h"

/* Column numbers of catalogue.sheet_chunk. */
#define CHUNK_FIRST 2
#define CHUNK_COUNT 3
#define CHUNK_DATA 4

/*
 * Return the number of the first row of the chunk that contains a row; the row's own number if
 * there is none.
 */
static int64
first_with(ChunkScan *scan, int64 row)
{
	bool isnull;

	if (row <= 1)
		return 1;
	cat_index_scan_seek_numbers(&scan->scan, scan->sheet->id, row, true);
	return cat_index_scan_next(&scan->scan, true)
			   ? DatumGetInt64(slot_getattr(scan->scan.slot, CHUNK_FIRST, &isnull))
			   : row;
}

/* Open the index scan after the chunk that was read last; call cat_sheet_scan_next() then. */
void
cat_sheet_scan_attach(ChunkScan *scan)
{
	scan->scan = (CatScan){0};
	if (!cat_index_scan_open_named(&scan->scan, "sheet_chunk", "sheet_chunk_pkey"))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("rows of files cannot be read under row security")));
	cat_index_scan_seek_numbers(&scan->scan, scan->sheet->id, scan->next, false);
}

/* Close the index scan; the chunk remains. */
void
cat_sheet_scan_detach(ChunkScan *scan)
{
	cat_index_scan_close(&scan->scan);
}

/* Begin a scan at the chunk that contains a row; call cat_sheet_scan_next() then. */
void
cat_sheet_scan_open(ChunkScan *scan, const Sheet *sheet, int64 row)
{
	memset(scan, 0, sizeof(*scan));
	scan->sheet = sheet;
	scan->memory = CurrentMemoryContext;
	scan->cells = palloc0(sizeof(Cells *) * (sheet->ncolumns + 1));
	scan->decoded = palloc0(sizeof(int64) * (sheet->ncolumns + 1));
	cat_sheet_scan_attach(scan);
	scan->next = first_with(scan, row);
	cat_index_scan_seek_numbers(&scan->scan, sheet->id, scan->next, false);
}

static void
drop_data(ChunkScan *scan)
{
	if (scan->data)
		pfree(scan->data);
	scan->data = NULL;
}

/* Read the next chunk; false after the last row of the sheet. */
bool
cat_sheet_scan_next(ChunkScan *scan)
{
	TupleTableSlot *slot;
	MemoryContext old;
	bool isnull;
	int64 first;

	CHECK_FOR_INTERRUPTS();
	drop_data(scan);
	if (scan->next > scan->sheet->rows)
		return false;
	if (!cat_index_scan_next(&scan->scan, false))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("rows of a sheet are missing")));
	slot = scan->scan.slot;
	first = DatumGetInt64(slot_getattr(slot, CHUNK_FIRST, &isnull));
	if (first != scan->next)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("rows of a sheet are missing")));
	old = MemoryContextSwitchTo(scan->memory);
	scan->data = PG_DETOAST_DATUM_COPY(slot_getattr(slot, CHUNK_DATA, &isnull));
	MemoryContextSwitchTo(old);
	cat_chunk_open(&scan->chunk, VARDATA(scan->data), VARSIZE(scan->data) - VARHDRSZ, first,
				   DatumGetInt32(slot_getattr(slot, CHUNK_COUNT, &isnull)));
	scan->next = first + scan->chunk.rows;
	return true;
}

/*
 * Return the cells of a column of the current chunk; all are absent if the chunk does not have the
 * column.
 */
const Cells *
cat_sheet_scan_cells(ChunkScan *scan, int column)
{
	Cells *cells = scan->cells[column];

	if (!cells)
		cells = scan->cells[column] = MemoryContextAlloc(scan->memory, sizeof(Cells));
	if (scan->decoded[column] == scan->chunk.first)
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
	scan->decoded[column] = scan->chunk.first;
	return cells;
}

void
cat_sheet_scan_close(ChunkScan *scan)
{
	drop_data(scan);
	cat_sheet_scan_detach(scan);
}
