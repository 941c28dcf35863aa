/*
 * filetype.c
 *	  What kind of file bytes are, by their first ones and the name they came with.
 *
 * The name says what a file claims to be, its bytes what it is; a type is
 * taken where both agree and catalogue.filetypes has it.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include <ctype.h>

/* What the bytes are, as far as they tell. */
typedef enum Content
{
	CONTENT_EMPTY,
	CONTENT_TEXT,
	CONTENT_OTHER, /* bytes of a form that is not known here */
	CONTENT_ZIP,
	CONTENT_OLE,
	CONTENT_BIFF, /* a sheet of Excel before there were workbooks */
	CONTENT_PDF,
	CONTENT_PNG,
	CONTENT_JPEG,
	CONTENT_GIF,
	CONTENT_WEBP,
	CONTENT_TIFF,
	CONTENT_RAR,
	CONTENT_GZIP,
	CONTENT_SEVENZIP,
	CONTENT_SHAPE,
	CONTENT_SQLITE,
	CONTENT_PROGRAM,
} Content;

/* First bytes of forms, and the media type of each. */
static const struct
{
	Content content;
	size_t at;
	size_t length;
	const char *bytes;
	const char *media_type;
} signatures[] = {
	{CONTENT_ZIP, 0, 4, "PK\x03\x04", "application/zip"},
	{CONTENT_ZIP, 0, 4, "PK\x05\x06", "application/zip"},
	{CONTENT_OLE, 0, 8, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "application/vnd.ms-excel"},
	{CONTENT_BIFF, 0, 4, "\x09\x08\x10\x00", "application/vnd.ms-excel"},
	{CONTENT_BIFF, 0, 4, "\x09\x08\x08\x00", "application/vnd.ms-excel"},
	{CONTENT_PDF, 0, 5, "%PDF-", "application/pdf"},
	{CONTENT_PNG, 0, 8, "\x89PNG\r\n\x1A\n", "image/png"},
	{CONTENT_JPEG, 0, 3, "\xFF\xD8\xFF", "image/jpeg"},
	{CONTENT_GIF, 0, 6, "GIF87a", "image/gif"},
	{CONTENT_GIF, 0, 6, "GIF89a", "image/gif"},
	{CONTENT_WEBP, 8, 4, "WEBP", "image/webp"},
	{CONTENT_TIFF, 0, 4, "II*\0", "image/tiff"},
	{CONTENT_TIFF, 0, 4, "MM\0*", "image/tiff"},
	{CONTENT_RAR, 0, 6, "Rar!\x1A\x07", "application/vnd.rar"},
	{CONTENT_GZIP, 0, 3, "\x1F\x8B\x08", "application/gzip"},
	{CONTENT_SEVENZIP, 0, 6, "7z\xBC\xAF\x27\x1C", "application/x-7z-compressed"},
	{CONTENT_SHAPE, 0, 4, "\x00\x00\x27\x0A", "application/vnd.shp"},
	{CONTENT_SQLITE, 0, 16, "SQLite format 3", "application/vnd.sqlite3"},
	{CONTENT_PROGRAM, 0, 4,
	 "\x7F"
	 "ELF",
	 "application/x-executable"},
	{CONTENT_PROGRAM, 0, 2, "MZ", "application/x-executable"},
};

/* Whether the rows of a file are read. */
typedef enum Reading
{
	READING_NEVER,
	READING_ASKED, /* where the type's field api is true */
	READING_USUAL, /* unless it is false */
} Reading;

/*
 * What is known of an extension.
 *
 * needs: of a zip file, a part of the name of one of its entries; of a compound document, the name
 * of one of its streams; of a text, the characters that it may begin with.  NULL: of a text,
 * that it begins like no markup; else nothing.
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
	{"ods", CONTENT_ZIP, "content.xml", "application/vnd.oasis.opendocument.spreadsheet",
	 READING_USUAL},
	{"json", CONTENT_TEXT, "{[\"-0123456789tfn", "application/json", READING_NEVER},
	{"geojson", CONTENT_TEXT, "{", "application/geo+json", READING_NEVER},
	{"xml", CONTENT_TEXT, "<", "application/xml", READING_NEVER},
	{"kml", CONTENT_TEXT, "<", "application/vnd.google-earth.kml+xml", READING_NEVER},
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

/* Spellings of one extension, where catalogue.filetypes has the other. */
static const char *const spellings[][2] = {
	{"htm", "html"}, {"jpeg", "jpg"}, {"jpg", "jpeg"},	   {"tif", "tiff"},
	{"tiff", "tif"}, {"tab", "tsv"},  {"geojson", "json"},
};

/* Beginnings of what is no table, whatever it is called. */
static const char *const markup[] = {"<!doctype", "<html", "<?xml"};

/* A row of catalogue.filetypes. */
typedef struct Type
{
	char *id;
	char *api; /* NULL, "true" or "false" */
	List *media_types;
} Type;

static bool
has_signature(const Sample *sample, size_t i)
{
	return sample->length >= signatures[i].at + signatures[i].length &&
		   memcmp(sample->head + signatures[i].at, signatures[i].bytes, signatures[i].length) == 0;
}

/* Whether the bytes begin with the mark of UTF-16, whose text is full of zeros. */
static bool
is_wide(const Sample *sample)
{
	return sample->length >= 2 &&
		   (memcmp(sample->head, "\xFF\xFE", 2) == 0 || memcmp(sample->head, "\xFE\xFF", 2) == 0);
}

/* What the bytes are; media_type: of a known form, else NULL. */
static Content
content_of(const Sample *sample, const char **media_type)
{
	*media_type = NULL;
	if (sample->length == 0)
		return CONTENT_EMPTY;
	for (size_t i = 0; i < lengthof(signatures); i++)
		/* two letters may as well be the first ones of a text */
		if (has_signature(sample, i) &&
			(signatures[i].length > 2 || memchr(sample->head, '\0', sample->length)))
		{
			*media_type = signatures[i].media_type;
			return signatures[i].content;
		}
	return is_wide(sample) || !memchr(sample->head, '\0', sample->length) ? CONTENT_TEXT
																		  : CONTENT_OTHER;
}

/* The first character of a text that says something; its end where there is none. */
static const char *
text_start(const Sample *sample)
{
	const char *p = sample->head;
	const char *end = p + sample->length;

	if (sample->length >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
		p += 3;
	while (p < end && isspace((unsigned char) *p))
		p++;
	return p;
}

static bool
begins_with(const Sample *sample, const char *start, const char *word)
{
	size_t left = sample->head + sample->length - start;

	return left >= strlen(word) && pg_strncasecmp(start, word, strlen(word)) == 0;
}

static bool
is_text_of(const Sample *sample, const char *needs)
{
	const char *start = text_start(sample);

	if (is_wide(sample) || start == sample->head + sample->length)
		return true;
	if (needs)
		return *needs == '\0' || strchr(needs, *start);
	for (size_t i = 0; i < lengthof(markup); i++)
		if (begins_with(sample, start, markup[i]))
			return false;
	return true;
}

/*
 * Whether a zip file has an entry with a part in its name: looked for at the entries themselves in
 * the first bytes, and in the directory in the last ones.
 */
static bool
has_entry(const char *bytes, size_t length, const char *mark, size_t name_at, const char *part)
{
	const char *end = bytes + length;

	for (const char *p = bytes; (p = memmem(p, end - p, mark, 4)); p += 4)
	{
		size_t at = name_at == 30 ? 26 : 28;
		size_t size;

		if ((size_t) (end - p) < name_at)
			return false;
		size = (unsigned char) p[at] | (size_t) (unsigned char) p[at + 1] << 8;
		size = Min(size, (size_t) (end - p) - name_at);
		if (memmem(p + name_at, size, part, strlen(part)))
			return true;
	}
	return false;
}

/* Whether the directory of a compound document has a stream whose name ends so. */
static bool
has_stream(const Sample *sample, const char *name)
{
	char wide[64];
	size_t length = strlen(name) * 2;

	memset(wide, 0, sizeof(wide));
	for (size_t i = 0; name[i]; i++)
		wide[i * 2] = name[i];
	return memmem(sample->head, sample->length, wide, length) ||
		   memmem(sample->other, sample->other_length, wide, length) ||
		   (strcmp(name, "Book") == 0 && has_stream(sample, "book"));
}

/* Whether bytes of that content are what the extension says. */
static bool
agrees(const Extension *extension, const Sample *sample, Content content)
{
	if (content == CONTENT_EMPTY)
		return extension->content == CONTENT_TEXT;
	if (content == CONTENT_BIFF)
		return strcmp(extension->name, "xls") == 0;
	if (content != extension->content)
		return false;
	if (content == CONTENT_TEXT)
		return is_text_of(sample, extension->needs);
	if (!extension->needs)
		return true;
	if (content == CONTENT_OLE)
		return has_stream(sample, extension->needs);
	return has_entry(sample->head, sample->length, "PK\x03\x04", 30, extension->needs) ||
		   has_entry(sample->other, sample->other_length, "PK\x01\x02", 46, extension->needs);
}

static bool
is_text_type(const char *media_type)
{
	return strncmp(media_type, "text/", 5) == 0 || strstr(media_type, "json") ||
		   strstr(media_type, "xml");
}

/* So, for an extension that only catalogue.filetypes knows. */
static bool
agrees_with_type(const Type *type, Content content, const char *media_type)
{
	const char *said = type->media_types ? linitial(type->media_types) : "";

	if (content == CONTENT_TEXT || content == CONTENT_EMPTY)
		return is_text_type(said) || content == CONTENT_TEXT;
	if (is_text_type(said) || content == CONTENT_PROGRAM)
		return false;
	return content == CONTENT_OTHER || content == CONTENT_ZIP || content == CONTENT_GZIP ||
		   content == CONTENT_OLE || words_have(type->media_types, media_type);
}

/* The extension of a name in small letters, "" where it has none. */
char *
filetype_extension(const char *name)
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

/* Look up the type that has an extension as its name; false where there is none that is in use. */
static bool
find_type(const char *extension, Type *type)
{
	Oid parameter = TEXTOID;
	Datum value = CStringGetTextDatum(extension);
	bool isnull;
	Datum media_types;
	Datum *texts;
	int count;

	plan_run("SELECT t.id::text, t.api::text, ARRAY(SELECT json_array_elements_text(t.mimetype)) "
			 "FROM catalogue.filetypes t WHERE (lower(t.name) = $1 OR t.slug = $1) "
			 "AND t.deleted_at IS NULL AND t.deactivated_at IS NULL ORDER BY t.created_at LIMIT 1",
			 1, &parameter, &value, NULL, true, 1);
	if (SPI_processed == 0)
		return false;
	type->id = result_text(1);
	type->api = result_text(2);
	type->media_types = NIL;
	media_types = result_datum(3, &isnull);
	texts = texts_of_array(media_types, &count);
	for (int i = 0; i < count; i++)
		type->media_types = lappend(type->media_types, TextDatumGetCString(texts[i]));
	return true;
}

/* So, under another spelling too. */
static bool
find_spelled(const char *extension, Type *type)
{
	if (find_type(extension, type))
		return true;
	for (size_t i = 0; i < lengthof(spellings); i++)
		if (strcmp(spellings[i][0], extension) == 0 && find_type(spellings[i][1], type))
			return true;
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
	if (known && (type->media_types == NIL || words_have(type->media_types, known->media_type)))
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
 * The type of a file by its extension and its bytes.
 *
 * OD415 where catalogue.filetypes has no such type, or the bytes are something else.
 */
FileKind
filetype_find(const char *extension, const Sample *sample)
{
	const Extension *known = known_extension(extension);
	const char *media_type;
	Content content = content_of(sample, &media_type);
	FileKind kind;
	Type type;

	if (*extension == '\0')
		ereport(ERROR, (errcode(OD415), errmsg("the name of the file has no extension"),
						errhint("The extension tells the type of a file.")));
	if (!find_spelled(extension, &type))
		ereport(ERROR, (errcode(OD415), errmsg("files of type \"%s\" are not taken", extension),
						errhint("The types that are taken are those of /filetypes.")));
	if (known ? !agrees(known, sample, content) : !agrees_with_type(&type, content, media_type))
		ereport(ERROR, (errcode(OD415), content == CONTENT_EMPTY
											? errmsg("the file is empty")
											: errmsg("the content is not that of a file of type "
													 "\"%s\"",
													 extension)));
	kind.type = type.id;
	kind.extension = extension;
	kind.media_type = media_type_of(&type, known);
	kind.readable = is_readable(&type, known);
	return kind;
}

/* Whether an element is the first of a text, behind what may stand before it. */
static bool
is_root(const Sample *sample, const char *element)
{
	static const char *const before[][2] = {{"<?", "?>"}, {"<!--", "-->"}, {"<!", ">"}};
	const char *end = sample->head + sample->length;
	const char *p = text_start(sample);

	for (size_t i = 0; i < lengthof(before);)
	{
		if (!begins_with(sample, p, before[i][0]))
		{
			i++;
			continue;
		}
		p = memmem(p, end - p, before[i][1], strlen(before[i][1]));
		if (!p)
			return false;
		for (p += strlen(before[i][1]); p < end && isspace((unsigned char) *p); p++)
			;
		i = 0;
	}
	return begins_with(sample, p, element) && p + strlen(element) < end &&
		   strchr(" \t\r\n>/", p[strlen(element)]);
}

/* The kind of an image by its bytes; OD415 where they are none of a form that is taken. */
FileKind
filetype_image(const Sample *sample)
{
	static const struct
	{
		Content content;
		const char *extension;
	} images[] = {{CONTENT_PNG, "png"}, {CONTENT_JPEG, "jpg"}, {CONTENT_WEBP, "webp"}};
	FileKind kind = {0};
	Content content = content_of(sample, &kind.media_type);

	for (size_t i = 0; i < lengthof(images); i++)
		if (images[i].content == content)
			kind.extension = images[i].extension;
	if (content == CONTENT_TEXT && !is_wide(sample) && is_root(sample, "<svg"))
	{
		kind.extension = "svg";
		kind.media_type = "image/svg+xml";
	}
	if (!kind.extension)
		ereport(ERROR, (errcode(OD415), errmsg("the image is no SVG, PNG, JPEG or WebP")));
	return kind;
}
