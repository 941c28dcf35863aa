/*
 * upload_start.c - the beginning of an upload: is the request one, and is it accepted?
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>
#include <openssl/evp.h>

#include "answer/answer.h"
#include "transfer/upload_internal.h"

#define FORM_OVERHEAD 65536 /* bytes of a form besides its file and its texts */

/* The resources that take files, and the part of a form that is the file. */
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

/* The media types of uploads: that of a form, and those of a file. */
static const char *const types[] = {"multipart/form-data", "application/octet-stream",
									"application/partial-upload"};

/* The index of the body's media type; lengthof(types): it is none of them. */
static size_t
type_of(const Request *request)
{
	const char *type = request->headers[HEADER_CONTENT_TYPE];
	size_t i = 0;

	while (i < lengthof(types) &&
		   (type == NULL || strncasecmp(type, types[i], strlen(types[i])) != 0))
		i++;
	return i;
}

bool
upload_possible(const Request *request)
{
	bool writes =
		request->verb == VERB_POST || request->verb == VERB_PUT || request->verb == VERB_PATCH;

	return writes && type_of(request) < lengthof(types);
}

bool
upload_detect(Request *request)
{
	size_t type = type_of(request);
	Upload *upload;

	if (request->route == NULL)
		return false;
	/* a form makes a record; other types may also continue an upload */
	if (type == 0 || request->route->call != CALL_UPLOAD_FINISH)
		if (type > 1 || upload_part(request, request->route) == NULL)
			return false;
	upload = upload_new(request);
	if (upload != NULL)
		upload->form = type == 0;
	return upload != NULL;
}

/* Content-Length of the body; -1: not sent. */
static int64_t
body_length(const Request *request)
{
	const char *length = request->headers[HEADER_CONTENT_LENGTH];

	if (length == NULL)
		return -1;
	return strlen(length) > 18 ? INT64_MAX : strtoll(length, NULL, 10);
}

/* Read the state of the upload that the extension returned. */
static StageResult
take_state(Request *request)
{
	Upload *upload = upload_of(request);
	Reply reply = {0};
	json_t *state = NULL;

	if (reply_of_call(request->call, &reply) && reply.data != NULL)
		state = json_loadb(reply.data, reply.data_length, 0, NULL);
	if (state == NULL || reply.id == NULL || strlen(reply.id) > ID_MAXIMUM)
		(void) error_set(request, 500, NULL);
	else
	{
		stpcpy(upload->id, reply.id);
		request->upload_id = upload->id;
		upload->offset = json_integer_value(json_object_get(state, "offset"));
		if (json_is_integer(json_object_get(state, "limit")))
			upload->limit = json_integer_value(json_object_get(state, "limit"));
		if (json_is_integer(json_object_get(state, "length")))
			upload->total = json_integer_value(json_object_get(state, "length"));
		upload->updates = json_is_string(json_object_get(state, "record"));
	}
	json_decref(state);
	return request->answer.status == 0 ? NEXT : ANSWERED;
}

/* The extension accepts the file. */
static StageResult
begun(Request *request)
{
	Upload *upload = upload_of(request);
	int64_t length = body_length(request);
	int64_t besides = upload->form ? FORM_OVERHEAD + request->worker->settings->body_limit : 0;

	if (take_state(request) != NEXT || upload_resume_check(request) != NEXT)
		return ANSWERED;
	if (length > 0 && length - besides > upload->limit - upload->offset)
		return upload_refuse_size(request);
	return NEXT;
}

/* Begin to hash the body, if the client has sent its digest. */
static bool
hash_body(Upload *upload)
{
	if (upload->content[0] == '\0')
		return true;
	upload->digest = EVP_MD_CTX_new();
	return upload->digest != NULL && EVP_DigestInit_ex(upload->digest, EVP_sha256(), NULL) == 1;
}

StageResult
upload_start(Request *request)
{
	Upload *upload = upload_of(request);
	json_t *details;

	if (upload == NULL)
		return NEXT;
	if (upload_resume_read(request) != NEXT || (upload->form && !upload_form_begin(request)))
		return ANSWERED;
	if (!hash_body(upload))
		return error_set(request, 500, NULL);
	if (request->route->call == CALL_UPLOAD_FINISH)
		return call_start(request, CALL_UPLOAD_STATE, begun);
	if (upload->total < 0 && !upload->form && !upload->partial)
		upload->total = body_length(request);
	details = json_pack("{s:o?, s:b, s:s?, s:s?, s:O?}", "length",
						upload->total >= 0 ? json_integer(upload->total) : NULL, "resumable",
						upload->resumable, "name", upload->file_name, "digest",
						upload->sha256[0] ? upload->sha256 : NULL, "body",
						upload->form ? NULL : upload->texts);
	if (upload_details(request, details) != NEXT)
		return ANSWERED;
	return call_start(request, CALL_UPLOAD_BEGIN, begun);
}
