/*
 * upload_resume.c - uploads in several requests (draft-ietf-httpbis-resumable-upload).
 *
 * A file that is the whole body may be sent in several requests.  The first one makes the upload;
 * each has the offset that it begins with, and tells whether it is the last.
 */
#include <strings.h>

#include <jansson.h>

#include "answer/envelope.h"
#include "transfer/upload_internal.h"

/* Read a structured boolean; false: malformed. */
static bool
read_boolean(const char *text, bool *value)
{
	*value = strcmp(text, "?1") == 0;
	return *value || strcmp(text, "?0") == 0;
}

/* Read a structured integer, a number of bytes; false: malformed. */
static bool
read_bytes(const char *text, int64_t *value)
{
	size_t digits = strspn(text, "0123456789");

	*value = digits > 0 && digits <= 15 && text[digits] == '\0' ? strtoll(text, NULL, 10) : -1;
	return *value >= 0;
}

/* Read the digests of the file, which must be equal, and of the body. */
static bool
read_digests(Upload *upload, const char *const *fields)
{
	char other[DIGEST_HEX] = "";

	if (fields[HEADER_REPR_DIGEST] != NULL &&
		!download_digest_read(fields[HEADER_REPR_DIGEST], true, upload->sha256))
		return false;
	if (fields[HEADER_DIGEST] != NULL && !download_digest_read(fields[HEADER_DIGEST], false, other))
		return false;
	if (other[0] != '\0' && upload->sha256[0] != '\0' && strcmp(other, upload->sha256) != 0)
		return false;
	if (other[0] != '\0')
		strcpy(upload->sha256, other);
	return fields[HEADER_CONTENT_DIGEST] == NULL ||
		   download_digest_read(fields[HEADER_CONTENT_DIGEST], true, upload->content);
}

/* Read offset, length, and whether the upload is complete. */
static bool
read_extent(Request *request)
{
	const char *const *fields = request->headers;
	Upload *upload = upload_of(request);
	bool resumed = request->route->call == CALL_UPLOAD_FINISH;
	bool complete = true;

	upload->resumed = resumed;
	upload->from = resumed ? -1 : 0;
	if (fields[HEADER_UPLOAD_OFFSET] != NULL &&
		!read_bytes(fields[HEADER_UPLOAD_OFFSET], &upload->from))
		return false;
	if (fields[HEADER_UPLOAD_LENGTH] != NULL &&
		!read_bytes(fields[HEADER_UPLOAD_LENGTH], &upload->total))
		return false;
	upload->told = fields[HEADER_UPLOAD_COMPLETE] != NULL;
	if (upload->told && !read_boolean(fields[HEADER_UPLOAD_COMPLETE], &complete))
		return false;
	upload->partial = !complete;
	upload->resumable = resumed || upload->partial;
	return resumed ? upload->from >= 0 && upload->told : upload->from == 0;
}

/* The parameters are the fields of the record, except the name of the file. */
static bool
read_words(Request *request)
{
	Upload *upload = upload_of(request);
	const char *query = request->query;
	const char *word;
	size_t length;

	while ((word = text_query_word(&query, &length)) != NULL)
	{
		size_t end = strcspn(word, "=&");
		const char *value = word + end + (end < length);
		char *name = arena_text(&request->arena, word, end);
		char *text = arena_text(&request->arena, value, length - (size_t) (value - word));

		if (!text_form_unescape(name) || !text_form_unescape(text))
			return false;
		if (strcasecmp(name, "fileName") == 0)
		{
			free(upload->file_name);
			upload->file_name = strdup(text);
		}
		else if (!upload_form_add(upload, name, text, strlen(text)))
			return false;
	}
	return true;
}

/* Read the name of the file in Content-Disposition. */
static bool
read_name(Request *request, const char *disposition)
{
	Upload *upload = upload_of(request);
	const char *name;
	Field field;

	if (disposition == NULL)
		return true;
	if (!field_read(arena_text(&request->arena, disposition, strlen(disposition)), &field) ||
		!field_file_name(&field, &name))
		return false;
	if (name != NULL)
		upload->file_name = strdup(name);
	return true;
}

StageResult
upload_resume_read(Request *request)
{
	Upload *upload = upload_of(request);
	bool resumed = request->route->call == CALL_UPLOAD_FINISH;

	if (!resumed)
		upload->texts = json_object();
	if (!read_digests(upload, request->headers))
		return error_set(request, 400, "malformed digest");
	if (upload->form)
		return NEXT;
	if (!read_extent(request))
		return error_set(request, 400, "malformed Upload-Complete, Upload-Offset or Upload-Length");
	if (!read_name(request, request->headers[HEADER_CONTENT_DISPOSITION]))
		return error_set(request, 400, "malformed name of a file");
	if (resumed)
		return NEXT;
	if (!read_words(request))
		return error_set(request, 400, "malformed query string");
	if (upload->file_name == NULL && !upload->imports)
		return error_set(request, 400, "the name of the file is missing");
	return NEXT;
}

/* Set the header fields with the state of the upload. */
static void
add_state(Request *request, int64_t offset, bool complete)
{
	answer_field(request, "Upload-Offset",
				 arena_format(&request->arena, "%lld", (long long) offset));
	answer_field(request, "Upload-Complete", complete ? "?1" : "?0");
	answer_field(request, "Cache-Control", "no-store");
}

/* The address of the record of a finished upload. */
static const char *
address_of(Request *request, const char *resource, const char *record)
{
	return arena_format(&request->arena, "%s/%s/%s", request->base, resource, record);
}

/* Answer a request to continue a finished upload: again as the last one was, or 409. */
static StageResult
repeat(Request *request)
{
	static const Route repeated = {VERB_PATCH, "", CALL_UPDATE, NULL, ENVELOPE_WRITTEN};
	Upload *upload = upload_of(request);
	Reply reply = {.resource = upload->resource, .id = upload->record};

	upload->over = true;
	if (upload->partial || upload->from != upload->offset || header_content_length(request) != 0)
	{
		(void) error_set(request, 409, "the upload is complete");
		add_state(request, upload->offset, false);
		return ANSWERED;
	}
	request->route = &repeated;
	if (upload->record != NULL)
	{
		envelope_written(request, &reply);
		request->answer.location = address_of(request, upload->resource, upload->record);
	}
	else
		answer_status(request, MHD_HTTP_NO_CONTENT);
	add_state(request, upload->offset, true);
	return ANSWERED;
}

StageResult
upload_resume_check(Request *request, int64_t length)
{
	Upload *upload = upload_of(request);

	if (upload->form)
		return NEXT;
	if (length >= 0 && length != upload->total)
	{
		(void) error_set(request, 400, "the upload has another Upload-Length");
		add_state(request, upload->offset, false);
		return ANSWERED;
	}
	if (upload->finished)
		return repeat(request);
	if (upload->from <= upload->offset)
	{
		/* bytes that are there already are compared when they are written */
		upload->offset = upload->from;
		return NEXT;
	}
	(void) error_set(request, 409, "the upload stands at another byte");
	add_state(request, upload->offset, false);
	return ANSWERED;
}

void
upload_resume_limit(Request *request, int64_t limit)
{
	answer_field(request, "Upload-Limit",
				 arena_format(&request->arena, "max-size=%lld", (long long) limit));
}

/* Read the number that the detail of an error begins with; false: it begins otherwise. */
static bool
detail_number(const Call *call, const char *member, int64_t *value)
{
	CallError error;

	if (!error_find(call, &error) || error.detail == NULL ||
		strncmp(error.detail, member, strlen(member)) != 0)
		return false;
	*value = strtoll(error.detail + strlen(member), NULL, 10);
	return true;
}

bool
upload_resume_state(Request *request, const Call *call)
{
	int64_t value;

	if (detail_number(call, "{\"limit\":", &value))
		upload_resume_limit(request, value);
	if (!detail_number(call, "{\"offset\":", &value))
		return false;
	add_state(request, value, false);
	return true;
}

void
upload_resume_mark(Request *request, bool ended)
{
	if (upload_of(request)->told)
		answer_field(request, "Upload-Complete", ended ? "?1" : "?0");
}

void
upload_resume_completed(Request *request)
{
	if (upload_of(request)->told)
		add_state(request, upload_of(request)->offset, true);
}

StageResult
upload_resume_answer(Request *request)
{
	Upload *upload = upload_of(request);
	bool made = request->route->call != CALL_UPLOAD_FINISH;

	add_state(request, upload->offset, false);
	if (!made)
	{
		answer_status(request, MHD_HTTP_NO_CONTENT);
		return ANSWERED;
	}
	if (upload->limit != INT64_MAX)
		upload_resume_limit(request, upload->limit);
	envelope_begin(request, MHD_HTTP_CREATED);
	envelope_data(request, NULL, 0);
	envelope_link(request, "upload", "uploads", upload->id);
	buffer_text(&request->answer.tail, "}}");
	request->answer.location =
		arena_format(&request->arena, "%s/uploads/%s", request->base, upload->id);
	return ANSWERED;
}

/* Set the header fields of an answer that is about the upload: its state, limit and record. */
static void
add_fields(Request *request, const json_t *state)
{
	const json_t *length = json_object_get(state, "length");
	bool complete = json_is_true(json_object_get(state, "complete"));
	const char *record = json_string_value(json_object_get(state, "record"));

	add_state(request, json_integer_value(json_object_get(state, "offset")), complete);
	upload_resume_limit(request, json_integer_value(json_object_get(state, "limit")));
	if (json_is_integer(length))
		answer_field(request, "Upload-Length",
					 arena_format(&request->arena, "%lld", (long long) json_integer_value(length)));
	if (complete && record != NULL)
		request->answer.location =
			address_of(request, json_string_value(json_object_get(state, "resource")), record);
}

void
upload_resume_envelope(Request *request, const Reply *reply)
{
	json_t *state =
		reply->data != NULL ? json_loadb(reply->data, reply->data_length, 0, NULL) : NULL;

	if (request->verb == VERB_GET)
	{
		envelope_begin(request, MHD_HTTP_OK);
		envelope_data(request, reply->data, reply->data_length);
		buffer_text(&request->answer.tail, "}}");
	}
	else
		answer_status(request, MHD_HTTP_NO_CONTENT);
	if (state != NULL && transfer_new(request, sizeof(Transfer), &request->thread->uploads) != NULL)
		add_fields(request, state);
	json_decref(state);
}
