/*
 * sheet_groups.h
 *	  Groups of rows and their aggregates.
 */
#ifndef CATALOGUE_CONTENTS_SHEET_GROUPS_H
#define CATALOGUE_CONTENTS_SHEET_GROUPS_H

#include "catalogue.h"

#include "utils/hsearch.h"

#include "call/call.h"
#include "contents/contents.h"
#include "sheets/sheets.h"

/* What has come together of a column. */
typedef struct Total
{
	int64 count;   /* of cells with a value */
	int64 skipped; /* cells that are not of their column's type */
	int128 part;   /* of the sum: this, divided by ten to the power of scale */
	int scale;
	Datum rest; /* of it: numeric, 0 for none */
	char *text; /* the least or greatest cell */
	int length;
	CellValue value; /* of it */
} Total;

/* The values of a group's columns, one behind the other: a length, -1 for none, and the text. */
typedef struct GroupKey
{
	const char *bytes;
	int length;
} GroupKey;

typedef struct RowGroup
{
	GroupKey key;	/* must be the first */
	GroupKey shown; /* the values of the first row, in the form of a key of texts */
	int number;		/* in the order in which they were found */
	Total *totals;
} RowGroup;

typedef struct Groups
{
	const SheetQuery *sheet_query;
	HTAB *table;
	RowGroup **list;
	int count;
	bool collects;	/* rows of further groups are one, where there are too many; else OD422 */
	bool by_value;	/* cells are the same by the type of their column; else by their text */
	bool folded;	/* texts also where only letter case or accents differ */
	RowGroup *rest; /* that one; NULL: there are not too many */
	size_t bytes;
	StringInfoData key;
	StringInfoData shown;
} Groups;

/* sheet_groups.c */

/* The sum of a total, numeric. */
extern Datum cat_sheet_groups_sum(const Total *total);
/* Empty groups; OD422 for an aggregate that the column's kind does not have. */
extern Groups *cat_sheet_groups_begin(const SheetQuery *sheet_query);
/* Read the rows of the present chunk that are asked for into their groups. */
extern void cat_sheet_groups_add(Groups *groups, ChunkScan *scan);
/* Read all rows that are asked for into their groups. */
extern void cat_sheet_groups_read(Groups *groups);

/* sheet_facets.c */

/* The facets that are asked for as a member of "meta", palloc'd; NULL for none. */
extern char *cat_sheet_facets(const SheetQuery *sheet_query);
/* A copy of a query without the filters on a column, which do not apply to what is counted of it. */
extern SheetQuery *cat_sheet_facets_query(const SheetQuery *sheet_query, int column);

/* sheet_histogram.c */

/* The histograms that are asked for as a member of "meta", palloc'd; NULL for none. */
extern char *cat_sheet_histograms(const SheetQuery *sheet_query);

/* sheet_aggregate.c */

/* The place of a column among the values of a group; less than ROW_NUMBER where there is none. */
extern int cat_sheet_aggregate_column(const SheetQuery *sheet_query, const char *name);
/* Read a page of groups into the reply: data, count, returned. */
extern void cat_sheet_aggregate_page(const SheetQuery *sheet_query, CallReply *reply);

#endif /* CATALOGUE_CONTENTS_SHEET_GROUPS_H */
