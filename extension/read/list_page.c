/*
 * list_page.c
 *	  Pages of lists: which records, in which order, how many there are.
 */
#include "catalogue.h"

#include "utils/builtins.h"

/* More records than this are not skipped one by one where they can be reached from the end. */
#define SKIP_FAR 1000

/* Write FROM and WHERE of a list, its records under the alias t. */
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

/* Write the statement that gives one page, or the records at an end of the collection. */
void
cat_list_page_write(SqlBuilder *query, const RequestParams *params, const Source *source,
					const Selection *selection, bool backwards)
{
	appendStringInfoString(&query->sql, "SELECT ");
	cat_sql_builder_columns(query, selection, "t");
	if (cat_order_has_cursor(params))
		cat_order_column(query, params, "t");
	cat_list_page_source(query, params, source);
	if (params->place)
		cat_order_behind(query, params, "t");
	cat_order_write(query, params, "t", backwards);
	/* in the text, so that the planner knows it and need not plan again at each call */
	appendStringInfo(&query->sql, " LIMIT %d", params->limit);
	if (params->skip > 0 && !params->place)
		appendStringInfo(&query->sql, " OFFSET %s::bigint",
						 cat_sql_builder_param(query, psprintf(INT64_FORMAT, params->skip)));
}

static Rows
query_page(const RequestParams *params, const Source *source, const Selection *selection,
		   bool backwards)
{
	SqlBuilder query;
	Rows rows;

	cat_sql_builder_begin(&query, selection->sight, params->then);
	cat_list_page_write(&query, params, source, selection, backwards);
	cat_sql_builder_run(&query);
	rows = cat_row_fetch_of_statement();
	rows.placed = cat_order_has_cursor(params);
	return rows;
}

/* Whether a list is in the order of creation. */
static bool
is_plain(const RequestParams *params)
{
	return params->orders == NIL && params->terms == NIL && !params->window && !params->deleted;
}

/* Whether the number of the records is kept. */
static bool
is_counted(const RequestParams *params, const Source *source)
{
	return !source->relation && params->filters == NIL && params->terms == NIL && !params->window &&
		   !params->deleted && cat_visibility_is_counted(params->resource, params->sight) &&
		   (!params->then || params->sight != ACCESS_OUTSIDER ||
			(params->resource->past_table && !params->resource->change));
}

/* Read records in the order of creation straight from the index; false where a statement must. */
static bool
read_in_order(const RequestParams *params, const Source *source, const Stretch *stretch, Rows *rows)
{
	if (params->then)
		return !source->relation && params->filters == NIL &&
			   cat_history_scan_in_order(params, stretch, rows);
	return cat_row_fetch_in_order(params, source, stretch, rows);
}

/*
 * The stretch of all records that a page is, seen from the end that is nearer.
 *
 * backwards: the page is wanted from the end.
 */
static Stretch
stretch_of(const RequestParams *params, const Source *source, bool backwards)
{
	Stretch stretch = {backwards, params->limit, params->skip, params->place != NULL};
	int64 count;

	if (stretch.placed || backwards || params->skip < SKIP_FAR || !is_counted(params, source))
		return stretch;
	count = cat_list_page_count(params, source);
	if (params->skip * 2 < count)
		return stretch;
	stretch.backwards = true;
	stretch.limit = (int) Max(Min(count - params->skip, params->limit), 0);
	stretch.skip = Max(count - params->skip - params->limit, 0);
	return stretch;
}

/*
 * Read one page, or the records at the end of the collection by backwards.
 *
 * Straight from an index where the order is the usual one, and keys alone decide.
 */
Rows
cat_list_page_read(const RequestParams *params, const Source *source, const Selection *selection,
				   bool backwards)
{
	bool reversed = params->place && params->backwards;
	Rows rows;

	if (is_plain(params))
	{
		Stretch stretch = stretch_of(params, source, backwards || reversed);

		if (read_in_order(params, source, &stretch, &rows))
		{
			if (stretch.backwards && !backwards)
				cat_row_fetch_reverse(&rows);
			return rows;
		}
	}
	if (cat_search_is_served(params) && !params->place)
		return cat_search_page_read(params, source, selection, backwards);
	rows = query_page(params, source, selection, backwards || reversed);
	if (reversed)
		cat_row_fetch_reverse(&rows);
	return rows;
}

/* The number of records of a list. */
int64
cat_list_page_count(const RequestParams *params, const Source *source)
{
	if (is_counted(params, source))
	{
		Tally now = cat_row_counter_read(params->resource);

		return cat_row_counter_of(&now, params->sight) - cat_count_since(params);
	}
	return cat_search_page_count(params, source, SEARCH_NONE);
}

/* The total where the page itself tells it, else counted. */
static int64
total(const RequestParams *params, const Source *source, int returned)
{
	if (!params->place && returned < params->limit && (returned > 0 || params->skip == 0))
		return params->skip + returned;
	return cat_list_page_count(params, source);
}

/* The place of a record of the page, NULL where its order has none. */
static char *
place_at(const RequestParams *params, const Rows *rows, int row)
{
	bool isnull;
	Datum created_at;
	Resource *resource = params->resource;

	if (!rows->whole)
		return rows->placed ? cat_cursor_encode(SPI_getbinval(rows->tuples[row], rows->desc,
															  rows->desc->natts, &isnull))
							: NULL;
	created_at = SPI_getbinval(rows->tuples[row], rows->desc, resource->created_at, &isnull);
	return cat_cursor_of(cat_json_text_instant(DatumGetTimestampTz(created_at)),
						 SPI_getvalue(rows->tuples[row], rows->desc, resource->id));
}

/* Read a page of a list, and what is to be said of it. */
void
cat_list_page_answer(const RequestParams *params, const Source *source, const Selection *selection,
					 CallReply *reply)
{
	Rows rows = cat_list_page_read(params, source, selection, false);

	reply->data = makeStringInfo();
	cat_embedding_fetch(selection, &rows, params->then);
	cat_json_records(reply->data, selection, &rows);
	reply->count = total(params, source, rows.count);
	reply->returned = rows.count;
	if (rows.count > 0 && params->skip + rows.count < reply->count)
		reply->next = place_at(params, &rows, rows.count - 1);
	if (rows.count > 0 && params->skip > 0)
		reply->previous = place_at(params, &rows, 0);
}
