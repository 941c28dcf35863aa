/*
 * fast_internal.h
 *	  Merge of index scans, and filters on rows: used inside read/fast/ only.
 */
#ifndef CATALOGUE_READ_FAST_FAST_INTERNAL_H
#define CATALOGUE_READ_FAST_FAST_INTERNAL_H

#include "catalogue.h"

#include "pg/pg.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/fast/fast.h"

/* Ids that a record's key is compared with, or that records are looked up by, at most. */
#define KEYS_MAX 16

/* Filters that a row_filter has, at most. */
#define ROW_FILTER_MAX 8

/* Filters on keys of a record, asked of one row after the other. */
typedef struct RowFilter
{
	int count;
	AttrNumber attnos[ROW_FILTER_MAX];
	bool lists[ROW_FILTER_MAX]; /* the attribute is a list of ids, not one */
	const Filter *filters[ROW_FILTER_MAX];
	int rejected;
} RowFilter;

/* index_merge.c */

/* As cat_fast_page(), in the present states; false too where some condition is not on keys of the
 * record, or hardly any record meets it. */
extern bool cat_index_merge_page(const RequestParams *params, const Source *source,
								 const Slice *slice, Rows *rows);

/* row_filter.c */

/* Make the row filter of a request; without conditions every row passes.  False where some
 * condition cannot be checked on a row, or one of several is enough. */
extern bool cat_row_filter_make(RowFilter *row_filter, const RequestParams *params);
/* Remove the condition with this number. */
extern void cat_row_filter_remove(RowFilter *row_filter, int number);
/* Whether the record in the slot meets the conditions. */
extern bool cat_row_filter_passes(RowFilter *row_filter, struct TupleTableSlot *slot);
/* Whether so many records were left out that a statement is faster. */
extern bool cat_row_filter_rejects_most(const RowFilter *row_filter);

#endif /* CATALOGUE_READ_FAST_FAST_INTERNAL_H */
