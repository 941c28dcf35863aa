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

/* Read a position; joined: a line leads to it from the one before. */
static bool
read_position(Reading *reading, bool joined)
{
	double numbers[NUMBERS];
	unsigned count = 0;

	while (count < NUMBERS && read_number(reading, &numbers[count]))
		count++;
	if (count < 2)
		return false;
	(joined ? geography_join : geography_add)(reading->extent, numbers[0], numbers[1]);
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

bool
wkt_read(const char *text, size_t length, Extent *extent)
{
	Reading reading = {{text, length}, extent};

	/* PostGIS writes the system in front, and no other than this one is in degrees of WGS 84 */
	(void) take_word(&reading, "SRID=4326;");
	if (!read_tagged(&reading, 0))
		return false;
	pass_blanks(&reading);
	return reading.text.length == 0;
}
