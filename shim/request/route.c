/*
 * route.c - the routes of the table of endpoints: which one is on a path.
 */
#include <strings.h>

#include <jansson.h>

#include "page/page.h"
#include "request/request.h"

static const Route routes[] = {
#define PATH(verb, path, action, envelope, call) \
	{VERB_##verb, path, CALL_##call, action, ENVELOPE_##envelope},
#define CALL(...)
#include "database/endpoints.h"
};

/* Bytes of the word of a pattern that begins here. */
static size_t
word_length(const char *c)
{
	return (size_t) (strchrnul(c, '/') - c);
}

/* Does the path match the pattern? */
static bool
matches(const Request *request, const char *pattern)
{
	int word = 0;

	for (const char *c = pattern; *c == '/'; word++)
	{
		const char *given;
		size_t length;

		if (word == request->words)
			return false;
		given = request->path[word];
		if (given[0] == '\0')
			return pattern[1] == '\0' && request->words == 1;
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
	return word == request->words;
}

/* The row of a pattern for a verb, from the given one on, NULL if there is none; HEAD is GET. */
static const Route *
row_of(size_t from, const char *pattern, Verb verb)
{
	if (verb == VERB_HEAD)
		verb = VERB_GET;
	for (size_t i = from; i < lengthof(routes); i++)
		if (routes[i].verb == verb && strcmp(routes[i].pattern, pattern) == 0)
			return &routes[i];
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
		else if (strncmp(c, ":format", length) == 0 || strncmp(c, ":row", length) == 0)
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
	size_t i = 0;

	while (i < lengthof(routes) && !matches(request, routes[i].pattern))
		i++;
	request->pattern = i < lengthof(routes) ? routes[i].pattern : NULL;
	request->route = request->pattern ? row_of(i, request->pattern, request->verb) : NULL;
	find_words(request);
}

bool
route_built(const Request *request, const Route *route)
{
	if (route->call == CALL_SEND_EMAIL || route->call == CALL_FOLLOW)
		return request->thread->settings->mail_command[0] != '\0';
	return route->call != CALL_NONE;
}

const Route *
route_for(const Request *request, Verb verb)
{
	return request->pattern ? row_of(0, request->pattern, verb) : NULL;
}

const Route *
route_at(size_t i)
{
	return i < lengthof(routes) ? &routes[i] : NULL;
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
