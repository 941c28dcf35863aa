/*
 * form.c - fuzzing target: the body of a form, which is converted to a JSON object of strings.
 */
#include <string.h>

#include <jansson.h>

#include "fuzz.h"

void
fuzz_one(char *text, size_t length)
{
	static const Route create = {.verb = VERB_POST, .call = CALL_CREATE};
	Request *request = fuzz_request("/tags");
	const char *name;
	json_t *object;
	json_t *value;

	request->route = &create;
	if (strlen(text) == length)
	{
		buffer_append(&request->body.bytes, text, length + 1);
		request->body.bytes.length--;
		if (body_form_convert(request) == NEXT)
		{
			object = json_loadb(request->body.bytes.data, request->body.bytes.length, 0, NULL);
			MUST_HOLD(json_is_object(object));
			json_object_foreach(object, name, value)
				MUST_HOLD(json_is_string(value));
			json_decref(object);
		}
	}
	request_free(request);
}
