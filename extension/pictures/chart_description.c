/*
 * chart_description.c
 *	  What a chart shows, in words, for readers who do not see it.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/chart_internal.h"

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

char *
cat_chart_description_make(const ChartPicture *chart)
{
	StringInfoData out;
	double low = 0;
	double high = 0;

	initStringInfo(&out);
	if (chart->description && *chart->description)
		appendStringInfo(&out, "%s\n", chart->description);
	appendStringInfo(&out, "%s with %d label%s", kind_of(chart), chart->nlabels,
					 chart->nlabels == 1 ? "" : "s");
	if (chart->series)
		appendStringInfo(&out, " and %d series", chart->nseries);
	appendStringInfoChar(&out, '.');
	append_title(&out, "Labels", chart->label_title);
	append_title(&out, "Series", chart->series_title);
	append_title(&out, "Values", chart->value_title);
	if (!cat_chart_reduce_range(chart, &low, &high))
		appendStringInfoString(&out, " No data.");
	else if (!chart->series && chart->nlabels <= VALUES_MOST)
		append_values(&out, chart);
	else
	{
		appendStringInfoString(&out, " Values from ");
		append_place(&out, chart, low);
		appendStringInfoString(&out, " to ");
		append_place(&out, chart, high);
		appendStringInfoChar(&out, '.');
	}
	return out.data;
}
