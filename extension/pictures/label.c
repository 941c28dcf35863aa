/*
 * label.c
 *	  Widths of texts, and texts that are cut to a width.
 *
 * The service has no fonts, so widths are estimated from those of the wider ones of usual sans-serif
 * fonts.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"

#include "pictures/pictures_internal.h"

#define ELLIPSIS "\xE2\x80\xA6"
#define ROUNDING 0.01 /* of a sum of widths */
#define EMPTY_WORD "(empty)"

/* Characters of a range and their width as a part of the size of the font. */
typedef struct WidthRange
{
	pg_wchar first, last;
	double width;
} WidthRange;

/* In order.  What is in no range has the width of a usual letter. */
static const WidthRange ranges[] = {
	{0x00, 0x1F, 0},	   {' ', '!', 0.34},		{'\'', '\'', 0.3},		 {'(', ')', 0.4},
	{',', '/', 0.36},	   {'0', '9', 0.64},		{':', ';', 0.36},		 {'@', '@', 1.0},
	{'A', 'H', 0.72},	   {'I', 'I', 0.36},		{'J', 'L', 0.64},		 {'M', 'M', 0.88},
	{'N', 'V', 0.74},	   {'W', 'W', 1.0},			{'X', 'Z', 0.69},		 {'i', 'j', 0.3},
	{'l', 'l', 0.3},	   {'m', 'm', 0.98},		{'r', 'r', 0.42},		 {'t', 't', 0.4},
	{'w', 'w', 0.82},	   {0x300, 0x36F, 0},		{0x591, 0x5C7, 0},		 {0x610, 0x61A, 0},
	{0x64B, 0x65F, 0},	   {0xE31, 0xE3A, 0},		{0x1100, 0x115F, 1.0},	 {0x200B, 0x200F, 0},
	{0x2026, 0x2026, 1.0}, {0x202A, 0x202E, 0},		{0x2060, 0x206F, 0},	 {0x2212, 0x2212, 0.84},
	{0x2E80, 0xA4CF, 1.0}, {0xAC00, 0xD7A3, 1.0},	{0xF900, 0xFAFF, 1.0},	 {0xFE00, 0xFE0F, 0},
	{0xFF00, 0xFF60, 1.0}, {0x1F000, 0x1FAFF, 1.3}, {0x20000, 0x3FFFD, 1.0},
};

/* Return the width of a character as a part of the size of the font. */
static double
width_of(pg_wchar character)
{
	size_t low = 0;
	size_t high = lengthof(ranges);

	while (low < high)
	{
		size_t middle = (low + high) / 2;

		if (character > ranges[middle].last)
			low = middle + 1;
		else if (character < ranges[middle].first)
			high = middle;
		else
			return ranges[middle].width;
	}
	return 0.62;
}

double
cat_label_width(const char *text, double size)
{
	double width = 0;

	for (; *text; text += pg_utf_mblen((const unsigned char *) text))
		width += width_of(utf8_to_unicode((const unsigned char *) text));
	return width * size;
}

/* Return how many bytes of a text fit into a width. */
static int
length_that_fits(const char *text, double size, double width)
{
	const char *end = text;

	for (double used = 0; *end; end += pg_utf_mblen((const unsigned char *) end))
	{
		used += width_of(utf8_to_unicode((const unsigned char *) end)) * size;
		if (used > width + ROUNDING)
			break;
	}
	return (int) (end - text);
}

char *
cat_label_fit(const char *text, double size, double width)
{
	int length = length_that_fits(text, size, width);

	if (text[length] == '\0')
		return pstrdup(text);
	length = length_that_fits(text, size, width - cat_label_width(ELLIPSIS, size));
	while (length > 0 && text[length - 1] == ' ')
		length--;
	return psprintf("%.*s" ELLIPSIS, length, text);
}

const char *
cat_label_shown(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0' ? EMPTY_WORD : text;
}

double
cat_label_widest(const char **texts, int count, double most)
{
	double widest = 0;

	for (int i = 0; i < count && widest < most; i++)
		widest = Max(widest, cat_label_width(cat_label_shown(texts[i]), LABEL_SIZE));
	return Min(widest, most);
}

int
cat_label_wrap(const char *text, double size, double width, char **lines, int count)
{
	int used = 0;

	while (*text && used < count)
	{
		int length = length_that_fits(text, size, width);
		int end = length;

		if (text[length] == '\0' || used == count - 1)
		{
			lines[used++] = cat_label_fit(text, size, width);
			break;
		}
		while (end > 0 && text[end] != ' ')
			end--;
		if (end == 0)
			end = Max(length, pg_utf_mblen((const unsigned char *) text));
		lines[used++] = pnstrdup(text, (Size) end);
		text += end;
		text += strspn(text, " ");
	}
	return used;
}
