/*
 * evaluate.h
 *	  What is found by the values of rows: those that pass filters, the first ones in an order, groups.
 */
#ifndef CATALOGUE_CONTENTS_EVALUATE_H
#define CATALOGUE_CONTENTS_EVALUATE_H

#include "catalogue.h"

#include "rows/contents/contents.h"
#include "rows/sheets/sheets.h"

/* A value that is sought: a text, folded unless it is an end of a range. */
typedef struct SoughtText
{
	const char *bytes;
	size_t length;
} SoughtText;

/* A condition, and what its values are compared as. */
typedef struct ColumnTest
{
	const SheetFilter *filter;
	bool search; /* for parts of texts */
	Match match;
	bool exact; /* all values are numbers that differ as floating-point numbers */
	int count;
	SoughtText *texts; /* of a column of text */
	Oid collation;
} ColumnTest;

/* sheet_test.c */

/* Return a condition with its values as they are compared. */
extern ColumnTest cat_sheet_test_make(const SheetFilter *filter, Match match);
/* Compare an instant with a day, which lasts: the order is 0 within it. */
extern int cat_sheet_test_day(int64 instant, int64 day);
/* Return whether it holds for a cell, of a column of text for one that is the same without case and accents. */
extern bool cat_sheet_test_holds(const ColumnTest *test, const CellText *cell);
/* Test the cells of a segment, or its texts if it has codes. */
extern void cat_sheet_test_cells(const ColumnTest *test, ChunkScan *scan, const Segment *segment,
								 bool *held);

/* sheet_filter.c */

/* Have rows left out whose cell in the first column of the order comes behind the last one, or in front of the one
 * after which rows are sought (NULL: all are), and those without a value: where there are no filters, also chunks that have
 * no others.  equal: what is equal to the last one is kept. */
extern void cat_sheet_filter_bound(ChunkScan *scan, const SheetQuery *asked, const char *after,
								   const char *last, bool equal);
/* Return the first row of the chunk whose bounds promise the first row of the order; 0 if none has bounds. */
extern int64 cat_sheet_filter_best(const SheetQuery *asked);
/* List the rows of the chunk that are kept and not left out so, from 0 on; return how many there are. */
extern int cat_sheet_filter_within(ChunkScan *scan, int *rows);
/* Whether the numbers that have codes in a segment are values of its column in their order. */
extern bool cat_sheet_filter_is_ordered(const SheetColumn *is, const Segment *segment);

/* sheet_order.c */

/* A page of rows in the order that is asked for. */
typedef struct OrderedRows
{
	int64 count;  /* of rows that pass the filters */
	int64 *rows;  /* of the page, by number */
	int returned; /* how many */
	Datum first;  /* cursors of the first and the last one, text[] */
	Datum last;
} OrderedRows;

/* What a value of a column is known and sorted by: a text, or the key of another value. */
typedef struct ValueKey
{
	const char *bytes;
	int length; /* -1: an absent cell */
} ValueKey;

/* Return the order of two values of a column, of which neither is null. */
extern int cat_sheet_order_compare(const SheetColumn *is, ValueKey left, ValueKey right,
								   Oid collation);
/* Find a page near the first row: what the rows before its end are sorted by is kept in memory; false if it is too much. */
extern bool cat_sheet_order_page(const SheetQuery *asked, OrderedRows *page);

/* sheet_aggregate.c */

struct GroupValue;
typedef struct SheetGroups SheetGroups;

typedef struct SheetGroup
{
	int64 first;  /* its first row, 0: it has none */
	int64 count;  /* of its rows */
	char **texts; /* of the cells that it is of, in its first row; NULL for one that is not there */
	uint32 *keys;
	struct GroupValue *values;
} SheetGroup;

/* Make the groups that are asked for.  facet: they are the values of one column, as filters with EXACT compare them;
 * filters on it do not apply.  Raises OD422 if there are too many. */
extern SheetGroups *cat_sheet_aggregate(const SheetQuery *asked, bool facet);
extern uint32 cat_sheet_aggregate_count(const SheetGroups *groups);
extern const SheetGroup *cat_sheet_aggregate_group(const SheetGroups *groups, uint32 number);

/* sheet_result.c */

/* Return the numbers of the groups in the order that is asked for. */
extern uint32 *cat_sheet_result_sorted(SheetGroups *groups);
/* Return what an aggregate is of a group; NULL if it has no value. */
extern char *cat_sheet_result_text(SheetGroups *groups, const SheetGroup *group, int nth);

#endif /* CATALOGUE_CONTENTS_EVALUATE_H */
