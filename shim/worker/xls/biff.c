/*
 * biff.c - records of a workbook of Excel 5 to 2003, their strings, and the OLE2 container they are in.
 *
 * A record has at most 8 KB; a longer string continues in CONTINUE records, each of which begins
 * with a flag for characters of one byte or two.
 */
#include <ctype.h>
#include <errno.h>

#include "xls/biff.h"

#define NONE 0xFFFFFFFAU /* values from here on are not sectors */
#define HEADER 512
#define ENTRY 128

typedef struct Container
{
	Parse *parse;
	size_t sector; /* bytes */
	size_t small;
	uint32_t sectors; /* maximum that the file can hold */
	uint32_t *next;
	uint32_t next_count;
	unsigned char header[HEADER];
} Container;

void
biff_refuse(Parse *parse)
{
	parse_refuse(parse, "the file is no workbook of Excel 5 to 2003, or is damaged");
}

/* Read a sector; bytes after the end of the file are zeros. */
static void
read_sector(Container *container, uint32_t sector, unsigned char *bytes)
{
	Source *source = container->parse->source;
	uint64_t place = ((uint64_t) sector + 1) * container->sector;

	memset(bytes, 0, container->sector);
	if (sector >= container->sectors ||
		source->read_at(source, (char *) bytes, container->sector, place) <= 0)
		biff_refuse(container->parse);
	if (place > container->parse->taken)
		container->parse->taken = place;
	parse_progress(container->parse);
}

/* Read a chain of sectors, up to a maximum of bytes. */
static unsigned char *
read_chain(Container *container, uint32_t sector, uint64_t maximum, size_t *length)
{
	unsigned char *bytes = NULL;
	size_t room = 0;

	for (*length = 0; sector < NONE && *length < maximum; *length += container->sector)
	{
		/* longer than the file: the chain has a cycle */
		if (*length / container->sector >= container->sectors)
			biff_refuse(container->parse);
		if (room - *length < container->sector)
		{
			room += room / 2 + 16 * container->sector;
			bytes = parse_resize(container->parse, bytes, room);
		}
		read_sector(container, sector, bytes + *length);
		sector = sector < container->next_count ? container->next[sector] : NONE;
	}
	return bytes;
}

/* Append a sector to the allocation table. */
static void
add_table(Container *container, uint32_t sector)
{
	uint32_t count = (uint32_t) (container->sector / 4);
	unsigned char bytes[4096];

	/* the table has no more entries than sectors, apart from padding */
	if (container->next_count > container->sectors + count)
		biff_refuse(container->parse);
	container->next = parse_resize(container->parse, container->next,
								   (container->next_count + (size_t) count) * sizeof(uint32_t));
	read_sector(container, sector, bytes);
	for (uint32_t i = 0; i < count; i++)
		container->next[container->next_count++] = little_u32(bytes + (size_t) i * 4);
}

/* Read the allocation table: its sectors are listed in the header, and further ones in a chain. */
static void
read_table(Container *container)
{
	const size_t last = container->sector - 4;
	uint32_t sector = little_u32(container->header + 68);
	unsigned char bytes[4096];

	for (size_t i = 76; i < HEADER; i += 4)
		if (little_u32(container->header + i) < NONE)
			add_table(container, little_u32(container->header + i));
	for (uint32_t i = 0; sector < NONE && i < container->sectors; i++)
	{
		read_sector(container, sector, bytes);
		for (size_t at = 0; at < last; at += 4)
			if (little_u32(bytes + at) < NONE)
				add_table(container, little_u32(bytes + at));
		sector = little_u32(bytes + last);
	}
}

/* Is it the entry of a stream of this name, ignoring letter case? */
static bool
is_named(const unsigned char *entry, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i <= length; i++)
		if (tolower(entry[i * 2]) != tolower((unsigned char) name[i]) || entry[i * 2 + 1] != 0)
			return false;
	return entry[66] == 2;
}

/* Read a short stream, whose small sectors are in the stream of the root entry. */
static unsigned char *
read_small(Container *container, const unsigned char *root, uint32_t sector, size_t *length)
{
	size_t size;
	size_t table_size;
	unsigned char *all = read_chain(container, little_u32(root + 116), UINT32_MAX, &size);
	unsigned char *table =
		read_chain(container, little_u32(container->header + 60), UINT32_MAX, &table_size);
	unsigned char *bytes = parse_allocate(container->parse, *length + container->small);
	size_t used = 0;

	for (; used < *length && sector < NONE; used += container->small)
	{
		size_t place = sector * container->small;

		if (place + container->small > size || (size_t) sector * 4 + 4 > table_size)
			biff_refuse(container->parse);
		memcpy(bytes + used, all + place, container->small);
		sector = little_u32(table + (size_t) sector * 4);
	}
	*length = used < *length ? used : *length;
	parse_release(container->parse, all);
	parse_release(container->parse, table);
	return bytes;
}

static void
open_container(Container *container)
{
	static const unsigned char magic[] = {0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1};
	Source *source = container->parse->source;
	unsigned shift;

	if (source->read_at(source, (char *) container->header, HEADER, 0) != HEADER ||
		memcmp(container->header, magic, sizeof(magic)) != 0)
		biff_refuse(container->parse);
	shift = container->header[30];
	if ((shift != 9 && shift != 12) || container->header[32] > shift || container->header[32] < 4)
		biff_refuse(container->parse);
	container->sector = (size_t) 1 << shift;
	container->small = (size_t) 1 << container->header[32];
	if (source->size / container->sector > UINT32_MAX / 8)
		biff_refuse(container->parse);
	container->sectors = (uint32_t) (source->size / container->sector);
	read_table(container);
}

/* Read the stream of a directory entry; the first entry is the root. */
static unsigned char *
read_stream(Container *container, const unsigned char *root, const unsigned char *entry,
			size_t *length)
{
	uint32_t sector = little_u32(entry + 116);
	size_t stated = little_u32(entry + 120);
	unsigned char *bytes;

	if (stated > container->parse->source->size)
		biff_refuse(container->parse);
	*length = stated;
	if (stated < little_u32(container->header + 56))
		return read_small(container, root, sector, length);
	bytes = read_chain(container, sector, stated, length);
	if (*length < stated)
		biff_refuse(container->parse);
	*length = stated;
	return bytes;
}

unsigned char *
biff_container_read(Parse *parse, const char *const *names, size_t *length)
{
	Container *container = parse_allocate(parse, sizeof(Container));
	unsigned char *directory;
	unsigned char *bytes = NULL;
	size_t size;

	container->parse = parse;
	open_container(container);
	directory = read_chain(container, little_u32(container->header + 48), UINT32_MAX, &size);
	for (; *names != NULL && bytes == NULL; names++)
		for (size_t at = 0; at + ENTRY <= size && bytes == NULL; at += ENTRY)
			if (is_named(directory + at, *names))
				bytes = read_stream(container, directory, directory + at, length);
	parse_release(parse, directory);
	parse_release(parse, container->next);
	parse_release(parse, container);
	return bytes;
}

/* Code pages that the C library does not know by number. */
static const struct
{
	unsigned number;
	const char *name;
} pages[] = {
	{1200, "UTF-16LE"},	  {10000, "MACINTOSH"}, {10001, "CP932"},
	{10002, "CP950"},	  {10003, "CP949"},		{10007, "MAC-CYRILLIC"},
	{10008, "CP936"},	  {10017, "MAC-UK"},	{10029, "MAC-CENTRALEUROPE"},
	{32768, "MACINTOSH"}, {32769, "CP1252"},	{65001, "UTF-8"},
};

void
biff_prepare(const Options *options)
{
	static const unsigned short numbers[] = {874,  932,	 936,  949,	 950,  1250, 1251, 1252,
											 1253, 1254, 1255, 1256, 1257, 1258, 1361};
	char name[16];

	(void) options;
	for (size_t i = 0; i < lengthof(pages); i++)
		(void) iconv_open("UTF-8", pages[i].name);
	for (size_t i = 0; i < lengthof(numbers); i++)
	{
		snprintf(name, sizeof(name), "CP%u", numbers[i]);
		(void) iconv_open("UTF-8", name);
	}
}

iconv_t
biff_codepage_open(unsigned number)
{
	char usual[16];
	const char *name = usual;

	snprintf(usual, sizeof(usual), "CP%u", number);
	for (size_t i = 0; i < lengthof(pages); i++)
		if (pages[i].number == number)
			name = pages[i].name;
	return iconv_open("UTF-8", name);
}

/* Call a converter once; false at an invalid byte.  Without bytes it flushes its buffer. */
static bool
convert(iconv_t converter, char **from, size_t *left, Buffer *text)
{
	char bytes[256];
	char *to = bytes;
	size_t room = sizeof(bytes);
	bool good = iconv(converter, from, left, &to, &room) != (size_t) -1 || errno == E2BIG;

	buffer_append(text, bytes, sizeof(bytes) - room);
	return good;
}

/* Append a string as UTF-8, with NO_CHARACTER for each invalid byte. */
static void
codepage_text(iconv_t page, const char *bytes, size_t length, Buffer *text)
{
	char *from = (char *) (uintptr_t) bytes;

	while (length > 0)
	{
		if (convert(page, &from, &length, text))
			continue;
		/* a combining accent may follow a letter, so the converter buffers it */
		convert(page, NULL, NULL, text);
		buffer_text(text, NO_CHARACTER);
		from++;
		length--;
	}
	/* reset the converter for the next string */
	convert(page, NULL, NULL, text);
}

enum
{
	TEXT_WIDE = 1,
	TEXT_EXTENDED = 4, /* with phonetic text */
	TEXT_RICH = 8
};

uint64_t
biff_number(const Xls *xls, size_t at, unsigned bytes)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < bytes && at + i < xls->length; i++)
		number |= (uint64_t) xls->bytes[at + i] << 8 * i;
	return number;
}

double
biff_double(const Xls *xls, size_t at)
{
	uint64_t bits = biff_number(xls, at, 8);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* The current type of a record for an older type with the same contents. */
static int
usual_type(int type)
{
	switch (type)
	{
		case 0x0206:
		case 0x0406:
			return BIFF_FORMULA;
		case 0x007E:
			return BIFF_RK;
		case 0x0009:
		case 0x0209:
		case 0x0409:
			return BIFF_BOF;
		default:
			return type;
	}
}

int
biff_record(const Xls *xls, size_t at, BiffPlace *place)
{
	if (at > xls->length || xls->length - at < 4)
		return -1;
	place->at = at + 4;
	place->end = place->at + (size_t) biff_number(xls, at + 2, 2);
	if (place->end > xls->length)
		place->end = xls->length;
	return usual_type((int) biff_number(xls, at, 2));
}

/* Is there more data in the record or its CONTINUE records? */
static bool
go_on(const Xls *xls, BiffPlace *place)
{
	BiffPlace next;

	while (place->at >= place->end)
	{
		if (biff_record(xls, place->end, &next) != BIFF_CONTINUE)
			return false;
		*place = next;
	}
	return true;
}

static unsigned
take_number(const Xls *xls, BiffPlace *place, unsigned bytes)
{
	unsigned number = 0;

	for (unsigned i = 0; i < bytes && go_on(xls, place); i++)
		number |= (unsigned) xls->bytes[place->at++] << 8 * i;
	return number;
}

static void
skip(const Xls *xls, BiffPlace *place, uint64_t bytes)
{
	while (bytes > 0 && go_on(xls, place))
	{
		size_t here = place->end - place->at;

		if (here > bytes)
			here = (size_t) bytes;
		place->at += here;
		bytes -= here;
	}
}

static void
read_units(const Xls *xls, BiffPlace *place, unsigned count, unsigned flags, Buffer *text)
{
	uint32_t high = 0;

	for (; count > 0; count--)
	{
		uint32_t unit;

		if (place->at >= place->end)
		{
			if (!go_on(xls, place))
				break;
			flags = xls->bytes[place->at++];
		}
		unit = take_number(xls, place, (flags & TEXT_WIDE) ? 2 : 1);
		if (text != NULL)
			decode_append_unit(text, unit, &high, NO_CHARACTER);
	}
	if (text != NULL)
		decode_append_unit(text, NO_UNIT, &high, NO_CHARACTER);
}

/* Read an 8-bit string of BIFF5. */
static void
read_bytes(const Xls *xls, BiffPlace *place, unsigned length_bytes, Buffer *text)
{
	unsigned count = take_number(xls, place, length_bytes);
	size_t length = 0;

	while (length < count && go_on(xls, place))
	{
		size_t here = place->end - place->at;

		here = here < count - length ? here : count - length;
		memcpy(xls->characters + length, xls->bytes + place->at, here);
		place->at += here;
		length += here;
	}
	if (text != NULL)
		codepage_text(xls->page, xls->characters, length, text);
}

void
biff_text(const Xls *xls, BiffPlace *place, unsigned length_bytes, Buffer *text)
{
	unsigned count;
	unsigned flags;
	uint64_t runs = 0;

	if (xls->age < 8)
	{
		read_bytes(xls, place, length_bytes, text);
		return;
	}
	count = take_number(xls, place, length_bytes);
	flags = take_number(xls, place, 1);
	if (flags & TEXT_RICH)
		runs = (uint64_t) take_number(xls, place, 2) * 4;
	if (flags & TEXT_EXTENDED)
		runs += take_number(xls, place, 4);
	read_units(xls, place, count, flags, text);
	skip(xls, place, runs);
}
