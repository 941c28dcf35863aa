/*
 * aggregate.h
 *	  Groups of rows while they are made: used by sheet_aggregate.c and sheet_result.c only.
 */
#ifndef CATALOGUE_CONTENTS_AGGREGATE_H
#define CATALOGUE_CONTENTS_AGGREGATE_H

#include "rows/contents/evaluate.h"
#include "rows/contents/value_table.h"

/* A column that rows are grouped by. */
typedef struct GroupColumn
{
	int column;
	ValueTable values;
	struct pairs_hash *pairs; /* NULL: of the first column, whose values are the groups */
	uint32 npairs;
} GroupColumn;

/* What is computed of a group. */
typedef struct GroupValue
{
	int64 count;   /* of values */
	int64 skipped; /* cells that are neither empty nor values */
	int64 sum;	   /* in units of the last of so many digits */
	int digits;
	Datum rest; /* what is not in sum, numeric; 0: nothing */
	char *text; /* least or greatest */
	int length;
	int room;
	bool exact; /* number says which of two is greater */
	double number;
	int64 instant;
} GroupValue;

struct SheetGroups
{
	const SheetQuery *asked;
	GroupKeys by;
	MemoryContext memory;
	Oid collation;
	GroupColumn *columns;
	int ncolumns;
	int naggregates;
	SheetGroup *groups;
	uint32 count;
	uint32 room;
	uint32 most;	  /* of them, besides the rest */
	SheetGroup *rest; /* behind the last one: all others; NULL: they are too many */
	size_t shown;	  /* bytes of the texts of groups, and of least and greatest ones */
	size_t held;
};

/* sheet_aggregate.c */

/* Add what is in sum to the rest. */
extern void cat_sheet_aggregate_carry(SheetGroups *groups, GroupValue *value);
/* Return the order of two values of a column that is not text, of which one is a group's. */
extern int cat_sheet_aggregate_compare(const SheetColumn *is, const CellValue *value,
									   const GroupValue *kept);

#endif /* CATALOGUE_CONTENTS_AGGREGATE_H */
