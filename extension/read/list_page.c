/*
 * list_page.c
 *	  Pages of lists: records, order, cursors.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "read/list_internal.h"

/* From this offset on, a page is reached from the end of the list if that is nearer. */
#define SKIP_FAR 1000

/* A range of a resource's records in the order of creation. */
typedef struct Slice
{
	bool backwards; /* from the end */
	int limit;
	int64 skip;
	bool at_cursor; /* begin behind the cursor of the request */
	bool whole;		/* read whole rows of the table, which the executor need not form anew */
} Slice;

/* Return whether a list is in the order of creation. */
static bool
is_plain(const RequestParams *params)
{
	return params->orders == NIL && params->terms == NIL && !params->window && !params->deleted;
}

/* Append the columns of a list's records. */
static void
write_columns(SqlBuilder *query, const ReadPlan *plan)
{
	cat_sql_builder_columns(query, plan->selection, "t");
	if (cat_order_has_cursor(plan->params))
		cat_order_column(query, plan->params, "t");
}

/* Append the columns of a range: those of the list or, of a part of its records, all. */
static void
write_range_columns(SqlBuilder *query, const ReadPlan *plan, const Slice *slice)
{
	if (slice->whole)
		appendStringInfoString(&query->sql, "t.*");
	else if (query->part != HISTORY_ALL)
		appendStringInfoString(&query->sql,
							   cat_history_sql_part_columns(query, plan->params->resource));
	else
		write_columns(query, plan);
}

/*
 * Append a list in the order of creation, up to ORDER BY.  With an index, deleted_at is sorted by as
 * well, because it is in the index.
 */
static void
write_in_order(SqlBuilder *query, const ReadPlan *plan, const Slice *slice)
{
	const RequestParams *params = plan->params;
	const char *direction = params->resource->newest_first != slice->backwards ? "DESC" : "ASC";
	ListIndex chosen = {0};
	/* of all records as of an earlier instant, the indexes of table and history are merged */
	bool all_then = query->part == HISTORY_ALL && cat_history_sql_is_read(query, params->resource);
	bool keyed;
	const char *from;

	if (!all_then && query->part != HISTORY_CHANGED)
		chosen = cat_list_index(plan);
	keyed = chosen.linked || chosen.count > 1;
	from = all_then || keyed ? "k" : "t";
	/* a record may be linked with several keys */
	if (chosen.linked && chosen.count > 1)
		appendStringInfoString(&query->sql, "DISTINCT ON (k.deleted_at, k.created_at, k.id) ");
	write_range_columns(query, plan, slice);
	if (keyed)
		cat_list_index_write(query, params, &chosen, direction);
	else if (all_then)
		cat_history_sql_in_order(query, params->resource);
	else
		cat_list_source_part_write(query, plan);
	if (slice->at_cursor)
		cat_order_behind(query, params, from);
	appendStringInfoString(&query->sql, " ORDER BY ");
	if (chosen.sorted)
		appendStringInfo(&query->sql, "%s.deleted_at %s, ", from, direction);
	appendStringInfo(&query->sql, "%s.created_at %s, %s.id %s", from, direction, from, direction);
	/* an index is read in order, whatever the values; far into the list others may be faster */
	if (list_length(params->filters) <= (chosen.filter ? 1 : 0) &&
		(chosen.index || !plan->source.relation) && slice->skip < SKIP_FAR)
		query->plan = CURSOR_OPT_GENERIC_PLAN;
}

/* Append LIMIT and OFFSET; of a part of the records, as many as may belong to the range. */
static void
write_limit(SqlBuilder *query, const Slice *slice)
{
	bool whole = query->part == HISTORY_ALL;
	int64 number =
		whole ? slice->skip : Min(slice->skip, PG_INT64_MAX - slice->limit) + slice->limit;

	/* a literal, so that the planner knows it and a generic plan can be reused */
	if (whole || slice->skip == 0)
		appendStringInfo(&query->sql, " LIMIT %d", slice->limit);
	if (slice->skip > 0)
		appendStringInfo(&query->sql, " %s %s::bigint", whole ? "OFFSET" : "LIMIT",
						 cat_sql_builder_param(query, psprintf(INT64_FORMAT, number)));
}

/* Append the statement that reads a range of a list, or of the builder's part of its records. */
static void
write_range(SqlBuilder *query, const ReadPlan *plan, const void *arg)
{
	const RequestParams *params = plan->params;
	const Slice *slice = arg;
	int chosen = query->plan;

	appendStringInfoString(&query->sql, "SELECT ");
	if (is_plain(params))
		write_in_order(query, plan, slice);
	else
	{
		query->by_update = cat_order_is_by_update(params);
		write_range_columns(query, plan, slice);
		cat_list_source_part_write(query, plan);
		if (slice->at_cursor)
			cat_order_behind(query, params, "t");
		cat_order_write(query, params, "t", slice->backwards);
		query->by_update = false;
	}
	write_limit(query, slice);
	/* the former states are few: the plan is chosen for the other part */
	if (query->part == HISTORY_CHANGED)
		query->plan = chosen;
}

/* Append the statement that reads a range of a list. */
static void
write_slice(SqlBuilder *query, const ReadPlan *plan, const Slice *slice)
{
	const RequestParams *params = plan->params;

	if (!cat_history_sql_is_read(query, params->resource) ||
		(!plan->source.relation && params->filters == NIL && is_plain(params)))
	{
		write_range(query, plan, slice);
		return;
	}
	appendStringInfoString(&query->sql, "SELECT ");
	write_columns(query, plan);
	cat_list_source_parts_write(query, plan, write_range, slice);
	cat_order_write(query, params, "t", slice->backwards);
	write_limit(query, slice);
}

void
cat_list_page_range_write(SqlBuilder *query, const ReadPlan *plan, bool backwards, int limit,
						  int64 skip)
{
	write_slice(query, plan, &(Slice){.backwards = backwards, .limit = limit, .skip = skip});
}

/*
 * Read a range of all records in the order of creation by an index scan; false if a statement must be
 * used, which takes a third more time.
 */
static bool
scan_page(const ReadPlan *plan, const Slice *slice, Rows *rows)
{
	const RequestParams *params = plan->params;
	const Resource *resource = params->resource;
	bool backwards = resource->newest_first != slice->backwards;
	int64 skip = slice->skip;
	CatScan scan;

	if (!slice->whole || plan->source.relation || params->filters != NIL ||
		cat_visibility_is_partial(resource, params->access) ||
		!cat_index_scan_open(&scan, resource->relid, resource->order_index))
		return false;
	cat_index_scan_seek_values(&scan, slice->at_cursor ? cat_order_cursor(params) : NIL, backwards);
	*rows = cat_rows_whole(resource, slice->limit);
	rows->has_cursor = true;
	while (rows->count < slice->limit && cat_index_scan_next(&scan, backwards))
	{
		CHECK_FOR_INTERRUPTS();
		if (skip-- <= 0)
			rows->tuples[rows->count++] = ExecCopySlotHeapTuple(scan.slot);
	}
	cat_index_scan_close(&scan);
	return true;
}

static Rows
query_page(const ReadPlan *plan, const Slice *slice)
{
	SqlBuilder query;
	Rows rows;

	cat_sql_builder_begin(&query, plan->selection->access, plan->params->then);
	write_slice(&query, plan, slice);
	cat_sql_builder_run(&query);
	rows = cat_rows_of_statement();
	rows.has_cursor = cat_order_has_cursor(plan->params);
	rows.whole = slice->whole;
	return rows;
}

/* Return whether t.* has the columns of a table at their positions: none was dropped. */
static bool
is_intact(const Resource *resource)
{
	for (int i = 0; i < resource->desc->natts; i++)
		if (TupleDescAttr(resource->desc, i)->attisdropped)
			return false;
	return true;
}

/* Count a range from the end of the list if that is nearer. */
static void
turn(Slice *slice, ReadPlan *plan)
{
	const RequestParams *params = plan->params;
	int64 count;

	if (slice->backwards || slice->skip < SKIP_FAR || !is_plain(params) || !cat_count_is_kept(plan))
		return;
	count = cat_count_read(plan);
	if (slice->skip * 2 < count)
		return;
	slice->backwards = true;
	slice->limit = (int) Max(Min(count - params->skip, params->limit), 0);
	slice->skip = Max(count - params->skip - params->limit, 0);
}

Rows
cat_list_page_read(ReadPlan *plan, bool backwards)
{
	const RequestParams *params = plan->params;
	Slice slice = {
		.backwards = backwards || params->backwards,
		.limit = params->limit,
		.skip = params->cursor ? 0 : params->skip,
		.at_cursor = params->cursor != NULL,
		.whole =
			is_plain(params) && !params->then && !params->partial && is_intact(params->resource),
	};
	Rows rows;

	turn(&slice, plan);
	if (cat_search_is_served(params) && !params->cursor &&
		!(is_plain(params) && cat_list_index_serves(params)))
		return cat_search_page_read(plan, backwards);
	if (!scan_page(plan, &slice, &rows))
		rows = query_page(plan, &slice);
	if (slice.backwards && !backwards)
		cat_rows_reverse(&rows);
	return rows;
}

/* Return the cursor of a record of the page, NULL if the order has none. */
static char *
cursor_at(const RequestParams *params, const Rows *rows, int row)
{
	HeapTuple tuple = rows->tuples[row];
	int column = rows->whole ? params->resource->created_at : rows->desc->natts;
	bool isnull;
	Datum value;

	if (!rows->has_cursor)
		return NULL;
	value = SPI_getbinval(tuple, rows->desc, column, &isnull);
	return params->orders != NIL
			   ? cat_order_cursor_encode(value)
			   : cat_order_cursor_of(cat_json_text_instant(DatumGetTimestampTz(value)),
									 cat_record_id(params->resource, rows, row));
}

/* Return the ids of the records of the page, separated by commas; NULL if they are deleted: then
 * they have no address. */
static const char *
ids_of(const RequestParams *params, const Rows *rows)
{
	StringInfoData ids;

	if (params->deleted)
		return NULL;
	initStringInfo(&ids);
	for (int i = 0; i < rows->count; i++)
		appendStringInfo(&ids, "%s%s", i > 0 ? "," : "", cat_record_id(params->resource, rows, i));
	return ids.data;
}

void
cat_list_page_describe(const RequestParams *params, const Rows *rows, CallReply *reply)
{
	reply->links = ids_of(params, rows);
	reply->returned = rows->count;
	if (rows->count > 0 && (reply->estimated ? rows->count == params->limit
											 : params->skip + rows->count < reply->count))
		reply->next = cursor_at(params, rows, rows->count - 1);
	if (rows->count > 0 && params->skip > 0)
		reply->previous = cursor_at(params, rows, 0);
}
