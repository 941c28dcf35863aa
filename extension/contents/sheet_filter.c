/*
 * sheet_filter.c
 *	  Filters on the columns of a sheet, as SQL.
 *
 * Text is compared ignoring case and accents, in ranges by the collation of the sort.  Other columns
 * are compared by their keys.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "contents/sheet_sql.h"
#include "query/query.h"
#include "sheets/sheets.h"

/* Maximum number of values of a filter, as for fields of a list. */
#define VALUES_MAX 100

pg_noreturn static void
refuse(const SheetColumn *column, const char *value)
{
	ereport(ERROR,
			(errcode(OD422), errmsg("invalid value for filter \"%s\": \"%s\"", column->name, value),
			 errhint("The column is of type %s.", cat_cell_kind_name(column->kind))));
}

/*
 * Return a value of a filter by the type of the column, in the syntax of JSON or in that of the
 * column.  Raises OD422 if it fits neither.
 */
static CellValue *
read_value(const SheetColumn *column, const char *text)
{
	CellValue *value = palloc0(sizeof(CellValue));
	SheetColumn literal = *column;

	/* the value points into the text */
	text = pstrdup(text);
	literal.format = NULL;
	literal.point = '.';
	if (!cat_cell_value(&literal, text, (int) strlen(text), value) &&
		!cat_cell_value(column, text, (int) strlen(text), value))
		refuse(column, text);
	return value;
}

/*
 * Make a filter that compares a column with values.
 *
 * column: ROW_NUMBER for the number of the row.  Raises OD422 for a value that does not fit the
 * column.
 */
SheetFilter *
cat_sheet_filter_make(const Sheet *sheet, int column, Comparison comparison, List *values)
{
	static const SheetColumn number = {.name = "_id", .kind = CELL_INTEGER, .point = '.'};
	SheetFilter *filter = palloc0(sizeof(SheetFilter));
	ListCell *cell;

	filter->column = column;
	filter->is = column == ROW_NUMBER ? &number : &sheet->columns[column];
	filter->comparison = comparison;
	filter->required = comparison != COMPARE_EQUAL;
	if (list_length(values) > VALUES_MAX)
		ereport(ERROR,
				(errcode(OD422), errmsg("too many values for filter \"%s\"", filter->is->name),
				 errhint("A filter on rows takes at most %d.", VALUES_MAX)));
	foreach(cell, values)
		if (lfirst(cell))
			filter->values =
				lappend(filter->values, filter->is->kind == CELL_TEXT
											? pstrdup(lfirst(cell))
											: (void *) read_value(filter->is, lfirst(cell)));
		else if (cat_comparison_is_range(comparison))
			refuse(filter->is, "null");
		else
			filter->empty = true;
	return filter;
}

/* Append the condition that a cell has one of the texts: each for itself. */
static void
write_search(SheetSql *sql, const SheetFilter *filter)
{
	static const int places[] = {[MATCH_CONTAINS] = 0, [MATCH_BEGINS] = 1, [MATCH_ENDS] = 2};
	ListCell *cell;

	foreach(cell, filter->values)
		appendStringInfo(
			&sql->query.sql, "%scatalogue.cell_has($1, r.n, %d, %s, %d)",
			foreach_current_index(cell) > 0 ? " OR " : "", filter->column,
			cat_sql_builder_param(&sql->query, cat_fold_text(lfirst(cell), strlen(lfirst(cell)))),
			places[sql->asked->params->match]);
}

/* Append the condition on a column of text. */
static void
write_text(SheetSql *sql, const SheetFilter *filter)
{
	bool range = cat_comparison_is_range(filter->comparison);
	Datum *bounds = palloc(sizeof(Datum) * (size_t) list_length(filter->values));
	ListCell *cell;

	if (!range && sql->asked->params->match != MATCH_EXACT)
	{
		write_search(sql, filter);
		return;
	}
	foreach(cell, filter->values)
		bounds[foreach_current_index(cell)] = CStringGetTextDatum(
			range ? lfirst(cell) : cat_fold_text(lfirst(cell), strlen(lfirst(cell))));
	cat_filter_value_any(&sql->query,
						 range ? cat_sheet_sql_value(sql->asked->sheet, filter->column)
							   : cat_sheet_sql_cell("folded", filter->column),
						 cat_comparison_sql(filter->comparison), TEXTOID, bounds,
						 list_length(filter->values));
}

/* Return the key of an instant or of another value. */
static Datum
key_of(const SheetFilter *filter, const CellValue *value)
{
	char key[CELL_KEY_MAX];

	return PointerGetDatum(cstring_to_text_with_len(key, cat_cell_key(key, filter->is, value)));
}

/* Append a comparison of an instant with a day, which lasts from one key to another. */
static void
write_day(SheetSql *sql, const SheetFilter *filter, const char *column, CellValue day)
{
	const char *start = cat_sql_builder_value(&sql->query, TEXTOID, key_of(filter, &day));

	day.instant += USECS_PER_DAY;
	cat_filter_value_day(&sql->query, column, cat_comparison_sql(filter->comparison), start,
						 cat_sql_builder_value(&sql->query, TEXTOID, key_of(filter, &day)));
}

/* Append the condition on the number of the row or on a column that is not text. */
static void
write_values(SheetSql *sql, const SheetFilter *filter)
{
	bool is_number = filter->column == ROW_NUMBER;
	const char *column =
		is_number ? "r.n::numeric" : cat_sheet_sql_value(sql->asked->sheet, filter->column);
	Datum *keys = palloc(sizeof(Datum) * (size_t) list_length(filter->values));
	const char *separator = "";
	int count = 0;
	ListCell *cell;

	foreach(cell, filter->values)
	{
		const CellValue *value = lfirst(cell);

		if (filter->is->kind != CELL_DATETIME || !value->day)
		{
			keys[count++] = is_number ? cat_cell_numeric(&value->number) : key_of(filter, value);
			continue;
		}
		appendStringInfoString(&sql->query.sql, separator);
		write_day(sql, filter, column, *value);
		separator = " OR ";
	}
	if (count == 0)
		return;
	appendStringInfoString(&sql->query.sql, separator);
	cat_filter_value_any(&sql->query, column, cat_comparison_sql(filter->comparison),
						 is_number ? NUMERICOID : TEXTOID, keys, count);
}

/* Append the condition of a filter. */
static void
write_filter(SheetSql *sql, const SheetFilter *filter)
{
	StringInfo out = &sql->query.sql;

	appendStringInfoString(out, "((");
	if (filter->empty && filter->column == ROW_NUMBER)
		appendStringInfoString(out, "false");
	else if (filter->empty)
		appendStringInfo(out, "coalesce(%s, '') = ''", cat_sheet_sql_cell("text", filter->column));
	if (filter->empty && filter->values)
		appendStringInfoString(out, " OR ");
	if (filter->values && filter->is->kind == CELL_TEXT)
		write_text(sql, filter);
	else if (filter->values)
		write_values(sql, filter);
	else if (!filter->empty)
		appendStringInfoString(out, "false");
	appendStringInfoString(out, filter->comparison == COMPARE_NOT_EQUAL ? ") IS NOT TRUE)" : "))");
}

/*
 * Append the filters, except those on one column, behind a text; nothing if there are none.
 *
 * The parameter "condition" makes filters alternatives, which come first; one of them must hold, and
 * all that are required.
 */
void
cat_sheet_filter_write(SheetSql *sql, const char *before, int but)
{
	const char *separator = "(";
	bool open = false;
	ListCell *cell;

	foreach(cell, sql->asked->filters)
	{
		const SheetFilter *filter = lfirst(cell);
		bool alternative = !filter->required && !sql->asked->params->all;

		if (filter->column == but && but != ROW_NUMBER)
			continue;
		if (!open)
			appendStringInfoString(&sql->query.sql, before);
		else if (!alternative)
			separator = ") AND (";
		appendStringInfoString(&sql->query.sql, separator);
		write_filter(sql, filter);
		separator = " OR ";
		open = true;
	}
	if (open)
		appendStringInfoChar(&sql->query.sql, ')');
}
