/*
 * file_readers.h
 *	  Readers of the contents of files.
 *
 * The functions that read are in shim/worker/supervisor/parse_command.c and shim/worker/gdal/main.c,
 * by the names of FileReader.
 */
#ifndef FILE_READERS_H
#define FILE_READERS_H

#include <stdbool.h>

/* Readers of the worker: of files, of answers of remote services, and of catalogues in RDF. */
typedef enum FileReader
{
	READER_NONE,
	READER_CSV,
	READER_XLSX,
	READER_XLS,
	READER_ODS,
	READER_GEOJSON,
	READER_KML,
	READER_KMZ,
	READER_LAYERS,
	READER_SHAPE,
	READER_GPKG,
	READER_GML,
	READER_GPX,
	READER_TOPOJSON,
	READER_FGB,
	READER_MIF,
	READER_DXF,
	READER_JSON,
	READER_XML,
	READER_TURTLE,
	READER_RDFXML,
} FileReader;

static const struct
{
	const char *name;
	bool files; /* reads files that were uploaded; else answers of services, and documents only */
	bool piped; /* reads sequentially, so that a pipe is enough */
	bool geographic; /* makes rows with longitude and latitude */
	bool gdal;		 /* is a program of its own, catalogue-geo-reader, which need not be there */
} file_readers[] = {
	[READER_CSV] = {"csv", true, true, false, false},
	[READER_XLSX] = {"xlsx", true, false, false, false},
	[READER_XLS] = {"xls", true, false, false, false},
	[READER_ODS] = {"ods", true, false, false, false},
	[READER_GEOJSON] = {"geojson", true, true, true, false},
	[READER_KML] = {"kml", true, true, true, false},
	[READER_KMZ] = {"kmz", true, false, true, false},
	[READER_LAYERS] = {"zip", true, false, true, true},
	[READER_SHAPE] = {"shp", true, false, true, true},
	[READER_GPKG] = {"gpkg", true, false, true, true},
	[READER_GML] = {"gml", true, false, true, true},
	[READER_GPX] = {"gpx", true, false, true, true},
	[READER_TOPOJSON] = {"topojson", true, false, true, true},
	[READER_FGB] = {"fgb", true, false, true, true},
	[READER_MIF] = {"mif", true, false, true, true},
	[READER_DXF] = {"dxf", true, false, true, true},
	[READER_JSON] = {"json", false, true, false, false},
	[READER_XML] = {"xml", false, true, false, false},
	[READER_TURTLE] = {"turtle", false, true, false, false},
	[READER_RDFXML] = {"rdfxml", false, true, false, false},
};

#endif /* FILE_READERS_H */
