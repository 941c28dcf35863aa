/*
 * chart_picture.c
 *	  Charts as SVG documents.
 */
#include "catalogue.h"

#include "pictures/chart_internal.h"

#define ROWS_MOST 40 /* labels up to which bars lie beside labels that are long */

/* Return whether labels that are long have a row each, since they do not fit beneath the bars. */
static bool
lies_in_rows(const ChartPicture *chart)
{
	double slot = (PICTURE_RIGHT - PICTURE_MARGIN - 50) / chart->nlabels;

	return chart->nlabels <= ROWS_MOST &&
		   cat_label_widest(chart->labels, chart->nlabels, PICTURE_WIDTH) > slot - 8;
}

static void
draw_bars(Canvas *canvas, const ChartPicture *chart)
{
	ChartPicture reduced = cat_chart_reduce_series(chart);

	if (lies_in_rows(&reduced))
		cat_chart_rows_draw(canvas, &reduced);
	else
		cat_chart_bars_draw(canvas, &reduced);
}

static void
draw_lines(Canvas *canvas, const ChartPicture *chart)
{
	ChartPicture reduced = cat_chart_reduce_series(chart);

	cat_chart_line_draw(canvas, &reduced);
}

typedef void (*DrawChart)(Canvas *canvas, const ChartPicture *chart);

/* Return what draws a type of chart. */
static DrawChart
drawing_of(const char *type)
{
	static const struct
	{
		const char *type;
		DrawChart draw;
	} drawings[] = {
		{"pie", cat_chart_pie_draw},
		{"line", draw_lines},
		{"heatmap", cat_chart_heatmap_draw},
	};

	for (size_t i = 0; type && i < lengthof(drawings); i++)
		if (strcmp(drawings[i].type, type) == 0)
			return drawings[i].draw;
	return draw_bars;
}

void
cat_chart_picture_draw(StringInfo out, const ChartPicture *chart)
{
	Canvas canvas;
	double low;
	double high;

	cat_svg_begin(&canvas, chart->name);
	if (cat_chart_reduce_range(chart, &low, &high))
		drawing_of(chart->type)(&canvas, chart);
	else
		cat_svg_nothing(&canvas, "No data");
	cat_svg_end(out, &canvas, chart->name, cat_chart_description_make(chart));
}
