/*
 * features.h - the readers of geographic files, and their features as rows of one sheet.
 *
 * The first columns are the longitude and the latitude, where there are points; then come those that
 * the format has, and one for each property and each further datum of a feature, in the order in which
 * they are found.  A property that is called as a datum has another column.
 *
 * Decisions: docs/explanation/decisions.md#shimworkergeo
 */
#ifndef WORKER_GEO_FEATURES_H
#define WORKER_GEO_FEATURES_H

#include "rows/rows.h"

/* geojson.c, kml.c: read a file of that format */
extern void geojson_read(Parse *parse);
extern void kml_read(Parse *parse);
/* A KMZ, an archive with one KML or several, which are one sheet. */
extern void kml_read_kmz(Parse *parse);

/* features.c */
typedef struct Features Features;

/* What features of a sheet may have for a place. */
typedef enum FeaturesPlace
{
	PLACE_POINT,
	PLACE_SHAPE, /* a geometry, as WKT */
	PLACE_MIXED, /* either */
	PLACE_NONE
} FeaturesPlace;

typedef struct FeaturesForm
{
	const char *const *titles; /* of the columns of the format, up to a NULL */
	FeaturesPlace place;
	unsigned number;  /* of the sheet, from 1 */
	const char *name; /* of the sheet */
	bool hidden;
	const Systems *systems; /* NULL: coordinates in other systems stay as they are */
} FeaturesForm;

/* Begin the sheet. */
extern Features *features_begin(Parse *parse, const FeaturesForm *form);
/* Data of a feature besides its properties; the names of their columns are in features.c. */
typedef enum Datum
{
	DATUM_ALTITUDE,
	DATUM_FEATURE_ID,
	DATUM_ID,
	DATUM_FOLDER,
	DATUM_ADDRESS,
	DATUM_PHONE_NUMBER,
	DATUM_SNIPPET,
	DATUM_LINK,
	DATUM_TIMESTAMP,
	DATUM_BEGIN,
	DATUM_END,
	DATUM_GEOMETRY,
	DATA
} Datum;

/* Begin a feature. */
extern void features_open(Features *features);
/* The number of the column of a property. */
extern unsigned features_column(Features *features, const char *name, size_t length);
/* The number of the column of a datum. */
extern unsigned features_datum(Features *features, Datum datum);
/* Report what cannot be kept of the open feature, or of the file. */
extern void features_report(Features *features, const char *reason);
/*
 * The coordinates are in another system than WGS 84.  Unless they can be converted, or features were
 * read before, they are called x and y.
 */
extern void features_foreign(Features *features, const char *system, size_t length);
/* The coordinates are in a system that the file does not name: they are called likewise. */
extern void features_unknown(Features *features);
/* The number of a column of the format, by its index among the titles. */
extern unsigned features_format_column(const Features *features, unsigned index);
/* Set a property of the open feature to the text in parse->cell. */
extern void features_set(Features *features, unsigned column);
/* The constant with the name of a geometry; NULL if there is none. */
extern const char *features_kind(const char *kind, size_t length);
/* The open feature has a geometry; of several the first is taken.  False: it is not taken. */
extern bool features_geometry(Features *features, const char *kind, size_t length);
/* A number of the geometry's position: longitude, latitude, altitude. */
extern void features_position(Features *features, unsigned axis, const char *text, size_t length);
/* Convert a position, if the system has been named; false: it cannot be converted. */
extern bool features_convert(void *features, double *x, double *y);
/* The geometry of the open feature is one point, whatever its kind. */
extern void features_single(Features *features);
/* The place of the open feature is the WKT in parse->shape. */
extern void features_shape(Features *features, const Extent *extent);
/* The place of the open feature is left out; the reason is told. */
extern void features_unplaced(Features *features, const char *reason);
/* The feature is whole: it becomes a row. */
extern void features_close(Features *features);
/* Forget the open feature. */
extern void features_drop(Features *features);
/* End the sheet. */
extern void features_end(Features *features);

#endif
