/*
 * stream.c - answers that are sent while PostgreSQL is still making them.
 *
 * A stream has a lane to itself.  It holds one piece, which the client takes at its own pace; until
 * that is gone nothing more is read from PostgreSQL, which then waits as well.  A fault in the
 * middle ends the connection without the end of the body, so that nobody takes a part for the
 * whole.
 */
#include <string.h>
#include <sys/socket.h>

#include "shim.h"

#define BLOCK_SIZE 32768 /* bytes that libmicrohttpd asks for at once, at most */

CallName
stream_call(const Route *route)
{
	switch (route->call)
	{
		case CALL_LIST:
		case CALL_RELATED:
			return CALL_EXPORT;
		case CALL_CONTENTS:
			return CALL_CONTENTS_EXPORT;
		default:
			return CALL_NOT_IMPLEMENTED;
	}
}

static void
drop(Stream *stream)
{
	PQclear(stream->piece);
	stream->piece = NULL;
}

/* Let go on what waits for the stream: the walk of the request, or the sending of the answer. */
static void
wake(Request *request)
{
	Stream *stream = &request->stream;

	if (!stream->suspended)
		request_wake(request);
	else
	{
		stream->suspended = false;
		MHD_resume_connection(request->client->connection);
	}
}

/* What the headers say is known with the first piece; false where that is no such piece. */
static bool
begin(Request *request, PGresult *first)
{
	request->call.result = first;
	envelope_build(request);
	request->call.result = NULL;
	return request->answer.streamed;
}

bool
stream_take(Request *request, PGresult *row)
{
	Stream *stream = &request->stream;
	Reply reply = {0};

	stream->piece = row;
	stream->begun = stream->begun || begin(request, row);
	if (stream->begun && reply_of_result(row, &reply) && reply.data_length > 0)
	{
		stream->bytes = reply.data;
		stream->length = reply.data_length;
		stream->taken = 0;
	}
	else
		drop(stream);
	wake(request);
	/* where the answer is an error it is sent, and the rest is not wanted */
	return stream->piece == NULL && stream->begun;
}

bool
stream_ended(Request *request)
{
	Stream *stream = &request->stream;
	const Call *call = &request->call;

	stream->lane = NULL;
	if (!stream->begun)
		return false;
	stream->ended = true;
	stream->failed =
		call->outcome != RESULT_ANSWER || PQresultStatus(call->result) != PGRES_TUPLES_OK;
	if (stream->failed)
		log_request(request, LOG_ERROR, "answer broken off", "%s",
					call->result ? "by an error of the database" : "without the database");
	wake(request);
	return true;
}

void
stream_close(Request *request)
{
	Stream *stream = &request->stream;

	drop(stream);
	if (stream->lane != NULL)
		lane_abandon(stream->lane);
	stream->lane = NULL;
}

void
stream_give_way(Request *request)
{
	Stream *stream = &request->stream;

	log_request(request, LOG_WARN, "stream gave way",
				"the client took less than %lld bytes a second, and another one waits",
				(long long) request->worker->settings->stream_rate);
	stream_close(request);
	stream->ended = stream->failed = true;
	client_drop(request->client);
	wake(request);
}

/* Give a part of the piece. */
static ssize_t
give(Stream *stream, char *bytes, size_t room)
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
	struct linger reset = {.l_onoff = 1};

	setsockopt(request->client->socket, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	return MHD_CONTENT_READER_END_WITH_ERROR;
}

/* libmicrohttpd has room for more. */
static ssize_t
read_stream(void *cls, uint64_t position, char *bytes, size_t room)
{
	Request *request = cls;
	Stream *stream = &request->stream;

	(void) position;
	if (stream->piece == NULL && !stream->ended)
		lane_go_on(stream->lane);
	if (stream->piece != NULL)
		return give(stream, bytes, room);
	if (stream->failed)
		return stream_break_off(request);
	if (stream->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	stream->suspended = true;
	MHD_suspend_connection(request->client->connection);
	return 0;
}

/*
 * A connection that ends right after it was suspended is closed by libmicrohttpd 0.9.75 at the next
 * event of its socket only, and a client that waits makes none; but one with a timeout of its own
 * is looked at in every turn.
 */
void
stream_keep_in_sight(const Request *request)
{
	int64_t seconds = request->worker->settings->request_timeout / 1000 + 1;

	MHD_set_connection_option(request->client->connection, MHD_CONNECTION_OPTION_TIMEOUT,
							  (unsigned int) seconds);
}

/*
 * libmicrohttpd 0.9.75 sends the last chunk to HEAD as well, and the client would take it for the
 * beginning of the next answer: without chunks nothing is sent, and the connection ends.
 */
struct MHD_Response *
stream_unsized(Request *request, MHD_ContentReaderCallback reader)
{
	struct MHD_Response *response =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_SIZE, reader, request, NULL);

	if (response != NULL && request->verb == VERB_HEAD)
		MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
	return response;
}

struct MHD_Response *
stream_response(Request *request)
{
	stream_keep_in_sight(request);
	return stream_unsized(request, read_stream);
}
