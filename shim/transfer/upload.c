/*
 * upload.c - a file that comes: begun, written, finished.
 *
 * Whether the file may come at all is asked before its first byte is read.  What comes is kept in
 * one piece of CHUNK_SIZE; when that is full the client waits until PostgreSQL has it.  What is not
 * finished when the request is over is taken away, unless it can be gone on with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>
#include <openssl/evp.h>

#include "shim.h"

static void
end_upload(Transfer *transfer)
{
	Upload *upload = (Upload *) transfer;

	parts_end(upload);
	EVP_MD_CTX_free(upload->digest);
	free(upload->details);
	free(upload->file_name);
	free(upload->type);
	free(upload->bytes);
}

/* Write what has been collected; false when it cannot be given to the database. */
static bool
write_piece(Upload *upload)
{
	const Request *request = upload->transfer.request;
	const char *arguments[] = {upload->id, upload->position, upload->bytes,
							   request != NULL ? request->actor : upload->transfer.actor};

	snprintf(upload->position, sizeof(upload->position), "%lld", (long long) upload->offset);
	return transfer_call(&upload->transfer, CALL_UPLOAD_WRITE, arguments, upload->length);
}

/* The request is over, and the upload maybe not. */
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

void
upload_refuse(Request *request, int status, const char *message)
{
	error_set(request, status, message);
	/* what has come may not be what was meant */
	if (status < 500)
		upload_of(request)->resumable = false;
}

/* Was the piece written, by a call whose answer was lost? */
static bool
is_written(const Upload *upload)
{
	static const char member[] = "{\"offset\":";
	const Call *call = &upload->transfer.call;
	const char *state = call->result ? PQresultErrorField(call->result, PG_DIAG_SQLSTATE) : NULL;
	const char *detail = state ? PQresultErrorField(call->result, PG_DIAG_MESSAGE_DETAIL) : NULL;

	return call->tries > 1 && detail != NULL && strcmp(state, "OD409") == 0 &&
		   strncmp(detail, member, strlen(member)) == 0 &&
		   strtoll(detail + strlen(member), NULL, 10) == upload->offset + (int64_t) upload->length;
}

void
upload_go_on(Request *request)
{
	if (request->answer.status != 0 || request->arena.failed)
	{
		request_wake(request);
		return;
	}
	request->stage = STAGE_BODY;
	MHD_resume_connection(request->client->connection);
}

/* A piece has been written, or not. */
static void
piece_written(Transfer *transfer)
{
	Upload *upload = (Upload *) transfer;
	Request *request = transfer->request;
	bool failed = !is_written(upload) && transfer_failed(transfer);

	call_forget_result(&transfer->call);
	transfer->since = 0;
	if (!failed)
	{
		upload->offset += (int64_t) upload->length;
		upload->length = 0;
	}
	else if (request->answer.status < 500)
		upload->resumable = false;
	/* where the body has not ended, the rest of it is read before the error is told */
	if (upload->ended && !failed)
		upload_finish(request);
	if (!upload->ended)
	{
		request->stage = STAGE_BODY;
		MHD_resume_connection(request->client->connection);
	}
	else if (request->answer.status != 0)
		upload_go_on(request);
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
	transfer_open(request, &upload->transfer);
	return upload;
}

bool
upload_details(Request *request, struct json_t *details)
{
	Upload *upload = upload_of(request);

	free(upload->details);
	upload->details = json_dumps(details, JSON_COMPACT);
	json_decref(details);
	if (upload->details == NULL)
		error_set(request, 500, NULL);
	return upload->details != NULL;
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
		upload_refuse(request, 500, NULL);
	else if (size > upload->limit)
		upload_refuse(request, 413, "the file is too large");
	else if (upload->total >= 0 && size > upload->total)
		upload_refuse(request, 400, "there are more bytes than the upload was said to have");
	if (upload->bytes == NULL || request->answer.status != 0)
		return 0;
	memcpy(upload->bytes + upload->length, bytes, taken);
	upload->length += taken;
	return taken;
}

/* Is the piece full that is being collected? */
static bool
is_full(const Upload *upload)
{
	return upload->length > 0 &&
		   upload->length == CHUNK_SIZE - (size_t) (upload->offset % CHUNK_SIZE);
}

/* Have the collected piece written; false with the error answer set. */
static bool
send_piece(Request *request)
{
	Upload *upload = upload_of(request);

	return write_piece(upload) || !transfer_failed(&upload->transfer);
}

void
upload_take(Request *request, const char *bytes, size_t *size)
{
	Upload *upload = upload_of(request);
	size_t used;

	if (upload->form)
		used = multipart_feed(&upload->parts, bytes, *size);
	else
		used = upload_collect(request, bytes, *size);
	request->received += used;
	*size -= used;
	if (upload->digest != NULL && EVP_DigestUpdate(upload->digest, bytes, used) != 1)
		upload_refuse(request, 500, NULL);
	if (upload->form && upload->parts.state == MULTIPART_BROKEN && request->answer.status == 0)
		upload_refuse(request, 400, upload->parts.fault);
	if (request->answer.status == 0 && is_full(upload) && send_piece(request))
	{
		request->stage = STAGE_WAITING;
		MHD_suspend_connection(request->client->connection);
	}
	/* what is left waits for the connection to be resumed; nothing else would have it looked at */
	else
		*size = 0;
}

/* Is the body what the client has said that it would be? */
static bool
is_content(Upload *upload)
{
	char hex[DIGEST_HEX];

	return upload->digest == NULL ||
		   (digest_end(upload->digest, hex) && strcmp(hex, upload->content) == 0);
}

void
upload_end(Request *request)
{
	Upload *upload = upload_of(request);

	upload->ended = true;
	if (request->answer.status != 0)
		return;
	if (upload->form && !multipart_complete(&upload->parts))
		upload_refuse(request, 400, "the form ends before its last boundary");
	else if (!is_content(upload))
		upload_refuse(request, 400, "the body is not what Content-Digest says");
	else if (!upload->partial && upload->total >= 0 && !upload->form &&
			 upload->offset + (int64_t) upload->length != upload->total)
		upload_refuse(request, 400, "there are fewer bytes than the upload was said to have");
	else if (upload->length > 0)
		send_piece(request);
	else
		upload_finish(request);
}

/* The record has been made, or not. */
static void
finished(Request *request)
{
	Upload *upload = upload_of(request);

	if (!error_of_call(request))
	{
		upload->over = true;
		envelope_build(request);
	}
	else if (request->answer.status < 500)
		upload->resumable = false;
}

/* Put the texts of the form in the place of the body. */
static bool
texts_as_body(Request *request)
{
	const Upload *upload = upload_of(request);
	char *text = upload->texts != NULL ? json_dumps(upload->texts, JSON_COMPACT) : NULL;

	request->body.length = 0;
	if (text != NULL)
		buffer_append(&request->body, text, strlen(text) + 1);
	request->body.length -= request->body.length > 0;
	free(text);
	return !request->body.failed && (text != NULL || upload->texts == NULL);
}

void
upload_finish(Request *request)
{
	static const Route created = {VERB_POST, "", CALL_CREATE, NULL, ENVELOPE_CREATED, false};
	static const Route updated = {VERB_PUT, "", CALL_UPDATE, NULL, ENVELOPE_WRITTEN, false};
	Upload *upload = upload_of(request);
	json_t *details;

	if (upload->partial)
	{
		resume_answer(request);
		return;
	}
	if (request->route->call == CALL_UPLOAD_FINISH)
		request->route = upload->updates ? &updated : &created;
	details = json_pack("{s:s?, s:s?, s:s?, s:s, s:b}", "name", upload->file_name, "type",
						upload->type, "digest", upload->sha256[0] ? upload->sha256 : NULL, "base",
						request->base, "form", 1);
	if (!texts_as_body(request))
		error_set(request, 500, NULL);
	else if (upload_details(request, details))
		call_start(request, CALL_UPLOAD_FINISH, finished);
}
