/*
 * chart_read.c
 *	  The data of a chart as JSON, CSV, and a picture.
 */
#include "catalogue.h"

#include <math.h>

#include "utils/builtins.h"

#include "base/body.h"
#include "pictures/pictures.h"
#include "read/read.h"
#include "visuals/chart_table_internal.h"
#include "visuals/visuals_internal.h"

PG_FUNCTION_INFO_V1(catalogue_chart_data);
PG_FUNCTION_INFO_V1(catalogue_chart_csv);
PG_FUNCTION_INFO_V1(catalogue_chart_svg);

/* Title of values that are not those of a column. */
#define COUNT_TITLE "Number of rows"

/* Raise the error for a chart without data. */
pg_noreturn static void
refuse_empty(const VisualRead *read)
{
	ereport(ERROR, (errcode(OD409), errmsg("Chart \"%s\" has no data", read->reply.id),
					errhint("Its file has no contents, or not the columns that dataSeries "
							"names.")));
}

/* Read fields of the chart, of which the first one is data; NULL if the caller knows them. */
static char **
read_fields(VisualRead *read, FunctionCallInfo fcinfo, const char *const *fields)
{
	static const char *const words[] = {NULL};
	char **values;

	cat_visual_read_begin(read, fcinfo, "charts");
	cat_visual_read_require_known(read, words);
	values = cat_visual_read_fields(read, fields);
	if (!values[0])
		refuse_empty(read);
	return read->known ? NULL : values;
}

/* Read the data of the chart; NULL if the caller knows them. */
static const char *
read_data(VisualRead *read, FunctionCallInfo fcinfo)
{
	static const char *const fields[] = {"data", NULL};
	char **values = read_fields(read, fcinfo, fields);

	return values ? values[0] : NULL;
}

Datum
catalogue_chart_data(PG_FUNCTION_ARGS)
{
	VisualRead read;
	const char *data = read_data(&read, fcinfo);

	if (data)
	{
		read.reply.data = makeStringInfo();
		appendStringInfoString(read.reply.data, data);
	}
	return cat_visual_read_end(&read, fcinfo);
}

static void
append_cell(StringInfo out, const char *text)
{
	cat_csv_cell(out, cat_csv_prefix(text, strlen(text)), text, strlen(text));
}

static void
append_names(StringInfo out, const ChartTable *table)
{
	appendStringInfoString(out, "label");
	for (int i = 0; i < table->nseries; i++)
	{
		appendStringInfoChar(out, ',');
		append_cell(out, table->series ? table->series[i] : "value");
	}
	appendStringInfoString(out, "\r\n");
}

/* Return a CSV table: a line for each label, a column for each series. */
Datum
catalogue_chart_csv(PG_FUNCTION_ARGS)
{
	VisualRead read;
	const char *data = read_data(&read, fcinfo);

	if (data)
	{
		ChartTable *table = cat_chart_table_read(data);
		StringInfo out = read.reply.data = makeStringInfo();

		append_names(out, table);
		for (int i = 0; i < table->nlabels; i++)
		{
			append_cell(out, table->labels[i]);
			for (int j = 0; j < table->nseries; j++)
				appendStringInfo(out, ",%s", table->texts[j * table->nlabels + i]);
			appendStringInfoString(out, "\r\n");
		}
	}
	return cat_visual_read_end(&read, fcinfo);
}

/* Set the titles of the axes: the columns that dataSeries names, and what was made of them. */
static void
set_titles(ChartPicture *chart, const char *data_series, const char *data_type)
{
	List *names = cat_visual_source_names(data_series);
	int labels = chart->series ? 2 : 1;
	int count = list_length(names);

	if (count < labels)
		return;
	chart->label_title = linitial(names);
	if (chart->series)
		chart->series_title = lsecond(names);
	if (count == labels || (data_type && strcmp(data_type, "qualitative") == 0))
		chart->value_title = COUNT_TITLE;
	else if (data_type)
		chart->value_title = llast(names);
}

/* Return a chart as an SVG document. */
Datum
catalogue_chart_svg(PG_FUNCTION_ARGS)
{
	static const char *const fields[] = {"data",	   "name",	   "description", "type",
										 "dataSeries", "dataType", NULL};
	VisualRead read;
	char **values = read_fields(&read, fcinfo, fields);

	if (values)
	{
		const ChartTable *table = cat_chart_table_read(values[0]);
		ChartPicture chart = {.name = values[1],
							  .description = values[2],
							  .type = values[3],
							  .nlabels = table->nlabels,
							  .labels = table->labels,
							  .nseries = table->nseries,
							  .series = table->series,
							  .values = table->values};

		for (int i = 0; i < chart.nseries * chart.nlabels; i++)
			if (table->texts[i][0] == '\0' || !isfinite(chart.values[i]))
				chart.values[i] = NAN;
		set_titles(&chart, values[4], values[5]);
		read.reply.data = makeStringInfo();
		cat_chart_picture_draw(read.reply.data, &chart);
	}
	return cat_visual_read_end(&read, fcinfo);
}
