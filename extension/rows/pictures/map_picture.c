/*
 * map_picture.c
 *	  Maps as SVG documents: frame, points, lines and areas.
 *
 * The projection is equirectangular: degrees of latitude have equal lengths, and those of longitude
 * the length that they have in the middle of the map.  The background is land and the lines of the
 * degrees.
 */
#include "catalogue.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "rows/pictures/pictures_internal.h"

/*
 * Points from whose number on they are drawn smaller, as one path, and those at nearly the same
 * position as one.
 */
#define POINTS_MANY 500
#define POINTS_MOST 5000

#define NEXT 0.5 /* units within which positions are next to each other */
#define TINY 1.5 /* units of a shape that is hardly seen */

/* How points are drawn, and which cells of a grid are taken. */
typedef struct Dots
{
	double radius;
	double distance; /* of the cells, in units */
	bool many;		 /* they are lines without length in one path, which is short */
	int columns, rows;
	bool *taken;
} Dots;

static double
x_of(const MapFrame *frame, const MapPosition *position)
{
	return cat_map_picture_x(frame,
							 position->longitude + (position->longitude < frame->west ? 360 : 0));
}

static Dots
begin_dots(const MapFrame *frame, int count)
{
	Dots dots = {.radius = count <= POINTS_MANY ? 4 : count <= POINTS_MOST ? 3 : 2};

	dots.many = count > POINTS_MANY;
	dots.distance = count <= POINTS_MANY ? 0.5 : count <= POINTS_MOST ? 1 : 2;
	dots.columns = (int) ((frame->right - frame->left) / dots.distance) + 2;
	dots.rows = (int) ((frame->bottom - frame->top) / dots.distance) + 2;
	dots.taken = palloc0(sizeof(bool) * (Size) dots.columns * (Size) dots.rows);
	return dots;
}

/* Take the cell of a point; false if another one has it. */
static bool
take_cell(Dots *dots, const MapFrame *frame, double x, double y)
{
	int column = (int) Max(0, Min(dots->columns - 1, (x - frame->left) / dots->distance));
	int row = (int) Max(0, Min(dots->rows - 1, (y - frame->top) / dots->distance));
	bool *taken = &dots->taken[row * dots->columns + column];

	if (*taken)
		return false;
	*taken = true;
	return true;
}

/* Names of the colours of classes in the style sheet, from the least number to the greatest one; of texts, and of all
 * others. */
static const struct
{
	const char *fill;
	const char *line;
} shades[] = {{"q1", "t1"}, {"q2", "t2"}, {"q3", "t3"}, {"q4", "t4"}, {"q6", "t6"}},
  colors[] = {{"f0", "l0"}, {"f1", "l1"}, {"f2", "l2"}, {"f3", "l3"},
			  {"f4", "l4"}, {"f5", "l5"}, {"f6", "l6"}},
  grey = {"f7", "l7"};

/* Return the name of the colour of a class, from 1; 0: of what has no class.  line: of a line. */
static const char *
color_of(const MapLegend *legend, int class, bool line)
{
	if (!legend)
		return line ? colors[0].line : colors[0].fill;
	if (class < 1 || class > legend->count ||
		(!legend->numbers && !legend->classes[class - 1].value))
		return line ? grey.line : grey.fill;
	if (legend->numbers)
		return line ? shades[Min(class, (int) lengthof(shades)) - 1].line
					: shades[Min(class, (int) lengthof(shades)) - 1].fill;
	return line ? colors[Min(class, (int) lengthof(colors)) - 1].line
				: colors[Min(class, (int) lengthof(colors)) - 1].fill;
}

/* Draw the points of a shape. */
static void
draw_shape_points(Canvas *canvas, const MapFrame *frame, const MapShapes *shapes, Dots *dots,
				  const Shape *shape)
{
	int digits = shapes->npoints > POINTS_MOST ? 0 : 1;

	for (int j = 0; j < shape->count; j++)
	{
		const MapPosition *position = &shapes->positions[shape->first + j];
		double x = x_of(frame, position);
		double y = cat_map_picture_y(frame, position->latitude);

		if (!take_cell(dots, frame, x, y))
			continue;
		if (dots->many)
			appendStringInfo(&canvas->out, "M%.*f %.*fh0", digits, x, digits, y);
		else
			appendStringInfo(&canvas->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/>\n", x, y,
							 dots->radius);
	}
}

/* Draw the points of a class. */
static void
draw_class(Canvas *canvas, const MapFrame *frame, const MapShapes *shapes, Dots *dots, int class)
{
	bool begun = false;

	for (int i = 0; i < shapes->count; i++)
	{
		const Shape *shape = &shapes->list[i];

		if (shape->kind != SHAPE_POINT || (shapes->legend && shape->class != class))
			continue;
		if (!begun && dots->many)
			appendStringInfo(&canvas->out,
							 "<path class=\"%s\" stroke-width=\"%.0f\" stroke-linecap=\"round\" "
							 "stroke-opacity=\"0.75\" d=\"",
							 color_of(shapes->legend, class, true), 2 * dots->radius);
		else if (!begun)
			appendStringInfo(&canvas->out,
							 "<g class=\"%s halo\" stroke-width=\"0.75\" "
							 "fill-opacity=\"0.75\">\n",
							 color_of(shapes->legend, class, false));
		begun = true;
		draw_shape_points(canvas, frame, shapes, dots, shape);
	}
	if (begun)
		appendStringInfoString(&canvas->out, dots->many ? "\"/>\n" : "</g>\n");
}

static void
draw_points(Canvas *canvas, const MapFrame *frame, const MapShapes *shapes)
{
	Dots dots = begin_dots(frame, shapes->npoints);

	for (int class = 0; class <= (shapes->legend ? shapes->legend->count : 0); class ++)
		draw_class(canvas, frame, shapes, &dots, class);
}

/* Draw a line or an area, without the positions that are next to the one before. */
static void
draw_path(Canvas *canvas, const MapFrame *frame, const MapShapes *shapes, const Shape *shape)
{
	bool is_area = shape->kind == SHAPE_AREA;
	double last_x = 0;
	double last_y = 0;

	if (!is_area)
		appendStringInfo(&canvas->out, "<path class=\"line %s\" d=\"",
						 color_of(shapes->legend, shape->class, true));
	else
		appendStringInfo(&canvas->out, "<path class=\"%s %s\" d=\"",
						 color_of(shapes->legend, shape->class, false),
						 shapes->legend ? "halo shade" : "l0 area");
	for (int i = 0; i < shape->count; i++)
	{
		const MapPosition *position = &shapes->positions[shape->first + i];
		double x = x_of(frame, position);
		double y = cat_map_picture_y(frame, position->latitude);

		if (!position->begins && fabs(x - last_x) < NEXT && fabs(y - last_y) < NEXT)
			continue;
		appendStringInfo(&canvas->out, "%s%c%.1f %.1f",
						 is_area && position->begins && i > 0 ? "z" : "",
						 position->begins ? 'M' : 'L', x, y);
		last_x = x;
		last_y = y;
	}
	appendStringInfo(&canvas->out, "%s\"/>\n", is_area ? "z" : "");
}

/* Return whether all positions of a shape are next to its first one. */
static bool
is_tiny(const MapFrame *frame, const MapShapes *shapes, const Shape *shape)
{
	const MapPosition *first = &shapes->positions[shape->first];

	for (int i = 1; i < shape->count; i++)
		if (fabs(x_of(frame, &first[i]) - x_of(frame, first)) > TINY ||
			fabs(first[i].latitude - first->latitude) * frame->scale > TINY)
			return false;
	return true;
}

/* Add a shape that is hardly seen to those of its class, unless another one has its cell. */
static void
add_tiny(StringInfo tiny, const MapFrame *frame, const MapShapes *shapes, Dots *dots,
		 const Shape *shape)
{
	const MapPosition *first = &shapes->positions[shape->first];
	double x = x_of(frame, first);
	double y = cat_map_picture_y(frame, first->latitude);

	if (take_cell(dots, frame, x, y))
		appendStringInfo(&tiny[Min(shape->class, MAP_CLASSES)], "M%.0f %.0fh1", x, y);
}

/* Draw lines and areas; of those that are hardly seen, one in each cell, as a square. */
static void
draw_paths(Canvas *canvas, const MapFrame *frame, const MapShapes *shapes)
{
	Dots dots = begin_dots(frame, POINTS_MOST);
	StringInfoData tiny[MAP_CLASSES + 1];

	for (int class = 0; class <= MAP_CLASSES; class ++)
		initStringInfo(&tiny[class]);
	for (int i = 0; i < shapes->count; i++)
	{
		const Shape *shape = &shapes->list[i];

		CHECK_FOR_INTERRUPTS();
		if (shape->kind == SHAPE_POINT)
			continue;
		if (is_tiny(frame, shapes, shape))
			add_tiny(tiny, frame, shapes, &dots, shape);
		else
			draw_path(canvas, frame, shapes, shape);
	}
	for (int class = 0; class <= MAP_CLASSES; class ++)
		if (tiny[class].len > 0)
			appendStringInfo(&canvas->out, "<path class=\"line %s\" d=\"%s\"/>\n",
							 color_of(shapes->legend, class, true), tiny[class].data);
}

/* Draw the shapes. */
static void
shapes_draw(Canvas *canvas, const MapFrame *frame, const MapShapes *shapes)
{
	draw_paths(canvas, frame, shapes);
	if (shapes->npoints > 0)
		draw_points(canvas, frame, shapes);
}

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

/* The sides of Earth, of a positive and of a negative number of degrees. */
typedef enum Direction
{
	LONGITUDE,
	LATITUDE
} Direction;

/* Return degrees that are written already, without their sign, and on which side they are. */
static char *
side_text(const PictureLanguage *language, Direction direction, int sign, const char *number)
{
	static const char *const sides[][2] = {
		[LONGITUDE] = {WORD("{number}° E"), WORD("{number}° W")},
		[LATITUDE] = {WORD("{number}° N"), WORD("{number}° S")},
	};

	return sign == 0 ? psprintf("%s°", number)
					 : cat_picture_words_text(language, sides[direction][sign < 0], "number",
											  number, PICTURE_END);
}

/* Return the degrees of a place, such as 12.5° W. */
static char *
degrees_text(const PictureLanguage *language, Direction direction, double degrees)
{
	degrees = round(degrees * 1e4) / 1e4;
	return side_text(language, direction, (degrees > 0) - (degrees < 0),
					 cat_svg_scale_value(language, fabs(degrees)));
}

/* Return the ends of a range, or its only value. */
static char *
span_text(const PictureLanguage *language, Direction direction, double from, double to)
{
	char *low = degrees_text(language, direction, from);
	char *high = degrees_text(language, direction, to);

	return strcmp(low, high) == 0 ? low
								  : cat_picture_words_text(language, "{low} to {high}", "low", low,
														   "high", high, PICTURE_END);
}

/* Return how many shapes of each kind there are, in words. */
static char *
count_text(const MapPicture *map, const MapShapes *shapes)
{
	const PictureLanguage *language = map->language;
	int count = shapes->npoints;
	int others = 0;
	char *points;

	for (int i = 0; i < shapes->count; i++)
		others += shapes->list[i].kind != SHAPE_POINT;
	if (others == 0)
		count = Max(count, map->points);
	points = cat_picture_words_count(language, count, cat_svg_scale_value(language, count),
									 "{count} point", "{count} points");
	return others == 0
			   ? points
			   : cat_picture_words_text(
					 language, "{points} and {others}", "points", points, "others",
					 cat_picture_words_count(language, others, psprintf("%d", others),
											 "{count} line or area", "{count} lines or areas"),
					 PICTURE_END);
}

/* Return what the map shows, in words. */
static char *
describe(const MapPicture *map, const MapFrame *frame, const MapShapes *shapes)
{
	const PictureLanguage *language = map->language;
	char *count = count_text(map, shapes);
	char *words;

	if (shapes->npositions == 0)
		words =
			cat_picture_words_text(language, "Map with {shapes}.", "shapes", count, PICTURE_END);
	else
		words = cat_picture_words_text(
			language, "Map with {shapes}: longitude {longitude}, latitude {latitude}.", "shapes",
			count, "longitude",
			span_text(language, LONGITUDE, frame->west,
					  frame->east > 180 ? frame->east - 360 : frame->east),
			"latitude", span_text(language, LATITUDE, frame->south, frame->north), PICTURE_END);
	return map->description && *map->description ? psprintf("%s\n%s", map->description, words)
												 : words;
}

#define METERS_OF_DEGREE 111195.0 /* of latitude */
#define MERIDIAN_DISTANCE 80.0	  /* least distance of two lines */
#define PARALLEL_DISTANCE 60.0
#define BAR_MOST 140.0

/* Return a round number of degrees that is not less. */
static double
round_degrees(double least)
{
	static const double great[] = {1, 2, 5, 10, 15, 30, 45, 60, 90};

	for (size_t i = 0; least > 0.5 && i < lengthof(great); i++)
		if (great[i] >= least)
			return great[i];
	return least > 0.5 ? 180 : cat_svg_round_step(least);
}

/* Return a multiple of the step between the lines as text. */
static char *
line_text(const PictureLanguage *language, Direction direction, double degrees, double step)
{
	int decimals = (int) Max(0, -floor(log10(step) + 1e-9));
	bool zero = fabs(degrees) < step / 2;

	return side_text(
		language, direction, zero || degrees == -180 ? 0 : (degrees > 0) - (degrees < 0),
		cat_svg_decimal(language, psprintf("%.*f", zero ? 0 : decimals, zero ? 0 : fabs(degrees))));
}

static void
draw_meridians(Canvas *canvas, const MapFrame *frame)
{
	double step = round_degrees(MERIDIAN_DISTANCE / (frame->scale * frame->stretch));

	for (int i = (int) ceil(frame->shown_west / step);; i++)
	{
		double degrees = i * step;
		double x = cat_map_picture_x(frame, degrees);

		if (x > frame->right)
			break;
		cat_svg_line(canvas, "grid", x, frame->top, x, frame->bottom);
		degrees -= 360 * floor((degrees + 180) / 360);
		if (x < PICTURE_RIGHT - 20)
			cat_svg_label(canvas, "soft mid", x, frame->bottom + 16,
						  line_text(canvas->language, LONGITUDE, degrees, step));
	}
}

static void
draw_parallels(Canvas *canvas, const MapFrame *frame)
{
	double step = round_degrees(PARALLEL_DISTANCE / frame->scale);

	for (int i = (int) floor(frame->shown_north / step);; i--)
	{
		double y = cat_map_picture_y(frame, i * step);

		if (y > frame->bottom)
			break;
		if (fabs(i * step) > 90)
			continue;
		cat_svg_line(canvas, "grid", frame->left, y, frame->right, y);
		cat_svg_label(canvas, "soft end", frame->left - 8, y + 4,
					  line_text(canvas->language, LATITUDE, i * step, step));
	}
}

/* Draw the frame with lines at round degrees. */
static void
draw_frame(Canvas *canvas, const MapFrame *frame)
{
	draw_meridians(canvas, frame);
	draw_parallels(canvas, frame);
	appendStringInfo(&canvas->out,
					 "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
					 "height=\"%.1f\"/>\n",
					 frame->left, frame->top, frame->right - frame->left,
					 frame->bottom - frame->top);
	canvas->y = frame->bottom;
}

/* Draw a bar of a round length beneath the frame. */
static void
draw_scale_bar(Canvas *canvas, const MapFrame *frame)
{
	double most = BAR_MOST * METERS_OF_DEGREE / frame->scale;
	double power = pow(10, floor(log10(most)));
	double meters = power * (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1);
	double length = meters * frame->scale / METERS_OF_DEGREE;
	double y = frame->bottom + 36;

	appendStringInfo(&canvas->out, "<path class=\"base bar\" d=\"M%.1f %.1fv6h%.1fv-6\"/>\n",
					 frame->left, y - 3, length);
	cat_svg_label(canvas, "", frame->left + length + 8, y + 4,
				  meters < 1000
					  ? psprintf("%s m", cat_svg_scale_value(canvas->language, meters))
					  : psprintf("%s km", cat_svg_scale_value(canvas->language, meters / 1000)));
	canvas->y = y + 20;
}

/* Return what a class of a legend has, in words. */
static char *
class_text(const Canvas *canvas, const MapLegend *legend, int class)
{
	const MapClass *is = &legend->classes[class];
	char *from = cat_svg_scale_value(canvas->language, is->from);

	if (!legend->numbers)
		return is->value ? pstrdup(is->value)
						 : cat_picture_words_text(canvas->language, "Other", PICTURE_END);
	return is->from == is->to
			   ? from
			   : psprintf("%s – %s", from, cat_svg_scale_value(canvas->language, is->to));
}

/* Texts and the bar are left out of a picture that is shown so small that nobody could read them. */
static const char small[] = "<style>@media(max-width:400px){text,.bar{display:none}}</style>\n";

#define LEGEND_SQUARE 12.0
#define LEGEND_GAP 16.0
#define LEGEND_LINE 22.0
#define LEGEND_CUT 60 /* bytes of a text */

/* Draw what the colours mean, in as many lines as it needs. */
static void
draw_legend(Canvas *canvas, const MapFrame *frame, const MapLegend *legend)
{
	double x = frame->left;

	cat_svg_label(canvas, "soft", x, canvas->y + 10, legend->column);
	canvas->y += LEGEND_LINE;
	for (int i = 0; i < legend->count; i++)
	{
		char *text = class_text(canvas, legend, i);
		double width;

		text[pg_mbcliplen(text, (int) strlen(text), LEGEND_CUT)] = '\0';
		width = LEGEND_SQUARE + 6 + cat_svg_width(text, LABEL_SIZE);
		if (x > frame->left && x + width > frame->right)
		{
			x = frame->left;
			canvas->y += LEGEND_LINE;
		}
		appendStringInfo(&canvas->out,
						 "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" "
						 "rx=\"2\"/>\n",
						 color_of(legend, i + 1, false), x, canvas->y, LEGEND_SQUARE,
						 LEGEND_SQUARE);
		cat_svg_label(canvas, "", x + LEGEND_SQUARE + 6, canvas->y + 10, text);
		x += width + LEGEND_GAP;
	}
	canvas->y += LEGEND_LINE;
}

void
cat_map_picture_draw(StringInfo out, const MapPicture *map)
{
	Canvas canvas;
	MapFrame frame = {0};
	MapShapes shapes = cat_map_shapes_read(map->geojson);

	shapes.legend = map->legend;
	cat_svg_begin(&canvas, map->name, map->language);
	if (shapes.npositions == 0)
		cat_svg_note(&canvas, cat_picture_words_text(map->language, "No places", PICTURE_END));
	else
	{
		find_bounds(&frame, &shapes);
		fit_frame(&frame, canvas.y);
		cat_land_draw(&canvas, &frame);
		draw_frame(&canvas, &frame);
		shapes_draw(&canvas, &frame, &shapes);
		draw_scale_bar(&canvas, &frame);
		if (map->legend)
			draw_legend(&canvas, &frame, map->legend);
		else
			appendStringInfoString(&canvas.out, small);
	}
	if (map->note)
		cat_svg_note(&canvas, map->note);
	cat_svg_end(out, &canvas, map->name, describe(map, &frame, &shapes));
}

/* Return a map as an SVG document. */
CAT_FUNCTION(catalogue_map_drawn)
{
	MapPicture map = {.name = text_to_cstring(PG_GETARG_TEXT_PP(ARG_MAP_DRAWN_NAME)),
					  .geojson = text_to_cstring(PG_GETARG_TEXT_PP(ARG_MAP_DRAWN_GEOJSON)),
					  .language = cat_picture_words_language(
						  text_to_cstring(PG_GETARG_TEXT_PP(ARG_MAP_DRAWN_LANGUAGE)))};
	StringInfoData out;

	initStringInfo(&out);
	cat_map_picture_draw(&out, &map);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}
