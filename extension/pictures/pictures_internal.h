/*
 * pictures_internal.h
 *	  The canvas, labels, scales and parts of charts: used inside pictures/ only.
 *
 * Lengths and places are in units of the picture, which are pixels at its natural size.
 */
#ifndef CATALOGUE_PICTURES_PICTURES_INTERNAL_H
#define CATALOGUE_PICTURES_PICTURES_INTERNAL_H

#include "catalogue.h"

#include "pictures/pictures.h"

#define PICTURE_WIDTH 720.0
#define PICTURE_MARGIN 24.0
#define PICTURE_RIGHT (PICTURE_WIDTH - PICTURE_MARGIN)
#define LABEL_SIZE 12.0 /* of the font of labels */

#define SERIES_COLORS 8 /* the last one is that of what is not shown by itself */
#define SHADES 7		/* of a heat map */

/* A picture while it is drawn. */
typedef struct Canvas
{
	StringInfoData out; /* the elements so far */
	double y;			/* where the next part begins */
} Canvas;

/* The numbers along an axis. */
typedef struct Scale
{
	double low, high, step; /* the ends are multiples of the step */
	int decimals;			/* of the numbers at the ticks, in their unit */
	double unit;			/* what these numbers are multiples of */
	const char *unit_name;
} Scale;

/* Where a chart is drawn, and its scale of values. */
typedef struct Plot
{
	double left, right, top, bottom;
	Scale scale;
} Plot;

/* svg.c */

/* Begin a picture with its name as the headline; NULL for none. */
extern void cat_svg_begin(Canvas *canvas, const char *name);
/* Append a line of text.  classes: names of the style sheet, "" for none. */
extern void cat_svg_label(Canvas *canvas, const char *classes, double x, double y,
						  const char *text);
extern void cat_svg_line(Canvas *canvas, const char *classes, double x1, double y1, double x2,
						 double y2);
/* Append a square of a legend. */
extern void cat_svg_square(Canvas *canvas, const char *kind, int number, double x, double y);
/* Append a rectangle to the path that is open, which it is a part of. */
extern void cat_svg_box(Canvas *canvas, double x, double y, double width, double height);
/* Append a line of text in place of what cannot be drawn. */
extern void cat_svg_nothing(Canvas *canvas, const char *text);
/* Append a picture with its title and description to the document. */
extern void cat_svg_end(StringInfo out, const Canvas *canvas, const char *name,
						const char *description);
/* A scale that has the values, and ticks at multiples of 1, 2 or 5 of a power of ten.  whole: no
 * tick is a fraction. */
extern Scale cat_scale_make(double low, double high, int ticks, bool whole);
/* The number of steps, and the value and the text of a tick, which is palloc'd. */
extern int cat_scale_count(const Scale *scale);
extern double cat_scale_tick(const Scale *scale, int number);
extern char *cat_scale_text(const Scale *scale, int number);
/* Where a value is on the line from one place, of the low end, to another one. */
extern double cat_scale_place(const Scale *scale, double value, double from, double to);
/* A value as text, palloc'd. */
extern char *cat_scale_value(double value);
/* The width of a text, estimated since fonts differ. */
extern double cat_label_width(const char *text, double size);
/* A text that is no wider, cut and ended by an ellipsis if needed; palloc'd. */
extern char *cat_label_fit(const char *text, double size, double width);
/* A text for a label: a word in place of an empty one. */
extern const char *cat_label_shown(const char *text);
/* The greatest width of the texts that fit; at most most. */
extern double cat_label_widest(const char **texts, int count, double most);

/* chart_picture.c */

/* The value of a label of a series; NaN for none. */
extern double cat_chart_reduce_value(const ChartPicture *chart, int series, int label);
/* Set low and high to the least and greatest value; false if there is none. */
extern bool cat_chart_reduce_range(const ChartPicture *chart, double *low, double *high);
/* Whether all values are whole numbers. */
extern bool cat_chart_reduce_whole(const ChartPicture *chart);
/* The number of the colour of a series. */
extern int cat_chart_reduce_color(const ChartPicture *chart, int series);
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

/* chart_axes.c */

/* Draw the names of the series with their colours, unless there is only one. */
extern void cat_chart_axes_legend(Canvas *canvas, const ChartPicture *chart);
/* The scale of the values: with zero, if it is that of bars. */
extern Scale cat_chart_axes_scale(const ChartPicture *chart, double low, double high, bool bars);

/* Draw a chart with labels. */
extern void cat_chart_bars_draw(Canvas *canvas, const ChartPicture *chart);
extern void cat_chart_line_draw(Canvas *canvas, const ChartPicture *chart);
extern void cat_chart_pie_draw(Canvas *canvas, const ChartPicture *chart);
extern void cat_chart_heatmap_draw(Canvas *canvas, const ChartPicture *chart);

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

#endif /* CATALOGUE_PICTURES_PICTURES_INTERNAL_H */
