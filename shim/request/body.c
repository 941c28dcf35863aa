/*
 * members.c - bodies that no call takes, such as those of actions: all their members are unknown.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "answer/answer.h"
#include "request/request.h"

/* The names of the members as a JSON array. */
static json_t *
names_of(json_t *body)
{
	json_t *names = json_array();
	const char *name;
	json_t *value;

	json_object_foreach(body, name, value)
	{
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

StageResult
members_untaken(Request *request)
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
