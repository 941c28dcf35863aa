/*
 * count.c
 *	  The number of the records of a list: by the row counter, or by a statement whose result is cached.
 *
 * Clients that page through a list ask for the same total repeatedly.
 */
#include "catalogue.h"

#include "port/pg_bitutils.h"

#include "read/list_internal.h"

/* Return the number that a statement counts, from the cache if possible. */
static int64
count(SqlBuilder *query, const ReadPlan *plan)
{
	PageCacheKey key = cat_page_cache_statement(plan, "count", query);
	CallReply reply = {0};

	if (cat_page_cache_get(&key, &reply))
		return reply.count;
	cat_sql_builder_run(query);
	reply.data = makeStringInfo();
	reply.count = cat_result_int64(1);
	cat_page_cache_put(&key, &reply);
	return reply.count;
}

/* Write the statement that counts the records of a list; of a search, those with a rank. */
static void
write_count(SqlBuilder *query, const ReadPlan *plan, SearchRank rank)
{
	cat_sql_builder_begin(query, plan->params->access, plan->params->then);
	query->indexed = cat_search_is_served(plan->params);
	query->rank = rank;
	cat_list_index_count_write(query, plan);
}

int64
cat_count_rank(const ReadPlan *plan, SearchRank rank)
{
	SqlBuilder query;

	write_count(&query, plan, rank);
	return count(&query, plan);
}

/*
 * Write the statement that counts the first records of a search, in the order of the table, and concludes how many
 * there are from the block of the last one.
 */
static void
write_about(SqlBuilder *query, const ReadPlan *plan, SearchRank rank)
{
	cat_sql_builder_begin(query, plan->params->access, 0);
	query->indexed = true;
	query->rank = rank;
	appendStringInfo(&query->sql,
					 "SELECT CASE WHEN count(*) <= %d THEN count(*) ELSE (count(*) * "
					 "pg_relation_size(%u) / current_setting('block_size')::integer / "
					 "((max(m.ctid)::text::point)[0] + 1))::bigint END FROM (SELECT t.ctid",
					 COUNTED_EXACTLY, plan->params->resource->relid);
	cat_list_source_table_write(query, plan);
	appendStringInfo(&query->sql, " LIMIT %d) m", COUNTED_EXACTLY + 1);
}

/* Return whether the number of a search's records is to be concluded; set the statement that does so. */
static bool
is_concluded(SqlBuilder *query, const ReadPlan *plan, SearchRank rank)
{
	if (plan->params->then || !cat_index_scan_sees_all(plan->params->resource->relid))
		return false;
	write_about(query, plan, rank);
	return true;
}

int64
cat_count_rank_rough(const ReadPlan *plan, SearchRank rank)
{
	SqlBuilder query;
	int64 number =
		is_concluded(&query, plan, rank) ? count(&query, plan) : cat_count_rank(plan, rank);

	return number <= COUNTED_EXACTLY ? number : (int64) pg_nextpower2_64((uint64) number);
}

int64
cat_count_rank_about(const ReadPlan *plan, SearchRank rank)
{
	PageCacheKey key;
	SqlBuilder query;
	int64 number;

	if (!is_concluded(&query, plan, rank))
		return cat_count_rank(plan, rank);
	key = cat_page_cache_statement(plan, "count", &query);
	return cat_page_cache_count_lately(&key, &number) ? number : count(&query, plan);
}

static const char living_sql[] =
	"SELECT coalesce(sum(c.living), 0)::bigint FROM catalogue.change c "
	"WHERE c.resource = $1 AND c.at > $2 AND c.living <> 0";

/*
 * Return how many of the records that outsiders see now were not visible to them at the instant of
 * a read.
 */
static int64
shown_since(const ReadPlan *plan)
{
	const RequestParams *params = plan->params;
	SqlBuilder query;

	cat_sql_builder_begin(&query, params->access, params->then);
	appendStringInfo(&query.sql, "SELECT count(*) FROM %s p JOIN %s t ON t.id = p.id WHERE ",
					 cat_history_sql_past(&query, params->resource), params->resource->table);
	cat_sql_builder_living(&query, params->resource, "t");
	appendStringInfoString(&query.sql, " AND (p.created_at IS NOT NULL AND ");
	cat_sql_builder_living(&query, params->resource, "p");
	appendStringInfoString(&query.sql, ") IS NOT TRUE");
	return count(&query, plan);
}

/*
 * Return how many of the records counted now do not belong to the state at the instant of a read; 0
 * for a read of the present state.
 */
static int64
count_since(const ReadPlan *plan)
{
	const RequestParams *params = plan->params;

	if (!params->then)
		return 0;
	if (params->access == ACCESS_OUTSIDER)
		return shown_since(plan);
	cat_statement_read(living_sql, text_param(params->resource->name), instant_param(params->then));
	return cat_result_int64(1);
}

bool
cat_count_sees_counters(const RequestParams *params)
{
	return (params->access == ACCESS_OUTSIDER ||
			!cat_visibility_restricts(params->resource, params->access)) &&
		   cat_index_scan_sees_all(params->resource->relid);
}

bool
cat_count_is_kept(const ReadPlan *plan)
{
	const RequestParams *params = plan->params;
	const Resource *resource = params->resource;

	return !plan->source.relation && params->filters == NIL && params->terms == NIL &&
		   !params->window && !params->deleted && cat_count_sees_counters(params) &&
		   (!params->then || params->access != ACCESS_OUTSIDER ||
			(resource->history_table && !resource->change));
}

/* Count the records of a list. */
static int64
count_list(const ReadPlan *plan)
{
	Tally now;
	int64 number;

	if (!cat_count_is_kept(plan))
		return cat_list_index_counter(plan, &number) ? number : cat_count_rank(plan, SEARCH_NONE);
	now = cat_row_counter_read(plan->params->resource);
	return (plan->params->access == ACCESS_OUTSIDER ? now.shown : now.living) - count_since(plan);
}

int64
cat_count_read(ReadPlan *plan)
{
	if (!plan->counted)
		plan->count = count_list(plan);
	plan->counted = true;
	return plan->count;
}
