/*
 * request_params.c
 *	  Query string of a request: filters, order, page, fields, include.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "miscadmin.h"

#include "base/body.h"
#include "base/settings.h"
#include "query/query_internal.h"
#include "query/search_internal.h"
#include "query/terms.h"

#define DEFAULT_LIMIT 20
#define ORDERS_MAX 32 /* fields of the order */

/* Read the value of a parameter. */
typedef void (*ParamReader)(RequestParams *params, const char *value);

/* Read a whole number; too large ones become the greatest int64. */
int64
cat_request_params_count(const char *name, const char *value)
{
	char *end;
	int64 count = strtoll(value, &end, 10);

	if (!isdigit((unsigned char) *value) || *end != '\0')
		cat_query_string_refuse(name, value, "It takes a whole number, 0 or more.");
	return count;
}

static void
read_limit(RequestParams *params, const char *value)
{
	int64 limit = cat_request_params_count("limit", value);

	params->limit = limit == 0 ? DEFAULT_LIMIT : (int) Min(limit, cat_max_limit);
	params->limited |= strcmp(value, "0") != 0;
	params->given_limit = limit;
}

static void
read_skip(RequestParams *params, const char *value)
{
	params->skip = cat_request_params_count("skip", value);
}

static void
read_condition(RequestParams *params, const char *value)
{
	params->all = pg_strcasecmp(value, "AND") == 0;
	if (!params->all && pg_strcasecmp(value, "OR") != 0)
		cat_query_string_refuse("condition", value, "It takes AND or OR.");
}

bool
cat_request_params_boolean(const char *name, const char *value)
{
	bool truth = strcmp(value, "true") == 0;

	if (!truth && strcmp(value, "false") != 0)
		cat_query_string_refuse(name, value, "It takes true or false.");
	return truth;
}

static void
read_nearest(RequestParams *params, const char *value)
{
	params->nearest = cat_request_params_boolean("nearest", value);
}

static void
read_estimate(RequestParams *params, const char *value)
{
	params->estimate = cat_request_params_boolean("estimate", value);
}

static void
read_bom(RequestParams *params, const char *value)
{
	params->bom = cat_request_params_boolean("bom", value);
}

/* Raise OD422 for an order; the hint names the fields that the caller may sort by. */
pg_noreturn static void
refuse_order(const RequestParams *params, const char *value)
{
	const Resource *resource = params->resource;
	List *names = NIL;

	for (int i = 0; i < resource->nfields; i++)
		if (cat_visibility_field(&resource->fields[i], params->access))
			names = lappend(names, resource->fields[i].name);
	cat_query_string_refuse(
		"orderBy", value,
		cat_query_string_hint(names, ", or fields of to-one relations, with a dot"));
}

static void
read_order(RequestParams *params, const char *value)
{
	params->orders = NIL;
	foreach_ptr(List, entry, cat_path_list(params, value))
	{
		Order *order = palloc0(sizeof(Order));

		order->path = entry;
		if (!cat_path_sorts(params, order->path))
			refuse_order(params, value);
		params->orders = lappend(params->orders, order);
	}
	if (list_length(params->orders) > ORDERS_MAX)
		cat_query_string_refuse("orderBy", value, psprintf("It takes at most %d.", ORDERS_MAX));
	if (params->orders == NIL)
		refuse_order(params, value);
}

List *
cat_request_params_directions(const char *value, int count)
{
	List *words = cat_query_string_split(value, ',');
	List *directions = NIL;

	foreach_ptr(char, word, words)
		if (pg_strcasecmp(word, "ASC") != 0 && pg_strcasecmp(word, "DESC") != 0)
			cat_query_string_refuse("sort", value, "It takes ASC or DESC.");
	if (words == NIL)
		cat_query_string_refuse("sort", value, "It takes ASC or DESC.");
	for (int i = 0; i < count; i++)
		directions =
			lappend_int(directions, pg_strcasecmp(list_nth(words, Min(i, list_length(words) - 1)),
												  "DESC") == 0);
	return directions;
}

/* Apply the directions of the parameter "sort"; without orderBy to the time of creation. */
static void
apply_sort(RequestParams *params, const char *value)
{
	ListCell *order;
	ListCell *direction;

	if (params->orders == NIL)
	{
		params->orders = list_make1(palloc0(sizeof(Order)));
		((Order *) linitial(params->orders))->path = list_make1("createdAt");
	}
	forboth(order, params->orders, direction,
			cat_request_params_directions(value, list_length(params->orders)))
		((Order *) lfirst(order))->descending = lfirst_int(direction);
}

static void
read_fields(RequestParams *params, const char *value)
{
	params->partial = true;
	foreach_ptr(char, word, cat_query_string_split(value, ','))
	{
		List *path = cat_path_split(params, word);

		if (path == NIL)
			continue;
		if (list_length(path) == 1 ? cat_path_shows(params, linitial(path))
								   : cat_selection_embeds(params->resource, path, params->access))
			params->fields = lappend(params->fields, path);
		else
			cat_ignored_add(params, word);
	}
}

static void
read_include(RequestParams *params, const char *value)
{
	params->includes = list_concat(params->includes, cat_path_list(params, value));
}

TimestampTz
cat_request_params_instant(const char *name, const char *value)
{
	TimestampTz instant;

	if (!cat_literal_datetime(value))
		cat_query_string_refuse(name, value,
								"It takes an instant such as 2026-01-31T12:00:00.000000Z.");
	instant = DatumGetTimestampTz(cat_literal_timestamp(value));
	if (instant > GetCurrentTimestamp())
		cat_query_string_refuse(name, value, "It takes an instant that has passed.");
	return instant;
}

static void
read_version(RequestParams *params, const char *value)
{
	params->version = cat_request_params_instant("version", value);
}

static void
read_after(RequestParams *params, const char *value)
{
	params->cursor = value;
	params->backwards = false;
}

static void
read_before(RequestParams *params, const char *value)
{
	params->cursor = value;
	params->backwards = true;
}

static void
read_filter(RequestParams *params, const char *name, const char *value)
{
	char *bare = pstrdup(name);
	Comparison comparison = cat_comparison_cut(bare);
	List *path = cat_path_split(params, bare);
	bool by_year = cat_path_take_year(params, &path);
	Filter *filter;

	/* Whether a path leads to a visible field or to related records. */
	if (!cat_path_field(params, path) && !cat_path_target(params, path))
	{
		cat_ignored_add(params, name);
		return;
	}
	filter = cat_filter_make(params->resource, path, comparison, cat_query_string_values(value));
	filter->name = name;
	filter->by_year = by_year;
	params->filters = lappend(params->filters, filter);
}

/*
 * Read "window", a parameter of lists that begin with the newest record; in other lists it is a
 * filter.
 */
static void
read_window(RequestParams *params, const char *value)
{
	if (params->resource->newest_first)
		params->window = (int) Min(cat_request_params_count("window", value), cat_max_limit);
	else
		read_filter(params, "window", value);
}

/* Read "bbox", a parameter of datasets, which have places; of other records it is a filter. */
static void
read_bbox(RequestParams *params, const char *value)
{
	if (cat_filter_takes_box(params->resource))
		params->filters = lappend(params->filters, cat_filter_make_box(params->resource, value));
	else
		read_filter(params, "bbox", value);
}

static const struct
{
	const char *name;
	ParamReader read;
	bool common; /* also a parameter of the rows of a file */
} readers[] = {
	{"limit", read_limit, true},
	{"skip", read_skip, true},
	{"match", cat_search_read_match, true},
	{"condition", read_condition, true},
	{"orderBy", read_order, false},
	{"fields", read_fields, false},
	{"include", read_include, false},
	{"version", read_version, true},
	{"after", read_after, false},
	{"before", read_before, false},
	{"query", cat_search_read, false},
	{"window", read_window, false},
	{"bbox", read_bbox, false},
	{"deleted", cat_filter_deleted_read, false},
	{"facets", cat_facet_read, false},
	{"facetLimit", cat_facet_read_limit, true},
	{"nearest", read_nearest, false},
	{"estimate", read_estimate, false},
	{"bom", read_bom, true},
};

/* Return the names of all parameters. */
List *
cat_request_params_known(void)
{
	List *words = list_make1("sort");

	for (size_t i = 0; i < lengthof(readers); i++)
		words = lappend(words, unconstify(char *, readers[i].name));
	return words;
}

List *
cat_request_params_common_words(void)
{
	List *words = NIL;

	for (size_t i = 0; i < lengthof(readers); i++)
		if (readers[i].common)
			words = lappend(words, unconstify(char *, readers[i].name));
	return words;
}

bool
cat_request_params_read_common(RequestParams *params, const char *name, const char *value)
{
	for (size_t i = 0; i < lengthof(readers); i++)
		if (readers[i].common && strcmp(readers[i].name, name) == 0)
		{
			/* rows are not searched for words */
			if (strcmp(name, "match") == 0)
				(void) cat_search_text_match(value);
			readers[i].read(params, value);
			return true;
		}
	return false;
}

List *
cat_request_params_words(RequestParams *params, const char *query)
{
	List *words = NIL;
	RequestWord word;

	while (cat_query_string_next(&query, &word.name, &word.value))
		if (!cat_request_params_read_common(params, word.name, word.value))
			words = lappend(words, memcpy(palloc(sizeof(word)), &word, sizeof(word)));
	return words;
}

const char *
cat_request_params_word(List *words, const char *name)
{
	const char *value = NULL;

	foreach_ptr(const RequestWord, word, words)
		if (strcmp(word->name, name) == 0)
			value = word->value;
	return value;
}

static void
read_param(RequestParams *params, const char *name, const char *value, const char **sort)
{
	if (strcmp(name, "sort") == 0)
	{
		*sort = value;
		return;
	}
	for (size_t i = 0; i < lengthof(readers); i++)
		if (strcmp(readers[i].name, name) == 0)
		{
			readers[i].read(params, value);
			return;
		}
	read_filter(params, name, value);
}

RequestParams *
cat_request_params_begin(Resource *resource, const char *query, const Actor *actor)
{
	RequestParams *params = palloc0(sizeof(RequestParams));

	cat_consumer_require(actor, resource->name);
	params->resource = resource;
	params->actor = actor;
	params->query = query;
	params->access = actor->access;
	params->limit = DEFAULT_LIMIT;
	params->facet_limit = FACET_LIMIT;
	return params;
}

RequestParams *
cat_request_params_read(Resource *resource, const char *query, const Actor *actor)
{
	RequestParams *params = cat_request_params_begin(resource, query, actor);
	const char *sort = NULL;
	char *name;
	char *value;

	while (cat_query_string_next(&query, &name, &value))
		read_param(params, name, value, &sort);
	if (sort)
		apply_sort(params, sort);
	if (params->searched)
		cat_search_split(params);
	return params;
}
