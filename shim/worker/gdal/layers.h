/*
 * layers.h - the program catalogue-geo-reader: files of GDAL's vector drivers, each layer as a sheet.
 *
 * Decisions: docs/explanation/decisions.md#shimworkergdal
 */
#ifndef WORKER_GDAL_LAYERS_H
#define WORKER_GDAL_LAYERS_H

#include <iconv.h>

#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <proj.h>

#include "geo/features.h"
#include "sandbox/sandbox.h"

#define LAYERS_MAXIMUM 256			/* of a file */
#define LIBRARY_MEMORY (1536 << 20) /* bytes that a file may take to read */
#define ARCHIVE_BYTES (1024 << 20)	/* of these, unpacked bytes of an archive */
#define LAYER_FIELDS 1000			/* attributes of a layer */

/* A kind of file. */
typedef struct DatasetForm
{
	const char *driver;			/* of GDAL, the only one that opens the file */
	const char *name;			/* that the file has for the driver */
	const char *what;			/* the file is called so in reasons */
	const char *const *options; /* of the driver, up to a NULL */
	bool sparse; /* layers without features are left out, and attributes that none of them has */
} DatasetForm;

/* What is read: the sheets so far. */
typedef struct Layers
{
	Parse *parse;
	unsigned sheets;
	const char *name;		 /* of the only layer; NULL: each has its own */
	bool raw;				 /* texts are in an encoding: */
	iconv_t converter;		 /* of it; of UTF-8 none */
	bool bare;				 /* there are no attributes */
	bool unlisted;			 /* a Shapefile has no .shx, which is made anew */
	const DatasetForm *form; /* of the open file */
	const char *note;		 /* told of the next sheet; NULL: nothing */
} Layers;

/* library.c */

/* Prepare for any file; called before the sandbox is entered. */
extern void library_prepare(const Options *options);
/* The context of PROJ, which has its database open. */
extern PJ_CONTEXT *library_context(void);
/* The text of GDAL's last error since library_forget(); NULL: there was none. */
extern const char *library_fault(void);
extern void library_forget(void);

/* grids.c */

/* Load the grids that are beside the database of PROJ, and have a context read them. */
extern void grids_load(PJ_CONTEXT *context);

/* dataset.c */

/* Put bytes into GDAL's memory as a file; they must outlive it. */
extern void dataset_put(Layers *layers, const char *path, char *bytes, size_t length);
/* Read all layers of a file in GDAL's memory. */
extern void dataset_read(Layers *layers, const DatasetForm *form, const char *path);
extern void dataset_read_shape(Parse *parse);
extern void dataset_read_gpkg(Parse *parse);
extern void dataset_read_gml(Parse *parse);
extern void dataset_read_gpx(Parse *parse);
extern void dataset_read_topojson(Parse *parse);
extern void dataset_read_fgb(Parse *parse);
extern void dataset_read_mif(Parse *parse);
extern void dataset_read_dxf(Parse *parse);
extern const DatasetForm dataset_shape, dataset_tab, dataset_mif;

/* export.c: rows, which jobs/convert_features.c has written, as a file */
extern void export_prepare(const Options *options);
extern void export_kml(Parse *parse);
extern void export_gpkg(Parse *parse);
extern void export_shape(Parse *parse);

/* archive.c */
extern void archive_read(Parse *parse);

/* layer.c */
extern void layer_read(Layers *layers, OGRLayerH layer);

/* field.c */

/* Set parse->cell to an attribute of a feature, which is set and not null. */
extern void field_write(const Layers *layers, OGRFeatureH feature, int number);
/* Append a text of a file to a buffer as UTF-8. */
extern void field_text(const Layers *layers, const char *text, Buffer *buffer);

/* dbf.c */

/* Find the encoding of the texts of a DBF; cpg: the text that names it, may be NULL. */
extern void dbf_find_encoding(Layers *layers, const char *bytes, size_t length, const char *cpg);

/* system.c */
typedef enum SystemKind
{
	SYSTEM_WGS84,	/* the coordinates are good as they are, */
	SYSTEM_DEGREES, /* or taken for good, since they can be degrees; */
	SYSTEM_OTHER,	/* are converted; */
	SYSTEM_FOREIGN, /* cannot be converted; */
	SYSTEM_UNKNOWN	/* are in a system that is not named */
} SystemKind;

typedef struct System
{
	SystemKind kind;
	PJ *operation; /* of SYSTEM_OTHER */
	bool
		crossing; /* the antimeridian: longitudes west of it, which are below 0, become those from 180 on */
	char name[200];
	char note[500]; /* what is to be told of the accuracy; empty: nothing */
} System;

/* extent: of the coordinates. */
extern void system_find(System *system, OGRSpatialReferenceH reference, const OGREnvelope *extent);
/* Convert coordinates; false if some cannot be converted. */
extern bool system_convert(const void *system, double *x, double *y, size_t count);
/* The systems that PROJ knows by their codes, for the readers of texts. */
extern const Systems system_systems;

#endif
