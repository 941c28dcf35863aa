/*
 * chart_read.c
 *	  Charts: their tables of values from rows of files, as JSON, CSV and SVG.
 */
#include "catalogue.h"

#include "catalog/pg_type_d.h"
#include "utils/fmgroids.h"

#include "base/body.h"
#include "base/byte_order_mark.h"
#include "rows/pictures/pictures.h"
#include "rows/visuals/visuals.h"
#include "rows/visuals/visuals_internal.h"

/* Return the text of a column of an enumeration or of text; "" for null. */
static const char *
word_of(const Made *made, const char *column)
{
	const Field *field = cat_registry_column(made->resource, column);
	const char *label;

	if (made->nulls[field->attno - 1])
		return "";
	label = DatumGetCString(OidFunctionCall1(F_ENUM_OUT, made->values[field->attno - 1]));
	return label;
}

/* Return whether the type of chart shows two labels of each value: one by one with its series. */
static bool
has_series(const Made *made)
{
	const char *type = word_of(made, "type");

	return strcmp(type, "stackedbar") == 0 || strcmp(type, "heatmap") == 0;
}

static bool
is_numeric(const SheetColumn *column)
{
	return column->kind == CELL_INTEGER || column->kind == CELL_DECIMAL;
}

/*
 * Return whether the values of the last column are summed; else rows are counted.  A chart without
 * dataType sums if there is a column of numbers behind the labels.
 */
static bool
sums_values(const Made *made, const SheetQuery *asked, const int *columns, int count, int labels)
{
	const char *type = word_of(made, "data_type");

	if (*type)
		return strcmp(type, "qualitative") != 0;
	return count > labels && is_numeric(&asked->sheet->columns[columns[count - 1]]);
}

/* Add an error of dataSeries. */
static void
refuse_series(const Made *made, const char *rule, const char *message)
{
	cat_validation_error_add(made->errors, "dataSeries", rule, NULL, message);
}

/* Read a column of texts as numbers: cells that are none are left out and counted. */
static void
read_as_numbers(SheetQuery *asked, int column)
{
	size_t size = sizeof(SheetColumn) * (size_t) asked->sheet->ncolumns;
	SheetColumn *columns = memcpy(palloc(size), asked->sheet->columns, size);

	columns[column].kind = CELL_DECIMAL;
	columns[column].point = '.';
	asked->sheet->columns = columns;
}

/* Ask for the sum of the last column; an error of the record if that is not possible. */
static void
ask_sum(const Made *made, SheetQuery *asked, const int *positions, int count)
{
	int last = positions[count - 1];
	const SheetColumn *column = &asked->sheet->columns[last];
	SheetAggregate *aggregate = linitial(asked->aggregates);

	if (count < 2)
		refuse_series(made, "required", "needs a column of labels and one of values");
	else if (!is_numeric(column) && column->kind != CELL_TEXT)
		refuse_series(made, "type",
					  psprintf("cannot sum the column \"%s\", which is of type %s", column->name,
							   cat_cell_kind_name(column->kind)));
	else if (column->kind == CELL_TEXT)
		read_as_numbers(asked, last);
	*aggregate = (SheetAggregate){AGGREGATE_SUM, last, column->name};
}

/*
 * Ask for what the chart shows: groups by one label or by two, and the number of their rows or the
 * sum of a column.  False, with errors of the record, if the columns do not permit it.
 */
static bool
ask(const Made *made, SheetQuery *asked, List *names)
{
	int before = list_length(*made->errors);
	int *positions = palloc(sizeof(int) * list_length(names));
	int count = list_length(names);
	int labels = has_series(made) ? 2 : 1;
	SheetAggregate *counted = palloc(sizeof(SheetAggregate));
	bool sums;

	for (int i = 0; i < count; i++)
		positions[i] = cat_visual_source_column(made, asked, "dataSeries", list_nth(names, i));
	if (list_length(*made->errors) > before)
		return false;
	sums = sums_values(made, asked, positions, count, labels);
	asked->groups = list_make1_int(positions[0]);
	if (labels == 2 && count > (sums ? 2 : 1))
		asked->groups = lappend_int(asked->groups, positions[1]);
	*counted = (SheetAggregate){AGGREGATE_COUNT, ROW_NUMBER, NULL};
	asked->aggregates = list_make1(counted);
	if (sums)
		ask_sum(made, asked, positions, count);
	return list_length(*made->errors) == before;
}

/* Append what is to be told of the column that is summed, if anything, to the data of a chart. */
static void
append_note(StringInfo data, const SheetColumn *summed)
{
	const char *note;

	if (!summed->note)
		return;
	note = psprintf("the column \"%s\"%s: %s", summed->name,
					summed->kind == CELL_TEXT ? " is text, of which the numbers are added up" : "",
					summed->note);
	/* before the last brace */
	data->len--;
	appendStringInfo(data, ",\"note\":%s}", cat_json_quoted(note));
}

void
cat_chart_read_make(Resource *resource, Datum *values, bool *nulls, bool strict, List **errors)
{
	Made made = {resource, values, nulls, strict, errors};
	List *names = cat_visual_source_names(cat_visual_source_text(&made, "data_series"));
	StringInfo data = makeStringInfo();
	const SheetAggregate *aggregate;
	const SheetColumn *read;
	SheetQuery *asked;
	SheetGroups *groups;

	if (names == NIL)
		return;
	asked = cat_visual_source_rows(&made, "file");
	cat_visual_source_null(&made, "data");
	if (!asked)
		return;
	/* as the file has them: ask() may replace a column of texts by one of numbers */
	read = asked->sheet->columns;
	if (!ask(&made, asked, names))
		return;
	groups = cat_sheet_aggregate(asked, KEYS_WRITTEN);
	if (!cat_chart_table_append(data, asked, groups, cat_sheet_result_sorted(groups),
								(int) cat_sheet_aggregate_count(groups)))
	{
		refuse_series(&made, "type", "names a column without numbers to be summed");
		return;
	}
	aggregate = linitial(asked->aggregates);
	if (aggregate->kind == AGGREGATE_SUM)
		append_note(data, &read[aggregate->column]);
	cat_visual_source_set(&made, "data", CStringGetTextDatum(data->data));
}

char *
cat_chart_read_notes(Datum value)
{
	cat_statement_read("SELECT '\"notes\":' || json_build_array($1 ->> 'note') "
					   "WHERE $1 ->> 'note' <> ''",
					   (StatementParam){JSONOID, value, false});
	return SPI_processed > 0 ? cat_result_text(1) : NULL;
}

/* Return how many values the table of a chart has, those that are missing included. */
static int64
count_values(StatementParam data)
{
	cat_statement_read("SELECT catalogue.chart_size($1)", data);
	return cat_result_int64(1);
}

void
cat_chart_read_check(const Field *field, Datum value, List **errors)
{
	if (count_values((StatementParam){JSONOID, value, false}) > CAT_CHART_VALUES)
		cat_validation_error_add(
			errors, field->name, "maxLength", NULL,
			psprintf("takes at most %d values: labels times series", CAT_CHART_VALUES));
}

/* Raise OD409 for a table that was stored when its size had no limit. */
static void
require_size(const char *id, const char *data)
{
	if (count_values((StatementParam){JSONOID, CStringGetTextDatum(data), false}) >
		CAT_CHART_VALUES)
		ereport(ERROR, (errcode(OD409),
						errmsg("Chart \"%s\" has more than %d values, labels times series", id,
							   CAT_CHART_VALUES),
						errhint("Read them as JSON, or write fewer labels or series.")));
}

/* Read fields of the chart, of which the first one is data; NULL if the caller knows them. */
static char **
read_fields(VisualRead *read, FunctionCallInfo fcinfo, const CallArguments *args,
			const char *const *words, const char *const *fields)
{
	char **values;

	cat_visual_read_begin(read, fcinfo, args, words);
	values = cat_visual_read_fields(read, fields);
	if (!values[0])
		ereport(ERROR, (errcode(OD409), errmsg("Chart \"%s\" has no data", read->call.reply.id),
						errhint("Its file has no contents, or not the columns that dataSeries "
								"names.")));
	return read->known ? NULL : values;
}

/* Read the data of the chart; NULL if the caller knows them. */
static const char *
read_data(VisualRead *read, FunctionCallInfo fcinfo, const CallArguments *args)
{
	static const char *const fields[] = {"data", NULL};
	char **values = read_fields(read, fcinfo, args, NULL, fields);

	return values ? values[0] : NULL;
}

CAT_FUNCTION(catalogue_chart_data)
{
	VisualRead read;
	const char *data = read_data(&read, fcinfo, &args_chart_data);

	if (data)
	{
		read.call.reply.data = makeStringInfo();
		appendStringInfoString(read.call.reply.data, data);
	}
	return cat_read_end(&read.call, fcinfo);
}

/* Return a CSV table: a line for each label, a column for each series. */
CAT_FUNCTION(catalogue_chart_csv)
{
	VisualRead read;
	const char *data = read_data(&read, fcinfo, &args_chart_csv);

	if (data)
	{
		require_size(read.call.reply.id, data);
		cat_statement_read("SELECT catalogue.chart_lines_csv($1::json)", text_param(data));
		read.call.reply.data = makeStringInfo();
		appendStringInfoString(read.call.reply.data,
							   read.call.plan.params->bom ? BYTE_ORDER_MARK : "");
		appendStringInfoString(read.call.reply.data, cat_result_text(1));
		read.call.reply.meta = cat_chart_read_notes(CStringGetTextDatum(data));
	}
	return cat_read_end(&read.call, fcinfo);
}

const char *
cat_chart_read_draw(Canvas *canvas, const char *type, const char *data, const char *data_series,
					const char *data_type)
{
	bool isnull;

	cat_statement_read("SELECT d.y, d.elements, d.description FROM catalogue.chart_drawn("
					   "catalogue.chart_of($1, $2::json, $3::json, $4, $5), $6) d",
					   text_param(type), text_param(data), text_param(data_series),
					   text_param(data_type), text_param(cat_picture_words_name(canvas->language)),
					   float8_param(canvas->y));
	canvas->y = DatumGetFloat8(cat_result_datum(1, &isnull));
	appendStringInfoString(&canvas->out, cat_result_text(2));
	return cat_result_text(3);
}

/* Return a chart as an SVG document. */
CAT_FUNCTION(catalogue_chart_svg)
{
	static const char *const fields[] = {"data",	   "name",	   "description", "type",
										 "dataSeries", "dataType", NULL};
	static const char *const words[] = {"lang", NULL};
	VisualRead read;
	char **values = read_fields(&read, fcinfo, &args_chart_svg, words, fields);

	if (values)
	{
		Canvas canvas;
		const char *shown;

		require_size(read.call.reply.id, values[0]);
		cat_svg_begin(&canvas, values[1], read.language);
		shown = cat_chart_read_draw(&canvas, values[3], values[0], values[4], values[5]);
		read.call.reply.data = makeStringInfo();
		cat_svg_end(read.call.reply.data, &canvas, values[1],
					psprintf("%s%s%s", values[2] ? values[2] : "",
							 values[2] && *values[2] ? "\n" : "", shown));
	}
	return cat_read_end(&read.call, fcinfo);
}
