/*
 * wkb.c - geometries as WKT, from the WKB that GDAL makes of them.
 *
 * The coordinates are converted on the way.  Measures are left out.  A collection of one point is
 * that point.
 */
#include <math.h>

#include "geo/shape.h"
#include "geo/wkb.h"

#define DEPTH 32  /* of collections in each other */
#define PIECE 512 /* positions that are converted at once */
#define AXES_MAXIMUM 4

enum
{
	KIND_POINT = 1,
	KIND_LINE,
	KIND_POLYGON,
	KIND_MULTIPOINT,
	KIND_COLLECTION = 7
};

/* The bytes that are left, and the geometry that they begin with. */
typedef struct Reading
{
	Wkb *wkb;
	const unsigned char *at;
	const unsigned char *end;
	uint32_t kind;
	unsigned axes; /* numbers of a position */
	bool high;	   /* the third one is the height */
	WkbEnd fault;  /* WKB_SHAPE: there is none so far */
} Reading;

static bool
fail(Reading *reading, WkbEnd fault)
{
	reading->fault = fault;
	return false;
}

static bool
read_u32(Reading *reading, uint32_t *number)
{
	if (reading->end - reading->at < 4)
		return fail(reading, WKB_FAULTY);
	*number = little_u32(reading->at);
	reading->at += 4;
	return true;
}

/* Read the head of a geometry. */
static bool
read_head(Reading *reading)
{
	uint32_t type;

	if (reading->at == reading->end || *reading->at++ != 1)
		return fail(reading, WKB_FAULTY);
	if (!read_u32(reading, &type) || type >= 4000)
		return fail(reading, WKB_FAULTY);
	reading->kind = type % 1000;
	reading->high = type / 1000 == 1 || type / 1000 == 3;
	reading->axes = 2 + (type / 1000 + 1) / 2;
	if (reading->kind < KIND_POINT || reading->kind > KIND_COLLECTION)
		return fail(reading, WKB_OTHER);
	return true;
}

/* Read so many positions, converted; at most PIECE. */
static bool
read_positions(Reading *reading, uint32_t count, double axes[3][PIECE])
{
	Wkb *wkb = reading->wkb;
	size_t size = reading->axes * sizeof(double);
	double position[AXES_MAXIMUM] = {0};

	if ((size_t) (reading->end - reading->at) / size < count)
		return fail(reading, WKB_FAULTY);
	for (uint32_t i = 0; i < count; i++, reading->at += size)
	{
		memcpy(position, reading->at, size);
		for (unsigned axis = 0; axis < 2U + reading->high; axis++)
		{
			if (!isfinite(position[axis]))
				return fail(reading, WKB_FAULTY);
			axes[axis][i] = position[axis];
		}
	}
	if (wkb->convert != NULL && !wkb->convert(wkb->data, axes[0], axes[1], count))
		return fail(reading, WKB_OUTSIDE);
	return true;
}

static void
write_position(Reading *reading, double axes[3][PIECE], uint32_t number)
{
	char text[3 * (GEOGRAPHY_NUMBER + 1)];
	size_t length = 0;

	for (unsigned axis = 0; axis < 2U + reading->high; axis++)
	{
		if (axis > 0)
			text[length++] = ' ';
		length += geography_format(text + length, axes[axis][number]);
	}
	buffer_append(reading->wkb->text, text, length);
}

/* Write positions in brackets. */
static bool
write_positions(Reading *reading, uint32_t count)
{
	Buffer *text = reading->wkb->text;
	double axes[3][PIECE];

	for (uint32_t done = 0; done < count;)
	{
		uint32_t part = count - done < PIECE ? count - done : PIECE;

		if (!read_positions(reading, part, axes))
			return false;
		for (uint32_t i = 0; i < part; i++)
		{
			buffer_text(text, done + i == 0 ? "(" : ",");
			geography_join(&reading->wkb->extent, done + i > 0, axes[0][i], axes[1][i]);
			write_position(reading, axes, i);
		}
		if (text->failed || text->length > CONTENTS_GEOMETRY)
			return fail(reading, WKB_LONG);
		done += part;
	}
	buffer_text(text, count == 0 ? "EMPTY" : ")");
	return true;
}

static bool write_tagged(Reading *reading, bool named, unsigned depth);

/* Write the parts of a geometry: rings, or geometries. */
static bool
write_parts(Reading *reading, unsigned depth)
{
	const uint32_t kind = reading->kind;
	Buffer *text = reading->wkb->text;
	uint32_t count;
	uint32_t positions;

	if (!read_u32(reading, &count))
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		buffer_text(text, i == 0 ? "(" : ",");
		if (kind == KIND_POLYGON
				? !read_u32(reading, &positions) || !write_positions(reading, positions)
				: !write_tagged(reading, kind == KIND_COLLECTION, depth))
			return false;
		if (text->failed || text->length > CONTENTS_GEOMETRY)
			return fail(reading, WKB_LONG);
	}
	buffer_text(text, count == 0 ? "EMPTY" : ")");
	return true;
}

/* Is the point of the next bytes empty, which WKB has as no numbers? */
static bool
is_empty_point(const Reading *reading)
{
	double first;

	if (reading->end - reading->at < (ptrdiff_t) sizeof(first))
		return false;
	memcpy(&first, reading->at, sizeof(first));
	return isnan(first);
}

/* Write the open geometry, without its name. */
static bool
write_body(Reading *reading, unsigned depth)
{
	uint32_t count = 1;

	if (reading->kind > KIND_LINE)
		return write_parts(reading, depth);
	if (reading->kind == KIND_LINE && !read_u32(reading, &count))
		return false;
	if (reading->kind == KIND_POINT && is_empty_point(reading))
	{
		reading->at += reading->axes * sizeof(double);
		count = 0;
	}
	return write_positions(reading, count);
}

/* Write the next geometry, with its name or, in one of a kind, without. */
static bool
write_tagged(Reading *reading, bool named, unsigned depth)
{
	static const char *const names[] = {
		"POINT",		   "LINESTRING",   "POLYGON",			"MULTIPOINT",
		"MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION"};

	if (depth == DEPTH || !read_head(reading))
		return fail(reading, reading->fault == WKB_SHAPE ? WKB_FAULTY : reading->fault);
	if (named)
	{
		buffer_text(reading->wkb->text, names[reading->kind - 1]);
		buffer_text(reading->wkb->text, reading->high ? " Z " : " ");
	}
	return write_body(reading, depth + 1);
}

/* Go down to the only member of collections; false if there are none or several, or bytes are faulty. */
static bool
find_point(Reading *reading)
{
	uint32_t count = 1;

	for (unsigned depth = 0; depth < DEPTH && count == 1; depth++)
	{
		if (!read_head(reading))
			return false;
		if (reading->kind == KIND_POINT)
			return true;
		if ((reading->kind != KIND_MULTIPOINT && reading->kind != KIND_COLLECTION) ||
			!read_u32(reading, &count))
			return false;
	}
	return false;
}

static WkbEnd
read_point(Reading *reading)
{
	Wkb *wkb = reading->wkb;
	double axes[3][PIECE];

	if (is_empty_point(reading))
		return WKB_EMPTY;
	if (!read_positions(reading, 1, axes))
		return reading->fault;
	wkb->high = reading->high;
	for (unsigned axis = 0; axis < 2U + reading->high; axis++)
		wkb->position[axis] = axes[axis][0];
	return WKB_POINT;
}

WkbEnd
wkb_write(Wkb *wkb, const unsigned char *bytes, size_t length)
{
	Reading reading = {.wkb = wkb, .at = bytes, .end = bytes + length, .fault = WKB_SHAPE};

	if (find_point(&reading))
		return read_point(&reading);
	reading = (Reading){.wkb = wkb, .at = bytes, .end = bytes + length, .fault = WKB_SHAPE};
	wkb->text->length = 0;
	wkb->text->failed = false;
	if (!write_tagged(&reading, true, 0))
		return reading.fault;
	return wkb->text->length >= 5 &&
				   memcmp(wkb->text->data + wkb->text->length - 5, "EMPTY", 5) == 0
			   ? WKB_EMPTY
			   : WKB_SHAPE;
}
