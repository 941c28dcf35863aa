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

#define ENTRY_NAME_MAX 512 /* bytes of the name of a zip entry that are searched */

/* Beginnings of markup, which is not a table whatever the file's extension is. */
static const char *const markup[] = {"<!doctype", "<html", "<?xml"};

/* Return the offset of a compound document's directory; 0 if there is none. */
static int64
directory_of(const ContentSample *head)
{
	const unsigned char *bytes = (const unsigned char *) head->head;
	uint32 sector;
	uint32 shift;

	if (head->length < 512 || memcmp(bytes, "\xD0\xCF\x11\xE0", 4) != 0)
		return 0;
	shift = bytes[30];
	sector = bytes[48] | bytes[49] << 8 | bytes[50] << 16 | (uint32) bytes[51] << 24;
	return shift == 9 || shift == 12 ? ((int64) sector + 1) << shift : 0;
}

/*
 * Read the bytes of a blob that identify its type: its first chunk, and the one with the directory
 * or the last one.
 */
ContentSample
cat_content_sniff_read(int64 blob, int64 size)
{
	ContentSample sample = {"", 0, "", 0};
	bytea *piece = cat_blob_piece(blob, 0);
	int64 directory;

	if (!piece)
		return sample;
	sample.head = VARDATA(piece);
	sample.length = VARSIZE(piece) - VARHDRSZ;
	directory = directory_of(&sample);
	piece = cat_blob_piece(blob, (directory > 0 ? directory : size - 1) / BLOB_CHUNK);
	if (piece)
	{
		sample.other = VARDATA(piece);
		sample.other_length = VARSIZE(piece) - VARHDRSZ;
	}
	return sample;
}

/* Return whether the bytes begin with a UTF-16 byte order mark; such text contains zero bytes. */
static bool
content_sniff_is_wide(const ContentSample *sample)
{
	return sample->length >= 2 &&
		   (memcmp(sample->head, "\xFF\xFE", 2) == 0 || memcmp(sample->head, "\xFE\xFF", 2) == 0);
}

/*
 * Return whether bytes with zeros among them are a text.  One in UTF-16 without a byte order mark has
 * zeros at even places only, or at odd ones only, one in UTF-32 at the same end of each character; in
 * any other text a few control characters are faults, which are reported when it is read.
 */
static bool
is_text(const ContentSample *sample)
{
	size_t zeros[4] = {0};
	size_t control = 0;

	for (size_t i = 0; i < sample->length; i++)
	{
		unsigned char byte = (unsigned char) sample->head[i];

		zeros[i % 4] += byte == 0;
		control += byte == 0 || (byte < ' ' && !strchr("\t\n\v\f\r\x1A\x1B", byte));
	}
	if (control <= Max(1, sample->length / 20))
		return true;
	return control == zeros[0] + zeros[1] + zeros[2] + zeros[3] &&
		   (zeros[0] + zeros[2] == 0 || zeros[1] + zeros[3] == 0 ||
			(zeros[0] == (sample->length + 3) / 4 && zeros[3] == 0) ||
			(zeros[3] == sample->length / 4 && zeros[0] == 0));
}

/* Return the content type of the bytes; media_type: set for a known format, else NULL. */
static Content
content_sniff_kind(const ContentSample *sample, const char **media_type)
{
	*media_type = NULL;
	if (sample->length == 0)
		return CONTENT_EMPTY;
	for (size_t i = 0; i < lengthof(file_signatures); i++)
		/* two letters may also begin a text */
		if (sample->length >= file_signatures[i].at + file_signatures[i].length &&
			memcmp(sample->head + file_signatures[i].at, file_signatures[i].bytes,
				   file_signatures[i].length) == 0 &&
			(file_signatures[i].length > 2 || memchr(sample->head, '\0', sample->length)))
		{
			*media_type = file_signatures[i].media_type;
			return file_signatures[i].content;
		}
	return content_sniff_is_wide(sample) || !memchr(sample->head, '\0', sample->length) ||
				   is_text(sample)
			   ? CONTENT_TEXT
			   : CONTENT_OTHER;
}

/*
 * Return the first character of a text that is neither a byte order mark nor white space; its end
 * if there is none.
 */
static const char *
text_start(const ContentSample *sample)
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
begins_with(const ContentSample *sample, const char *start, const char *word)
{
	size_t left = sample->head + sample->length - start;

	return left >= strlen(word) && pg_strncasecmp(start, word, strlen(word)) == 0;
}

/* Return whether a text begins as its extension requires; needs: see FileType. */
static bool
content_sniff_is_text_of(const ContentSample *sample, const char *needs)
{
	const char *start = text_start(sample);

	if (content_sniff_is_wide(sample) || start == sample->head + sample->length)
		return true;
	if (needs)
		return *needs == '\0' || strchr(needs, *start);
	for (size_t i = 0; i < lengthof(markup); i++)
		if (begins_with(sample, start, markup[i]))
			return false;
	return true;
}

/* Return whether two characters are equal, ignoring case and the kind of slash. */
static inline bool
is_letter(char has, char wanted)
{
	return pg_ascii_tolower((unsigned char) (has == '\\' ? '/' : has)) ==
		   pg_ascii_tolower((unsigned char) wanted);
}

/*
 * Return whether a name occurs in the bytes, with characters of width bytes, of which all but the
 * first are zero.
 */
static bool
has_name(const char *bytes, size_t length, const char *name, size_t width)
{
	size_t size = strlen(name) * width;

	for (size_t start = 0; start + size <= length; start++)
	{
		size_t at = 0;

		while (at < size && is_letter(bytes[start + at], at % width == 0 ? name[at / width] : '\0'))
			at++;
		if (at == size)
			return true;
	}
	return false;
}

/*
 * Return whether a header of a zip entry, found by its signature, has a name that contains a part.
 * Names may overlap each other, so that only their first ENTRY_NAME_MAX bytes are searched.
 */
static bool
has_entry(const char *bytes, size_t length, const char *mark, size_t name_at, const char *part)
{
	const char *end = bytes + length;

	for (const char *p = bytes; (p = memmem(p, end - p, mark, 4)); p += 4)
	{
		size_t at = name_at == 30 ? 26 : 28;
		size_t size;

		CHECK_FOR_INTERRUPTS();
		if ((size_t) (end - p) < name_at)
			return false;
		size = (unsigned char) p[at] | (size_t) (unsigned char) p[at + 1] << 8;
		size = Min(size, Min(ENTRY_NAME_MAX, (size_t) (end - p) - name_at));
		if (has_name(p + name_at, size, part, 1))
			return true;
	}
	return false;
}

/*
 * Return whether a zip file has an entry whose name contains a part.  Local headers are searched in
 * the first bytes, the central directory in the last ones.
 */
static bool
content_sniff_has_entry(const ContentSample *sample, const char *part)
{
	return has_entry(sample->head, sample->length, "PK\x03\x04", 30, part) ||
		   has_entry(sample->other, sample->other_length, "PK\x01\x02", 46, part);
}

/* Return whether the directory of a compound document contains a stream of that name. */
static bool
content_sniff_has_stream(const ContentSample *sample, const char *name)
{
	return has_name(sample->head, sample->length, name, 2) ||
		   has_name(sample->other, sample->other_length, name, 2);
}

/* Return whether an element is the root of an XML text, after declarations and comments. */
static bool
content_sniff_is_root(const ContentSample *sample, const char *element)
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
		content_sniff_has_stream(sample, "EncryptedPackage"))
		return true;
	if (content != extension->content)
		return false;
	if (content == CONTENT_TEXT)
		return content_sniff_is_text_of(sample, extension->needs);
	if (!extension->needs)
		return true;
	if (content == CONTENT_OLE)
		return content_sniff_has_stream(sample, extension->needs);
	/*
	 * Whether a zip file is a workbook with unusual part names: it has the content types of an
	 * Office document, and is neither a text document nor a presentation.
	 */
	return content_sniff_has_entry(sample, extension->needs) ||
		   (is_book(extension) && content_sniff_has_entry(sample, "[Content_Types].xml") &&
			!content_sniff_has_entry(sample, "word/") && !content_sniff_has_entry(sample, "ppt/"));
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
	Content content = content_sniff_kind(sample, &media_type);
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
	kind.readable =
		known && file_readers[known->reader].files && (type.api ? *type.api == 't' : !known->asked);
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
	Content content = content_sniff_kind(sample, &kind.media_type);

	for (size_t i = 0; i < lengthof(images); i++)
		if (images[i].content == content)
			kind.extension = images[i].extension;
	if (content == CONTENT_TEXT && !content_sniff_is_wide(sample) &&
		content_sniff_is_root(sample, "<svg"))
	{
		kind.extension = "svg";
		kind.media_type = "image/svg+xml";
	}
	if (!kind.extension)
		ereport(ERROR, (errcode(OD415), errmsg("the image is no SVG, PNG, JPEG or WebP")));
	return kind;
}
