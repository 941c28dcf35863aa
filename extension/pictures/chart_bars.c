/*
 * chart_bars.c
 *	  Charts with a bar that stands above each label.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/chart_internal.h"

#define HEIGHT 300.0
#define BAR_WIDEST 72.0
#define VALUES_MOST 24	 /* bars that have their values written at them */
#define SCALE_WIDTH 60.0 /* of the numbers at the left, about */

/* Draw the bars of a series. */
static void
draw_series(Canvas *canvas, const ChartPicture *chart, const Plot *plot, const Segment *segments,
			int series)
{
	double slot = (plot->right - plot->left) / chart->nlabels;
	double width = slot < 3 ? slot : Min(slot * 0.72, BAR_WIDEST);

	appendStringInfo(&canvas->out, "<path class=\"f%d\" d=\"",
					 cat_chart_reduce_color(chart, series));
	for (int i = 0; i < chart->nlabels; i++)
	{
		Segment bar;

		if (cat_chart_stack_place(&plot->scale, segments[series * chart->nlabels + i], plot->bottom,
								  plot->top, &bar))
			cat_svg_box(canvas, plot->left + slot * (i + 0.5) - width / 2, bar.from, width,
						bar.to - bar.from);
	}
	appendStringInfoString(&canvas->out, "\"/>\n");
}

/* Return whether the values can be written at the bars. */
static bool
has_room(const ChartPicture *chart)
{
	double slot = (PICTURE_RIGHT - PICTURE_MARGIN - SCALE_WIDTH) / chart->nlabels;

	if (chart->nseries > 1 || chart->nlabels > VALUES_MOST)
		return false;
	for (int i = 0; i < chart->nlabels; i++)
		if (!isnan(chart->values[i]) &&
			cat_label_width(cat_scale_value(chart->values[i]), LABEL_SIZE) > slot)
			return false;
	return true;
}

/* Extend the scale where there is not room for the value at a bar. */
static void
extend_scale(Scale *scale, double low, double high)
{
	double room = (scale->high - scale->low) * 0.08;

	if (low < 0 && low - scale->low < room)
		scale->low -= scale->step;
	if (high > 0 && scale->high - high < room)
		scale->high += scale->step;
}

/* Write the values at the bars. */
static void
draw_values(Canvas *canvas, const ChartPicture *chart, const Plot *plot)
{
	double slot = (plot->right - plot->left) / chart->nlabels;

	for (int i = 0; i < chart->nlabels; i++)
	{
		double value = chart->values[i];

		if (!isnan(value))
			cat_svg_label(canvas, "mid", plot->left + slot * (i + 0.5),
						  cat_scale_place(&plot->scale, value, plot->bottom, plot->top) +
							  (value < 0 ? 14 : -5),
						  cat_scale_value(value));
	}
}

void
cat_chart_bars_draw(Canvas *canvas, const ChartPicture *chart)
{
	Plot plot;
	double low;
	double high;
	double zero;
	bool numbered = has_room(chart);
	const Segment *segments = cat_chart_stack_make(chart, &low, &high);

	plot.scale = cat_chart_axes_scale(chart, low, high, true);
	if (numbered)
		extend_scale(&plot.scale, low, high);
	cat_chart_axes_legend(canvas, chart);
	cat_chart_axes_place(canvas, chart, &plot, HEIGHT);
	cat_chart_axes_values(canvas, &plot);
	for (int i = 0; i < chart->nseries; i++)
		draw_series(canvas, chart, &plot, segments, i);
	zero = cat_scale_place(&plot.scale, 0, plot.bottom, plot.top);
	cat_svg_line(canvas, "base", plot.left, zero, plot.right, zero);
	if (numbered)
		draw_values(canvas, chart, &plot);
	cat_chart_values_columns(canvas, chart, &plot);
	cat_chart_axes_labels(canvas, chart, &plot);
}
