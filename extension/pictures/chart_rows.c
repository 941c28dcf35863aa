/*
 * chart_rows.c
 *	  Charts with a bar in a row beside each label, which may be long.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/chart_internal.h"

#define ROW 26.0
#define BAR 18.0
#define LABEL_WIDEST 230.0

/* Draw the lines of the scale from top to bottom, with their numbers beneath them. */
static void
draw_scale(Canvas *canvas, const Plot *plot)
{
	const Scale *scale = &plot->scale;

	for (int i = 0; i <= cat_scale_count(scale); i++)
	{
		double x = cat_scale_place(scale, cat_scale_tick(scale, i), plot->left, plot->right);

		cat_svg_line(canvas, "grid", x, plot->top, x, plot->bottom);
		cat_svg_label(canvas, "soft mid", x, plot->bottom + 16, cat_scale_text(scale, i));
	}
}

/* Draw the bars of a series. */
static void
draw_series(Canvas *canvas, const ChartPicture *chart, const Plot *plot, const Segment *segments,
			int series)
{
	appendStringInfo(&canvas->out, "<path class=\"f%d\" d=\"",
					 cat_chart_reduce_color(chart, series));
	for (int i = 0; i < chart->nlabels; i++)
	{
		Segment bar;

		if (cat_chart_stack_place(&plot->scale, segments[series * chart->nlabels + i], plot->left,
								  plot->right, &bar))
			cat_svg_box(canvas, bar.from, plot->top + ROW * i + (ROW - BAR) / 2, bar.to - bar.from,
						BAR);
	}
	appendStringInfoString(&canvas->out, "\"/>\n");
}

/* Write the values at the ends of the bars; room is left for them at the right. */
static void
draw_values(Canvas *canvas, const ChartPicture *chart, const Plot *plot)
{
	for (int i = 0; i < chart->nlabels; i++)
	{
		double value = chart->values[i];
		double x = isnan(value)
					   ? 0
					   : cat_scale_place(&plot->scale, Max(value, 0), plot->left, plot->right);

		if (!isnan(value))
			cat_svg_label(canvas, "", x + 5, plot->top + ROW * (i + 0.5) + 4,
						  cat_scale_value(value));
	}
}

/* Return the width of the widest value. */
static double
widest_value(const ChartPicture *chart)
{
	double widest = 0;

	for (int i = 0; i < chart->nlabels; i++)
		if (!isnan(chart->values[i]))
			widest = Max(widest, cat_label_width(cat_scale_value(chart->values[i]), LABEL_SIZE));
	return widest;
}

/* Place the plot between the labels and the values. */
static void
place_plot(Canvas *canvas, const ChartPicture *chart, Plot *plot)
{
	double widest = cat_label_widest(chart->labels, chart->nlabels, LABEL_WIDEST);

	plot->left = PICTURE_MARGIN + widest + 10;
	plot->right = PICTURE_RIGHT - (chart->nseries == 1 ? widest_value(chart) + 5 : 10);
	if (chart->label_title)
		cat_svg_label(
			canvas, "soft", PICTURE_MARGIN, canvas->y + 10,
			cat_label_fit(chart->label_title, LABEL_SIZE, PICTURE_RIGHT - PICTURE_MARGIN));
	plot->top = canvas->y + (chart->label_title ? 22 : 4);
	plot->bottom = plot->top + ROW * chart->nlabels;
	for (int i = 0; i < chart->nlabels; i++)
		cat_svg_label(canvas, "end", plot->left - 8, plot->top + ROW * (i + 0.5) + 4,
					  cat_label_fit(cat_label_shown(chart->labels[i]), LABEL_SIZE, widest));
	canvas->y = plot->bottom + 16;
}

void
cat_chart_rows_draw(Canvas *canvas, const ChartPicture *chart)
{
	Plot plot;
	double low;
	double high;
	double zero;
	const Segment *segments = cat_chart_stack_make(chart, &low, &high);

	cat_chart_axes_legend(canvas, chart);
	plot.scale = cat_chart_axes_scale(chart, low, high, true);
	place_plot(canvas, chart, &plot);
	draw_scale(canvas, &plot);
	for (int i = 0; i < chart->nseries; i++)
		draw_series(canvas, chart, &plot, segments, i);
	zero = cat_scale_place(&plot.scale, 0, plot.left, plot.right);
	cat_svg_line(canvas, "base", zero, plot.top, zero, plot.bottom);
	if (chart->nseries == 1)
		draw_values(canvas, chart, &plot);
	cat_chart_values_rows(canvas, chart, &plot);
	if (chart->value_title)
	{
		canvas->y += 18;
		cat_svg_label(canvas, "soft mid", (plot.left + plot.right) / 2, canvas->y,
					  cat_label_fit(chart->value_title, LABEL_SIZE, plot.right - plot.left));
	}
	canvas->y += PICTURE_MARGIN - 4;
}
