/*
 * redirect.c - redirect paths that begin with the name of a model to its resource: /tag/x to /tags/x.
 *
 * The extension knows the names.  A preflight is answered as for the other path, since browsers do
 * not follow redirects of a preflight.
 */
#include <strings.h>

#include <jansson.h>

#include "page/page.h"
#include "request/request.h"

/* The address of the request with another first word of its path, and another second one unless
 * that is NULL. */
static const char *
address_with(Request *request, const char *resource, const char *id)
{
	const char *rest = request->target + 1 + strcspn(request->target + 1, "/?");
	Buffer buffer;

	if (id != NULL)
		rest += 1 + strcspn(rest + 1, "/?");
	buffer_init(&buffer, ANSWER_MAXIMUM);
	link_words(&buffer, request, resource, id);
	buffer_text(&buffer, rest);
	return arena_take(&request->arena, &buffer);
}

static StageResult
answer_redirect(Request *request, const char *resource, const char *id)
{
	Answer *answer = &request->answer;
	const char *address = address_with(request, resource, id);

	/* the log must not have an event for a change */
	request->route = NULL;
	envelope_begin(request, MHD_HTTP_PERMANENT_REDIRECT);
	buffer_text(&answer->head, "},\"data\":{},\"links\":{\"self\":");
	buffer_json(&answer->head, address, strlen(address));
	buffer_text(&answer->head, "}}");
	answer->location = address;
	return ANSWERED;
}

/* The text of a member in the memory of the request; NULL for none. */
static const char *
text_member(Request *request, const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? arena_text(&request->arena, text, strlen(text)) : NULL;
}

StageResult
redirect_request(Request *request, const char *detail)
{
	json_t *object = detail ? json_loads(detail, 0, NULL) : NULL;
	const char *resource = text_member(request, object, "resource");
	const char *id = text_member(request, object, "id");

	json_decref(object);
	if (resource == NULL)
		return error_set(request, 500, NULL);
	if (request->verb != VERB_OPTIONS || request->headers[HEADER_PREFLIGHT_METHOD] == NULL)
		return answer_redirect(request, resource, id);
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

/* Answer with the refusal, unless the path leads to another address. */
static StageResult
finish_refused(Request *request)
{
	CallError error;

	if (error_find(request->call, &error) &&
		error_own_status(&error) == MHD_HTTP_PERMANENT_REDIRECT)
	{
		answer_clear(&request->answer);
		return redirect_request(request, error_own_detail(&error));
	}
	return ANSWERED;
}

StageResult
redirect_refused(Request *request)
{
	if (strncmp(request->pattern, "/:resource", strlen("/:resource")) != 0)
		return ANSWERED;
	return request_call_start_unchecked(request, CALL_DESCRIBE, finish_refused);
}

StageResult
redirect_moved(Request *request)
{
	bool reads = request->verb == VERB_GET || request->verb == VERB_HEAD;

	/* the record is that of the second word */
	if (!reads || request->words < 2 || request->path_id != request->path[1])
		return ANSWERED;
	return request_call_start_unchecked(request, CALL_MOVED, finish_refused);
}

StageResult
redirect_unknown(Request *request)
{
	/* with fewer words, it does not begin with a resource; with more, it is of no resource */
	if (request->words == SEGMENTS_RESOURCE + 1)
		return request_call_start(request, CALL_DESCRIBE, not_found);
	return error_set(request, 404, NULL);
}
