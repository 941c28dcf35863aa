/*
 * count.c
 *	  The number of the records of a list: by the row counter, or by a statement whose result is cached.
 *
 * Clients that page through a list ask for the same total repeatedly.  After a change, the number of
 * a search that finds many records is the former one and what the records that have changed since
 * add to it.
 */
#include "catalogue.h"

#include "port/pg_bitutils.h"

#include "base/settings.h"
#include "read/list_internal.h"

/* Tables with so many rows are sampled by so many of them; what so many of these are says how many there are in all. */
#define SAMPLED_FROM 100000
#define SAMPLED_ROWS 1000
#define FOUND_LEAST 50

/* A number is not brought up to date if more records have changed since. */
#define CHANGED_MAX 1000

/* Return the key of the number that a statement counts, with the definition of what it reads. */
static PageCacheKey
key_of(const ReadPlan *plan, const SqlBuilder *query)
{
	RequestParams present = *plan->params;
	const char *definition;

	present.then = 0;
	definition = cat_etag_of_version(0, plan->resources, &present);
	return cat_page_cache_statement(plan, psprintf("count %s", definition ? definition : ""),
									query);
}

static void
put(const PageCacheKey *key, int64 number)
{
	CallReply reply = {.data = makeStringInfo(), .count = number};

	cat_page_cache_put(key, &reply);
}

/* ---- The number of a search, brought up to date ---- */

/* Return whether the history has all that tells which records a search finds. */
static bool
is_followed(const ReadPlan *plan)
{
	const RequestParams *params = plan->params;
	const Resource *resource = params->resource;

	if (params->terms == NIL || params->filters != NIL || plan->source.relation || params->window ||
		params->deleted || params->then || !resource->history_table || resource->change ||
		cat_visibility_is_limited(resource, params->access))
		return false;
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].searchable && resource->fields[i].history_attno == 0)
			return false;
	return true;
}

/*
 * Set how many records more a search finds, with a rank, than at an instant.  Returns false if too many records have
 * changed since, or some without a trace in the history.
 */
static bool
read_difference(const ReadPlan *plan, SearchRank rank, TimestampTz then, int64 *difference)
{
	const RequestParams *params = plan->params;
	SqlBuilder query;
	bool isnull;

	cat_sql_builder_begin(&query, params->access, then);
	query.rank = rank;
	query.plan = CURSOR_OPT_CUSTOM_PLAN;
	appendStringInfoString(&query.sql, "SELECT CASE WHEN ");
	cat_history_sql_is_followed(&query, params->resource, CHANGED_MAX);
	appendStringInfoString(&query.sql, " THEN (SELECT coalesce(sum(t.sign), 0)");
	cat_history_sql_differences(&query, params->resource);
	appendStringInfoString(&query.sql, " WHERE ");
	cat_sql_builder_living(&query, params->resource, "t");
	cat_filter_write(&query, params, "t");
	appendStringInfoString(&query.sql, ") END");
	cat_sql_builder_run(&query);
	*difference = DatumGetInt64(cat_result_datum(1, &isnull));
	return !isnull;
}

/* Set a number that any backend has counted, and the instant of its state, which is no later than the present one. */
static bool
find_shared(const PageCacheKey *key, const ReadPlan *plan, int64 *number, TimestampTz *then)
{
	const char *shared = cat_facet_cache_serves(plan, key) ? cat_facet_cache_get_any(key) : NULL;

	return shared && sscanf(shared, INT64_FORMAT " " INT64_FORMAT, number, then) == 2 &&
		   *then <= key->newest;
}

/* Keep a number that has taken long to count for other backends. */
static void
share(const PageCacheKey *key, const ReadPlan *plan, int64 number)
{
	if (key->newest != 0 && is_followed(plan) && cat_facet_cache_serves(plan, key))
		cat_facet_cache_put(key, GetCurrentTimestamp(),
							psprintf(INT64_FORMAT " " INT64_FORMAT, number, key->newest));
}

/* Set the present number from that of an earlier state; false if that is not known, or was not in a range. */
static bool
bring_up_to_date(const PageCacheKey *key, const ReadPlan *plan, SearchRank rank, int64 least,
				 int64 most, int64 *number)
{
	TimestampTz then;
	int64 difference = 0;

	if (!is_followed(plan))
		return false;
	if (!cat_page_cache_count_before(key, number, &then) ||
		(*number >= least && *number <= most && !read_difference(plan, rank, then, &difference)))
	{
		/* another backend may have counted it, or later */
		if (!find_shared(key, plan, number, &then) ||
			(then < key->newest && !read_difference(plan, rank, then, &difference)))
			return false;
	}
	if (*number < least || *number > most)
		return false;
	*number += difference;
	return true;
}

/* ---- Counting ---- */

/* Set the number that a statement counts; false if it is not known. */
static bool
find(const PageCacheKey *key, const ReadPlan *plan, SearchRank rank, int64 *number)
{
	CallReply reply = {0};

	if (cat_page_cache_get(key, &reply))
	{
		*number = reply.count;
		return true;
	}
	if (!bring_up_to_date(key, plan, rank, (int64) cat_facets_exact + 1, PG_INT64_MAX, number) ||
		*number <= cat_facets_exact)
		return false;
	put(key, *number);
	return true;
}

/* Return the number that a statement counts: the records of a list, of a search those with a rank. */
static int64
count(SqlBuilder *query, const ReadPlan *plan, SearchRank rank)
{
	PageCacheKey key = key_of(plan, query);
	int64 number;

	if (find(&key, plan, rank, &number))
		return number;
	cat_sql_builder_run(query);
	number = cat_result_int64(1);
	if (number > cat_facets_exact)
		share(&key, plan, number);
	put(&key, number);
	return number;
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
	return count(&query, plan, rank);
}

bool
cat_count_rank_is_none(const ReadPlan *plan, SearchRank rank)
{
	PageCacheKey key;
	SqlBuilder query;
	CallReply reply = {0};
	int64 number;

	write_count(&query, plan, rank);
	key = key_of(plan, &query);
	if (cat_page_cache_get(&key, &reply))
		return reply.count == 0;
	if (!bring_up_to_date(&key, plan, rank, 0, 0, &number))
		return false;
	put(&key, number);
	return number == 0;
}

void
cat_count_rank_set_none(const ReadPlan *plan, SearchRank rank)
{
	PageCacheKey key;
	SqlBuilder query;

	write_count(&query, plan, rank);
	key = key_of(plan, &query);
	share(&key, plan, 0);
	put(&key, 0);
}

/*
 * Append the statement that counts the first records of a search, in the order of the table, and concludes how many
 * there are from the block of the last one.
 */
static void
write_first(SqlBuilder *query, const ReadPlan *plan)
{
	appendStringInfo(&query->sql,
					 "SELECT CASE WHEN count(*) <= %d THEN count(*) ELSE (count(*) * "
					 "pg_relation_size(%u) / current_setting('block_size')::integer / "
					 "((max(m.ctid)::text::point)[0] + 1))::bigint END FROM (SELECT t.ctid",
					 COUNTED_EXACTLY, plan->params->resource->relid);
	cat_list_source_table_write(query, plan, "");
	appendStringInfo(&query->sql, " LIMIT %d) m", COUNTED_EXACTLY + 1);
}

/*
 * Write the statement that concludes how many records a search has.  The index takes the longer the more records there
 * are, even for the first ones, so that a large table is sampled first, always the same blocks of it; records that are
 * few in the sample are counted.
 */
static void
write_about(SqlBuilder *query, const ReadPlan *plan, SearchRank rank)
{
	double rows = cat_list_source_table_rows(plan->params->resource);
	const char *sampling;

	cat_sql_builder_begin(query, plan->params->access, 0);
	query->indexed = true;
	query->rank = rank;
	if (rows < SAMPLED_FROM)
	{
		write_first(query, plan);
		return;
	}
	sampling = psprintf(" TABLESAMPLE SYSTEM (%g) REPEATABLE (0)", 100 * SAMPLED_ROWS / rows);
	appendStringInfo(&query->sql,
					 "SELECT CASE WHEN s.found >= %d THEN s.found * %.0f / s.read ELSE (",
					 FOUND_LEAST, rows);
	write_first(query, plan);
	appendStringInfo(&query->sql, ") END FROM (SELECT (SELECT count(*)");
	cat_list_source_table_write(query, plan, sampling);
	appendStringInfo(&query->sql, ") AS found, (SELECT count(*) FROM %s t%s) AS read OFFSET 0) s",
					 plan->params->resource->table, sampling);
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
		is_concluded(&query, plan, rank) ? count(&query, plan, rank) : cat_count_rank(plan, rank);

	return number <= COUNTED_EXACTLY ? number : (int64) pg_nextpower2_64((uint64) number);
}

int64
cat_count_rank_about(const ReadPlan *plan, SearchRank rank)
{
	/* about as many as at the instant of the read there are now */
	RequestParams params = *plan->params;
	ReadPlan now = *plan;
	PageCacheKey key;
	SqlBuilder query;
	int64 number;

	now.params = &params;
	params.then = 0;
	if (!is_concluded(&query, &now, rank))
		return cat_count_rank(plan, rank);
	key = key_of(&now, &query);
	return cat_page_cache_count_lately(&key, &number) ? number : count(&query, &now, rank);
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
	return count(&query, plan, SEARCH_NONE);
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

/* Set the number of a list's records if counters have it. */
static bool
read_counters(const ReadPlan *plan, int64 *number)
{
	Tally now;

	if (!cat_count_is_kept(plan))
		return cat_list_index_counter(plan, number);
	now = cat_row_counter_read(plan->params->resource);
	*number =
		(plan->params->access == ACCESS_OUTSIDER ? now.shown : now.living) - count_since(plan);
	return true;
}

int64
cat_count_read(ReadPlan *plan)
{
	if (!plan->counted && !read_counters(plan, &plan->count))
		plan->count = cat_count_rank(plan, SEARCH_NONE);
	plan->counted = true;
	return plan->count;
}

/* Return a number with its first two digits. */
static int64
two_digits(int64 number)
{
	int64 unit = 1;

	while (number / unit >= 100)
		unit *= 10;
	return number / unit * unit;
}

/* Return about how many records a list has whose number is not known; 0 if it is, or if rows are hidden from the caller. */
static int64
about_unknown(ReadPlan *plan)
{
	SqlBuilder query;
	PageCacheKey key;

	plan->counted = plan->counted || read_counters(plan, &plan->count);
	if (plan->counted)
		return 0;
	write_count(&query, plan, SEARCH_NONE);
	key = key_of(plan, &query);
	plan->counted = find(&key, plan, SEARCH_NONE, &plan->count);
	return !plan->counted && cat_index_scan_sees_all(plan->params->resource->relid)
			   ? cat_count_rank_about(plan, SEARCH_NONE)
			   : 0;
}

bool
cat_count_estimate(ReadPlan *plan, int64 *number)
{
	int64 about = about_unknown(plan);
	bool estimated = about > cat_facets_exact;

	*number = estimated ? two_digits(about) : cat_count_read(plan);
	return !estimated;
}
