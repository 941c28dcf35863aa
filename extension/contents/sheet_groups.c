/*
 * sheet_groups.c
 *	  Groups of a sheet's rows and their aggregates, as a list.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"

#include "base/base.h"
#include "call/call.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "contents/sheet_groups.h"
#include "contents/sheet_sql.h"
#include "sheets/sheets.h"

/* Type of counts, sums and averages. */
static const SheetColumn number = {.kind = CELL_DECIMAL, .point = '.'};

/* SQL of an aggregate; %s: a value, a number, or the cell's scan, row and column. */
static const struct
{
	const char *function; /* on the cell, NULL: cat_sheet_sql_value() */
	const char *sql;
} aggregates[] = {
	[AGGREGATE_COUNT] = {NULL, "count(%s)"},
	[AGGREGATE_SUM] = {"number", "sum(%s)"},
	[AGGREGATE_AVG] = {"number", "trim_scale(avg(%s))"},
	[AGGREGATE_MIN] = {"least", "%s"},
	[AGGREGATE_MAX] = {"greatest", "%s"},
};

/*
 * Return the index of a column among the values of a group; less than ROW_NUMBER if there is none.
 */
int
cat_sheet_groups_column(const SheetQuery *sheet_query, const char *name)
{
	ListCell *cell;

	foreach(cell, sheet_query->groups)
		if (strcmp(sheet_query->sheet->columns[lfirst_int(cell)].name, name) == 0)
			return foreach_current_index(cell);
	foreach(cell, sheet_query->aggregates)
		if (strcmp(((SheetAggregate *) lfirst(cell))->name, name) == 0)
			return list_length(sheet_query->groups) + foreach_current_index(cell);
	return ROW_NUMBER - 1;
}

static bool
is_end(const SheetAggregate *aggregate)
{
	return aggregate->kind == AGGREGATE_MIN || aggregate->kind == AGGREGATE_MAX;
}

/* Return what an aggregate's values are. */
static const SheetColumn *
type_of(const SheetQuery *sheet_query, const SheetAggregate *aggregate)
{
	return is_end(aggregate) ? &sheet_query->sheet->columns[aggregate->column] : &number;
}

/* Raise OD422 for a sum or average of a column that is not numeric. */
static void
require_numbers(const SheetQuery *sheet_query)
{
	ListCell *cell;

	foreach(cell, sheet_query->aggregates)
	{
		const SheetAggregate *aggregate = lfirst(cell);
		CellKind kind = aggregate->column < 0 ? CELL_INTEGER
											  : sheet_query->sheet->columns[aggregate->column].kind;

		if ((aggregate->kind == AGGREGATE_SUM || aggregate->kind == AGGREGATE_AVG) &&
			kind != CELL_INTEGER && kind != CELL_DECIMAL)
			ereport(ERROR,
					(errcode(OD422),
					 errmsg("invalid value for parameter \"aggregate\": \"%s\"", aggregate->name),
					 errhint("The column is of type %s.", cat_cell_kind_name(kind))));
	}
}

/* Append the groups: the number of the first row, columns g0, g1 and so on, aggregates. */
static void
write_groups(SheetSql *sql)
{
	const SheetQuery *asked = sql->asked;
	int count = 0;
	ListCell *cell;

	appendStringInfoString(&sql->query.sql, "SELECT min(r.n) AS n");
	foreach(cell, asked->groups)
		appendStringInfo(&sql->query.sql, ", %s AS g%d",
						 cat_sheet_sql_group(asked->sheet, lfirst_int(cell), "text"), count++);
	foreach(cell, asked->aggregates)
	{
		const SheetAggregate *aggregate = lfirst(cell);
		const char *function = aggregates[aggregate->kind].function;
		const char *of = aggregate->column < 0 ? "*"
						 : function			   ? cat_sheet_sql_cell(function, aggregate->column)
									: cat_sheet_sql_value(asked->sheet, aggregate->column);

		appendStringInfoString(&sql->query.sql, ", ");
		appendStringInfo(&sql->query.sql, aggregates[aggregate->kind].sql, of);
		appendStringInfo(&sql->query.sql, " AS g%d", count++);
	}
	cat_sheet_sql_rows(sql, 1, ROW_NUMBER);
	for (int i = 0; i < list_length(asked->groups); i++)
		appendStringInfo(&sql->query.sql, "%s %d", i == 0 ? " GROUP BY" : ",", i + 2);
	/* one more tells that there are too many */
	appendStringInfo(&sql->query.sql, " LIMIT %d", CAT_GROUPS_MAX + 1);
}

/* Return what groups are sorted by. */
static char *
sort_key(const SheetQuery *asked, int place)
{
	const SheetAggregate *aggregate;
	const SheetColumn *column;

	if (place < list_length(asked->groups))
		return cat_sheet_sql_group_key(asked->sheet, list_nth_int(asked->groups, place),
									   psprintf("g%d", place));
	aggregate = list_nth(asked->aggregates, place - list_length(asked->groups));
	column = type_of(asked, aggregate);
	if (column == &number)
		return psprintf("g%d", place);
	if (column->kind == CELL_TEXT)
		return psprintf("g%d COLLATE \"und-x-icu\"", place);
	return psprintf("catalogue.cell_key_of($1, %d, g%d) COLLATE \"C\"", aggregate->column, place);
}

/*
 * Write the statement of a page of groups.  The first column of the result is their number; a page
 * that has none is a row of nulls.
 */
static void
write_statement(SheetSql *sql)
{
	const SheetQuery *asked = sql->asked;
	List *terms = NIL;
	ListCell *cell;

	appendStringInfoString(&sql->query.sql, "WITH g AS (");
	write_groups(sql);
	appendStringInfoString(&sql->query.sql, ") SELECT (SELECT count(*) FROM g), r.found");
	foreach(cell, asked->groups)
		appendStringInfo(&sql->query.sql, ", %s", cat_sheet_sql_cell("text", lfirst_int(cell)));
	for (int i = 0; i < list_length(asked->aggregates); i++)
		appendStringInfo(&sql->query.sql, ", r.g%d", list_length(asked->groups) + i);
	appendStringInfoString(&sql->query.sql,
						   " FROM (SELECT) one LEFT JOIN (SELECT g.*, true AS found FROM g");
	foreach(cell, asked->orders)
	{
		const SheetOrder *order = lfirst(cell);

		terms = lappend(
			terms, cat_sheet_sql_term(sort_key(asked, order->column), "text", order->descending));
	}
	terms = lappend(terms, cat_sheet_sql_term(pstrdup("n"), "numeric", false));
	cat_order_terms_write(&sql->query, terms, false);
	appendStringInfo(
		&sql->query.sql, " LIMIT %s OFFSET %s) r ON true",
		cat_sql_builder_value(&sql->query, INT4OID, Int32GetDatum(asked->params->limit)),
		cat_sql_builder_value(&sql->query, INT8OID, Int64GetDatum(asked->params->skip)));
}

static void
append_value(StringInfo out, const char *name, const SheetColumn *column, const char *value,
			 bool typed)
{
	appendStringInfoString(out, out->data[out->len - 1] == '{' ? "" : ",");
	cat_json_text_string(out, name);
	appendStringInfoCharMacro(out, ':');
	if (!value)
		appendStringInfoString(out, "null");
	else
		cat_sheet_row_json_cell(out, column, value, (int) strlen(value),
								typed || column == &number);
}

/* Append a group from a row of the result, whose values begin in the third column. */
static void
append_group(StringInfo out, const SheetQuery *sheet_query, HeapTuple tuple)
{
	TupleDesc desc = SPI_tuptable->tupdesc;
	int at = 3;
	ListCell *cell;

	appendStringInfoCharMacro(out, '{');
	foreach(cell, sheet_query->groups)
	{
		const SheetColumn *column = &sheet_query->sheet->columns[lfirst_int(cell)];

		append_value(out, column->name, column, SPI_getvalue(tuple, desc, at++),
					 sheet_query->typed);
	}
	foreach(cell, sheet_query->aggregates)
	{
		const SheetAggregate *aggregate = lfirst(cell);

		append_value(out, aggregate->name, type_of(sheet_query, aggregate),
					 SPI_getvalue(tuple, desc, at++), sheet_query->typed);
	}
	appendStringInfoCharMacro(out, '}');
}

/* Fill in the reply with a page of groups: data, count, returned. */
void
cat_sheet_groups_page(const SheetQuery *sheet_query, CallReply *reply)
{
	SheetSql sql;

	require_numbers(sheet_query);
	cat_sheet_sql_begin(&sql, sheet_query);
	write_statement(&sql);
	cat_sql_builder_run(&sql.query);
	reply->data = makeStringInfo();
	reply->count = cat_result_int64(1);
	cat_sheet_sql_require_few_groups(reply->count);
	appendStringInfoChar(reply->data, '[');
	for (uint64 i = 0; i < SPI_processed && cat_result_bool(2); i++)
	{
		if (reply->returned++ > 0)
			appendStringInfoChar(reply->data, ',');
		append_group(reply->data, sheet_query, SPI_tuptable->vals[i]);
	}
	appendStringInfoChar(reply->data, ']');
}
