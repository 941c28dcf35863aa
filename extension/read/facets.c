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

/* Rows of the statement of a group. */
typedef struct FacetRows
{
	SPITupleTable *table;
	uint64 count;
	uint64 at; /* the next one */
} FacetRows;

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

		group->facets = lappend(group->facets, facet);
	}
	return groups;
}

/* Write the statement of a group; its columns are those of FacetColumn. */
static void
write_group(SqlBuilder *query, const FacetGroup *group)
{
	const RequestParams *params = group->plan.params;

	cat_sql_builder_begin(query, params->access, params->then);
	query->indexed = cat_search_is_served(params);
	appendStringInfoString(&query->sql, "SELECT f.* FROM (WITH m AS MATERIALIZED (SELECT t.id");
	cat_facet_sql_columns(query, params, group->facets);
	cat_list_source_write(query, &group->plan);
	appendStringInfoString(&query->sql, ") ");
	for (int i = 0; i < list_length(group->facets); i++)
	{
		appendStringInfoString(&query->sql, i > 0 ? " UNION ALL " : "");
		cat_facet_sql_write(query, params, group->facets, i);
	}
	appendStringInfoString(&query->sql,
						   ") f ORDER BY f.number, f.count DESC, "
						   "f.label COLLATE \"und-x-icu\", f.value COLLATE \"und-x-icu\"");
}

/* Return whether the values of a facet are JSON without quotes. */
static bool
is_bare(const RequestParams *params, const Facet *facet)
{
	const Field *field;

	if (facet->of_records || facet->by_year)
		return facet->by_year;
	field = cat_registry_field(cat_facet_resource(params, facet), llast(facet->path));
	if (field->element)
		field = field->element;
	return field->kind == FIELD_BOOLEAN || field->kind == FIELD_INTEGER;
}

/* Return a column of the next row. */
static char *
text_of(const FacetRows *result, FacetColumn column)
{
	return SPI_getvalue(result->table->vals[result->at], result->table->tupdesc, column);
}

static int64
number_of(const FacetRows *result, FacetColumn column)
{
	return strtoll(text_of(result, column), NULL, 10);
}

/* Append the value in the next row, with its count. */
static void
append_value(StringInfo out, const RequestParams *params, const Facet *facet,
			 const FacetRows *result)
{
	const Field *label = cat_facet_label(params, facet);
	const Field *slug = cat_facet_slug(params, facet);

	appendStringInfoString(out, facet->of_records ? "{\"id\":" : "{\"value\":");
	if (is_bare(params, facet))
		appendStringInfoString(out, text_of(result, FACET_VALUE));
	else
		cat_json_text_string(out, text_of(result, FACET_VALUE));
	if (label)
		appendStringInfo(out, "%s%s", label->member, cat_json_quoted(text_of(result, FACET_LABEL)));
	if (slug)
		appendStringInfo(out, "%s%s", slug->member, cat_json_quoted(text_of(result, FACET_SLUG)));
	appendStringInfo(out, ",\"count\":%s}", text_of(result, FACET_COUNT));
}

/* Append the facet number "at" of a group as a member; its rows are the next ones. */
static void
append_facet(StringInfo out, const FacetGroup *group, int at, FacetRows *result)
{
	const Facet *facet = list_nth(group->facets, at);
	int64 rest = 0;

	appendStringInfo(out, "%s:{\"values\":[", cat_json_quoted(facet->name));
	for (int told = 0; result->at < result->count && number_of(result, FACET_NUMBER) == at;
		 result->at++)
	{
		if (told++ > 0)
			appendStringInfoChar(out, ',');
		append_value(out, group->plan.params, facet, result);
		rest = number_of(result, FACET_VALUES) - told;
	}
	appendStringInfo(out, "],\"rest\":" INT64_FORMAT "}", rest);
}

/* Run the statement of a group; return its facets as members of an object. */
static StringInfo
read_group(const FacetGroup *group, SqlBuilder *query)
{
	StringInfo out = makeStringInfo();
	FacetRows result;

	cat_sql_builder_run(query);
	result = (FacetRows){SPI_tuptable, SPI_processed, 0};
	for (int i = 0; i < list_length(group->facets); i++)
	{
		if (i > 0)
			appendStringInfoChar(out, ',');
		append_facet(out, group, i, &result);
	}
	return out;
}

/* Return the facets of a group, from the page cache if possible: they are the same on each page of the list. */
static StringInfo
answer_group(const FacetGroup *group)
{
	StringInfo names = makeStringInfo();
	SqlBuilder query;
	PageCacheKey key;
	CallReply reply = {0};

	write_group(&query, group);
	appendStringInfoString(names, "facets");
	foreach_ptr(Facet, facet, group->facets)
		appendStringInfo(names, " %s", facet->name);
	key = cat_page_cache_statement(&group->plan, names->data, &query);
	if (!cat_page_cache_get(&key, &reply))
	{
		reply.data = read_group(group, &query);
		cat_page_cache_put(&key, &reply);
	}
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
