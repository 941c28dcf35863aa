/*
 * accept.c - fuzzing target: Accept, Content-Type and Prefer, one line each, then a path.
 */
#include <string.h>

#include "fuzz.h"

void
fuzz_one(char *text, size_t length)
{
	static const char *const paths[] = {"/tags", "/tags/1", "/tags/count", "/search", "/statuses"};
	Request *request = fuzz_routed(paths[length % lengthof(paths)]);
	char *type = fuzz_line(text);
	char *prefer = fuzz_line(type);

	MUST_HOLD(request != NULL);
	fuzz_line(prefer);
	request->headers[HEADER_ACCEPT] = text;
	request->headers[HEADER_PREFER] = prefer;
	if (length % 2 == 0)
	{
		request->verb = VERB_POST;
		request->headers[HEADER_CONTENT_TYPE] = type;
		buffer_text(&request->body.bytes, "{}");
	}
	route_find(request);
	if (request->route != NULL && negotiate_request(request) == NEXT)
		MUST_HOLD(request->applied == NULL ||
				  text_valid_utf8(request->applied, strlen(request->applied)));
	else if (request->route != NULL)
		MUST_HOLD(request->answer.status == 406 || request->answer.status == 415);
	request_free(request);
}
