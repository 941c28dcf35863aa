/*
 * chart_line.c
 *	  Charts with a line through the values of each series.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/chart_internal.h"

#define HEIGHT 300.0
#define DOTS_MOST 40 /* labels up to which each value has a dot */

/* Where a value is. */
typedef struct Spot
{
	double x, y;
} Spot;

static Spot
spot_of(const ChartPicture *chart, const Plot *plot, int series, int label)
{
	double slot = (plot->right - plot->left) / chart->nlabels;

	return (Spot){plot->left + slot * (label + 0.5),
				  cat_scale_place(&plot->scale, cat_chart_reduce_value(chart, series, label),
								  plot->bottom, plot->top)};
}

/* Return whether a label has a value. */
static bool
has_value(const ChartPicture *chart, int series, int label)
{
	return label >= 0 && label < chart->nlabels &&
		   !isnan(cat_chart_reduce_value(chart, series, label));
}

/* Draw the line of a series, which is interrupted where there is no value. */
static void
draw_line(Canvas *canvas, const ChartPicture *chart, const Plot *plot, int series)
{
	appendStringInfo(&canvas->out, "<path class=\"line l%d\" d=\"",
					 cat_chart_reduce_color(chart, series));
	for (int i = 0; i < chart->nlabels; i++)
	{
		Spot spot;

		if (!has_value(chart, series, i))
			continue;
		spot = spot_of(chart, plot, series, i);
		appendStringInfo(&canvas->out, "%c%.1f %.1f", has_value(chart, series, i - 1) ? 'L' : 'M',
						 spot.x, spot.y);
	}
	appendStringInfoString(&canvas->out, "\"/>\n");
}

/* Draw dots: one for each value, or only for those that no line leads to. */
static void
draw_dots(Canvas *canvas, const ChartPicture *chart, const Plot *plot, int series)
{
	for (int i = 0; i < chart->nlabels; i++)
	{
		Spot spot;

		if (!has_value(chart, series, i) ||
			(chart->nlabels > DOTS_MOST &&
			 (has_value(chart, series, i - 1) || has_value(chart, series, i + 1))))
			continue;
		spot = spot_of(chart, plot, series, i);
		appendStringInfo(&canvas->out,
						 "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n",
						 cat_chart_reduce_color(chart, series), spot.x, spot.y);
	}
}

void
cat_chart_line_draw(Canvas *canvas, const ChartPicture *chart)
{
	Plot plot;
	double low = 0;
	double high = 0;

	(void) cat_chart_reduce_range(chart, &low, &high);
	plot.scale = cat_chart_axes_scale(chart, low, high, low == high);
	cat_chart_axes_legend(canvas, chart);
	cat_chart_axes_place(canvas, chart, &plot, HEIGHT);
	cat_chart_axes_values(canvas, &plot);
	if (plot.scale.low <= 0 && plot.scale.high >= 0)
	{
		double zero = cat_scale_place(&plot.scale, 0, plot.bottom, plot.top);

		cat_svg_line(canvas, "base", plot.left, zero, plot.right, zero);
	}
	for (int i = 0; i < chart->nseries; i++)
	{
		draw_line(canvas, chart, &plot, i);
		draw_dots(canvas, chart, &plot, i);
	}
	cat_chart_values_columns(canvas, chart, &plot);
	cat_chart_axes_labels(canvas, chart, &plot);
}
