/*
 * sheet_query.c
 *	  Query string of a request for rows of a file.
 *
 * It is read in two steps: first the page and the sheet; then, when the columns are known, the
 * parameters that refer to them.
 */
#include "catalogue.h"

#include "base/base.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "query/query.h"
#include "registry/registry.h"

#define ORDER_HINT "It takes columns of the sheet, or _id."

pg_noreturn static void
refuse(const char *name, const char *value, const char *expected)
{
	ereport(ERROR,
			(errcode(OD422), errmsg("invalid value for parameter \"%s\": \"%s\"", name, value),
			 errhint("%s", expected)));
}

static void
ask_word(SheetQuery *asked, char *name, char *value)
{
	SheetWord *word;

	if (cat_request_params_read_common(asked->params, name, value))
		asked->limited |= strcmp(name, "limit") == 0 && strcmp(value, "0") != 0;
	else if (strcmp(name, "sheet") == 0)
		asked->name = *value ? value : NULL;
	else
	{
		word = palloc(sizeof(SheetWord));
		word->name = name;
		word->value = value;
		asked->words = lappend(asked->words, word);
	}
}

/* Read the parameters of page and sheet.  Raises OD422 for an invalid value. */
SheetQuery *
cat_sheet_query_read(const char *query, const Actor *actor)
{
	SheetQuery *asked = palloc0(sizeof(SheetQuery));
	Resource *files = cat_registry_resource("files");
	char *name;
	char *value;

	cat_visibility_require(files, actor->access);
	asked->params = cat_request_params_begin(files, query, actor);
	while (cat_query_string_next(&query, &name, &value))
		ask_word(asked, name, value);
	return asked;
}

static void
ask_fields(SheetQuery *asked, const char *value)
{
	ListCell *cell;

	memset(asked->shown, false, sizeof(bool) * (asked->sheet->ncolumns + 1));
	foreach(cell, cat_query_string_split(value, ','))
	{
		int column = cat_sheet_lookup_column(asked->sheet, lfirst(cell));

		if (column >= 0)
			asked->shown[column] = true;
		else if (strcmp(lfirst(cell), "_id") != 0 && *(char *) lfirst(cell))
			cat_ignored_add(asked->params, lfirst(cell));
	}
}

static void
ask_types(SheetQuery *asked, const char *value)
{
	if (!cat_literal_boolean(value))
		refuse("types", value, "It takes true or false.");
	asked->typed = strcmp(value, "true") == 0;
}

static void
ask_latitude(SheetQuery *asked, const char *value)
{
	asked->latitude = value;
}

static void
ask_longitude(SheetQuery *asked, const char *value)
{
	asked->longitude = value;
}

/* Read the grouping columns. */
static void
ask_groups(SheetQuery *asked, const char *value)
{
	ListCell *cell;

	foreach(cell, cat_query_string_split(value, ','))
	{
		int column = cat_sheet_lookup_column(asked->sheet, lfirst(cell));

		if (column < 0)
			refuse("groupBy", value, "It takes columns of the sheet.");
		asked->groups = list_append_unique_int(asked->groups, column);
	}
}

/*
 * Return an aggregate: count, or a function name with a column in parentheses; NULL if it is
 * invalid.
 */
static SheetAggregate *
aggregate_of(const SheetQuery *asked, const char *word)
{
	static const char *const names[] = {"count", "sum", "avg", "min", "max"};
	SheetAggregate *aggregate = palloc0(sizeof(SheetAggregate));
	const char *open = strchr(word, '(');
	size_t length = open ? (size_t) (open - word) : strlen(word);

	aggregate->name = pstrdup(word);
	aggregate->column = -1;
	if (open && word[strlen(word) - 1] == ')')
		aggregate->column =
			cat_sheet_lookup_column(asked->sheet, pnstrdup(open + 1, strlen(open) - 2));
	for (size_t i = 0; i < lengthof(names); i++)
		if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0)
		{
			aggregate->kind = (AggregateKind) i;
			return aggregate->column >= 0 || (i == AGGREGATE_COUNT && !open) ? aggregate : NULL;
		}
	return NULL;
}

static bool
is_told(const SheetQuery *asked, const char *name)
{
	ListCell *cell;

	foreach(cell, asked->aggregates)
		if (strcmp(((SheetAggregate *) lfirst(cell))->name, name) == 0)
			return true;
	return false;
}

static void
ask_aggregates(SheetQuery *asked, const char *value)
{
	ListCell *cell;

	foreach(cell, cat_query_string_split(value, ','))
	{
		SheetAggregate *aggregate = aggregate_of(asked, lfirst(cell));

		if (!aggregate)
			refuse("aggregate", value,
				   "It takes count, and count, sum, avg, min or max of a column in parentheses.");
		if (!is_told(asked, aggregate->name))
			asked->aggregates = lappend(asked->aggregates, aggregate);
	}
}

static void
ask_filter(SheetQuery *asked, const char *name, const char *value)
{
	int column = cat_sheet_lookup_column(asked->sheet, name);
	Comparison comparison = COMPARE_EQUAL;
	char *bare = pstrdup(name);
	SheetFilter *filter;

	if (column < 0)
	{
		comparison = cat_comparison_cut(bare);
		column = cat_sheet_lookup_column(asked->sheet, bare);
	}
	if (column < 0 && strcmp(bare, "_id") != 0)
	{
		cat_ignored_add(asked->params, name);
		return;
	}
	filter =
		cat_sheet_filter_make(asked->sheet, column, comparison, cat_query_string_values(value));
	asked->filters =
		filter->required ? lappend(asked->filters, filter) : lcons(filter, asked->filters);
}

/* Parameters that refer to columns. */
static const struct
{
	const char *name;
	void (*ask)(SheetQuery *asked,
				const char *value); /* NULL: read by cat_sheet_query_read_order() */
} askers[] = {
	{"fields", ask_fields},
	{"types", ask_types},
	{"groupBy", ask_groups},
	{"aggregate", ask_aggregates},
	{"latitudeKey", ask_latitude},
	{"longitudeKey", ask_longitude},
	{"orderBy", NULL},
	{"sort", NULL},
};

static void
ask_of_columns(SheetQuery *asked, const SheetWord *word)
{
	for (size_t i = 0; i < lengthof(askers); i++)
		if (strcmp(askers[i].name, word->name) == 0)
		{
			if (askers[i].ask)
				askers[i].ask(asked, word->value);
			return;
		}
	ask_filter(asked, word->name, word->value);
}

/*
 * Read the parameters that refer to columns; call cat_sheet_query_read_order() next.
 *
 * Raises OD422 for an invalid value.  Unknown names are ignored.
 */
void
cat_sheet_query_read_columns(SheetQuery *asked)
{
	ListCell *cell;

	asked->shown = palloc(sizeof(bool) * (asked->sheet->ncolumns + 1));
	memset(asked->shown, true, sizeof(bool) * (asked->sheet->ncolumns + 1));
	foreach(cell, asked->words)
		ask_of_columns(asked, lfirst(cell));
	if (asked->groups != NIL && asked->aggregates == NIL)
		ask_aggregates(asked, "count");
}

/* Raise OD422 if there are unknown names and the caller asked for strict handling. */
void
cat_sheet_query_require_known(const SheetQuery *asked)
{
	List *names = lappend(cat_request_params_common_words(), "sheet");

	for (size_t i = 0; i < lengthof(askers); i++)
		names = lappend(names, unconstify(char *, askers[i].name));
	for (int i = 0; asked->sheet && i < asked->sheet->ncolumns; i++)
		names = lappend(names, asked->sheet->columns[i].name);
	cat_ignored_require_known(asked->params->actor, asked->params->ignored, names);
}

/* Return the last value of a parameter; NULL if it is absent. */
static const char *
value_of(const SheetQuery *asked, const char *name)
{
	const char *value = NULL;
	ListCell *cell;

	foreach(cell, asked->words)
		if (strcmp(((SheetWord *) lfirst(cell))->name, name) == 0)
			value = ((SheetWord *) lfirst(cell))->value;
	return value;
}

/*
 * Apply one direction to each column of orderBy; the last one given holds for the remaining
 * columns.
 */
static void
ask_sort(SheetQuery *asked, const char *value)
{
	List *words = cat_query_string_split(value, ',');
	ListCell *cell;

	foreach(cell, words)
		if (pg_strcasecmp(lfirst(cell), "ASC") != 0 && pg_strcasecmp(lfirst(cell), "DESC") != 0)
			refuse("sort", value, "It takes ASC or DESC.");
	if (words == NIL)
		refuse("sort", value, "It takes ASC or DESC.");
	if (asked->orders == NIL && asked->groups == NIL && asked->aggregates == NIL)
	{
		SheetOrder *order = palloc0(sizeof(SheetOrder));

		order->column = ROW_NUMBER;
		asked->orders = list_make1(order);
	}
	foreach(cell, asked->orders)
	{
		SheetOrder *order = lfirst(cell);
		int at = Min(foreach_current_index(cell), list_length(words) - 1);

		order->descending = pg_strcasecmp(list_nth(words, at), "DESC") == 0;
	}
}

/*
 * Read the sort order.
 *
 * column: returns the number of a named column, ROW_NUMBER for the row number, less if there is
 * none, which raises OD422.
 */
void
cat_sheet_query_read_order(SheetQuery *asked, int (*column)(const SheetQuery *, const char *))
{
	const char *value = value_of(asked, "orderBy");
	const char *sort = value_of(asked, "sort");
	ListCell *cell;

	foreach(cell, value ? cat_query_string_split(value, ',') : NIL)
	{
		SheetOrder *order = palloc0(sizeof(SheetOrder));

		order->column = column(asked, lfirst(cell));
		if (order->column < ROW_NUMBER)
			refuse("orderBy", value, ORDER_HINT);
		asked->orders = lappend(asked->orders, order);
	}
	if (value && asked->orders == NIL)
		refuse("orderBy", value, ORDER_HINT);
	if (sort)
		ask_sort(asked, sort);
}
