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
#include "rows/sheets/segment.h"

/* Columns of the places of rows. */
enum
{
	LATITUDE,
	LONGITUDE,
	GEOMETRY, /* WKT */
	PLACE_COLUMNS
};

typedef struct Sheet
{
	int64 id, revision;
	int number;
	char *name;
	bool hidden;
	int64 rows;
	int ncolumns;
	const SheetColumn *columns;
	char *places[PLACE_COLUMNS]; /* names of the columns in which the reader has found places */
	int64 longer;				 /* geometries that are too long to be given as WKT, */
	int64 omitted;				 /* and those that the reader has left out */
} Sheet;

/* A chunk whose head was found to be right. */
typedef struct Chunk
{
	const unsigned char *bytes; /* its head and, without value, its sections */
	size_t length;
	struct varlena *value; /* what sections are read from, one by one; NULL: bytes has them */
	int apart;			   /* how many were */
	bool stored;		   /* sections are segments */
	int64 first;		   /* number of the first row */
	int rows;
	int columns;
} Chunk;

/* Cells without case and accents: where in bytes each begins, and the last ends. */
typedef struct FoldedCells
{
	StringInfoData bytes;
	uint32 *starts;
} FoldedCells;

struct ChunkScan;
typedef bool (*WriteRow)(StringInfo out, const void *asked, struct ChunkScan *scan, int row);

/* Which rows of a scan are kept: of the rows of a chunk a bit each, and whether a chunk can have any. */
typedef struct RowTest
{
	/* but: a column whose conditions are left out, -1: none.  The bits are there as long as the chunk. */
	const uint64 *(*keep)(struct ChunkScan *scan, int but);
	/* bounds: of catalogue.sheet_chunk, NULL for none. */
	bool (*may_keep)(const struct ChunkScan *scan, int but, int64 first, int count,
					 const struct varlena *bounds);
} RowTest;

/* Chunks of a sheet in their order. */
typedef struct ChunkScan
{
	const Sheet *sheet;
	MemoryContext memory;	 /* of all that follows */
	int64 number;			 /* by which SQL names it; 0: it does not */
	struct ChunkScan *outer; /* the next one of those that have a number */
	WriteRow write;
	const void *asked;	 /* argument of write(), which appends a row for cell_row() */
	const RowTest *test; /* NULL: all rows are kept */
	void *tests;		 /* what test knows of them */
	void *kept;			 /* what it knows of the chunk, NULL: nothing yet */
	int64 held;			 /* bytes of the cells that aggregates keep, or of the rows of a page */
	int64 next;			 /* number of the row behind the chunk */
	MemoryContext chunk_memory; /* of what is read of a chunk */
	bool open;					/* there is one */
	Chunk chunk;
	Segment **segments; /* of each column, as far as they were asked for */
	FoldedCells *
		*folded; /* of each column, likewise: of its cells, of a segment of codes of its texts */
} ChunkScan;

/* chunk.c */

/* Read the head of a packed chunk; raises an error unless it has these rows. */
extern void cat_chunk_open(Chunk *chunk, const void *bytes, size_t length, int64 first, int count);
/* Read the head of a chunk of the table, in the current memory context; columns: as many as it probably has. */
extern void cat_chunk_take(Chunk *chunk, Datum data, int64 first, int count, int columns);
/* Read all sections that were not read yet, in the current memory context. */
extern void cat_chunk_read(Chunk *chunk);
/* Read a column, in the current memory context. */
extern void cat_chunk_segment(Chunk *chunk, int column, Segment *segment);

/* chunk_write.c */

/* A column of numbers: whole ones, of which so many digits are behind the decimal point. */
typedef struct NumberColumn
{
	const int64 *numbers;
	int digits;
} NumberColumn;

/* Return a chunk of columns of numbers as the tables have it, which cat_chunk_take() reads. */
extern bytea *cat_chunk_write_numbers(const NumberColumn *columns, int count, int rows);

/* sheet_scan.c */

/* Begin to read at the chunk that has a row; cat_sheet_scan_next() comes next.  What is read is freed
 * with the present memory context. */
extern void cat_sheet_scan_open(ChunkScan *scan, const Sheet *sheet, int64 row);
/* Return a scan that statements read from by its number, until the current memory context is reset. */
extern ChunkScan *cat_sheet_scan_known(const Sheet *sheet);
extern ChunkScan *cat_sheet_scan_numbered(int64 number);
/* Read the chunk that contains a row, unless it is the current one. */
extern void cat_sheet_scan_at(ChunkScan *scan, int64 row);
/* Read the next chunk; false after the last row of the sheet. */
extern bool cat_sheet_scan_next(ChunkScan *scan);
/* Read the chunk that begins with a row, or the first one behind it that may have rows that are kept; false if there
 * is none. */
extern bool cat_sheet_scan_seek_kept(ChunkScan *scan, int64 row, int but);
/* Return the next row that is kept, from one on, which becomes the current one; 0 if there is none. */
extern int64 cat_sheet_scan_kept(ChunkScan *scan, int64 row, int but);
/* Return the next row of the current chunk that is kept, from one on; 0 if there is none. */
extern int64 cat_sheet_scan_kept_here(ChunkScan *scan, int64 row);
/* List the rows of the current chunk that are kept, from 0 on, and return how many there are. */
extern int cat_sheet_scan_rows(ChunkScan *scan, int but, int *rows);
/* Count the rows that are kept: of the current chunk, and of all. */
extern int64 cat_sheet_scan_chunk_count(ChunkScan *scan);
extern int64 cat_sheet_scan_count(ChunkScan *scan);
/* Return whether the current chunks of two scans have the same bytes. */
extern bool cat_sheet_scan_is_same(ChunkScan *scan, ChunkScan *other);
/* Return a column of the current chunk; all cells are absent if the chunk does not have it. */
extern Segment *cat_sheet_scan_segment(ChunkScan *scan, int column);
/* Return a cell of the current chunk, which is there until the next one of its column is asked for. */
extern CellText cat_sheet_scan_cell(ChunkScan *scan, int column, int row);
/* Return the cells of a column of the current chunk, or its texts if it has codes, without case and accents. */
extern const FoldedCells *cat_sheet_scan_folded_cells(ChunkScan *scan, int column);

#endif /* CATALOGUE_SHEETS_SHEETS_H */
