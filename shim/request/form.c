/*
 * form.c - bodies of HTML forms, which become JSON before the call.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

#include "answer/answer.h"
#include "request/request.h"
#include "transfer/transfer.h"

/* Resources whose records may be created from a form, as deployed applications do. */
static const char *const form_resources[] = {"tags"};

static const char multipart[] = "multipart/form-data";

const char *
form_type(const Request *request, const Route *route)
{
	bool taken = route->call == CALL_SEND_EMAIL;

	if (route->call == CALL_IMPORT)
		return multipart;
	for (size_t i = 0; route->call == CALL_CREATE && i < lengthof(form_resources); i++)
		taken |= request->resource != NULL && strcmp(form_resources[i], request->resource) == 0;
	return taken ? "application/x-www-form-urlencoded" : NULL;
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

/* Add the pairs of a form to the object; returns the fault, NULL for none. */
static const char *
add_pairs(char *rest, json_t *object)
{
	char *pair;

	while ((pair = strtok_r(rest, "&", &rest)) != NULL)
		if (!add_pair(object, pair))
			return "malformed form";
	return NULL;
}

StageResult
form_convert(Request *request)
{
	json_t *object = json_object();
	const char *fault = NULL;

	if (object == NULL)
		return error_set(request, 500, NULL);
	fault = form_type(request, request->route) == multipart ? form_parts_add(request, object)
															: add_pairs(request->body.data, object);
	if (fault == NULL)
		replace_body(request, object);
	json_decref(object);
	return fault == NULL ? NEXT : error_set(request, 400, fault);
}
