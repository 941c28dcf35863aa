/*
 * upload.c - the body of an upload: received, written, finished.
 *
 * Whether the file is accepted is decided before its first byte is read.  Its bytes are collected in
 * pieces of CHUNK_SIZE; while a piece is being written, nothing is read from the client.  An upload
 * that is not finished when the request ends is deleted, unless it can be resumed.  A refusal ends an
 * upload that an earlier request began only if no further bytes can correct it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>
#include <openssl/evp.h>

#include "answer/answer.h"
#include "transfer/upload_internal.h"

#define FORGET_MAXIMUM (1 << 20) /* bytes that are discarded after a refusal */

static void
end_upload(Transfer *transfer)
{
	Upload *upload = (Upload *) transfer;

	upload_form_end(upload);
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
							   request != NULL ? request->actor : upload->transfer.actor};

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

StageResult
upload_refuse(Request *request, int status, const char *message)
{
	if (status < 500)
		upload_abandon(request);
	return error_set(request, status, message);
}

StageResult
upload_refuse_size(Request *request)
{
	return upload_refuse(request, 413,
						 arena_format(&request->arena,
									  "the file is too large: it may have %lld bytes",
									  (long long) upload_of(request)->limit));
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
	bool failed = transfer_failed(transfer);

	if (failed)
		(void) upload_resume_tell(request, &transfer->call);
	call_forget_result(&transfer->call);
	transfer->since = 0;
	if (!failed)
	{
		upload->offset += (int64_t) upload->length;
		upload->length = 0;
	}
	else if (request->answer.status < 500)
		upload_abandon(request);
	return upload->ended && failed ? ANSWERED : NEXT;
}

Upload *
upload_new(Request *request)
{
	Upload *upload = calloc(1, sizeof(Upload));

	if (upload == NULL)
		return NULL;
	upload->limit = INT64_MAX;
	upload->total = -1;
	upload->transfer.answered = piece_written;
	upload->transfer.leave = leave;
	upload->transfer.end = end_upload;
	transfer_open(request, &upload->transfer, &request->worker->uploads);
	return upload;
}

StageResult
upload_details(Request *request, struct json_t *details)
{
	Upload *upload = upload_of(request);

	free(upload->details);
	upload->details = json_dumps(details, JSON_COMPACT);
	json_decref(details);
	request->upload_details = upload->details;
	return upload->details == NULL ? error_set(request, 500, NULL) : NEXT;
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
		(void) upload_refuse_size(request);
	else if (upload->total >= 0 && size > upload->total)
		(void) upload_refuse(request, 400, "there are more bytes than the upload was said to have");
	if (upload->bytes == NULL || request->answer.status != 0)
		return 0;
	memcpy(upload->bytes + upload->length, bytes, taken);
	upload->length += taken;
	return taken;
}

/* Is the piece complete that is being collected? */
static bool
is_full(const Upload *upload)
{
	return upload->length > 0 &&
		   upload->length == CHUNK_SIZE - (size_t) (upload->offset % CHUNK_SIZE);
}

/* Write the collected piece. */
static StageResult
send_piece(Request *request)
{
	Upload *upload = upload_of(request);

	return write_piece(upload) || !transfer_failed(&upload->transfer) ? WAITING : ANSWERED;
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
	request->received += used;
	*size -= used;
	if (upload->digest != NULL && EVP_DigestUpdate(upload->digest, bytes, used) != 1)
		(void) upload_refuse(request, 500, NULL);
	if (upload->form && upload->parts.state == MULTIPART_BROKEN && request->answer.status == 0)
		(void) upload_refuse(request, 400, upload->parts.fault);
	if (request->answer.status == 0 && is_full(upload))
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

/* Does the body match Content-Digest? */
static bool
is_content(Upload *upload)
{
	char hex[DIGEST_HEX];

	return upload->digest == NULL ||
		   (digest_end(upload->digest, hex) && strcmp(hex, upload->content) == 0);
}

StageResult
upload_end(Request *request)
{
	Upload *upload = upload_of(request);

	upload->ended = true;
	if (request->answer.status != 0)
		return ANSWERED;
	if (upload->form && !multipart_complete(&upload->parts))
		return upload_refuse(request, 400, "the form ends before its last boundary");
	if (!is_content(upload))
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
		return error_set(request, 400, "there are fewer bytes than the upload was said to have");
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
		return NEXT;
	}
	if (!upload_resume_tell(request, request->call) &&
		(request->answer.status == 400 || request->answer.status == 413 ||
		 request->answer.status == 415))
		upload->resumable = false;
	return ANSWERED;
}

/* Replace the body by the texts of the form, which may be longer as JSON than they were. */
static StageResult
texts_as_body(Request *request)
{
	const Upload *upload = upload_of(request);
	size_t limit = (size_t) request->worker->settings->body_limit;
	char *text = upload->texts != NULL ? json_dumps(upload->texts, JSON_COMPACT) : NULL;
	bool fits = text == NULL || strlen(text) <= limit;

	request->body.length = 0;
	if (text != NULL && fits)
		buffer_append(&request->body, text, strlen(text) + 1);
	request->body.length -= request->body.length > 0;
	free(text);
	if (!fits)
		return error_too_large(request);
	if (request->body.failed || (text == NULL && upload->texts != NULL))
		return error_set(request, 500, NULL);
	return NEXT;
}

StageResult
upload_finish(Request *request)
{
	static const Route created = {VERB_POST, "", CALL_CREATE, NULL, ENVELOPE_CREATED, false};
	static const Route updated = {VERB_PUT, "", CALL_UPDATE, NULL, ENVELOPE_WRITTEN, false};
	Upload *upload = upload_of(request);
	json_t *details;

	if (upload->partial)
		return upload_resume_answer(request);
	if (request->route->call == CALL_UPLOAD_FINISH)
		request->route = upload->updates ? &updated : &created;
	details = json_pack("{s:s?, s:s?, s:s?, s:s, s:b, s:I}", "name", upload->file_name, "type",
						upload->type, "digest", upload->sha256[0] ? upload->sha256 : NULL, "base",
						request->base, "form", 1, "offset", (json_int_t) upload->offset);
	if (upload_details(request, details) != NEXT)
		return ANSWERED;
	if (texts_as_body(request) != NEXT)
		return ANSWERED;
	return call_start_unchecked(request, CALL_UPLOAD_FINISH, finished);
}
