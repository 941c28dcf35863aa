/*
 * body.c - the body of a request, before its call: its size, its bytes, and the members of a body that
 * no call takes, such as those of an action: all of them are unknown.
 *
 * The event loop itself parses such bodies, forms and logins, and serves nobody else meanwhile.
 * Therefore they are small.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "answer/answer.h"
#include "database/clients.h"
#include "request/request.h"

#define SMALL_BODY 65536  /* bytes of a body that the event loop parses */
#define NAMES_MAXIMUM 100 /* unknown members that an answer names */

/* The names of the members as a JSON array, of the first ones if there are many. */
static json_t *
names_of(json_t *body)
{
	json_t *names = json_array();
	const char *name;
	json_t *value;

	json_object_foreach(body, name, value)
	{
		if (json_array_size(names) == NAMES_MAXIMUM)
			break;
		json_array_append_new(names, json_string(name));
	}
	return names;
}

/* A validation error for each name, like those of the extension for unknown names. */
static json_t *
faults_of(const json_t *names)
{
	json_t *faults = json_object();

	for (size_t i = 0; i < json_array_size(names); i++)
		json_object_set_new(
			faults, json_string_value(json_array_get(names, i)),
			json_pack("[{s:s, s:s}]", "rule", "unknown", "message", "is not known"));
	return faults;
}

static StageResult
refuse(Request *request, const json_t *names)
{
	json_t *faults = faults_of(names);
	char *text = json_dumps(faults, JSON_COMPACT);
	StageResult progress = error_faults(request, "this takes no members in its body", text);

	free(text);
	json_decref(faults);
	return progress;
}

static void
ignore(Request *request, const json_t *names)
{
	char *text = json_dumps(names, JSON_COMPACT);

	request->ignored = text ? arena_text(&request->arena, text, strlen(text)) : NULL;
	free(text);
}

static StageResult
take_members(Request *request, json_t *body)
{
	json_t *names = names_of(body);
	StageResult progress = NEXT;

	if (request->strict)
		progress = refuse(request, names);
	else
		ignore(request, names);
	json_decref(names);
	return progress;
}

/* A body that no call takes: its members are ignored, or refused by strict handling. */
static StageResult
check_untaken(Request *request)
{
	const Buffer *buffer = &request->body;
	json_t *body = json_loadb(buffer->data, buffer->length, JSON_REJECT_DUPLICATES, NULL);
	StageResult progress = NEXT;

	if (!json_is_object(body))
		progress = error_set(request, 400, "the body is not a JSON object");
	else if (json_object_size(body) > 0)
		progress = take_members(request, body);
	json_decref(body);
	return progress;
}

/* Does the event loop parse the body? */
static bool
parsed_here(const Request *request)
{
	CallName call = request->route->call;

	/* the form of an import has a document */
	return (request->form && call != CALL_IMPORT) || call == CALL_LOGIN ||
		   call == CALL_CLIENT_TOKEN || !call_takes(&call_specs[call], ARGUMENT_BODY);
}

StageResult
body_prepare(Request *request)
{
	Buffer *body = &request->body;

	if (request->discard)
		return error_too_large(request);
	if (request->crowded)
		return error_set(request, 503, "too many bytes of bodies are being received");
	if (body->length > SMALL_BODY && parsed_here(request))
		return error_set(request, 413, "the body of this request must have at most 65536 bytes");
	if (request->rows == NULL && body->length > 0 && memchr(body->data, '\0', body->length) != NULL)
		return error_set(request, 400, "malformed JSON");
	if (body->length > 0 && !call_takes(&call_specs[request->route->call], ARGUMENT_BODY) &&
		check_untaken(request) != NEXT)
		return ANSWERED;
	/* libpq needs the body as a text that ends with a zero byte */
	buffer_append(body, "", 1);
	body->length -= body->failed ? 0 : 1;
	if (request->rows != NULL)
		return rows_body_check(request);
	return request->form ? form_convert(request) : NEXT;
}
