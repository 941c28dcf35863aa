/*
 * chart_heatmap.c
 *	  Charts with a cell for each label of each series, whose shade is its value.
 *
 * Shades go from light to dark, or, if there are negative values, from one colour to another one with
 * zero between them; in the dark colour scheme from dark to light.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/chart_internal.h"

#define NAME_WIDEST 160.0
#define SHADE_WIDTH 14.0 /* in the legend */
#define NUMBERS_MOST 600 /* cells that have their values written in them */
#define NUMBERS_ROW 18.0 /* least height of a row for that */
#define WIDTH_PARTED 5.0 /* of cells from which on there are gaps between them */

/* What the shades mean. */
typedef struct Shading
{
	const char *kind; /* class of the shades */
	double low, high;
} Shading;

static Shading
shading_of(double low, double high)
{
	double most = Max(fabs(low), fabs(high));

	return low < 0 ? (Shading){"d", -most, most} : (Shading){"q", low, high};
}

/* Return the number of the shade of a value; -1 for none. */
static int
shade_of(const Shading *shading, double value)
{
	double part;

	if (isnan(value))
		return -1;
	if (shading->low == shading->high)
		return SHADES / 2;
	part = (value / 2 - shading->low / 2) / (shading->high / 2 - shading->low / 2);
	return (int) Max(0, Min(SHADES - 1, floor(part * SHADES)));
}

static double
row_height(int rows)
{
	return rows <= 12 ? 32 : rows <= 30 ? 22 : rows <= 100 ? 14 : 5;
}

/* Draw all cells of a shade; narrow ones side by side are one. */
static void
draw_shade(Canvas *canvas, const ChartPicture *chart, const Plot *plot, const Shading *shading,
		   int shade)
{
	double width = (plot->right - plot->left) / chart->nlabels;
	double height = row_height(chart->nseries);
	bool parted = width >= WIDTH_PARTED;

	appendStringInfo(&canvas->out, "<path class=\"%s%d\" d=\"", shading->kind, shade);
	for (int i = 0; i < chart->nseries; i++)
		for (int from = 0, to; from < chart->nlabels; from = to)
		{
			to = from + 1;
			if (shade_of(shading, cat_chart_reduce_value(chart, i, from)) != shade)
				continue;
			while (!parted && to < chart->nlabels &&
				   shade_of(shading, cat_chart_reduce_value(chart, i, to)) == shade)
				to++;
			cat_svg_box(canvas, plot->left + width * from, plot->top + height * i,
						width * (to - from) - parted, height - (height > 6));
		}
	appendStringInfoString(&canvas->out, "\"/>\n");
}

/* Return whether the values can be written into the cells. */
static bool
has_room(const ChartPicture *chart, const Plot *plot)
{
	double width = (plot->right - plot->left) / chart->nlabels;

	if (chart->nlabels * chart->nseries > NUMBERS_MOST || row_height(chart->nseries) < NUMBERS_ROW)
		return false;
	for (int i = 0; i < chart->nlabels * chart->nseries; i++)
		if (!isnan(chart->values[i]) &&
			cat_label_width(cat_scale_value(chart->values[i]), LABEL_SIZE) > width - 3)
			return false;
	return true;
}

static void
draw_numbers(Canvas *canvas, const ChartPicture *chart, const Plot *plot, const Shading *shading)
{
	double width = (plot->right - plot->left) / chart->nlabels;
	double height = row_height(chart->nseries);

	for (int i = 0; i < chart->nseries; i++)
		for (int j = 0; j < chart->nlabels; j++)
		{
			double value = cat_chart_reduce_value(chart, i, j);

			if (!isnan(value))
				cat_svg_label(canvas,
							  psprintf("mid v%s%d", shading->kind, shade_of(shading, value)),
							  plot->left + width * (j + 0.5), plot->top + height * (i + 0.5) + 3.5,
							  cat_scale_value(value));
		}
}

/* Draw the shades with the least and the greatest value, behind what the values are. */
static void
draw_legend(Canvas *canvas, const ChartPicture *chart, const Shading *shading)
{
	double x = PICTURE_MARGIN;
	char *low = cat_scale_value(shading->low);

	if (chart->value_title)
	{
		char *title = cat_label_fit(chart->value_title, LABEL_SIZE, 300);

		cat_svg_label(canvas, "soft", x, canvas->y + 10, title);
		x += cat_label_width(title, LABEL_SIZE) + 16;
	}
	cat_svg_label(canvas, "", x, canvas->y + 10, low);
	x += cat_label_width(low, LABEL_SIZE) + 6;
	for (int i = 0; i < SHADES; i++)
		cat_svg_square(canvas, shading->kind, i, x + SHADE_WIDTH * i, canvas->y);
	cat_svg_label(canvas, "", x + SHADE_WIDTH * SHADES + 4, canvas->y + 10,
				  cat_scale_value(shading->high));
	canvas->y += 26;
}

/* Draw the names of the rows, as many as there is room for, and what they are. */
static void
draw_names(Canvas *canvas, const ChartPicture *chart, const Plot *plot, double widest)
{
	double height = row_height(chart->nseries);
	int every = height < 12 ? (int) ceil(14 / height) : 1;

	for (int i = 0; chart->series && i < chart->nseries; i += every)
		cat_svg_label(canvas, "end", plot->left - 8, plot->top + height * (i + 0.5) + 4,
					  cat_label_fit(cat_label_shown(chart->series[i]), LABEL_SIZE, widest));
}

void
cat_chart_heatmap_draw(Canvas *canvas, const ChartPicture *chart)
{
	Plot plot = {0};
	Shading shading;
	double low = 0;
	double high = 0;
	double widest =
		chart->series ? cat_label_widest(chart->series, chart->nseries, NAME_WIDEST) : 0;

	(void) cat_chart_reduce_range(chart, &low, &high);
	shading = shading_of(low, high);
	draw_legend(canvas, chart, &shading);
	if (chart->series_title)
	{
		cat_svg_label(canvas, "soft", PICTURE_MARGIN, canvas->y + 10,
					  cat_label_fit(chart->series_title, LABEL_SIZE, 300));
		canvas->y += 18;
	}
	plot.left = PICTURE_MARGIN + (widest > 0 ? widest + 8 : 0);
	plot.right = PICTURE_RIGHT;
	plot.top = canvas->y;
	plot.bottom = plot.top + row_height(chart->nseries) * chart->nseries;
	for (int i = 0; i < SHADES; i++)
		draw_shade(canvas, chart, &plot, &shading, i);
	if (has_room(chart, &plot))
		draw_numbers(canvas, chart, &plot, &shading);
	draw_names(canvas, chart, &plot, widest);
	cat_chart_values_cells(canvas, chart, &plot);
	cat_chart_axes_labels(canvas, chart, &plot);
}
