/*
 * download_formats.h
 *	  Formats that the rows of a file are downloaded in.
 *
 * The extension, the shim and the worker include this table.  A format that is streamed has its
 * function in rows/contents/sheet_stream.c, another one in shim/worker/jobs/convert.c, both by the
 * names of DownloadFormat.
 */
#ifndef DOWNLOAD_FORMATS_H
#define DOWNLOAD_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum DownloadFormat
{
	DOWNLOAD_CSV,
	DOWNLOAD_JSON,
	DOWNLOAD_NDJSON,
	DOWNLOAD_GEOJSON,
	DOWNLOAD_XLSX,
	DOWNLOAD_XLS,
	DOWNLOAD_KML,
	DOWNLOAD_GPKG,
	DOWNLOAD_SHP,
} DownloadFormat;

static const struct
{
	const char *name;
	const char *media_type;
	const char *parameters; /* of the media type in Content-Type */
	const char *ending;		/* of the name of the file */
	bool streamed;			/* written while it is sent; else a job makes it */
	bool placed;			/* has the rows with a place only, of one sheet */
	bool offered;			/* the page of a file has a link to it */
	int rows;				/* that a sheet has at most without its titles; 0: no limit */
	int columns;
} download_formats[] = {
	[DOWNLOAD_CSV] = {"csv", "text/csv", "; charset=utf-8; header=present", "csv", true, false,
					  true, 0, 0},
	[DOWNLOAD_JSON] = {"json", "application/json", "", "json", true, false, true, 0, 0},
	[DOWNLOAD_NDJSON] = {"ndjson", "application/x-ndjson", "", "ndjson", true, false, true, 0, 0},
	[DOWNLOAD_GEOJSON] = {"geojson", "application/geo+json", "", "geojson", true, true, false, 0,
						  0},
	[DOWNLOAD_XLSX] = {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
					   "", "xlsx", false, false, true, 0, 0},
	[DOWNLOAD_XLS] = {"xls", "application/vnd.ms-excel", "", "xls", false, false, false, 65535,
					  256},
	[DOWNLOAD_KML] = {"kml", "application/vnd.google-earth.kml+xml", "", "kml", false, true, false,
					  0, 0},
	[DOWNLOAD_GPKG] = {"gpkg", "application/geopackage+sqlite3", "", "gpkg", false, true, false, 0,
					   1900},
	[DOWNLOAD_SHP] = {"shp", "application/zip", "", "shp.zip", false, true, false, 0, 250},
};

#endif /* DOWNLOAD_FORMATS_H */
