/*
 * redirect.c - paths that begin with the name of a model lead to its resource: /tag/x to /tags/x.
 *
 * The extension knows the names.  A preflight is answered for the path that is led to, since
 * browsers take no redirect for it.
 */
#include <string.h>

#include <jansson.h>

#include "shim.h"

/* The address of the request with another first word of its path, NULL where there is no memory. */
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

static void
answer_redirect(Request *request, const char *resource)
{
	Answer *answer = &request->answer;
	const char *address = address_with(request, resource);

	if (address == NULL)
	{
		error_set(request, 500, NULL);
		return;
	}
	/* nothing was created or changed: the log has no such event */
	request->route = NULL;
	envelope_begin(request, MHD_HTTP_PERMANENT_REDIRECT);
	buffer_text(&answer->head, "},\"data\":{},\"links\":{\"self\":");
	buffer_json(&answer->head, address, strlen(address));
	buffer_text(&answer->head, "}}");
	answer->location = address;
}

void
redirect_request(Request *request, const char *detail)
{
	json_t *object = detail ? json_loads(detail, 0, NULL) : NULL;
	const char *name = json_string_value(json_object_get(object, "resource"));
	const char *resource = name ? arena_text(&request->arena, name, strlen(name)) : NULL;

	json_decref(object);
	if (resource == NULL)
		error_set(request, 500, NULL);
	else if (request->verb == VERB_OPTIONS && request->headers[HEADER_PREFLIGHT_METHOD] != NULL)
	{
		request->path[0] = request->resource = resource;
		route_find(request);
		if (request->pattern != NULL)
			options_answer(request);
		else
			error_set(request, 404, NULL);
	}
	else
		answer_redirect(request, resource);
}

/* It is no name of a resource, or there is one that has nothing on this path. */
static void
not_found(Request *request)
{
	if (!error_of_call(request))
		error_set(request, 404, NULL);
}

/* Restore the refusal unless the path leads to another address. */
static void
finish_refused(Request *request)
{
	if (!error_of_call(request) || request->answer.status != MHD_HTTP_PERMANENT_REDIRECT)
		error_again(request, &request->refusal);
}

void
redirect_refused(Request *request)
{
	if (strncmp(request->pattern, "/:resource", strlen("/:resource")) != 0)
		return;
	request->refusal = (Refusal){
		request->answer.status,
		request->answer.message,
		request->answer.faults,
	};
	answer_clear(&request->answer);
	call_start(request, CALL_DESCRIBE, finish_refused);
}

void
redirect_unknown(Request *request)
{
	/* no path of another length begins with a resource and is unknown before that is looked at */
	if (request->words == SEGMENTS_MAXIMUM)
		call_start(request, CALL_DESCRIBE, not_found);
	else
		error_set(request, 404, NULL);
}
