/*
 * file_types.h
 *	  Types of files, and the readers of their contents.
 *
 * The extension and the worker include these tables.  A file is accepted if its type is listed in
 * catalogue.filetypes, and its bytes agree with the row here.
 */
#ifndef FILE_TYPES_H
#define FILE_TYPES_H

#include <string.h>

#include "file_readers.h"
#include "file_signatures.h"

/* How the field api of a type decides whether its files are read. */
typedef enum FileReading
{
	READ_UNLESS_FALSE,
	READ_IF_TRUE,
	READ_ALWAYS, /* the first records have it as false, from a time in which nothing read such files */
} FileReading;

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
	FileReading reading;
	bool layered; /* is read only if it has the entries of one of file_layers */
} FileType;

/* What entries of an archive with layers have in their names: one, and another one if it is not NULL. */
static const char *const file_layers[][2] = {{".shp", NULL}, {".mif", NULL}, {".tab", ".dat"}};

static const FileType file_types[] = {
	{"csv", NULL, CONTENT_TEXT, NULL, "text/csv", READER_CSV, READ_UNLESS_FALSE, false},
	{"tsv", NULL, CONTENT_TEXT, NULL, "text/tab-separated-values", READER_CSV, READ_UNLESS_FALSE,
	 false},
	{"tab", "tsv", CONTENT_TEXT, NULL, "text/tab-separated-values", READER_CSV, READ_UNLESS_FALSE,
	 false},
	{"txt", NULL, CONTENT_TEXT, "", "text/plain", READER_CSV, READ_IF_TRUE, false},
	{"xls", NULL, CONTENT_OLE, "Book", "application/vnd.ms-excel", READER_XLS, READ_UNLESS_FALSE,
	 false},
	{"xlsx", NULL, CONTENT_ZIP, "xl/",
	 "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", READER_XLSX,
	 READ_UNLESS_FALSE, false},
	{"xlsm", "xlsx", CONTENT_ZIP, "xl/", "application/vnd.ms-excel.sheet.macroEnabled.12",
	 READER_XLSX, READ_UNLESS_FALSE, false},
	{"xltx", "xlsx", CONTENT_ZIP, "xl/",
	 "application/vnd.openxmlformats-officedocument.spreadsheetml.template", READER_XLSX,
	 READ_UNLESS_FALSE, false},
	{"xltm", "xlsx", CONTENT_ZIP, "xl/", "application/vnd.ms-excel.template.macroEnabled.12",
	 READER_XLSX, READ_UNLESS_FALSE, false},
	{"ods", NULL, CONTENT_ZIP, "content.xml", "application/vnd.oasis.opendocument.spreadsheet",
	 READER_ODS, READ_UNLESS_FALSE, false},
	{"json", NULL, CONTENT_TEXT, "{[\"-0123456789tfn", "application/json", READER_JSON,
	 READ_UNLESS_FALSE, false},
	{"geojson", "json", CONTENT_TEXT, "{", "application/geo+json", READER_GEOJSON,
	 READ_UNLESS_FALSE, false},
	{"xml", NULL, CONTENT_TEXT, "<", "application/xml", READER_XML, READ_UNLESS_FALSE, false},
	{"kml", "xml", CONTENT_TEXT, "<", "application/vnd.google-earth.kml+xml", READER_KML,
	 READ_UNLESS_FALSE, false},
	{"gml", "xml", CONTENT_TEXT, "<", "application/gml+xml", READER_GML, READ_UNLESS_FALSE, false},
	{"gpx", "xml", CONTENT_TEXT, "<", "application/gpx+xml", READER_GPX, READ_UNLESS_FALSE, false},
	{"topojson", "json", CONTENT_TEXT, "{", "application/topo+json", READER_TOPOJSON,
	 READ_UNLESS_FALSE, false},
	{"fgb", NULL, CONTENT_FLATGEOBUF, NULL, "application/vnd.flatgeobuf", READER_FGB,
	 READ_UNLESS_FALSE, false},
	{"mif", NULL, CONTENT_TEXT, "Vv", "application/vnd.mif", READER_MIF, READ_UNLESS_FALSE, false},
	{"dxf", NULL, CONTENT_TEXT, "0123456789", "image/vnd.dxf", READER_DXF, READ_UNLESS_FALSE,
	 false},
	{"rdf", NULL, CONTENT_TEXT, "<", "application/rdf+xml", READER_NONE, READ_UNLESS_FALSE, false},
	{"svg", NULL, CONTENT_TEXT, "<", "image/svg+xml", READER_NONE, READ_UNLESS_FALSE, false},
	{"html", NULL, CONTENT_TEXT, "<", "text/html", READER_NONE, READ_UNLESS_FALSE, false},
	{"htm", "html", CONTENT_TEXT, "<", "text/html", READER_NONE, READ_UNLESS_FALSE, false},
	{"ics", NULL, CONTENT_TEXT, "Bb", "text/calendar", READER_NONE, READ_UNLESS_FALSE, false},
	{"md", NULL, CONTENT_TEXT, "", "text/markdown", READER_NONE, READ_UNLESS_FALSE, false},
	{"docx", NULL, CONTENT_ZIP, "word/",
	 "application/vnd.openxmlformats-officedocument.wordprocessingml.document", READER_NONE,
	 READ_UNLESS_FALSE, false},
	{"pptx", NULL, CONTENT_ZIP, "ppt/",
	 "application/vnd.openxmlformats-officedocument.presentationml.presentation", READER_NONE,
	 READ_UNLESS_FALSE, false},
	{"odt", NULL, CONTENT_ZIP, "content.xml", "application/vnd.oasis.opendocument.text",
	 READER_NONE, READ_UNLESS_FALSE, false},
	{"kmz", "zip", CONTENT_ZIP, ".kml", "application/vnd.google-earth.kmz", READER_KMZ,
	 READ_UNLESS_FALSE, false},
	{"zip", NULL, CONTENT_ZIP, NULL, "application/zip", READER_LAYERS, READ_ALWAYS, true},
	{"doc", NULL, CONTENT_OLE, "WordDocument", "application/msword", READER_NONE, READ_UNLESS_FALSE,
	 false},
	{"ppt", NULL, CONTENT_OLE, "PowerPoint Document", "application/vnd.ms-powerpoint", READER_NONE,
	 READ_UNLESS_FALSE, false},
	{"pdf", NULL, CONTENT_PDF, NULL, "application/pdf", READER_NONE, READ_UNLESS_FALSE, false},
	{"png", NULL, CONTENT_PNG, NULL, "image/png", READER_NONE, READ_UNLESS_FALSE, false},
	{"jpg", "jpeg", CONTENT_JPEG, NULL, "image/jpeg", READER_NONE, READ_UNLESS_FALSE, false},
	{"jpeg", "jpg", CONTENT_JPEG, NULL, "image/jpeg", READER_NONE, READ_UNLESS_FALSE, false},
	{"gif", NULL, CONTENT_GIF, NULL, "image/gif", READER_NONE, READ_UNLESS_FALSE, false},
	{"webp", NULL, CONTENT_WEBP, NULL, "image/webp", READER_NONE, READ_UNLESS_FALSE, false},
	{"tif", "tiff", CONTENT_TIFF, NULL, "image/tiff", READER_NONE, READ_UNLESS_FALSE, false},
	{"tiff", "tif", CONTENT_TIFF, NULL, "image/tiff", READER_NONE, READ_UNLESS_FALSE, false},
	{"rar", NULL, CONTENT_RAR, NULL, "application/vnd.rar", READER_NONE, READ_UNLESS_FALSE, false},
	{"gz", NULL, CONTENT_GZIP, NULL, "application/gzip", READER_NONE, READ_UNLESS_FALSE, false},
	{"7z", NULL, CONTENT_SEVENZIP, NULL, "application/x-7z-compressed", READER_NONE,
	 READ_UNLESS_FALSE, false},
	{"shp", NULL, CONTENT_SHAPE, NULL, "application/vnd.shp", READER_SHAPE, READ_ALWAYS, false},
	{"gpkg", NULL, CONTENT_SQLITE, NULL, "application/geopackage+sqlite3", READER_GPKG,
	 READ_UNLESS_FALSE, false},
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
