/*
 * chart_values.c
 *	  What a chart tells of the place that is pointed at: a label with its values.
 *
 * A browser shows the title of a shape where the picture is a document or a part of one; the page of
 * the service makes its own of these shapes.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/pictures_internal.h"

#define PLACES_MOST 600 /* of a picture; more are too small to be pointed at */
#define TEXT_WIDEST 480.0

/* Isolated, since its direction of writing may be another one than that of the value. */
#define LABELLED "\xE2\x81\xA8%s\xE2\x81\xA9: %s"

static char *
brief(const char *text)
{
	return cat_label_fit(cat_label_shown(text), LABEL_SIZE, TEXT_WIDEST);
}

/* Return the value of a label with its name; NULL if there is none. */
static char *
line_of(const ChartPicture *chart, int label, int series, const char *name)
{
	double value = cat_chart_reduce_value(chart, series, label);

	return isnan(value) ? NULL : psprintf(LABELLED, brief(name), cat_scale_value(value));
}

/* Return a label, and a line for each series that has a value; NULL if none has one. */
static char *
lines_of(const ChartPicture *chart, int label)
{
	StringInfoData text;
	bool found = false;

	if (!chart->series)
		return line_of(chart, label, 0, chart->labels[label]);
	initStringInfo(&text);
	appendStringInfoString(&text, brief(chart->labels[label]));
	for (int i = 0; i < chart->nseries; i++)
	{
		char *line = line_of(chart, label, i, chart->series[i]);

		found |= line != NULL;
		if (line)
			appendStringInfo(&text, "\n%s", line);
	}
	return found ? text.data : NULL;
}

/* End the path that is open with the text that it tells. */
static void
end_place(Canvas *canvas, const char *text)
{
	appendStringInfoString(&canvas->out, "\"><title>");
	cat_svg_text(&canvas->out, text);
	appendStringInfoString(&canvas->out, "</title></path>\n");
}

/* Append a rectangle that is not seen, unless there is nothing to tell. */
static void
add_place(Canvas *canvas, double x, double y, double width, double height, const char *text)
{
	if (!text)
		return;
	appendStringInfoString(&canvas->out, "<path class=\"v\" d=\"");
	cat_svg_box(canvas, x, y, width, height);
	end_place(canvas, text);
}

void
cat_chart_values_columns(Canvas *canvas, const ChartPicture *chart, const Plot *plot)
{
	double slot = (plot->right - plot->left) / chart->nlabels;

	for (int i = 0; i < chart->nlabels && chart->nlabels <= PLACES_MOST; i++)
		add_place(canvas, plot->left + slot * i, plot->top, slot, plot->bottom - plot->top,
				  lines_of(chart, i));
}

void
cat_chart_values_rows(Canvas *canvas, const ChartPicture *chart, const Plot *plot)
{
	double row = (plot->bottom - plot->top) / chart->nlabels;

	for (int i = 0; i < chart->nlabels && chart->nlabels <= PLACES_MOST; i++)
		add_place(canvas, PICTURE_MARGIN, plot->top + row * i, PICTURE_RIGHT - PICTURE_MARGIN, row,
				  lines_of(chart, i));
}

void
cat_chart_values_cells(Canvas *canvas, const ChartPicture *chart, const Plot *plot)
{
	double width = (plot->right - plot->left) / chart->nlabels;
	double height = (plot->bottom - plot->top) / chart->nseries;

	if (chart->nseries * chart->nlabels > PLACES_MOST)
		return;
	for (int i = 0; i < chart->nseries; i++)
		for (int j = 0; j < chart->nlabels; j++)
		{
			char *line = line_of(chart, j, i, chart->labels[j]);

			if (line && chart->series)
				line = psprintf("%s\n%s", brief(chart->series[i]), line);
			add_place(canvas, plot->left + width * j, plot->top + height * i, width, height, line);
		}
}

void
cat_chart_values_slice(Canvas *canvas, const char *label, double value, const char *percent)
{
	end_place(canvas, psprintf(LABELLED " (%s)", brief(label), cat_scale_value(value), percent));
}
