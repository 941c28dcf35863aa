/*
 * sheet_scan.c
 *	  Scan of a sheet's chunks and their cells.
 */
#include "catalogue.h"

#include "executor/tuptable.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "rows/sheets/sheets.h"

/* Column numbers of catalogue.sheet_chunk. */
#define CHUNK_FIRST 2
#define CHUNK_COUNT 3
#define CHUNK_DATA 4
#define CHUNK_BOUNDS 5

/* Scans that statements read from, the last one first. */
static ChunkScan *known;

void
cat_sheet_scan_open(ChunkScan *scan, const Sheet *sheet, int64 row)
{
	memset(scan, 0, sizeof(*scan));
	scan->sheet = sheet;
	scan->memory = CurrentMemoryContext;
	scan->chunk_memory =
		AllocSetContextCreate(CurrentMemoryContext, "a chunk", ALLOCSET_DEFAULT_SIZES);
	scan->segments = palloc0(sizeof(Segment *) * ((size_t) sheet->ncolumns + 1));
	scan->folded = palloc0(sizeof(FoldedCells *) * ((size_t) sheet->ncolumns + 1));
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

/* Free what was read of the chunk. */
static void
drop_chunk(ChunkScan *scan)
{
	size_t columns = (size_t) scan->sheet->ncolumns;

	scan->open = false;
	scan->kept = NULL;
	MemoryContextReset(scan->chunk_memory);
	memset(scan->segments, 0, sizeof(Segment *) * columns);
	memset(scan->folded, 0, sizeof(FoldedCells *) * columns);
}

/* Read a chunk from the row of the table that a scan has found. */
static void
take_chunk(ChunkScan *scan, TupleTableSlot *slot)
{
	MemoryContext old = MemoryContextSwitchTo(scan->chunk_memory);
	bool isnull;

	cat_chunk_take(&scan->chunk, slot_getattr(slot, CHUNK_DATA, &isnull),
				   DatumGetInt64(slot_getattr(slot, CHUNK_FIRST, &isnull)),
				   DatumGetInt32(slot_getattr(slot, CHUNK_COUNT, &isnull)), scan->sheet->ncolumns);
	MemoryContextSwitchTo(old);
	scan->next = scan->chunk.first + scan->chunk.rows;
	scan->open = true;
}

/* Seek chunks: backwards from the one that has a row, or forwards from the one that begins with it. */
static void
open_chunks(CatScan *chunks, const ChunkScan *scan, int64 row, bool backwards)
{
	if (!cat_index_scan_open_named(chunks, "sheet_chunk", "sheet_chunk_pkey"))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("rows of files cannot be read under row security")));
	cat_index_scan_seek_numbers(chunks, scan->sheet->id, row, backwards);
}

pg_noreturn static void
refuse_missing(void)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("rows of a sheet are missing")));
}

/* Return whether a scan is at a row. */
static inline bool
is_at(const ChunkScan *scan, int64 row)
{
	return scan->open && row >= scan->chunk.first && row < scan->chunk.first + scan->chunk.rows;
}

void
cat_sheet_scan_at(ChunkScan *scan, int64 row)
{
	CatScan chunks = {0};

	if (is_at(scan, row))
		return;
	CHECK_FOR_INTERRUPTS();
	drop_chunk(scan);
	open_chunks(&chunks, scan, row, true);
	if (cat_index_scan_next(&chunks, true))
		take_chunk(scan, chunks.slot);
	cat_index_scan_close(&chunks);
	if (!is_at(scan, row))
		refuse_missing();
}

/* Return whether the chunk of a table's row may have rows that are kept. */
static bool
may_keep(const ChunkScan *scan, TupleTableSlot *slot, int64 first, int count, int but)
{
	bool isnull;
	Datum bounds;

	if (!scan->test || count < 1 || count > CHUNK_ROWS)
		return true;
	bounds = slot_getattr(slot, CHUNK_BOUNDS, &isnull);
	return scan->test->may_keep(
		scan, but, first, count,
		isnull ? NULL : pg_detoast_datum_packed((struct varlena *) DatumGetPointer(bounds)));
}

bool
cat_sheet_scan_seek_kept(ChunkScan *scan, int64 row, int but)
{
	CatScan chunks = {0};
	bool isnull;

	drop_chunk(scan);
	open_chunks(&chunks, scan, row, false);
	while (row <= scan->sheet->rows && !scan->open)
	{
		int count;

		CHECK_FOR_INTERRUPTS();
		if (!cat_index_scan_next(&chunks, false) ||
			DatumGetInt64(slot_getattr(chunks.slot, CHUNK_FIRST, &isnull)) != row)
			refuse_missing();
		count = DatumGetInt32(slot_getattr(chunks.slot, CHUNK_COUNT, &isnull));
		if (may_keep(scan, chunks.slot, row, count, but))
			take_chunk(scan, chunks.slot);
		row += count;
	}
	cat_index_scan_close(&chunks);
	return scan->open;
}

/* Return the first of the rows of the chunk, from one on, whose bit is set; as many as it has if there is none. */
static int
next_bit(const uint64 *bits, int row, int rows)
{
	for (int word = row / 64; word * 64 < rows; word++, row = word * 64)
	{
		uint64 rest = bits[word] >> (row % 64) << (row % 64);

		if (rest != 0)
			return word * 64 + pg_rightmost_one_pos64(rest);
	}
	return rows;
}

/* Read the chunk that has a row, or the first one behind it that may have rows that are kept. */
static bool
reach(ChunkScan *scan, int64 row, int but)
{
	if (row > scan->sheet->rows)
		return false;
	if (!is_at(scan, row))
	{
		/* a chunk begins with these */
		if (row == 1 || row == scan->next)
			return cat_sheet_scan_seek_kept(scan, row, but);
		cat_sheet_scan_at(scan, row);
	}
	return true;
}

/* Return the next row of the chunk that is kept, from one on; 0 if there is none. */
static int64
kept_here(ChunkScan *scan, int64 row, int but)
{
	int at = (int) (Max(row, scan->chunk.first) - scan->chunk.first);

	if (scan->test && at < scan->chunk.rows)
		at = next_bit(scan->test->keep(scan, but), at, scan->chunk.rows);
	return at < scan->chunk.rows ? scan->chunk.first + at : 0;
}

int64
cat_sheet_scan_kept_here(ChunkScan *scan, int64 row)
{
	return kept_here(scan, row, -1);
}

int
cat_sheet_scan_rows(ChunkScan *scan, int but, int *rows)
{
	const uint64 *bits = scan->test ? scan->test->keep(scan, but) : NULL;
	int count = 0;

	for (int row = 0; row < scan->chunk.rows; row++)
	{
		rows[count] = row;
		count += !bits || (bits[row / 64] >> (row % 64) & 1);
	}
	return count;
}

int64
cat_sheet_scan_kept(ChunkScan *scan, int64 row, int but)
{
	while (reach(scan, row, but))
	{
		int64 kept = kept_here(scan, row, but);

		if (kept > 0)
			return kept;
		row = scan->next;
	}
	return 0;
}

int64
cat_sheet_scan_chunk_count(ChunkScan *scan)
{
	if (!scan->test)
		return scan->chunk.rows;
	return (int64) pg_popcount((const char *) scan->test->keep(scan, -1),
							   CHUNK_WORDS * (int) sizeof(uint64));
}

int64
cat_sheet_scan_count(ChunkScan *scan)
{
	int64 count = 0;

	if (!scan->test)
		return scan->sheet->rows;
	for (int64 row = 1; cat_sheet_scan_seek_kept(scan, row, -1); row = scan->next)
		count += cat_sheet_scan_chunk_count(scan);
	return count;
}

bool
cat_sheet_scan_next(ChunkScan *scan)
{
	if (scan->next > scan->sheet->rows)
	{
		drop_chunk(scan);
		return false;
	}
	cat_sheet_scan_at(scan, scan->next);
	return true;
}

/* Read all of the current chunk. */
static void
read_chunk(ChunkScan *scan)
{
	MemoryContext old = MemoryContextSwitchTo(scan->chunk_memory);

	cat_chunk_read(&scan->chunk);
	MemoryContextSwitchTo(old);
}

bool
cat_sheet_scan_is_same(ChunkScan *scan, ChunkScan *other)
{
	if (scan->chunk.rows != other->chunk.rows || scan->chunk.stored != other->chunk.stored ||
		scan->chunk.length != other->chunk.length)
		return false;
	read_chunk(scan);
	read_chunk(other);
	return memcmp(scan->chunk.bytes, other->chunk.bytes, scan->chunk.length) == 0;
}

/* Return a column whose cells are all absent. */
static void
open_absent(Segment *segment, int rows)
{
	*segment = (Segment){.rows = rows, .point = '.'};
	segment->cells.rows = 1;
	segment->cells.bytes = "";
	segment->cells.ascii = true;
	segment->cells.starts = palloc0(sizeof(uint32) * 2);
	segment->cells.absent = palloc(sizeof(bool));
	segment->cells.absent[0] = true;
	segment->codes = palloc0(sizeof(uint64) * (size_t) rows);
}

Segment *
cat_sheet_scan_segment(ChunkScan *scan, int column)
{
	MemoryContext old;
	Segment *segment;

	if (scan->segments[column])
		return scan->segments[column];
	old = MemoryContextSwitchTo(scan->chunk_memory);
	segment = palloc(sizeof(Segment));
	if (column < scan->chunk.columns)
		cat_chunk_segment(&scan->chunk, column, segment);
	else
		open_absent(segment, scan->chunk.rows);
	MemoryContextSwitchTo(old);
	scan->segments[column] = segment;
	return segment;
}

CellText
cat_sheet_scan_cell(ChunkScan *scan, int column, int row)
{
	return cat_segment_cell(cat_sheet_scan_segment(scan, column), row);
}

/* Fold cells: together, unless the length of one may change. */
static FoldedCells *
fold_cells(const Cells *cells)
{
	FoldedCells *folded = palloc(sizeof(FoldedCells));

	initStringInfo(&folded->bytes);
	folded->starts = cells->starts;
	if (cells->ascii)
	{
		cat_fold_append(&folded->bytes, cells->bytes, cells->starts[cells->rows]);
		return folded;
	}
	folded->starts = palloc(sizeof(uint32) * ((size_t) cells->rows + 1));
	for (int i = 0; i < cells->rows; i++)
	{
		folded->starts[i] = (uint32) folded->bytes.len;
		cat_fold_append(&folded->bytes, segment_cells_text(cells, i),
						(size_t) segment_cells_length(cells, i));
	}
	folded->starts[cells->rows] = (uint32) folded->bytes.len;
	return folded;
}

const FoldedCells *
cat_sheet_scan_folded_cells(ChunkScan *scan, int column)
{
	const Segment *segment = cat_sheet_scan_segment(scan, column);
	MemoryContext old;

	if (scan->folded[column])
		return scan->folded[column];
	old = MemoryContextSwitchTo(scan->chunk_memory);
	scan->folded[column] = fold_cells(&segment->cells);
	MemoryContextSwitchTo(old);
	return scan->folded[column];
}

/* Return whether the rows of two sheets, which have as many rows and columns, have the same cells. */
CAT_FUNCTION(catalogue_is_same_sheet)
{
	Sheet sheets[2] = {{.id = PG_GETARG_INT64(ARG_IS_SAME_SHEET_FORMER)},
					   {.id = PG_GETARG_INT64(ARG_IS_SAME_SHEET_LATER)}};
	ChunkScan scans[2];

	for (int i = 0; i < 2; i++)
	{
		sheets[i].rows = PG_GETARG_INT64(ARG_IS_SAME_SHEET_ROWS);
		sheets[i].ncolumns = PG_GETARG_INT32(ARG_IS_SAME_SHEET_COLUMNS);
		cat_sheet_scan_open(&scans[i], &sheets[i], 1);
	}
	for (int64 row = 1; row <= sheets[0].rows; row++)
	{
		cat_sheet_scan_at(&scans[0], row);
		cat_sheet_scan_at(&scans[1], row);
		if (row == scans[0].chunk.first && row == scans[1].chunk.first &&
			cat_sheet_scan_is_same(&scans[0], &scans[1]))
		{
			row = scans[0].next - 1;
			continue;
		}
		for (int column = 0; column < sheets[0].ncolumns; column++)
		{
			CellText former =
				cat_sheet_scan_cell(&scans[0], column, (int) (row - scans[0].chunk.first));
			CellText later =
				cat_sheet_scan_cell(&scans[1], column, (int) (row - scans[1].chunk.first));

			if (former.absent != later.absent || former.length != later.length ||
				memcmp(former.bytes, later.bytes, (size_t) former.length) != 0)
				PG_RETURN_BOOL(false);
		}
	}
	PG_RETURN_BOOL(true);
}
