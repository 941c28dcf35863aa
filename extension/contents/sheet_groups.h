/*
 * sheet_groups.h
 *	  Groups of rows, and counts of them by values and ranges.
 */
#ifndef CATALOGUE_CONTENTS_SHEET_GROUPS_H
#define CATALOGUE_CONTENTS_SHEET_GROUPS_H

#include "catalogue.h"

#include "call/call.h"
#include "contents/contents.h"

/* Rows with the same texts in one or two columns. */
typedef struct LabelGroup
{
	char *labels[2]; /* NULL: the cell is absent, or there is no second column */
	Datum value;	 /* numeric: the number of rows, or the sum of a column */
	int64 count;	 /* of the rows, or of the numbers that were added up */
	int64 skipped;	 /* cells that are no numbers */
} LabelGroup;

typedef struct LabelGroups
{
	LabelGroup *list; /* in the order of their first rows */
	int count;
	bool rest; /* the last one has all rows of further groups, and no labels */
} LabelGroups;

/* sheet_groups.c */

/* The place of a column among the values of a group; less than ROW_NUMBER where there is none. */
extern int cat_sheet_groups_column(const SheetQuery *sheet_query, const char *name);
/* Read a page of groups into the reply: data, count, returned. */
extern void cat_sheet_groups_page(const SheetQuery *sheet_query, CallReply *reply);

/* sheet_labels.c */

/* Read the groups of one or two columns that a query has, with the aggregate that it has. */
extern LabelGroups cat_sheet_labels_read(const SheetQuery *sheet_query);

/* sheet_facets.c */

/* The facets that are asked for as a member of "meta", palloc'd; NULL for none. */
extern char *cat_sheet_facets(const SheetQuery *sheet_query);
/* The histograms that are asked for as a member of "meta", palloc'd; NULL for none. */
extern char *cat_sheet_histograms(const SheetQuery *sheet_query);

#endif /* CATALOGUE_CONTENTS_SHEET_GROUPS_H */
