/*
 * anonymous_access.c - which paths of a private service need no credential.
 */
#include <string.h>
#include <strings.h>

#include "auth/auth.h"
#include "database/clients.h"

/* Does the request's path match a pattern, in which * matches any word? */
static bool
is_path(const Request *request, const char *pattern, size_t length)
{
	const char *end = pattern + length;
	int word = 0;

	for (; pattern < end && *pattern == '/' && word < request->words; word++)
	{
		const char *stop = ++pattern;

		while (stop < end && *stop != '/')
			stop++;
		if ((stop - pattern != 1 || *pattern != '*') &&
			(strlen(request->path[word]) != (size_t) (stop - pattern) ||
			 strncasecmp(request->path[word], pattern, (size_t) (stop - pattern)) != 0))
			return false;
		pattern = stop;
	}
	return pattern == end && word == request->words;
}

/* Does the request's path match a pattern of a comma-separated list? */
static bool
is_among(const Request *request, const char *list)
{
	for (list += strspn(list, ", "); *list != '\0'; list += strspn(list, ", "))
	{
		size_t length = strcspn(list, ", ");

		if (is_path(request, list, length))
			return true;
		list += length;
	}
	return false;
}

static bool
is_public(const Request *request)
{
	return request->words <= SEGMENTS_MAXIMUM &&
		   (is_among(request, request->worker->settings->public_paths) ||
			is_among(request, web_access_paths(request->worker)));
}

/* Does the service not serve the request, for want of a credential? */
static bool
lacks_credential(const Request *request)
{
	bool open = request->route != NULL && request->route->open;

	return request->worker->settings->closed && request->user == NULL &&
		   request->consumer == NULL && !open && !is_public(request);
}

/* Is the request a preflight, which browsers send without a credential? */
static bool
is_preflight(const Request *request)
{
	return request->verb == VERB_OPTIONS && request->headers[HEADER_PREFLIGHT_METHOD] != NULL;
}

bool
anonymous_access_refused(const Request *request)
{
	return lacks_credential(request) && !is_preflight(request);
}

bool
anonymous_access_headers(const Request *request)
{
	return lacks_credential(request) && is_preflight(request);
}
