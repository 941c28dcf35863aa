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
