/*
 * chart_data.c
 *	  Labels and values of a chart, made from the rows of its file.
 */
#include "catalogue.h"

#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "base/base.h"
#include "base/body.h"
#include "contents/contents.h"
#include "registry/registry.h"
#include "sheets/sheets.h"
#include "visuals/chart_table_internal.h"
#include "visuals/visuals.h"
#include "visuals/visuals_internal.h"

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

static void
add_aggregate(SheetQuery *asked, AggregateKind kind, int column)
{
	SheetAggregate *aggregate = palloc0(sizeof(SheetAggregate));

	aggregate->kind = kind;
	aggregate->column = column;
	asked->aggregates = list_make1(aggregate);
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
ask_sum(const Made *made, SheetQuery *asked, const int *columns, int count)
{
	const SheetColumn *column = &asked->sheet->columns[columns[count - 1]];

	if (count < 2)
		refuse_series(made, "required", "needs a column of labels and one of values");
	else if (!is_numeric(column) && column->kind != CELL_TEXT)
		refuse_series(made, "type",
					  psprintf("cannot sum the column \"%s\", which is of type %s", column->name,
							   cat_cell_kind_name(column->kind)));
	else
	{
		if (column->kind == CELL_TEXT)
			read_as_numbers(asked, columns[count - 1]);
		add_aggregate(asked, AGGREGATE_SUM, columns[count - 1]);
	}
}

/*
 * Ask for what the chart shows: groups by one label or by two, and the number of their rows or the
 * sum of a column.  False, with errors of the record, if the columns do not permit it.
 */
static bool
ask(const Made *made, SheetQuery *asked, List *names)
{
	int before = list_length(*made->errors);
	int *columns = palloc(sizeof(int) * list_length(names));
	int count = list_length(names);
	int labels = has_series(made) ? 2 : 1;
	bool sums;

	for (int i = 0; i < count; i++)
		columns[i] = cat_visual_source_column(made, asked, "dataSeries", list_nth(names, i));
	if (list_length(*made->errors) > before)
		return false;
	sums = sums_values(made, asked, columns, count, labels);
	asked->groups = list_make1_int(columns[0]);
	if (labels == 2 && count > (sums ? 2 : 1))
		asked->groups = lappend_int(asked->groups, columns[1]);
	if (sums)
		ask_sum(made, asked, columns, count);
	else
		add_aggregate(asked, AGGREGATE_COUNT, -1);
	return list_length(*made->errors) == before;
}

void
cat_chart_data_make(Resource *resource, Datum *values, bool *nulls, bool strict, List **errors)
{
	Made made = {resource, values, nulls, strict, errors};
	List *names = cat_visual_source_names(cat_visual_source_text(&made, "data_series"));
	SheetQuery *asked;
	Datum table;
	int64 count;
	int64 skipped;

	if (names == NIL)
		return;
	asked = cat_visual_source_rows(&made);
	cat_visual_source_null(&made, "data");
	if (!asked || !ask(&made, asked, names))
		return;
	table = cat_chart_table_json(asked, &count, &skipped);
	if (count == 0 && skipped > 0)
		refuse_series(&made, "type", "names a column without numbers to be summed");
	else
		cat_visual_source_set(&made, "data", table);
}
