/*
 * shape.c - a geometry of a text format as WKT, piece by piece.
 *
 * Whether it has heights is known at its end only: behind each name stands a placeholder until then.
 */
#include <ctype.h>
#include <math.h>

#include "geo/shape.h"

#define LONGEST 256 /* bytes of a number that is read */
#define ROOM 1024	/* bytes at first */
#define HEIGHT_PLACEHOLDER '\1'

void
shape_begin(Shape *shape, Parse *parse)
{
	*shape = (Shape){.parse = parse,
					 .text = shape->text,
					 .room = shape->room,
					 .convert = shape->convert,
					 .data = shape->data};
}

/* Make room for bytes at an offset; false if the text gets too long. */
static bool
open_gap(Shape *shape, size_t offset, size_t length)
{
	shape->full |= shape->length + length > CONTENTS_GEOMETRY;
	if (shape->full)
		return false;
	if (shape->length + length > shape->room)
	{
		shape->room = 2 * (shape->length + length) + ROOM;
		shape->text = parse_resize(shape->parse, shape->text, shape->room);
	}
	memmove(shape->text + offset + length, shape->text + offset, shape->length - offset);
	shape->length += length;
	return true;
}

static void
insert(Shape *shape, size_t offset, const char *text, size_t length)
{
	if (open_gap(shape, offset, length))
		memcpy(shape->text + offset, text, length);
}

void
shape_text(Shape *shape, const char *text)
{
	insert(shape, shape->length, text, strlen(text));
}

void
shape_next(Shape *shape)
{
	if (shape->length > 0 && shape->text[shape->length - 1] != '(')
		shape_text(shape, ",");
}

void
shape_name(Shape *shape, size_t offset, const char *kind)
{
	char name[GEOGRAPHY_NUMBER];
	size_t length = 0;

	shape->faulty |= kind == NULL;
	for (; kind != NULL && kind[length] != '\0' && length + 1 < sizeof(name); length++)
		name[length] = (char) toupper((unsigned char) kind[length]);
	name[length++] = HEIGHT_PLACEHOLDER;
	insert(shape, offset < shape->length ? offset : shape->length, name, length);
}

void
shape_number(Shape *shape, unsigned axis, const char *text, size_t length)
{
	char copy[LONGEST + 1];
	char *end = copy;

	if (axis >= lengthof(shape->number))
		return;
	length = length <= LONGEST ? length : 0;
	if (length > 0)
		memcpy(copy, text, length);
	copy[length] = '\0';
	shape->number[axis] = strtod(copy, &end);
	shape->faulty |= length == 0 || *end != '\0' || !isfinite(shape->number[axis]);
}

/* Is the open position the first of its line or ring? */
static bool
begins(const Shape *shape)
{
	return shape->length == 0 || shape->text[shape->length - 1] == '(';
}

void
shape_position(Shape *shape, unsigned numbers)
{
	char written[GEOGRAPHY_NUMBER];

	shape->least = shape->positions == 0 || numbers < shape->least ? numbers : shape->least;
	shape->most = numbers > shape->most ? numbers : shape->most;
	shape->positions++;
	shape->faulty |= numbers < 2;
	if (shape->faulty)
		return;
	if (shape->convert != NULL &&
		!shape->convert(shape->data, &shape->number[0], &shape->number[1]))
		shape->outside = true;
	geography_join(&shape->extent, !begins(shape), shape->number[0], shape->number[1]);
	for (unsigned axis = 0; axis < numbers && axis < lengthof(shape->number); axis++)
	{
		shape_text(shape, axis > 0 ? " " : "");
		insert(shape, shape->length, written, geography_format(written, shape->number[axis]));
	}
}

const char *
shape_write(Shape *shape)
{
	Buffer *wkt = &shape->parse->shape;
	bool high = shape->least > 2;
	unsigned blanks = 0;

	if (shape->full)
		return SHAPE_LONG;
	if (shape->faulty)
		return "the geometry has coordinates that are no numbers, and is left out";
	if (shape->outside)
		return "the geometry cannot be converted to WGS 84, and is left out";
	wkt->length = 0;
	wkt->failed = false;
	for (size_t i = 0; i < shape->length; i++)
	{
		char byte = shape->text[i];

		blanks = byte == ' ' ? blanks + 1 : strchr("(,)", byte) != NULL ? 0 : blanks;
		if (byte == HEIGHT_PLACEHOLDER)
			buffer_text(wkt, high ? " Z " : " ");
		else if (high || blanks < 2)
			/* where some positions have a height and others have none, none is kept */
			buffer_append(wkt, &byte, 1);
	}
	return NULL;
}
