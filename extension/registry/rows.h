/*
 * rows.h
 *	  Rows of records, and reads of records by their ids.
 */
#ifndef CATALOGUE_REGISTRY_ROWS_H
#define CATALOGUE_REGISTRY_ROWS_H

#include "catalogue.h"

#include "access/htup.h"
#include "executor/tuptable.h"

/* Records as they were read. */
typedef struct Rows
{
	TupleDesc desc;
	HeapTuple *tuples;
	int count;
	bool whole;		 /* rows of the table; else the columns of cat_sql_builder_columns() */
	bool has_cursor; /* the last column is the cursor of the record (cat_order_column()) */
} Rows;

/* Return the rows of the last statement; its columns must be those of cat_sql_builder_columns(). */
extern Rows cat_rows_of_statement(void);
/* Allocate an empty Rows for that many rows of the resource's table. */
extern Rows cat_rows_whole(const Resource *resource, int most);
/* Return the rows of the last statement, which begin with cat_rows_write_columns(), as whole rows. */
extern Rows cat_rows_whole_of_statement(const Resource *resource);
/* Read records by their ids in the active snapshot, each into whole rows of its own: no row where
 * the record is not visible.  By an index scan, or by statements where that cannot be. */
extern void cat_rows_by_ids(const Resource *resource, const char *const *ids, int count,
							AccessLevel access, Rows *rows);
/* Read a record by its id, like cat_rows_by_ids(). */
extern Rows cat_rows_by_id(const Resource *resource, const char *id, AccessLevel access);
/* Return whether a record of this id is visible. */
extern bool cat_rows_exists(const Resource *resource, const char *id, AccessLevel access);
/* Reverse the order of the rows. */
extern void cat_rows_reverse(Rows *rows);
/* The index of a field in the values of a row.  fields: those that the rows were read with,
 * besides "id", which is always there. */
extern int cat_rows_column(const Rows *rows, const Resource *resource, const Bitmapset *fields,
						   const char *name);
/* Fill in the rows->desc->natts values of a row.  Like cat_sql_builder_columns(), shows
 * deactivated_at as deleted_at. */
extern void cat_rows_values(const Rows *rows, const Resource *resource, int row, Datum *values,
							bool *nulls);

#endif /* CATALOGUE_REGISTRY_ROWS_H */
