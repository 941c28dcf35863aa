/*
 * history_internal.h
 *	  Tables of counters: used inside history/ only.
 */
#ifndef CATALOGUE_HISTORY_HISTORY_INTERNAL_H
#define CATALOGUE_HISTORY_HISTORY_INTERNAL_H

#include "catalogue.h"

#include "history/history.h"
#include "pg/pg.h"

/*
 * A table whose rows are changes in numbers of records: texts, which say what is counted, then
 * "living" and "shown".
 */
typedef struct CounterTable
{
	const char *name;
	const char *index; /* on the texts */
	int nkeys;		   /* number of texts */
	int ncolumns;
	const char *const *columns;
} CounterTable;

/* What a statement adds to the numbers of a table. */
typedef struct CounterWriter
{
	const CounterTable *table;
	BulkInsert *bulk;
	bool replaces; /* rows in place; then */
	CatScan scan;  /* finds them, in the active snapshot */
} CounterWriter;

/* counter.c */

/* Open a table for what a statement adds, and close it. */
extern void cat_counter_open(CounterWriter *writer, const CounterTable *table);
extern void cat_counter_close(CounterWriter *writer);
/* Add to the numbers that these texts, a List of char *, stand for, each once. */
extern void cat_counter_add(CounterWriter *writer, List *key, const Tally *delta);
/* Return whether the running statement shall merge the rows that it adds to. */
extern bool cat_counter_is_fold_due(void);
/* Merge the rows of a key into one, except those that other transactions hold. */
extern void cat_counter_fold(const CounterTable *table, List *key);
/* Set the sum of the rows whose first texts are these; false: there is no index, and it is not set.
 * found: set to whether there are any. */
extern bool cat_counter_sum(const CounterTable *table, List *key, Tally *sum, bool *found);

#endif /* CATALOGUE_HISTORY_HISTORY_INTERNAL_H */
