/*
 * response.c - the response of libmicrohttpd, which is made of the answer.
 */
#include <sys/socket.h>

#include "answer/answer.h"
#include "answer/envelope.h"
#include "database/clients.h"
#include "log/log.h"
#include "metrics/metrics.h"

/* Bodies up to this size are copied into one piece, which costs less than a second system call. */
#define COPY_MAXIMUM 32768

/*
 * Header fields of every response.  If a browser shows JSON as a page, that may load and run
 * nothing, must not be framed, and must not disclose its address, which may contain a token.
 */
static const struct
{
	const char *name;
	const char *value;
} constant_fields[] = {
	{"X-Content-Type-Options", "nosniff"},
	{"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
	{"Referrer-Policy", "no-referrer"},
	{"Vary", ENVELOPE_VARY("")},
};

/* The body stays in the memory of the request, which is freed after it has been sent. */
static struct MHD_Response *
make_body(Request *request)
{
	Answer *answer = &request->answer;
	struct MHD_IoVec pieces[3];
	unsigned int count = 0;

	if (answer->stream != NULL)
		return answer->stream(request);
	if (answer->head.length + answer->data_length + answer->tail.length <= COPY_MAXIMUM)
	{
		buffer_reserve(&answer->head, answer->data_length + answer->tail.length);
		buffer_append(&answer->head, answer->data, answer->data_length);
		buffer_append(&answer->head, answer->tail.data, answer->tail.length);
		if (answer->head.failed)
			return NULL;
		answer->joined = true;
		call_forget_result(request->call);
		return MHD_create_response_from_buffer(answer->head.length, answer->head.data,
											   MHD_RESPMEM_PERSISTENT);
	}
	pieces[count++] = (struct MHD_IoVec){answer->head.data, answer->head.length};
	if (answer->data_length > 0)
		pieces[count++] = (struct MHD_IoVec){answer->data, answer->data_length};
	if (answer->tail.length > 0)
		pieces[count++] = (struct MHD_IoVec){answer->tail.data, answer->tail.length};
	return MHD_create_response_from_iovec(pieces, count, NULL, NULL);
}

/* Add a header field if there is a value. */
static void
add(struct MHD_Response *response, const char *name, const char *value)
{
	if (value != NULL)
		MHD_add_response_header(response, name, value);
}

/* Is there a field of the answer in place of a usual one? */
static bool
is_replaced(const AnswerFields *fields, const char *name)
{
	for (int i = 0; fields != NULL && i < fields->count; i++)
		if (strcmp(fields->field[i].name, name) == 0)
			return true;
	return false;
}

/* The fields that all answers have, and those set by answer_field(). */
static void
add_usual(struct MHD_Response *response, const Request *request)
{
	const AnswerFields *fields = request->answer.fields;

	for (size_t i = 0; i < lengthof(constant_fields); i++)
		if (!is_replaced(fields, constant_fields[i].name))
			add(response, constant_fields[i].name, constant_fields[i].value);
	/* users and tokens are not cached; other answers may be, but must be revalidated */
	if (!is_replaced(fields, "Cache-Control"))
		add(response, "Cache-Control",
			text_has_word("users,clients", request->resource) ? "no-store" : "private, no-cache");
	for (int i = 0; fields != NULL && i < fields->count; i++)
		add(response, fields->field[i].name, fields->field[i].value);
}

static void
add_fields(struct MHD_Response *response, Request *request)
{
	Answer *answer = &request->answer;
	char number[16];

	add_usual(response, request);
	if (answer->status != MHD_HTTP_NOT_MODIFIED && answer->status != MHD_HTTP_NO_CONTENT)
		add(response, "Content-Type", answer->type ? answer->type : "application/json");
	add(response, "ETag", answer->etag);
	add(response, "X-Request-Id", request->id);
	add(response, "Preference-Applied", request->applied);
	add(response, "Location", answer->location);
	add(response, "Allow", answer->allow);
	add(response, "Content-Range", answer->range);
	add(response, "WWW-Authenticate", answer->authenticate);
	if (answer->link.length > 0)
	{
		buffer_append(&answer->link, "", 1);
		add(response, "Link", answer->link.failed ? NULL : answer->link.data);
	}
	if (answer->retry_after > 0)
	{
		snprintf(number, sizeof(number), "%d", answer->retry_after);
		add(response, "Retry-After", number);
	}
	cors_fields(response, request);
	if (answer->close || request->thread->stopping)
		add(response, "Connection", "close");
}

void
response_interrupt(Request *request)
{
	const Answer *answer = &request->answer;
	int socket = request->client->socket;
	Buffer bytes;

	buffer_init(&bytes, ANSWER_MAXIMUM);
	buffer_format(&bytes, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\n", answer->status,
				  MHD_get_reason_phrase_for((unsigned int) answer->status));
	/* Append the header fields of every response as lines. */
	for (size_t i = 0; i < lengthof(constant_fields); i++)
		buffer_format(&bytes, "%s: %s\r\n", constant_fields[i].name, constant_fields[i].value);
	buffer_text(&bytes, cors_lines(request->thread->settings));
	buffer_format(&bytes, "X-Request-Id: %s\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
				  request->id, answer->head.length);
	buffer_append(&bytes, answer->head.data, answer->head.length);
	if (bytes.failed || send(socket, bytes.data, bytes.length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		log_redact_request(request, LOG_VERBOSE, "answer not sent", "%s", "");
	log_redact_request(request, LOG_VERBOSE, "response", "%s", "");
	access_log_count(request);
	metrics_request(request);
	request->client->lingering = true;
	buffer_free(&bytes);
}

/*
 * Is there room for the body until the client has read it?  The answer to a change is sent in any case,
 * since the change has been made.
 */
static bool
hold_body(Request *request)
{
	const Answer *answer = &request->answer;
	size_t bytes = answer->head.length + answer->data_length + answer->tail.length;

	return answer->stream != NULL || bytes <= COPY_MAXIMUM || request->verb != VERB_GET ||
		   memory_share_hold(request->thread->memory, &request->answer_held,
							 request_call_client(request), bytes);
}

struct MHD_Response *
response_make(Request *request)
{
	Answer *answer = &request->answer;
	struct MHD_Response *response;

	if (request->arena.failed || answer->head.failed || answer->tail.failed)
	{
		bool close = answer->close;

		(void) error_set(request, 500, NULL);
		answer->close = close;
	}
	else if (!hold_body(request))
	{
		(void) error_set(request, 503, "too many bytes of answers wait to be read");
		call_forget_result(request->call);
	}
	response = make_body(request);
	if (response == NULL)
		return NULL;
	add_fields(response, request);
	access_log_answer(request, response);
	access_log_count(request);
	metrics_request(request);
	return response;
}
