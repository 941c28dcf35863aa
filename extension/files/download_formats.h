/*
 * download_formats.h
 *	  Formats that the rows of a file are downloaded in.
 *
 * The extension, the shim and the worker include this table.  A format that is streamed has its
 * function in rows/contents/sheet_stream.c, one of workbooks in shim/worker/jobs/convert.c, both by
 * the names of DownloadFormat.
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
} DownloadFormat;

static const struct
{
	const char *name;
	const char *media_type;
	const char *parameters; /* of the media type in Content-Type */
	bool streamed;			/* written while it is sent; else a job makes a workbook */
	bool offered;			/* the page of a file has a link to it */
	int rows;				/* that a sheet has at most without its titles; 0: no limit */
	int columns;
} download_formats[] = {
	[DOWNLOAD_CSV] = {"csv", "text/csv", "; charset=utf-8; header=present", true, true, 0, 0},
	[DOWNLOAD_JSON] = {"json", "application/json", "", true, true, 0, 0},
	[DOWNLOAD_NDJSON] = {"ndjson", "application/x-ndjson", "", true, true, 0, 0},
	[DOWNLOAD_GEOJSON] = {"geojson", "application/geo+json", "", true, false, 0, 0},
	[DOWNLOAD_XLSX] = {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
					   "", false, true, 0, 0},
	[DOWNLOAD_XLS] = {"xls", "application/vnd.ms-excel", "", false, false, 65535, 256},
};

#endif /* DOWNLOAD_FORMATS_H */
