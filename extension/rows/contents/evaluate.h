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

/* sheet_aggregate.c */

/* By what rows are in one group. */
typedef enum GroupKeys
{
	KEYS_VALUES, /* values of their columns, a cell that is absent is another one than an empty one */
	KEYS_FACET, /* values of one column, as filters with EXACT compare them; filters on it do not apply */
	KEYS_WRITTEN /* texts of cells, "" of one that is absent, or a geometry that is too long for a cell */
} GroupKeys;

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

/* Make the groups that are asked for.  Raises OD422 if there are too many; with KEYS_WRITTEN those behind the first ones,
 * or for whose texts there is no room, are one. */
extern SheetGroups *cat_sheet_aggregate(const SheetQuery *asked, GroupKeys by);
extern uint32 cat_sheet_aggregate_count(const SheetGroups *groups);
extern const SheetGroup *cat_sheet_aggregate_group(const SheetGroups *groups, uint32 number);
/* Return the group of all others, which has no texts; NULL unless they are by KEYS_WRITTEN. */
extern const SheetGroup *cat_sheet_aggregate_rest(const SheetGroups *groups);

/* sheet_groups.c */

/* Make the groups that a client asks for.  Raises OD422 if there are too many, and for a sum or average of a column that
 * is not numeric. */
extern SheetGroups *cat_sheet_groups_make(const SheetQuery *sheet_query);

/* sheet_row.c */

/* Append a cell that is not absent as JSON: as text or, if typed, by the type of its column. */
extern void cat_sheet_row_json_cell(StringInfo out, const SheetColumn *column, const char *text,
									int length, bool typed);

/* sheet_result.c */

/* Return the numbers of the groups in the order that is asked for. */
extern uint32 *cat_sheet_result_sorted(SheetGroups *groups);
/* Return what an aggregate of numbers is of a group, numeric; 0 if it has no value. */
extern Datum cat_sheet_result_number(SheetGroups *groups, const SheetGroup *group, int nth);
/* Return how many cells of the aggregate's column are neither empty nor values. */
extern int64 cat_sheet_result_skipped(const SheetGroup *group, int nth);
/* Return what any aggregate is of a group, as text; NULL if it has no value. */
extern char *cat_sheet_result_text(SheetGroups *groups, const SheetGroup *group, int nth);

#endif /* CATALOGUE_CONTENTS_EVALUATE_H */
