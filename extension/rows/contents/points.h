/*
 * points.h
 *	  Points of a sheet in an order of place: catalogue.sheet_point.
 *
 * A row of the table is a chunk of columns of numbers.  At zoom POINTS_THEMSELVES it has points, in the order of a
 * Z-curve over the square of the Web Mercator projection, so that those of a chunk are near each other, and in it in that
 * of their rows; at zooms from 0 on
 * it has those of each cell of a tile's grid added up, as far as eight of them are a cell on average.  Points are written
 * in runs of at most 1,048,576, which bounds the memory; each run has all of this for itself.
 */
#ifndef CATALOGUE_CONTENTS_POINTS_H
#define CATALOGUE_CONTENTS_POINTS_H

#include "catalogue.h"

#include "rows/contents/places.h"
#include "rows/sheets/sheets.h"

#define POINTS_LEAST 20000 /* rows of a sheet, below which its points are not stored */
#define POINTS_THEMSELVES (-1)
#define POINTS_DIGITS 12 /* decimal digits of a coordinate that is stored as a decimal number */

#define POINTS_ZOOMS 17		/* that have cells, at most */
#define POINTS_TILE_BITS 12 /* of a position in a tile, along each side */
#define POINTS_GRID_BITS 6	/* of the number of a cell in it, along each side */

/* Columns of a chunk of points. */
enum
{
	POINT_ROW,		/* how far it is behind the row before, of the first one 0 */
	POINT_LATITUDE, /* decimal numbers, or the higher half of doubles, */
	POINT_LONGITUDE,
	POINT_COLUMNS,
	POINT_LATITUDE_LOW = POINT_COLUMNS, /* of which this is the lower one */
	POINT_LONGITUDE_LOW,
	POINT_HALVES /* so many columns has a chunk of doubles */
};

/* Columns of a chunk of cells. */
enum
{
	POINT_CELL_X, /* number of the cell from the west */
	POINT_CELL_Y, /* and from the north */
	POINT_CELL_COUNT,
	POINT_CELL_EAST, /* sum of the positions in the cell, in units of a tile */
	POINT_CELL_SOUTH,
	POINT_CELL_ROW, /* of one of the points */
	POINT_CELL_COLUMNS
};

/* Whole numbers, units of the last digit, from one on, and how many follow it. */
typedef struct NumberRange
{
	uint64 least;
	uint64 width;
} NumberRange;

/* Return the numbers of a segment of latitudes that are in a band, and next to it. */
static inline NumberRange
points_range(const Segment *segment, double south, double north)
{
	double unit = cat_segment_number(segment, 1);
	uint64 least = (uint64) (int64) floor(Max(south, -91) / unit);

	return (NumberRange){least, (uint64) (int64) ceil(Min(north, 91) / unit) - least};
}

/* Whether a number is in a range, by one comparison: a band has two edges, which processors do not foresee. */
static inline bool
points_in_range(const NumberRange *range, int64 number)
{
	return (uint64) number - range->least <= range->width;
}

/* A point of a row. */
typedef struct FoundPoint
{
	int64 row;
	double longitude;
	double latitude;
} FoundPoint;

/* Give the points of a sheet that are in a rectangle, or at most a billionth of a degree beside it, in the order of the rows
 * unless they are more than 16,384.  False, with none given, if they are not stored. */
extern bool cat_points_take(const SheetQuery *asked, const Bounds *bounds, TakePoint take,
							void *data);

/* The points of a cell of a tile's grid, or some of them. */
typedef struct PointCell
{
	uint32 x; /* number of the cell in the tile, from the west */
	uint32 y; /* and from the north */
	int64 count;
	int64 east; /* sum of the positions in the cell, in units of the tile */
	int64 south;
	int32 row; /* of the only one */
} PointCell;
typedef void (*TakeCell)(void *data, const PointCell *cell);

/* Give the cells of a tile of which the sheet has cells; a cell may be given in parts.  False, with none given, if there
 * are none. */
extern bool cat_points_cells(const SheetQuery *asked, int zoom, uint32 x, uint32 y, TakeCell take,
							 void *data);

/* Whether the points of a sheet, of which so many are inside of the square, and its cells are where the table says; each
 * zoom that has cells has all of these points. */
extern bool cat_points_are_placed(const SheetQuery *asked, int64 inside);

#endif /* CATALOGUE_CONTENTS_POINTS_H */
