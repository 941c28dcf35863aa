/*
 * columns.h - the columns of the open chunk of a sheet, and their profiles: type, range, distinct values.
 */
#ifndef WORKER_ROWS_COLUMNS_H
#define WORKER_ROWS_COLUMNS_H

#include "rows/profile.h"

#define NAME_MAXIMUM 120 /* maximum bytes of the name of a column */

struct Column
{
	char *bytes; /* of the cells, followed by 16 readable bytes */
	size_t length;
	size_t capacity;
	unsigned char *lengths; /* each takes at most three bytes */
	unsigned lengths_used;
	unsigned lengths_room;
	unsigned rows;	  /* rows with a length; later rows of the chunk have no cell here */
	unsigned touched; /* rows + 1 of the chunk when the open row first wrote a cell here */
	size_t kept_length;
	unsigned kept_lengths_used;
	char *title;
	size_t title_length;
	unsigned like; /* columns with the same title, if it is the first of them */
	bool own;	   /* gets its name before those that are not, and so without a number */
	char name[NAME_MAXIMUM + 8];
	Profile profile;
};

/* column.c */

/* Make room for lengths of so many bytes. */
extern void column_make_lengths(Sheet *sheet, Column *column, unsigned bytes);
/* Append empty cells until the column has this number of rows. */
extern void column_fill(Sheet *sheet, Column *column, unsigned rows);
/* Make room for a cell. */
extern void column_make_room(Sheet *sheet, Column *column, size_t length);
/* Add a column behind the others. */
extern void column_new(Sheet *sheet);
/* Add a column of the first chunk before the one of a number, with a title. */
extern Column *column_insert(Sheet *sheet, unsigned at, const char *title);
/* Append a cell of a row of the chunk to a column of which the reader sets no cells. */
extern void column_append(Sheet *sheet, Column *column, unsigned row, const char *bytes,
						  size_t length);

static inline void
column_add_length(Sheet *sheet, Column *column, size_t length)
{
	unsigned char *at;

	if (column->lengths_room - column->lengths_used < 3)
		column_make_lengths(sheet, column, 3);
	at = column->lengths + column->lengths_used;
	for (; length >= 0x80; length >>= 7)
		*at++ = (unsigned char) (length | 0x80);
	*at++ = (unsigned char) length;
	column->lengths_used = (unsigned) (at - column->lengths);
	column->rows++;
}

/* sheet.c */

/* Report the flaw of a row that is kept. */
extern void sheet_report(Sheet *sheet, const Waiting *row);

/* merge.c */

/* The cell whose value a cell of the first rows has: its own, or the first one of a merged range. */
typedef struct MergeSource
{
	unsigned row;
	unsigned column;
} MergeSource;

/* Before the open row is kept: fill its cells from merged ranges, and open those that begin here. */
extern void merge_row(Sheet *sheet, uint64_t line);
/* Count the cells of a row that ranges have filled, once it is no row of titles. */
extern void merge_count(Sheet *sheet, const Waiting *row);
/* The sources of all cells of some of the waiting rows, row by row. */
extern MergeSource *merge_sources(const Sheet *sheet, unsigned row, unsigned rows);
/* Tell of merged cells, and free them. */
extern void merge_end(Sheet *sheet);

/* geography.c */

/* The open row is kept, with its places. */
extern void geography_keep(Geography *geography);
/* Append the member geography to the details of a sheet with named columns, if it has places. */
extern void geography_write(Sheet *sheet);

/* wkt.c */

/* The conversion of a geometry. */
typedef struct WktConversion
{
	bool (*convert)(const void *system, double *x, double *y, size_t count);
	const void *system;
	Buffer *text; /* to which it is appended; NULL: to none */
} WktConversion;

/* Read a geometry, and extend an extent to its positions; false if a text is none.  conversion: of its
 * positions, whatever system the text names; NULL: they are in WGS 84. */
extern bool wkt_read(const char *text, size_t length, Extent *extent,
					 const WktConversion *conversion);

/* places.c */
typedef struct Places Places;

/* Find the columns of a table that may have places, now that its titles are known. */
extern void places_find(Sheet *sheet);
/* Read the places of the chunk. */
extern void places_take(Sheet *sheet, unsigned rows);
/* Tell which columns have places. */
extern void places_end(Sheet *sheet);

/* heading.c */

/* Is a value a label rather than a measure: no number, or one that could be a year? */
extern bool heading_is_label(const char *text, size_t length, DateOrder only);

extern void heading_take(Sheet *sheet);
/* Give each column a unique name. */
extern void heading_name_columns(Sheet *sheet);

#endif
