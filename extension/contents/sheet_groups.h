/*
 * sheet_groups.h
 *	  Groups of rows, and counts of them by values and ranges.
 */
#ifndef CATALOGUE_CONTENTS_SHEET_GROUPS_H
#define CATALOGUE_CONTENTS_SHEET_GROUPS_H

#include "catalogue.h"

#include "call/call.h"
#include "contents/contents.h"

/* sheet_groups.c */

/* The place of a column among the values of a group; less than ROW_NUMBER where there is none. */
extern int cat_sheet_groups_column(const SheetQuery *sheet_query, const char *name);
/* Read a page of groups into the reply: data, count, returned. */
extern void cat_sheet_groups_page(const SheetQuery *sheet_query, CallReply *reply);

/* sheet_facets.c */

/* The facets that are asked for as a member of "meta", palloc'd; NULL for none. */
extern char *cat_sheet_facets(const SheetQuery *sheet_query);
/* The histograms that are asked for as a member of "meta", palloc'd; NULL for none. */
extern char *cat_sheet_histograms(const SheetQuery *sheet_query);

#endif /* CATALOGUE_CONTENTS_SHEET_GROUPS_H */
