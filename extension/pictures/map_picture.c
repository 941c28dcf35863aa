/*
 * map_picture.c
 *	  Maps as SVG documents.
 *
 * The projection is equirectangular: degrees of latitude have equal lengths, and those of longitude
 * the length that they have in the middle of the map.  The background is land and the lines of the
 * degrees.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/map_internal.h"

#define FRAME_LEFT 72.0		  /* room for the degrees of latitude, */
#define FRAME_LEFT_FINE 100.0 /* and if they have decimals */
#define SPAN_FINE 0.5
#define FRAME_LEAST 220.0
#define FRAME_MOST 520.0
#define SPAN_LEAST 0.005 /* degrees that are shown around a single point */
#define GAP_MORE 30		 /* degrees by which a map must become narrower */
#define EDGE 0.04		 /* part of the map around the shapes */
#define STRETCH_LEAST 0.02

static int
by_number(const void *a, const void *b)
{
	double left = *(const double *) a;
	double right = *(const double *) b;

	return (left > right) - (left < right);
}

/*
 * Return the longitude that the map begins with.
 *
 * It is the first one, unless the longitudes are much farther from each other somewhere than the last
 * one is from the first one across the antimeridian.
 */
static double
find_west(const MapShapes *shapes)
{
	double *longitudes =
		palloc_extended(sizeof(double) * (Size) shapes->npositions, MCXT_ALLOC_HUGE);
	double west;
	double gap;

	for (int i = 0; i < shapes->npositions; i++)
		longitudes[i] = shapes->positions[i].longitude;
	qsort(longitudes, (size_t) shapes->npositions, sizeof(double), by_number);
	west = longitudes[0];
	gap = 360 - (longitudes[shapes->npositions - 1] - west) + GAP_MORE;
	for (int i = 1; i < shapes->npositions; i++)
		if (longitudes[i] - longitudes[i - 1] > gap)
		{
			gap = longitudes[i] - longitudes[i - 1];
			west = longitudes[i];
		}
	return west;
}

/* Set the bounds of the shapes. */
static void
find_bounds(MapFrame *frame, const MapShapes *shapes)
{
	frame->west = find_west(shapes);
	frame->east = frame->west;
	frame->south = frame->north = shapes->positions[0].latitude;
	for (int i = 0; i < shapes->npositions; i++)
	{
		const MapPosition *position = &shapes->positions[i];
		bool beyond = position->longitude < frame->west;

		frame->east = Max(frame->east, position->longitude + (beyond ? 360 : 0));
		frame->south = Min(frame->south, position->latitude);
		frame->north = Max(frame->north, position->latitude);
	}
}

/* Set the size of the map, and the degrees at its edges. */
static void
fit_frame(MapFrame *frame, double y)
{
	double longitude = (frame->west + frame->east) / 2;
	double latitude = (frame->south + frame->north) / 2;
	double width;
	double height;
	double least = SPAN_LEAST;

	frame->stretch = Max(STRETCH_LEAST, cos(latitude * M_PI / 180));
	width = Max(least, (frame->east - frame->west) * frame->stretch) * (1 + 2 * EDGE);
	height = Max(least, frame->north - frame->south) * (1 + 2 * EDGE);
	frame->left = height < SPAN_FINE ? FRAME_LEFT_FINE : FRAME_LEFT;
	frame->right = PICTURE_RIGHT;
	frame->top = y;
	frame->bottom =
		y + Max(FRAME_LEAST, Min(FRAME_MOST, (frame->right - frame->left) * height / width));
	frame->scale = Min((frame->right - frame->left) / width, (frame->bottom - frame->top) / height);
	width = (frame->right - frame->left) / frame->scale / frame->stretch;
	height = (frame->bottom - frame->top) / frame->scale;
	frame->shown_west = longitude - width / 2;
	frame->shown_north = latitude + height / 2;
}

double
cat_map_picture_x(const MapFrame *frame, double longitude)
{
	return frame->left + (longitude - frame->shown_west) * frame->stretch * frame->scale;
}

double
cat_map_picture_y(const MapFrame *frame, double latitude)
{
	return frame->top + (frame->shown_north - latitude) * frame->scale;
}

/* Return the degrees of a place, such as 12.5° W. */
static char *
degrees_text(double degrees, const char *positive, const char *negative)
{
	char *text;

	degrees = round(degrees * 1e4) / 1e4;
	text = cat_scale_value(fabs(degrees));
	return psprintf("%s\xC2\xB0%s", text, degrees > 0 ? positive : degrees < 0 ? negative : "");
}

/* Append the ends of a range, or its only value. */
static void
append_span(StringInfo out, const char *name, const char *low, const char *high)
{
	appendStringInfo(out, "%s %s", name, low);
	if (strcmp(low, high) != 0)
		appendStringInfo(out, " to %s", high);
}

/* Return what the map shows, in words. */
static char *
describe(const MapPicture *map, const MapFrame *frame, const MapShapes *shapes)
{
	StringInfoData out;
	int others = 0;

	for (int i = 0; i < shapes->count; i++)
		others += shapes->list[i].kind != SHAPE_POINT;
	initStringInfo(&out);
	if (map->description && *map->description)
		appendStringInfo(&out, "%s\n", map->description);
	appendStringInfo(&out, "Map with %s point%s", cat_scale_value(shapes->npoints),
					 shapes->npoints == 1 ? "" : "s");
	if (others > 0)
		appendStringInfo(&out, " and %d line%s or area%s", others, others == 1 ? "" : "s",
						 others == 1 ? "" : "s");
	if (shapes->npositions > 0)
	{
		double east = frame->east > 180 ? frame->east - 360 : frame->east;

		append_span(&out, ": longitude", degrees_text(frame->west, " E", " W"),
					degrees_text(east, " E", " W"));
		append_span(&out, ", latitude", degrees_text(frame->south, " N", " S"),
					degrees_text(frame->north, " N", " S"));
	}
	appendStringInfoChar(&out, '.');
	return out.data;
}

void
cat_map_picture_draw(StringInfo out, const MapPicture *map)
{
	Canvas canvas;
	MapFrame frame = {0};
	MapShapes shapes = cat_map_shapes_read(map->geojson);

	cat_svg_begin(&canvas, map->name);
	if (shapes.npositions == 0)
		cat_svg_nothing(&canvas, "No points");
	else
	{
		find_bounds(&frame, &shapes);
		fit_frame(&frame, canvas.y);
		cat_land_draw(&canvas, &frame);
		cat_map_frame_draw(&canvas, &frame);
		cat_map_marks_draw(&canvas, &frame, &shapes);
		cat_map_frame_scale_bar(&canvas, &frame);
	}
	cat_svg_end(out, &canvas, map->name, describe(map, &frame, &shapes));
}
