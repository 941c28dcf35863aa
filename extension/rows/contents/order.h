/*
 * order.h
 *	  Rows in an order: the first ones, those next to a cursor, and all of them.
 */
#ifndef CATALOGUE_CONTENTS_ORDER_H
#define CATALOGUE_CONTENTS_ORDER_H

#include "catalogue.h"

#include "rows/contents/contents.h"

/* sheet_order.c */

/* A page of rows in the order that is asked for. */
typedef struct OrderedRows
{
	int64 count;  /* of rows that pass the filters */
	int64 *rows;  /* of the page, by number */
	int returned; /* how many */
} OrderedRows;

/* What a value of a column is known and sorted by: a text, or the key of another value. */
typedef struct ValueKey
{
	const char *bytes;
	int length; /* -1: an absent cell */
} ValueKey;

/* Rows that are sought in an order: all, or those on one side of a cursor. */
typedef struct FirstRows FirstRows;

/* Return what a cell is sorted by, its bytes or those that are written into the buffer; no bytes: it has no value. */
extern ValueKey cat_sheet_order_key(const SheetColumn *is, CellText cell,
									char buffer[CELL_KEY_MAX]);
/* Return the order of two values of a column, of which neither is null; and the collation that has it. */
extern int cat_sheet_order_compare(const SheetColumn *is, ValueKey left, ValueKey right,
								   Oid collation);
extern Oid cat_sheet_order_collation(const SheetColumn *is);
/* Read the cursor.  Raises OD422 if it does not fit the order. */
extern FirstRows *cat_sheet_order_begin(const SheetQuery *asked);
/* Return the number of the row that it is of. */
extern int64 cat_sheet_order_cursor_row(const SheetQuery *asked);
/* Whether a row of the current chunk is on the side of the cursor on which rows are sought. */
extern bool cat_sheet_order_is_sought(const FirstRows *first, ChunkScan *scan, int row);
/* Return the cursor of a row by its number. */
extern char *cat_sheet_order_cursor(const SheetQuery *asked, int64 number);
/* Find a page near the first row: what the rows before its end are sorted by is kept in memory; false if it is too much. */
extern bool cat_sheet_order_page(const SheetQuery *asked, OrderedRows *page);

/* sheet_page.c */

/* Behind so many rows of an order a page is found by sorting all rows. */
#define CAT_FIRST_ROWS 10000
/* Return the texts of the rows of a page, which a function writes in the order in which they are stored; NULL if they
 * have more than CAT_PAGE_BYTES. */
extern StringInfoData *cat_sheet_page_lines(const SheetQuery *sheet_query, const OrderedRows *page,
											WriteRow write);

/* sheet_sort.c */

typedef struct SheetSort SheetSort;

/* Sort the rows that are asked for, as many from the first one on as the limit says, or in front of the cursor.  write:
 * what their texts are, NULL for none; a row without one is left out.  What it needs is freed with the current memory
 * context. */
extern SheetSort *cat_sheet_sort_begin(const SheetQuery *asked, int64 limit, WriteRow write,
									   const void *data);
/* Return the number of the next row, 0 behind the last one; *written: set to its text, which is there until the next call. */
extern int64 cat_sheet_sort_next(SheetSort *sort, const text **written);
extern void cat_sheet_sort_end(SheetSort *sort);
/* Find a page as cat_sheet_order_page() does, wherever it is. */
extern void cat_sheet_sort_page(const SheetQuery *asked, OrderedRows *page);

#endif /* CATALOGUE_CONTENTS_ORDER_H */
