/*
 * page_call.c - what a page reads: the reply of its path, and what its view shows besides.
 *
 * All of it is read by the calls that serve JSON, for the same actor.  A part that is refused is not
 * shown; a path whose reply cannot be extended for this caller is read as for JSON.
 */

#include "answer/answer.h"
#include "page/views.h"

#define ROWS_MAXIMUM 100 /* of a list on a page */
#define FACET_VALUES "8" /* of each facet, at first */
#define PATH_ID ""		 /* a part is of the record in the path, a list of its datasets */

/* Of the charts and maps of a file, what tells whether there is a picture: a map may have 100,000 points. */
#define PICTURES "charts.name,charts.data,maps.name,maps.correct"

/* A further read */
typedef struct Part
{
	const char *name;
	CallName call;
	const char *resource;
	const char *id; /* PATH_ID, or NULL */
	const char *relation;
	const char *query; /* NULL: view_values_query(), of rows drawn chart_query() */
} Part;

/* Orders of lists */
#define NEWEST "orderBy=createdAt&sort=DESC"
#define BY_NAME "orderBy=name&sort=ASC"

/* What the card of a record shows */
#define CARDS "fields=name,description,optionals,createdAt,updatedAt"

/* What a list of datasets shows of each of them, no more of files than that, since there may be many; what it is
 * narrowed by, besides relations. */
#define DATASETS \
	CARDS "&include=categories.name,tags.name,organization.name,files.size,files.type.name"
#define FACETS "license,files.type,place,dataDate.year"

/* Is the part a list of the datasets of the record in the path? */
static bool
is_narrowed(const Part *part)
{
	return part->call == CALL_LIST && part->id != NULL;
}

static const Part home_parts[PAGE_PARTS] = {
	{"datasets", CALL_LIST, "datasets", NULL, NULL,
	 "limit=6&" NEWEST "&" DATASETS "&facets=categories,organization&facetLimit=100"},
	{"categories", CALL_LIST, "categories", NULL, NULL, "limit=24&orderBy=name&parent=null"},
	{"organizations", CALL_LIST, "organizations", NULL, NULL, "limit=12&orderBy=name"},
	{"files", CALL_LIST, "files", NULL, NULL, "limit=1&fields=id"},
	{"charts", CALL_LIST, "charts", NULL, NULL,
	 "limit=1&orderBy=publishedAt&sort=DESC&fields=name,data"},
	{"maps", CALL_LIST, "maps", NULL, NULL,
	 "limit=1&orderBy=publishedAt&sort=DESC&fields=name,correct"},
};

static const Part dataset_parts[PAGE_PARTS] = {
	{"files", CALL_RELATED, "datasets", PATH_ID, "files",
	 "limit=50&include=type,organization,updateFrequency," PICTURES},
	{"versions", CALL_VERSIONS, "datasets", PATH_ID, NULL, "limit=10&fields=updatedAt"},
	{"changed", CALL_RELATED, "datasets", PATH_ID, "files",
	 "limit=1&orderBy=updatedAt&sort=DESC&fields=updatedAt"},
	{"answers", CALL_ANSWERS, "datasets", PATH_ID, NULL, ""},
	{"extent", CALL_EXTENT, "datasets", PATH_ID, NULL, ""},
	{"quality", CALL_QUALITY, "datasets", PATH_ID, NULL, ""},
};

/* The datasets of a record, as the list that is narrowed to them begins. */
#define NARROWED NEWEST "&" DATASETS "&facetLimit=" FACET_VALUES "&facets="

static const Part organization_parts[PAGE_PARTS] = {
	{"datasets", CALL_LIST, "datasets", PATH_ID, NULL, NARROWED "categories,tags," FACETS},
};

static const Part category_parts[PAGE_PARTS] = {
	{"datasets", CALL_LIST, "datasets", PATH_ID, NULL,
	 NARROWED "subcategories,tags,organization," FACETS},
};

static const Part tag_parts[PAGE_PARTS] = {
	{"datasets", CALL_LIST, "datasets", PATH_ID, NULL, NARROWED "categories,organization," FACETS},
};

/* How many datasets records have, of which a page shows the names. */
#define COUNTED_BY(facets)                                     \
	{                                                          \
		"datasets", CALL_LIST, "datasets", NULL, NULL,         \
			"limit=1&fields=id&facetLimit=1000&facets=" facets \
	}

static const Part organizations_parts[PAGE_PARTS] = {COUNTED_BY("organization")};
static const Part categories_parts[PAGE_PARTS] = {COUNTED_BY("categories,subcategories")};
static const Part tags_parts[PAGE_PARTS] = {COUNTED_BY("tags")};

static const Part file_parts[PAGE_PARTS] = {
	{"contents", CALL_CONTENTS, "files", PATH_ID, NULL, "limit=10"},
	{"columns", CALL_COLUMNS, "files", PATH_ID, NULL, "limit=100"},
	{"sheets", CALL_SHEETS, "files", PATH_ID, NULL, ""},
};

static const Part chart_parts[PAGE_PARTS] = {
	{"picture", CALL_CHART_SVG, "charts", PATH_ID, NULL, ""},
};

static const Part contents_parts[PAGE_PARTS] = {
	{"file", CALL_ITEM, "files", PATH_ID, NULL, ""},
	{"columns", CALL_COLUMNS, "files", PATH_ID, NULL, "limit=100"},
	{"sheets", CALL_SHEETS, "files", PATH_ID, NULL, ""},
	{"values", CALL_CONTENTS, "files", PATH_ID, NULL, NULL},
	{"picture", CALL_CONTENTS_IMAGE, "files", PATH_ID, NULL, NULL},
};

#define NEAREST "nearest=true" /* what a search that finds nothing shows */

/* What the views of some paths show besides the reply; the resource is that of the records. */
static const struct
{
	CallName call;
	const char *resource; /* NULL: any */
	View view;
	const char *more; /* of the query of the call itself; NULL: nothing */
	const Part *parts;
	const char *order; /* of a list that asks for none; NULL: that of the service */
} views[] = {
	{CALL_ENTRY, NULL, VIEW_HOME, NULL, home_parts, NULL},
	{CALL_LIST, "datasets", VIEW_LIST,
	 DATASETS "&facets=categories,tags,organization," FACETS "&" NEAREST, NULL, NEWEST},
	{CALL_LIST, "organizations", VIEW_LIST, NEAREST, organizations_parts, BY_NAME},
	{CALL_LIST, "categories", VIEW_LIST, NEAREST, categories_parts, BY_NAME},
	{CALL_LIST, "tags", VIEW_LIST, NEAREST, tags_parts, BY_NAME},
	{CALL_LIST, "files", VIEW_LIST, "include=type,dataset&facets=type,organization&" NEAREST, NULL,
	 NULL},
	{CALL_LIST, "maps", VIEW_LIST, CARDS "&" NEAREST, NULL, NULL},
	{CALL_LIST, NULL, VIEW_LIST, NEAREST, NULL, NULL},
	{CALL_RELATED, "datasets", VIEW_LIST, DATASETS, NULL, NEWEST},
	{CALL_RELATED, "maps", VIEW_LIST, CARDS, NULL, NULL},
	{CALL_RELATED, NULL, VIEW_LIST, NULL, NULL, NULL},
	{CALL_SEARCH, NULL, VIEW_LIST,
	 CARDS ",username,firstName,lastName,email,key,value,action,target,resource", NULL, NULL},
	{CALL_ITEM, "datasets", VIEW_DATASET, "include=organization,categories,subcategories,tags",
	 dataset_parts, NULL},
	{CALL_ITEM, "files", VIEW_FILE, "include=" PICTURES, file_parts, NULL},
	{CALL_ITEM, "organizations", VIEW_ITEM, NULL, organization_parts, NEWEST},
	{CALL_ITEM, "categories", VIEW_ITEM, NULL, category_parts, NEWEST},
	{CALL_ITEM, "tags", VIEW_ITEM, NULL, tag_parts, NEWEST},
	{CALL_ITEM, "charts", VIEW_ITEM, NULL, chart_parts, NULL},
	{CALL_ITEM, "pages", VIEW_PAGE, NULL, NULL, NULL},
	{CALL_CONTENTS, NULL, VIEW_FILE, NULL, contents_parts, NULL},
};

/* The row of the path; NULL: a list or item without anything else. */
static size_t
find_view(const Request *request)
{
	const char *resource = request->path_relation ? request->path_relation : request->resource;
	size_t i = 0;

	while (i < lengthof(views) &&
		   (views[i].call != request->route->call ||
			(views[i].resource != NULL && strcmp(views[i].resource, resource) != 0)))
		i++;
	return i;
}

static const Part *
parts_of(const Page *page)
{
	size_t i = page->request->route ? find_view(page->request) : lengthof(views);

	return i < lengthof(views) ? views[i].parts : NULL;
}

/* Is a number of records asked for that a page does not show? */
static bool
is_too_long(const char *query)
{
	const char *word;
	size_t length;
	bool found = false;

	while ((word = text_query_word(&query, &length)) != NULL)
		if (length > 6 && strncmp(word, "limit=", 6) == 0)
		{
			long limit = strtol(word + 6, NULL, 10);

			found = limit == 0 || limit > ROWS_MAXIMUM;
		}
	return found;
}

/* The order of a list of the view which asks for none, and does not search. */
static const char *
order_of(const Page *page, size_t view)
{
	static const char *const asked[] = {"orderBy", "sort", "query", "deleted"};

	for (size_t i = 0; i < lengthof(asked); i++)
		if (layout_parameter(page, asked[i]) != NULL)
			return NULL;
	return view < lengthof(views) ? views[view].order : NULL;
}

/* Does the call have pages of records? */
static bool
is_list(CallName call)
{
	return call == CALL_LIST || call == CALL_SEARCH || call == CALL_RELATED;
}

/* The parameter of a list that does not wait for numbers, with its separator; empty if the page is to have them all. */
static const char *
estimate_of(const Page *page)
{
	return page->exact ? "" : "estimate=true&";
}

/* The query of the call of a page: of each limit and match the last one counts, other parameters are added. */
static const char *
page_query(Request *request, const char *more)
{
	const char *own =
		request->route->call == CALL_CONTENTS ? view_rows_query(request->page) : request->query;
	const char *limit = is_too_long(request->query) ? "&limit=100" : "";
	const char *facets = more && strstr(more, "facets=") ? "facetLimit=" FACET_VALUES "&" : "";
	const char *match = request->route->call == CALL_LIST || request->route->call == CALL_SEARCH
							? "match=WORDS&"
							: "";
	const char *order = request->route->call != CALL_ITEM ? request->page->order : NULL;
	const char *estimate = is_list(request->route->call) ? estimate_of(request->page) : "";

	return arena_join(&request->arena, estimate, match, facets, own, limit, order ? "&" : "",
					  order ? order : "", more ? "&" : "", more ? more : "");
}

StageResult
page_call(Request *request, StageResult (*then)(Request *))
{
	const char *query = request->query;
	const char *relations = request->prefer.relations;
	Page *page = page_of(request);
	size_t i = find_view(request);
	StageResult progress;

	if (page == NULL)
		return ANSWERED;
	page->order = page->plain ? NULL : order_of(page, i);
	if (!page->plain)
	{
		request->query = page_query(request, i < lengthof(views) ? views[i].more : NULL);
		if (request->route->call == CALL_ITEM && request->headers[HEADER_PREFER] == NULL)
			request->prefer.relations = "embedded";
	}
	progress = request_call_start_unchecked(request, request->route->call, then);
	request->query = query;
	request->prefer.relations = relations;
	return progress;
}

/* Keep why a request for rows is refused; false: no memory. */
static bool
keep_fault(Page *page, const CallError *error)
{
	Arena *arena = &page->request->arena;

	page->fault = error->message ? arena_text(arena, error->message, strlen(error->message)) : NULL;
	page->fault_hint = error->hint ? arena_text(arena, error->hint, strlen(error->hint)) : NULL;
	return page->fault != NULL;
}

bool
page_call_again(Request *request)
{
	Page *page = request->page;
	CallError error;
	int status;

	if (page == NULL || page->plain || !page_made(request) || !error_find(request->call, &error))
		return false;
	status = error_own_status(&error);
	/* a page of rows keeps what was entered, and tells there what is wrong with it */
	if (status == 422 && request->route->call == CALL_CONTENTS && page->fault == NULL)
		return keep_fault(page, &error);
	page->plain = status == 400 || status == 403 || status == 422;
	return page->plain;
}

/* The height of a picture, before which nothing but its width stands; 0: the reply is none. */
static long
height_of(const Reply *reply)
{
	static const char begin[] = "<svg ";
	static const char name[] = " height=\"";
	const char *at = NULL;

	if (reply->data_length > strlen(begin) && memcmp(reply->data, begin, strlen(begin)) == 0)
		at = strstr(reply->data, name);
	return at ? strtol(at + strlen(name), NULL, 10) : 0;
}

static StageResult read_parts(Page *page);

/* The further members of "meta" of a reply. */
static const Value *
read_meta(Arena *arena, const char *members)
{
	const char *object = arena_join(arena, "{", members, "}");

	return object != NULL ? value_read(arena, object, strlen(object)) : NULL;
}

/* Keep what a further read has brought. */
static StageResult
part_ended(Request *request)
{
	Page *page = request->page;
	CallError error;
	Reply reply;

	if (!error_find(request->call, &error) && call_reply(request->call, &reply) &&
		reply.data != NULL)
	{
		page->results[page->next] =
			(PageResult){.name = parts_of(page)[page->next].name,
						 .data = value_read(&request->arena, reply.data, reply.data_length),
						 .meta = reply.meta ? read_meta(&request->arena, reply.meta) : NULL,
						 .count = reply.count,
						 .height = height_of(&reply)};
		translation_apply(&request->arena, page->results[page->next].data, request->language);
	}
	page->next++;
	return read_parts(page);
}

/* Append a parameter of the request to a query, if it is there. */
static void
add_parameter(const Page *page, Buffer *query, const char *name)
{
	const char *value = layout_parameter(page, name);

	if (value == NULL)
		return;
	buffer_text(query, query->length > 0 ? "&" : "");
	buffer_text(query, name);
	buffer_text(query, "=");
	text_percent_encode(query, value, strlen(value));
}

/* The query of the chart of groups of rows; NULL: there is none. */
static const char *
chart_query(const Page *page)
{
	const char *image = value_text(page->links, "image");
	const char *query = image ? strchr(layout_spoken(page, image), '?') : NULL;

	return query && strstr(query, "groupBy=") ? query + 1 : NULL;
}

/* The query of a further read: of the instant and of the sheet that the page is of.  NULL: it is not made. */
static const char *
part_query(const Page *page, const Part *part)
{
	Buffer query;

	if (part->call == CALL_CONTENTS_IMAGE)
		return chart_query(page);
	if (part->query == NULL)
		return view_values_query(page);
	buffer_init(&query, 4 * TARGET_MAXIMUM);
	buffer_text(&query, part->query);
	if (part->call == CALL_CHART_SVG)
		buffer_format(&query, "lang=%s", page->request->language);
	if (is_narrowed(part))
		buffer_format(&query, "&%s%s", estimate_of(page), page->narrowed ? page->narrowed : "");
	add_parameter(page, &query, "version");
	if (part->call == CALL_COLUMNS && page->request->route->call == CALL_CONTENTS)
		add_parameter(page, &query, "sheet");
	return arena_take(&page->request->arena, &query);
}

/* Start a further read: the call takes its arguments from the request. */
static StageResult
start_part(Request *request, const Part *part, const char *own)
{
	const char *resource = request->resource;
	const char *id = request->path_id;
	const char *relation = request->path_relation;
	const char *query = request->query;
	StageResult progress;

	request->resource = part->resource;
	request->path_id = part->id ? id : NULL;
	request->path_relation = part->relation;
	request->query = own;
	request->known = NULL;
	progress = request_call_start_unchecked(request, part->call, part_ended);
	request->resource = resource;
	request->path_id = id;
	request->path_relation = relation;
	request->query = query;
	return progress;
}

static StageResult
read_parts(Page *page)
{
	const Part *parts = parts_of(page);

	for (; parts != NULL && page->next < PAGE_PARTS && parts[page->next].name != NULL; page->next++)
	{
		const char *query = part_query(page, &parts[page->next]);

		if (query != NULL)
			return start_part(page->request, &parts[page->next], query);
	}
	page_finish(page);
	return ANSWERED;
}

/* The filter of the datasets that belong to the record of a page; NULL: none do. */
static const char *
narrowing_of(const Page *page)
{
	const char *id = value_text(page->data, "id");
	const char *filter = page->request->resource;
	const Part *parts = parts_of(page);

	if (id == NULL || parts == NULL || !is_narrowed(parts))
		return NULL;
	if (strcmp(filter, "organizations") == 0)
		filter = "organization";
	else if (value_given(value_member(page->data, "parent")))
		filter = "subcategories";
	return arena_format(&page->request->arena, "%s=%s", filter, id);
}

/* The view of a path that has none of its own: a list or an item. */
static View
usual_view(const Page *page)
{
	return page->data != NULL && page->data->type == VALUE_LIST ? VIEW_LIST : VIEW_ITEM;
}

StageResult
page_begin(Request *request)
{
	Answer *answer = &request->answer;
	Page *page = page_of(request);
	const Value *envelope;
	size_t i;

	buffer_append(&answer->head, answer->data, answer->data_length);
	buffer_append(&answer->head, answer->tail.data, answer->tail.length);
	if (answer->status >= 300 || page == NULL || answer->head.failed)
		return ANSWERED;
	/* further reads free the result that it is in */
	if (request->record_id != NULL)
		request->record_id =
			arena_text(&request->arena, request->record_id, strlen(request->record_id));
	envelope = value_read(&request->arena, answer->head.data, answer->head.length);
	if (envelope == NULL)
		return error_set(request, 500, NULL);
	translation_apply(&request->arena, envelope, request->language);
	page->meta = value_member(envelope, "meta");
	page->data = value_member(envelope, "data");
	page->links = value_member(envelope, "links");
	page->narrowed = narrowing_of(page);
	i = find_view(request);
	page->view = i < lengthof(views) ? views[i].view : usual_view(page);
	if (page->view == VIEW_LIST)
		page->view = request->route->call == CALL_SEARCH ? VIEW_LIST : usual_view(page);
	return read_parts(page);
}
