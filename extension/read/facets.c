/*
 * facets.c
 *	  Counts of the records of a list by the values of facets.
 *
 * Facets that count under the same filters share one statement.
 */
#include "catalogue.h"

#include "query/terms.h"
#include "read/list_internal.h"

/* Facets of a request that count under the same filters. */
typedef struct FacetGroup
{
	ReadPlan plan; /* with these filters only */
	List *facets;  /* of Facet * */
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

/* Return the group of facets with these filters; a new one is added to the groups. */
static FacetGroup *
group_of(List **groups, const ReadPlan *plan, List *filters)
{
	FacetGroup *group;

	foreach_ptr(FacetGroup, facet_group, *groups)
		if (same_filters(facet_group->plan.params->filters, filters))
			return facet_group;
	group = palloc0(sizeof(FacetGroup));
	group->plan = *plan;
	group->plan.params = palloc(sizeof(RequestParams));
	*group->plan.params = *plan->params;
	group->plan.params->filters = filters;
	*groups = lappend(*groups, group);
	return group;
}

static List *
groups_of(const ReadPlan *plan)
{
	List *groups = NIL;

	foreach_ptr(Facet, facet, plan->params->facets)
	{
		FacetGroup *group = group_of(&groups, plan, cat_facet_filters(plan->params, facet));

		facet->chosen = cat_facet_chosen(plan->params, facet);
		group->facets = lappend(group->facets, facet);
	}
	return groups;
}

/* Write the statement of a group: its facets as members of an object. */
static void
write_group(SqlBuilder *query, const FacetGroup *group)
{
	const RequestParams *params = group->plan.params;

	cat_sql_builder_begin(query, params->access, params->then);
	query->indexed = cat_search_is_served(params);
	appendStringInfoString(&query->sql, "SELECT f.* FROM (WITH m AS MATERIALIZED (SELECT t.id");
	cat_facet_sql_columns(query, params, group->facets);
	cat_list_source_write(query, &group->plan);
	appendStringInfoString(&query->sql, ") SELECT concat_ws(','");
	for (int i = 0; i < list_length(group->facets); i++)
	{
		appendStringInfoString(&query->sql, ", ");
		cat_facet_sql_write(query, params, group->facets, i);
	}
	appendStringInfoString(&query->sql, ")) f");
}

/* Return the facets of a group, from the page cache if possible: they are the same on each page of the list. */
static StringInfo
answer_group(const FacetGroup *group)
{
	SqlBuilder query;
	PageCacheKey key;
	CallReply reply = {0};

	write_group(&query, group);
	key = cat_page_cache_statement(&group->plan, "facets", &query);
	if (cat_page_cache_get(&key, &reply))
		return reply.data;
	cat_sql_builder_run(&query);
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data, cat_result_text(1));
	cat_page_cache_put(&key, &reply);
	return reply.data;
}

char *
cat_facets_read(const ReadPlan *plan)
{
	StringInfoData out;

	if (plan->params->facets == NIL)
		return NULL;
	initStringInfo(&out);
	appendStringInfoString(&out, "\"facets\":{");
	foreach_ptr(FacetGroup, facet_group, groups_of(plan))
	{
		StringInfo group = answer_group(facet_group);

		if (foreach_current_index(facet_group) > 0)
			appendStringInfoChar(&out, ',');
		appendBinaryStringInfo(&out, group->data, group->len);
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}
