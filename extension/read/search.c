/*
 * search.c
 *	  The SQL function that searches all resources: catalogue.search().
 */
#include "catalogue.h"

#include "read/list_internal.h"

/* Query parameters that apply to every resource. */
static const char *const common_words[] = {"query", "match",	"condition", "limit",
										   "skip",	"version",	"fields",	 "deleted",
										   "bbox",	"estimate", NULL};

/* A search in all resources. */
typedef struct Search
{
	const char *query; /* common parameters of the query string */
	List *names;	   /* of char *: resources; NIL for all */
	List *ignored;	   /* of char *: unknown parameters */
	ReadCall call;	   /* with the parameters of the first resource; it depends on all */
	bool embedded;
	List *plans;		  /* of ReadPlan *: one for each resource */
	StringInfoData found; /* names of the resources with matches */
} Search;

/* Parse the query string of a request. */
static Search
read_search(const char *query)
{
	Search search = {0};
	StringInfo common = makeStringInfo();

	while (*query)
	{
		size_t length = strcspn(query, "&");
		size_t size = strcspn(query, "=&");
		char *name = cat_query_string_decode(query, size);

		if (strcmp(name, "resources") == 0)
			search.names = cat_query_string_split(
				size < length ? cat_query_string_decode(query + size + 1, length - size - 1) : "",
				',');
		else if (cat_query_string_is_among(name, common_words))
			appendStringInfo(common, "%s%.*s", common->len ? "&" : "", (int) length, query);
		else if (length > 0)
			search.ignored = lappend(search.ignored, name);
		query += length + (query[length] == '&');
	}
	search.query = common->data;
	return search;
}

/* Return the names of the requested resources, or of all, that have places.  Raises OD422 for another. */
static List *
with_places(const Search *search)
{
	List *names = search->names ? search->names : list_make1(pstrdup("datasets"));

	foreach_ptr(char, name, names)
		if (!cat_filter_takes_box(cat_registry_resource(name)))
			cat_query_string_refuse("resources", name, "With \"bbox\" it takes datasets.");
	return names;
}

/*
 * Return the names of the requested resources or, if none are named, of all searchable ones that
 * the actor and his API key may read.  Raises OD403 if there are none.
 */
static List *
names_of(const Search *search)
{
	List *names = NIL;
	bool deleted = cat_query_string_has(search->query, "deleted");

	if (cat_query_string_has(search->query, "bbox"))
		return with_places(search);
	if (search->names)
		return search->names;
	cat_statement_read("SELECT r.resource FROM catalogue.resource r WHERE r.searchable <> '{}' "
					   "ORDER BY r.resource");
	foreach_ptr(char, word, cat_result_texts(1))
	{
		const Resource *resource =
			cat_registry_find_fit(word); /* NULL if it has been hidden meanwhile */

		if (resource && !cat_visibility_is_private(resource, search->call.actor.access) &&
			cat_consumer_may_ask(&search->call.actor, resource->name) &&
			(!deleted || cat_permission_restores(&search->call.actor, resource)))
			names = lappend(names, word);
	}
	if (names == NIL)
		ereport(ERROR, (errcode(OD403), errmsg(deleted ? "you may not restore deleted records"
													   : "this key is not for searching")));
	return names;
}

/* Read the parameters for each resource. */
static void
read_plans(Search *search, List *names)
{
	foreach_ptr(char, name, names)
	{
		ReadPlan *plan = palloc0(sizeof(ReadPlan));

		plan->params = cat_request_params_read(cat_registry_resource(name), search->query,
											   &search->call.actor);
		plan->selection = cat_selection_params(plan->params, &search->call.actor, search->embedded);
		cat_read_version_dependencies(plan);
		search->plans = lappend(search->plans, plan);
		foreach_ptr(char, other, plan->resources)
			if (!cat_query_string_has_word(search->call.plan.resources, other))
				search->call.plan.resources = lappend(search->call.plan.resources, other);
	}
}

/* Append the page of one resource, as of the instant of the search. */
static void
add_page(Search *search, ReadPlan *plan)
{
	const RequestParams *first = search->call.plan.params;
	CallReply *reply = &search->call.reply;
	const char *name = plan->params->resource->name;
	CallReply one = {0};

	plan->params->version = first->version;
	plan->params->then = first->then;
	plan->params->newest = first->newest;
	cat_list_read(plan, &one);
	if (one.count == 0)
		return;
	appendStringInfo(&search->found, "%s%s", reply->count > 0 ? "," : "", name);
	appendStringInfo(reply->data, "%s%s:", reply->count > 0 ? "," : "", cat_json_quoted(name));
	appendBinaryStringInfo(reply->data, one.data->data, one.data->len);
	reply->count += one.count;
	reply->estimated |= one.estimated;
	reply->returned += one.returned;
}

static void
add_pages(Search *search)
{
	CallReply *reply = &search->call.reply;

	reply->data = makeStringInfo();
	initStringInfo(&search->found);
	appendStringInfoChar(reply->data, '{');
	foreach_ptr(ReadPlan, plan, search->plans)
		add_page(search, plan);
	appendStringInfoChar(reply->data, '}');
	reply->relations = search->found.data;
	if (!reply->estimated)
		return;
	reply->meta = psprintf("\"estimate\":" INT64_FORMAT, reply->count);
	reply->etag = NULL;
}

/* OD422 for a name that is no resource which the actor may ask for. */
pg_noreturn static void
refuse_name(const Actor *actor, const char *name)
{
	List *names = NIL;

	foreach_ptr(Resource, resource, cat_permission_resources(actor, false))
		names = lappend(names, resource->name);
	cat_query_string_refuse("resources", name, cat_query_string_hint(names, ""));
}

CAT_FUNCTION(catalogue_search)
{
	Search search;
	ReadCall *call = &search.call;

	cat_call_reply_begin();
	search = read_search(cat_call_reply_argument(fcinfo, ARG_SEARCH_QUERY));
	cat_actor_read(fcinfo, ARG_SEARCH_ACTOR, &call->actor);
	call->known = cat_call_reply_argument(fcinfo, ARG_SEARCH_KNOWN);
	foreach_ptr(char, name, search.names)
		if (!cat_registry_find(name) ||
			cat_visibility_is_private(cat_registry_find(name), call->actor.access))
			refuse_name(&call->actor, name);
	search.embedded = cat_call_reply_argument_is(fcinfo, ARG_SEARCH_RELATIONS, "embedded");
	cat_ignored_require_known(
		&call->actor, search.ignored,
		list_concat(list_make1("resources"), cat_query_string_words(common_words)));
	read_plans(&search, names_of(&search));
	call->plan.params = ((ReadPlan *) linitial(search.plans))->params;
	cat_read_state(call);
	cat_read_list(call);
	if (!cat_read_is_known(call))
		add_pages(&search);
	call->plan.params->ignored = search.ignored;
	cat_read_head(call);
	call->reply.resource = NULL;
	cat_read_version_release(call->plan.params);
	return cat_call_reply_end(fcinfo, &call->reply);
}
