/*
 * kml_position.h - the position of a point in KML.
 */
#ifndef WORKER_GEO_KML_POSITION_H
#define WORKER_GEO_KML_POSITION_H

#include "geo/features.h"

/* Take white space off both ends of the text between two places. */
extern void kml_trim(const char **from, const char **to);
/* Read longitude, latitude and altitude, divided by commas; of several positions the first. */
extern void kml_position(Features *features, const char *from, const char *to);

#endif
