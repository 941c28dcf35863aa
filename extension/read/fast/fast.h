/*
 * fast.h
 *	  Reads by index scans, in place of statements that give the same.
 *
 * Starting the executor takes several times as long as such a scan.  A function that returns bool
 * returns false, with nothing read, where a statement must be used: where it does not serve the
 * request, where an index is missing, and where catalogue.fast_reads is off.
 */
#ifndef CATALOGUE_READ_FAST_FAST_H
#define CATALOGUE_READ_FAST_FAST_H

#include "catalogue.h"

#include "access/htup.h"

#include "query/query.h"
#include "query/sql_builder.h"
#include "registry/rows.h"

/* A range of a resource's records in the order of creation. */
typedef struct Slice
{
	bool backwards; /* from the end */
	int limit;
	int64 skip;
	bool at_cursor; /* begin behind the cursor of the request; skip is ignored */
} Slice;

/* A state that a record had. */
typedef struct EarlierState
{
	TimestampTz until; /* instant of the change that ended it */
	HeapTuple tuple;   /* row of the resource's table; NULL: it did not exist */
} EarlierState;

/* fast.c */

/* Read a range of a list in the order of creation, in the present states or those at the instant
 * of the read: whole rows. */
extern bool cat_fast_page(const RequestParams *params, const Source *source, const Slice *slice,
						  Rows *rows);
/* Whether all filters are on keys of the record, so that cat_fast_page() may serve them. */
extern bool cat_fast_takes_filters(const RequestParams *params);
/* Read one record in its state at the instant of the read; no row where it was not visible. */
extern bool cat_fast_record_then(const RequestParams *params, const char *id, Rows *rows);

/* history_scan.c */

/* The states of a record before each of its changes, as far as they are kept: a List of
 * EarlierState *.  NIL too where there is no history.  There is no statement for this, so that
 * catalogue.fast_reads has no effect on it. */
extern List *cat_history_scan_states(const RequestParams *params, const char *id);

#endif /* CATALOGUE_READ_FAST_FAST_H */
