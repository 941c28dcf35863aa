/*
 * contents.h
 *	  Rows of files: sheets, chunks, cells, and what is asked of them.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef CONTENTS_H
#define CONTENTS_H

#include "chunk.h"

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
	char *format; /* of dates and instants; NULL: ISO 8601 */
	char *nulls;  /* what its cells are, as JSON text; NULL: not told */
	char *distinct;
	char *min;
	char *max;
} SheetColumn;

typedef struct Sheet
{
	int64 id;
	int64 revision;
	int number;
	char *name;
	bool hidden;
	int64 rows;
	int64 bad_rows;
	char *details; /* JSON */
	int ncolumns;
	SheetColumn *columns;
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

/* Rows being packed. */
typedef struct ChunkWriter ChunkWriter;

/* Chunks of a sheet in their order. */
typedef struct ChunkScan
{
	const Sheet *sheet;
	CatScan scan;
	void *data; /* of the chunk, NULL: none */
	Chunk chunk;
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

/* chunk.c */
extern void chunk_open(Chunk *chunk, const void *bytes, size_t length, int64 first, int count);
extern void chunk_cells(const Chunk *chunk, int column, Cells *cells);
extern ChunkWriter *chunk_writer(int columns);
extern void chunk_put(ChunkWriter *writer, int column, const char *text, size_t length);
extern bool chunk_end_row(ChunkWriter *writer);
extern int chunk_pending(const ChunkWriter *writer);
extern bytea *chunk_take(ChunkWriter *writer);

/* The length of a cell, 0 for one that is not there. */
static inline int
cells_length(const Cells *cells, int row)
{
	return (int) (cells->starts[row + 1] - cells->starts[row]);
}

static inline const char *
cells_text(const Cells *cells, int row)
{
	return cells->bytes + cells->starts[row];
}

/* cell.c */
extern CellKind cell_kind_named(const char *name);
extern const char *cell_kind_name(CellKind kind);
extern bool cell_number(const char *text, int length, char point, CellNumber *number);
extern int cell_compare_numbers(const CellNumber *left, const CellNumber *right);
extern bool cell_value(const SheetColumn *column, const char *text, int length, CellValue *value);
extern int cell_compare(const SheetColumn *column, const CellValue *left, const CellValue *right);
/* cell_time.c */
extern bool cell_instant(const char *text, int length, const char *format, CellValue *value);
/* sheet.c */
extern int64 sheet_new(const char *file, int64 revision, int number, const char *name, bool hidden);
extern void sheet_add(int64 sheet, int64 first, int count, bytea *data);
extern void sheet_end(int64 sheet, const char *summary);
extern int64 sheet_begin(const char *file, const char *job);
extern bool sheet_publish(const char *file, int64 revision, const int64 *blob);

#endif /* CONTENTS_H */
