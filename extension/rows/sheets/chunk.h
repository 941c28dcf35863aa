/*
 * chunk.h
 *	  How rows of a sheet are packed, by columns.
 *
 * What the worker sends to contents_add(), and what convert_rows() returns to it, is packed:
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
 * catalogue.sheet_chunk.data has the same head with CHUNK_STORED, then a byte for each column which
 * says how its section is compressed; a section is a segment as segment.h says.  The value is EXTERNAL,
 * so that sections are read alone.  Chunks of catalogues before 1.1 are there as they were sent.
 *
 * Numbers are little-endian.  Whatever a chunk says is checked when it is read.
 */
#ifndef CHUNK_H
#define CHUNK_H
#define CHUNK_FORMAT 1
#define CHUNK_STORED 2
#define CHUNK_HEAD 9						 /* bytes before the offsets */
#define CHUNK_ROWS 4000						 /* rows of a chunk, at most */
#define CHUNK_WORDS ((CHUNK_ROWS + 63) / 64) /* of 64 bits, that have a bit for each row */
#define CHUNK_BYTES (1 << 20)				 /* a chunk ends with the row that makes it longer */
#define CONTENTS_COLUMNS 16384				 /* of a sheet, at most */
#define CONTENTS_CELL (1 << 20)				 /* bytes of a cell, at most, */
#define CONTENTS_GEOMETRY \
	(16 << 20)				 /* unless it is a geometry, which is kept but not given as WKT */
#define CONTENTS_SHEETS 256	 /* of a workbook, at most */
#define CONTENTS_ISSUES 1000 /* maximum number of stored issues of a sheet */

#endif
