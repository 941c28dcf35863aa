/*
 * sheets.h
 *	  Rows of files as they are stored: sheets, chunks and cells.
 */
#ifndef CATALOGUE_SHEETS_SHEETS_H
#define CATALOGUE_SHEETS_SHEETS_H

#include "catalogue.h"

#include "pg/pg.h"
#include "sheets/chunk.h"

/* What the cells of a column are, over all rows: what they are compared and shown as. */
typedef enum CellKind
{
	CELL_TEXT,
	CELL_INTEGER,
	CELL_DECIMAL,
	CELL_BOOLEAN,
	CELL_DATE,
	CELL_DATETIME
} CellKind;

typedef struct SheetColumn
{
	char *name;
	char *title;  /* as the file has it */
	char *member; /* as JSON has it behind another one: a comma, the name, a colon */
	CellKind kind;
	char point;	  /* between a number's whole and its fraction */
	char *format; /* of dates, a time may stand behind; NULL: ISO 8601 */
	char *nulls;  /* what its cells are, as JSON text; NULL: not told */
	char *distinct, *min, *max;
} SheetColumn;

typedef struct Sheet
{
	int64 id, revision;
	int number;
	char *name;
	bool hidden;
	int64 rows;
	int64 bad_rows;
	char *details; /* JSON */
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

/* Chunks of a sheet in their order. */
typedef struct ChunkScan
{
	const Sheet *sheet;
	MemoryContext memory; /* of all that follows */
	CatScan scan;
	int64 next; /* number of the row behind the chunk */
	void *data; /* of the chunk, NULL: none */
	Chunk chunk;
	Cells **cells;	/* of each column, as far as they were asked for */
	int64 *decoded; /* first row of the chunk that they are of */
} ChunkScan;

/* A number as it is written. */
typedef struct CellNumber
{
	double value; /* the nearest to it */
	bool exact;	  /* no two different numbers of which this is said have the same value */
	bool negative;
	const char *whole; /* digits without zeros in front */
	int nwhole;
	const char *fraction; /* digits without zeros behind */
	int nfraction;
	int exponent;
} CellNumber;

/* A cell as what its column is. */
typedef struct CellValue
{
	CellNumber number; /* of an integer, a decimal; a boolean has the value 0 or 1 */
	int64 instant;	   /* of a date, an instant: microseconds, as of a timestamptz */
	bool day;		   /* it is a date alone */
} CellValue;

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

/* sheet_scan.c */

/* Open the table again, behind the last chunk; cat_sheet_scan_next() comes next. */
extern void cat_sheet_scan_attach(ChunkScan *scan);
/* Close the table; the chunk stays readable. */
extern void cat_sheet_scan_detach(ChunkScan *scan);
/* Begin to read at the chunk that has a row; cat_sheet_scan_next() comes next. */
extern void cat_sheet_scan_open(ChunkScan *scan, const Sheet *sheet, int64 row);
/* Read the next chunk; false behind the last row of the sheet. */
extern bool cat_sheet_scan_next(ChunkScan *scan);
/* The cells of a column of the present chunk; none is there of a column that it does not have. */
extern const Cells *cat_sheet_scan_cells(ChunkScan *scan, int column);
/* End the scan. */
extern void cat_sheet_scan_close(ChunkScan *scan);

/* cell.c */

/* The kind of a name, an unknown one is text; and the name of a kind. */
extern CellKind cat_cell_kind_named(const char *name);
extern const char *cat_cell_kind_name(CellKind kind);
/* Read a number, whose digits stay in the text; false where it is none. */
extern bool cat_cell_number(const char *text, int length, char point, CellNumber *number);
/* A number as numeric, with all its digits. */
extern Datum cat_cell_numeric(const CellNumber *number);
/* Read a cell as its column's kind; false where it is none, and for every text. */
extern bool cat_cell_value(const SheetColumn *column, const char *text, int length,
						   CellValue *value);
/* Compare two cells of a column that is no text. */
extern int cat_cell_compare(const SheetColumn *is, const CellValue *left, const CellValue *right);

/* cell_key.c: append bytes that are the same for cells of a column with the same value. */
extern void cat_cell_key(StringInfo out, const SheetColumn *column, const char *text, int length);

#endif /* CATALOGUE_SHEETS_SHEETS_H */
