/*
 * sheets.h
 *	  Rows of files as they are stored: sheets, chunks and cells.
 *	  Decisions: docs/explanation/decisions.md#extensionrowssheets
 */
#ifndef CATALOGUE_SHEETS_SHEETS_H
#define CATALOGUE_SHEETS_SHEETS_H

#include "catalogue.h"

#include "pg/pg.h"
#include "rows/sheets/cell.h"
#include "rows/sheets/chunk.h"

typedef struct Sheet
{
	int64 id, revision;
	int number;
	char *name;
	bool hidden;
	int64 rows;
	int ncolumns;
	const SheetColumn *columns;
} Sheet;

/* Rows as they are packed; a head that was found to be right. */
typedef struct Chunk
{
	const unsigned char *bytes;
	size_t length;
	int64 first; /* number of the first row */
	int rows;
	int columns;
} Chunk;

/* The cells of one column of a chunk. */
typedef struct Cells
{
	const char *bytes;
	int rows;
	bool ascii;					   /* no cell has another letter */
	uint32 starts[CHUNK_ROWS + 1]; /* where in bytes each begins, and the last ends */
	bool absent[CHUNK_ROWS];
} Cells;

/* The cells of one column of a chunk without case and accents. */
typedef struct FoldedCells
{
	int64 of; /* ChunkScan.read of the chunk that they are of */
	StringInfoData bytes;
	uint32 starts[CHUNK_ROWS + 1];
} FoldedCells;

struct ChunkScan;
typedef bool (*WriteRow)(StringInfo out, const void *asked, struct ChunkScan *scan, int row);

/* Chunks of a sheet in their order. */
typedef struct ChunkScan
{
	const Sheet *sheet;
	MemoryContext memory;	 /* of all that follows */
	int64 number;			 /* by which SQL names it; 0: it does not */
	struct ChunkScan *outer; /* the next one of those that have a number */
	WriteRow write;
	const void *asked; /* argument of write(), which appends a row for cell_row() */
	int64 held;		   /* bytes of the cells that aggregates keep, or of the rows of a page */
	int64 next;		   /* number of the row behind the chunk */
	void *data;		   /* of the chunk, NULL: none */
	Chunk chunk;
	Cells **cells;		  /* of each column, as far as they were asked for */
	int64 read;			  /* how many chunks were read so far */
	int64 *decoded;		  /* that number when they were decoded */
	FoldedCells **folded; /* of each column, likewise */
} ChunkScan;

/* The bytes of a cell. */
static inline const char *
cells_text(const Cells *cells, int row)
{
	return cells->bytes + cells->starts[row];
}

/* The length of a cell, 0 for one that is not there. */
static inline int
cells_length(const Cells *cells, int row)
{
	return (int) (cells->starts[row + 1] - cells->starts[row]);
}

/* chunk.c */

/* Read the head of a chunk; raises an error unless it has these rows. */
extern void cat_chunk_open(Chunk *chunk, const void *bytes, size_t length, int64 first, int count);
/* Find the cells of a column. */
extern void cat_chunk_cells(const Chunk *chunk, int column, Cells *cells);

/* sheet_scan.c */

/* Begin to read at the chunk that has a row; cat_sheet_scan_next() comes next.  What is read is freed
 * with the present memory context. */
extern void cat_sheet_scan_open(ChunkScan *scan, const Sheet *sheet, int64 row);
/* Return a scan that statements read from by its number, until the current memory context is
 * reset. */
extern ChunkScan *cat_sheet_scan_known(const Sheet *sheet);
extern ChunkScan *cat_sheet_scan_numbered(int64 number);
/* Read the chunk that contains a row, unless it is the current one. */
extern void cat_sheet_scan_at(ChunkScan *scan, int64 row);
/* Read the next chunk; false after the last row of the sheet. */
extern bool cat_sheet_scan_next(ChunkScan *scan);
/* Return the cells of a column of the current chunk; all are absent if the chunk does not have
 * the column. */
extern const Cells *cat_sheet_scan_cells(ChunkScan *scan, int column);
extern const FoldedCells *cat_sheet_scan_folded(ChunkScan *scan, int column);

#endif /* CATALOGUE_SHEETS_SHEETS_H */
