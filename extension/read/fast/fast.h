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

/* fast.c */

/* Read a range of a list in the order of creation, in the present states: whole rows. */
extern bool cat_fast_page(const RequestParams *params, const Source *source, const Slice *slice,
						  Rows *rows);
/* Whether all filters are on keys of the record, so that cat_fast_page() may serve them. */
extern bool cat_fast_takes_filters(const RequestParams *params);

#endif /* CATALOGUE_READ_FAST_FAST_H */
