/*
 * wkt.h
 *	  Geometries in cells: WKT, in degrees of WGS 84, longitude first.
 */
#ifndef CATALOGUE_SHEETS_WKT_H
#define CATALOGUE_SHEETS_WKT_H

#include "catalogue.h"

#include "base/bounds.h"

/*
 * Append a geometry as GeoJSON, and extend bounds, which may be NULL, to it.  Rings have the direction that
 * RFC 7946 asks for, and coordinates at most seven decimals; a measure is left out.  Longitudes from 180 to 360 are
 * beyond the antimeridian, as the bounds show.
 *
 * Returns NULL, or why there is none, with nothing appended.
 */
extern const char *cat_wkt_geojson(StringInfo out, const char *text, int length, Bounds *bounds);

/* Append a geometry as WKB, without heights; returns as above. */
extern const char *cat_wkt_binary(StringInfo out, const char *text, int length, Bounds *bounds);
extern void cat_wkt_binary_point(StringInfo out, double longitude, double latitude);

#endif /* CATALOGUE_SHEETS_WKT_H */
