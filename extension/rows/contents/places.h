/*
 * places.h
 *	  Places of rows: in columns of coordinates, or WKT.
 */
#ifndef CATALOGUE_CONTENTS_PLACES_H
#define CATALOGUE_CONTENTS_PLACES_H

#include "catalogue.h"

#include "base/bounds.h"
#include "rows/contents/contents.h"

/* The place of a row. */
typedef struct SheetPlace
{
	Bounds bounds;
	CellNumber latitude; /* of a point */
	CellNumber longitude;
} SheetPlace;

/* places.c */

/* Find the rows in a rectangle, near a place or within an area, as bbox, near and within say; the columns of the
 * places are known.  Raises OD422 for an invalid value, OD406 where PostGIS is needed and not there. */
extern void cat_places_ask(SheetQuery *asked, List *words);
typedef void (*TakePoint)(void *data, int64 row, double longitude, double latitude);
/* Give the points of a sheet, whose columns are known, in the order of the rows. */
extern void cat_places_points(const SheetQuery *asked, TakePoint take, void *data);
/* Whether PostGIS is there; raise OD406 unless it has stored the geometries that are asked for. */
extern bool cat_places_has_geography(void);
extern void cat_places_require_shapes(const SheetQuery *asked);

/* geojson.c */

/* Find the columns of the places that the reader has found, or that have usual names. */
extern void cat_geojson_usual(SheetQuery *sheet_query);
/* Append a row of the current chunk as a feature.  Returns NULL, or the reason why it has no place,
 * palloc'd, with nothing appended. */
extern char *cat_geojson_append(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan,
								int row, SheetPlace *place);

/* The same, as ChunkScan.write: false if it has no place. */
extern bool cat_geojson_feature(StringInfo out, const void *asked, ChunkScan *scan, int row);
/* Rows that are given as features. */
typedef struct FeatureRows
{
	const SheetQuery *asked;
	WriteRow write; /* false for a row without a place */
	const void *data;
	int64 step;	 /* each so many-th row */
	int64 after; /* behind this one; set to the last one, 0 if none follow */
	int64 limit; /* at most so many */
} FeatureRows;

/* Append rows as features, with commas between, and return how many there are.  Raises OD422 for over 64 MiB. */
extern int64 cat_geojson_append_rows(StringInfo out, FeatureRows *rows);

#endif /* CATALOGUE_CONTENTS_PLACES_H */
