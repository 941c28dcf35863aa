/*
 * row_order.h - rows of a sheet in the order of their numbers.
 *
 * The rows of a workbook may come in any order.  The first 16 MiB of a sheet are held and sorted;
 * rows after them are passed on as they come.
 */
#ifndef WORKER_FORMATS_ROW_ORDER_H
#define WORKER_FORMATS_ROW_ORDER_H

#include "rows/rows.h"

typedef struct RowOrder RowOrder;

extern RowOrder *order_begin(Sheet *sheet);
/* Set a cell of the open row, as sheet_cell() does. */
extern void order_cell(RowOrder *order, unsigned column, const char *text, size_t length);
/* End of the open row; one without cells is discarded. */
extern void order_row(RowOrder *order, uint64_t number);
/* Pass on the rows that are held, in order, and from now on each row as it comes. */
extern void order_pass(RowOrder *order);

#endif
