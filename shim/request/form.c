/*
 * form.c - bodies of HTML forms, which become JSON before the call.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

#include "answer/answer.h"
#include "request/request.h"

/* Resources whose records may be created from a form, as deployed applications do. */
static const char *const form_resources[] = {"tags"};

bool
form_taken(const Request *request)
{
	if (request->route != NULL && request->route->call == CALL_SEND_EMAIL)
		return true;
	if (request->route == NULL || request->route->call != CALL_CREATE)
		return false;
	for (size_t i = 0; i < lengthof(form_resources); i++)
		if (strcmp(form_resources[i], request->resource) == 0)
			return true;
	return false;
}

/* Decode a name or value in place; false: it contains a zero byte. */
static bool
decode(char *text)
{
	for (char *c = text; *c != '\0'; c++)
		if (*c == '+')
			*c = ' ';
	return MHD_http_unescape(text) == strlen(text);
}

/* Add one "name=value" to the object; false: it is not text, or the name exists. */
static bool
add_pair(json_t *object, char *pair)
{
	char *value = strchr(pair, '=');

	if (value != NULL)
		*value++ = '\0';
	if (!decode(pair) || (value != NULL && !decode(value)) || json_object_get(object, pair) != NULL)
		return false;
	return json_object_set_new(object, pair, json_string(value != NULL ? value : "")) == 0;
}

/* Replace the form by the object. */
static void
replace_body(Request *request, const json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);

	request->body.length = 0;
	buffer_text(&request->body, text != NULL ? text : "");
	buffer_append(&request->body, "", 1);
	request->body.length -= request->body.failed ? 0 : 1;
	request->body.failed |= text == NULL;
	free(text);
}

StageResult
form_convert(Request *request)
{
	json_t *object = json_object();
	char *rest = request->body.data;
	bool good = object != NULL;
	char *pair;

	while (good && (pair = strtok_r(rest, "&", &rest)) != NULL)
		good = add_pair(object, pair);
	if (good)
		replace_body(request, object);
	json_decref(object);
	return good ? NEXT : error_set(request, 400, "malformed form");
}
