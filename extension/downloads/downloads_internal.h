/*
 * downloads_internal.h
 *	  Downloads of a part of the rows: used inside downloads/ only.
 */
#ifndef CATALOGUE_DOWNLOADS_DOWNLOADS_INTERNAL_H
#define CATALOGUE_DOWNLOADS_DOWNLOADS_INTERNAL_H

#include "catalogue.h"

#include "files/download_formats.h"
#include "rows/contents/contents.h"

/* download.c */

/* Return the word for those who see what an actor sees. */
extern const char *cat_download_audience(const Actor *actor);
/* Return the format of a name, -1 for an unknown one, also of NULL. */
extern int cat_download_format(const char *name);

/* workbook_rows.c */

/* Return what selects the rows that a request is for, of a visible file, as JSON: the query without what does not count,
 * and who reads them; NULL for all rows as they are, in a workbook.  Raises OD422 for an invalid value of a parameter,
 * OD409 for a file that is not read, OD406 for a trusted database user, as whom the worker does not read, and for rows
 * without places, or with too many columns, where the format has these. */
extern char *cat_workbook_rows_selection(const Actor *actor, FunctionCallInfo fcinfo,
										 const CallArguments *args, const char *file,
										 DownloadFormat format);

/* Raise OD406 for more columns than a format has, and for a trusted database user. */
extern void cat_workbook_rows_require(const SheetQuery *asked, const Actor *actor,
									  DownloadFormat format);
/* Return the parameters of a query that select rows, in the order of their names, and whether values have their types. */
extern char *cat_workbook_rows_query(const RequestParams *params, const char *query, bool typed);
/* Return query and actor, and the sheet of an area, which changes with its file, as JSON. */
extern char *cat_workbook_rows_json(const char *query, const SheetQuery *asked, const Actor *actor);
/* Return rows, at least as many as there are, with columns of a sheet as the data that catalogue.convert_selection()
 * has. */
extern StringInfo cat_workbook_rows_describe(const char *name, int64 rows, const SheetQuery *asked);

#endif /* CATALOGUE_DOWNLOADS_DOWNLOADS_INTERNAL_H */
