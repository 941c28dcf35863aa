/*
 * place_names.h
 *	  Usual names of columns with places, in any letters; of each kind the most certain first.
 */
#ifndef PLACE_NAMES_H
#define PLACE_NAMES_H

#define LATITUDE_NAMES                                    \
	{                                                     \
		"latitude", "latitude_deg", "lat", "latitud", "y" \
	}
#define LONGITUDE_NAMES                                                     \
	{                                                                       \
		"longitude", "longitude_deg", "lon", "lng", "long", "longitud", "x" \
	}
/* of geometries as WKT */
#define GEOMETRY_NAMES                        \
	{                                         \
		"wkt", "geometry", "geom", "the_geom" \
	}
#define PLACE_NAMES 8 /* of a kind, at most */

#endif /* PLACE_NAMES_H */
