/*
 * chart_picture.c
 *	  Charts as SVG documents, and in words.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/pictures_internal.h"

#define REST "Other" /* name of the series that are added up */

double
cat_chart_reduce_value(const ChartPicture *chart, int series, int label)
{
	return chart->values[series * chart->nlabels + label];
}

/* The size of a series: the sum of its absolute values. */
typedef struct SeriesSize
{
	int number;
	double size;
} SeriesSize;

static int
by_size(const void *a, const void *b)
{
	const SeriesSize *left = a;
	const SeriesSize *right = b;

	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	return left->number - right->number;
}

/* Return which series are shown by themselves: the largest ones, but not what is a rest already. */
static bool *
choose_series(const ChartPicture *chart)
{
	SeriesSize *sizes = palloc0(sizeof(SeriesSize) * (size_t) chart->nseries);
	bool *chosen = palloc0(sizeof(bool) * (size_t) chart->nseries);

	for (int i = 0; i < chart->nseries; i++)
	{
		sizes[i].number = i;
		for (int j = 0; j < chart->nlabels; j++)
			if (!isnan(cat_chart_reduce_value(chart, i, j)))
				sizes[i].size += fabs(cat_chart_reduce_value(chart, i, j));
		if (i == chart->nseries - 1 && strcmp(chart->series[i], REST) == 0)
			sizes[i].size = -1;
	}
	qsort(sizes, (size_t) chart->nseries, sizeof(SeriesSize), by_size);
	for (int i = 0; i < SERIES_COLORS - 1; i++)
		chosen[sizes[i].number] = true;
	return chosen;
}

static void
add(double *sum, double value)
{
	if (!isnan(value))
		*sum = isnan(*sum) ? value : *sum + value;
}

/* The same chart with no more series than there are colours: those with the smallest values are
 * added up as the last one. */
static ChartPicture
chart_reduce_series(const ChartPicture *chart)
{
	ChartPicture reduced = *chart;
	size_t width = (size_t) chart->nlabels;
	double *rest;
	const bool *chosen;

	if (chart->nseries <= SERIES_COLORS || !chart->series)
		return reduced;
	chosen = choose_series(chart);
	reduced.series = palloc(sizeof(char *) * SERIES_COLORS);
	reduced.values = palloc(sizeof(double) * SERIES_COLORS * (width + 1));
	reduced.nseries = 0;
	rest = reduced.values + (SERIES_COLORS - 1) * width;
	for (size_t j = 0; j < width; j++)
		rest[j] = NAN;
	for (int i = 0; i < chart->nseries; i++)
	{
		const double *row = chart->values + (size_t) i * width;

		if (!chosen[i])
			for (size_t j = 0; j < width; j++)
				add(&rest[j], row[j]);
		else
		{
			memcpy(reduced.values + (size_t) reduced.nseries * width, row, sizeof(double) * width);
			reduced.series[reduced.nseries++] = chart->series[i];
		}
	}
	reduced.series[reduced.nseries++] = REST;
	return reduced;
}

bool
cat_chart_reduce_range(const ChartPicture *chart, double *low, double *high)
{
	bool found = false;

	for (int i = 0; i < chart->nseries * chart->nlabels; i++)
	{
		double value = chart->values[i];

		if (isnan(value))
			continue;
		*low = found ? Min(*low, value) : value;
		*high = found ? Max(*high, value) : value;
		found = true;
	}
	return found;
}

bool
cat_chart_reduce_whole(const ChartPicture *chart)
{
	for (int i = 0; i < chart->nseries * chart->nlabels; i++)
		if (!isnan(chart->values[i]) && chart->values[i] != floor(chart->values[i]))
			return false;
	return true;
}

int
cat_chart_reduce_color(const ChartPicture *chart, int series)
{
	bool is_rest = series > 0 && series == chart->nseries - 1 && chart->series &&
				   strcmp(chart->series[series], REST) == 0;

	return is_rest ? SERIES_COLORS - 1 : series % SERIES_COLORS;
}

#define VALUES_MOST 20 /* values up to which all of them are told */

/* A label within a sentence, whose direction of writing may be another one. */
#define ISOLATED "\xE2\x81\xA8%s\xE2\x81\xA9"

static const char *
kind_of(const ChartPicture *chart)
{
	static const struct
	{
		const char *type;
		const char *words;
	} kinds[] = {
		{"pie", "Pie chart"},
		{"line", "Line chart"},
		{"stackedbar", "Stacked bar chart"},
		{"heatmap", "Heat map"},
	};

	for (size_t i = 0; chart->type && i < lengthof(kinds); i++)
		if (strcmp(kinds[i].type, chart->type) == 0)
			return kinds[i].words;
	return "Bar chart";
}

/* Append what an axis shows. */
static void
append_title(StringInfo out, const char *axis, const char *title)
{
	if (title)
		appendStringInfo(out, " %s: " ISOLATED ".", axis, title);
}

/* Append all values. */
static void
append_values(StringInfo out, const ChartPicture *chart)
{
	for (int i = 0; i < chart->nlabels; i++)
		appendStringInfo(out, "%s" ISOLATED ": %s", i > 0 ? "; " : " ",
						 cat_label_shown(chart->labels[i]),
						 isnan(chart->values[i]) ? "no value" : cat_scale_value(chart->values[i]));
	appendStringInfoChar(out, '.');
}

/* Append the label, and the series, of the first value that is this one. */
static void
append_place(StringInfo out, const ChartPicture *chart, double value)
{
	int at = 0;

	while (chart->values[at] != value)
		at++;
	appendStringInfo(out, "%s (" ISOLATED, cat_scale_value(value),
					 cat_label_shown(chart->labels[at % chart->nlabels]));
	if (chart->series)
		appendStringInfo(out, ", " ISOLATED, cat_label_shown(chart->series[at / chart->nlabels]));
	appendStringInfoChar(out, ')');
}

/* What a chart shows, in words; palloc'd. */
static char *
chart_description_make(const ChartPicture *chart)
{
	StringInfo out = makeStringInfo();
	double low = 0;
	double high = 0;

	if (chart->description && *chart->description)
		appendStringInfo(out, "%s\n", chart->description);
	appendStringInfo(out, "%s with %d label%s", kind_of(chart), chart->nlabels,
					 chart->nlabels == 1 ? "" : "s");
	if (chart->series)
		appendStringInfo(out, " and %d series", chart->nseries);
	appendStringInfoChar(out, '.');
	append_title(out, "Labels", chart->label_title);
	append_title(out, "Series", chart->series_title);
	append_title(out, "Values", chart->value_title);
	if (!cat_chart_reduce_range(chart, &low, &high))
		appendStringInfoString(out, " No data.");
	else if (!chart->series && chart->nlabels <= VALUES_MOST)
		append_values(out, chart);
	else
	{
		appendStringInfoString(out, " Values from ");
		append_place(out, chart, low);
		appendStringInfoString(out, " to ");
		append_place(out, chart, high);
		appendStringInfoChar(out, '.');
	}
	return out->data;
}

#define GAP 1.0		 /* between a segment and the one before it */
#define GAP_FROM 3.0 /* least length of a segment with one */

Segment *
cat_chart_stack_make(const ChartPicture *chart, double *low, double *high)
{
	Segment *segments = palloc0(sizeof(Segment) * (size_t) (chart->nseries * chart->nlabels + 1));

	*low = *high = 0;
	for (int j = 0; j < chart->nlabels; j++)
	{
		double above = 0;
		double below = 0;

		for (int i = 0; i < chart->nseries; i++)
		{
			double value = cat_chart_reduce_value(chart, i, j);
			double *end = value < 0 ? &below : &above;
			Segment *segment = &segments[i * chart->nlabels + j];

			segment->from = *end;
			if (!isnan(value))
				*end += value;
			segment->to = *end;
		}
		*low = Min(*low, below);
		*high = Max(*high, above);
	}
	return segments;
}

bool
cat_chart_stack_place(const Scale *scale, Segment segment, double low, double high, Segment *place)
{
	double from = cat_scale_place(scale, segment.from, low, high);
	double to = cat_scale_place(scale, segment.to, low, high);

	if (segment.from != 0 && fabs(to - from) > GAP_FROM)
		from += to > from ? GAP : -GAP;
	*place = (Segment){Min(from, to), Max(from, to)};
	return segment.from != segment.to;
}

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

static void
chart_rows_draw(Canvas *canvas, const ChartPicture *chart)
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
	ChartPicture reduced = chart_reduce_series(chart);

	if (lies_in_rows(&reduced))
		chart_rows_draw(canvas, &reduced);
	else
		cat_chart_bars_draw(canvas, &reduced);
}

static void
draw_lines(Canvas *canvas, const ChartPicture *chart)
{
	ChartPicture reduced = chart_reduce_series(chart);

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
	cat_svg_end(out, &canvas, chart->name, chart_description_make(chart));
}
