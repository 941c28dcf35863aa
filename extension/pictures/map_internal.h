/*
 * map_internal.h
 *	  The shapes of a map, and the frame that they are drawn in: used inside pictures/ only.
 */
#ifndef CATALOGUE_PICTURES_MAP_INTERNAL_H
#define CATALOGUE_PICTURES_MAP_INTERNAL_H

#include "pictures/pictures_internal.h"

/* The part of Earth that is shown, and where. */
typedef struct MapFrame
{
	double west, south, east, north; /* of the shapes; east is beyond 180 across the antimeridian */
	double left, right, top, bottom; /* in the picture */
	double shown_west, shown_north;	 /* at the edges of the frame */
	double scale;					 /* length of a degree of latitude */
	double stretch;					 /* that of a degree of longitude, as a part of it */
} MapFrame;

/* map_picture.c */

typedef enum ShapeKind
{
	SHAPE_POINT,
	SHAPE_LINE,
	SHAPE_AREA
} ShapeKind;

/* One geometry: positions that follow each other. */
typedef struct Shape
{
	ShapeKind kind;
	int first, count;
} Shape;

typedef struct MapPosition
{
	double longitude, latitude;
	bool begins; /* a line, or the edge of an area */
} MapPosition;

/* All geometries of a map. */
typedef struct MapShapes
{
	Shape *list;
	int count, size;
	MapPosition *positions;
	int npositions, positions_size;
	int npoints; /* positions of points */
} MapShapes;

/* Where a longitude, which may be beyond 180, and a latitude are in the picture. */
extern double cat_map_picture_x(const MapFrame *frame, double longitude);
extern double cat_map_picture_y(const MapFrame *frame, double latitude);
/* Draw the frame with lines at round degrees. */
extern void cat_map_frame_draw(Canvas *canvas, const MapFrame *frame);
/* Draw a bar of a round length beneath the frame. */
extern void cat_map_frame_scale_bar(Canvas *canvas, const MapFrame *frame);

/* land.c */

/* Draw the land in the frame, unless the map is of a place so small that its edges are too coarse. */
extern void cat_land_draw(Canvas *canvas, const MapFrame *frame);

#endif /* CATALOGUE_PICTURES_MAP_INTERNAL_H */
