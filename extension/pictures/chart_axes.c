/*
 * chart_axes.c
 *	  Axes and legends of charts.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/chart_internal.h"

#define TICKS 5
#define LEGEND_LABEL 200.0 /* greatest width of a name in the legend */
#define LEGEND_LINE 20.0
#define LABEL_WIDEST 96.0 /* of labels where there is not room for all of them */
#define EDGE 4.0		  /* least distance of a label from the edge of the picture */
#define LABEL_GAP 10.0

void
cat_chart_axes_legend(Canvas *canvas, const ChartPicture *chart)
{
	double x = PICTURE_MARGIN;

	if (!chart->series || chart->nseries < 2)
		return;
	for (int i = 0; i < chart->nseries; i++)
	{
		char *text = cat_label_fit(cat_label_shown(chart->series[i]), LABEL_SIZE, LEGEND_LABEL);
		double width = 18 + cat_label_width(text, LABEL_SIZE);

		if (x > PICTURE_MARGIN && x + width > PICTURE_RIGHT)
		{
			x = PICTURE_MARGIN;
			canvas->y += LEGEND_LINE;
		}
		cat_svg_square(canvas, "f", cat_chart_reduce_color(chart, i), x, canvas->y);
		cat_svg_label(canvas, "", x + 18, canvas->y + 10, text);
		x += width + 20;
	}
	canvas->y += LEGEND_LINE + 8;
}

Scale
cat_chart_axes_scale(const ChartPicture *chart, double low, double high, bool bars)
{
	/* lines begin at zero, too, unless all values are far from it */
	if (bars || (low > 0 && low <= high / 2))
		low = Min(low, 0);
	if (bars || (high < 0 && high >= low / 2))
		high = Max(high, 0);
	return cat_scale_make(low, high, TICKS, cat_chart_reduce_whole(chart));
}

void
cat_chart_axes_place(Canvas *canvas, const ChartPicture *chart, Plot *plot, double height)
{
	double widest = 0;

	for (int i = 0; i <= cat_scale_count(&plot->scale); i++)
		widest = Max(widest, cat_label_width(cat_scale_text(&plot->scale, i), LABEL_SIZE));
	if (chart->value_title)
	{
		cat_svg_label(
			canvas, "soft", PICTURE_MARGIN, canvas->y + 10,
			cat_label_fit(chart->value_title, LABEL_SIZE, PICTURE_RIGHT - PICTURE_MARGIN));
		canvas->y += 18;
	}
	plot->left = PICTURE_MARGIN + widest + 10;
	plot->right = PICTURE_RIGHT;
	plot->top = canvas->y + 8;
	plot->bottom = plot->top + height;
	canvas->y = plot->bottom;
}

void
cat_chart_axes_values(Canvas *canvas, const Plot *plot)
{
	const Scale *scale = &plot->scale;

	for (int i = 0; i <= cat_scale_count(scale); i++)
	{
		double y = cat_scale_place(scale, cat_scale_tick(scale, i), plot->bottom, plot->top);

		cat_svg_line(canvas, "grid", plot->left, y, plot->right, y);
		cat_svg_label(canvas, "soft end", plot->left - 8, y + 4, cat_scale_text(scale, i));
	}
}

/* Draw what the labels are, beneath them. */
static void
draw_title(Canvas *canvas, const char *title, const Plot *plot)
{
	if (!title)
		return;
	canvas->y += 18;
	cat_svg_label(canvas, "soft mid", (plot->left + plot->right) / 2, canvas->y,
				  cat_label_fit(title, LABEL_SIZE, plot->right - plot->left));
}

void
cat_chart_axes_labels(Canvas *canvas, const ChartPicture *chart, const Plot *plot)
{
	double slot = (plot->right - plot->left) / chart->nlabels;
	double widest = cat_label_widest(chart->labels, chart->nlabels, PICTURE_WIDTH);
	int every = 1;

	if (widest > slot - LABEL_GAP)
	{
		widest = Min(widest, LABEL_WIDEST);
		every = (int) ceil((widest + LABEL_GAP) / slot);
	}
	canvas->y = plot->bottom + 19;
	for (int i = 0; i < chart->nlabels; i += every)
	{
		char *text = cat_label_fit(cat_label_shown(chart->labels[i]), LABEL_SIZE, widest);
		double half = cat_label_width(text, LABEL_SIZE) / 2;
		double x =
			Max(EDGE + half, Min(PICTURE_WIDTH - EDGE - half, plot->left + slot * (i + 0.5)));

		cat_svg_label(canvas, "mid", x, canvas->y, text);
	}
	draw_title(canvas, chart->label_title, plot);
	canvas->y += PICTURE_MARGIN - 4;
}
