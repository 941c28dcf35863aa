/*
 * places.h
 *	  Places of rows: in columns of coordinates, or WKT.
 */
#ifndef CATALOGUE_CONTENTS_PLACES_H
#define CATALOGUE_CONTENTS_PLACES_H

#include "catalogue.h"

#include "base/bounds.h"
#include "rows/contents/contents.h"

#define PLACES_CORNERS_MOST 100000 /* of a geometry of a client that others are compared with */

/* The place of a row. */
typedef struct SheetPlace
{
	Bounds bounds;
	CellNumber latitude; /* of a point */
	CellNumber longitude;
} SheetPlace;

typedef void (*TakePoint)(void *data, int64 row, double longitude, double latitude);

/* Places that are not in the rows themselves: what is done in place of the functions that are named. */
struct PlaceSource
{
	/* cat_geojson_geometry() */
	char *(*append)(StringInfo out, const SheetQuery *asked, ChunkScan *scan, int row,
					SheetPlace *place);
	/* cat_places_ask(), once asked->places has room */
	void (*ask)(SheetQuery *asked, List *words);
	/* cat_places_points() */
	void (*points)(const SheetQuery *asked, const Bounds *bounds, TakePoint take, void *data);
};

/* places.c */

/* Find the rows in a rectangle, near a place or within an area, as bbox, near and within say; the columns of the
 * places are known.  Raises OD422 for an invalid value, OD406 where PostGIS is needed and not there. */
extern void cat_places_ask(SheetQuery *asked, List *words);
/* Keep no row, and then one more. */
extern void cat_places_begin(SheetQuery *asked);
extern void cat_places_keep(SheetQuery *asked, int64 row);
/* Give the points of a sheet, whose columns are known, that are in a rectangle, NULL for all, and perhaps others, in the
* order of the rows: all, or at most 16,384 of them. */
extern void cat_places_points(const SheetQuery *asked, const Bounds *bounds, TakePoint take,
							  void *data);
/* Whether PostGIS is there; raise OD406 unless it is, and has stored the geometries that are asked for. */
extern bool cat_places_has_geography(void);
extern void cat_places_require_shapes(const SheetQuery *asked);

/* geojson.c */

/* Find the columns of the places that the reader has found, or that have usual names; false if there are none. */
extern bool cat_geojson_usual(SheetQuery *sheet_query);
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
	int64 limit; /* at most so many, */
	int enough;	 /* and none behind so many bytes, 0: they do not matter */
	int most;	 /* bytes, 0: 64 MiB */
} FeatureRows;

/* Append rows as features, with commas between, and return how many there are.  Raises OD413 for more bytes than most,
 * OD422 for over 64 MiB. */
extern int64 cat_geojson_append_rows(StringInfo out, FeatureRows *rows);

/* outlines.c */

/* Give the rows the places of another sheet, whose columns of places are known: each that of the first row there
 * with the same key.  Keys are texts without the blanks around them, and numbers where both columns are. */
extern void cat_outlines_join(SheetQuery *asked, int key, SheetQuery *shapes, int shapes_key);
/* Return the other sheet. */
extern const SheetQuery *cat_outlines_shapes(const SheetQuery *asked);
/* Return an array of integer: for each of its rows the last one that has its place, 0: none. */
extern Datum cat_outlines_rows(const SheetQuery *asked);
/* Keep these rows, and no others. */
extern void cat_outlines_keep_last(SheetQuery *asked);
typedef void OutlineTwice(void *data, int first, int row);
/* Give the rows there whose key one before has, and the number of that. */
extern void cat_outlines_twice(const SheetQuery *asked, OutlineTwice *take, void *data);

#endif /* CATALOGUE_CONTENTS_PLACES_H */
