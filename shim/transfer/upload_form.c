/*
 * upload_form.c - forms with a file: the file, and texts, which become the body of the request.
 */
#include <strings.h>

#include <jansson.h>

#include "transfer/upload_internal.h"

/* Refuse the form. */
static bool
refuse_form(Request *request, const char *message)
{
	(void) upload_refuse(request, 400, message);
	return false;
}

/*
 * The part is the file, or what is sent if none was chosen: no file name, and no bytes or a word
 * that means none.
 */
static bool
begin_file(Request *request, const Part *part)
{
	Upload *upload = upload_of(request);

	if (upload->file || upload->nameless)
		return refuse_form(request, "more than one file");
	upload->in_file = true;
	/* a document needs no name */
	upload->nameless = (part->file == NULL || part->file[0] == '\0') && !upload->imports;
	upload->value.length = 0;
	upload->file = !upload->nameless;
	if (upload->nameless)
		return true;
	upload->file_name = strdup(part->file != NULL ? part->file : "");
	upload->type = strdup(part->type != NULL ? part->type : "");
	if (upload->file_name == NULL || upload->type == NULL)
	{
		(void) upload_refuse(request, 500, NULL);
		return false;
	}
	return true;
}

static bool
begin_part(void *cls, const Part *part)
{
	Request *request = cls;
	Upload *upload = upload_of(request);
	const char *wanted = upload_part(request, request->route);

	if (strcmp(part->name, wanted) == 0)
		return begin_file(request, part);
	if (part->file != NULL && part->file[0] != '\0')
		return refuse_form(
			request, arena_format(&request->arena, "a file belongs into the part \"%s\"", wanted));
	upload->in_file = false;
	upload->value.length = 0;
	free(upload->name);
	upload->name = strdup(part->name);
	return upload->name != NULL;
}

static size_t
take_bytes(void *cls, const char *bytes, size_t length)
{
	Request *request = cls;
	Upload *upload = upload_of(request);

	if (upload->in_file && !upload->nameless)
		return upload_collect(request, bytes, length);
	if (length > upload->room)
	{
		upload_abandon(request);
		(void) error_too_large(request);
		return 0;
	}
	upload->room -= length;
	buffer_append(&upload->value, bytes, length);
	return length;
}

/* Add a text; one whose name exists becomes an element of an array. */
static bool
add_text(json_t *texts, const char *name, json_t *text)
{
	json_t *before = json_object_get(texts, name);

	if (text == NULL)
		return false;
	if (before == NULL)
		return json_object_set_new(texts, name, text) == 0;
	if (json_is_array(before))
		return json_array_append_new(before, text) == 0;
	return json_object_set_new(texts, name, json_pack("[O, o]", before, text)) == 0;
}

bool
upload_form_add(Upload *upload, const char *name, const char *bytes, size_t length)
{
	return memchr(bytes, '\0', length) == NULL &&
		   add_text(upload->texts, name, json_stringn(bytes, length));
}

/* Is it what browsers send in place of a file if none was chosen? */
static bool
is_no_file(const char *text, size_t length)
{
	static const char *const words[] = {"", "null", "undefined"};

	for (size_t i = 0; i < lengthof(words); i++)
		if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
			return true;
	return false;
}

static bool
end_part(void *cls)
{
	Request *request = cls;
	Upload *upload = upload_of(request);
	const char *bytes = upload->value.length > 0 ? upload->value.data : "";

	if (upload->in_file)
		return !upload->nameless || is_no_file(bytes, upload->value.length) ||
			   refuse_form(request, "the part of the file has no file name");
	if (!upload_form_add(upload, upload->name, bytes, upload->value.length))
		return refuse_form(request, "a part is no text");
	return true;
}

bool
upload_form_begin(Request *request)
{
	static const MultipartEvents events = {begin_part, take_bytes, end_part};
	const char *header = request->headers[HEADER_CONTENT_TYPE];
	Upload *upload = upload_of(request);
	char *text = arena_text(&request->arena, header, strlen(header));
	Field type;

	upload->room = (size_t) request->thread->settings->body_limit;
	buffer_init(&upload->value, upload->room + 1);
	if (!field_read(text, &type) || !multipart_open(&upload->parts, &type, &events, request))
		return refuse_form(request, "a form needs a boundary");
	if (strcasecmp(type.value, "multipart/form-data") != 0)
		(void) error_set(request, 415, NULL);
	return request->answer.status == 0;
}

StageResult
upload_form_body(Request *request)
{
	const Upload *upload = upload_of(request);
	size_t limit = (size_t) request->thread->settings->body_limit;
	char *text = upload->texts != NULL ? json_dumps(upload->texts, JSON_COMPACT) : NULL;
	bool fits = text == NULL || strlen(text) <= limit;

	request->body.bytes.length = 0;
	if (text != NULL && fits)
		buffer_append(&request->body.bytes, text, strlen(text) + 1);
	request->body.bytes.length -= request->body.bytes.length > 0;
	free(text);
	if (!fits)
		return error_too_large(request);
	if (request->body.bytes.failed || (text == NULL && upload->texts != NULL))
		return error_set(request, 500, NULL);
	return NEXT;
}
