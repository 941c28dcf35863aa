/*
 * codepage.c - decode 8-bit strings in the code pages that a workbook of Excel 5 can name.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "xls/biff.h"

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
xls_prepare(const Options *options)
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
codepage_open(unsigned number)
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

void
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
