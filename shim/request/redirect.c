/*
 * redirect.c - redirect paths that begin with the name of a model to its resource: /tag/x to /tags/x.
 *
 * The extension knows the names.  A preflight is answered as for the other path, since browsers do
 * not follow redirects of a preflight.
 */
#include <string.h>

#include <jansson.h>

#include "answer/answer.h"
#include "request/request.h"

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
