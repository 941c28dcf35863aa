/*
 * response.c - the answer of a request, its response of libmicrohttpd, and streams.
 */
#include <sys/socket.h>

#include "answer/answer.h"
#include "database/clients.h"
#include "log/log.h"
#include "metrics/metrics.h"

/* Bytes of a Link field; a longer one is not sent, since the body has the same links. */
#define LINK_MAXIMUM 2048

void
answer_init(Answer *answer)
{
	*answer = (Answer){0};
	buffer_init(&answer->head, ANSWER_MAXIMUM);
	buffer_init(&answer->tail, ANSWER_MAXIMUM);
	buffer_init(&answer->link, LINK_MAXIMUM);
}

void
answer_free(Answer *answer)
{
	buffer_free(&answer->head);
	buffer_free(&answer->tail);
	buffer_free(&answer->link);
}

void
answer_clear(Answer *answer)
{
	Answer kept = {.head = answer->head, .tail = answer->tail, .link = answer->link};

	buffer_clear(&kept.head);
	buffer_clear(&kept.tail);
	buffer_clear(&kept.link);
	*answer = kept;
}

void
answer_status(Request *request, int status)
{
	request->answer.status = status;
	request->answer.code = error_code_of(status);
}

void
answer_field(Request *request, const char *name, const char *value)
{
	AnswerFields *fields = request->answer.fields;

	if (fields == NULL)
		fields = request->answer.fields = arena_zeroed(&request->arena, sizeof(AnswerFields));
	if (fields == NULL || value == NULL || fields->count == ANSWER_FIELDS)
	{
		request->arena.failed = true;
		return;
	}
	fields->field[fields->count].name = name;
	fields->field[fields->count++].value = value;
}

/*
 * A stream uses a connection alone.  It holds one piece, which the client reads at its own pace;
 * until that has been sent nothing more is received from PostgreSQL, which waits as well.  After an
 * error the connection to the client is reset without the end of the body, so that the client does
 * not take a part for the whole.
 */

#define BLOCK_SIZE 32768 /* maximum size of the blocks that libmicrohttpd asks for */

static void
drop(Stream *stream)
{
	PQclear(stream->piece);
	stream->piece = NULL;
}

/* There is something to send, or the end. */
static void
resume(Request *request)
{
	Stream *stream = request->stream;

	if (!stream->suspended)
		return;
	stream->suspended = false;
	MHD_resume_connection(request->client->connection);
}

bool
stream_take(Request *request, PGresult *row)
{
	Stream *stream = request->stream;
	Reply reply = {0};

	stream->piece = row;
	if (request->answer.stream != NULL && reply_of_result(row, &reply) && reply.data_length > 0)
	{
		stream->bytes = reply.data;
		stream->length = reply.data_length;
		stream->taken = 0;
	}
	else
		drop(stream);
	resume(request);
	/* if the answer is an error, all rows are dropped, and the connection serves the next call */
	return stream->piece == NULL;
}

bool
stream_ended(Request *request)
{
	Stream *stream = request->stream;
	Call *call = request->call;

	call->connection = NULL;
	if (!call->begun)
		return false;
	stream->ended = true;
	stream->failed =
		call->outcome != RESULT_ANSWER || PQresultStatus(call->result) != PGRES_TUPLES_OK;
	if (stream->failed && request->answer.stream != NULL)
		log_request(request, LOG_ERROR, "answer aborted", "%s",
					call->result ? "by an error of the database" : "without the database");
	resume(request);
	return true;
}

void
stream_close(Request *request)
{
	Call *call = request->call;

	drop(request->stream);
	if (call->connection != NULL)
		pg_connection_abandon(call->connection);
	call->connection = NULL;
}

void
stream_preempt(Request *request)
{
	Stream *stream = request->stream;

	log_request(request, LOG_WARN, "stream preempted",
				"the client took less than %lld bytes a second, and another one waits",
				(long long) request->thread->settings->stream_rate);
	stream_close(request);
	stream->ended = stream->failed = true;
	client_reset(request->client);
	resume(request);
}

/* Copy a part of the piece. */
static ssize_t
copy_piece(Stream *stream, char *bytes, size_t room)
{
	size_t rest = stream->length - stream->taken;
	size_t length = rest < room ? rest : room;

	memcpy(bytes, stream->bytes + stream->taken, length);
	stream->taken += length;
	if (stream->taken == stream->length)
		drop(stream);
	return (ssize_t) length;
}

ssize_t
stream_break_off(const Request *request)
{
	client_reset_on_close(request->client);
	return MHD_CONTENT_READER_END_WITH_ERROR;
}

/* libmicrohttpd asks for the next bytes of the body. */
static ssize_t
read_stream(void *cls, uint64_t position, char *bytes, size_t room)
{
	Request *request = cls;
	Stream *stream = request->stream;

	if (stream->piece == NULL && !stream->ended)
		pg_connection_continue(request->call->connection);
	if (stream->piece != NULL)
		return copy_piece(stream, bytes, room);
	if (stream->failed)
		return stream_break_off(request);
	if (stream->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	stream->suspended = true;
	MHD_suspend_connection(request->client->connection);
	return 0;
}

struct MHD_Response *
stream_response(Request *request)
{
	struct MHD_Response *response;

	client_check_each_turn(request->client);
	response =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_SIZE, read_stream, request, NULL);
	if (response != NULL)
		mhd_compat_unsized(request, response);
	return response;
}

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
	{"Vary", "Accept, Prefer, Authorization, X-Admin-Authorization, apikey, X-Consumer-Username"},
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
		log_request(request, LOG_VERBOSE, "answer not sent", "%s", "");
	log_request(request, LOG_VERBOSE, "response", "%s", "");
	statistics_request(request);
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
		   memory_share_hold(request->thread->memory, &request->answer_held, client_key(request),
							 bytes);
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
	statistics_request(request);
	metrics_request(request);
	return response;
}
