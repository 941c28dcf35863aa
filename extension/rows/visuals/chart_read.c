/*
 * chart_read.c
 *	  Charts: their tables of values from rows of files, as JSON, CSV and SVG.
 */
#include "catalogue.h"

#include <math.h>

#include "utils/array.h"
#include "utils/fmgroids.h"

#include "base/body.h"
#include "rows/contents/sheet_sql.h"
#include "rows/pictures/pictures.h"
#include "rows/visuals/visuals.h"
#include "rows/visuals/visuals_internal.h"

/* The data of a chart. */
typedef struct ChartTable
{
	int nlabels;
	const char **labels;
	int nseries;
	const char **series; /* their names; NULL: there is one without a name */
	const char **texts;	 /* values by series, then label, as JSON; "" for none */
	double *values;		 /* the same as numbers, 0 for none */
} ChartTable;

#define LABELS_MAX 1000
#define SERIES_MAX 50
#define DECIMALS 2
#define REST "Other" /* label of what exceeds the maximum */

/*
 * Append the groups g of the rows by label and series: n of the first row, value, the number of cells
 * that are in it, the number of those that are no numbers.  The last groups, if there are too many,
 * have neither label nor series (numbered false).
 */
static void
write_groups(SheetSql *sql)
{
	const SheetQuery *asked = sql->asked;
	const SheetAggregate *aggregate = linitial(asked->aggregates);
	bool sums = aggregate->kind == AGGREGATE_SUM;
	const char *number = sums ? cat_sheet_sql_cell("number", aggregate->column) : "1::numeric";
	const char *text = sums ? cat_sheet_sql_cell("text", aggregate->column) : "''";
	const char *second = list_length(asked->groups) > 1
							 ? cat_sheet_sql_cell("text", lsecond_int(asked->groups))
							 : "NULL::text";

	appendStringInfo(&sql->query.sql,
					 "WITH g AS (SELECT g.*, row_number() OVER (ORDER BY g.n) <= %d AS numbered "
					 "FROM (SELECT coalesce(%s, '') AS label, coalesce(%s, '') AS series, "
					 "min(r.n) AS n, coalesce(sum(%s), 0) AS value, count(%s) AS count, "
					 "count(*) FILTER (WHERE %s <> '' AND %s IS NULL) AS skipped",
					 CAT_GROUPS_MAX, cat_sheet_sql_cell("text", linitial_int(asked->groups)),
					 second, number, number, text, number);
	cat_sheet_sql_rows(sql, 1, ROW_NUMBER);
	appendStringInfoString(&sql->query.sql, " GROUP BY 1, 2) g)");
}

/*
 * Append the labels or series: those with the greatest totals have a place, which is in the order of
 * the rows.
 */
static void
write_axis(SheetSql *sql, const char *axis, int most)
{
	appendStringInfo(&sql->query.sql,
					 ", %s_axis AS (SELECT x.word, CASE WHEN x.rank <= %d THEN row_number() OVER ("
					 "PARTITION BY x.rank <= %d ORDER BY x.n) ELSE %d END AS place "
					 "FROM (SELECT g.%s AS word, min(g.n) AS n, row_number() OVER ("
					 "ORDER BY sum(g.value::float8) DESC, min(g.n)) AS rank FROM g WHERE "
					 "g.numbered GROUP BY 1) x)",
					 axis, most, most, most + 1, axis);
}

/* Return SQL of the words of an axis as members of a JSON array. */
static char *
words_sql(const char *axis, int most)
{
	return psprintf("(SELECT coalesce(string_agg(w.word, ',' ORDER BY w.place), '') FROM ("
					"SELECT DISTINCT v.%s AS place, CASE WHEN v.%s > %d THEN '\"" REST "\"' "
					"ELSE to_json(a.word)::text END AS word FROM v LEFT JOIN %s_axis a "
					"ON a.place = v.%s AND v.%s <= %d) w)",
					axis, axis, most, axis, axis, axis, most);
}

/* Append the sums v by the places of label and series, and the rows of the table, d. */
static void
write_values(SheetSql *sql)
{
	/* with one series, it has the rest as well */
	int rest = list_length(sql->asked->groups) > 1 ? SERIES_MAX + 1 : 1;

	appendStringInfo(
		&sql->query.sql,
		", v AS (SELECT coalesce(s.place, %d) AS series, coalesce(l.place, %d) AS label, "
		"sum(g.value) AS value FROM g LEFT JOIN label_axis l ON l.word = g.label AND g.numbered "
		"LEFT JOIN series_axis s ON s.word = g.series AND g.numbered GROUP BY 1, 2), "
		"d AS (SELECT s.series, string_agg(coalesce(trim_scale(round(v.value, %d))::text, '0'), "
		"',' ORDER BY l.label) AS values FROM (SELECT DISTINCT v.series FROM v) s "
		"CROSS JOIN (SELECT DISTINCT v.label FROM v) l "
		"LEFT JOIN v ON v.series = s.series AND v.label = l.label GROUP BY 1)",
		rest, LABELS_MAX + 1, DECIMALS);
}

/*
 * Return the groups as text of type json.
 *
 * Labels are in the order of the rows.  If there are too many labels or series, those with the
 * smallest values are added up as the last one.  count, skipped: set to the numbers of cells that are
 * numbers, and that are not, in groups with a label.
 */
static Datum
chart_table_json(const SheetQuery *asked, int64 *count, int64 *skipped)
{
	bool has_series = list_length(asked->groups) > 1;
	SheetSql sql;
	Datum table;
	bool isnull;

	cat_sheet_sql_begin(&sql, asked);
	write_groups(&sql);
	write_axis(&sql, "label", LABELS_MAX);
	write_axis(&sql, "series", SERIES_MAX);
	write_values(&sql);
	appendStringInfo(
		&sql.query.sql,
		" SELECT concat('{\"labels\":[', %s, ']', ',\"series\":[' || %s || ']', ',\"data\":', "
		"(SELECT %s FROM d), ',\"skipped\":' || nullif((SELECT sum(g.skipped) FROM g), 0), '}'), "
		"sum(g.count)::bigint, sum(g.skipped)::bigint FROM g WHERE g.numbered",
		words_sql("label", LABELS_MAX), has_series ? words_sql("series", SERIES_MAX) : "NULL::text",
		has_series ? "concat('[', string_agg('[' || d.values || ']', ',' ORDER BY d.series), ']')"
				   : "concat('[', min(d.values), ']')");
	cat_sql_builder_run(&sql.query);
	*count = cat_result_int64(2);
	*skipped = cat_result_int64(3);
	table = cat_result_datum(1, &isnull);
	return PointerGetDatum(PG_DETOAST_DATUM_COPY(table));
}

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
	table = chart_table_json(asked, &count, &skipped);
	if (count == 0 && skipped > 0)
		refuse_series(&made, "type", "names a column without numbers to be summed");
	else
		cat_visual_source_set(&made, "data", table);
}

/*
 * Clients may write data of charts without a file, so any JSON is read; what is no table has no
 * labels.
 */

/* Return the elements of an array as texts, "" for null; count: set to their number. */
static const char **
read_texts(const Member *array, int *count)
{
	List *elements = array && array->kind == MEMBER_ARRAY ? cat_body_elements(array->raw) : NIL;
	const char **texts = palloc(sizeof(char *) * (size_t) (list_length(elements) + 1));

	*count = list_length(elements);
	foreach_ptr(const Member, member, elements)
		texts[foreach_current_index(member)] =
			member->kind != MEMBER_NULL && member->text ? member->text : "";
	return texts;
}

/* Read the values of a series; those that are missing or no numbers have no text. */
static void
read_values(ChartTable *table, int series, const Member *array)
{
	List *elements = array->kind == MEMBER_ARRAY ? cat_body_elements(array->raw) : NIL;
	int at = series * table->nlabels;

	for (int i = 0; i < table->nlabels; i++, at++)
	{
		const Member *member = i < list_length(elements) ? list_nth(elements, i) : NULL;
		bool is_number = member && member->kind == MEMBER_NUMBER;

		table->texts[at] = is_number ? member->raw : "";
		table->values[at] = is_number ? strtod(member->raw, NULL) : 0;
	}
}

/* The table that data of a chart are, which any JSON is read as; palloc'd. */
static ChartTable *
chart_table_read(const char *json)
{
	ChartTable *table = palloc0(sizeof(ChartTable));
	const Member *value = json ? cat_body_value(json) : NULL;
	List *members =
		value && value->kind == MEMBER_OBJECT ? cat_body_members(json, strlen(json)) : NIL;
	const Member *data = cat_body_member(members, "data");
	const Member *series = cat_body_member(members, "series");
	List *rows = NIL;
	size_t cells;

	table->labels = read_texts(cat_body_member(members, "labels"), &table->nlabels);
	if (series)
		table->series = read_texts(series, &table->nseries);
	else
		table->nseries = 1;
	if (data && data->kind == MEMBER_ARRAY && series)
		rows = cat_body_elements(data->raw);
	else if (data)
		rows = list_make1(unconstify(Member *, data));
	cells = (size_t) table->nlabels * (size_t) table->nseries + 1;
	table->texts = palloc(sizeof(char *) * cells);
	table->values = palloc(sizeof(double) * cells);
	for (int i = 0; i < table->nseries; i++)
		read_values(table, i,
					i < list_length(rows) ? list_nth(rows, i) : &(Member){.kind = MEMBER_NULL});
	return table;
}

#define EMPTY_WORD "(empty)" /* in place of a name that would not be seen */

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

CAT_FUNCTION(catalogue_chart_data)
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
append_names(StringInfo out, const ChartTable *table)
{
	appendStringInfoString(out, "label");
	for (int i = 0; i < table->nseries; i++)
	{
		appendStringInfoChar(out, ',');
		cat_csv_text(out, table->series ? table->series[i] : "value");
	}
	appendStringInfoString(out, "\r\n");
}

/* Return a CSV table: a line for each label, a column for each series. */
CAT_FUNCTION(catalogue_chart_csv)
{
	VisualRead read;
	const char *data = read_data(&read, fcinfo);

	if (data)
	{
		ChartTable *table = chart_table_read(data);
		StringInfo out = read.reply.data = makeStringInfo();

		append_names(out, table);
		for (int i = 0; i < table->nlabels; i++)
		{
			cat_csv_text(out, table->labels[i]);
			for (int j = 0; j < table->nseries; j++)
				appendStringInfo(out, ",%s", table->texts[j * table->nlabels + i]);
			appendStringInfoString(out, "\r\n");
		}
	}
	return cat_visual_read_end(&read, fcinfo);
}

/* A List of char * of names, with a word in place of one that would not be seen; NIL for NULL. */
static List *
shown_names(const char **names, int count)
{
	List *shown = NIL;

	for (int i = 0; names && i < count; i++)
		shown = lappend(shown, unconstify(char *, names[i][strspn(names[i], " \t\r\n")] == '\0'
													  ? EMPTY_WORD
													  : names[i]));
	return shown;
}

/* Return the values of a table, null for what is no number that can be drawn. */
static StatementParam
values_param(const ChartTable *table)
{
	int count = table->nseries * table->nlabels;
	int first = 1;
	Datum *values = palloc(sizeof(Datum) * (count + 1));
	bool *nulls = palloc(sizeof(bool) * (count + 1));

	for (int i = 0; i < count; i++)
	{
		values[i] = Float8GetDatum(table->values[i]);
		nulls[i] = table->texts[i][0] == '\0' || !isfinite(table->values[i]);
	}
	return datum_param(FLOAT8ARRAYOID, PointerGetDatum(construct_md_array(
										   values, nulls, 1, &count, &first, FLOAT8OID,
										   sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)));
}

/* Set the titles of labels, series and values, NULL for none: the columns that dataSeries names, and
 * what was made of them. */
static void
set_titles(const char **titles, bool has_series, const char *data_series, const char *data_type)
{
	List *names = cat_visual_source_names(data_series);
	int labels = has_series ? 2 : 1;
	int count = list_length(names);

	if (count < labels)
		return;
	titles[0] = linitial(names);
	if (has_series)
		titles[1] = lsecond(names);
	if (count == labels || (data_type && strcmp(data_type, "qualitative") == 0))
		titles[2] = COUNT_TITLE;
	else if (data_type)
		titles[2] = llast(names);
}

/* Return a chart as an SVG document. */
CAT_FUNCTION(catalogue_chart_svg)
{
	static const char *const fields[] = {"data",	   "name",	   "description", "type",
										 "dataSeries", "dataType", NULL};
	VisualRead read;
	char **values = read_fields(&read, fcinfo, fields);

	if (values)
	{
		const ChartTable *table = chart_table_read(values[0]);
		const char *titles[3] = {NULL};
		Canvas canvas;
		bool isnull;

		set_titles(titles, table->series != NULL, values[4], values[5]);
		cat_svg_begin(&canvas, values[1]);
		cat_statement_read("SELECT d.y, d.elements, d.description FROM catalogue.chart_drawn("
						   "ROW($1, $2, $3, $4, ARRAY[$5, $6, $7]), $8) d",
						   text_param(values[3]),
						   texts_param(shown_names(table->labels, table->nlabels)),
						   table->series ? texts_param(shown_names(table->series, table->nseries))
										 : null_param(TEXTARRAYOID),
						   values_param(table), text_param(titles[0]), text_param(titles[1]),
						   text_param(titles[2]), float8_param(canvas.y));
		canvas.y = DatumGetFloat8(cat_result_datum(1, &isnull));
		appendStringInfoString(&canvas.out, cat_result_text(2));
		read.reply.data = makeStringInfo();
		cat_svg_end(read.reply.data, &canvas, values[1],
					psprintf("%s%s%s", values[2] ? values[2] : "",
							 values[2] && *values[2] ? "\n" : "", cat_result_text(3)));
	}
	return cat_visual_read_end(&read, fcinfo);
}
