/*
 * sheets_internal.h
 *	  Packing of chunks: used inside sheets/ only.
 */
#ifndef CATALOGUE_SHEETS_SHEETS_INTERNAL_H
#define CATALOGUE_SHEETS_SHEETS_INTERNAL_H

#include "catalogue.h"

#include "rows/sheets/sheets.h"

/* Rows being packed. */
typedef struct ChunkWriter ChunkWriter;

/* chunk.c */

extern void cat_chunk_open(Chunk *chunk, const void *bytes, size_t length, int64 first, int count);
extern void cat_chunk_cells(const Chunk *chunk, int column, Cells *cells);
extern ChunkWriter *cat_chunk_writer(int columns);
extern void cat_chunk_put(ChunkWriter *writer, int column, const char *text, size_t length);
extern bool cat_chunk_end_row(ChunkWriter *writer);
extern int cat_chunk_pending(const ChunkWriter *writer);
extern bytea *cat_chunk_take(ChunkWriter *writer);

#endif /* CATALOGUE_SHEETS_SHEETS_INTERNAL_H */
