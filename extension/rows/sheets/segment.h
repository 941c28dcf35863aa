/*
 * segment.h
 *	  A segment: the cells of one column of a chunk, as they are stored and read.
 *
 *	  byte    SEGMENT_CELLS: then lengths and bytes of the cells, as a packed section has them
 *			  SEGMENT_CODES: then
 *	  byte    width of a code in bits, 1 to 56
 *	  byte    digits behind the decimal point that a number has at least
 *	  byte    the same, at most: of so many digits the numbers are multiples
 *	  byte    the decimal point, '.' or ','; or, of instants as ISO 8601 has them, what stands before the
 *			  time, 'T' or ' ': then the numbers are seconds since 2000, and the first of those bytes has
 *			  SEGMENT_SECONDS if these are written, SEGMENT_UTC if a Z stands behind them
 *	  uint32  texts
 *	  int64   the number of the first code behind those of the texts
 *			  lengths and bytes of the texts, as a packed section has cells
 *			  the code of each row, lowest bits first, one behind the other: of a text, or of a number
 *			  as it is written without anything else; then SEGMENT_REST bytes
 */
#ifndef CATALOGUE_SHEETS_SEGMENT_H
#define CATALOGUE_SHEETS_SEGMENT_H

#include "catalogue.h"

#include "rows/sheets/chunk.h"

#define SEGMENT_CELLS 0
#define SEGMENT_CODES 1
#define SEGMENT_REST 7 /* so that each code is in eight bytes */
#define SEGMENT_SECONDS 1
#define SEGMENT_UTC 2
#define SEGMENT_DIGITS 15 /* decimal digits of a number that has a code, at most */

/* Cells one behind the other. */
typedef struct Cells
{
	const char *bytes;
	int rows;
	bool ascii;		/* no cell has another letter */
	uint32 *starts; /* where in bytes each begins, and the last ends */
	bool *absent;
} Cells;

/* The bytes of a cell. */
static inline const char *
segment_cells_text(const Cells *cells, int row)
{
	return cells->bytes + cells->starts[row];
}

/* The length of a cell, 0 for one that is not there. */
static inline int
segment_cells_length(const Cells *cells, int row)
{
	return (int) (cells->starts[row + 1] - cells->starts[row]);
}

/* A cell of a row. */
typedef struct CellText
{
	const char *bytes;
	int length;
	bool absent;
} CellText;

static inline CellText
segment_cells_at(const Cells *cells, int row)
{
	return (CellText){segment_cells_text(cells, row), segment_cells_length(cells, row),
					  cells->absent[row]};
}

typedef struct Segment
{
	int rows;
	Cells cells;	 /* of the rows; of a segment of codes, its texts */
	uint64 *codes;	 /* of the rows, NULL: it has none */
	uint64 greatest; /* code of a row */
	int64 base;		 /* the number of the first code behind those of the texts */
	int least;		 /* digits behind the decimal point */
	int most;
	char point;
	char number[32]; /* the number or the instant that was written last */
} Segment;

/* Whether the numbers of a segment of codes are seconds since 2000. */
static inline bool
segment_has_instants(const Segment *segment)
{
	return segment->point == 'T' || segment->point == ' ';
}

/* What is known of a segment without reading it. */
typedef enum BoundsKind
{
	BOUNDS_NONE,
	BOUNDS_NUMBERS, /* all cells that are not empty are numbers that have codes */
	BOUNDS_DAYS /* all cells that are not empty are days, or instants, as ISO 8601 has them: yyyymmdd */
} BoundsKind;

/* Kind, and least and greatest value, of a segment: catalogue.sheet_chunk.bounds has these of each column. */
typedef struct SegmentBounds
{
	BoundsKind kind;
	double least;
	double greatest;
} SegmentBounds;

/* segment.c */

pg_noreturn extern void cat_segment_damaged(const char *detail);
/* Read lengths and bytes of cells, and return what is behind them. */
extern const unsigned char *cat_segment_cells(Cells *cells, const unsigned char *at,
											  const unsigned char *end, int rows);
/* Read a segment in the current memory context; its texts remain where they are. */
extern void cat_segment_open(Segment *segment, const unsigned char *at, const unsigned char *end,
							 int rows);
/* Read the section of a packed column as a segment. */
extern void cat_segment_open_cells(Segment *segment, const unsigned char *at,
								   const unsigned char *end, int rows);
/* Return the number of the value of a code behind those of the texts, in units of its last digit. */
static inline int64
cat_segment_value(const Segment *segment, uint64 code)
{
	return segment->base + (int64) (code - (uint64) segment->cells.rows);
}
/* Return the day of an instant, in microseconds since 2000, as bounds have it. */
extern double cat_segment_day(int64 instant);
/* Return the number of that value as it is compared: numbers of so few digits differ as such, too. */
extern double cat_segment_number(const Segment *segment, int64 value);
/* Return a cell; its text is there until the next one of the segment is asked for. */
extern CellText cat_segment_cell(Segment *segment, int row);

/* Read the bounds of a column, and return what is behind them; none behind the last column that has some. */
extern const unsigned char *cat_segment_bounds(SegmentBounds *bounds, const unsigned char *at,
											   const unsigned char *end);

/* segment_write.c */

/* Append cells as a segment, and find its bounds. */
extern void cat_segment_write(StringInfo out, const Cells *cells, SegmentBounds *bounds);
/* Append numbers of up to SEGMENT_DIGITS digits, so many of them behind the decimal point, as a segment of codes. */
extern void cat_segment_write_numbers(StringInfo out, const int64 *numbers, int rows, int digits);
/* Append bounds: the kind, then both ends unless there are none. */
extern void cat_segment_write_bounds(StringInfo out, const SegmentBounds *bounds);
/* Append the length of a cell. */
extern void cat_segment_write_length(StringInfo out, size_t length, bool absent);

#endif /* CATALOGUE_SHEETS_SEGMENT_H */
