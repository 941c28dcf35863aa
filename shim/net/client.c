/*
 * client.c - one accepted socket, and the deadlines that libmicrohttpd does not have.
 *
 * libmicrohttpd's own timeout starts anew with every byte, so a slow client could stay for ever.
 * These count by the clock.
 */
#include <arpa/inet.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "shim.h"

#define RATE 4096		  /* bytes a second that a client must send a body or take an answer with */
#define STREAM_SPAN 30000 /* milliseconds that a stream's rate is looked at in */

static void
forget(Client *client)
{
	if (client->lingers)
		linger_open(client->worker, client->socket);
	if (client->request != NULL)
		request_free(client->request);
	if (client->next != NULL)
		client->next->previous = client->previous;
	if (client->previous != NULL)
		client->previous->next = client->next;
	else
		client->worker->clients = client->next;
	client->worker->connections--;
	receive_end(client);
	free(client);
}

/* libmicrohttpd has accepted a socket, or is about to close it. */
void
client_notify(void *cls, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	Worker *worker = cls;
	const union MHD_ConnectionInfo *info;
	Client *client = *context;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED)
	{
		if (client != NULL)
			forget(client);
		*context = NULL;
		return;
	}
	client = calloc(1, sizeof(Client));
	*context = client;
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	if (client == NULL)
		return;
	client->worker = worker;
	client->connection = connection;
	client->socket = info ? info->connect_fd : -1;
	if (!receive_begin(client))
	{
		free(client);
		*context = NULL;
		return;
	}
	client->since = worker->now;
	client->next = worker->clients;
	if (client->next != NULL)
		client->next->previous = client;
	worker->clients = client;
	worker->connections++;
}

/*
 * Has the client taken less than so many bytes a second in a span of milliseconds that just ended?
 * What libmicrohttpd has written may still be in the system, so the system is asked for what the
 * other side has acknowledged.  ended: set when a span has.
 */
static bool
is_slow(const Client *client, Pace *pace, int64_t span, int64_t rate, bool *ended)
{
	struct tcp_info info = {0};
	socklen_t length = sizeof(info);
	int64_t now = client->worker->now;
	bool slow = false;

	*ended = false;
	if ((pace->since != 0 && now - pace->since <= span) ||
		getsockopt(client->socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
		return false;
	if (pace->since != 0)
	{
		*ended = true;
		slow = (int64_t) (info.tcpi_bytes_acked - pace->taken) < span * rate / 1000;
	}
	*pace = (Pace){now, info.tcpi_bytes_acked};
	return slow;
}

/* See how fast the client takes a stream; waiting: there is something for it to take. */
static void
see_stream(const Client *client, Stream *stream, bool waiting)
{
	bool ended;
	bool slow;

	if (!waiting)
	{
		stream->pace.since = 0;
		stream->slow = false;
		return;
	}
	slow =
		is_slow(client, &stream->pace, STREAM_SPAN, client->worker->settings->stream_rate, &ended);
	if (ended)
		stream->slow = slow;
}

/* Does the client take what it is sent too slowly, in each span of header_timeout? */
static bool
takes_slowly(Client *client)
{
	bool waiting;
	bool ended;
	int left = 0;

	waiting = ioctl(client->socket, SIOCOUTQ, &left) == 0 && left > 0;
	if (client->request != NULL && client->request->stream.lane != NULL)
		see_stream(client, &client->request->stream, waiting);
	if (!waiting)
	{
		client->pace.since = 0;
		return false;
	}
	return is_slow(client, &client->pace, client->worker->settings->header_timeout, RATE, &ended);
}

/* Has the client used up the time that it has for what it is doing? */
static bool
overdue(const Client *client, int64_t now)
{
	const Settings *settings = client->worker->settings;
	const Request *request = client->request;
	int64_t elapsed = now - (request ? request->started : client->since);

	if (request == NULL)
		return client->worker->stopping ||
			   elapsed > (client->used && !framing_in_head(&client->framing)
							  ? settings->idle_timeout
							  : settings->header_timeout);
	if (request->stage == STAGE_WAITING)
		return false;
	/* bytes of files may take as long as they keep coming, or being taken */
	if (request->transfer != NULL && request->stage >= STAGE_BODY)
		return request->stage == STAGE_BODY && transfer_stalls(request, now);
	if (elapsed > settings->request_timeout)
		return true;
	if (elapsed <= settings->header_timeout || request->stage == STAGE_SENDING)
		return false;
	return (int64_t) request->received < elapsed * RATE / 1000;
}

/*
 * End a connection.  The socket is shut down, not closed: libmicrohttpd sees its end and cleans up
 * as for any client that goes away.
 */
static void
end(const Client *client)
{
	shutdown(client->socket, SHUT_RDWR);
}

void
client_drop(const Client *client)
{
	struct linger none = {.l_onoff = 1, .l_linger = 0};

	setsockopt(client->socket, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	end(client);
}

static bool
is_sent_to(const Client *client)
{
	return client->request == NULL ? client->used : client->request->stage == STAGE_SENDING;
}

void
client_reap(Worker *worker, int64_t now)
{
	for (Client *client = worker->clients; client != NULL; client = client->next)
		if (is_sent_to(client) && takes_slowly(client))
			client_drop(client);
		else if (overdue(client, now))
			end(client);
}

void
client_peer(int socket, char *text, size_t size)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	const void *number = NULL;

	text[0] = '\0';
	if (getpeername(socket, (struct sockaddr *) &address, &length) != 0)
		return;
	if (address.ss_family == AF_INET)
		number = &((struct sockaddr_in *) &address)->sin_addr;
	else if (address.ss_family == AF_INET6)
		number = &((struct sockaddr_in6 *) &address)->sin6_addr;
	/* a socket of IPv6 takes clients of IPv4 too, under a number of IPv6 */
	if (address.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED((const struct in6_addr *) number))
	{
		number = (const char *) number + 12;
		address.ss_family = AF_INET;
	}
	if (number != NULL)
		inet_ntop(address.ss_family, number, text, (socklen_t) size);
}

/* The address of the client as text; empty when it is not known. */
const char *
client_address(Client *client)
{
	if (client->address[0] == '\0')
		client_peer(client->socket, client->address, sizeof(client->address));
	return client->address;
}
