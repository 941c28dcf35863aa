/*
 * bulk_insert.h
 *	  Rows inserted without a statement.
 */
#ifndef CATALOGUE_PG_BULK_INSERT_H
#define CATALOGUE_PG_BULK_INSERT_H

#include "catalogue.h"

#include "nodes/primnodes.h"

/* bulk_insert.c, bulk_default.c: rows without a statement; columns are named by their place in the
 * list given first */
typedef struct BulkInsert BulkInsert;

/* bulk_insert.c */

/* A table of schema catalogue; 42P01 where it is missing. */
extern Oid cat_bulk_insert_table(const char *name);
/* Begin to insert rows into a table.  columns: those that the caller fills, known from here on
 * by their index in this list; one that the table lacks is left out. */
extern BulkInsert *cat_bulk_insert_open(Oid table, int count, const char *const *columns);
/* As cat_bulk_insert_open(), and the triggers of the table are fired; the rows are visible after
 * cat_bulk_insert_close(). */
extern BulkInsert *cat_bulk_insert_open_ruled(Oid table, int count, const char *const *columns);
/* Begin a row, with nulls and defaults; returns its slot. */
extern struct TupleTableSlot *cat_bulk_insert_row(BulkInsert *bulk);
/* Fill a column of the row with a value of its type. */
extern void cat_bulk_insert_set(BulkInsert *bulk, int column, Datum value);
/* Fill a column of the row with a copy of a value of its type. */
extern void cat_bulk_insert_set_copy(BulkInsert *bulk, int column, Datum value);
/* Fill a column of the row with a text, cut to what the column holds. */
extern void cat_bulk_insert_set_text(BulkInsert *bulk, int column, const char *text);
/* End a row. */
extern void cat_bulk_insert_end_row(BulkInsert *bulk);
/* Insert the rows that wait, and close the table. */
extern void cat_bulk_insert_close(BulkInsert *bulk);

/* bulk_default.c */

/* Create the cache of defaults; called once, when the library is loaded. */
extern void cat_bulk_default_init(void);
/* Whether a domain may have something against null: no check that is strict has. */
extern bool cat_bulk_default_refuses_null(Oid domain);
/* The default of a column by its attribute number less one, NULL for none: a copy. */
extern Expr *cat_bulk_default(struct RelationData *table, int at);

#endif /* CATALOGUE_PG_BULK_INSERT_H */
