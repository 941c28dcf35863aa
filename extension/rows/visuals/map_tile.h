/*
 * map_tile.h
 *	  Vector tiles of maps.
 *
 * A tile is a square of the Web Mercator projection: one at zoom 0, four of each in the next zoom.
 * A place belongs to one tile of each zoom.
 */
#ifndef CATALOGUE_VISUALS_MAP_TILE_H
#define CATALOGUE_VISUALS_MAP_TILE_H

#include "catalogue.h"

#include "base/bounds.h"
#include "rows/contents/points.h"

#define TILE_ZOOM 22 /* at most */
#define TILE_BITS POINTS_TILE_BITS
#define TILE_GRID_BITS POINTS_GRID_BITS
#define TILE_CELLS (1 << (2 * TILE_GRID_BITS))
#define TILE_SINGLES 1000 /* points of a tile, above which those of a cell are one */

typedef struct MapTile
{
	int zoom;
	uint32 x; /* from the west */
	uint32 y; /* from the north */
} MapTile;

/* A point of a tile, or those of a cell. */
typedef struct TileFeature
{
	uint32 count; /* of points */
	int32 row;	  /* of the only one */
	uint8 class;  /* of all of them; 0: they have none, or several */
	uint64 x;	  /* sum of their positions, in units of the tile */
	uint64 y;
	int value; /* number of the count among the values */
} TileFeature;

/* The points of a tile. */
typedef struct TilePoints
{
	MapTile tile;
	uint8 (*class_of)(void *classes, int64 row); /* NULL: they have none */
	void *classes;
	int count;
	TileFeature singles[TILE_SINGLES]; /* the first ones */
	TileFeature cells[TILE_CELLS];
} TilePoints;

/* map_tile_encode.c */

/* Return the bounds of a tile. */
extern Bounds cat_map_tile_encode_bounds(const MapTile *tile);
/* Add a point if it is in the tile; points beyond the limit of the projection are in none.  data: a TilePoints. */
extern void cat_map_tile_encode_point(void *data, int64 row, double longitude, double latitude);
/* Add points of a cell, instead of each of them, to a tile that has too many to be apart; they have no classes. */
extern void cat_map_tile_encode_cell(void *data, const PointCell *cell);
/* Append the points as Mapbox Vector Tile 2.1; nothing if there are none. */
extern void cat_map_tile_encode(StringInfo out, TilePoints *points);

#endif /* CATALOGUE_VISUALS_MAP_TILE_H */
