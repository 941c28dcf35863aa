/*
 * connection_access.c - what libmicrohttpd calls back, and the daemon that does.
 *
 * An answer in the first call of a request makes libmicrohttpd close the connection.  So the
 * first call only looks at the headers, and answers when the connection is to be closed anyway.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "shim.h"

#define DISCARD_FACTOR 16		 /* times the limit of a body that are read and forgotten */
#define FORGET_MAXIMUM (1 << 20) /* bytes that are so of a body with a file */

/*
 * Memory of libmicrohttpd for a connection: a part of the body, the headers of the answer.  All of
 * it is written to for each request.  Heads are not among it.
 */
#define CONNECTION_MEMORY 10240

/* A request line, written by framing.c, has been read: the request begins. */
static void *
begin(void *cls, const char *target, struct MHD_Connection *connection)
{
	Worker *worker = cls;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	Client *client = info ? info->socket_context : NULL;
	Head *head = client ? framing_take(&client->framing) : NULL;

	(void) target;
	if (head == NULL)
		return NULL;
	head_split(head, !framing_refused(&client->framing));
	if (client->request != NULL)
		request_free(client->request);
	client->request = request_new(worker, client, head);
	if (client->request == NULL)
		free(head);
	return client->request;
}

/*
 * Take a part of a body with a file.  When it has been refused, a little more is read and
 * forgotten, so that the connection stays of use; MHD_NO when there is more than that.
 */
static enum MHD_Result
take_upload(Request *request, const char *bytes, size_t *size)
{
	Upload *upload = upload_of(request);

	if (request->answer.status == 0)
		upload_take(request, bytes, size);
	else
	{
		upload->forgotten += *size;
		*size = 0;
	}
	if (upload->forgotten <= FORGET_MAXIMUM)
		return MHD_YES;
	response_interrupt(request);
	return MHD_NO;
}

/* Take a part of the body; MHD_NO when there is no end to it. */
static enum MHD_Result
take_body(Request *request, const char *bytes, size_t *size)
{
	int64_t limit = request->worker->settings->body_limit;

	if (upload_of(request) != NULL)
		return take_upload(request, bytes, size);
	request->received += *size;
	if ((int64_t) request->received > limit)
		request->discard = true;
	if (request->discard)
		buffer_free(&request->body);
	else
		buffer_append(&request->body, bytes, *size);
	*size = 0;
	if ((int64_t) request->received / DISCARD_FACTOR <= limit)
		return MHD_YES;
	error_set(request, 413, NULL);
	response_interrupt(request);
	return MHD_NO;
}

/*
 * Confirm the headers to a client that sends the body in a packet of its own: it holds that back
 * until it has the confirmation, and the system would wait 40 ms for something to send it with.
 */
static void
confirm_headers(const Request *request, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info;
	int on = 1;

	if (request->headers[HEADER_CONTENT_LENGTH] == NULL &&
		request->headers[HEADER_TRANSFER_ENCODING] == NULL)
		return;
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	if (info != NULL)
		setsockopt(info->connect_fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
}

/* Begin the walk, or answer when it is at its end. */
static enum MHD_Result
proceed(Request *request)
{
	if (request->stage == STAGE_BODY)
	{
		if (guard_refused(request))
			return response_send(request);
		if (upload_of(request) != NULL)
			upload_end(request);
		else
			request_walk(request);
		if (request->answer.status == 0 && !request->arena.failed)
		{
			request->stage = STAGE_WAITING;
			MHD_suspend_connection(request->client->connection);
			return MHD_YES;
		}
	}
	return response_send(request);
}

/*
 * The headers of an upload are there: walk with them, and have the body come only when it may.
 *
 * libmicrohttpd makes this call again when the connection is resumed.
 */
static enum MHD_Result
open_upload(Request *request)
{
	Upload *upload = upload_of(request);

	if (request->stage == STAGE_TARGET)
	{
		request->stage = STAGE_WAITING;
		request_walk(request);
		if (request->answer.status == 0 && !request->arena.failed)
		{
			MHD_suspend_connection(request->client->connection);
			return MHD_YES;
		}
	}
	upload->opened = true;
	if (request->stage == STAGE_BODY)
		return MHD_YES;
	/* the client may be sending already, and is not to miss the answer for that */
	request->client->lingers = true;
	return response_send(request);
}

static enum MHD_Result
handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
	   const char *version, const char *upload, size_t *upload_size, void **context)
{
	Request *request = *context;

	(void) cls;
	(void) connection;
	(void) url;
	(void) method;
	(void) version;
	if (request == NULL)
		return MHD_NO;
	if (request->stage == STAGE_TARGET)
	{
		if (!guard_request(request))
			return response_send(request);
		confirm_headers(request, connection);
		if (upload_of(request) != NULL)
			return open_upload(request);
		request->stage = STAGE_BODY;
		return MHD_YES;
	}
	if (upload_of(request) != NULL && !upload_of(request)->opened)
		return open_upload(request);
	if (*upload_size > 0)
		return take_body(request, upload, upload_size);
	return proceed(request);
}

/* The request is over, in whatever way. */
static void
complete(void *cls, struct MHD_Connection *connection, void **context,
		 enum MHD_RequestTerminationCode code)
{
	Request *request = *context;

	(void) cls;
	(void) connection;
	(void) code;
	if (request == NULL)
		return;
	request->client->request = NULL;
	request->client->since = request->worker->now;
	request->client->used = true;
	request_free(request);
	*context = NULL;
}

static void
ignore_message(void *cls, const char *format, va_list arguments)
{
	(void) cls;
	(void) format;
	(void) arguments;
}

/* An HTTP daemon without a thread and a listening socket; NULL when it cannot start. */
struct MHD_Daemon *
access_daemon(Worker *worker)
{
	return MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0,
		NULL, NULL, handle, worker, MHD_OPTION_EXTERNAL_LOGGER, ignore_message, NULL,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int) worker->settings->connections, MHD_OPTION_CONNECTION_TIMEOUT, 0u,
		MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_URI_LOG_CALLBACK, begin, worker,
		MHD_OPTION_NOTIFY_COMPLETED, complete, NULL, MHD_OPTION_NOTIFY_CONNECTION, client_notify,
		worker, MHD_OPTION_END);
}
