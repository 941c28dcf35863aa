/*
 * sheet_sql.c
 *	  SQL of statements over the rows of a sheet.
 *
 * In the text of a statement r.n is the number of a row, and $1 the scan that its cells are read from
 * (rows/sheets/cell_sql.c).
 */
#include "catalogue.h"

#include "utils/memutils.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/evaluate.h"

void
cat_sheet_sql_begin(SheetSql *sql, const SheetQuery *asked)
{
	cat_sql_builder_begin(&sql->query, asked->params->access, 0);
	sql->asked = asked;
	sql->scan = cat_sheet_scan_known(asked->sheet);
	cat_sheet_filter_begin(sql->scan, asked);
	cat_sql_builder_value(&sql->query, INT8OID, Int64GetDatum(sql->scan->number));
}

char *
cat_sheet_sql_cell(const char *function, int column)
{
	return psprintf("catalogue.cell_%s($1, r.n, %d)", function, column);
}

/* Return what a column is compared and sorted by; null for an empty cell. */
char *
cat_sheet_sql_value(const Sheet *sheet, int column)
{
	if (column == ROW_NUMBER)
		return pstrdup("r.n");
	if (sheet->columns[column].kind == CELL_TEXT)
		return psprintf("nullif(%s, '') COLLATE \"und-x-icu\"", cat_sheet_sql_cell("text", column));
	return psprintf("%s COLLATE \"C\"", cat_sheet_sql_cell("key", column));
}

/* Raise OD422 if there are more groups than are read. */
void
cat_sheet_sql_require_few_groups(int64 count)
{
	if (count > CAT_GROUPS_MAX)
		ereport(ERROR, (errcode(OD422), errmsg("there are too many groups"),
						errhint("At most %d groups are supported.", CAT_GROUPS_MAX)));
}

void
cat_sheet_sql_rows(SheetSql *sql, int64 first, int but)
{
	const char *start = cat_sql_builder_value(&sql->query, INT8OID, Int64GetDatum(first));

	if (cat_sheet_query_filters(sql->asked))
		appendStringInfo(&sql->query.sql,
						 " FROM (SELECT catalogue.cell_rows_kept($1, %s, %d) AS n) r", start, but);
	else
		appendStringInfo(&sql->query.sql, " FROM (SELECT catalogue.cell_rows($1, %s) AS n) r",
						 start);
}

/* Append the values that rows are sorted by as columns k0, k1 and so on, after a comma each. */
void
cat_sheet_sql_keys(SheetSql *sql)
{
	foreach_ptr(SheetOrder, order, sql->asked->orders)
		appendStringInfo(&sql->query.sql, ", %s AS k%d",
						 cat_sheet_sql_value(sql->asked->sheet, order->column),
						 foreach_current_index(order));
}

/* A sort key of that SQL; its values are numbers of rows (numeric, never null) or text. */
OrderTerm *
cat_sheet_sql_term(char *expression, const char *type, bool descending)
{
	OrderTerm *term = palloc0(sizeof(OrderTerm));

	term->sql = expression;
	term->type = type;
	term->descending = descending;
	term->nullable = strcmp(type, "numeric") != 0;
	return term;
}

/* Return the order of the rows h that have those columns: by them, then by row number. */
List *
cat_sheet_sql_terms(const SheetQuery *asked)
{
	List *terms = NIL;

	foreach_ptr(const SheetOrder, order, asked->orders)
		terms = lappend(terms, cat_sheet_sql_term(psprintf("h.k%d", foreach_current_index(order)),
												  order->column == ROW_NUMBER ? "numeric" : "text",
												  order->descending));
	return lappend(terms, cat_sheet_sql_term(pstrdup("h.n"), "numeric", false));
}

/*
 * Append the condition of the request's cursor after others, order, limit and offset of the rows h.
 * Those in front of a cursor come in the opposite order.
 */
void
cat_sheet_sql_page(SheetSql *sql, List *terms, int64 limit, int64 skip)
{
	const RequestParams *params = sql->asked->params;

	if (params->cursor)
	{
		appendStringInfoString(&sql->query.sql, " AND ");
		cat_order_terms_behind(&sql->query, terms, cat_order_terms_cursor(params, terms),
							   params->backwards);
	}
	/* rows are found in the order of their numbers */
	if (list_length(terms) > 1 || params->backwards)
		cat_order_terms_write(&sql->query, terms, params->backwards);
	appendStringInfo(
		&sql->query.sql, " LIMIT %s OFFSET %s",
		cat_sql_builder_value(&sql->query, INT8OID, Int64GetDatum(limit)),
		cat_sql_builder_value(&sql->query, INT8OID, Int64GetDatum(params->cursor ? 0 : skip)));
}
