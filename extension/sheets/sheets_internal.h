/*
 * sheets_internal.h
 *	  Packing of chunks: used inside sheets/ only.
 */
#ifndef CATALOGUE_SHEETS_SHEETS_INTERNAL_H
#define CATALOGUE_SHEETS_SHEETS_INTERNAL_H

#include "catalogue.h"

#include "sheets/sheets.h"

/* Rows being packed. */
typedef struct ChunkWriter ChunkWriter;

/* sheet.c */

/* Begin to store the rows of a file, and return the number of this revision.  job: that does it,
 * which must be running; NULL: none. */
extern int64 cat_sheet_begin(const char *file, const char *job);
/* Add a sheet to a revision; returns its id. */
extern int64 cat_sheet_new(const char *file, int64 revision, int number, const char *name,
						   bool hidden);
/* Add rows to a sheet, behind those that it has. */
extern void cat_sheet_add(int64 sheet, int64 first, int count, bytea *data);
/* End a sheet; summary: JSON object with rows, badRows, columns and details. */
extern void cat_sheet_end(int64 sheet, const char *summary);
/* Make a revision the contents of its file.  blob: the bytes that were read; NULL: whatever the
 * file has.  False, and the revision is removed, where the file has other bytes by now. */
extern bool cat_sheet_publish(const char *file, int64 revision, const int64 *blob);

/* cell.c */

/* cell_time.c */

/* Read a date or an instant; without a zone it is UTC.  format: of the date, with the letters %Y
 * %y %m %d; NULL: that of ISO 8601.  False where the text is none. */
extern bool cat_cell_time_read(const char *text, int length, const char *format, CellValue *value);

/* chunk.c */

/* Open a chunk, which stays in the caller's memory.  first, count: the rows that it must have;
 * an error where its head says otherwise. */
extern void cat_chunk_open(Chunk *chunk, const void *bytes, size_t length, int64 first, int count);
/* Read the cells of a column, which stay in the chunk's memory. */
extern void cat_chunk_cells(const Chunk *chunk, int column, Cells *cells);
/* Begin to pack rows of so many columns. */
extern ChunkWriter *cat_chunk_writer(int columns);
/* Put the cell of the next column of a row, each once; text: NULL for one that is not there. */
extern void cat_chunk_put(ChunkWriter *writer, int column, const char *text, size_t length);
/* End a row; whether the chunk is full, and to be taken. */
extern bool cat_chunk_end_row(ChunkWriter *writer);
/* How many rows have been put since the last chunk was taken. */
extern int cat_chunk_pending(const ChunkWriter *writer);
/* The rows as a chunk, palloc'd; the writer begins anew. */
extern bytea *cat_chunk_take(ChunkWriter *writer);

#endif /* CATALOGUE_SHEETS_SHEETS_INTERNAL_H */
