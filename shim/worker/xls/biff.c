/*
 * biff.c - records of a workbook of Excel 5 to 2003, and their strings.
 *
 * A record has at most 8 KB; a longer string continues in CONTINUE records, each of which begins
 * with a flag for characters of one byte or two.
 */
#include <errno.h>

#include "xls/biff.h"

void
biff_refuse(Parse *parse)
{
	parse_refuse(parse, "the file is no workbook of Excel 5 to 2003, or is damaged");
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
biff_record(const Xls *xls, size_t at, BiffCursor *cursor)
{
	if (at > xls->length || xls->length - at < 4)
		return -1;
	cursor->at = at + 4;
	cursor->end = cursor->at + (size_t) biff_number(xls, at + 2, 2);
	if (cursor->end > xls->length)
		cursor->end = xls->length;
	return usual_type((int) biff_number(xls, at, 2));
}

/* Is there more data in the record or its CONTINUE records? */
static bool
go_on(const Xls *xls, BiffCursor *cursor)
{
	BiffCursor next;

	while (cursor->at >= cursor->end)
	{
		if (biff_record(xls, cursor->end, &next) != BIFF_CONTINUE)
			return false;
		*cursor = next;
	}
	return true;
}

static unsigned
take_number(const Xls *xls, BiffCursor *cursor, unsigned bytes)
{
	unsigned number = 0;

	for (unsigned i = 0; i < bytes && go_on(xls, cursor); i++)
		number |= (unsigned) xls->bytes[cursor->at++] << 8 * i;
	return number;
}

static void
skip(const Xls *xls, BiffCursor *cursor, uint64_t bytes)
{
	while (bytes > 0 && go_on(xls, cursor))
	{
		size_t here = cursor->end - cursor->at;

		if (here > bytes)
			here = (size_t) bytes;
		cursor->at += here;
		bytes -= here;
	}
}

static void
read_units(const Xls *xls, BiffCursor *cursor, unsigned count, unsigned flags, Buffer *text)
{
	uint32_t high = 0;

	for (; count > 0; count--)
	{
		uint32_t unit;

		if (cursor->at >= cursor->end)
		{
			if (!go_on(xls, cursor))
				break;
			flags = xls->bytes[cursor->at++];
		}
		unit = take_number(xls, cursor, (flags & TEXT_WIDE) ? 2 : 1);
		if (text != NULL)
			decode_append_unit(text, unit, &high, NO_CHARACTER);
	}
	if (text != NULL)
		decode_append_unit(text, NO_UNIT, &high, NO_CHARACTER);
}

/* Read an 8-bit string of BIFF5. */
static void
read_bytes(const Xls *xls, BiffCursor *cursor, unsigned length_bytes, Buffer *text)
{
	unsigned count = take_number(xls, cursor, length_bytes);
	size_t length = 0;

	while (length < count && go_on(xls, cursor))
	{
		size_t here = cursor->end - cursor->at;

		here = here < count - length ? here : count - length;
		memcpy(xls->characters + length, xls->bytes + cursor->at, here);
		cursor->at += here;
		length += here;
	}
	if (text != NULL)
		codepage_text(xls->page, xls->characters, length, text);
}

void
biff_text(const Xls *xls, BiffCursor *cursor, unsigned length_bytes, Buffer *text)
{
	unsigned count;
	unsigned flags;
	uint64_t runs = 0;

	if (xls->age < 8)
	{
		read_bytes(xls, cursor, length_bytes, text);
		return;
	}
	count = take_number(xls, cursor, length_bytes);
	flags = take_number(xls, cursor, 1);
	if (flags & TEXT_RICH)
		runs = (uint64_t) take_number(xls, cursor, 2) * 4;
	if (flags & TEXT_EXTENDED)
		runs += take_number(xls, cursor, 4);
	read_units(xls, cursor, count, flags, text);
	skip(xls, cursor, runs);
}
