/*
 * list.c
 *	  SQL functions that read lists: list, related, usage, record_logs, count.
 */
#include "catalogue.h"

#include "query/terms.h"
#include "read/list_internal.h"

/* Set the total: known from the page itself if this is the last one, else counted, or estimated where that is asked for. */
static void
set_total(ReadPlan *plan, int returned, CallReply *reply)
{
	const RequestParams *params = plan->params;

	if (!params->cursor && returned < params->limit && (returned > 0 || params->skip == 0))
		reply->count = params->skip + returned;
	else if (params->estimate)
		reply->estimated = !cat_count_estimate(plan, &reply->count);
	else
		reply->count = cat_count_read(plan);
}

void
cat_list_read(ReadPlan *plan, CallReply *reply)
{
	Rows rows = cat_list_page_read(plan, false);

	cat_embedding_fetch(plan->selection, &rows, plan->params->then);
	reply->data = makeStringInfo();
	cat_json_records(reply->data, plan->selection, &rows);
	set_total(plan, rows.count, reply);
	cat_list_page_describe(plan->params, &rows, reply);
}

/* Up to so many records a search has found little. */
#define LITTLE 5

/* Filters of a list that finds nothing without which it is counted */
#define WITHOUT_MAX 8

/* Return how many records a list has without the filters of a name; NULL: without its search. */
static int64
count_without(const ReadPlan *plan, const char *name)
{
	RequestParams params = *plan->params;
	ReadPlan without = *plan;

	without.params = &params;
	without.counted = false;
	params.filters = NIL;
	foreach_ptr(Filter, filter, plan->params->filters)
		if (!name || strcmp(filter->name, name) != 0)
			params.filters = lappend(params.filters, filter);
	if (!name)
	{
		params.terms = NIL;
		params.words = NULL;
	}
	return cat_count_read(&without);
}

/*
 * Return what a list that finds nothing has without one of its first filters, or without its search; a member of "meta",
 * NULL if it has no filters.
 */
static char *
without_of(const ReadPlan *plan)
{
	StringInfo out = makeStringInfo();
	List *names = NIL;

	foreach_ptr(const Filter, filter, plan->params->filters)
	{
		bool known = false;

		foreach_ptr(const char, name, names)
			known |= strcmp(name, filter->name) == 0;
		if (known || list_length(names) == WITHOUT_MAX)
			continue;
		names = lappend(names, unconstify(char *, filter->name));
		appendStringInfo(out, "%s:" INT64_FORMAT ",", cat_json_quoted(filter->name),
						 count_without(plan, filter->name));
	}
	if (names == NIL)
		return NULL;
	if (plan->params->terms != NIL)
		appendStringInfo(out, "\"query\":" INT64_FORMAT ",", count_without(plan, NULL));
	out->data[out->len - 1] = '}';
	return psprintf("\"without\":{%s", out->data);
}

/* Append a member of "meta"; NULL: there is none. */
static void
add_member(StringInfo meta, const char *member)
{
	if (member)
		appendStringInfo(meta, "%s%s", meta->len > 0 ? "," : "", member);
}

/*
 * Return the members of "meta" that the request asks for: about how many records there are, facets, the nearest words of
 * a search that finds little, and of a list that finds nothing how many there are without its filters.
 *
 * counted_at: as of cat_facets_read()
 */
static char *
meta_of(const ReadPlan *plan, const CallReply *reply, TimestampTz *counted_at)
{
	const RequestParams *params = plan->params;
	StringInfo meta = makeStringInfo();

	if (reply->estimated)
		add_member(meta, psprintf("\"estimate\":" INT64_FORMAT, reply->count));
	add_member(meta, cat_facets_read(plan, counted_at));
	if (params->nearest && params->terms != NIL && reply->count <= LITTLE)
		add_member(meta, cat_search_page_nearest_words(plan));
	if (params->nearest && reply->count == 0)
		add_member(meta, without_of(plan));
	return meta->len > 0 ? meta->data : NULL;
}

/* Return whether a facet has not been counted. */
static bool
is_any_left_out(const RequestParams *params)
{
	foreach_ptr(const Facet, facet, params->facets)
		if (facet->left_out)
			return true;
	return false;
}

/* Read the page, the count and the facets of the list, as cat_read_page() asks for. */
static void
read_page(ReadCall *call, void *asked)
{
	TimestampTz counted_at = 0;

	cat_list_read(&call->plan, &call->reply);
	call->reply.meta = meta_of(&call->plan, &call->reply, &counted_at);
	/* the state of the records tells neither older numbers nor which ones were known */
	if (counted_at || call->reply.estimated || is_any_left_out(call->plan.params))
		call->reply.etag = NULL;
}

static Datum
answer(ReadCall *call, FunctionCallInfo fcinfo)
{
	const Source *source = &call->plan.source;
	const char *key = psprintf("%s %s %s %d %d", source->resource ? source->resource->name : "",
							   source->relation ? source->relation->name : "",
							   source->relation ? source->owner : "",
							   call->plan.selection->embedded, call->plan.selection->css);

	cat_read_page(call, key, read_page, NULL);
	return cat_read_end(call, fcinfo);
}

CAT_FUNCTION(catalogue_list)
{
	ReadCall call = {0};

	cat_call_reply_begin();
	cat_read_begin(&call, fcinfo, cat_call_reply_resource(fcinfo, ARG_LIST_RESOURCE), &args_list);
	call.known = cat_call_reply_argument(fcinfo, ARG_LIST_KNOWN);
	cat_read_state(&call);
	return answer(&call, fcinfo);
}

CAT_FUNCTION(catalogue_related)
{
	ReadCall call = {0};

	cat_call_reply_begin();
	cat_read_begin_related(&call, fcinfo, &args_related);
	call.known = cat_call_reply_argument(fcinfo, ARG_RELATED_KNOWN);
	if (call.plan.source.relation->kind == RELATION_TO_ONE)
	{
		cat_read_state_record(&call);
		cat_item_answer_related(&call);
		return cat_read_end(&call, fcinfo);
	}
	cat_read_state(&call);
	cat_record_require_owner(&call.plan);
	call.reply.id = call.plan.source.owner;
	return answer(&call, fcinfo);
}

/*
 * Statistics have a column with the name of the resource, not a foreign key, so the relation is
 * made here.
 */
CAT_FUNCTION(catalogue_usage)
{
	CatRelation named = {.name = "usage", .kind = RELATION_ONE_TO_MANY, .near = "resource"};
	ReadCall call = {0};
	const char *query;
	bool csv;

	cat_call_reply_begin();
	query = cat_call_reply_argument(fcinfo, ARG_USAGE_QUERY);
	csv = cat_call_reply_argument_is(fcinfo, ARG_USAGE_FORMAT, "csv");
	if (cat_query_string_has(query, "groupBy"))
	{
		cat_actor_read(fcinfo, ARG_USAGE_ACTOR, &call.actor);
		return cat_statistics_summary_answer(
			fcinfo, cat_call_reply_resource(fcinfo, ARG_USAGE_RESOURCE), query, &call.actor, csv);
	}
	if (csv)
		ereport(ERROR, (errcode(OD406), errmsg("statistics are CSV only with \"groupBy\"")));
	call.plan.source =
		(Source){NULL, &named, cat_call_reply_resource(fcinfo, ARG_USAGE_RESOURCE)->name};
	cat_read_begin(&call, fcinfo, cat_registry_resource("statistics"), &args_usage);
	call.known = cat_call_reply_argument(fcinfo, ARG_USAGE_KNOWN);
	cat_read_state(&call);
	return answer(&call, fcinfo);
}

/* List the log records of a record. */
CAT_FUNCTION(catalogue_record_logs)
{
	CatRelation named = {.name = "logs", .kind = RELATION_ONE_TO_MANY, .near = "resource"};
	ReadCall call = {0};
	Actor actor;
	Resource *resource;
	const char *id;

	cat_call_reply_begin();
	resource = cat_call_reply_resource(fcinfo, ARG_RECORD_LOGS_RESOURCE);
	cat_actor_read(fcinfo, ARG_RECORD_LOGS_ACTOR, &actor);
	id = cat_record_named_id(resource, cat_call_reply_required(fcinfo, ARG_RECORD_LOGS_ID),
							 actor.access);
	call.plan.source = (Source){NULL, &named, id};
	cat_read_begin(&call, fcinfo, cat_registry_resource("logs"), &args_record_logs);
	call.known = cat_call_reply_argument(fcinfo, ARG_RECORD_LOGS_KNOWN);
	cat_consumer_require(&call.actor, resource->name);
	/* of deleted records as well */
	cat_statement_read(psprintf("SELECT FROM %s WHERE id = $1", resource->table), text_param(id));
	if (SPI_processed == 0)
		cat_record_not_found(resource, id);
	cat_read_state(&call);
	return answer(&call, fcinfo);
}

CAT_FUNCTION(catalogue_count)
{
	ReadCall call = {0};

	cat_call_reply_begin();
	cat_read_begin(&call, fcinfo, cat_call_reply_resource(fcinfo, ARG_COUNT_RESOURCE), &args_count);
	call.known = cat_call_reply_argument(fcinfo, ARG_COUNT_KNOWN);
	cat_read_state(&call);
	if (!cat_read_is_known(&call))
		cat_call_reply_format(&call.reply, "{\"count\":" INT64_FORMAT "}",
							  cat_count_read(&call.plan));
	return cat_read_end(&call, fcinfo);
}
