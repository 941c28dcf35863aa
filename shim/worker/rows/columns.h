/*
 * columns.h - the columns of a sheet as they are collected.
 */
#ifndef WORKER_ROWS_COLUMNS_H
#define WORKER_ROWS_COLUMNS_H

#include "rows/profile.h"

#define NAME_MAXIMUM 120 /* bytes of a column's name */

#define COLUMN_LENGTHS (CHUNK_ROWS * 3) /* bytes: a length of a cell takes three at most */

struct Column
{
	char *bytes; /* of the cells, with 16 spare behind */
	size_t length;
	size_t capacity;
	unsigned char *lengths;
	unsigned lengths_used;
	unsigned rows;	  /* that have a length; those of the chunk that follow have no cell here */
	unsigned touched; /* rows + 1 when it was first written in the open row */
	size_t mark_length;
	unsigned mark_lengths_used;
	char *title;
	size_t title_length;
	char name[NAME_MAXIMUM + 8];
	Profile profile;
};

/* column_pack.c */
/* Send the first rows of the chunk; those that follow begin the next. */
extern void column_pack_send(Sheet *sheet, unsigned rows);
/* Give a column lengths for rows without a cell, until it has so many. */
extern void column_pack_fill(Column *column, unsigned rows);

/* sheet.c */
/* Tell what is odd with a row that is kept. */
extern void sheet_tell(Sheet *sheet, const Waiting *row);

/* heading.c: find the row of titles among the rows of the chunk, and take it and what stands above
 * out of it. */
extern void heading_take(Sheet *sheet);

/* title.c */
/* Give every column a name of its own. */
extern void title_names(Sheet *sheet);
/* Tell of titles that are longer than a name. */
extern void title_check(Sheet *sheet, uint64_t line);

#endif
