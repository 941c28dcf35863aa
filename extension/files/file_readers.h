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

/* Readers of the worker: of files, of answers of remote services, of catalogues in RDF, and of rows. */
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
	READER_TO_KML, /* the other way round: rows as features */
	READER_TO_GPKG,
	READER_TO_SHAPE,
} FileReader;

/* Programs of the worker's host. */
typedef enum FileProgram
{
	PROGRAM_WORKER,
	PROGRAM_GEO,	/* catalogue-geo-reader, which need not be there */
	PROGRAM_EITHER, /* that one, or else the worker */
} FileProgram;

static const struct
{
	const char *name;
	bool files; /* reads files that were uploaded; else answers of services, and documents only */
	bool piped; /* reads sequentially, so that a pipe is enough */
	bool geographic;	 /* makes rows with longitude and latitude */
	FileProgram program; /* that has it */
} file_readers[] = {
	[READER_CSV] = {"csv", true, true, false, PROGRAM_WORKER},
	[READER_XLSX] = {"xlsx", true, false, false, PROGRAM_WORKER},
	[READER_XLS] = {"xls", true, false, false, PROGRAM_WORKER},
	[READER_ODS] = {"ods", true, false, false, PROGRAM_WORKER},
	[READER_GEOJSON] = {"geojson", true, true, true, PROGRAM_EITHER},
	[READER_KML] = {"kml", true, true, true, PROGRAM_WORKER},
	[READER_KMZ] = {"kmz", true, false, true, PROGRAM_WORKER},
	[READER_LAYERS] = {"zip", true, false, true, PROGRAM_GEO},
	[READER_SHAPE] = {"shp", true, false, true, PROGRAM_GEO},
	[READER_GPKG] = {"gpkg", true, false, true, PROGRAM_GEO},
	[READER_GML] = {"gml", true, false, true, PROGRAM_GEO},
	[READER_GPX] = {"gpx", true, false, true, PROGRAM_GEO},
	[READER_TOPOJSON] = {"topojson", true, false, true, PROGRAM_GEO},
	[READER_FGB] = {"fgb", true, false, true, PROGRAM_GEO},
	[READER_MIF] = {"mif", true, false, true, PROGRAM_GEO},
	[READER_DXF] = {"dxf", true, false, true, PROGRAM_GEO},
	[READER_JSON] = {"json", false, true, false, PROGRAM_WORKER},
	[READER_XML] = {"xml", false, true, false, PROGRAM_WORKER},
	[READER_TURTLE] = {"turtle", false, true, false, PROGRAM_WORKER},
	[READER_RDFXML] = {"rdfxml", false, true, false, PROGRAM_WORKER},
	[READER_TO_KML] = {"to-kml", false, false, false, PROGRAM_GEO},
	[READER_TO_GPKG] = {"to-gpkg", false, false, false, PROGRAM_GEO},
	[READER_TO_SHAPE] = {"to-shp", false, false, false, PROGRAM_GEO},
};

#endif /* FILE_READERS_H */
