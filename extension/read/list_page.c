/*
 * list_page.c
 *	  Pages of lists: records, order and total.
 */
#include "catalogue.h"

#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "call/call.h"
#include "history/history.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/fast/fast.h"
#include "read/read.h"
#include "read/read_internal.h"
#include "registry/registry.h"
#include "registry/rows.h"

/* From this offset on, a page is reached from the end of the list if that is nearer. */
#define SKIP_FAR 1000

/* Append FROM and WHERE of a list; the alias of its records is t. */
void
cat_list_page_source(SqlBuilder *query, const RequestParams *params, const Source *source)
{
	CatRelation *relation = source->relation;

	appendStringInfo(&query->sql, " FROM %s t", cat_history_sql_table(query, params->resource));
	if (relation && relation->kind == RELATION_MANY_TO_MANY)
		appendStringInfo(&query->sql, " JOIN %s j ON j.%s = t.id AND %s AND j.%s = %s",
						 cat_history_sql_via(query, relation), relation->far,
						 params->deleted ? "j.deleted_at IS NOT DISTINCT FROM t.deleted_at"
										 : "j.deleted_at IS NULL",
						 relation->near, cat_sql_builder_param(query, source->owner));
	appendStringInfoString(&query->sql, " WHERE ");
	cat_deleted_write(query, params);
	if (relation && relation->kind == RELATION_ONE_TO_MANY)
		appendStringInfo(&query->sql, " AND t.%s = %s", relation->near,
						 cat_sql_builder_param(query, source->owner));
	cat_filter_write(query, params, "t");
}

/* Return whether a list is in the order of creation. */
static bool
is_plain(const RequestParams *params)
{
	return params->orders == NIL && params->terms == NIL && !params->window && !params->deleted;
}

/* Return whether a list is of all records as they were, in the order of creation. */
static bool
is_all_then(const RequestParams *params, const Source *source)
{
	return params->then && params->resource->history_table && !source->relation &&
		   params->filters == NIL && is_plain(params);
}

/* Append the statement that reads a range of a list. */
void
cat_list_page_write(SqlBuilder *query, const RequestParams *params, const Source *source,
					const Selection *selection, const Slice *slice)
{
	bool all_then = is_all_then(params, source);
	const char *ordered = all_then ? "k" : "t";

	appendStringInfoString(&query->sql, "SELECT ");
	cat_sql_builder_columns(query, selection, "t");
	if (cat_order_has_cursor(params))
		cat_order_column(query, params, "t");
	if (all_then)
		cat_history_sql_in_order(query, params->resource);
	else
		cat_list_page_source(query, params, source);
	if (slice->at_cursor)
		cat_order_behind(query, params, ordered);
	cat_order_write(query, params, ordered, slice->backwards);
	/* a literal, so that the planner knows it and a generic plan can be reused */
	appendStringInfo(&query->sql, " LIMIT %d", slice->limit);
	if (slice->skip > 0 && !slice->at_cursor)
		appendStringInfo(&query->sql, " OFFSET %s::bigint",
						 cat_sql_builder_param(query, psprintf(INT64_FORMAT, slice->skip)));
}

static Rows
query_page(const RequestParams *params, const Source *source, const Selection *selection,
		   const Slice *slice)
{
	SqlBuilder query;
	Rows rows;

	cat_sql_builder_begin(&query, selection->access, params->then);
	cat_list_page_write(&query, params, source, selection, slice);
	cat_sql_builder_run(&query);
	rows = cat_rows_of_statement();
	rows.has_cursor = cat_order_has_cursor(params);
	return rows;
}

/* Return whether the row counter has the number of the records. */
static bool
is_counted(const RequestParams *params, const Source *source)
{
	return !source->relation && params->filters == NIL && params->terms == NIL && !params->window &&
		   !params->deleted && cat_visibility_is_counted(params->resource, params->access) &&
		   (!params->then || params->access != ACCESS_OUTSIDER ||
			(params->resource->history_table && !params->resource->change));
}

/* Return the range of a list that a page is. */
Slice
cat_list_page_slice(const RequestParams *params)
{
	bool behind = params->cursor != NULL;

	return (Slice){behind && params->backwards, params->limit, behind ? 0 : params->skip, behind};
}

/* Count a range from the end of the list if that is nearer. */
static void
turn(Slice *slice, const RequestParams *params, const Source *source)
{
	int64 count;

	if (slice->backwards || slice->skip < SKIP_FAR || !is_plain(params) ||
		!is_counted(params, source))
		return;
	count = cat_list_page_count(params, source);
	if (slice->skip * 2 < count)
		return;
	slice->backwards = true;
	slice->limit = (int) Max(Min(count - params->skip, params->limit), 0);
	slice->skip = Max(count - params->skip - params->limit, 0);
}

/*
 * Read one page, or (backwards) the records at the end of the list.
 *
 * Index scans are used if the order is that of creation and all conditions are on keys.
 */
Rows
cat_list_page_read(const RequestParams *params, const Source *source, const Selection *selection,
				   bool backwards)
{
	Slice slice = cat_list_page_slice(params);
	Rows rows;

	slice.backwards |= backwards;
	turn(&slice, params, source);
	if (!is_plain(params) || !cat_fast_page(params, source, &slice, &rows))
	{
		if (cat_search_is_served(params) && !params->cursor &&
			!(is_plain(params) && cat_fast_takes_filters(params)))
			return cat_search_page_read(params, source, selection, backwards);
		rows = query_page(params, source, selection, &slice);
	}
	if (slice.backwards && !backwards)
		cat_rows_reverse(&rows);
	return rows;
}

/* Return the number of records of a list. */
int64
cat_list_page_count(const RequestParams *params, const Source *source)
{
	if (is_counted(params, source))
	{
		Tally now = cat_row_counter_read(params->resource);

		return cat_row_counter_of(&now, params->access) - cat_count_since(params);
	}
	return cat_search_page_count(params, source, SEARCH_NONE);
}

/* Return the total: known from the page itself if this is the last one, else counted. */
static int64
total(const RequestParams *params, const Source *source, int returned)
{
	if (!params->cursor && returned < params->limit && (returned > 0 || params->skip == 0))
		return params->skip + returned;
	return cat_list_page_count(params, source);
}

/* Return the cursor of two values: when a record was created, and its id. */
static char *
cursor_of_creation(Datum created_at, const char *id)
{
	return cat_cursor_of(cat_json_text_instant(DatumGetTimestampTz(created_at)), id);
}

/*
 * Return the cursor of the sort keys that a statement returned.
 *
 * In the default order it is the same text that a row of the table gives, whatever TimeZone says.
 */
static char *
cursor_of_keys(const RequestParams *params, Datum keys)
{
	int count;
	Datum *texts;

	if (params->orders != NIL)
		return cat_cursor_encode(keys);
	texts = cat_text_array_elements(keys, &count);
	return cursor_of_creation(DirectFunctionCall3(timestamptz_in,
												  CStringGetDatum(TextDatumGetCString(texts[0])),
												  ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)),
							  TextDatumGetCString(texts[1]));
}

/* Return the cursor of a record of the page, NULL if the order has none. */
static char *
place_at(const RequestParams *params, const Rows *rows, int row)
{
	bool isnull;
	int column = rows->whole ? params->resource->created_at : rows->desc->natts;
	Datum value = SPI_getbinval(rows->tuples[row], rows->desc, column, &isnull);

	if (rows->whole)
		return cursor_of_creation(
			value, SPI_getvalue(rows->tuples[row], rows->desc, params->resource->id));
	return rows->has_cursor ? cursor_of_keys(params, value) : NULL;
}

/* Return the ids of the records of the page, separated by commas; NULL if they are deleted: then
 * they have no address. */
static const char *
ids_of(const RequestParams *params, const Rows *rows)
{
	int column = cat_rows_column(rows, params->resource, NULL, "id") + 1;
	StringInfoData ids;

	if (params->deleted)
		return NULL;
	initStringInfo(&ids);
	for (int i = 0; i < rows->count; i++)
		appendStringInfo(&ids, "%s%s", i > 0 ? "," : "",
						 SPI_getvalue(rows->tuples[i], rows->desc, column));
	return ids.data;
}

/* Read a page of a list into the reply, with total, cursors and ids. */
void
cat_list_page_answer(const RequestParams *params, const Source *source, const Selection *selection,
					 CallReply *reply)
{
	Rows rows = cat_list_page_read(params, source, selection, false);

	reply->data = makeStringInfo();
	cat_embedding_fetch(selection, &rows, params->then);
	cat_json_records(reply->data, selection, &rows);
	reply->count = total(params, source, rows.count);
	reply->links = ids_of(params, &rows);
	reply->returned = rows.count;
	if (rows.count > 0 && params->skip + rows.count < reply->count)
		reply->next = place_at(params, &rows, rows.count - 1);
	if (rows.count > 0 && params->skip > 0)
		reply->previous = place_at(params, &rows, 0);
}
