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

#define TILE_ZOOM 22	 /* at most */
#define TILE_BITS 12	 /* of a position in a tile, along each side */
#define TILE_GRID_BITS 6 /* of the number of a cell, along each side */
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
	const char *classes; /* of the rows, from the first one; NULL: they have none */
	int count;
	TileFeature singles[TILE_SINGLES]; /* the first ones */
	TileFeature cells[TILE_CELLS];
} TilePoints;

/* map_tile_encode.c */

/* Return bounds whose latitudes all points of a tile have. */
extern Bounds cat_map_tile_encode_band(const MapTile *tile);
/* Add a point if it is in the tile; points beyond the limit of the projection are in none.  data: a TilePoints. */
extern void cat_map_tile_encode_point(void *data, int64 row, double longitude, double latitude);
/* Append the points as Mapbox Vector Tile 2.1; nothing if there are none. */
extern void cat_map_tile_encode(StringInfo out, TilePoints *points);

#endif /* CATALOGUE_VISUALS_MAP_TILE_H */
