/*
 * fast.h
 *	  Reads by index scans in place of statements.
 */
#ifndef CATALOGUE_READ_FAST_FAST_H
#define CATALOGUE_READ_FAST_FAST_H

#include "catalogue.h"

#include "query/query.h"
#include "query/sql_builder.h"

/* Records as they were read. */
typedef struct Rows
{
	TupleDesc desc;
	HeapTuple *tuples;
	int count;
	bool whole;	 /* rows of the table; else the columns of cat_sql_builder_columns() */
	bool placed; /* the last column has the record's place in the list */
} Rows;

/* So many records of all in the order of creation. */
typedef struct Slice
{
	bool backwards; /* from the end */
	int limit;
	int64 skip;
	bool placed; /* behind the place that the request names, whatever skip says */
} Slice;

/* A state that a record had. */
typedef struct PastState
{
	TimestampTz until; /* instant of the change that ended it */
	HeapTuple tuple;   /* row of the resource's table; NULL: it did not exist */
} PastState;

/* Ids that a record's key is compared with, or that records are looked up by, at most. */
#define KEYS_MAX 16

/* row_fetch.c */

/* The rows of the last statement, whose columns are those of cat_sql_builder_columns(). */
extern Rows cat_row_fetch_of_statement(void);
/* Empty rows of the resource's table, with room for so many. */
extern Rows cat_row_fetch_whole(const Resource *resource, int most);
/* Read records by their ids, each into rows of its own; rows without a record where it is not
 * visible.  False where a statement must do it. */
extern bool cat_row_fetch_by_ids(const Resource *resource, const char *const *ids, int count,
								 AccessLevel access, Rows *rows);
/* Read one record by its id; false where a statement must do it. */
extern bool cat_row_fetch_by_id(const Resource *resource, const char *id, AccessLevel access,
								Rows *rows);
/* Read a range of a list's records in the order of creation.  False where a statement must do
 * it: some condition is not on keys of the record, or hardly any record meets it. */
extern bool cat_row_fetch_in_order(const RequestParams *params, const Source *source,
								   const Slice *slice, Rows *rows);
/* Reverse the order of the rows. */
extern void cat_row_fetch_reverse(Rows *rows);
/* The index of a selected field in the values of a row; "id" is always there. */
extern int cat_row_fetch_column(const Rows *rows, const Selection *selection, const char *name);
/* The values of a row, rows->desc->natts of them; deactivated_at is shown as deleted_at, as
 * cat_sql_builder_columns() does in SQL. */
extern void cat_row_fetch_values(const Rows *rows, const Resource *resource, int row, Datum *values,
								 bool *nulls);

/* history_scan.c */

/* Read one record by its id, in its state at the instant of the read; no row where it was not
 * visible.  False where a statement must do it. */
extern bool cat_history_scan_by_id(const RequestParams *params, const char *id, Rows *rows);
/* The states of a record before each of its changes, as far as they are kept: a List of
 * PastState *.  NIL too where there is no history. */
extern List *cat_history_scan_states(const RequestParams *params, const char *id);
/* Read a range of all records in the order of creation, in their states at the instant of the
 * read.  False where a statement must do it. */
extern bool cat_history_scan_in_order(const RequestParams *params, const Slice *slice, Rows *rows);

#endif /* CATALOGUE_READ_FAST_FAST_H */
