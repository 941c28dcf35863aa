/*
 * guard.c - refuse requests that servers in a chain could interpret differently, and those that are
 * too large.
 *
 * After a refusal by refuse_request() the connection is closed, so that nothing that follows on it is taken
 * for a request.
 */

#include "request/request.h"

/* Close the connection after the answer. */
static StageResult
close_after(Request *request)
{
	request->answer.close = true;
	/* the client may be sending more, which must not make it lose the answer */
	request->client->lingering = true;
	return ANSWERED;
}

static StageResult
refuse_request(Request *request, int status, const char *message)
{
	(void) error_set(request, status, message);
	return close_after(request);
}

/*
 * A client that waits for "100 Continue" gets the answer at once.  Others are sending already: a body
 * that is not absurdly large is read and discarded, since the answer could be lost if the connection
 * were closed.
 */
StageResult
guard_length(Request *request)
{
	int64_t limit = request->thread->settings->body_limit;
	int64_t bytes = header_content_length(request);

	if (bytes <= limit)
		return NEXT;
	request->body.refused = 413;
	if (request->headers[HEADER_EXPECT] != NULL || bytes / 16 > limit)
	{
		(void) error_too_large(request);
		return close_after(request);
	}
	return NEXT;
}

bool
guard_refused(Request *request)
{
	const Framing *framing = &request->client->framing;

	if (!framing_refused(framing))
		return false;
	(void) refuse_request(request, framing->refusal.status, framing->refusal.message);
	/* what was received may not be what the client wanted to send */
	if (upload_of(request) != NULL)
		upload_abandon(request);
	return true;
}

StageResult
guard_request(Request *request)
{
	bool sound = header_read(request);

	if (guard_refused(request))
		return ANSWERED;
	if (!sound)
		return refuse_request(request, 400, "header given more than once");
	request->target = header_target_path(request->target);
	if (request->target[0] != '/')
		return refuse_request(request, 400, "the request target must begin with a slash");
	return NEXT;
}

StageResult
guard_split(Request *request)
{
	const char *end = strchrnul(request->target, '?');
	const char *word = request->target + 1;
	int parameters = 1;

	request->query = link_query(request, *end == '?' ? end + 1 : "");
	for (const char *c = request->query; *c != '\0'; c++)
		parameters += *c == '&';
	if (parameters > PARAMETERS_MAXIMUM)
		return error_set(request, 400, "too many query parameters");
	if (!text_valid_query(&request->arena, request->query))
		return error_set(request, 400, "malformed query string");
	while (word <= end)
	{
		const char *stop = memchr(word, '/', (size_t) (end - word));
		size_t length = (size_t) ((stop ? stop : end) - word);
		const char *text = text_percent_decode(&request->arena, word, length);

		if (text == NULL)
			return error_set(request, 400, "malformed path");
		if (request->words < SEGMENTS_MAXIMUM)
			request->path[request->words] = text;
		request->words++;
		word += length + 1;
	}
	return NEXT;
}
