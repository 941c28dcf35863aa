/*
 * download.c - the answer to the request for a file: its bytes, another format, or 202.
 *
 * The extension decides which; the header fields are made here.  transfer.c sends the bytes.
 */
#include <strings.h>

#include <jansson.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "../../extension/files/download_formats.h"
#include "answer/envelope.h"
#include "database/clients.h"
#include "net/header.h"
#include "transfer/download_internal.h"

/* Types that a browser may display, and the type they are sent as: none can contain a script. */
static const struct
{
	const char *type;
	const char *sent;
} safe_types[] = {
	{"application/pdf", "application/pdf"},
	{"image/png", "image/png"},
	{"image/jpeg", "image/jpeg"},
	{"image/webp", "image/webp"},
	{"image/gif", "image/gif"},
	{"text/csv", "text/plain"},
	{"text/tab-separated-values", "text/plain"},
	{"text/plain", "text/plain"},
	{"application/json", "text/plain"},
};

/* May a browser display the type?  Then *type becomes the type to send. */
static bool
disposition_safe(const char **type)
{
	size_t length = strcspn(*type, "; ");

	for (size_t i = 0; i < lengthof(safe_types); i++)
	{
		if (strlen(safe_types[i].type) != length ||
			strncasecmp(safe_types[i].type, *type, length) != 0)
			continue;
		*type = safe_types[i].sent;
		return true;
	}
	return false;
}

/* Can the character be in a quoted file name, and be understood by every client? */
static bool
is_simple(char c)
{
	return c >= ' ' && c <= '~' && strchr("\"\\%/:*?<>|;", c) == NULL;
}

/* The value of Content-Disposition; disposition: inline or attachment. */
static const char *
disposition_write(Request *request, const char *disposition, const char *name)
{
	bool simple = true;
	Buffer field;

	buffer_init(&field, HEADERS_MAXIMUM);
	buffer_text(&field, disposition);
	buffer_text(&field, "; filename=\"");
	for (const char *c = name; *c != '\0'; c++)
	{
		simple &= is_simple(*c);
		/* one underscore for each character that older clients cannot read */
		if (is_simple(*c))
			buffer_append(&field, c, 1);
		else if ((*c & 0xC0) != 0x80)
			buffer_append(&field, "_", 1);
	}
	buffer_append(&field, "\"", 1);
	if (!simple)
	{
		buffer_text(&field, "; filename*=UTF-8''");
		text_percent_encode(&field, name, strlen(name));
	}
	return arena_take(&request->arena, &field);
}

#define BASE64 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
#define CODED_LENGTH 44 /* characters of base64 of a SHA-256 */

static const char algorithm[] = "sha-256";

/* Decode base64 of a SHA-256. */
static bool
decode(const char *text, size_t length, char *hex)
{
	unsigned char bytes[CODED_LENGTH];

	if (length != CODED_LENGTH || text[CODED_LENGTH - 1] != '=' || text[CODED_LENGTH - 2] == '=' ||
		EVP_DecodeBlock(bytes, (const unsigned char *) text, (int) length) != DIGEST_BYTES + 1)
		return false;
	text_hex(bytes, DIGEST_BYTES, hex);
	return true;
}

bool
download_digest_read(const char *field, bool structured, char *hex)
{
	const char *text = field;
	size_t mark = structured ? 1 : 0;

	*hex = '\0';
	while (*(text += strspn(text, ", \t")) != '\0')
	{
		const char *value = text + strcspn(text, "=,");
		size_t name = (size_t) (value - text);
		size_t length;

		if (name == 0 || *value++ != '=' || (structured && *value != ':'))
			return false;
		value += mark;
		length = strspn(value, BASE64);
		if (length == 0 || (structured && value[length] != ':'))
			return false;
		if (name == strlen(algorithm) && strncasecmp(text, algorithm, name) == 0 &&
			!decode(value, length, hex))
			return false;
		text = value + length + mark;
		text += strspn(text, " \t");
		if (*text != ',' && *text != '\0')
			return false;
	}
	return true;
}

/* Write a digest as base64, into DIGEST_HEX bytes. */
static void
digest_write(const char *hex, char *coded)
{
	unsigned char bytes[DIGEST_BYTES] = {0};

	(void) OPENSSL_hexstr2buf_ex(bytes, sizeof(bytes), NULL, hex, '\0');
	EVP_EncodeBlock((unsigned char *) coded, bytes, DIGEST_BYTES);
}

bool
download_digest_end(struct evp_md_ctx_st *context, char *hex)
{
	unsigned char sum[EVP_MAX_MD_SIZE];

	if (EVP_DigestFinal_ex(context, sum, NULL) != 1)
		return false;
	text_hex(sum, DIGEST_BYTES, hex);
	return true;
}

#define ASK_PART 4 /* what is being made is checked again after this part of the time until now */
#define ASK_LONG 5000 /* milliseconds until the answer is 202; for an archive it is */
#define ASK_LONGER 10000
#define RETRY_AFTER 2 /* seconds */

/* As POLICY_SANDBOX for PDF, which browsers do not display in a sandbox. */
#define VIEWER "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"

/* The format in which rows are streamed; NULL for none. */
static const Format *
format_of(Request *request, const char *name)
{
	Format *format = arena_zeroed(&request->arena, sizeof(Format));

	for (size_t i = 0; i < lengthof(download_formats); i++)
		if (download_formats[i].streamed && strcmp(download_formats[i].name, name) == 0)
		{
			format->name = download_formats[i].name;
			format->field = arena_join(&request->arena, download_formats[i].media_type,
									   download_formats[i].parameters);
			return format;
		}
	return NULL;
}

/* The text of a member; empty if there is none. */
static const char *
member(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text != NULL ? text : "";
}

/* Is it the image of a record, which no program runs and nobody counts? */
static bool
is_image(const Request *request)
{
	CallName call = request->route->call;

	return call == CALL_IMAGE || call == CALL_LOGO || call == CALL_PICTURE;
}

/* Add the header fields that tell how to display the answer. */
static void
add_fields(Request *request, const char *name, const char **type)
{
	bool viewed = strcmp(request->pattern, "/files/:id/view") == 0;
	bool safe = is_image(request) || (viewed && disposition_safe(type));
	bool document = safe && strcmp(*type, "application/pdf") == 0;

	answer_field(request, "Content-Disposition",
				 disposition_write(request, safe ? "inline" : "attachment", name));
	answer_field(request, "Content-Security-Policy", document ? VIEWER : POLICY_SANDBOX);
	answer_field(request, "Accept-Ranges", "bytes");
}

/* Count the download, unless the beginning of the file is not requested. */
static void
count(const Request *request, const Ranges *ranges, const char *id)
{
	CallName call = request->route->call;
	bool whole = ranges->count == 0;
	bool counted = call == CALL_DOWNLOAD || call == CALL_ARCHIVE;

	for (int i = 0; i < ranges->count; i++)
		whole |= ranges->range[i].first == 0;
	if (request->verb == VERB_GET && whole && counted)
		database_start_counting(request->thread, call == CALL_DOWNLOAD ? id : NULL,
								call == CALL_DOWNLOAD ? NULL : id);
}

/* The bytes can be sent. */
static StageResult
answer_begun(Request *request)
{
	const Download *download = (const Download *) request->transfer;

	count(request, &download->ranges, download->id);
	return ANSWERED;
}

/* Answer with stored bytes. */
static StageResult
answer_bytes(Request *request, const Reply *reply, const json_t *data)
{
	const char *sha256 = member(data, "sha256");
	const char *type =
		arena_text(&request->arena, member(data, "type"), strlen(member(data, "type")));
	const char *tag = arena_format(&request->arena, "\"%s\"", sha256);
	int64_t modified = json_integer_value(json_object_get(data, "modified"));
	char digest[DIGEST_HEX];
	Download *download;

	if (condition_tag_dated(request, tag, modified))
		return ANSWERED;
	download = file_body_open(request, json_integer_value(json_object_get(data, "blob")),
							  json_integer_value(json_object_get(data, "size")), sha256,
							  json_is_true(json_object_get(data, "stored")));
	if (download == NULL ||
		!range_choose(request, download->size, tag, modified, &download->ranges))
		return ANSWERED;
	digest_write(sha256, digest);
	add_fields(request, member(data, "name"), &type);
	answer_field(request, "Repr-Digest", arena_format(&request->arena, "sha-256=:%s:", digest));
	answer_field(request, "Digest", arena_format(&request->arena, "SHA-256=%s", digest));
	answer_status(request, download->ranges.count > 0 ? MHD_HTTP_PARTIAL_CONTENT : MHD_HTTP_OK);
	request->answer.type = type;
	request->answer.stream = file_body_response;
	file_body_choose(request, &download->ranges);
	if (reply->id != NULL)
		download->id = arena_text(&request->arena, reply->id, strlen(reply->id));
	return file_body_begin(request, answer_begun);
}

static StageResult described(Request *request);

/* Make the call again later, at the next tick at first. */
static StageResult
wait_for_it(Request *request)
{
	HttpThread *thread = request->thread;
	Transfer *transfer = request->transfer;

	if (transfer == NULL)
		transfer = transfer_new(request, sizeof(Transfer), &thread->downloads);
	if (transfer == NULL)
		return ANSWERED;
	transfer->ask_at = thread->now + (thread->now - request->started) / ASK_PART + 1;
	LIST_INSERT_HEAD(&thread->waiting, transfer, next_waiting);
	return WAITING;
}

void
download_forget(Transfer *transfer)
{
	LIST_REMOVE(transfer, next_waiting);
	transfer->ask_at = 0;
}

void
download_tick(HttpThread *thread, int64_t now)
{
	Transfer *next;

	for (Transfer *transfer = LIST_FIRST(&thread->waiting); transfer != NULL; transfer = next)
	{
		Request *request = transfer->request;

		next = LIST_NEXT(transfer, next_waiting);
		if (now < transfer->ask_at && !thread->stopping)
			continue;
		download_forget(transfer);
		thread->events->proceed(request,
								request_call_start(request, request->route->call, described));
	}
}

/* Answer 202, with a link to the job. */
static StageResult
answer_later(Request *request, const json_t *data)
{
	const char *job = arena_text(&request->arena, member(data, "job"), strlen(member(data, "job")));

	envelope_begin(request, MHD_HTTP_ACCEPTED);
	buffer_text(&request->answer.head, "},\"data\":{\"state\":");
	buffer_json(&request->answer.head, member(data, "state"), strlen(member(data, "state")));
	buffer_text(&request->answer.head, "},\"links\":{\"job\":\"");
	link_words(&request->answer.head, request, "jobs", job);
	buffer_text(&request->answer.head, "\"}}");
	request->answer.retry_after = RETRY_AFTER;
	request->answer.location = arena_format(&request->arena, "%s/jobs/%s", request->base, job);
	return ANSWERED;
}

/* The call for the contents has ended; if they were sent, that was a download. */
static StageResult
streamed(Request *request)
{
	const Ranges whole = {0};

	if (request->call->begun && request->answer.stream != NULL)
		count(request, &whole, request->path_id);
	return stream_ended(request) || error_of_call(request) ? ANSWERED : NEXT;
}

/* Answer with the contents in another format, while they are read. */
static StageResult
answer_stream(Request *request, const Reply *reply, const json_t *data)
{
	const char *tag = arena_format(
		&request->arena, "\"%lld-%s\"",
		(long long) json_integer_value(json_object_get(data, "revision")), request->variant);

	if (condition_tag(request, tag))
		return ANSWERED;
	request->format = format_of(request, member(data, "stream"));
	if (request->format == NULL || reply->id == NULL ||
		(request->transfer == NULL &&
		 transfer_new(request, sizeof(Transfer), &request->thread->downloads) == NULL))
		return error_set(request, 500, NULL);
	answer_field(request, "Content-Disposition",
				 disposition_write(request, "attachment", member(data, "name")));
	answer_field(request, "Content-Security-Policy", POLICY_SANDBOX);
	/* the path may have a slug; the call takes the id */
	request->path[1] = request->path_id = arena_text(&request->arena, reply->id, strlen(reply->id));
	if (request->verb != VERB_HEAD)
		return request_call_start_unchecked(request, CALL_CONTENTS_EXPORT, streamed);
	answer_status(request, MHD_HTTP_OK);
	request->answer.type = request->format->field;
	request->answer.stream = stream_response;
	return ANSWERED;
}

/* Does the request wait for a file that is being made?  Not if the client prefers an answer at once. */
static bool
waits(const Request *request)
{
	int64_t longest = request->route->call == CALL_ARCHIVE ? ASK_LONGER : ASK_LONG;

	return !request->thread->stopping &&
		   !element_accepted(request->headers[HEADER_PREFER], "respond-async") &&
		   request->thread->now - request->started < longest;
}

/* Link the CSV of a sheet with what describes it, if it has all rows. */
static void
add_description(Request *request, const char *id)
{
	const char *query = request->query;

	if (strcmp(request->pattern, "/files/:id/download/:format") == 0 &&
		strcasecmp(request->path_format, "csv") == 0 &&
		(*query == '\0' || (strncmp(query, "sheet=", 6) == 0 && strchr(query, '&') == NULL)))
		buffer_format(&request->answer.link,
					  "<%s/files/%s/csvw>; rel=\"describedby\"; type=\"application/csvm+json\"",
					  request->base, id);
}

static StageResult
answer(Request *request, const Reply *reply, const json_t *data)
{
	if (json_object_get(data, "job") != NULL)
		return waits(request) ? wait_for_it(request) : answer_later(request, data);
	if (reply->id != NULL)
		add_description(request, reply->id);
	if (json_object_get(data, "stream") != NULL)
		return answer_stream(request, reply, data);
	if (json_is_true(json_object_get(data, "held")))
		return error_set(request, 409, "the file is being examined, please ask again");
	return answer_bytes(request, reply, data);
}

/* The extension has decided what is sent. */
static StageResult
described(Request *request)
{
	Reply reply = {0};
	json_t *data = NULL;
	StageResult progress;

	if (call_reply(request->call, &reply) && reply.data != NULL)
		data = json_loadb(reply.data, reply.data_length, 0, NULL);
	progress = data == NULL ? error_set(request, 500, NULL) : answer(request, &reply, data);
	json_decref(data);
	return progress;
}

StageResult
download_start(Request *request)
{
	return request_call_start(request, request->route->call, described);
}
