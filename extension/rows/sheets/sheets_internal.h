/*
 * sheets_internal.h
 *	  Reading of chunks: used inside sheets/ only.
 */
#ifndef CATALOGUE_SHEETS_SHEETS_INTERNAL_H
#define CATALOGUE_SHEETS_SHEETS_INTERNAL_H

#include "catalogue.h"

#include "rows/sheets/sheets.h"

/* chunk.c */

extern void cat_chunk_open(Chunk *chunk, const void *bytes, size_t length, int64 first, int count);
extern void cat_chunk_cells(const Chunk *chunk, int column, Cells *cells);

#endif /* CATALOGUE_SHEETS_SHEETS_INTERNAL_H */
