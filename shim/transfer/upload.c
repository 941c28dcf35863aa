/*
 * upload.c - the body of an upload: accepted, received, written, finished.
 *
 * Whether the file is accepted is decided before its first byte is read.  Its bytes are collected in
 * pieces of CHUNK_SIZE; while a piece is being written, nothing is read from the client.  An upload
 * that is not finished when the request ends is deleted, unless it can be resumed.  A refusal ends an
 * upload that an earlier request began only if no further bytes can correct it.
 */
#include <strings.h>

#include <jansson.h>
#include <openssl/evp.h>

#include "transfer/upload_internal.h"

StageResult
upload_refuse(Request *request, int status, const char *message)
{
	if (status < 500)
		upload_abandon(request);
	(void) error_set(request, status, message);
	if (status < 500)
		upload_resume_mark(request, !upload_of(request)->resumable);
	return ANSWERED;
}

/* Refuse more bytes than the file may have. */
static StageResult
refuse_size(Request *request)
{
	int64_t limit = upload_of(request)->limit;

	(void) upload_refuse(request, 413,
						 arena_format(&request->arena,
									  "the file is too large: it may have %lld bytes",
									  (long long) limit));
	upload_resume_limit(request, limit);
	return ANSWERED;
}

size_t
upload_collect(Request *request, const char *bytes, size_t length)
{
	Upload *upload = upload_of(request);
	size_t room = CHUNK_SIZE - (size_t) (upload->offset % CHUNK_SIZE) - upload->length;
	size_t taken = length < room ? length : room;
	int64_t size = upload->offset + (int64_t) (upload->length + taken);

	if (upload->bytes == NULL)
		upload->bytes = malloc(CHUNK_SIZE);
	if (upload->bytes == NULL)
		(void) upload_refuse(request, 500, NULL);
	else if (size > upload->limit)
		(void) refuse_size(request);
	else if (upload->total >= 0 && size > upload->total)
		(void) upload_refuse(request, 400, "there are more bytes than the upload was said to have");
	if (upload->bytes == NULL || request->answer.status != 0)
		return 0;
	memcpy(upload->bytes + upload->length, bytes, taken);
	upload->length += taken;
	return taken;
}

#define FORGET_MAXIMUM (1 << 20) /* bytes that are discarded after a refusal */

static void
end_upload(Transfer *transfer)
{
	Upload *upload = (Upload *) transfer;

	multipart_close(&upload->parts);
	buffer_free(&upload->value);
	free(upload->name);
	json_decref(upload->texts);
	EVP_MD_CTX_free(upload->digest);
	free(upload->details);
	free(upload->file_name);
	free(upload->type);
	free(upload->bytes);
}

/* Write the collected bytes; false: the call has failed at once. */
static bool
write_piece(Upload *upload)
{
	const Request *request = upload->transfer.request;
	const char *arguments[] = {upload->id, upload->position, upload->bytes,
							   request != NULL ? request->caller.actor : upload->transfer.actor};

	snprintf(upload->position, sizeof(upload->position), "%lld", (long long) upload->offset);
	return transfer_call(&upload->transfer, CALL_UPLOAD_WRITE, arguments, upload->length);
}

/* The request has ended, possibly before the upload. */
static void
leave(Transfer *transfer)
{
	Upload *upload = (Upload *) transfer;
	const char *arguments[] = {upload->id, transfer->actor};

	if (upload->over || upload->id[0] == '\0')
		return;
	upload->over = true;
	if (!upload->resumable)
		transfer_call(transfer, CALL_UPLOAD_DROP, arguments, 0);
	else if (upload->length > 0)
		write_piece(upload);
}

Upload *
upload_of(const Request *request)
{
	Transfer *transfer = request->transfer;

	return transfer != NULL && transfer->leave == leave ? (Upload *) transfer : NULL;
}

/*
 * A piece has been written, or not.  After an error the rest of the body is still received, before
 * the error is sent.
 */
static StageResult
piece_written(Transfer *transfer)
{
	Upload *upload = (Upload *) transfer;
	Request *request = transfer->request;
	bool failed = error_of(request, &transfer->call);
	bool told = failed && upload_resume_state(request, &transfer->call);

	call_forget_result(&transfer->call);
	transfer->since = 0;
	if (!failed)
	{
		upload->offset += (int64_t) upload->length;
		upload->length = 0;
	}
	else if (request->answer.status < 500)
	{
		upload_abandon(request);
		if (!told)
			upload_resume_mark(request, !upload->resumable);
	}
	return upload->ended && failed ? ANSWERED : NEXT;
}

/* Make the request an upload; NULL: an error is the answer. */
static Upload *
upload_new(Request *request)
{
	Upload *upload = transfer_new(request, sizeof(Upload), &request->thread->uploads);

	if (upload == NULL)
		return NULL;
	upload->limit = INT64_MAX;
	upload->total = -1;
	upload->transfer.answered = piece_written;
	upload->transfer.leave = leave;
	upload->transfer.end = end_upload;
	return upload;
}

/* Set the argument "details" of the next call from an object, which is freed. */
static StageResult
upload_details(Request *request, struct json_t *details)
{
	Upload *upload = upload_of(request);

	free(upload->details);
	upload->details = json_dumps(details, JSON_COMPACT);
	json_decref(details);
	request->details = upload->details;
	return upload->details == NULL ? error_set(request, 500, NULL) : NEXT;
}

/* Write the collected piece. */
static StageResult
send_piece(Request *request)
{
	Upload *upload = upload_of(request);

	return write_piece(upload) || !error_of(request, &upload->transfer.call) ? WAITING : ANSWERED;
}

void
upload_abandon(Request *request)
{
	Upload *upload = upload_of(request);

	/* what was received may not be what the client wanted to send */
	upload->length = 0;
	upload->resumable = upload->resumed;
}

bool
upload_received(const Request *request)
{
	return upload_of(request)->ended;
}

StageResult
upload_take(Request *request, const char *bytes, size_t *size)
{
	Upload *upload = upload_of(request);
	StageResult progress = NEXT;
	size_t used;

	if (upload->form)
		used = multipart_feed(&upload->parts, bytes, *size);
	else
		used = upload_collect(request, bytes, *size);
	request->body.received += used;
	*size -= used;
	if (upload->digest != NULL && EVP_DigestUpdate(upload->digest, bytes, used) != 1)
		(void) upload_refuse(request, 500, NULL);
	if (upload->form && upload->parts.state == MULTIPART_BROKEN && request->answer.status == 0)
		(void) upload_refuse(request, 400, upload->parts.fault);
	/* Is the piece complete that is being collected? */
	if (request->answer.status == 0 && upload->length > 0 &&
		upload->length == CHUNK_SIZE - (size_t) (upload->offset % CHUNK_SIZE))
		progress = send_piece(request);
	/* bytes may be left over only if the connection is resumed later, which makes them read again */
	if (progress != WAITING)
		*size = 0;
	return progress;
}

bool
upload_discard(Request *request, size_t size)
{
	Upload *upload = upload_of(request);

	upload->forgotten += size;
	return upload->forgotten <= FORGET_MAXIMUM;
}

StageResult
upload_end(Request *request)
{
	Upload *upload = upload_of(request);
	char hex[DIGEST_HEX];

	upload->ended = true;
	if (request->answer.status != 0)
		return ANSWERED;
	if (upload->form && !multipart_complete(&upload->parts))
		return upload_refuse(request, 400, "the form ends before its last boundary");
	if (upload->digest != NULL &&
		!(download_digest_end(upload->digest, hex) && strcmp(hex, upload->content) == 0))
	{
		/* bytes that are written already cannot be corrected */
		upload->resumed = upload->resumed && upload->offset == upload->from;
		return upload_refuse(request, 400, "the body is not what Content-Digest says");
	}
	if (!upload->partial && upload->total >= 0 && !upload->form &&
		upload->offset + (int64_t) upload->length != upload->total)
	{
		/* the bytes are written nevertheless when the request ends */
		upload->resumable = upload->resumed;
		(void) error_set(request, 400, "there are fewer bytes than the upload was said to have");
		upload_resume_mark(request, !upload->resumable);
		return ANSWERED;
	}
	return upload->length > 0 ? send_piece(request) : NEXT;
}

/* The record has been made, or not. */
static StageResult
finished(Request *request)
{
	Upload *upload = upload_of(request);

	if (!error_of_call(request))
	{
		upload->over = true;
		upload_resume_completed(request);
		return NEXT;
	}
	if (upload_resume_state(request, request->call))
		return ANSWERED;
	if (request->answer.status == 400 || request->answer.status == 413 ||
		request->answer.status == 415)
		upload->resumable = false;
	upload_resume_mark(request, !upload->resumable);
	return ANSWERED;
}

StageResult
upload_finish(Request *request)
{
	static const Route created = {VERB_POST, "", CALL_CREATE, NULL, ENVELOPE_CREATED};
	static const Route updated = {VERB_PUT, "", CALL_UPDATE, NULL, ENVELOPE_WRITTEN};
	static const Route imported = {VERB_POST, "", CALL_IMPORT, NULL, ENVELOPE_IMPORT};
	Upload *upload = upload_of(request);
	json_t *details;

	if (upload->partial)
		return upload_resume_answer(request);
	if (request->route->call == CALL_UPLOAD_FINISH)
		request->route = upload->imports ? &imported : upload->updates ? &updated : &created;
	details = json_pack("{s:s?, s:s?, s:s?, s:s, s:b, s:b, s:I}", "name", upload->file_name, "type",
						upload->type, "digest", upload->sha256[0] ? upload->sha256 : NULL, "base",
						request->base, "form", 1, "part", upload->form, "offset",
						(json_int_t) upload->offset);
	if (upload_details(request, details) != NEXT)
		return ANSWERED;
	if (upload_form_body(request) != NEXT)
		return ANSWERED;
	return request_call_start_unchecked(
		request, upload->imports ? CALL_IMPORT_UPLOAD : CALL_UPLOAD_FINISH, finished);
}

void
upload_refused(Request *request)
{
	if (upload_of(request) != NULL)
		(void) upload_resume_state(request, request->call);
}

/* ---- Which requests are uploads, and their begin ---- */

#define FORM_OVERHEAD 65536 /* bytes of a form besides its file and its texts */

/* The resources that take files, and the part of a form that is the file. */
static const struct
{
	const char *resource;
	const char *part;
} file_parts[] = {
	{"files", "uploadFile"}, {"categories", "uploadImage"}, {"organizations", "uploadImage"}};

const char *
upload_part(const Request *request, const Route *route)
{
	if (route != NULL && route->call == CALL_IMPORT)
		return "document";
	if (route == NULL || (route->call != CALL_CREATE && route->call != CALL_UPDATE))
		return NULL;
	for (size_t i = 0; i < lengthof(file_parts); i++)
		if (strcmp(file_parts[i].resource, request->resource) == 0)
			return file_parts[i].part;
	return NULL;
}

json_t *
upload_parts(void)
{
	json_t *parts = json_object();

	for (size_t i = 0; i < lengthof(file_parts); i++)
		json_object_set_new(parts, file_parts[i].resource, json_string(file_parts[i].part));
	return parts;
}

/* The media types of uploads: that of a form, of a file, of a part of one, and those of a document
 * that is imported, of which JSON is an upload only if it is larger than a body. */
static const char *const types[] = {
	"multipart/form-data",	 "application/octet-stream", "application/partial-upload",
	"application/json",		 "application/ld+json",		 "text/turtle",
	"application/n-triples", "application/rdf+xml",
};

enum
{
	TYPE_FORM,
	TYPE_FILE,
	TYPE_PARTIAL,
	TYPE_JSON
};

const char *
upload_part_types(void)
{
	return "application/partial-upload, application/octet-stream";
}

const char *
upload_document_types(const Route *route)
{
	return route->call == CALL_IMPORT
			   ? "application/ld+json, text/turtle, application/n-triples, application/rdf+xml"
			   : NULL;
}

/* The media type of the body: without one, bytes with Upload-Complete are those of a file (RFC 9110, 8.3). */
static const char *
media_type(const Request *request)
{
	const char *type = request->headers[HEADER_CONTENT_TYPE];

	return type == NULL && request->headers[HEADER_UPLOAD_COMPLETE] != NULL ? types[TYPE_FILE]
																			: type;
}

/* The index of the body's media type; lengthof(types): it is none of them. */
static size_t
type_of(const Request *request)
{
	const char *type = media_type(request);
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
	size_t type = writes ? type_of(request) : lengthof(types);

	return type < lengthof(types) &&
		   (type != TYPE_JSON ||
			header_content_length(request) > request->thread->settings->body_limit);
}

bool
upload_detect(Request *request)
{
	size_t type = type_of(request);
	Upload *upload;
	bool imports;

	if (request->route == NULL)
		return false;
	imports = request->route->call == CALL_IMPORT;
	if (imports ? type == TYPE_PARTIAL : type > TYPE_PARTIAL)
		return false;
	/* a form makes a record; other types may also continue an upload, and a part begin one that says so */
	if (type == TYPE_FORM || request->route->call != CALL_UPLOAD_FINISH)
		if ((type == TYPE_PARTIAL && request->headers[HEADER_UPLOAD_COMPLETE] == NULL) ||
			upload_part(request, request->route) == NULL)
			return false;
	upload = upload_new(request);
	if (upload == NULL)
		return false;
	upload->form = type == TYPE_FORM;
	upload->imports = imports;
	if (imports && !upload->form)
		upload->type = strdup(media_type(request));
	return true;
}

/* Keep the record of a finished upload; id: NULL for an import. */
static void
keep_record(Request *request, const char *resource, const char *id)
{
	Upload *upload = upload_of(request);

	if (resource == NULL || id == NULL)
		return;
	upload->resource = arena_text(&request->arena, resource, strlen(resource));
	upload->record = arena_text(&request->arena, id, strlen(id));
}

/* Read the state of the upload that the extension returned. */
static StageResult
take_state(Request *request, Upload *upload)
{
	Reply reply = {0};
	json_t *state = NULL;

	if (call_reply(request->call, &reply) && reply.data != NULL)
		state = json_loadb(reply.data, reply.data_length, 0, NULL);
	if (state == NULL || reply.id == NULL || strlen(reply.id) > ID_MAXIMUM)
		(void) error_set(request, 500, NULL);
	else
	{
		const char *resource = json_string_value(json_object_get(state, "resource"));

		stpcpy(upload->id, reply.id);
		request->upload_id = upload->id;
		upload->offset = json_integer_value(json_object_get(state, "offset"));
		if (json_is_integer(json_object_get(state, "limit")))
			upload->limit = json_integer_value(json_object_get(state, "limit"));
		if (json_is_integer(json_object_get(state, "length")))
			upload->total = json_integer_value(json_object_get(state, "length"));
		upload->updates = json_is_string(json_object_get(state, "record"));
		upload->imports |= resource != NULL && strcmp(resource, "imports") == 0;
		upload->finished = json_is_true(json_object_get(state, "complete"));
		if (upload->finished)
			keep_record(request, resource, json_string_value(json_object_get(state, "record")));
	}
	json_decref(state);
	return request->answer.status == 0 ? NEXT : ANSWERED;
}

/* The extension accepts the file. */
static StageResult
begun(Request *request)
{
	Upload *upload = upload_of(request);
	int64_t told = upload->total;
	int64_t length = header_content_length(request);
	int64_t besides = upload->form ? FORM_OVERHEAD + request->thread->settings->body_limit : 0;

	if (take_state(request, upload) != NEXT)
		return ANSWERED;
	if (upload_resume_check(request, told) != NEXT)
		return ANSWERED;
	if (length > 0 && length - besides > upload->limit - upload->offset)
		return refuse_size(request);
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
		return request_call_start(request, CALL_UPLOAD_STATE, begun);
	if (upload->total < 0 && !upload->form && !upload->partial)
		upload->total = header_content_length(request);
	details = json_pack("{s:o?, s:b, s:b, s:b, s:s?, s:s?, s:O?}", "length",
						upload->total >= 0 ? json_integer(upload->total) : NULL, "resumable",
						upload->resumable, "complete", !upload->form, "form", 1, "name",
						upload->file_name, "digest", upload->sha256[0] ? upload->sha256 : NULL,
						"body", upload->form ? NULL : upload->texts);
	if (upload_details(request, details) != NEXT)
		return ANSWERED;
	return request_call_start(request, CALL_UPLOAD_BEGIN, begun);
}
