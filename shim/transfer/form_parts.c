/*
 * form_parts.c - forms of several parts that are received as a whole, whose parts become strings.
 *
 * A part may be a file, whose name and type are ignored.
 */
#include <jansson.h>
#include <string.h>

#include "answer/answer.h"
#include "transfer/upload_internal.h"

typedef struct FormParts
{
	Request *request;
	json_t *object;
	const char *name; /* of the part that is being read */
	Buffer value;
} FormParts;

static bool
begin_part(void *cls, const Part *part)
{
	FormParts *parts = cls;

	parts->name = arena_text(&parts->request->arena, part->name, strlen(part->name));
	parts->value.length = 0;
	return parts->name != NULL;
}

static size_t
take_bytes(void *cls, const char *bytes, size_t length)
{
	FormParts *parts = cls;

	buffer_append(&parts->value, bytes, length);
	return length;
}

/* Add the part; false: it is not text, or there is one of its name. */
static bool
end_part(void *cls)
{
	FormParts *parts = cls;

	return json_object_get(parts->object, parts->name) == NULL &&
		   json_object_set_new(parts->object, parts->name,
							   json_stringn(parts->value.length > 0 ? parts->value.data : "",
											parts->value.length)) == 0;
}

const char *
form_parts_add(Request *request, json_t *object)
{
	static const MultipartEvents events = {begin_part, take_bytes, end_part};
	const char *header = request->headers[HEADER_CONTENT_TYPE];
	const Buffer *body = &request->body;
	FormParts parts = {.request = request, .object = object};
	Multipart multipart;
	Field type;
	bool complete;

	if (!field_read(arena_text(&request->arena, header, strlen(header)), &type) ||
		!multipart_open(&multipart, &type, &events, &parts))
		return "a form needs a boundary";
	buffer_init(&parts.value, body->length + 1);
	complete = multipart_feed(&multipart, body->data, body->length) == body->length &&
			   multipart_complete(&multipart) && !parts.value.failed;
	buffer_free(&parts.value);
	multipart_close(&multipart);
	if (complete)
		return NULL;
	return multipart.fault != NULL ? multipart.fault : "malformed form";
}
