/*
 * value_table.h
 *	  Numbers of the values of a column: used by sheet_aggregate.c and sheet_sort.c.
 */
#ifndef CATALOGUE_CONTENTS_VALUE_TABLE_H
#define CATALOGUE_CONTENTS_VALUE_TABLE_H

#include "rows/contents/order.h"

/* The number of a cell that has no value, or for whose value there is no room. */
#define VALUE_NONE PG_UINT32_MAX

/* Values in the order in which they were added. */
typedef struct ValueTable
{
	struct values_hash *values;
	ValueKey *keys; /* by number */
	uint32 count;
	uint32 room;
} ValueTable;

/* Make a table of no values, in the current memory context. */
extern void cat_value_table_begin(ValueTable *table);
/* Return the number of a value; VALUE_NONE if it is not there. */
extern uint32 cat_value_table_find(const ValueTable *table, ValueKey key);
/* Add a value that is not there, whose bytes stay where they are, and return its number. */
extern uint32 cat_value_table_add(ValueTable *table, ValueKey key);

/* Return the number of a cell. */
typedef uint32 (*NumberCell)(void *of, CellText cell);

/* Number the cells of rows of a segment, those of texts and numbers that have codes once. */
extern void cat_value_table_number(Segment *segment, const int *rows, int count, NumberCell number,
								   void *of, uint32 *numbers);

#endif /* CATALOGUE_CONTENTS_VALUE_TABLE_H */
