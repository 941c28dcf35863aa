/*
 * bounds.h
 *	  Rectangles in degrees.
 */
#ifndef CATALOGUE_BASE_BOUNDS_H
#define CATALOGUE_BASE_BOUNDS_H

#include "catalogue.h"

#include <math.h>

/* A rectangle in degrees, which crosses the antimeridian where west is greater than east. */
typedef struct Bounds
{
	double west, south, east, north;
} Bounds;

/* What no place is in, to be extended. */
#define NO_BOUNDS ((Bounds){INFINITY, INFINITY, -INFINITY, -INFINITY})

/* Extend a rectangle, which does not cross the antimeridian, to a place. */
extern void cat_bounds_extend(Bounds *bounds, double longitude, double latitude);
/* Return the share of the way through the square of the Web Mercator projection from west to east, and from north to
 * south; below 0, or 1 and more, for a latitude that is not in it. */
static inline double
cat_bounds_mercator_x(double longitude)
{
	/* the eastern edge belongs to what is west of it */
	return Min((longitude + 180) / 360, 1 - 1e-12);
}

static inline double
cat_bounds_mercator_y(double latitude)
{
	if (fabs(latitude) > 85.05112877980659)
		return -1;
	return (1 - asinh(tan(latitude * M_PI / 180)) / M_PI) / 2;
}

/* Whether a place is in a rectangle, edges included. */
static inline bool
cat_bounds_has(const Bounds *bounds, double longitude, double latitude)
{
	if (!(latitude >= bounds->south && latitude <= bounds->north))
		return false;
	return bounds->west <= bounds->east ? longitude >= bounds->west && longitude <= bounds->east
										: longitude >= bounds->west || longitude <= bounds->east;
}
/* Read the parameter bbox: west,south,east,north in degrees.  Raises OD422 for another value. */
extern Bounds cat_bounds_read(const char *value);

#endif /* CATALOGUE_BASE_BOUNDS_H */
