/*
 * file_types.h
 *	  Types of files, and the readers of their contents.
 *
 * The extension and the worker include these tables.  A file is accepted if its type is listed in
 * catalogue.filetypes, and its bytes agree with the row here.  The functions that read are in
 * shim/worker/supervisor/parse_command.c, by the names of FileReader.
 */
#ifndef FILE_TYPES_H
#define FILE_TYPES_H

#include <stdbool.h>
#include <string.h>

#include "file_signatures.h"

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
} file_readers[] = {
	[READER_CSV] = {"csv", true, true, false},
	[READER_XLSX] = {"xlsx", true, false, false},
	[READER_XLS] = {"xls", true, false, false},
	[READER_ODS] = {"ods", true, false, false},
	[READER_GEOJSON] = {"geojson", true, true, true},
	[READER_KML] = {"kml", true, true, true},
	[READER_JSON] = {"json", false, true, false},
	[READER_XML] = {"xml", false, true, false},
	[READER_TURTLE] = {"turtle", false, true, false},
	[READER_RDFXML] = {"rdfxml", false, true, false},
};

typedef struct FileType
{
	const char *extension;
	/* another name that catalogue.filetypes may have it under; NULL: none.  Its field api does not
	 * refer to this type if the other one has another reader. */
	const char *listed;
	Content content;
	/* for a zip file, part of the name of one of its entries; for a compound document, the name of
	 * one of its streams; for a text, the characters that it may begin with ("": any).  NULL: a
	 * text must not begin with markup; other contents have no requirement. */
	const char *needs;
	const char *media_type;
	FileReader reader;
	bool asked; /* read only if the field api of the type is true, else unless it is false */
} FileType;

static const FileType file_types[] = {
	{"csv", NULL, CONTENT_TEXT, NULL, "text/csv", READER_CSV, false},
	{"tsv", NULL, CONTENT_TEXT, NULL, "text/tab-separated-values", READER_CSV, false},
	{"tab", "tsv", CONTENT_TEXT, NULL, "text/tab-separated-values", READER_CSV, false},
	{"txt", NULL, CONTENT_TEXT, "", "text/plain", READER_CSV, true},
	{"xls", NULL, CONTENT_OLE, "Book", "application/vnd.ms-excel", READER_XLS, false},
	{"xlsx", NULL, CONTENT_ZIP, "xl/",
	 "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", READER_XLSX, false},
	{"xlsm", "xlsx", CONTENT_ZIP, "xl/", "application/vnd.ms-excel.sheet.macroEnabled.12",
	 READER_XLSX, false},
	{"xltx", "xlsx", CONTENT_ZIP, "xl/",
	 "application/vnd.openxmlformats-officedocument.spreadsheetml.template", READER_XLSX, false},
	{"xltm", "xlsx", CONTENT_ZIP, "xl/", "application/vnd.ms-excel.template.macroEnabled.12",
	 READER_XLSX, false},
	{"ods", NULL, CONTENT_ZIP, "content.xml", "application/vnd.oasis.opendocument.spreadsheet",
	 READER_ODS, false},
	{"json", NULL, CONTENT_TEXT, "{[\"-0123456789tfn", "application/json", READER_JSON, false},
	{"geojson", "json", CONTENT_TEXT, "{", "application/geo+json", READER_GEOJSON, false},
	{"xml", NULL, CONTENT_TEXT, "<", "application/xml", READER_XML, false},
	{"kml", "xml", CONTENT_TEXT, "<", "application/vnd.google-earth.kml+xml", READER_KML, false},
	{"gml", NULL, CONTENT_TEXT, "<", "application/gml+xml", READER_NONE, false},
	{"rdf", NULL, CONTENT_TEXT, "<", "application/rdf+xml", READER_NONE, false},
	{"svg", NULL, CONTENT_TEXT, "<", "image/svg+xml", READER_NONE, false},
	{"html", NULL, CONTENT_TEXT, "<", "text/html", READER_NONE, false},
	{"htm", "html", CONTENT_TEXT, "<", "text/html", READER_NONE, false},
	{"ics", NULL, CONTENT_TEXT, "Bb", "text/calendar", READER_NONE, false},
	{"md", NULL, CONTENT_TEXT, "", "text/markdown", READER_NONE, false},
	{"docx", NULL, CONTENT_ZIP, "word/",
	 "application/vnd.openxmlformats-officedocument.wordprocessingml.document", READER_NONE, false},
	{"pptx", NULL, CONTENT_ZIP, "ppt/",
	 "application/vnd.openxmlformats-officedocument.presentationml.presentation", READER_NONE,
	 false},
	{"odt", NULL, CONTENT_ZIP, "content.xml", "application/vnd.oasis.opendocument.text",
	 READER_NONE, false},
	{"kmz", NULL, CONTENT_ZIP, ".kml", "application/vnd.google-earth.kmz", READER_NONE, false},
	{"zip", NULL, CONTENT_ZIP, NULL, "application/zip", READER_NONE, false},
	{"doc", NULL, CONTENT_OLE, "WordDocument", "application/msword", READER_NONE, false},
	{"ppt", NULL, CONTENT_OLE, "PowerPoint Document", "application/vnd.ms-powerpoint", READER_NONE,
	 false},
	{"pdf", NULL, CONTENT_PDF, NULL, "application/pdf", READER_NONE, false},
	{"png", NULL, CONTENT_PNG, NULL, "image/png", READER_NONE, false},
	{"jpg", "jpeg", CONTENT_JPEG, NULL, "image/jpeg", READER_NONE, false},
	{"jpeg", "jpg", CONTENT_JPEG, NULL, "image/jpeg", READER_NONE, false},
	{"gif", NULL, CONTENT_GIF, NULL, "image/gif", READER_NONE, false},
	{"webp", NULL, CONTENT_WEBP, NULL, "image/webp", READER_NONE, false},
	{"tif", "tiff", CONTENT_TIFF, NULL, "image/tiff", READER_NONE, false},
	{"tiff", "tif", CONTENT_TIFF, NULL, "image/tiff", READER_NONE, false},
	{"rar", NULL, CONTENT_RAR, NULL, "application/vnd.rar", READER_NONE, false},
	{"gz", NULL, CONTENT_GZIP, NULL, "application/gzip", READER_NONE, false},
	{"7z", NULL, CONTENT_SEVENZIP, NULL, "application/x-7z-compressed", READER_NONE, false},
	{"shp", NULL, CONTENT_SHAPE, NULL, "application/vnd.shp", READER_NONE, false},
	{"gpkg", NULL, CONTENT_SQLITE, NULL, "application/geopackage+sqlite3", READER_NONE, false},
};

/* The type of an extension in lower case; NULL for one that is not in the table, and for NULL. */
static inline const FileType *
file_type_of(const char *extension)
{
	for (size_t i = 0; extension != NULL && i < sizeof(file_types) / sizeof(file_types[0]); i++)
		if (strcmp(file_types[i].extension, extension) == 0)
			return &file_types[i];
	return NULL;
}

#endif /* FILE_TYPES_H */
