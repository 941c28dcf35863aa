/*
 * map_tile.h
 *	  Points of maps as vector tiles.
 *
 * A tile is a square of the Web Mercator projection: one at zoom 0, four of each in the next zoom.
 * A place belongs to one tile of each zoom.  Tiles with many points are stored in
 * catalogue.map_tile when the points are; the others are made from the stored points.
 */
#ifndef CATALOGUE_VISUALS_MAP_TILE_H
#define CATALOGUE_VISUALS_MAP_TILE_H

#include "catalogue.h"

#include "visuals/map_index.h"

#define MAP_TILE_ZOOM 22	  /* at most */
#define MAP_TILE_STORED 20000 /* points that an unstored tile has at most */
#define MAP_TILE_SINGLE 1000  /* points of a tile, above which those next to each other are one */

typedef struct MapTile
{
	int zoom;
	uint32 x; /* from the west */
	uint32 y; /* from the north */
} MapTile;

/* map_tile_encode.c */

/* Append the tile of points as Mapbox Vector Tile 2.1; those of other tiles are left out, and so
 * are those beyond the limit of the projection.  Nothing is appended if no points are left.  The
 * points have their codes. */
extern void cat_map_tile_encode(StringInfo out, const MapTile *tile, const MapPoint *list,
								int count);

/* map_tile_store.c */

/* Store the tiles with many points; the points are in the order of their codes. */
extern void cat_map_tile_write(const char *map, const MapPoints *points);
/* The stored tile, a bytea; NULL if it is not stored. */
extern bytea *cat_map_tile_read(const char *map, const MapTile *tile);

#endif /* CATALOGUE_VISUALS_MAP_TILE_H */
