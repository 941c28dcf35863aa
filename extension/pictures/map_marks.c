/*
 * map_marks.c
 *	  Points, lines and areas of a map.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/map_internal.h"

/*
 * Points from whose number on they are drawn smaller, as one path, and those at nearly the same
 * place as one.
 */
#define POINTS_MANY 500
#define POINTS_MOST 5000

/* How points are drawn, and which places are taken. */
typedef struct Dots
{
	double radius;
	double distance; /* of places */
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

/* Take the place of a point; false if another one has it. */
static bool
take_place(Dots *dots, const MapFrame *frame, double x, double y)
{
	int column = (int) Max(0, Min(dots->columns - 1, (x - frame->left) / dots->distance));
	int row = (int) Max(0, Min(dots->rows - 1, (y - frame->top) / dots->distance));
	bool *taken = &dots->taken[row * dots->columns + column];

	if (*taken)
		return false;
	*taken = true;
	return true;
}

static void
draw_points(Canvas *canvas, const MapFrame *frame, const MapShapes *shapes)
{
	Dots dots = begin_dots(frame, shapes->npoints);
	int digits = shapes->npoints > POINTS_MOST ? 0 : 1;

	if (dots.many)
		appendStringInfo(&canvas->out,
						 "<path class=\"l0\" stroke-width=\"%.0f\" stroke-linecap=\"round\" "
						 "stroke-opacity=\"0.75\" d=\"",
						 2 * dots.radius);
	else
		appendStringInfoString(&canvas->out, "<g class=\"f0 halo\" stroke-width=\"0.75\" "
											 "fill-opacity=\"0.75\">\n");
	for (int i = 0; i < shapes->count; i++)
	{
		const Shape *shape = &shapes->list[i];

		for (int j = 0; shape->kind == SHAPE_POINT && j < shape->count; j++)
		{
			const MapPosition *position = &shapes->positions[shape->first + j];
			double x = x_of(frame, position);
			double y = cat_map_picture_y(frame, position->latitude);

			if (!take_place(&dots, frame, x, y))
				continue;
			if (dots.many)
				appendStringInfo(&canvas->out, "M%.*f %.*fh0", digits, x, digits, y);
			else
				appendStringInfo(&canvas->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/>\n", x,
								 y, dots.radius);
		}
	}
	appendStringInfoString(&canvas->out, dots.many ? "\"/>\n" : "</g>\n");
}

/* Draw a line or an area. */
static void
draw_path(Canvas *canvas, const MapFrame *frame, const MapShapes *shapes, const Shape *shape)
{
	bool is_area = shape->kind == SHAPE_AREA;

	appendStringInfo(&canvas->out, "<path class=\"%s\" d=\"", is_area ? "f0 l0 area" : "line l0");
	for (int i = 0; i < shape->count; i++)
	{
		const MapPosition *position = &shapes->positions[shape->first + i];

		appendStringInfo(&canvas->out, "%s%c%.1f %.1f",
						 is_area && position->begins && i > 0 ? "z" : "",
						 position->begins ? 'M' : 'L', x_of(frame, position),
						 cat_map_picture_y(frame, position->latitude));
	}
	appendStringInfo(&canvas->out, "%s\"/>\n", is_area ? "z" : "");
}

void
cat_map_marks_draw(Canvas *canvas, const MapFrame *frame, const MapShapes *shapes)
{
	for (int i = 0; i < shapes->count; i++)
		if (shapes->list[i].kind != SHAPE_POINT)
			draw_path(canvas, frame, shapes, &shapes->list[i]);
	if (shapes->npoints > 0)
		draw_points(canvas, frame, shapes);
}
