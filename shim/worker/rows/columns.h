/*
 * columns.h - the columns of the open chunk of a sheet, and their profiles: type, range, distinct values.
 */
#ifndef WORKER_ROWS_COLUMNS_H
#define WORKER_ROWS_COLUMNS_H

#include "rows/profile.h"

#define NAME_MAXIMUM 120 /* maximum bytes of the name of a column */

#define COLUMN_LENGTHS (CHUNK_ROWS * 3) /* bytes: the length of a cell takes at most three */

struct Column
{
	char *bytes; /* of the cells, followed by 16 readable bytes */
	size_t length;
	size_t capacity;
	unsigned char *lengths;
	unsigned lengths_used;
	unsigned rows;	  /* rows with a length; later rows of the chunk have no cell here */
	unsigned touched; /* rows + 1 of the chunk when the open row first wrote a cell here */
	size_t mark_length;
	unsigned mark_lengths_used;
	char *title;
	size_t title_length;
	unsigned like; /* columns with the same title, if it is the first of them */
	bool own;	   /* gets its name before those that are not, and so without a number */
	char name[NAME_MAXIMUM + 8];
	Profile profile;
};

/* sheet.c */

/* Report the flaw of a row that is kept. */
extern void sheet_tell(Sheet *sheet, const Waiting *row);

/* heading.c */

extern void heading_take(Sheet *sheet);
/* Give each column a unique name. */
extern void heading_name_columns(Sheet *sheet);

#endif
