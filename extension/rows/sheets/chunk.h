/*
 * chunk.h
 *	  How rows of a sheet are packed: catalogue.sheet_chunk.data.
 *
 * By columns, so that a filter passes over all others, and so that like
 * stands beside like when PostgreSQL compresses it:
 *
 *	  byte    CHUNK_FORMAT
 *	  uint32  rows n
 *	  uint32  columns m
 *	  uint32  m + 1 offsets: where the section of each column begins, from the
 *			  first byte of the chunk; the last is the length of the chunk
 *	  section of each column:
 *			  n lengths, each a varint of 7 bits a byte, lowest first, the
 *			  eighth set where more follow: 0 for a cell that is not there
 *			  (a short row, an empty cell of a workbook), else bytes + 1
 *			  the bytes of the n cells one behind the other, UTF-8
 *
 * Numbers are little-endian.  The worker packs chunks, the extension packs and
 * reads them; whatever a chunk says is checked when it is read.
 */
#ifndef CHUNK_H
#define CHUNK_H
#define CHUNK_FORMAT 1
#define CHUNK_HEAD 9			/* bytes before the offsets */
#define CHUNK_ROWS 1000			/* rows of a chunk, at most */
#define CHUNK_BYTES (1 << 20)	/* a chunk ends with the row that makes it longer */
#define CONTENTS_COLUMNS 16384	/* of a sheet, at most */
#define CONTENTS_CELL (1 << 20) /* bytes of a cell, at most */
#define CONTENTS_SHEETS 256		/* of a workbook, at most */
#define CONTENTS_ISSUES 1000	/* maximum number of stored issues of a sheet */

#endif
