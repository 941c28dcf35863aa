/*
 * download.c - what a client gets of a file: its bytes, its contents in another form, or word that
 * those are being made.
 *
 * The extension says what it is to be; here it becomes headers.  The bytes are sent by file_body.c.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "shim.h"

#define ASK_AGAIN 200 /* milliseconds between two looks at what is being made */
#define ASK_LONG 5000 /* so: after that the client is told to come back */
#define RETRY_AFTER 2 /* seconds */

/* Nothing in the bytes may act: not load, not run, not be the page that it is shown on. */
#define SANDBOX "sandbox; default-src 'none'; style-src 'unsafe-inline'"
/* So; but browsers show no PDF in a sandbox, and what shows it is theirs. */
#define VIEWER "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"

static const Format streams[] = {
	{"text", "csv", "csv", "text/csv; charset=utf-8; header=present"},
	{"application", "x-ndjson", "ndjson", "application/x-ndjson"},
	{"application", "json", "json", "application/json"},
	{"application", "geo+json", "geojson", "application/geo+json"},
};

/* The text of a member; empty where there is none. */
static const char *
member(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text != NULL ? text : "";
}

/* The fields that say how to keep or show the answer. */
static void
add_fields(Request *request, const char *name, const char **type)
{
	bool image = request->route->call == CALL_IMAGE;
	bool viewed = strcmp(request->pattern, "/files/:id/view") == 0;
	bool safe = image || (viewed && disposition_safe(type));
	bool document = safe && strcmp(*type, "application/pdf") == 0;

	transfer_field(request, "Content-Disposition",
				   disposition_write(request, safe ? SHOWN : SAVED, name));
	transfer_field(request, "Content-Security-Policy", document ? VIEWER : SANDBOX);
	transfer_field(request, "Accept-Ranges", "bytes");
}

/* Is the representation another than the one that the client has the beginning of? */
static bool
has_changed(const char *condition, const char *tag)
{
	return condition != NULL && strcmp(condition, tag) != 0;
}

/* What of the bytes is to be sent; false with the answer set where it is nothing. */
static bool
choose_ranges(Request *request, Download *download, Ranges *ranges, const char *tag)
{
	const char *fields[FIELD_COUNT];
	RangeVerdict verdict = RANGE_WHOLE;

	if (transfer_headers(request, fields) && request->verb == VERB_GET &&
		!has_changed(fields[FIELD_IF_RANGE], tag))
		verdict = range_read(fields[FIELD_RANGE], download->size, ranges);
	if (verdict == RANGE_WHOLE)
		ranges->count = 0;
	if (verdict != RANGE_NONE)
		return true;
	error_set(request, 416, NULL);
	request->answer.range =
		arena_format(&request->arena, "bytes */%lld", (long long) download->size);
	return false;
}

/* Are the bytes what the client has, or not what it wants?  Then the answer is set. */
static bool
is_settled(Request *request, const char *tag)
{
	const char *wanted = request->headers[HEADER_IF_MATCH];
	const char *unwanted = request->headers[HEADER_IF_NONE_MATCH];

	if (wanted != NULL && !condition_names(wanted, tag, false))
		error_set(request, 412, NULL);
	else if (unwanted != NULL && condition_names(unwanted, tag, true))
	{
		request->answer.status = MHD_HTTP_NOT_MODIFIED;
		request->answer.code = error_code_of(MHD_HTTP_NOT_MODIFIED);
		request->answer.etag = arena_format(&request->arena, "\"%s\"", tag);
	}
	return request->answer.status != 0;
}

/* Count the download, if it is one from the beginning. */
static void
count(const Request *request, const Ranges *ranges, const char *id)
{
	CallName call = request->route->call;
	bool whole = ranges->count == 0;

	for (int i = 0; i < ranges->count; i++)
		whole |= ranges->range[i].first == 0;
	if (request->verb == VERB_GET && whole && call != CALL_IMAGE)
		counting_start(request->worker, call == CALL_DOWNLOAD ? id : NULL,
					   call == CALL_DOWNLOAD ? NULL : id);
}

/* Answer with stored bytes. */
static void
answer_bytes(Request *request, const Reply *reply, const json_t *data)
{
	const char *sha256 = member(data, "sha256");
	const char *type =
		arena_text(&request->arena, member(data, "type"), strlen(member(data, "type")));
	const char *tag = arena_format(&request->arena, "\"%s\"", sha256);
	char digest[DIGEST_HEX];
	Download *download;
	Ranges ranges = {0};

	if (!negotiate_accepts(request, type))
	{
		error_set(request, 406, NULL);
		return;
	}
	if (is_settled(request, sha256))
		return;
	download = chunks_open(request, json_integer_value(json_object_get(data, "blob")),
						   json_integer_value(json_object_get(data, "size")));
	if (download == NULL || !choose_ranges(request, download, &ranges, tag))
		return;
	digest_write(sha256, digest);
	add_fields(request, member(data, "name"), &type);
	transfer_field(request, "Repr-Digest", arena_format(&request->arena, "sha-256=:%s:", digest));
	transfer_field(request, "Digest", arena_format(&request->arena, "SHA-256=%s", digest));
	request->answer.etag = tag;
	request->answer.status = ranges.count > 0 ? MHD_HTTP_PARTIAL_CONTENT : MHD_HTTP_OK;
	request->answer.code = error_code_of(request->answer.status);
	request->answer.type = type;
	request->answer.streamed = true;
	chunks_choose(request, &ranges);
	count(request, &ranges, reply->id);
}

static void described(Request *request);

/* Make the call again in a while. */
static void
wait_for_it(Request *request)
{
	Worker *worker = request->worker;
	Transfer *transfer = request->transfer;

	if (transfer == NULL && !transfer_bare(request))
		return;
	transfer = request->transfer;
	transfer->ask_at = worker->now + ASK_AGAIN;
	transfer->next_waiting = worker->waiting;
	worker->waiting = transfer;
}

void
download_forget(Transfer *transfer)
{
	Transfer **place = &transfer->worker->waiting;

	while (*place != NULL && *place != transfer)
		place = &(*place)->next_waiting;
	if (*place != NULL)
		*place = transfer->next_waiting;
	transfer->ask_at = 0;
}

void
download_tick(Worker *worker, int64_t now)
{
	Transfer *next;

	for (Transfer *transfer = worker->waiting; transfer != NULL; transfer = next)
	{
		Request *request = transfer->request;

		next = transfer->next_waiting;
		if (now < transfer->ask_at && !worker->stopping)
			continue;
		download_forget(transfer);
		call_start(request, request->route->call, described);
		/* a call that fails at once has nobody to let the request go on */
		if (request->answer.status != 0)
			request_wake(request);
	}
}

/* Say that it is being made, and where to look how far it is. */
static void
answer_later(Request *request, const json_t *data)
{
	const char *words[] = {
		"jobs", arena_text(&request->arena, member(data, "job"), strlen(member(data, "job"))),
		NULL};

	envelope_begin(request, MHD_HTTP_ACCEPTED);
	buffer_text(&request->answer.head, "},\"data\":{\"state\":");
	buffer_json(&request->answer.head, member(data, "state"), strlen(member(data, "state")));
	buffer_text(&request->answer.head, "},\"links\":{\"job\":\"");
	link_words(&request->answer.head, request, words);
	buffer_text(&request->answer.head, "\"}}");
	request->answer.retry_after = RETRY_AFTER;
	request->answer.location =
		arena_format(&request->arena, "%s/%s/%s", request->base, words[0], words[1]);
}

/* The contents have all been sent, or there is none of them, and then it was no download. */
static void
streamed(Request *request)
{
	const Ranges whole = {0};

	if (request->stream.begun)
		count(request, &whole, request->path[1]);
	if (!stream_ended(request) && !error_of_call(request))
		envelope_build(request);
}

/* Answer with the contents in another form, while they are read. */
static void
answer_stream(Request *request, const Reply *reply, const json_t *data)
{
	const char *name = member(data, "stream");

	for (size_t i = 0; i < lengthof(streams); i++)
		if (strcmp(streams[i].name, name) == 0)
			request->format = &streams[i];
	if (request->format == NULL || reply->id == NULL ||
		(request->transfer == NULL && !transfer_bare(request)))
	{
		error_set(request, 500, NULL);
		return;
	}
	if (!negotiate_accepts(request, request->format->field))
	{
		request->format = NULL;
		error_set(request, 406, NULL);
		return;
	}
	transfer_field(request, "Content-Disposition",
				   disposition_write(request, SAVED, member(data, "name")));
	transfer_field(request, "Content-Security-Policy", SANDBOX);
	/* by whatever name it was asked for, it is found by its id */
	request->path[1] = arena_text(&request->arena, reply->id, strlen(reply->id));
	if (request->verb != VERB_HEAD)
		call_start(request, CALL_CONTENTS_EXPORT, streamed);
	else
	{
		request->answer.status = MHD_HTTP_OK;
		request->answer.code = error_code_of(MHD_HTTP_OK);
		request->answer.type = request->format->field;
		request->answer.streamed = true;
	}
}

/* Is what is being made acceptable, or, until it is there, word of that? */
static bool
later_accepted(const Request *request, const json_t *data)
{
	return negotiate_accepts(request, member(data, "type")) ||
		   negotiate_accepts(request, "application/json");
}

static bool
waits(const Request *request)
{
	return request->route->call == CALL_DOWNLOAD && !request->worker->stopping &&
		   request->worker->now - request->started < ASK_LONG;
}

static void
answer(Request *request, const Reply *reply, const json_t *data)
{
	if (json_object_get(data, "job") != NULL)
	{
		if (!later_accepted(request, data))
			error_set(request, 406, NULL);
		else if (waits(request))
			wait_for_it(request);
		else
			answer_later(request, data);
	}
	else if (json_object_get(data, "stream") != NULL)
		answer_stream(request, reply, data);
	else if (json_is_true(json_object_get(data, "held")))
		error_set(request, 409, "the file is being examined, please ask again");
	else
		answer_bytes(request, reply, data);
}

/* The extension has said what is to be sent. */
static void
described(Request *request)
{
	Reply reply = {0};
	json_t *data = NULL;

	if (error_of_call(request))
		return;
	if (reply_of_call(&request->call, &reply) && reply.data != NULL)
		data = json_loadb(reply.data, reply.data_length, 0, NULL);
	if (data == NULL)
		error_set(request, 500, NULL);
	else
		answer(request, &reply, data);
	json_decref(data);
}

void
download_start(Request *request)
{
	call_start(request, request->route->call, described);
}
