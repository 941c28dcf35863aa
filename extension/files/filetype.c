/*
 * filetype.c
 *	  Type of a file, from its extension and its content.
 *
 * The extension states what a file claims to be, its bytes show what it is.  A type is accepted if
 * both agree and catalogue.filetypes has it.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include <ctype.h>

#include "base/base.h"
#include "files/content_sniff_internal.h"
#include "files/files.h"
#include "files/files_internal.h"
#include "pg/pg.h"

/* Whether the rows of a file are parsed. */
typedef enum Reading
{
	READING_NEVER,
	READING_ASKED, /* if the type's field api is true */
	READING_USUAL, /* unless that is false */
} Reading;

/*
 * Properties of an extension.
 *
 * needs: for a zip file, part of the name of one of its entries; for a compound document, the name
 * of one of its streams; for a text, the characters that it may begin with ("": any).  NULL: a text
 * must not begin with markup; other contents have no requirement.
 */
typedef struct Extension
{
	const char *name;
	Content content;
	const char *needs;
	const char *media_type;
	Reading reading;
} Extension;

static const Extension extensions[] = {
	{"csv", CONTENT_TEXT, NULL, "text/csv", READING_USUAL},
	{"tsv", CONTENT_TEXT, NULL, "text/tab-separated-values", READING_USUAL},
	{"tab", CONTENT_TEXT, NULL, "text/tab-separated-values", READING_USUAL},
	{"txt", CONTENT_TEXT, "", "text/plain", READING_ASKED},
	{"xls", CONTENT_OLE, "Book", "application/vnd.ms-excel", READING_USUAL},
	{"xlsx", CONTENT_ZIP, "xl/",
	 "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", READING_USUAL},
	{"xlsm", CONTENT_ZIP, "xl/", "application/vnd.ms-excel.sheet.macroEnabled.12", READING_USUAL},
	{"xltx", CONTENT_ZIP, "xl/",
	 "application/vnd.openxmlformats-officedocument.spreadsheetml.template", READING_USUAL},
	{"xltm", CONTENT_ZIP, "xl/", "application/vnd.ms-excel.template.macroEnabled.12",
	 READING_USUAL},
	{"ods", CONTENT_ZIP, "content.xml", "application/vnd.oasis.opendocument.spreadsheet",
	 READING_USUAL},
	{"json", CONTENT_TEXT, "{[\"-0123456789tfn", "application/json", READING_NEVER},
	{"geojson", CONTENT_TEXT, "{", "application/geo+json", READING_USUAL},
	{"xml", CONTENT_TEXT, "<", "application/xml", READING_NEVER},
	{"kml", CONTENT_TEXT, "<", "application/vnd.google-earth.kml+xml", READING_USUAL},
	{"gml", CONTENT_TEXT, "<", "application/gml+xml", READING_NEVER},
	{"rdf", CONTENT_TEXT, "<", "application/rdf+xml", READING_NEVER},
	{"svg", CONTENT_TEXT, "<", "image/svg+xml", READING_NEVER},
	{"html", CONTENT_TEXT, "<", "text/html", READING_NEVER},
	{"htm", CONTENT_TEXT, "<", "text/html", READING_NEVER},
	{"ics", CONTENT_TEXT, "Bb", "text/calendar", READING_NEVER},
	{"md", CONTENT_TEXT, "", "text/markdown", READING_NEVER},
	{"docx", CONTENT_ZIP, "word/",
	 "application/vnd.openxmlformats-officedocument.wordprocessingml.document", READING_NEVER},
	{"pptx", CONTENT_ZIP, "ppt/",
	 "application/vnd.openxmlformats-officedocument.presentationml.presentation", READING_NEVER},
	{"odt", CONTENT_ZIP, "content.xml", "application/vnd.oasis.opendocument.text", READING_NEVER},
	{"kmz", CONTENT_ZIP, ".kml", "application/vnd.google-earth.kmz", READING_NEVER},
	{"zip", CONTENT_ZIP, NULL, "application/zip", READING_NEVER},
	{"doc", CONTENT_OLE, "WordDocument", "application/msword", READING_NEVER},
	{"ppt", CONTENT_OLE, "PowerPoint Document", "application/vnd.ms-powerpoint", READING_NEVER},
	{"pdf", CONTENT_PDF, NULL, "application/pdf", READING_NEVER},
	{"png", CONTENT_PNG, NULL, "image/png", READING_NEVER},
	{"jpg", CONTENT_JPEG, NULL, "image/jpeg", READING_NEVER},
	{"jpeg", CONTENT_JPEG, NULL, "image/jpeg", READING_NEVER},
	{"gif", CONTENT_GIF, NULL, "image/gif", READING_NEVER},
	{"webp", CONTENT_WEBP, NULL, "image/webp", READING_NEVER},
	{"tif", CONTENT_TIFF, NULL, "image/tiff", READING_NEVER},
	{"tiff", CONTENT_TIFF, NULL, "image/tiff", READING_NEVER},
	{"rar", CONTENT_RAR, NULL, "application/vnd.rar", READING_NEVER},
	{"gz", CONTENT_GZIP, NULL, "application/gzip", READING_NEVER},
	{"7z", CONTENT_SEVENZIP, NULL, "application/x-7z-compressed", READING_NEVER},
	{"shp", CONTENT_SHAPE, NULL, "application/vnd.shp", READING_NEVER},
	{"gpkg", CONTENT_SQLITE, NULL, "application/geopackage+sqlite3", READING_NEVER},
};

/*
 * Types under which catalogue.filetypes may list an extension instead of its own name.  is_other:
 * the type is of a more general format; its field api does not refer to this one.
 */
static const struct
{
	const char *extension;
	const char *listed;
	bool is_other;
} spellings[] = {
	{"htm", "html", false},	   {"jpeg", "jpg", false},	{"jpg", "jpeg", false},
	{"tif", "tiff", false},	   {"tiff", "tif", false},	{"tab", "tsv", false},
	{"xlsm", "xlsx", false},   {"xltx", "xlsx", false}, {"xltm", "xlsx", false},
	{"geojson", "json", true}, {"kml", "xml", true},
};

/* A row of catalogue.filetypes. */
typedef struct Type
{
	char *id;
	char *api; /* NULL, "true" or "false" */
	List *media_types;
} Type;

/*
 * Return whether an extension is that of an Excel workbook, which is stored in a compound document
 * if it has a password.
 */
static bool
is_book(const Extension *extension)
{
	return strncmp(extension->name, "xls", 3) == 0 || strncmp(extension->name, "xlt", 3) == 0;
}

/*
 * Return whether a zip file is a workbook with unusual part names: it has the content types of an
 * Office document, and is neither a text document nor a presentation.
 */
static bool
is_unusual_book(const Extension *extension, const ContentSample *sample)
{
	return is_book(extension) && cat_content_sniff_has_entry(sample, "[Content_Types].xml") &&
		   !cat_content_sniff_has_entry(sample, "word/") &&
		   !cat_content_sniff_has_entry(sample, "ppt/");
}

/* Return whether content agrees with the extension. */
static bool
agrees(const Extension *extension, const ContentSample *sample, Content content)
{
	if (content == CONTENT_EMPTY)
		return extension->content == CONTENT_TEXT;
	if (content == CONTENT_BIFF)
		return strcmp(extension->name, "xls") == 0;
	if (content == CONTENT_OLE && is_book(extension) &&
		cat_content_sniff_has_stream(sample, "EncryptedPackage"))
		return true;
	if (content != extension->content)
		return false;
	if (content == CONTENT_TEXT)
		return cat_content_sniff_is_text_of(sample, extension->needs);
	if (!extension->needs)
		return true;
	if (content == CONTENT_OLE)
		return cat_content_sniff_has_stream(sample, extension->needs);
	return cat_content_sniff_has_entry(sample, extension->needs) ||
		   is_unusual_book(extension, sample);
}

static bool
is_text_type(const char *media_type)
{
	return strncmp(media_type, "text/", 5) == 0 || strstr(media_type, "json") ||
		   strstr(media_type, "xml");
}

/* Return whether content agrees with an extension that is only in catalogue.filetypes. */
static bool
agrees_with_type(const Type *type, Content content, const char *media_type)
{
	const char *said = type->media_types ? linitial(type->media_types) : "";

	if (content == CONTENT_TEXT || content == CONTENT_EMPTY)
		return is_text_type(said) || content == CONTENT_TEXT;
	if (is_text_type(said) || content == CONTENT_PROGRAM)
		return false;
	return content == CONTENT_OTHER || content == CONTENT_ZIP || content == CONTENT_GZIP ||
		   content == CONTENT_OLE || cat_query_string_has_word(type->media_types, media_type);
}

char *
cat_filetype_extension(const char *name)
{
	const char *dot = strrchr(name, '.');
	char *extension = pstrdup(dot && dot > name ? dot + 1 : "");

	if (strlen(extension) > EXTENSION_LENGTH)
		return pstrdup("");
	for (char *p = extension; *p; p++)
	{
		if (!isascii((unsigned char) *p) || !isalnum((unsigned char) *p))
			return pstrdup("");
		*p = pg_ascii_tolower((unsigned char) *p);
	}
	return extension;
}

/* Look up the file type that is named by an extension; false if there is none in use. */
static bool
find_type(const char *extension, Type *type)
{
	Oid parameter = TEXTOID;
	Datum value = CStringGetTextDatum(extension);
	bool isnull;
	Datum media_types;
	Datum *texts;
	int count;

	cat_statement_run(
		"SELECT t.id::text, t.api::text, ARRAY(SELECT json_array_elements_text(t.mimetype)) "
		"FROM catalogue.filetypes t WHERE (lower(t.name) = $1 OR t.slug = $1) "
		"AND t.deleted_at IS NULL AND t.deactivated_at IS NULL ORDER BY t.created_at LIMIT 1",
		1, &parameter, &value, NULL, true, 1);
	if (SPI_processed == 0)
		return false;
	type->id = cat_result_text(1);
	type->api = cat_result_text(2);
	type->media_types = NIL;
	media_types = cat_result_datum(3, &isnull);
	texts = cat_text_array_elements(media_types, &count);
	for (int i = 0; i < count; i++)
		type->media_types = lappend(type->media_types, TextDatumGetCString(texts[i]));
	return true;
}

char *
cat_filetype_named(const char *name)
{
	Type type;

	return find_type(name, &type) ? type.id : NULL;
}

/* Look up the file type of an extension in all its spellings. */
static bool
find_spelled(const char *extension, Type *type)
{
	if (find_type(extension, type))
		return true;
	for (size_t i = 0; i < lengthof(spellings); i++)
		if (strcmp(spellings[i].extension, extension) == 0 && find_type(spellings[i].listed, type))
		{
			if (spellings[i].is_other)
				type->api = NULL;
			return true;
		}
	return false;
}

static const Extension *
known_extension(const char *name)
{
	for (size_t i = 0; i < lengthof(extensions); i++)
		if (strcmp(extensions[i].name, name) == 0)
			return &extensions[i];
	return NULL;
}

static const char *
media_type_of(const Type *type, const Extension *known)
{
	if (known && (type->media_types == NIL ||
				  cat_query_string_has_word(type->media_types, known->media_type)))
		return known->media_type;
	return type->media_types ? linitial(type->media_types) : "application/octet-stream";
}

static bool
is_readable(const Type *type, const Extension *known)
{
	if (!known || known->reading == READING_NEVER)
		return false;
	return type->api ? *type->api == 't' : known->reading == READING_USUAL;
}

/*
 * Return the type of a file.
 *
 * Raises OD415 if catalogue.filetypes has no such type, or if the content does not agree with the
 * extension.
 */
FileKind
cat_filetype_find(const char *extension, const ContentSample *sample)
{
	const Extension *known = known_extension(extension);
	const char *media_type;
	Content content = cat_content_sniff_kind(sample, &media_type);
	FileKind kind;
	Type type;
	bool agreed;

	if (*extension == '\0')
		ereport(ERROR, (errcode(OD415), errmsg("the name of the file has no extension"),
						errhint("The extension tells the type of a file.")));
	if (!find_spelled(extension, &type))
		ereport(ERROR, (errcode(OD415), errmsg("files of type \"%s\" are not taken", extension),
						strcmp(extension, "xlsb") == 0
							? errhint("A binary workbook cannot be read: save it as XLSX.")
							: errhint("The types that are taken are those of /filetypes.")));
	agreed = known ? agrees(known, sample, content) : agrees_with_type(&type, content, media_type);
	if (!agreed && content == CONTENT_EMPTY)
		ereport(ERROR, (errcode(OD415), errmsg("the file is empty")));
	if (!agreed)
		ereport(ERROR, (errcode(OD415),
						errmsg("the content is not that of a file of type \"%s\"", extension),
						errhint("The extension tells the type of a file.")));
	kind.type = type.id;
	kind.extension = extension;
	kind.media_type = media_type_of(&type, known);
	kind.readable = is_readable(&type, known);
	return kind;
}

/* Return the kind of an image from its bytes.  Raises OD415 if its format is not accepted. */
FileKind
cat_filetype_image(const ContentSample *sample)
{
	static const struct
	{
		Content content;
		const char *extension;
	} images[] = {{CONTENT_PNG, "png"}, {CONTENT_JPEG, "jpg"}, {CONTENT_WEBP, "webp"}};
	FileKind kind = {0};
	Content content = cat_content_sniff_kind(sample, &kind.media_type);

	for (size_t i = 0; i < lengthof(images); i++)
		if (images[i].content == content)
			kind.extension = images[i].extension;
	if (content == CONTENT_TEXT && !cat_content_sniff_is_wide(sample) &&
		cat_content_sniff_is_root(sample, "<svg"))
	{
		kind.extension = "svg";
		kind.media_type = "image/svg+xml";
	}
	if (!kind.extension)
		ereport(ERROR, (errcode(OD415), errmsg("the image is no SVG, PNG, JPEG or WebP")));
	return kind;
}
