/*
 * upload_start.c - an upload is asked for: is it one, may it come, and how much of it?
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>
#include <openssl/evp.h>

#include "shim.h"

#define FORM_OVERHEAD 65536 /* bytes of a form besides its file and its texts */

/* Where files are taken, and the part of a form that is the file. */
static const struct
{
	const char *resource;
	const char *part;
} places[] = {{"files", "uploadFile"}, {"categories", "uploadImage"}};

const char *
upload_part(const Request *request, const Route *route)
{
	if (route == NULL || (route->call != CALL_CREATE && route->call != CALL_UPDATE))
		return NULL;
	for (size_t i = 0; i < lengthof(places); i++)
		if (strcmp(places[i].resource, request->resource) == 0)
			return places[i].part;
	return NULL;
}

bool
upload_wanted(Request *request)
{
	static const char *const types[] = {"multipart/form-data", "application/octet-stream",
										"application/partial-upload"};
	const char *type = request->headers[HEADER_CONTENT_TYPE];
	bool writes =
		request->verb == VERB_POST || request->verb == VERB_PUT || request->verb == VERB_PATCH;
	size_t kind = 0;
	Upload *upload;

	if (type == NULL || !writes)
		return false;
	while (kind < lengthof(types) && strncasecmp(type, types[kind], strlen(types[kind])) != 0)
		kind++;
	if (kind == lengthof(types) || !request_find(request) || request->route == NULL)
		return false;
	/* forms make records, and bytes that go on with an upload do not */
	if (kind == 0 || request->route->call != CALL_UPLOAD_FINISH)
		if (kind > 1 || upload_part(request, request->route) == NULL)
			return false;
	upload = upload_new(request);
	if (upload != NULL)
		upload->form = kind == 0;
	return upload != NULL;
}

/* What the headers say of the length of the body; -1: nothing. */
static int64_t
body_length(const Request *request)
{
	const char *length = request->headers[HEADER_CONTENT_LENGTH];

	if (length == NULL)
		return -1;
	return strlen(length) > 18 ? INT64_MAX : strtoll(length, NULL, 10);
}

/* Take what the extension says of the upload; false with the error answer set. */
static bool
take_state(Request *request)
{
	Upload *upload = upload_of(request);
	Reply reply = {0};
	json_t *state = NULL;

	if (reply_of_call(&request->call, &reply) && reply.data != NULL)
		state = json_loadb(reply.data, reply.data_length, 0, NULL);
	if (state == NULL || reply.id == NULL || strlen(reply.id) > ID_MAXIMUM)
		error_set(request, 500, NULL);
	else
	{
		stpcpy(upload->id, reply.id);
		upload->offset = json_integer_value(json_object_get(state, "offset"));
		if (json_is_integer(json_object_get(state, "limit")))
			upload->limit = json_integer_value(json_object_get(state, "limit"));
		if (json_is_integer(json_object_get(state, "length")))
			upload->total = json_integer_value(json_object_get(state, "length"));
		upload->updates = json_is_string(json_object_get(state, "record"));
	}
	json_decref(state);
	return request->answer.status == 0;
}

/* The extension lets the file come, or not. */
static void
begun(Request *request)
{
	Upload *upload = upload_of(request);
	int64_t length = body_length(request);
	int64_t besides = upload->form ? FORM_OVERHEAD + request->worker->settings->body_limit : 0;

	if (error_of_call(request) || !take_state(request) || !resume_agrees(request))
		return;
	if (length > 0 && length - besides > upload->limit - upload->offset)
		upload_refuse(request, 413, "the file is too large");
	else
		upload_go_on(request);
}

/* Have the bytes of the body hashed, where the client has told what must come of it. */
static bool
hash_body(Upload *upload)
{
	if (upload->content[0] == '\0')
		return true;
	upload->digest = EVP_MD_CTX_new();
	return upload->digest != NULL && EVP_DigestInit_ex(upload->digest, EVP_sha256(), NULL) == 1;
}

void
upload_start(Request *request)
{
	Upload *upload = upload_of(request);
	bool goes_on = request->route->call == CALL_UPLOAD_FINISH;
	json_t *details;

	if (!resume_read(request) || (upload->form && !parts_begin(request)))
		return;
	if (!hash_body(upload))
	{
		error_set(request, 500, NULL);
		return;
	}
	if (goes_on)
	{
		call_start(request, CALL_UPLOAD_STATE, begun);
		return;
	}
	if (upload->total < 0 && !upload->form && !upload->partial)
		upload->total = body_length(request);
	details = json_pack("{s:o?, s:b, s:s?, s:s?, s:O?}", "length",
						upload->total >= 0 ? json_integer(upload->total) : NULL, "resumable",
						upload->resumable, "name", upload->file_name, "digest",
						upload->sha256[0] ? upload->sha256 : NULL, "body",
						upload->form ? NULL : upload->texts);
	if (upload_details(request, details))
		call_start(request, CALL_UPLOAD_BEGIN, begun);
}
