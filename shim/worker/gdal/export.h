/*
 * export.h - rows as a file of one of GDAL's drivers.
 */
#ifndef WORKER_GDAL_EXPORT_H
#define WORKER_GDAL_EXPORT_H

#include <gdal.h>
#include <jansson.h>

#include "gdal/layers.h"

/* A kind of file. */
typedef struct ExportForm
{
	const char *driver; /* of GDAL */
	const char *path;	/* of the file, or of the folder of its parts, in GDAL's memory */
	const char *never;	/* letters that no name may have, NULL: all may be */
	bool mixed;			/* a layer has geometries of all kinds */
	bool named;			/* its first field is the name of the feature */
	bool collection;	/* there are layers of collections of geometries */
	bool dates;			/* a column has dates, else they are texts; */
	bool times;			/* dates with times of day, likewise */
	bool noted;			/* what is not as it was is told in the file, which is an archive */
	int text;			/* bytes of a text at most, 0: no limit */
	double number;		/* that has room, 0: any */
} ExportForm;

typedef struct ExportColumn
{
	const char *name;
	const char *title;
	const char *field; /* its name in the file */
	OGRFieldType type;
	OGRFieldSubType subtype;
	bool dates;		 /* texts of the type, without a time of day */
	size_t width;	 /* bytes of its longest text */
	int64_t cut;	 /* texts that were too long */
	int64_t without; /* numbers that had no room */
} ExportColumn;

typedef struct ExportSheet
{
	json_t *head;
	const char *name;
	ExportColumn *columns;
	size_t count;
	unsigned kinds;	  /* a bit for each kind of its geometries */
	int64_t left_out; /* rows whose geometry is of a kind that the file cannot have */
} ExportSheet;

/* A row as it is read. */
typedef struct ExportRow
{
	int64_t number;
	const char *geometry; /* GeoJSON */
	size_t geometry_length;
	int kind;
	json_t *values;
} ExportRow;

typedef struct Export
{
	Parse *parse;
	const ExportForm *form;
	GDALDatasetH dataset;
	OGRSpatialReferenceH reference;
	const char *start; /* of the input */
	const char *at;
	const char *end;
	uint64_t before; /* bytes of rows that have been read, once they are read a second time */
	Buffer notes;
	Buffer geometry; /* of a row, with a zero byte behind it */
} Export;

/* Kinds of geometries: layers that are not mixed have one each. */
#define EXPORT_KINDS 5
#define EXPORT_COLLECTIONS 4

/* export_rows.c: the input */

/* Read the sheet, and what its rows have; the rows come next. */
extern void export_rows_sheet(Export *export, ExportSheet *sheet);
/* Read the next row; false: there are no more. */
extern bool export_rows_next(Export *export, ExportRow *row);

/* export_file.c: the output */

/* Note what the sheet has lost in a layer. */
extern void export_file_note(Export *export, ExportSheet *sheet, OGRLayerH layer);
/* Write the file to the worker. */
extern void export_file_send(Export *export);

#endif
