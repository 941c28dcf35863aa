/*
 * query.c - fuzzing target: path and query string, and the links made of them.
 */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

/* Whether the link can be part of a JSON string and of a header field without escapes. */
static bool
is_plain(const Buffer *link)
{
	for (size_t i = 0; i < link->length; i++)
		if (link->data[i] <= ' ' || link->data[i] == 0x7F ||
			strchr("\"\\<>", link->data[i]) != NULL)
			return false;
	return true;
}

void
fuzz_one(char *text, size_t length)
{
	char target[TARGET_MAXIMUM];
	Request *request;
	Buffer link;

	if (strlen(text) != length || length > sizeof(target) - 32)
		return;
	snprintf(target, sizeof(target), "/%s", text);
	request = fuzz_routed(target);
	if (request == NULL)
		return;
	for (int i = 0; i < request->words && i < SEGMENTS_MAXIMUM; i++)
		MUST_HOLD(text_valid_utf8(request->path[i], strlen(request->path[i])));
	MUST_HOLD(text_valid_query(&request->arena, request->query));
	buffer_init(&link, 1 << 20);
	link_page(&link, request, 20, 0, NULL);
	link_end(&link, request, "first");
	link_search(&link, request, "tags");
	MUST_HOLD(link.failed || is_plain(&link));
	buffer_free(&link);
	request_free(request);
}
