/*
 * wkt.c - geometries in cells as WKT, longitude first.
 */
#include <strings.h>

#include "rows/columns.h"

#define DEPTH 8	  /* of collections in collections */
#define NUMBERS 4 /* of a position: height and measure, too */

typedef struct Reading
{
	NumberText text; /* what has not been read */
	Extent *extent;
	const WktConversion *conversion;
	const char *rest; /* what has not been written begins here */
} Reading;

static void
pass_blanks(Reading *reading)
{
	while (reading->text.length > 0 && strchr(" \t\r\n", *reading->text.at) != NULL)
		number_pass(&reading->text, 1);
}

/* Read a sign, if it is the next one. */
static bool
take(Reading *reading, char sign)
{
	pass_blanks(reading);
	if (reading->text.length == 0 || *reading->text.at != sign)
		return false;
	number_pass(&reading->text, 1);
	return true;
}

/* Read a word, in any letters, if it is the next one. */
static bool
take_word(Reading *reading, const char *word)
{
	size_t length = strlen(word);

	pass_blanks(reading);
	if (reading->text.length < length || strncasecmp(reading->text.at, word, length) != 0)
		return false;
	number_pass(&reading->text, length);
	return true;
}

static bool
read_number(Reading *reading, double *value)
{
	size_t length = 0;
	Number number;

	pass_blanks(reading);
	while (length < reading->text.length && strchr("+-.eE0123456789", reading->text.at[length]))
		length++;
	if (!number_read_plain(&number, reading->text.at, length, '.'))
		return false;
	*value = number.value;
	number_pass(&reading->text, length);
	return true;
}

/* Convert a position, and write it and what is before it; false: it cannot be converted. */
static bool
convert(Reading *reading, const char *start, const char *end, double *x, double *y)
{
	const WktConversion *conversion = reading->conversion;
	char text[2 * GEOGRAPHY_NUMBER + 1];
	size_t length;

	if (!conversion->convert(conversion->system, x, y, 1))
		return false;
	if (conversion->text == NULL)
		return true;
	buffer_append(conversion->text, reading->rest, (size_t) (start - reading->rest));
	length = geography_format(text, *x);
	text[length++] = ' ';
	length += geography_format(text + length, *y);
	buffer_append(conversion->text, text, length);
	reading->rest = end;
	return true;
}

/* Read a position; joined: a line leads to it from the one before. */
static bool
read_position(Reading *reading, bool joined)
{
	double numbers[NUMBERS];
	const char *start;
	const char *end;
	unsigned count = 2;

	pass_blanks(reading);
	start = reading->text.at;
	if (!read_number(reading, &numbers[0]) || !read_number(reading, &numbers[1]))
		return false;
	end = reading->text.at;
	while (count < NUMBERS && read_number(reading, &numbers[count]))
		count++;
	if (reading->conversion != NULL && !convert(reading, start, end, &numbers[0], &numbers[1]))
		return false;
	geography_join(reading->extent, joined, numbers[0], numbers[1]);
	return true;
}

/* Read what is in brackets: at depth 1 positions, which are apart or joined; else lists of them. */
static bool
read_list(Reading *reading, unsigned depth, bool apart)
{
	bool first = true;

	if (take_word(reading, "EMPTY"))
		return true;
	if (!take(reading, '('))
		return false;
	for (; first || take(reading, ','); first = false)
	{
		bool good;

		pass_blanks(reading);
		if (depth > 1)
			good = read_list(reading, depth - 1, false);
		else if (apart && take(reading, '('))
			good = read_position(reading, false) && take(reading, ')');
		else
			good = read_position(reading, !apart && !first);
		if (!good)
			return false;
	}
	return take(reading, ')');
}

static const struct
{
	const char *name;
	unsigned depth; /* of brackets; 0: geometries are in them */
	bool apart;		/* no line joins its positions */
} kinds[] = {
	{"POINT", 1, true},
	{"LINESTRING", 1, false},
	{"POLYGON", 2, false},
	{"MULTIPOINT", 1, true},
	{"MULTILINESTRING", 2, false},
	{"MULTIPOLYGON", 3, false},
	{"GEOMETRYCOLLECTION", 0, true},
};

static bool read_tagged(Reading *reading, unsigned depth);

/* Read the geometries of a collection. */
static bool
read_collection(Reading *reading, unsigned depth)
{
	if (take_word(reading, "EMPTY"))
		return true;
	if (depth == DEPTH || !take(reading, '('))
		return false;
	do
		if (!read_tagged(reading, depth + 1))
			return false;
	while (take(reading, ','));
	return take(reading, ')');
}

/* Read a geometry with its name. */
static bool
read_tagged(Reading *reading, unsigned depth)
{
	size_t kind = 0;

	while (kind < lengthof(kinds) && !take_word(reading, kinds[kind].name))
		kind++;
	if (kind == lengthof(kinds))
		return false;
	(void) take_word(reading, "Z");
	(void) take_word(reading, "M");
	return kinds[kind].depth == 0 ? read_collection(reading, depth)
								  : read_list(reading, kinds[kind].depth, kinds[kind].apart);
}

/* Pass over the system that PostGIS writes in front; false if it is another one than WGS 84. */
static bool
take_system(Reading *reading)
{
	if (!take_word(reading, "SRID="))
		return true;
	if (reading->conversion == NULL)
		return take_word(reading, "4326;");
	while (reading->text.length > 0 && *reading->text.at >= '0' && *reading->text.at <= '9')
		number_pass(&reading->text, 1);
	return take(reading, ';');
}

bool
wkt_read(const char *text, size_t length, Extent *extent, const WktConversion *conversion)
{
	Reading reading = {{text, length}, extent, conversion, NULL};

	if (!take_system(&reading))
		return false;
	reading.rest = reading.text.at;
	if (!read_tagged(&reading, 0))
		return false;
	if (conversion != NULL && conversion->text != NULL)
		buffer_append(conversion->text, reading.rest, (size_t) (reading.text.at - reading.rest));
	pass_blanks(&reading);
	return reading.text.length == 0;
}
