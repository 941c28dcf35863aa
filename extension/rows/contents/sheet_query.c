/*
 * sheet_query.c
 *	  Query string of a request for rows of a file.
 *
 * It is read in two steps: first the page and the sheet; then, when the columns are known, the
 * parameters that refer to them.
 */
#include "catalogue.h"

#include "utils/array.h"

#include "rows/contents/contents_internal.h"

/* Maximum number of values of a filter, as for fields of a list. */
#define VALUES_MAX 100

pg_noreturn static void
refuse_value(const SheetColumn *column, const char *value)
{
	ereport(ERROR,
			(errcode(OD422), errmsg("invalid value for filter \"%s\": \"%s\"", column->name, value),
			 errhint("The column is of type %s.", cat_cell_kind_name(column->kind))));
}

/* Read a value of a column as JSON has it, whatever the form of the column's own. */
static bool
read_literal(const SheetColumn *column, const char *text, CellValue *value)
{
	SheetColumn literal = *column;

	literal.format = NULL;
	literal.point = '.';
	literal.thousands = '\0';
	literal.unit = NULL;
	return cat_cell_value(&literal, text, (int) strlen(text), value);
}

bool
cat_sheet_query_is_literal(const SheetColumn *column, const char *text)
{
	CellValue value;

	return !cat_cell_is_mark(column, text, (int) strlen(text)) &&
		   (column->kind == CELL_TEXT || read_literal(column, text, &value));
}

/*
 * Append a value of a filter by the type of the column, in the syntax of JSON or in that of the column.
 * both: where points stand between thousands, it is a number with a decimal point and one without.
 * Raises OD422 if it fits neither.
 */
static List *
append_value(List *values, const SheetColumn *column, const char *text, bool both)
{
	CellValue *json = palloc0(sizeof(CellValue));
	CellValue *written = palloc0(sizeof(CellValue));
	int before = list_length(values);

	/* the values point into the text */
	text = pstrdup(text);
	if (read_literal(column, text, json))
		values = lappend(values, json);
	if ((list_length(values) == before || (both && column->thousands == '.')) &&
		cat_cell_value(column, text, (int) strlen(text), written))
		values = lappend(values, written);
	if (list_length(values) == before)
		refuse_value(column, text);
	return values;
}

/*
 * Make a filter that compares a column with values.
 *
 * column: ROW_NUMBER for the number of the row.  Raises OD422 for a value that does not fit the
 * column.
 */
static SheetFilter *
sheet_filter_make(const Sheet *sheet, int column, Comparison comparison, List *values)
{
	static const SheetColumn number = {.name = "_id", .kind = CELL_INTEGER, .point = '.'};
	SheetFilter *filter = palloc0(sizeof(SheetFilter));

	filter->column = column;
	filter->is = column == ROW_NUMBER ? &number : &sheet->columns[column];
	filter->comparison = comparison;
	filter->required = comparison != COMPARE_EQUAL;
	if (list_length(values) > VALUES_MAX)
		ereport(ERROR,
				(errcode(OD422), errmsg("too many values for filter \"%s\"", filter->is->name),
				 errhint("A filter on rows takes at most %d.", VALUES_MAX)));
	foreach_ptr(char, value, values)
		if (value && !cat_comparison_is_range(comparison) &&
			cat_cell_is_mark(filter->is, value, (int) strlen(value)))
			filter->marks = lappend(filter->marks, pstrdup(value));
		else if (value && filter->is->kind == CELL_TEXT)
			filter->values = lappend(filter->values, pstrdup(value));
		else if (value)
			filter->values = append_value(filter->values, filter->is, value,
										  !cat_comparison_is_range(comparison));
		else if (cat_comparison_is_range(comparison))
			refuse_value(filter->is, "null");
		else
			filter->empty = true;
	return filter;
}

/* Maximum number of columns whose values are counted in a request. */
#define FACETS_MAX 16
#define WORDS_MAX 32 /* grouping columns, aggregates, and columns of the order, each */

const char *
cat_sheet_query_take(SheetQuery *sheet_query, const char *name)
{
	const char *value = NULL;
	ListCell *cell;

	foreach(cell, sheet_query->words)
	{
		const RequestWord *word = lfirst(cell);

		if (strcmp(word->name, name) != 0)
			continue;
		value = word->value;
		sheet_query->words = foreach_delete_current(sheet_query->words, cell);
	}
	return value;
}

SheetQuery *
cat_sheet_query_read(const char *query, const Actor *actor)
{
	SheetQuery *sheet_query = palloc0(sizeof(SheetQuery));
	Resource *files = cat_registry_resource("files");
	const char *name;

	cat_visibility_require(files, actor->access);
	sheet_query->params = cat_request_params_begin(files, query, actor);
	sheet_query->words = cat_request_params_words(sheet_query->params, query);
	name = cat_sheet_query_take(sheet_query, "sheet");
	sheet_query->name = name && *name ? name : NULL;
	return sheet_query;
}

static void
ask_fields(SheetQuery *sheet_query, const char *value)
{
	foreach_ptr(char, word, cat_query_string_split(value, ','))
	{
		int column = cat_sheet_lookup_column(sheet_query->sheet, word);

		if (column >= 0)
			sheet_query->shown[column] = true;
		else if (strcmp(word, "_id") != 0 && *word)
			cat_ignored_add(sheet_query->params, word);
	}
}

static void
ask_types(SheetQuery *sheet_query, const char *value)
{
	sheet_query->typed = cat_request_params_boolean("types", value);
}

/* Add the columns that a parameter names to a list of their numbers. */
static List *
add_columns(const SheetQuery *sheet_query, List *columns, const char *name, const char *value)
{
	foreach_ptr(char, word, cat_query_string_split(value, ','))
	{
		int column = cat_sheet_lookup_column(sheet_query->sheet, word);

		if (column < 0)
			cat_query_string_refuse(name, value, cat_sheet_lookup_hint(sheet_query->sheet, NIL));
		columns = list_append_unique_int(columns, column);
	}
	return columns;
}

/* Raise OD422 for more words of a parameter than are taken: each costs memory for each group, or
 * time for each comparison of rows. */
static void
require_few(const List *words, const char *name, const char *value)
{
	if (list_length(words) > WORDS_MAX)
		cat_query_string_refuse(name, value, psprintf("It takes at most %d.", WORDS_MAX));
}

/* Read the grouping columns. */
static void
ask_groups(SheetQuery *sheet_query, const char *value)
{
	sheet_query->groups = add_columns(sheet_query, sheet_query->groups, "groupBy", value);
	require_few(sheet_query->groups, "groupBy", value);
}

/* Read the columns whose different values are asked for. */
static void
ask_distinct(SheetQuery *sheet_query, const char *value)
{
	sheet_query->distinct = value;
	sheet_query->groups = add_columns(sheet_query, sheet_query->groups, "distinct", value);
	require_few(sheet_query->groups, "distinct", value);
}

/* Read columns whose values are counted. */
static List *
ask_counts(SheetQuery *sheet_query, List *columns, const char *name, const char *value)
{
	columns = add_columns(sheet_query, columns, name, value);
	if (list_length(columns) > FACETS_MAX)
		cat_query_string_refuse(name, value, "It takes at most 16 columns.");
	return columns;
}

static void
ask_facets(SheetQuery *sheet_query, const char *value)
{
	sheet_query->facets = ask_counts(sheet_query, sheet_query->facets, "facets", value);
}

static void
ask_histograms(SheetQuery *sheet_query, const char *value)
{
	sheet_query->histograms = ask_counts(sheet_query, sheet_query->histograms, "histogram", value);
	foreach_int(number, sheet_query->histograms)
	{
		CellKind kind = sheet_query->sheet->columns[number].kind;

		if (kind == CELL_TEXT || kind == CELL_BOOLEAN)
			cat_query_string_refuse(
				"histogram", value,
				"It takes columns of numbers, dates, months, quarters or instants.");
	}
}

/*
 * Return an aggregate: count, or a function name with a column in parentheses; NULL if it is
 * invalid.
 */
static SheetAggregate *
aggregate_of(const SheetQuery *sheet_query, const char *word)
{
	static const char *const names[] = {"count", "sum", "avg", "min", "max"};
	SheetAggregate *aggregate = palloc0(sizeof(SheetAggregate));
	const char *open = strchr(word, '(');
	size_t length = open ? (size_t) (open - word) : strlen(word);

	aggregate->name = pstrdup(word);
	aggregate->column = -1;
	if (open && word[strlen(word) - 1] == ')')
		aggregate->column =
			cat_sheet_lookup_column(sheet_query->sheet, pnstrdup(open + 1, strlen(open) - 2));
	for (size_t i = 0; i < lengthof(names); i++)
		if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0)
		{
			aggregate->kind = (AggregateKind) i;
			return aggregate->column >= 0 || (i == AGGREGATE_COUNT && !open) ? aggregate : NULL;
		}
	return NULL;
}

static bool
is_asked(const SheetQuery *sheet_query, const char *name)
{
	foreach_ptr(SheetAggregate, aggregate, sheet_query->aggregates)
		if (strcmp(aggregate->name, name) == 0)
			return true;
	return false;
}

static void
ask_aggregates(SheetQuery *sheet_query, const char *value)
{
	foreach_ptr(char, word, cat_query_string_split(value, ','))
	{
		SheetAggregate *aggregate = aggregate_of(sheet_query, word);

		if (!aggregate)
			cat_query_string_refuse(
				"aggregate", value,
				"It takes count, and count, sum, avg, min or max of a column in parentheses.");
		if (!is_asked(sheet_query, aggregate->name))
			sheet_query->aggregates = lappend(sheet_query->aggregates, aggregate);
	}
	require_few(sheet_query->aggregates, "aggregate", value);
}

void
cat_sheet_query_compare(SheetQuery *sheet_query, int column, Comparison comparison, List *values)
{
	SheetFilter *filter = sheet_filter_make(sheet_query->sheet, column, comparison, values);

	sheet_query->filters = filter->required ? lappend(sheet_query->filters, filter)
											: lcons(filter, sheet_query->filters);
}

void
cat_sheet_query_filter(SheetQuery *sheet_query, const char *name, const char *value)
{
	int column = cat_sheet_lookup_column(sheet_query->sheet, name);
	Comparison comparison = COMPARE_EQUAL;
	char *bare = pstrdup(name);

	if (column < 0)
	{
		comparison = cat_comparison_cut(bare);
		column = cat_sheet_lookup_column(sheet_query->sheet, bare);
	}
	if (column < 0 && strcmp(bare, "_id") != 0)
	{
		cat_ignored_add(sheet_query->params, name);
		return;
	}
	cat_sheet_query_compare(sheet_query, column, comparison, cat_query_string_values(value));
}

/* Parameters that refer to columns. */
static const struct
{
	const char *name;
	void (*ask)(SheetQuery *sheet_query, const char *value); /* NULL: the last one counts */
} askers[] = {
	{"fields", ask_fields},
	{"types", ask_types},
	{"groupBy", ask_groups},
	{"distinct", ask_distinct},
	{"facets", ask_facets},
	{"histogram", ask_histograms},
	{"aggregate", ask_aggregates},
	{"after", NULL},
	{"before", NULL},
	{"latitudeKey", NULL},
	{"longitudeKey", NULL},
	{"bbox", NULL},
	{"near", NULL},
	{"within", NULL},
	{"orderBy", NULL},
	{"sort", NULL},
};

static void
ask_of_columns(SheetQuery *sheet_query, const RequestWord *word)
{
	bool bare = cat_places_is_word(word->name) && !cat_geojson_known(sheet_query);

	for (size_t i = 0; !bare && i < lengthof(askers); i++)
		if (strcmp(askers[i].name, word->name) == 0)
		{
			if (askers[i].ask)
				askers[i].ask(sheet_query, word->value);
			return;
		}
	cat_sheet_query_filter(sheet_query, word->name, word->value);
}

/* Read the parameters of which the last value counts. */
static void
ask_last(SheetQuery *sheet_query)
{
	RequestParams *params = sheet_query->params;

	sheet_query->latitude = cat_request_params_word(sheet_query->words, "latitudeKey");
	sheet_query->longitude = cat_request_params_word(sheet_query->words, "longitudeKey");
	params->cursor = cat_request_params_word(sheet_query->words, "before");
	params->backwards = params->cursor != NULL;
	if (!params->cursor)
		params->cursor = cat_request_params_word(sheet_query->words, "after");
}

/*
 * Read the parameters that refer to columns; call cat_sheet_query_read_order() next.
 *
 * Raises OD422 for an invalid value.  Unknown names are ignored.
 */
void
cat_sheet_query_read_columns(SheetQuery *sheet_query)
{
	sheet_query->shown = palloc(sizeof(bool) * (sheet_query->sheet->ncolumns + 1));
	memset(sheet_query->shown, cat_request_params_word(sheet_query->words, "fields") == NULL,
		   sizeof(bool) * (sheet_query->sheet->ncolumns + 1));
	ask_last(sheet_query);
	foreach_ptr(RequestWord, word, sheet_query->words)
		ask_of_columns(sheet_query, word);
	if (cat_geojson_known(sheet_query))
	{
		cat_geojson_find(sheet_query);
		cat_places_ask(sheet_query, sheet_query->words);
	}
	if (sheet_query->params->cursor && (sheet_query->groups || sheet_query->aggregates))
		cat_query_string_refuse(sheet_query->params->backwards ? "before" : "after",
								sheet_query->params->cursor, "Groups have no cursors.");
	if (sheet_query->distinct && (cat_request_params_word(sheet_query->words, "groupBy") ||
								  cat_request_params_word(sheet_query->words, "aggregate")))
		cat_query_string_refuse("distinct", sheet_query->distinct,
								"It is not combined with groupBy and aggregate.");
	if (!sheet_query->distinct && sheet_query->groups != NIL && sheet_query->aggregates == NIL)
		ask_aggregates(sheet_query, "count");
}

/* Add a column to a list of numbers if there is something to tell of its values. */
static List *
add_noted(const SheetQuery *sheet_query, List *columns, int column)
{
	return column >= 0 && sheet_query->sheet->columns[column].note
			   ? list_append_unique_int(columns, column)
			   : columns;
}

List *
cat_sheet_query_lost(const SheetQuery *sheet_query)
{
	const Sheet *sheet = sheet_query->sheet;
	List *notes = NIL;

	if (sheet->longer > 0)
		notes = lappend(notes, psprintf("geometries of " INT64_FORMAT
										" rows are longer than 1 MiB as WKT, and left "
										"out here; /files/%s/download/geojson%s%s has them",
										sheet->longer, sheet_query->file,
										sheet_query->name ? "?sheet=" : "",
										sheet_query->name ? psprintf("%d", sheet->number) : ""));
	if (sheet->omitted > 0)
		notes = lappend(notes, psprintf("geometries of " INT64_FORMAT
										" rows are longer than 16 MiB as WKT, and left out; the "
										"file has them",
										sheet->omitted));
	return notes;
}

/* Return whether the geometries of the rows are shown as WKT. */
static bool
shows_geometry(const SheetQuery *sheet_query)
{
	const Sheet *sheet = sheet_query->sheet;
	int column =
		sheet->places[GEOMETRY] ? cat_sheet_lookup_column(sheet, sheet->places[GEOMETRY]) : -1;

	return column >= 0 && sheet_query->shown[column];
}

/* Append a note to a member of meta, which is empty before the first one. */
static void
append_note(StringInfo out, const char *note)
{
	appendStringInfo(out, "%s%s", out->len > 0 ? "," : "\"notes\":[", cat_json_quoted(note));
}

/*
 * Return a member of meta: notes on the columns that are compared, sorted, summed or grouped as texts
 * although most of their cells are numbers or dates, or as numbers that could mean others, and on
 * geometries that are left out; NULL if there are none.
 */
char *
cat_sheet_query_notes(const SheetQuery *sheet_query)
{
	bool grouped = sheet_query->groups || sheet_query->aggregates;
	StringInfo out = makeStringInfo();
	List *columns = NIL;

	foreach_ptr(const SheetFilter, filter, sheet_query->filters)
		if (cat_comparison_is_range(filter->comparison))
			columns = add_noted(sheet_query, columns, filter->column);
	foreach_ptr(const SheetOrder, order, grouped ? NIL : sheet_query->orders)
		columns = add_noted(sheet_query, columns, order->column);
	foreach_int(group, sheet_query->groups)
		columns = add_noted(sheet_query, columns, group);
	foreach_ptr(const SheetAggregate, aggregate, sheet_query->aggregates)
		if (aggregate->kind != AGGREGATE_COUNT)
			columns = add_noted(sheet_query, columns, aggregate->column);
	foreach_int(column, columns)
	{
		const SheetColumn *noted = &sheet_query->sheet->columns[column];

		append_note(out,
					psprintf("the column \"%s\"%s: %s", noted->name,
							 noted->kind == CELL_TEXT ? " is compared as text" : "", noted->note));
	}
	if (!grouped && shows_geometry(sheet_query))
		foreach_ptr(char, note, cat_sheet_query_lost(sheet_query))
			append_note(out, note);
	if (out->len > 0)
		appendStringInfoChar(out, ']');
	return out->len > 0 ? out->data : NULL;
}

void
cat_sheet_query_require_known(const SheetQuery *sheet_query)
{
	List *names = lappend(cat_request_params_common_words(), "sheet");

	for (size_t i = 0; i < lengthof(askers); i++)
		names = lappend(names, unconstify(char *, askers[i].name));
	for (int i = 0; sheet_query->sheet && i < sheet_query->sheet->ncolumns; i++)
		names = lappend(names, sheet_query->sheet->columns[i].name);
	cat_ignored_require_known(sheet_query->params->actor, sheet_query->params->ignored, names);
}

/* Apply the directions of the parameter "sort"; without orderBy to the number of the row. */
static void
ask_sort(SheetQuery *sheet_query, const char *value)
{
	ListCell *order;
	ListCell *direction;

	if (sheet_query->orders == NIL && sheet_query->groups == NIL && sheet_query->aggregates == NIL)
	{
		sheet_query->orders = list_make1(palloc0(sizeof(SheetOrder)));
		((SheetOrder *) linitial(sheet_query->orders))->column = ROW_NUMBER;
	}
	forboth(order, sheet_query->orders, direction,
			cat_request_params_directions(value, list_length(sheet_query->orders)))
		((SheetOrder *) lfirst(order))->descending = lfirst_int(direction);
}

/*
 * Read the sort order.
 *
 * column: returns the number of a named column, ROW_NUMBER for the row number, less if there is
 * none, which raises OD422.
 */
void
cat_sheet_query_read_order(SheetQuery *sheet_query, int (*column)(const SheetQuery *, const char *))
{
	const char *value = cat_request_params_word(sheet_query->words, "orderBy");
	const char *sort = cat_request_params_word(sheet_query->words, "sort");

	foreach_ptr(char, word, value ? cat_query_string_split(value, ',') : NIL)
	{
		SheetOrder *order = palloc0(sizeof(SheetOrder));

		order->column = column(sheet_query, word);
		if (order->column < ROW_NUMBER)
			cat_query_string_refuse("orderBy", value,
									cat_sheet_lookup_hint(sheet_query->sheet, list_make1("_id")));
		sheet_query->orders = lappend(sheet_query->orders, order);
	}
	require_few(sheet_query->orders, "orderBy", value);
	if (value && sheet_query->orders == NIL)
		cat_query_string_refuse("orderBy", value,
								cat_sheet_lookup_hint(sheet_query->sheet, list_make1("_id")));
	if (sort)
		ask_sort(sheet_query, sort);
}
