/*
 * stream.c - answers that are sent while PostgreSQL produces them.
 *
 * A stream uses a connection alone.  It holds one piece, which the client reads at its own pace;
 * until that has been sent nothing more is received from PostgreSQL, which waits as well.  After an
 * error the connection to the client is reset without the end of the body, so that the client does
 * not take a part for the whole.
 */
#include <sys/socket.h>

#include "answer/answer.h"
#include "database/clients.h"
#include "log/log.h"
#include "metrics/metrics.h"

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
	if (request->answer.stream != NULL && call_reply_of_result(row, &reply) &&
		reply.data_length > 0)
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
		log_redact_request(request, LOG_ERROR, "answer aborted", "%s",
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

	log_redact_request(request, LOG_WARN, "stream preempted",
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
