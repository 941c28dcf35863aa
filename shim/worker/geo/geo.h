/*
 * geo.h - the readers of geographic files.
 */
#ifndef WORKER_GEO_GEO_H
#define WORKER_GEO_GEO_H

#include "sandbox/sandbox.h"

/* geojson.c, kml.c: read a file of that format */
extern void geojson_read(Parse *parse);
extern void kml_read(Parse *parse);

#endif
