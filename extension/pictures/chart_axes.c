/*
 * chart_axes.c
 *	  Kinds of charts, their axes and legends.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/pictures_internal.h"

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

/* Draw what the values are, and place the plot beneath it, with room for the numbers at the left. */
static void
chart_axes_place(Canvas *canvas, const ChartPicture *chart, Plot *plot, double height)
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

/* Draw lines across the plot with the numbers of the scale, from below. */
static void
chart_axes_values(Canvas *canvas, const Plot *plot)
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

/* Draw labels beneath the plot, as many as there is room for, and what they are. */
static void
chart_axes_labels(Canvas *canvas, const ChartPicture *chart, const Plot *plot)
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
	chart_axes_place(canvas, chart, &plot, HEIGHT);
	chart_axes_values(canvas, &plot);
	for (int i = 0; i < chart->nseries; i++)
		draw_series(canvas, chart, &plot, segments, i);
	zero = cat_scale_place(&plot.scale, 0, plot.bottom, plot.top);
	cat_svg_line(canvas, "base", plot.left, zero, plot.right, zero);
	if (numbered)
		draw_values(canvas, chart, &plot);
	cat_chart_values_columns(canvas, chart, &plot);
	chart_axes_labels(canvas, chart, &plot);
}

#define LINE_HEIGHT 300.0
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
	chart_axes_place(canvas, chart, &plot, LINE_HEIGHT);
	chart_axes_values(canvas, &plot);
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
	chart_axes_labels(canvas, chart, &plot);
}

/*
 * Shades go from light to dark, or, if there are negative values, from one colour to another one with
 * zero between them; in the dark colour scheme from dark to light.
 */

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
cells_have_room(const ChartPicture *chart, const Plot *plot)
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
	if (cells_have_room(chart, &plot))
		draw_numbers(canvas, chart, &plot, &shading);
	draw_names(canvas, chart, &plot, widest);
	cat_chart_values_cells(canvas, chart, &plot);
	chart_axes_labels(canvas, chart, &plot);
}

/*
 * Slices are in the order of their sizes, from the top clockwise.  Those that are too many to be told
 * apart are one slice.  A negative value is no part of a whole; a note says how many there are.
 */

#define RADIUS 130.0
#define LEGEND_LEFT (PICTURE_MARGIN + 2 * RADIUS + 40)
#define PIE_LEGEND_LINE 26.0
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
	double y = center - PIE_LEGEND_LINE * (slices.count - 1) / 2 + 4;
	double from = 0;

	if (slices.count == 0)
	{
		cat_svg_nothing(canvas, "No positive values");
		return;
	}
	draw_titles(canvas, chart, y - PIE_LEGEND_LINE);
	for (int i = 0; i < slices.count; i++)
	{
		double part = slices.list[i].value / 2 / slices.total;

		draw_slice(canvas, &slices.list[i], from, from + part, center);
		draw_entry(canvas, &slices.list[i], part, y + PIE_LEGEND_LINE * i);
		from += part;
	}
	canvas->y = center + RADIUS;
	draw_note(canvas, &slices);
	canvas->y += PICTURE_MARGIN;
}
