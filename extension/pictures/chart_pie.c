/*
 * chart_pie.c
 *	  Charts with a slice for each label.
 *
 * Slices are in the order of their sizes, from the top clockwise.  Those that are too many to be told
 * apart are one slice.  A negative value is no part of a whole; a note says how many there are.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/chart_internal.h"

#define RADIUS 130.0
#define LEGEND_LEFT (PICTURE_MARGIN + 2 * RADIUS + 40)
#define LEGEND_LINE 26.0
#define VALUE_LEAST 1e-290 /* smaller ones are no part of a sum */
#define VALUE_WIDEST 130.0

typedef struct Slice
{
	const char *label;
	double value;
	int color;
	int label_number;
} Slice;

typedef struct Slices
{
	Slice *list;
	int count;
	double total;
	int negative; /* labels whose values are negative */
} Slices;

static int
by_value(const void *a, const void *b)
{
	const Slice *left = a;
	const Slice *right = b;

	if (left->value != right->value)
		return left->value > right->value ? -1 : 1;
	return left->label_number - right->label_number;
}

/* Return the value of a label: the sum of its series. */
static double
value_of(const ChartPicture *chart, int label)
{
	double sum = 0;

	for (int i = 0; i < chart->nseries; i++)
		if (!isnan(cat_chart_reduce_value(chart, i, label)))
			sum += cat_chart_reduce_value(chart, i, label);
	return Min(sum, 1e300);
}

/* Make one slice of those that have no colour of their own. */
static void
join_rest(Slices *slices)
{
	Slice *rest = &slices->list[SERIES_COLORS - 1];
	int joined = slices->count - (SERIES_COLORS - 1);

	if (joined < 2)
		return;
	for (int i = SERIES_COLORS; i < slices->count; i++)
		rest->value += slices->list[i].value;
	rest->label = psprintf("Other (%d labels)", joined);
	slices->count = SERIES_COLORS;
}

static Slices
make_slices(const ChartPicture *chart)
{
	Slices slices = {.list = palloc(sizeof(Slice) * (size_t) (chart->nlabels + 1))};

	for (int i = 0; i < chart->nlabels; i++)
	{
		double value = value_of(chart, i);

		slices.negative += value < 0;
		if (value > VALUE_LEAST)
			slices.list[slices.count++] = (Slice){chart->labels[i], value, 0, i};
	}
	qsort(slices.list, (size_t) slices.count, sizeof(Slice), by_value);
	join_rest(&slices);
	for (int i = 0; i < slices.count; i++)
	{
		slices.list[i].color = i;
		/* halves, since the sum of the greatest numbers is not finite */
		slices.total += slices.list[i].value / 2;
	}
	return slices;
}

/* Return a part of the whole in percent. */
static char *
percent_of(double part)
{
	return part > 0 && part < 0.001 ? pstrdup("<0.1%") : psprintf("%.1f%%", part * 100);
}

/* Draw a slice between two parts of the whole circle. */
static void
draw_slice(Canvas *canvas, const Slice *slice, double from, double to, double y)
{
	double x = PICTURE_MARGIN + RADIUS;

	appendStringInfo(&canvas->out,
					 "<path class=\"f%d halo\" stroke-width=\"1.5\" stroke-linejoin=\"round\" d=\"",
					 slice->color);
	if (to - from > 0.9999)
		appendStringInfo(&canvas->out, "M%.1f %.1fa%.1f %.1f 0 1 1 .01 0z", x, y - RADIUS, RADIUS,
						 RADIUS);
	else
		appendStringInfo(&canvas->out, "M%.1f %.1fL%.2f %.2fA%.1f %.1f 0 %d 1 %.2f %.2fz", x, y,
						 x + RADIUS * sin(2 * M_PI * from), y - RADIUS * cos(2 * M_PI * from),
						 RADIUS, RADIUS, to - from > 0.5, x + RADIUS * sin(2 * M_PI * to),
						 y - RADIUS * cos(2 * M_PI * to));
	cat_chart_values_slice(canvas, slice->label, slice->value, percent_of(to - from));
}

/* Draw a line of the legend: colour, label, value, and part of the whole. */
static void
draw_entry(Canvas *canvas, const Slice *slice, double part, double y)
{
	cat_svg_square(canvas, "f", slice->color, LEGEND_LEFT, y - 10);
	cat_svg_label(canvas, "", LEGEND_LEFT + 20, y,
				  cat_label_fit(cat_label_shown(slice->label), LABEL_SIZE,
								PICTURE_RIGHT - VALUE_WIDEST - LEGEND_LEFT - 20));
	cat_svg_label(canvas, "end", PICTURE_RIGHT - 56, y, cat_scale_value(slice->value));
	cat_svg_label(canvas, "soft end", PICTURE_RIGHT, y, percent_of(part));
}

/* Say what is not drawn. */
static void
draw_note(Canvas *canvas, const Slices *slices)
{
	if (slices->negative == 0)
		return;
	canvas->y += 20;
	cat_svg_label(canvas, "soft", PICTURE_MARGIN, canvas->y,
				  slices->negative == 1 ? "One label with a negative value is not shown."
										: psprintf("%d labels with negative values are not shown.",
												   slices->negative));
}

/* Draw the headings of the legend. */
static void
draw_titles(Canvas *canvas, const ChartPicture *chart, double y)
{
	double half = (PICTURE_RIGHT - LEGEND_LEFT) / 2 - 20;

	if (chart->label_title)
		cat_svg_label(canvas, "soft", LEGEND_LEFT + 20, y,
					  cat_label_fit(chart->label_title, LABEL_SIZE, half));
	if (chart->value_title)
		cat_svg_label(canvas, "soft end", PICTURE_RIGHT, y,
					  cat_label_fit(chart->value_title, LABEL_SIZE, half));
}

void
cat_chart_pie_draw(Canvas *canvas, const ChartPicture *chart)
{
	Slices slices = make_slices(chart);
	double center = canvas->y + RADIUS + 4;
	double y = center - LEGEND_LINE * (slices.count - 1) / 2 + 4;
	double from = 0;

	if (slices.count == 0)
	{
		cat_svg_nothing(canvas, "No positive values");
		return;
	}
	draw_titles(canvas, chart, y - LEGEND_LINE);
	for (int i = 0; i < slices.count; i++)
	{
		double part = slices.list[i].value / 2 / slices.total;

		draw_slice(canvas, &slices.list[i], from, from + part, center);
		draw_entry(canvas, &slices.list[i], part, y + LEGEND_LINE * i);
		from += part;
	}
	canvas->y = center + RADIUS;
	draw_note(canvas, &slices);
	canvas->y += PICTURE_MARGIN;
}
