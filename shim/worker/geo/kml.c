/*
 * kml.c - KML: a row for each placemark, with its name, description and extended data.
 *
 * Network links and overlays are passed over, and nothing is fetched.
 */
#include <string.h>

#include "formats/book.h"
#include "geo/features.h"
#include "geo/geo.h"

/* Columns that each placemark has. */
static const char *const titles[] = {"name", "description", NULL};

typedef struct Kml
{
	Parse *parse;
	Features *features;
	unsigned depth;		/* of the open element, 1 for the first */
	unsigned placemark; /* of the open one; 0: none */
	unsigned point;		/* of the open one whose position is the placemark's; 0: none */
	unsigned data;		/* of the open one; 0: none */
	unsigned taken;		/* of the element whose text is taken; 0: none */
	bool is_position;	/* that text is a position */
	unsigned column;	/* else the column that it belongs to */
} Kml;

/* Begin to take the text of the open element. */
static void
take_text(Kml *kml)
{
	kml->parse->cell.length = 0;
	kml->parse->cell.failed = false;
	kml->taken = kml->depth;
	kml->is_position = false;
}

/* Set the column to that of the property that an attribute names; false if there is none. */
static bool
find_column(Kml *kml, const char **attributes)
{
	const char *name = xml_attribute(attributes, "name");

	if (name != NULL)
		kml->column = features_column(kml->features, name, strlen(name));
	return name != NULL;
}

/* An element of the placemark itself: one that is a column, or a geometry. */
static void
start_member(Kml *kml, const char *name)
{
	static const char *const geometries[] = {"Point",	"LineString",	 "LinearRing",
											 "Polygon", "MultiGeometry", "Model",
											 "Track",	"MultiTrack"};

	for (unsigned i = 0; titles[i] != NULL; i++)
		if (strcmp(name, titles[i]) == 0)
		{
			kml->column = features_format_column(i);
			take_text(kml);
			return;
		}
	for (size_t i = 0; i < lengthof(geometries); i++)
		if (strcmp(name, geometries[i]) == 0 &&
			features_geometry(kml->features, name, strlen(name)) && i == 0)
			kml->point = kml->depth;
}

static void
start_inner(Kml *kml, const char *name, const char **attributes)
{
	if (kml->depth == kml->placemark + 1)
		start_member(kml, name);
	else if (kml->point != 0 && kml->depth == kml->point + 1 && strcmp(name, "coordinates") == 0)
	{
		take_text(kml);
		kml->is_position = true;
	}
	else if (strcmp(name, "Data") == 0 && find_column(kml, attributes))
		kml->data = kml->depth;
	else if ((kml->data != 0 && kml->depth == kml->data + 1 && strcmp(name, "value") == 0) ||
			 (strcmp(name, "SimpleData") == 0 && find_column(kml, attributes)))
		take_text(kml);
}

static void
start(void *data, const char *name, const char **attributes)
{
	Kml *kml = data;

	if (++kml->depth == 1 && strcmp(name, "kml") != 0)
		parse_refuse(kml->parse, "the file is not KML: its root element is not kml");
	if (kml->taken != 0)
		return;
	if (kml->placemark != 0)
		start_inner(kml, name, attributes);
	else if (strcmp(name, "Placemark") == 0)
	{
		kml->placemark = kml->depth;
		features_open(kml->features);
	}
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Take white space off both ends of the text between two places. */
static void
trim(const char **from, const char **to)
{
	while (*from < *to && is_space(**from))
		++*from;
	while (*from < *to && is_space((*to)[-1]))
		--*to;
}

/* Read longitude, latitude and altitude, divided by commas; white space ends a position. */
static void
set_position(Kml *kml, const char *from, const char *to)
{
	for (unsigned axis = 0; from < to; axis++)
	{
		const char *comma = memchr(from, ',', (size_t) (to - from));
		const char *end = comma == NULL ? to : comma;
		const char *next = comma == NULL ? to : comma + 1;

		trim(&from, &end);
		features_position(kml->features, axis, from, (size_t) (end - from));
		from = next;
	}
}

/* The element whose text was taken has ended. */
static void
end_text(Kml *kml)
{
	Buffer *text = &kml->parse->cell;
	const char *from = text->data;
	const char *to = from + text->length;

	kml->taken = 0;
	if (text->length == 0 && !text->failed)
		return;
	trim(&from, &to);
	if (kml->is_position)
		set_position(kml, from, to);
	else if (from < to)
	{
		text->length = (size_t) (to - from);
		memmove(text->data, from, text->length);
		features_set(kml->features, kml->column);
	}
}

static void
end(void *data, const char *name)
{
	Kml *kml = data;

	(void) name;
	if (kml->taken == kml->depth)
		end_text(kml);
	if (kml->data == kml->depth)
		kml->data = 0;
	if (kml->point == kml->depth)
		kml->point = 0;
	if (kml->placemark == kml->depth)
	{
		kml->placemark = 0;
		features_close(kml->features);
	}
	kml->depth--;
}

static void
text(void *data, const char *bytes, size_t length)
{
	Kml *kml = data;

	if (kml->taken != 0)
		buffer_append(&kml->parse->cell, bytes, length);
}

void
kml_read(Parse *parse)
{
	static const XmlHandlers handlers = {start, end, text};
	Kml *kml = parse_allocate(parse, sizeof(Kml));

	kml->parse = parse;
	kml->features = features_begin(parse, titles);
	xml_read_file(parse, &handlers, kml);
	features_end(kml->features);
}
