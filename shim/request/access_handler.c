/*
 * access_handler.c - the HTTP daemon of a thread, the callbacks of libmicrohttpd, and deadlines it lacks.
 *
 * If the answer is queued in the first call for a request, libmicrohttpd closes the connection.
 * Therefore that call only checks the head, and answers if the connection must be closed anyway.
 */
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "database/clients.h"
#include "request/request.h"

/*
 * ---- Deadlines that libmicrohttpd does not have ----
 *
 * The timeout of libmicrohttpd starts again with every byte, so a slow client could keep a
 * connection for ever.  These deadlines count from the beginning of the request, or measure a rate.
 */

#define RATE 4096		  /* bytes per second: minimum for sending a body or reading an answer */
#define STREAM_SPAN 30000 /* milliseconds over which the rate of a stream is measured */

/* Measure how fast the client reads a stream; waiting: there are bytes to acknowledge. */
static void
measure_stream(const Client *client, bool waiting)
{
	Stream *stream = client->request->stream;
	Call *call = client->request->call;
	bool ended;
	bool slow;

	if (!waiting)
	{
		stream->pace.since = 0;
		call->slow = false;
		return;
	}
	slow = client_is_slow(client, &stream->pace, STREAM_SPAN, client->thread->settings->stream_rate,
						  &ended);
	if (ended)
		call->slow = slow;
}

/* Does the client read the answer too slowly, measured over header_timeout? */
static bool
reads_slowly(Client *client)
{
	bool waiting;
	bool ended;
	int left = 0;

	waiting = ioctl(client->socket, SIOCOUTQ, &left) == 0 && left > 0;
	if (client->request != NULL && client->request->call->connection != NULL)
		measure_stream(client, waiting);
	if (!waiting)
	{
		client->pace.since = 0;
		return false;
	}
	return client_is_slow(client, &client->pace, client->thread->settings->header_timeout, RATE,
						  &ended);
}

/* Has the time passed that the client has for what it is doing? */
static bool
is_overdue(const Client *client, int64_t now)
{
	const Settings *settings = client->thread->settings;
	const Request *request = client->request;
	int64_t elapsed = now - (request ? request->started : client->since);

	if (request == NULL)
		return client->thread->stopping ||
			   elapsed > (client->used && !framing_in_head(&client->framing)
							  ? settings->idle_timeout
							  : settings->header_timeout);
	if (request->phase == PHASE_SUSPENDED)
		return false;
	/* a transfer may take any time as long as bytes are received or acknowledged */
	if (request->transfer != NULL && request->phase != PHASE_HEAD)
		return request->phase == PHASE_BODY && transfer_stalls(request, now);
	if (elapsed > settings->request_timeout)
		return true;
	if (elapsed <= settings->header_timeout || request->phase == PHASE_SENDING)
		return false;
	return (int64_t) request->body.received < elapsed * RATE / 1000;
}

void
access_handler_tick(HttpThread *thread, int64_t now)
{
	Client *client;

	/* Is an answer being sent, or has one been? */
	LIST_FOREACH(client, &thread->clients, next)
		if ((client->request == NULL ? client->used : client->request->phase == PHASE_SENDING) &&
			reads_slowly(client))
			client_reset(client);
		else if (is_overdue(client, now))
			client_end(client);
}

#define DISCARD_FACTOR 16 /* times body_limit that are read and discarded */

/* A body up to this size does not count for the setting memory; then it counts in steps. */
#define BODY_FREE 16384
#define BODY_STEP 65536

/*
 * Memory of libmicrohttpd for a connection: a part of the body, the header fields of the answer.  It
 * is cleared for each request.  Heads of requests are not stored there.
 */
#define CONNECTION_MEMORY 10240

/* libmicrohttpd has read the request line that framing.c wrote: the request begins. */
static void *
begin(void *cls, const char *target, struct MHD_Connection *connection)
{
	HttpThread *thread = cls;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	Client *client = info ? info->socket_context : NULL;
	Head *head = client ? framing_take(&client->framing) : NULL;

	if (head == NULL)
		return NULL;
	head_split(head, !framing_refused(&client->framing));
	if (client->request != NULL)
		request_free(client->request);
	client->request = request_new(thread, client, head);
	if (client->request == NULL)
		free(head);
	return client->request;
}

/*
 * Receive a part of the body of an upload.  After a refusal a little more is discarded, so that the
 * connection can be kept; MHD_NO if there is too much.
 */
static enum MHD_Result
receive_upload(Request *request, const char *bytes, size_t *size)
{
	size_t discarded;

	if (request->answer.status == 0)
	{
		if (upload_take(request, bytes, size) == WAITING)
			request_run(request, WAITING);
		return MHD_YES;
	}
	discarded = *size;
	*size = 0;
	if (upload_discard(request, discarded))
		return MHD_YES;
	response_interrupt(request);
	return MHD_NO;
}

/* Is there room for what was received of the body?  It counts for the address that sends it. */
static bool
hold_body(Request *request)
{
	size_t bytes = (request->body.received + BODY_STEP - 1) / BODY_STEP * BODY_STEP;

	return request->body.received <= BODY_FREE || bytes == request->body.held.bytes ||
		   memory_share_hold(request->thread->memory, &request->body.held,
							 request_call_client(request), bytes);
}

/* Receive a part of the body; MHD_NO if it is far too large. */
static enum MHD_Result
receive_body(Request *request, const char *bytes, size_t *size)
{
	int64_t limit = request->thread->settings->body_limit;

	if (upload_of(request) != NULL)
		return receive_upload(request, bytes, size);
	request->body.received += *size;
	if ((int64_t) request->body.received > limit)
		request->body.refused = 413;
	else if (request->body.refused == 0 && !hold_body(request))
		request->body.refused = 503;
	if (request->body.refused != 0)
		buffer_free(&request->body.bytes);
	else
		buffer_append(&request->body.bytes, bytes, *size);
	*size = 0;
	if ((int64_t) request->body.received / DISCARD_FACTOR <= limit)
		return MHD_YES;
	(void) error_too_large(request);
	response_interrupt(request);
	return MHD_NO;
}

/*
 * Acknowledge the head at once if the client sends the body in another packet: it may wait for the
 * acknowledgement, which the kernel would delay by 40 ms.
 */
static void
acknowledge_head(const Request *request)
{
	int on = 1;

	if (request->headers[HEADER_CONTENT_LENGTH] != NULL ||
		request->headers[HEADER_TRANSFER_ENCODING] != NULL)
		setsockopt(request->client->socket, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
}

/*
 * The head of an upload was received: run the stages that decide whether the body is accepted.
 *
 * libmicrohttpd makes this call again when the connection is resumed.
 */
static enum MHD_Result
open_upload(Request *request)
{
	if (request->phase == PHASE_HEAD && !request_run(request, NEXT))
		return MHD_YES;
	request->body.opened = true;
	if (request->phase == PHASE_BODY)
		return MHD_YES;
	/* the client may be sending the body already, which must not make it lose the answer */
	request->client->lingering = true;
	return request_answer(request);
}

/* The head was received. */
static enum MHD_Result
handle_head(Request *request)
{
	bool upload;

	if (guard_request(request) != NEXT)
		return request_answer(request);
	/* Is the request an upload? Its route must be known for that before the body is received. */
	upload = upload_possible(request) && route_request(request) == NEXT && upload_detect(request);
	if (!upload && guard_length(request) != NEXT)
		return request_answer(request);
	acknowledge_head(request);
	if (upload)
		return open_upload(request);
	request->phase = PHASE_BODY;
	return MHD_YES;
}

/* The whole request was received, or its connection was resumed. */
static enum MHD_Result
handle_end(Request *request)
{
	StageResult progress = NEXT;

	if (request->phase == PHASE_BODY && !guard_refused(request))
	{
		if (upload_of(request) != NULL)
			progress = upload_end(request);
		if (!request_run(request, progress))
			return MHD_YES;
	}
	return request_answer(request);
}

static enum MHD_Result
handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
	   const char *version, const char *upload, size_t *upload_size, void **context)
{
	Request *request = *context;

	if (request == NULL)
		return MHD_NO;
	if (request->phase == PHASE_HEAD)
		return handle_head(request);
	if (upload_of(request) != NULL && !request->body.opened)
		return open_upload(request);
	if (*upload_size > 0)
		return receive_body(request, upload, upload_size);
	return handle_end(request);
}

/* The request has ended, with or without an answer. */
static void
complete(void *cls, struct MHD_Connection *connection, void **context,
		 enum MHD_RequestTerminationCode code)
{
	Request *request = *context;

	if (request == NULL)
		return;
	request->client->request = NULL;
	request->client->since = request->thread->now;
	request->client->used = true;
	request_free(request);
	*context = NULL;
}

/* A connection was accepted, or is about to be closed. */
static void
notify(void *cls, struct MHD_Connection *connection, void **context,
	   enum MHD_ConnectionNotificationCode code)
{
	Client *client = *context;

	if (code != MHD_CONNECTION_NOTIFY_CLOSED)
	{
		*context = client_open(cls, connection);
		return;
	}
	*context = NULL;
	if (client == NULL)
		return;
	if (client->request != NULL)
		request_free(client->request);
	client_close(client);
}

static void
ignore_message(void *cls, const char *format, va_list arguments)
{
}

struct MHD_Daemon *
access_handler_daemon(HttpThread *thread)
{
	return MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0,
		NULL, NULL, handle, thread, MHD_OPTION_EXTERNAL_LOGGER, ignore_message, NULL,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int) thread->settings->connections, MHD_OPTION_CONNECTION_TIMEOUT, 0u,
		MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_URI_LOG_CALLBACK, begin, thread,
		MHD_OPTION_NOTIFY_COMPLETED, complete, NULL, MHD_OPTION_NOTIFY_CONNECTION, notify, thread,
		MHD_OPTION_END);
}
