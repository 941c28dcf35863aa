/*
 * wkt.c
 *	  WKT becomes GeoJSON, or WKB.
 *
 * The readers write it in one form; a table may have it in any, with heights and measures, and with a
 * prefix "SRID=4326;".
 */
#include "catalogue.h"

#include <ctype.h>
#include <math.h>

#include "miscadmin.h"

#include "rows/sheets/wkt.h"

#define NUMBER_BYTES 40	  /* of a number, at most */
#define DECIMALS 7		  /* of a coordinate that is written, at most */
#define NUMBER_LEAST 5e-8 /* smaller numbers are written as 0 */
#define LONGITUDE_MOST 360.0
#define DEPTH_MOST 32 /* of collections in collections */
#define RING_LEAST 4  /* positions of a ring */

static const char no_wkt[] = "is no WKT";

/* A position: longitude, latitude and height, which is NAN without one. */
typedef struct Position
{
	double axis[3];
} Position;

typedef struct Reader
{
	const char *at;
	const char *end;
	StringInfo out;
	bool binary; /* WKB is written, else GeoJSON */
	Bounds *bounds;
	const char *fault; /* NULL: none so far */
	bool measured;	   /* the last number of a position is a measure */
	int depth;
	Position *positions; /* of the open line or ring */
	int count;
	int room;
} Reader;

/* The kinds of geometry, in the order of their numbers in WKB. */
typedef enum Kind
{
	KIND_NONE,
	POINT,
	LINE,
	POLYGON,
	KIND_MULTI, /* and those behind it have parts of the kinds before it */
	MULTIPOINT = KIND_MULTI,
	MULTILINE,
	MULTIPOLYGON,
	COLLECTION
} Kind;

static const struct
{
	const char *wkt;
	const char *geojson;
	Kind part; /* KIND_NONE: it has none, or any */
} kinds[] = {
	[POINT] = {"POINT", "Point", KIND_NONE},
	[LINE] = {"LINESTRING", "LineString", KIND_NONE},
	[POLYGON] = {"POLYGON", "Polygon", KIND_NONE},
	[MULTIPOINT] = {"MULTIPOINT", "MultiPoint", POINT},
	[MULTILINE] = {"MULTILINESTRING", "MultiLineString", LINE},
	[MULTIPOLYGON] = {"MULTIPOLYGON", "MultiPolygon", POLYGON},
	[COLLECTION] = {"GEOMETRYCOLLECTION", "GeometryCollection", KIND_NONE},
};

static void
skip_blanks(Reader *reader)
{
	while (reader->at < reader->end && isspace((unsigned char) *reader->at))
		reader->at++;
}

static void
refuse(Reader *reader, const char *fault)
{
	if (!reader->fault)
		reader->fault = fault;
}

/* Take a character, if it is the next one. */
static bool
take(Reader *reader, char sign)
{
	skip_blanks(reader);
	if (reader->fault || reader->at == reader->end || *reader->at != sign)
		return false;
	reader->at++;
	return true;
}

static void
require(Reader *reader, char sign)
{
	if (!take(reader, sign))
		refuse(reader, no_wkt);
}

/* Take a word of letters, in whatever letters it is written, if it is the next one. */
static bool
take_word(Reader *reader, const char *word)
{
	size_t length = strlen(word);

	skip_blanks(reader);
	if ((size_t) (reader->end - reader->at) < length ||
		pg_strncasecmp(reader->at, word, length) != 0 ||
		(reader->at + length < reader->end && isalpha((unsigned char) reader->at[length])))
		return false;
	reader->at += length;
	return true;
}

static bool
is_of_number(const Reader *reader)
{
	return reader->at < reader->end && *reader->at &&
		   (isdigit((unsigned char) *reader->at) || strchr("+-.eE", *reader->at));
}

/* Take a number; false, with a fault, if there is none. */
static bool
take_number(Reader *reader, double *number)
{
	char text[NUMBER_BYTES];
	size_t length = 0;
	char *behind;

	skip_blanks(reader);
	while (length < sizeof(text) - 1 && is_of_number(reader))
		text[length++] = *reader->at++;
	text[length] = '\0';
	*number = strtod(text, &behind);
	if (length == 0 || *behind || is_of_number(reader) || !isfinite(*number))
		refuse(reader, no_wkt);
	return !reader->fault;
}

/* Return whether a number follows. */
static bool
is_number_next(Reader *reader)
{
	skip_blanks(reader);
	return !reader->fault && is_of_number(reader);
}

/* Take a position into the list of those of the line. */
static void
take_position(Reader *reader)
{
	double numbers[4];
	int count = 0;
	Position *position;

	while (count < (int) lengthof(numbers) && (count < 2 || is_number_next(reader)))
		if (!take_number(reader, &numbers[count++]))
			return;
	if (fabs(numbers[0]) > LONGITUDE_MOST || fabs(numbers[1]) > 90)
		refuse(reader, "has a coordinate that is out of range");
	if (reader->count == reader->room)
	{
		reader->room = Max(64, reader->room * 2);
		reader->positions = reader->positions
								? repalloc(reader->positions, sizeof(Position) * reader->room)
								: palloc(sizeof(Position) * reader->room);
	}
	count -= reader->measured && count > 2;
	position = &reader->positions[reader->count++];
	*position = (Position){{numbers[0], numbers[1], count > 2 ? numbers[2] : NAN}};
}

/* Append a coordinate without zeros behind. */
static void
append_number(StringInfo out, double number)
{
	/* no zero has a sign */
	if (fabs(number) < NUMBER_LEAST)
		number = 0;
	appendStringInfo(out, "%.*f", DECIMALS, number);
	while (out->data[out->len - 1] == '0')
		out->len--;
	out->len -= out->data[out->len - 1] == '.';
	out->data[out->len] = '\0';
}

/* Append bytes in the order of the machine, which the head of a geometry tells. */
static void
append_binary(const Reader *reader, const void *bytes, int length)
{
	appendBinaryStringInfo(reader->out, bytes, length);
}

/* Append what stands before a geometry, or before a part of one. */
static void
append_head(const Reader *reader, Kind kind, bool part)
{
	const uint8 little = *(const uint8 *) &(uint16){1};
	const uint32 number = kind;

	if (reader->binary)
	{
		append_binary(reader, &little, sizeof(little));
		append_binary(reader, &number, sizeof(number));
	}
	else if (!part)
		appendStringInfo(reader->out, "{\"type\":\"%s\",\"%s\":", kinds[kind].geojson,
						 kind == COLLECTION ? "geometries" : "coordinates");
}

/* Begin a list; returns where its number of elements is. */
static int
open_list(const Reader *reader)
{
	const uint32 none = 0;
	int offset = reader->out->len;

	if (reader->binary)
		append_binary(reader, &none, sizeof(none));
	else
		appendStringInfoCharMacro(reader->out, '[');
	return offset;
}

static void
close_list(const Reader *reader, int offset, uint32 count)
{
	if (reader->binary)
		memcpy(reader->out->data + offset, &count, sizeof(count));
	else
		appendStringInfoCharMacro(reader->out, ']');
}

/* Append what stands between an element of a list and those before it. */
static void
append_between(const Reader *reader, uint32 before)
{
	if (!reader->binary && before > 0)
		appendStringInfoCharMacro(reader->out, ',');
}

static void
append_position(Reader *reader, const Position *position)
{
	if (reader->bounds)
		cat_bounds_extend(reader->bounds, position->axis[0], position->axis[1]);
	if (reader->binary)
	{
		append_binary(reader, position->axis, 2 * sizeof(double));
		return;
	}
	appendStringInfoCharMacro(reader->out, '[');
	append_number(reader->out, position->axis[0]);
	appendStringInfoCharMacro(reader->out, ',');
	append_number(reader->out, position->axis[1]);
	if (!isnan(position->axis[2]))
	{
		appendStringInfoCharMacro(reader->out, ',');
		append_number(reader->out, position->axis[2]);
	}
	appendStringInfoCharMacro(reader->out, ']');
}

/* Return twice the area of the ring, which is positive if it goes counterclockwise. */
static double
area_of(const Reader *reader)
{
	const Position *origin = reader->positions;
	double area = 0;

	for (int i = 1; i + 1 < reader->count; i++)
	{
		const Position *one = &reader->positions[i];
		const Position *next = &reader->positions[i + 1];

		area += (one->axis[0] - origin->axis[0]) * (next->axis[1] - origin->axis[1]) -
				(next->axis[0] - origin->axis[0]) * (one->axis[1] - origin->axis[1]);
	}
	return area;
}

static void
require_ring(Reader *reader)
{
	const Position *last = &reader->positions[reader->count - 1];

	if (reader->count < RING_LEAST)
		refuse(reader, "has a ring of fewer than four positions");
	else if (reader->positions->axis[0] != last->axis[0] ||
			 reader->positions->axis[1] != last->axis[1])
		refuse(reader, "has a ring that is not closed");
}

/* Take the positions of a line. */
static void
take_positions(Reader *reader)
{
	CHECK_FOR_INTERRUPTS();
	reader->count = 0;
	do
		take_position(reader);
	while (take(reader, ','));
}

static void
append_line(Reader *reader, bool backwards)
{
	int offset = open_list(reader);

	for (int i = 0; i < reader->count; i++)
	{
		append_between(reader, (uint32) i);
		append_position(reader, &reader->positions[backwards ? reader->count - 1 - i : i]);
	}
	close_list(reader, offset, (uint32) reader->count);
}

/* Take the rings of a polygon, of which those behind the first one are holes. */
static void
take_rings(Reader *reader)
{
	int offset = open_list(reader);
	uint32 rings = 0;

	do
	{
		append_between(reader, rings);
		require(reader, '(');
		take_positions(reader);
		if (!reader->fault)
			require_ring(reader);
		require(reader, ')');
		if (!reader->fault)
			append_line(reader, (area_of(reader) < 0) != (rings > 0));
		rings++;
	} while (take(reader, ','));
	close_list(reader, offset, rings);
}

static void take_geometry(Reader *reader);
static void take_body(Reader *reader, Kind kind);

/* Take the parts of a geometry; a point among them may have no brackets of its own. */
static void
take_parts(Reader *reader, Kind kind)
{
	int offset = open_list(reader);
	uint32 parts = 0;

	do
	{
		append_between(reader, parts++);
		if (kind == COLLECTION)
			take_geometry(reader);
		else
		{
			append_head(reader, kinds[kind].part, true);
			take_body(reader, kinds[kind].part);
		}
	} while (take(reader, ','));
	close_list(reader, offset, parts);
}

/* Take what is in the brackets of a geometry. */
static void
take_body(Reader *reader, Kind kind)
{
	bool enclosed = take(reader, '(');

	if (!enclosed && kind != POINT)
		refuse(reader, no_wkt);
	if (kind >= KIND_MULTI)
		take_parts(reader, kind);
	else if (kind == POLYGON)
		take_rings(reader);
	else if (kind == LINE)
		take_positions(reader);
	else
	{
		reader->count = 0;
		take_position(reader);
	}
	if (enclosed)
		require(reader, ')');
	if (reader->fault || kind >= POLYGON)
		return;
	if (kind == POINT)
		append_position(reader, reader->positions);
	else if (reader->count < 2)
		refuse(reader, "has a line of one position");
	else
		append_line(reader, false);
}

/* Take the letters behind the name of a kind, which may stand at it or apart. */
static void
take_dimensions(Reader *reader)
{
	static const char *const names[] = {"ZM", "M", "Z"};

	reader->measured = false;
	for (size_t i = 0; i < lengthof(names); i++)
		if (take_word(reader, names[i]))
		{
			reader->measured = strchr(names[i], 'M') != NULL;
			return;
		}
}

/* Take the name of a kind; KIND_NONE if it is none. */
static Kind
take_kind(Reader *reader)
{
	skip_blanks(reader);
	for (Kind kind = POINT; kind < lengthof(kinds); kind++)
	{
		size_t length = strlen(kinds[kind].wkt);
		size_t left = (size_t) (reader->end - reader->at);

		if (left < length || pg_strncasecmp(reader->at, kinds[kind].wkt, length) != 0)
			continue;
		/* POINTZ is a point, POINTS is none */
		if (left > length && isalpha((unsigned char) reader->at[length]) &&
			!strchr("zZmM", reader->at[length]))
			continue;
		reader->at += length;
		return kind;
	}
	return KIND_NONE;
}

static void
take_geometry(Reader *reader)
{
	Kind kind = take_kind(reader);

	if (kind == KIND_NONE)
		refuse(reader, no_wkt);
	take_dimensions(reader);
	if (take_word(reader, "EMPTY"))
		refuse(reader, "is empty");
	skip_blanks(reader);
	if (reader->at == reader->end || *reader->at != '(')
		refuse(reader, no_wkt);
	if (++reader->depth > DEPTH_MOST)
		refuse(reader, "has collections that are too deep");
	if (reader->fault)
		return;
	append_head(reader, kind, false);
	take_body(reader, kind);
	reader->depth--;
	if (!reader->binary)
		appendStringInfoCharMacro(reader->out, '}');
}

/* Take the number of a system of coordinates, as PostGIS writes it. */
static void
take_system(Reader *reader)
{
	double system;

	if (!take_word(reader, "SRID"))
		return;
	require(reader, '=');
	if (take_number(reader, &system) && system != 4326)
		refuse(reader, "is in another system than WGS 84");
	require(reader, ';');
}

/* Take a geometry, and nothing behind it. */
static const char *
take_all(Reader *reader)
{
	int start = reader->out->len;

	take_system(reader);
	take_geometry(reader);
	skip_blanks(reader);
	if (reader->at < reader->end)
		refuse(reader, no_wkt);
	if (reader->positions)
		pfree(reader->positions);
	if (reader->fault)
	{
		reader->out->len = start;
		reader->out->data[start] = '\0';
	}
	return reader->fault;
}

const char *
cat_wkt_geojson(StringInfo out, const char *text, int length, Bounds *bounds)
{
	return take_all(&(Reader){.at = text, .end = text + length, .out = out, .bounds = bounds});
}

const char *
cat_wkt_binary(StringInfo out, const char *text, int length, Bounds *bounds)
{
	return take_all(
		&(Reader){.at = text, .end = text + length, .out = out, .binary = true, .bounds = bounds});
}

void
cat_wkt_binary_point(StringInfo out, double longitude, double latitude)
{
	Reader reader = {.out = out, .binary = true};

	append_head(&reader, POINT, false);
	append_position(&reader, &(Position){{longitude, latitude, NAN}});
}
