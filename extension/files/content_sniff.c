/*
 * content_sniff.c
 *	  Detection of the content type from the bytes of a file: signatures, and names
 *	  of the parts of an archive.
 */
#include "catalogue.h"

#include <ctype.h>

#include "miscadmin.h"

#include "base/byte_order_mark.h"
#include "files/files_internal.h"
#include "pg/pg.h"

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

/* Return the number of the chunk with the directory, else of the last one. */
static int64
second_chunk(const ContentSample *head, int64 size)
{
	int64 directory = directory_of(head);

	return (directory > 0 ? directory : size - 1) / BLOB_CHUNK;
}

static ContentSample
read_head(int64 blob)
{
	ContentSample sample = {"", 0, "", 0};
	bytea *piece = cat_blob_piece(blob, 0);

	if (piece)
	{
		sample.head = VARDATA(piece);
		sample.length = VARSIZE(piece) - VARHDRSZ;
	}
	return sample;
}

/*
 * Read the bytes of a blob that identify its type: its first chunk, and the one with the directory
 * or the last one.  These stay here when the others are in the object store.
 */
ContentSample
cat_content_sniff_read(int64 blob, int64 size)
{
	ContentSample sample = read_head(blob);
	bytea *piece = sample.length > 0 ? cat_blob_piece(blob, second_chunk(&sample, size)) : NULL;

	if (piece)
	{
		sample.other = VARDATA(piece);
		sample.other_length = VARSIZE(piece) - VARHDRSZ;
	}
	return sample;
}

CAT_FUNCTION(catalogue_blob_second_row)
{
	ContentSample head;
	int64 number;

	cat_owner_call_begin();
	head = read_head(PG_GETARG_INT64(ARG_BLOB_SECOND_ROW_BLOB));
	number = second_chunk(&head, PG_GETARG_INT64(ARG_BLOB_SECOND_ROW_SIZE));
	cat_owner_call_end();
	PG_RETURN_INT32((int32) Min(number, PG_INT32_MAX));
}

/* Return whether the bytes begin with a UTF-16 byte order mark; such text contains zero bytes. */
bool
cat_content_sniff_is_wide(const ContentSample *sample)
{
	return sample->length >= 2 &&
		   (memcmp(sample->head, "\xFF\xFE", 2) == 0 || memcmp(sample->head, "\xFE\xFF", 2) == 0);
}

/*
 * Return whether bytes with zeros among them are a text.  One in UTF-16 without a byte order mark has
 * zeros at even offsets only, or at odd ones only, one in UTF-32 at the same end of each character; in
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
Content
cat_content_sniff_kind(const ContentSample *sample, const char **media_type)
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
	return cat_content_sniff_is_wide(sample) || !memchr(sample->head, '\0', sample->length) ||
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

	if (sample->length >= 3 && memcmp(p, BYTE_ORDER_MARK, 3) == 0)
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
bool
cat_content_sniff_is_text_of(const ContentSample *sample, const char *needs)
{
	const char *start = text_start(sample);

	if (cat_content_sniff_is_wide(sample) || start == sample->head + sample->length)
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
has_entry(const char *bytes, size_t length, const char *signature, size_t name_at, const char *part)
{
	const char *end = bytes + length;

	for (const char *p = bytes; (p = memmem(p, end - p, signature, 4)); p += 4)
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
bool
cat_content_sniff_has_entry(const ContentSample *sample, const char *part)
{
	return has_entry(sample->head, sample->length, "PK\x03\x04", 30, part) ||
		   has_entry(sample->other, sample->other_length, "PK\x01\x02", 46, part);
}

/* Return whether the directory of a compound document contains a stream of that name. */
bool
cat_content_sniff_has_stream(const ContentSample *sample, const char *name)
{
	return has_name(sample->head, sample->length, name, 2) ||
		   has_name(sample->other, sample->other_length, name, 2);
}

/* Return whether an element is the root of an XML text, after declarations and comments. */
bool
cat_content_sniff_is_root(const ContentSample *sample, const char *element)
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
