/*
 * downloads_internal.h
 *	  Downloads of a part of the rows: used inside downloads/ only.
 */
#ifndef CATALOGUE_DOWNLOADS_DOWNLOADS_INTERNAL_H
#define CATALOGUE_DOWNLOADS_DOWNLOADS_INTERNAL_H

#include "catalogue.h"

/* workbook_rows.c */

/* Return what selects the rows that a request is for, of a visible file, as JSON: the query without what does not count,
 * and who reads them; NULL for all rows as they are.  Raises OD422 for an invalid value of a parameter, OD409 for a file
 * that is not read, OD406 for a trusted database user, as whom the worker does not read. */
extern char *cat_workbook_rows_selection(const Actor *actor, FunctionCallInfo fcinfo,
										 const CallArguments *args, const char *file);

#endif /* CATALOGUE_DOWNLOADS_DOWNLOADS_INTERNAL_H */
