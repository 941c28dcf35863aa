/*
 * filetype.c
 *	  Type of a file, from its extension and its content.
 *
 * The extension states what a file claims to be, its bytes show what it is.  A type is accepted if
 * both agree and catalogue.filetypes has it.
 */
#include "catalogue.h"

#include <ctype.h>

#include "miscadmin.h"

#include "files/files.h"
#include "files/files_internal.h"

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
is_book(const FileType *extension)
{
	return strncmp(extension->extension, "xls", 3) == 0 ||
		   strncmp(extension->extension, "xlt", 3) == 0;
}

/* Return whether content agrees with the extension. */
static bool
agrees(const FileType *extension, const ContentSample *sample, Content content)
{
	if (content == CONTENT_EMPTY)
		return extension->content == CONTENT_TEXT;
	if (content == CONTENT_BIFF)
		return strcmp(extension->extension, "xls") == 0;
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
	/*
	 * Whether a zip file is a workbook with unusual part names: it has the content types of an
	 * Office document, and is neither a text document nor a presentation.
	 */
	return cat_content_sniff_has_entry(sample, extension->needs) ||
		   (is_book(extension) && cat_content_sniff_has_entry(sample, "[Content_Types].xml") &&
			!cat_content_sniff_has_entry(sample, "word/") &&
			!cat_content_sniff_has_entry(sample, "ppt/"));
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
	bool isnull;
	Datum media_types;
	Datum *texts;
	int count;

	cat_statement_fresh(
		"SELECT t.id::text, t.api::text, ARRAY(SELECT json_array_elements_text(t.mimetype)) "
		"FROM catalogue.filetypes t WHERE (lower(t.name) = $1 OR t.slug = $1) "
		"AND t.deleted_at IS NULL AND t.deactivated_at IS NULL ORDER BY t.created_at LIMIT 1",
		text_param(extension));
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
	const FileType *known = file_type_of(extension);
	const FileType *listed = known ? file_type_of(known->listed) : NULL;

	if (find_type(extension, type))
		return true;
	if (!listed || !find_type(known->listed, type))
		return false;
	if (listed->reader != known->reader)
		type->api = NULL;
	return true;
}

static const char *
media_type_of(const Type *type, const FileType *known)
{
	if (known && (type->media_types == NIL ||
				  cat_query_string_has_word(type->media_types, known->media_type)))
		return known->media_type;
	return type->media_types ? linitial(type->media_types) : "application/octet-stream";
}

/* Look up the type of an extension.  Raises OD415 if it is not taken. */
static Type
require_type(const char *extension)
{
	Type type;

	if (*extension == '\0')
		ereport(ERROR, (errcode(OD415), errmsg("the name of the file has no extension"),
						errhint("The extension tells the type of a file.")));
	if (!find_spelled(extension, &type))
		ereport(ERROR, (errcode(OD415), errmsg("files of type \"%s\" are not taken", extension),
						strcmp(extension, "xlsb") == 0
							? errhint("A binary workbook cannot be read: save it as XLSX.")
							: errhint("The types that are taken are those of /filetypes.")));
	return type;
}

void
cat_filetype_require(const char *extension)
{
	(void) require_type(extension);
}

/* Return whether a zip file has the entries of a layer. */
static bool
has_layers(const ContentSample *sample)
{
	for (size_t i = 0; i < lengthof(file_layers); i++)
		if (cat_content_sniff_has_entry(sample, file_layers[i][0]) &&
			(!file_layers[i][1] || cat_content_sniff_has_entry(sample, file_layers[i][1])))
			return true;
	return false;
}

/* Return whether the rows of a file are read. */
static bool
is_read(const FileType *known, const Type *type, const ContentSample *sample)
{
	if (!file_readers[known->reader].files || (known->layered && !has_layers(sample)))
		return false;
	if (known->reading == READ_ALWAYS)
		return true;
	return type->api ? *type->api == 't' : known->reading == READ_UNLESS_FALSE;
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
	const FileType *known = file_type_of(extension);
	const char *media_type;
	Content content = cat_content_sniff_kind(sample, &media_type);
	FileKind kind;
	Type type = require_type(extension);
	bool agreed;

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
	kind.readable = known && is_read(known, &type, sample);
	return kind;
}

/* Return whether bytes that are stored under a name are a geographic file whose rows are read. */
CAT_FUNCTION(catalogue_is_geography_read)
{
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(ARG_IS_GEOGRAPHY_READ_FILE_NAME));
	char *extension = cat_filetype_extension(name);
	const FileType *known = file_type_of(extension);
	bool read = false;
	ContentSample sample;
	Type type;

	if (!known || !file_readers[known->reader].geographic)
		PG_RETURN_BOOL(false);
	cat_owner_call_begin();
	if (find_spelled(extension, &type))
	{
		sample = cat_content_sniff_read(PG_GETARG_INT64(ARG_IS_GEOGRAPHY_READ_BLOB),
										PG_GETARG_INT64(ARG_IS_GEOGRAPHY_READ_SIZE));
		read = is_read(known, &type, &sample);
	}
	cat_owner_call_end();
	PG_RETURN_BOOL(read);
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
