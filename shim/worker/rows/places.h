/*
 * places.h - the columns of a table that may have places, and those that are added, with their places
 * converted to WGS 84.
 *
 * Decisions: docs/explanation/decisions.md#shimworkerrows
 */
#ifndef WORKER_ROWS_PLACES_H
#define WORKER_ROWS_PLACES_H

#include "rows/columns.h"
#include "sandbox/systems.h"

typedef enum PlaceKind
{
	PLACES_LATITUDE,
	PLACES_LONGITUDE,
	PLACES_GEOMETRY,
	PLACES_KINDS
} PlaceKind;

/* A column that may have places. */
typedef struct PlaceColumn
{
	Column *column;	  /* NULL: there is none */
	Column *added;	  /* with its places converted; NULL: there is none */
	bool bare;		  /* its name is of one letter */
	uint64_t values;  /* cells with a value */
	uint64_t fitting; /* of these, places */
	uint64_t turned;  /* of the values, coordinates that fit the column of the other kind */
	uint64_t precise; /* of the values, numbers with enough decimals */
} PlaceColumn;

struct Places
{
	/* that of the latitude is there if that of the longitude is */
	PlaceColumn columns[PLACES_KINDS];
	Geography points;
	Geography shapes;
	bool looked; /* the first chunk was looked at */
	bool said;	 /* parseOptions.crs names the system: */
	FoundSystem system;
	Decimal decimal; /* the sign in its numbers; DECIMALS: any */
	bool doubtful;	 /* a comma in them could stand before decimals or between thousands */
	bool parts;		 /* coordinates may have minutes, or letters of directions: */
	int o_sign;		 /* of longitudes with an O, which is west or east; 0: nothing tells */
	bool unclear;	 /* there are such, and nothing tells */
	bool swapped;	 /* latitudes are in the column of longitudes, and the other way round */
	bool close;		 /* numbers of a system of metres could be degrees */
	uint64_t within; /* places in the area of the system */
	uint64_t unplaced;
	uint64_t first_unplaced; /* row */
	unsigned added;			 /* columns */
	unsigned added_at;		 /* number of the first one; further ones of the file are behind them */
};

/* The points of a chunk; a row without one has infinite coordinates. */
typedef struct PlacePoints
{
	double longitude[CHUNK_ROWS];
	double latitude[CHUNK_ROWS];
	bool some[CHUNK_ROWS]; /* the row has a value in one of the columns */
} PlacePoints;

/* Where a column of the file is among those of the sheet. */
static inline unsigned
places_index(const Sheet *sheet, unsigned index)
{
	const Places *places = sheet->places;

	return places == NULL || index < places->added_at ? index : index + places->added;
}

/* degrees.c */
typedef struct Degrees
{
	double value; /* negative only if there is no letter */
	char letter;  /* N, S, E, W, or O which is west or east; '\0': there is none */
} Degrees;

/* Read degrees that have minutes, their sign or a letter; false if a text is no such. */
extern bool degrees_read(Degrees *degrees, NumberText text);

/* place_cells.c */

/* The cells of a column in the chunk, one after the other. */
typedef struct PlaceCells
{
	const Parse *parse;
	const unsigned char *lengths;
	const char *bytes;
	unsigned left;
} PlaceCells;

extern PlaceCells place_cells_begin(const Parse *parse, const Column *column);
/* Read the next cell, without blanks around it; false if it has no value. */
extern bool place_cells_next(PlaceCells *cells, NumberText *cell);
/* Find out whether coordinates of the first chunk have parts, and what the letters mean. */
extern void place_cells_find_parts(Sheet *sheet, unsigned rows);
/* Read the points of the chunk, and count the cells that fit. */
extern void place_cells_points(Sheet *sheet, unsigned rows, PlacePoints *points);

/* place_columns.c */

/* Refuse a file whose system is not known. */
extern void place_columns_find_system(Sheet *sheet, Places *places);
/* Find which sign stands before decimals in the coordinates of the first chunk. */
extern void place_columns_find_decimal(Sheet *sheet, unsigned rows);
/* Look at the first chunk, of points or else of geometries: which columns are added. */
extern void place_columns_begin(Sheet *sheet, unsigned rows, const PlacePoints *points);
/* Convert the points, and put them into the columns that were added. */
extern void place_columns_points(Sheet *sheet, unsigned rows, PlacePoints *points);
/* Convert a geometry, and put it into the column that was added; false: there is none. */
extern bool place_columns_shape(Sheet *sheet, unsigned row, NumberText cell, Extent *extent);
/* A row has a value that is no place. */
extern void place_columns_unplaced(Sheet *sheet, unsigned row);
/* Are the converted places where the system is used? */
extern bool place_columns_are_likely(const Places *places);
/* Tell of the conversion. */
extern void place_columns_end(Sheet *sheet);

#endif
