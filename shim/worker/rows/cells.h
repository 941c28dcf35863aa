/*
 * cells.h - the cells of a packed chunk of rows, in the order of its rows.
 *
 * A chunk comes from a child that reads untrusted files, so each length in it is checked against the
 * bytes that follow.
 */
#ifndef WORKER_ROWS_CELLS_H
#define WORKER_ROWS_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CellColumn CellColumn;
typedef struct Cells
{
	uint32_t rows;
	uint32_t count; /* number of columns */
	CellColumn *columns;
} Cells;

/* Begin to unpack a chunk of rows; false if it is malformed.  Call cells_close() in any case. */
extern bool cells_open(Cells *cells, const char *data, size_t length);
/* The cell of a column in its next row, NULL if it has none.  Call it once for each row. */
extern const char *cells_next(Cells *cells, uint32_t number, size_t *length);
extern void cells_close(Cells *cells);

#endif
