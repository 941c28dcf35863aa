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

extern int cat_sheet_groups_column(const SheetQuery *sheet_query, const char *name);
extern void cat_sheet_groups_page(const SheetQuery *sheet_query, CallReply *reply);
extern char *cat_sheet_facets(const SheetQuery *sheet_query);
extern char *cat_sheet_histograms(const SheetQuery *sheet_query);

#endif /* CATALOGUE_CONTENTS_SHEET_GROUPS_H */
