/*
 * unzip.c - a ZIP archive and its parts, within limits.
 *
 * The names of all parts are checked; compression method and ratio only of the parts that are read,
 * because a part that is never unpacked does no harm and an image may have a high ratio.
 */
#include <stdarg.h>
#include <strings.h>

#include "formats/book.h"

/* Zip source of the file, read-only. */
static zip_int64_t
serve(void *data, void *bytes, zip_uint64_t length, zip_source_cmd_t command)
{
	Unzip *unzip = data;
	Source *source = unzip->parse->source;
	ptrdiff_t got;
	zip_int64_t offset;

	switch (command)
	{
		case ZIP_SOURCE_OPEN:
			unzip->offset = 0;
			return 0;
		case ZIP_SOURCE_READ:
			got = source->read_at(source, bytes, length, unzip->offset);
			unzip->offset += got > 0 ? (uint64_t) got : 0;
			return got;
		case ZIP_SOURCE_SEEK:
			offset =
				zip_source_seek_compute_offset(unzip->offset, source->size, bytes, length, NULL);
			if (offset >= 0)
				unzip->offset = (uint64_t) offset;
			return offset < 0 ? -1 : 0;
		case ZIP_SOURCE_TELL:
			return (zip_int64_t) unzip->offset;
		case ZIP_SOURCE_STAT:
			zip_stat_init(bytes);
			((zip_stat_t *) bytes)->size = source->size;
			((zip_stat_t *) bytes)->valid = ZIP_STAT_SIZE;
			return sizeof(zip_stat_t);
		case ZIP_SOURCE_SUPPORTS:
			return zip_source_make_command_bitmap(
				ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
				ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
				ZIP_SOURCE_SUPPORTS, -1);
		default:
			return 0;
	}
}

const UnzipForm unzip_workbook = {"the workbook's archive", "workbook", BOOK_BYTES, "2 GB"};

void
unzip_abandon(Unzip *unzip)
{
	if (unzip->xml != NULL)
		XML_ParserFree(unzip->xml);
	if (unzip->part != NULL)
		zip_fclose(unzip->part);
	unzip->xml = NULL;
	unzip->part = NULL;
}

static void
close_all(Parse *parse)
{
	Unzip *unzip = parse->open;

	unzip_abandon(unzip);
	if (unzip->zip != NULL)
		zip_discard(unzip->zip);
}

static bool
is_safe_name(const char *name)
{
	if (*name == '\0' || *name == '/' || strchr(name, ':') != NULL)
		return false;
	for (const char *at = name; (at = strstr(at, "..")) != NULL; at += 2)
		if ((at == name || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
			return false;
	return true;
}

static int
compare_names(const void *left, const void *right)
{
	return strcasecmp(((const UnzipName *) left)->name, ((const UnzipName *) right)->name);
}

/* Copy a name with slashes in place of backslashes, which some archives of Windows have. */
static char *
slashed(Parse *parse, const char *name)
{
	char *copy = parse_copy(parse, name);

	for (char *at = copy; (at = strchr(at, '\\')) != NULL; at++)
		*at = '/';
	return copy;
}

static _Noreturn void
refuse_damaged(const Unzip *unzip)
{
	parse_refuse(unzip->parse, "%s is damaged or cut off", unzip->form->archive);
}

/* Refuse parts that overlap, with which a small archive can contain many large parts. */
static void
check_lengths(Unzip *unzip, int64_t parts)
{
	uint64_t left = unzip->parse->source->size;
	zip_stat_t status;

	for (int64_t i = 0; i < parts; i++)
	{
		if (zip_stat_index(unzip->zip, (zip_uint64_t) i, 0, &status) != 0 ||
			(status.valid & ZIP_STAT_COMP_SIZE) == 0 || status.comp_size > left)
			refuse_damaged(unzip);
		left -= status.comp_size;
	}
}

static void
read_names(Unzip *unzip, int64_t parts)
{
	Parse *parse = unzip->parse;

	unzip->names = parse_allocate(parse, ((size_t) parts + 1) * sizeof(UnzipName));
	unzip->count = (size_t) parts;
	for (int64_t i = 0; i < parts; i++)
	{
		const char *name = zip_get_name(unzip->zip, (zip_uint64_t) i, 0);

		unzip->names[i] = (UnzipName){slashed(parse, name == NULL ? "" : name), i};
		if (!is_safe_name(unzip->names[i].name))
			parse_refuse(parse, "%s has a part with an unsafe name", unzip->form->archive);
	}
	qsort(unzip->names, unzip->count, sizeof(UnzipName), compare_names);
	for (size_t i = 1; i < unzip->count; i++)
		if (compare_names(&unzip->names[i - 1], &unzip->names[i]) == 0)
			parse_refuse(parse, "%s has two parts of one name", unzip->form->archive);
}

void
unzip_check_container(Parse *parse, bool expected)
{
	static const char magic[] = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
	static const char stream[] = "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e";
	Source *source = parse->source;
	size_t block = 1 << 16;
	char *bytes = parse_allocate(parse, block);
	ptrdiff_t got = source->read_at(source, bytes, block, 0);

	if (got < 8 || memcmp(bytes, magic, 8) != 0)
	{
		parse_release(parse, bytes);
		return;
	}
	/* blocks overlap, so that a name across two blocks is found */
	for (uint64_t offset = 0; got > 64; offset += (uint64_t) got - 64)
	{
		got = source->read_at(source, bytes, block, offset);
		if (got > 0 && memmem(bytes, (size_t) got, stream, sizeof(stream)) != NULL)
			parse_refuse(parse, "the workbook is encrypted: save it without a password");
	}
	if (!expected)
		parse_refuse(parse,
					 "the file is not what its name says: it is a document of an old Office");
	parse_release(parse, bytes);
}

Unzip *
unzip_new(Parse *parse)
{
	Unzip *unzip = parse_allocate(parse, sizeof(Unzip));

	unzip->parse = parse;
	unzip->form = &unzip_workbook;
	parse->open = unzip;
	parse->close = close_all;
	return unzip;
}

Unzip *
unzip_open(Parse *parse, const UnzipForm *form)
{
	Unzip *unzip = unzip_new(parse);
	char magic[4] = {0};
	zip_source_t *source;
	zip_error_t error;
	int64_t parts;

	unzip->form = form;
	if (parse->source->size == 0)
		parse_refuse(parse, "the file is empty");
	unzip_check_container(parse, false);
	if (parse->source->read_at(parse->source, magic, 4, 0) != 4 ||
		memcmp(magic, "PK\x03\x04", 4) != 0)
		parse_refuse(parse, "the file is no %s: it does not begin as a ZIP archive does",
					 form->whole);
	zip_error_init(&error);
	source = zip_source_function_create(serve, unzip, NULL);
	/* not ZIP_CHECKCONS: it refuses ZIP64 archives of minizip, and therefore of libxlsxwriter */
	if (source != NULL)
		unzip->zip = zip_open_from_source(source, ZIP_RDONLY, &error);
	if (unzip->zip == NULL)
	{
		zip_source_free(source);
		refuse_damaged(unzip);
	}
	parts = zip_get_num_entries(unzip->zip, 0);
	if (parts > BOOK_PARTS)
		parse_refuse(parse, "%s has more than 2,000 parts", form->archive);
	read_names(unzip, parts);
	check_lengths(unzip, parts);
	return unzip;
}

int64_t
unzip_find(Unzip *unzip, const char *name)
{
	const UnzipName key = {slashed(unzip->parse, name), 0};
	const UnzipName *found =
		bsearch(&key, unzip->names, unzip->count, sizeof(UnzipName), compare_names);

	parse_release(unzip->parse, key.name);
	return found == NULL ? -1 : found->part;
}

/* End the reading of the whole file. */
static _Noreturn void __attribute__((format(printf, 2, 3)))
refuse_all(const Unzip *unzip, const char *format, ...)
{
	char reason[REASON_MAXIMUM];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	parse_refuse_file(unzip->parse, reason);
}

void
unzip_begin(Unzip *unzip, int64_t part)
{
	const zip_uint64_t known = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
	Parse *parse = unzip->parse;
	zip_stat_t status;

	if (zip_stat_index(unzip->zip, (zip_uint64_t) part, 0, &status) != 0 ||
		(status.valid & known) != known)
		refuse_damaged(unzip);
	unzip->name = zip_get_name(unzip->zip, (zip_uint64_t) part, 0);
	if (status.encryption_method != ZIP_EM_NONE)
		refuse_all(unzip, "the %s is encrypted: save it without a password", unzip->form->whole);
	if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE)
		parse_refuse(parse,
					 "part \"%.100s\" of the %s uses a compression method that is not supported",
					 unzip->name, unzip->form->whole);
	if (status.size > BOOK_SMALL && status.size / BOOK_RATIO > status.comp_size)
		parse_refuse(
			parse, "part \"%.100s\" of the %s gets more than 200 times longer when it is unpacked",
			unzip->name, unzip->form->whole);
	unzip->left = status.size;
	unzip->part = zip_fopen_index(unzip->zip, (zip_uint64_t) part, 0);
	if (unzip->part == NULL)
		parse_refuse(parse, "part \"%.100s\" of the %s cannot be unpacked", unzip->name,
					 unzip->form->whole);
}

size_t
unzip_read(Unzip *unzip, char *bytes, size_t size)
{
	Parse *parse = unzip->parse;
	zip_int64_t got = zip_fread(unzip->part, bytes, size);

	if (got < 0 || (uint64_t) got > unzip->left || (got == 0 && unzip->left > 0))
		parse_refuse(parse, "part \"%.100s\" of the %s is damaged", unzip->name,
					 unzip->form->whole);
	unzip->left -= (uint64_t) got;
	unzip->total += (uint64_t) got;
	if (unzip->total > unzip->form->bytes)
		refuse_all(unzip, "the %s is longer than %s when it is unpacked", unzip->form->whole,
				   unzip->form->limit);
	parse->taken = unzip->offset > parse->taken ? unzip->offset : parse->taken;
	parse_progress(parse);
	return (size_t) got;
}

void
unzip_end(Unzip *unzip)
{
	zip_fclose(unzip->part);
	unzip->part = NULL;
}
