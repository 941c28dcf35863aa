/*
 * rows.c - fuzzing target: a body with a row for each record, which is converted to a batch of creations.
 *
 * The first line is the media type, the rest the body.
 */
#include <string.h>

#include <jansson.h>

#include "fuzz.h"

/* The body is a batch of creations of tags, whatever the rows have in them. */
static void
check_batch(const Request *request)
{
	json_t *batch = json_loadb(request->body.data, request->body.length, 0, NULL);
	json_t *parts = json_object_get(batch, "parts");
	size_t i;
	json_t *part;

	MUST_HOLD(json_is_object(batch));
	MUST_HOLD(json_is_array(parts));
	MUST_HOLD(json_array_size(parts) <= 1001);
	MUST_HOLD(json_is_false(json_object_get(batch, "references")));
	json_array_foreach(parts, i, part)
	{
		json_t *body = json_object_get(part, "body");
		const char *name;
		json_t *value;

		MUST_HOLD(json_object_size(part) == 4);
		MUST_HOLD(strcmp(json_string_value(json_object_get(part, "method")), "POST") == 0);
		MUST_HOLD(strcmp(json_string_value(json_object_get(part, "path")), "/tags") == 0);
		MUST_HOLD(json_integer_value(json_object_get(part, "line")) > 0);
		MUST_HOLD(json_is_object(body));
		if (json_is_true(json_object_get(batch, "texts")))
			json_object_foreach(body, name, value)
				MUST_HOLD(json_is_string(value) && json_string_length(value) > 0);
	}
	json_decref(batch);
}

void
fuzz_one(char *text, size_t length)
{
	Request *request = fuzz_request("/tags");
	char *rest = memchr(text, '\n', length);

	if (rest != NULL)
	{
		*rest++ = '\0';
		request->verb = VERB_POST;
		request->headers[HEADER_CONTENT_TYPE] = text;
		buffer_append(&request->body, rest, length - (size_t) (rest - text) + 1);
		request->body.length--;
		MUST_HOLD(route_request(request) == NEXT);
		rows_body_choose(request);
		if (request->rows != NULL && rows_body_convert(request) == NEXT)
			check_batch(request);
	}
	request_free(request);
}
