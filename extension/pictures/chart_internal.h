/*
 * chart_internal.h
 *	  The parts of charts: used by the files of charts only.
 */
#ifndef CATALOGUE_PICTURES_CHART_INTERNAL_H
#define CATALOGUE_PICTURES_CHART_INTERNAL_H

#include "catalogue.h"

#include "pictures/pictures_internal.h"

/* Where a chart is drawn, and its scale of values. */
typedef struct Plot
{
	double left, right, top, bottom;
	Scale scale;
} Plot;

/* chart_reduce.c */

/* The value of a label of a series; NaN for none. */
extern double cat_chart_reduce_value(const ChartPicture *chart, int series, int label);
/* The same chart with no more series than there are colours: those with the smallest values are
 * added up as the last one. */
extern ChartPicture cat_chart_reduce_series(const ChartPicture *chart);
/* Set low and high to the least and greatest value; false if there is none. */
extern bool cat_chart_reduce_range(const ChartPicture *chart, double *low, double *high);
/* Whether all values are whole numbers. */
extern bool cat_chart_reduce_whole(const ChartPicture *chart);
/* The number of the colour of a series. */
extern int cat_chart_reduce_color(const ChartPicture *chart, int series);

/* chart_description.c */

/* What a chart shows, in words; palloc'd. */
extern char *cat_chart_description_make(const ChartPicture *chart);

/* chart_axes.c */

/* Draw the names of the series with their colours, unless there is only one. */
extern void cat_chart_axes_legend(Canvas *canvas, const ChartPicture *chart);
/* The scale of the values: with zero, if it is that of bars. */
extern Scale cat_chart_axes_scale(const ChartPicture *chart, double low, double high, bool bars);
/* Draw what the values are, and place the plot beneath it, with room for the numbers at the left. */
extern void cat_chart_axes_place(Canvas *canvas, const ChartPicture *chart, Plot *plot,
								 double height);
/* Draw lines across the plot with the numbers of the scale, from below. */
extern void cat_chart_axes_values(Canvas *canvas, const Plot *plot);
/* Draw labels beneath the plot, as many as there is room for, and what they are. */
extern void cat_chart_axes_labels(Canvas *canvas, const ChartPicture *chart, const Plot *plot);

/* chart_values.c: what is told of a place in a chart, up to a number of places */

/* Append places beneath each other, one for each label, that tell its values. */
extern void cat_chart_values_rows(Canvas *canvas, const ChartPicture *chart, const Plot *plot);
/* The same, side by side. */
extern void cat_chart_values_columns(Canvas *canvas, const ChartPicture *chart, const Plot *plot);
/* The same for each label of each series. */
extern void cat_chart_values_cells(Canvas *canvas, const ChartPicture *chart, const Plot *plot);
/* End the path that is open, of a slice, with what it tells. */
extern void cat_chart_values_slice(Canvas *canvas, const char *label, double value,
								   const char *percent);

/* chart_bars.c, chart_rows.c, chart_line.c, chart_pie.c, chart_heatmap.c: draw a chart with labels */
extern void cat_chart_bars_draw(Canvas *canvas, const ChartPicture *chart);
extern void cat_chart_rows_draw(Canvas *canvas, const ChartPicture *chart);
extern void cat_chart_line_draw(Canvas *canvas, const ChartPicture *chart);
extern void cat_chart_pie_draw(Canvas *canvas, const ChartPicture *chart);
extern void cat_chart_heatmap_draw(Canvas *canvas, const ChartPicture *chart);

/* chart_stack.c: bars that are drawn one on the other */

/* The ends of a bar in values. */
typedef struct Segment
{
	double from, to;
} Segment;

/* The segments of all series, by series, then label, as values has them.  Bars of positive and of
 * negative values are stacked away from zero. */
extern Segment *cat_chart_stack_make(const ChartPicture *chart, double *low, double *high);
/* Set place to the lesser and the greater end of a segment on the line from low, the place of the
 * low end of the scale, to high; false if nothing is to be drawn. */
extern bool cat_chart_stack_place(const Scale *scale, Segment segment, double low, double high,
								  Segment *place);

#endif /* CATALOGUE_PICTURES_CHART_INTERNAL_H */
