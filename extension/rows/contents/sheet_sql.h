/*
 * sheet_sql.h
 *	  Statements over the rows of a sheet.
 */
#ifndef CATALOGUE_CONTENTS_SHEET_SQL_H
#define CATALOGUE_CONTENTS_SHEET_SQL_H

#include "catalogue.h"

#include "query/terms.h"
#include "rows/contents/contents.h"

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

/* sheet_query.c */

extern void cat_sheet_filter_write(SheetSql *sql, const char *before, int but);

/* sheet_lookup.c */

/* Begin a statement on the rows that are asked for, in the current memory context. */
extern void cat_sheet_sql_begin(SheetSql *sql, const SheetQuery *asked);
/* Return the call of a function on the cell of a column. */
extern char *cat_sheet_sql_cell(const char *function, int column);
extern char *cat_sheet_sql_value(const Sheet *sheet, int column);
extern char *cat_sheet_sql_group(const Sheet *sheet, int column, const char *text);
extern char *cat_sheet_sql_group_key(const Sheet *sheet, int column, const char *group);
extern void cat_sheet_sql_require_few_groups(int64 count);
/* Append FROM and WHERE: the rows from the first one on, without the filters on a column. */
extern void cat_sheet_sql_rows(SheetSql *sql, int64 first, int but);
extern void cat_sheet_sql_keys(SheetSql *sql);
extern OrderTerm *cat_sheet_sql_term(char *expression, const char *type, bool descending);
extern void cat_sheet_sql_page(SheetSql *sql, List *terms, int64 limit, int64 skip);
extern List *cat_sheet_sql_terms(const SheetQuery *asked);

#endif /* CATALOGUE_CONTENTS_SHEET_SQL_H */
