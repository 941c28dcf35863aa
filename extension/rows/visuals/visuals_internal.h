/*
 * visuals_internal.h
 *	  Rows, columns and reads of maps and charts: used inside visuals/ only.
 */
#ifndef CATALOGUE_VISUALS_VISUALS_INTERNAL_H
#define CATALOGUE_VISUALS_VISUALS_INTERNAL_H

#include "catalogue.h"

#include "call/call.h"
#include "query/query.h"
#include "rows/contents/contents.h"
#include "rows/contents/evaluate.h"
#include "rows/contents/places.h"
#include "rows/pictures/pictures.h"

/* A record as it is made: its values by attribute number less one. */
typedef struct Made
{
	Resource *resource;
	Datum *values;
	bool *nulls;
	bool strict;   /* what cannot be made is an error */
	List **errors; /* errors so far */
} Made;

/* A map or chart that is read. */
typedef struct VisualRead
{
	ReadCall call;
	List *words; /* of RequestWord *: parameters that are not those of a list */
	const char *id;
	const PictureLanguage *language; /* of a picture, NULL: of no picture */
	bool whole;						 /* a picture shows the places of all rows */
	bool known;						 /* the caller has this state: nothing is to be read */
} VisualRead;

/* visual_read.c */

extern void cat_visual_read_begin(VisualRead *read, FunctionCallInfo fcinfo,
								  const CallArguments *args, const char *const *words);
/* The same, in a call that has begun. */
extern void cat_visual_read_ask(VisualRead *read, FunctionCallInfo fcinfo,
								const CallArguments *args, const char *const *words);
extern char **cat_visual_read_fields(VisualRead *read, const char *const *fields);
/* Return the language that the parameter "lang" names, NULL: that of the catalogue; it becomes part of
 * the entity tag of the read.  Raises OD422 for another word. */
extern const PictureLanguage *cat_visual_read_language(ReadCall *call, const char *name);

/* map_geojson.c */

/* Append what stands before the features of a collection; bounds: NULL for none. */
extern void cat_map_geojson_head(StringInfo out, const Bounds *bounds);
/* Add the class of a row to its feature, which was appended last; legend: NULL for none. */
extern void cat_map_geojson_class(StringInfo out, const MapLegend *legend, const SheetQuery *asked,
								  ChunkScan *scan, int row);
/* Raise OD409 for a map without points. */
extern void cat_map_geojson_require(VisualRead *read);
/* As cat_visual_read_fields() of a map, geojson first.  Raises OD409 for a record without it. */
extern char **cat_map_geojson_fields(VisualRead *read, const char *const *fields);

/* map_rows.c */

/* Find the columns of the places of a map: points by the keys of its record, and where these are those of
 * the file's own places, its geometries; two keys of one column of text are WKT.  False if there are none. */
extern bool cat_map_rows_find(SheetQuery *asked, const char *latitude, const char *longitude);
/* Find the columns of the keys, and of the places of the outlines, and give the rows these; false if there are not
 * all. */
extern bool cat_map_rows_join(SheetQuery *asked, const char *key, SheetQuery *outlines,
							  const char *shapes_key);
/* Return a query for the sheet of a file that maps are made of, with no column shown; NULL if it is gone.  Errors as
 * of cat_sheet_lookup_file(). */
extern SheetQuery *cat_map_rows_sheet(const VisualRead *read, const char *file);
/* Return what the colours of the map mean; NULL: it has one. */
extern MapLegend *cat_map_rows_legend(VisualRead *read);
/* Return a query for the rows that the map is made of, with its properties shown; NULL if it is not made, or
 * they are gone. */
extern SheetQuery *cat_map_rows_ask(VisualRead *read);

/* Maximum numbers of labels, series and values of a chart: the others are one label, one series. */
#define CAT_CHART_LABELS 1000
#define CAT_CHART_SERIES 50
#define CAT_CHART_VALUES ((CAT_CHART_LABELS + 1) * (CAT_CHART_SERIES + 1))

/* chart_table.c */

/* Append the first aggregate of groups in an order, numbers, as data of a chart.  Of groups by KEYS_WRITTEN, which are all
 * in the order of their first rows, it has the maximum of labels and series, those with the greatest values, and numbers are
 * rounded to two digits; of others OD422 is raised for too many values.  False if there were cells, but no numbers. */
extern bool cat_chart_table_append(StringInfo out, const SheetQuery *asked, SheetGroups *groups,
								   const uint32 *order, int count);

/* chart_read.c */

/* Draw data of a chart, with fields of its record; returns what it shows, as text. */
extern const char *cat_chart_read_draw(Canvas *canvas, const char *type, const char *data,
									   const char *data_series, const char *data_type);

/* visual_source.c */

extern char *cat_visual_source_text(const Made *made, const char *column);
/* Set a column to a value; cat_visual_source_null() sets it to null. */
extern void cat_visual_source_set(const Made *made, const char *column, Datum value);
extern void cat_visual_source_null(const Made *made, const char *column);
extern SheetQuery *cat_visual_source_rows(Made *made, const char *column);
extern int cat_visual_source_column(const Made *made, const SheetQuery *asked, const char *field,
									const char *name);
extern List *cat_visual_source_names(const char *json);

#endif /* CATALOGUE_VISUALS_VISUALS_INTERNAL_H */
