/*
 * fast.c
 *	  Whether an index scan serves a read, and which.
 */
#include "catalogue.h"

#include "base/settings.h"
#include "read/fast/fast.h"
#include "read/fast/fast_internal.h"

/* Read a range of a list; false if a statement must be used. */
bool
cat_fast_page(const RequestParams *params, const Source *source, const Slice *slice, Rows *rows)
{
	return cat_fast_reads && !params->then && cat_index_merge_page(params, source, slice, rows);
}

/* Return whether all filters are on keys of the record. */
bool
cat_fast_takes_filters(const RequestParams *params)
{
	RowFilter filter;

	return cat_row_filter_make(&filter, params);
}
