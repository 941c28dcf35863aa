/*
 * route.c - the route table: every path, its verbs, and the call of each; paths that are redirected.
 *
 * The first pattern that matches the path is the path's pattern, whatever the verb; therefore a
 * reserved word precedes :id, and PATCH /tags/count is a wrong verb and not an unknown tag.  There is
 * a table for each number of words.
 */
#include <strings.h>

#include <jansson.h>

#include "page/page.h"
#include "request/request.h"

static const Route of_one[] = {
	{VERB_GET, "/", CALL_ENTRY, NULL, ENVELOPE_ENTRY, false},
	{VERB_GET, "/health", CALL_HEALTH, NULL, ENVELOPE_PLAIN, true},
	{VERB_GET, "/roles", CALL_ROLES, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/search", CALL_SEARCH, NULL, ENVELOPE_SEARCH, false},
	{VERB_GET, "/metrics", CALL_METRICS, NULL, ENVELOPE_METRICS, true},
	{VERB_GET, "/openapi.json", CALL_OPENAPI, NULL, ENVELOPE_OPENAPI, false},
	{VERB_GET, "/rss", CALL_FEED, NULL, ENVELOPE_FEED, false},
	{VERB_GET, "/catalog", CALL_CATALOG, NULL, ENVELOPE_DOCUMENT, false},
	{VERB_GET, "/data.json", CALL_DATA_JSON, NULL, ENVELOPE_DOCUMENT, false},
	{VERB_GET, "/sitemap.xml", CALL_SITEMAP, NULL, ENVELOPE_DOCUMENT, false},
	{VERB_GET, "/robots.txt", CALL_ROBOTS, NULL, ENVELOPE_DOCUMENT, false},
	{VERB_POST, "/batch", CALL_BATCH, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/imports", CALL_IMPORTS, NULL, ENVELOPE_PLAIN, false},
	{VERB_POST, "/imports", CALL_IMPORT, NULL, ENVELOPE_IMPORT, false},
	{VERB_POST, "/query", CALL_QUERY, NULL, ENVELOPE_PLAIN, false},

	{VERB_GET, "/:resource", CALL_LIST, "list", ENVELOPE_LIST, false},
	{VERB_POST, "/:resource", CALL_CREATE, "create", ENVELOPE_CREATED, false},
};

static const Route of_two[] = {
	{VERB_POST, "/users/login", CALL_LOGIN, NULL, ENVELOPE_LOGIN, true},
	{VERB_POST, "/users/logout", CALL_LOGOUT, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/health/ready", CALL_READY, NULL, ENVELOPE_PLAIN, true},
	{VERB_GET, "/users/me", CALL_ITEM, NULL, ENVELOPE_ITEM, false},
	{VERB_GET, "/metrics/categories", CALL_CATEGORY_DOWNLOADS, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/statistics/summary", CALL_STATISTICS_SUMMARY, NULL, ENVELOPE_RELATED, false},
	{VERB_GET, "/statistics/downloads", CALL_STATISTICS_DOWNLOADS, NULL, ENVELOPE_RELATED, false},
	{VERB_GET, "/imports/:id", CALL_IMPORT_REPORT, NULL, ENVELOPE_PLAIN, false},
	{VERB_DELETE, "/imports/:id", CALL_DELETE_IMPORT, NULL, ENVELOPE_DELETED, false},
	{VERB_GET, "/uploads/:id", CALL_UPLOAD_STATE, NULL, ENVELOPE_UPLOAD, false},
	{VERB_PATCH, "/uploads/:id", CALL_UPLOAD_FINISH, NULL, ENVELOPE_WRITTEN, false},
	{VERB_DELETE, "/uploads/:id", CALL_UPLOAD_DROP, NULL, ENVELOPE_UPLOAD, false},
	{VERB_POST, "/clients/tokens", CALL_CLIENT_TOKEN, NULL, ENVELOPE_TOKEN, true},
	{VERB_POST, "/email/send", CALL_SEND_EMAIL, NULL, ENVELOPE_ACCEPTED, false},

	{VERB_GET, "/page/:file", CALL_STATIC_FILE, NULL, ENVELOPE_STATIC_FILE, true},

	{VERB_GET, "/:resource/first", CALL_FIRST, "first", ENVELOPE_ITEM, false},
	{VERB_GET, "/:resource/last", CALL_LAST, "last", ENVELOPE_ITEM, false},
	{VERB_GET, "/:resource/search", CALL_LIST, "list", ENVELOPE_LIST, false},
	{VERB_GET, "/:resource/count", CALL_COUNT, "count", ENVELOPE_COUNT, false},
	{VERB_GET, "/:resource/statistics", CALL_USAGE, "usage", ENVELOPE_RELATED, false},

	{VERB_GET, "/:resource/:id", CALL_ITEM, "item", ENVELOPE_ITEM, false},
	{VERB_PATCH, "/:resource/:id", CALL_UPDATE, "update", ENVELOPE_WRITTEN, false},
	{VERB_PUT, "/:resource/:id", CALL_UPDATE, "update", ENVELOPE_WRITTEN, false},
	{VERB_DELETE, "/:resource/:id", CALL_DELETE, "delete", ENVELOPE_DELETED, false},
};

static const Route of_three[] = {
	{VERB_GET, "/users/refreshToken/:id", CALL_SESSION, NULL, ENVELOPE_LOGIN, false},
	{VERB_GET, "/datasets/feed/rss", CALL_FEED, NULL, ENVELOPE_FEED, false},
	{VERB_GET, "/datasets/:id/download", CALL_ARCHIVE, NULL, ENVELOPE_BYTES, false},
	{VERB_GET, "/datasets/:id/filetypes", CALL_DATASET_FILETYPES, NULL, ENVELOPE_RELATED, false},
	{VERB_GET, "/files/:id/contents", CALL_CONTENTS, NULL, ENVELOPE_ROWS, false},
	{VERB_GET, "/files/:id/changes", CALL_CHANGES, NULL, ENVELOPE_ROWS, false},
	{VERB_GET, "/files/:id/columns", CALL_COLUMNS, NULL, ENVELOPE_ROWS, false},
	{VERB_GET, "/files/:id/schema", CALL_SCHEMA, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/files/:id/issues", CALL_ISSUES, NULL, ENVELOPE_ROWS, false},
	{VERB_GET, "/files/:id/sheets", CALL_SHEETS, NULL, ENVELOPE_ROWS, false},
	{VERB_GET, "/maps/:id/geojson", CALL_MAP_GEOJSON, NULL, ENVELOPE_DOCUMENT, false},
	{VERB_GET, "/maps/:id/image", CALL_MAP_SVG, NULL, ENVELOPE_DOCUMENT, false},
	{VERB_GET, "/maps/:id/issues", CALL_MAP_ISSUES, NULL, ENVELOPE_ROWS, false},
	{VERB_GET, "/charts/:id/data", CALL_CHART_DATA, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/charts/:id/image", CALL_CHART_SVG, NULL, ENVELOPE_DOCUMENT, false},
	{VERB_GET, "/files/:id/resources", CALL_FILE_RESOURCES, NULL, ENVELOPE_PLAIN, false},
	{VERB_GET, "/files/:id/view", CALL_DOWNLOAD, NULL, ENVELOPE_BYTES, false},
	{VERB_GET, "/files/:id/download", CALL_DOWNLOAD, NULL, ENVELOPE_BYTES, false},
	{VERB_GET, "/categories/:id/image", CALL_IMAGE, NULL, ENVELOPE_BYTES, false},
	{VERB_POST, "/files/:id/refresh", CALL_REFRESH_FILE, NULL, ENVELOPE_ACCEPTED, false},
	{VERB_POST, "/jobs/:id/cancel", CALL_CANCEL_JOB, NULL, ENVELOPE_WRITTEN, false},
	{VERB_GET, "/webhooks/:id/deliveries", CALL_WEBHOOK_DELIVERIES, NULL, ENVELOPE_PLAIN, false},
	{VERB_POST, "/webhooks/:id/redeliver", CALL_WEBHOOK_REDELIVER, NULL, ENVELOPE_WRITTEN, false},
	{VERB_POST, "/logs/:id/undo", CALL_UNDO, NULL, ENVELOPE_WRITTEN, false},

	{VERB_GET, "/page/:version/:file", CALL_STATIC_FILE, NULL, ENVELOPE_STATIC_FILE, true},

	{VERB_PATCH, "/:resource/:id/review", CALL_ACT, "review", ENVELOPE_WRITTEN, false},
	{VERB_PATCH, "/:resource/:id/cancel", CALL_ACT, "cancel", ENVELOPE_WRITTEN, false},
	{VERB_PATCH, "/:resource/:id/reject", CALL_ACT, "reject", ENVELOPE_WRITTEN, false},
	{VERB_PATCH, "/:resource/:id/publish", CALL_ACT, "publish", ENVELOPE_WRITTEN, false},
	{VERB_PATCH, "/:resource/:id/unpublish", CALL_ACT, "unpublish", ENVELOPE_WRITTEN, false},
	{VERB_POST, "/:resource/:id/restore", CALL_RESTORE, "restore", ENVELOPE_WRITTEN, false},
	{VERB_POST, "/:resource/:id/deactivate", CALL_DEACTIVATE, "deactivate", ENVELOPE_WRITTEN,
	 false},

	{VERB_GET, "/:resource/:id/logs", CALL_RECORD_LOGS, "logs", ENVELOPE_RELATED, false},
	{VERB_GET, "/:resource/:id/versions", CALL_VERSIONS, "item", ENVELOPE_RELATED, false},
	{VERB_GET, "/:resource/:id/:relation", CALL_RELATED, "item", ENVELOPE_RELATED, false},
};

static const Route of_four[] = {
	{VERB_GET, "/files/:id/download/:format", CALL_DOWNLOAD, NULL, ENVELOPE_BYTES, false},
};

static const Route of_six[] = {
	{VERB_GET, "/maps/:id/tiles/:zoom/:x/:y", CALL_MAP_TILE, NULL, ENVELOPE_TILE, false},
};

typedef struct Routes
{
	const Route *rows;
	size_t count;
} Routes;

/* By the number of words of the path. */
static const Routes routes[SEGMENTS_MAXIMUM + 1] = {
	[1] = {of_one, lengthof(of_one)},	  [2] = {of_two, lengthof(of_two)},
	[3] = {of_three, lengthof(of_three)}, [4] = {of_four, lengthof(of_four)},
	[6] = {of_six, lengthof(of_six)},
};

/* Bytes of the word of a pattern that begins here. */
static size_t
word_length(const char *c)
{
	return (size_t) (strchrnul(c, '/') - c);
}

/* Does the path, which has the same number of words, match the pattern? */
static bool
matches(const Request *request, const char *pattern)
{
	int word = 0;

	for (const char *c = pattern; *c == '/'; word++)
	{
		const char *given = request->path[word];
		size_t length;

		if (given[0] == '\0')
			return pattern[1] == '\0';
		/* the first letter decides in nearly all cases */
		if ((*++c != ':' && ((*c ^ given[0]) & ~0x20) != 0))
			return false;
		length = word_length(c);
		/*
		 * Does the word of a pattern stand for the name of a file of the page? Such a name has a
		 * dot, and no id, slug or relation has one, so that all paths of a resource named "page"
		 * are its own.
		 */
		if (length == strlen(":file") && strncmp(c, ":file", length) == 0 &&
			strchr(given, '.') == NULL)
			return false;
		if (*c != ':' && (strncasecmp(c, given, length) != 0 || given[length] != '\0'))
			return false;
		c += length;
	}
	return true;
}

/* The row of a pattern for a verb, from the given one on, NULL if there is none; HEAD is GET. */
static const Route *
row_of(const Routes *table, size_t from, const char *pattern, Verb verb)
{
	if (verb == VERB_HEAD)
		verb = VERB_GET;
	for (size_t i = from; i < table->count; i++)
		if (table->rows[i].verb == verb && strcmp(table->rows[i].pattern, pattern) == 0)
			return &table->rows[i];
	return NULL;
}

/* Set the words of the path at the names of the pattern. */
static void
find_words(Request *request)
{
	const char *c = request->pattern;

	request->path_id = request->path_relation = request->path_format = NULL;
	for (int word = 0; c != NULL && *c == '/'; word++)
	{
		size_t length = word_length(++c);

		if (*c != ':')
			;
		else if (strncmp(c, ":id", length) == 0)
			request->path_id = request->path[word];
		else if (strncmp(c, ":relation", length) == 0)
			request->path_relation = request->path[word];
		else if (strncmp(c, ":format", length) == 0)
			request->path_format = request->path[word];
		else if (strncmp(c, ":zoom", length) == 0)
			request->path_format = arena_format(&request->arena, "%s/%s/%s", request->path[word],
												request->path[word + 1], request->path[word + 2]);
		c += length;
	}
}

void
route_find(Request *request)
{
	const Routes *table = &routes[request->words <= SEGMENTS_MAXIMUM ? request->words : 0];
	size_t i = 0;

	while (i < table->count && !matches(request, table->rows[i].pattern))
		i++;
	request->pattern = i < table->count ? table->rows[i].pattern : NULL;
	request->route = request->pattern ? row_of(table, i, request->pattern, request->verb) : NULL;
	find_words(request);
}

bool
route_built(const Request *request, const Route *route)
{
	if (route->call == CALL_SEND_EMAIL)
		return request->worker->settings->mail_command[0] != '\0';
	return route->call != CALL_NONE;
}

const Route *
route_for(const Request *request, Verb verb)
{
	return request->pattern ? row_of(&routes[request->words], 0, request->pattern, verb) : NULL;
}

const Route *
route_at(size_t i)
{
	for (size_t words = 0; words < lengthof(routes); words++)
	{
		if (i < routes[words].count)
			return &routes[words].rows[i];
		i -= routes[words].count;
	}
	return NULL;
}

StageResult
route_request(Request *request)
{
	StageResult split = guard_split(request);

	if (split == NEXT)
	{
		request->resource = text_lower(&request->arena, request->path[0]);
		link_base(request);
		route_find(request);
	}
	page_choose(request);
	return split;
}

/*
 * The extension knows the names.  A preflight is answered as for the other path, since browsers do
 * not follow redirects of a preflight.
 */

/* The address of the request with another first word of its path; NULL: no memory. */
static const char *
address_with(Request *request, const char *resource)
{
	const char *words[] = {resource, NULL};
	const char *rest = request->target + 1 + strcspn(request->target + 1, "/?");
	const char *address = NULL;
	Buffer buffer;

	buffer_init(&buffer, ANSWER_MAXIMUM);
	link_words(&buffer, request, words);
	buffer_text(&buffer, rest);
	if (!buffer.failed)
		address = arena_text(&request->arena, buffer.data, buffer.length);
	buffer_free(&buffer);
	return address;
}

static StageResult
answer_redirect(Request *request, const char *resource)
{
	Answer *answer = &request->answer;
	const char *address = address_with(request, resource);

	if (address == NULL)
		return error_set(request, 500, NULL);
	/* the log must not have an event for a change */
	request->route = NULL;
	envelope_begin(request, MHD_HTTP_PERMANENT_REDIRECT);
	buffer_text(&answer->head, "},\"data\":{},\"links\":{\"self\":");
	buffer_json(&answer->head, address, strlen(address));
	buffer_text(&answer->head, "}}");
	answer->location = address;
	return ANSWERED;
}

StageResult
redirect_request(Request *request, const char *detail)
{
	json_t *object = detail ? json_loads(detail, 0, NULL) : NULL;
	const char *name = json_string_value(json_object_get(object, "resource"));
	const char *resource = name ? arena_text(&request->arena, name, strlen(name)) : NULL;

	json_decref(object);
	if (resource == NULL)
		return error_set(request, 500, NULL);
	if (request->verb != VERB_OPTIONS || request->headers[HEADER_PREFLIGHT_METHOD] == NULL)
		return answer_redirect(request, resource);
	request->path[0] = request->resource = resource;
	route_find(request);
	return request->pattern != NULL ? options_answer(request) : error_set(request, 404, NULL);
}

/* The resource exists, but does not have this path. */
static StageResult
not_found(Request *request)
{
	return error_set(request, 404, NULL);
}

/* Answer with the refusal again, unless the path leads to another address. */
static StageResult
finish_refused(Request *request)
{
	CallError error;

	if (error_find(request->call, &error) &&
		error_own_status(&error) == MHD_HTTP_PERMANENT_REDIRECT)
		return redirect_request(request, error_own_detail(&error));
	return error_again(request, &request->refusal);
}

StageResult
redirect_refused(Request *request)
{
	if (strncmp(request->pattern, "/:resource", strlen("/:resource")) != 0)
		return ANSWERED;
	request->refusal = (Refusal){request->answer.status, request->answer.message,
								 request->answer.faults, request->answer.hint};
	answer_clear(&request->answer);
	return call_start_unchecked(request, CALL_DESCRIBE, finish_refused);
}

StageResult
redirect_unknown(Request *request)
{
	/* with fewer words, it does not begin with a resource; with more, it is of no resource */
	if (request->words == SEGMENTS_RESOURCE + 1)
		return call_start(request, CALL_DESCRIBE, not_found);
	return error_set(request, 404, NULL);
}
