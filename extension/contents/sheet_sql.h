/*
 * sheet_sql.h
 *	  Statements over the rows of a sheet.
 */
#ifndef CATALOGUE_CONTENTS_SHEET_SQL_H
#define CATALOGUE_CONTENTS_SHEET_SQL_H

#include "catalogue.h"

#include "contents/contents.h"
#include "query/terms.h"

/* Maximum number of groups. */
#define CAT_GROUPS_MAX 10000
/* What a group begins with whose cells are no values of their column; keys do not. */
#define CAT_GROUP_OF_TEXT "~"

/* A statement over the rows r of a sheet, where r.n is the number of a row, and $1 the scan. */
typedef struct SheetSql
{
	SqlBuilder query;
	const SheetQuery *asked;
	ChunkScan *scan;
} SheetSql;

/* sheet_filter.c */

/* Write the filters behind a text, nothing if there are none.  but: without those on a column;
 * ROW_NUMBER: all. */
extern void cat_sheet_filter_write(SheetSql *sql, const char *before, int but);

/* sheet_sql.c */

/* Begin a statement; its scan lasts as long as the present memory context. */
extern void cat_sheet_sql_begin(SheetSql *sql, const SheetQuery *asked);
/* The call of a function on the cell of a column. */
extern char *cat_sheet_sql_cell(const char *function, int column);
/* What a column is compared and sorted by, null for an empty cell; or the number of the row. */
extern char *cat_sheet_sql_value(const Sheet *sheet, int column);
/* What rows are grouped by; text: the function for the cells of a column of text. */
extern char *cat_sheet_sql_group(const Sheet *sheet, int column, const char *text);
/* What those groups are sorted by. */
extern char *cat_sheet_sql_group_key(const Sheet *sheet, int column, const char *group);
/* OD422 for more groups than CAT_GROUPS_MAX. */
extern void cat_sheet_sql_require_few_groups(int64 count);
/* Write FROM and WHERE: the rows r from a number on that meet the filters, but for those on a column. */
extern void cat_sheet_sql_rows(SheetSql *sql, int64 first, int but);
/* Write what the rows are sorted by as columns k0, k1 and so on, each with a comma before it. */
extern void cat_sheet_sql_keys(SheetSql *sql);
/* A sort key of that SQL; its values are numbers of rows (numeric, never null) or text. */
extern OrderTerm *cat_sheet_sql_term(char *expression, const char *type, bool descending);
/* Write, behind WHERE and a condition, which of the rows h are the page: cursor, order, limit. */
extern void cat_sheet_sql_page(SheetSql *sql, List *terms, int64 limit, int64 skip);
/* The order of the rows h that have those columns and n, a List of OrderTerm *. */
extern List *cat_sheet_sql_terms(const SheetQuery *asked);

#endif /* CATALOGUE_CONTENTS_SHEET_SQL_H */
