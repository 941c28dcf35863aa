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

/* Most filters of a row filter. */
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

/* Records in the order of creation: all, or those that some keys lead to. */
typedef struct MergeScan
{
	const KeyIndex *via; /* NULL: all */
	int count;			 /* of scans, one for each key */
	CatScan scans[KEYS_MAX];
	bool more[KEYS_MAX]; /* the scan is on a row */
	int current;		 /* the scan that gave the last record, -1: there was none */
	text *last;			 /* id of that record, where there are several scans */
	bool joined;		 /* the rows are of a join table; the records are looked up */
	CatScan records;
	bool backwards;
} MergeScan;

/* past_lists.c */

/* Fill in the lists of ids of those rows that are earlier states, which have no row in the
 * table. */
extern void cat_past_lists_show(Rows *rows, const Resource *resource, AccessLevel access);

/* index_merge.c */

/* Open a merge of the index scans that give a range of a list's records; cat_index_merge_close()
 * follows.  filter: conditions on keys; one of them may choose the index.  False, and nothing
 * open, where a statement must be used. */
extern bool cat_index_merge_open(MergeScan *merge, const RequestParams *params,
								 const Source *source, const RowFilter *row_filter,
								 const Slice *slice);
/* The next record, which may be one that is not visible; NULL at the end. */
extern struct TupleTableSlot *cat_index_merge_next(MergeScan *merge);
/* Close all scans of a merge. */
extern void cat_index_merge_close(MergeScan *merge);

/* row_filter.c */

/* Make the row filter of a request; without conditions every row passes.  False where some
 * condition cannot be checked on a row, or one of several is enough. */
extern bool cat_row_filter_make(RowFilter *row_filter, const RequestParams *params);
/* Whether the record in the slot meets the conditions. */
extern bool cat_row_filter_passes(RowFilter *row_filter, struct TupleTableSlot *slot);
/* Whether so many records were left out that a statement is faster. */
extern bool cat_row_filter_rejects_most(const RowFilter *row_filter);

#endif /* CATALOGUE_READ_FAST_FAST_INTERNAL_H */
