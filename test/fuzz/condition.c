/*
 * condition.c - fuzzing target: If-Match and If-None-Match, one line each.
 */
#include <string.h>

#include "answer/answer.h"
#include "fuzz.h"

void
fuzz_one(char *text, size_t length)
{
	Request *request = fuzz_routed("/tags/1");
	char *none = fuzz_line(text);

	MUST_HOLD(request != NULL);
	fuzz_line(none);
	if (length % 2 == 0)
		request->verb = VERB_PATCH;
	route_find(request);
	request->headers[HEADER_IF_MATCH] = *text != '\0' ? text : NULL;
	request->headers[HEADER_IF_NONE_MATCH] = *none != '\0' ? none : NULL;
	if (negotiate_request(request) == NEXT && condition_read(request) == ANSWERED)
		MUST_HOLD(request->answer.status == 400 || request->answer.status == 412 ||
				  request->answer.status == 304);
	request_free(request);
}
