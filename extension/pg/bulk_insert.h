/*
 * bulk_insert.h
 *	  Rows inserted without a statement.
 */
#ifndef CATALOGUE_PG_BULK_INSERT_H
#define CATALOGUE_PG_BULK_INSERT_H

#include "catalogue.h"

#include "nodes/primnodes.h"

/* Rows without a statement; columns are named by their place in the
 * list given first */
typedef struct BulkInsert BulkInsert;

/* bulk_insert.c */

/* Return the OID of a table of schema catalogue.  Raises 42P01 if it is missing. */
extern Oid cat_bulk_insert_table(const char *name);
/* Open a table for insertion.  columns: names of the columns that the caller sets, identified by
 * their index in this list from then on.  A column that the table does not have is ignored. */
extern BulkInsert *cat_bulk_insert_open(Oid table, int count, const char *const *columns);
/* As cat_bulk_insert_open(); a row whose key the table has already is left out. */
extern BulkInsert *cat_bulk_insert_open_absent(Oid table, int count, const char *const *columns);
/* Open a table for insertion with all triggers.  The rows become visible after
 * cat_bulk_insert_close(). */
extern BulkInsert *cat_bulk_insert_open_ruled(Oid table, int count, const char *const *columns);
/* Begin a row with defaults, null where there are none; return its slot. */
extern struct TupleTableSlot *cat_bulk_insert_row(BulkInsert *bulk);
/* Set a column of the row to a value of its type. */
extern void cat_bulk_insert_set(BulkInsert *bulk, int column, Datum value);
/* Set a column of the row to a copy of a value of its type. */
extern void cat_bulk_insert_set_copy(BulkInsert *bulk, int column, Datum value);
/* Set a column of the row to a text, truncated to the column's length. */
extern void cat_bulk_insert_set_text(BulkInsert *bulk, int column, const char *text);
/* End a row. */
extern void cat_bulk_insert_end_row(BulkInsert *bulk);
/* Insert pending rows, and close the table. */
extern void cat_bulk_insert_close(BulkInsert *bulk);
/* Create the cache of defaults; called once, when the library is loaded. */
extern void cat_bulk_default_init(void);
/* Return whether a domain may refuse null: it is NOT NULL or has a check that is not strict. */
extern bool cat_bulk_default_refuses_null(Oid domain);

#endif /* CATALOGUE_PG_BULK_INSERT_H */
