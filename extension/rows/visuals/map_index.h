/*
 * map_index.h
 *	  Points of maps as they are stored by their place, in catalogue.map_chunk.
 *
 * The points of a map are put in the order of their Morton code, in which points that are near
 * each other are mostly neighbours, and cut into chunks.  A chunk has the bounds of its points, so
 * that a rectangle is read from few of them.  Of each point, in network byte order:
 *
 *	  8 bytes  longitude, degrees, as double
 *	  8 bytes  latitude
 *	  4 bytes  number of the row
 *	  4 bytes  length of its feature
 *
 * The features, which column geojson of the map has in the order of the rows, are stored beside
 * the points, one behind the other.
 *
 * A tile is a square of the Web Mercator projection: one at zoom 0, four of each in the next zoom.
 * A place belongs to one tile of each zoom.  Tiles with many points are stored in
 * catalogue.map_tile when the points are; the others are made from the stored points.
 */
#ifndef CATALOGUE_VISUALS_MAP_INDEX_H
#define CATALOGUE_VISUALS_MAP_INDEX_H

#include "catalogue.h"

#include "base/bounds.h"

/* Latitude at which the square of the Web Mercator projection ends. */
#define MAP_MERCATOR_LIMIT 85.05112877980659

#define MAP_CHUNK_POINTS 256 /* of a chunk, at most */

typedef struct MapPoint
{
	double longitude;
	double latitude;
	int32 row;
	int32 length;		 /* of the feature */
	const char *feature; /* not terminated; NULL: it was not read */
	uint64 code;		 /* its place in the order, while the index is written */
} MapPoint;

/* Points of a map, palloc'd. */
typedef struct MapPoints
{
	MapPoint *list;
	int count;
	int room;
} MapPoints;

/* map_index.c */

/* The Morton code of a place in the Web Mercator projection; places beyond its limit are at its
 * edge. */
extern uint64 cat_map_index_code(double longitude, double latitude);
/* Append a point, whose feature may come later. */
extern MapPoint *cat_map_index_add(MapPoints *points);
/* Remove the stored points of a map. */
extern void cat_map_index_clear(const char *map);
/* Store the points of a map, which has none; they are put in the order of their codes. */
extern void cat_map_index_write(const char *map, MapPoints *points);
/* Read the points of a map in a rectangle in the order of the rows.  False if its points are not
 * stored. */
extern bool cat_map_index_read(const char *map, const Bounds *bounds, MapPoints *points);
/* As cat_map_index_read(), in any order and without the features. */
extern bool cat_map_index_read_places(const char *map, const Bounds *bounds, MapPoints *points);

#define MAP_TILE_ZOOM 22	  /* at most */
#define MAP_TILE_STORED 20000 /* points that an unstored tile has at most */
#define MAP_TILE_SINGLE 1000  /* points of a tile, above which those next to each other are one */

typedef struct MapTile
{
	int zoom;
	uint32 x; /* from the west */
	uint32 y; /* from the north */
} MapTile;

/* map_geojson.c */

/* Append what stands before the features of a collection; bounds: NULL for none. */
extern void cat_map_geojson_head(StringInfo out, const Bounds *bounds);
/* Append the points of a collection of features, without these. */
extern void cat_map_geojson_points(const char *geojson, MapPoints *points);

/* map_tile_encode.c */

/* Append the tile of points as Mapbox Vector Tile 2.1; those of other tiles are left out, and so
 * are those beyond the limit of the projection.  Nothing is appended if no points are left.  The
 * points have their codes. */
extern void cat_map_tile_encode(StringInfo out, const MapTile *tile, const MapPoint *list,
								int count);

/* map_tile.c */

/* Store the tiles with many points; the points are in the order of their codes. */
extern void cat_map_tile_write(const char *map, const MapPoints *points);

#endif /* CATALOGUE_VISUALS_MAP_INDEX_H */
