/*
 * facets.c
 *	  Counts of the records of a list by the values of facets.
 *
 * Facets that count under the same filters share one statement, and so do those whose numbers are kept.  A request that
 * does not wait for numbers is told which ones were not counted.
 */
#include "catalogue.h"

#include "utils/timestamp.h"

#include "base/settings.h"
#include "query/terms.h"
#include "read/list_internal.h"

/* Between the facets of an answer: a character that is in no JSON. */
#define SEPARATOR "\x1e"

/* Facets of a request that count under the same filters, or whose numbers are kept. */
typedef struct FacetGroup
{
	ReadPlan plan; /* with these filters only */
	bool counted;
	bool left_out;
	List *facets; /* of Facet * */
} FacetGroup;

static bool
same_filters(List *left, List *right)
{
	ListCell *one;
	ListCell *other;

	if (list_length(left) != list_length(right))
		return false;
	forboth(one, left, other, right)
		if (lfirst(one) != lfirst(other))
			return false;
	return true;
}

/* Return a new group of facets with these filters. */
static FacetGroup *
new_group(const ReadPlan *plan, List *filters)
{
	FacetGroup *group = palloc0(sizeof(FacetGroup));

	group->plan = *plan;
	group->plan.params = palloc(sizeof(RequestParams));
	*group->plan.params = *plan->params;
	group->plan.params->filters = filters;
	return group;
}

/* Return whether the numbers of a facet are kept for the records of a list, as the caller sees them. */
static bool
is_counted(const ReadPlan *plan, const Facet *facet)
{
	const RequestParams *params = plan->params;

	return !params->then && cat_count_is_kept(plan) &&
		   cat_facet_counter_find(params->resource, facet->name) != NULL;
}

/* Add a facet to the group of its filters. */
static void
add_to_group(List **groups, const ReadPlan *plan, Facet *facet)
{
	FacetGroup *group = new_group(plan, cat_facet_filters(plan->params, facet));

	facet->counted = group->counted = is_counted(&group->plan, facet);
	foreach_ptr(FacetGroup, other, *groups)
		if (other->counted == group->counted &&
			same_filters(other->plan.params->filters, group->plan.params->filters))
		{
			other->facets = lappend(other->facets, facet);
			return;
		}
	group->facets = list_make1(facet);
	*groups = lappend(*groups, group);
}

static List *
groups_of(const ReadPlan *plan)
{
	List *groups = NIL;

	foreach_ptr(Facet, facet, plan->params->facets)
	{
		facet->chosen = cat_facet_chosen(plan->params, facet);
		add_to_group(&groups, plan, facet);
	}
	return groups;
}

/* Write the statement of a group: its facets as members of an object. */
static void
write_group(SqlBuilder *query, const FacetGroup *group)
{
	const RequestParams *params = group->plan.params;
	bool reads = !group->counted && !group->left_out;

	cat_sql_builder_begin(query, params->access, params->then);
	query->indexed = cat_search_is_served(params);
	appendStringInfoString(&query->sql, "SELECT f.* FROM (");
	if (reads)
	{
		appendStringInfoString(&query->sql, "WITH m AS MATERIALIZED (SELECT t.id");
		cat_facet_sql_columns(query, params, group->facets);
		cat_list_source_write(query, &group->plan);
		appendStringInfoString(&query->sql, ") ");
	}
	appendStringInfoString(&query->sql, "SELECT concat_ws(E'\\x1e'");
	for (int i = 0; i < list_length(group->facets); i++)
	{
		appendStringInfoString(&query->sql, ", ");
		cat_facet_sql_write(query, params, group->facets, i);
	}
	appendStringInfo(&query->sql, "), %s) f", reads ? "(SELECT count(*) FROM m)" : "0::bigint");
}

/*
 * Count a group; the answers are put into the page cache, since they are the same on each page of the list.
 *
 * shared: other backends are given them, too, if they have taken long
 */
static char *
count_group(SqlBuilder *query, const PageCacheKey *key, bool shared)
{
	TimestampTz began = GetCurrentTimestamp();
	CallReply reply = {.data = makeStringInfo()};
	int64 records;

	cat_sql_builder_run(query);
	appendStringInfoString(reply.data, cat_result_text(1));
	records = cat_result_int64(2);
	cat_page_cache_put(key, &reply);
	if (shared && records > cat_facets_exact)
		cat_facet_cache_put(key, began, reply.data->data);
	return reply.data->data;
}

/* Return whether a group has so many records that a request which permits estimates does not wait for their numbers. */
static bool
takes_long(const FacetGroup *group)
{
	ReadPlan plan = group->plan;
	int64 number;

	if (!plan.params->estimate || group->counted)
		return false;
	(void) cat_count_estimate(&plan, &number);
	return number > cat_facets_exact;
}

/* Return the answers of a group that is not counted: what the chosen values are called. */
static char *
leave_out(FacetGroup *group)
{
	SqlBuilder query;

	group->left_out = true;
	foreach_ptr(Facet, facet, group->facets)
		facet->left_out = true;
	write_group(&query, group);
	cat_sql_builder_run(&query);
	return cat_result_text(1);
}

/*
 * Return the answers of a group: of this state if a cache has them, else perhaps some seconds old, else counted, unless
 * the request does not wait for that.
 */
static char *
read_group(FacetGroup *group, TimestampTz *counted_at)
{
	SqlBuilder query;
	PageCacheKey key;
	CallReply reply = {0};
	TimestampTz at;
	bool shared;
	char *facets;

	write_group(&query, group);
	key = cat_page_cache_statement(&group->plan, "facets", &query);
	if (cat_page_cache_get(&key, &reply))
		return reply.data->data;
	shared = !group->counted && cat_facet_cache_serves(&group->plan, &key);
	facets = shared ? cat_facet_cache_get(&key, &at) : NULL;
	if (!facets)
		return takes_long(group) ? leave_out(group) : count_group(&query, &key, shared);
	*counted_at = *counted_at ? Min(*counted_at, at) : at;
	return facets;
}

/* Set the answers of the facets of a group. */
static void
answer_group(FacetGroup *group, TimestampTz *counted_at)
{
	char *rest = pstrdup(read_group(group, counted_at));

	foreach_ptr(Facet, facet, group->facets)
		facet->answer = strsep(&rest, SEPARATOR);
}

char *
cat_facets_read(const ReadPlan *plan, TimestampTz *counted_at)
{
	StringInfoData out;

	if (plan->params->facets == NIL)
		return NULL;
	foreach_ptr(FacetGroup, facet_group, groups_of(plan))
		answer_group(facet_group, counted_at);
	initStringInfo(&out);
	appendStringInfoString(&out, "\"facets\":{");
	foreach_ptr(const Facet, facet, plan->params->facets)
		appendStringInfo(&out, "%s%s", foreach_current_index(facet) > 0 ? "," : "", facet->answer);
	appendStringInfoChar(&out, '}');
	if (*counted_at)
		appendStringInfo(&out, ",\"age\":" INT64_FORMAT,
						 (GetCurrentTimestamp() - *counted_at) / USECS_PER_SEC);
	return out.data;
}
