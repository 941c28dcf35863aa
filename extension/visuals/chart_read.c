/*
 * chart_read.c
 *	  The data of a chart as JSON and CSV.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "base/body.h"
#include "read/read.h"
#include "visuals/chart_table_internal.h"
#include "visuals/visuals_internal.h"

PG_FUNCTION_INFO_V1(catalogue_chart_data);
PG_FUNCTION_INFO_V1(catalogue_chart_csv);

/* Raise the error for a chart without data. */
pg_noreturn static void
refuse_empty(const VisualRead *read)
{
	ereport(ERROR, (errcode(OD409), errmsg("Chart \"%s\" has no data", read->reply.id),
					errhint("Its file has no contents, or not the columns that dataSeries "
							"names.")));
}

/* Read the data of the chart; NULL if the caller knows them. */
static const char *
read_data(VisualRead *read, FunctionCallInfo fcinfo)
{
	static const char *const fields[] = {"data", NULL};
	static const char *const words[] = {NULL};
	const char *data;

	cat_visual_read_begin(read, fcinfo, "charts");
	cat_visual_read_require_known(read, words);
	data = cat_visual_read_fields(read, fields)[0];
	if (!data)
		refuse_empty(read);
	return read->known ? NULL : data;
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
