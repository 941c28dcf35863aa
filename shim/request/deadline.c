/*
 * deadline.c - deadlines of connections that libmicrohttpd does not have.
 *
 * Its timeout starts again with every byte, so a slow client could keep a connection for ever.
 * These count from the beginning of the request, or measure a rate.
 */
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "request/request.h"

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
	slow = client_is_slow(client, &stream->pace, STREAM_SPAN, client->worker->settings->stream_rate,
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
	return client_is_slow(client, &client->pace, client->worker->settings->header_timeout, RATE,
						  &ended);
}

/* Has the time passed that the client has for what it is doing? */
static bool
is_overdue(const Client *client, int64_t now)
{
	const Settings *settings = client->worker->settings;
	const Request *request = client->request;
	int64_t elapsed = now - (request ? request->started : client->since);

	if (request == NULL)
		return client->worker->stopping ||
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
	return (int64_t) request->received < elapsed * RATE / 1000;
}

/* Is an answer being sent, or has one been? */
static bool
is_sent_to(const Client *client)
{
	return client->request == NULL ? client->used : client->request->phase == PHASE_SENDING;
}

void
deadline_tick(Worker *worker, int64_t now)
{
	for (Client *client = worker->clients; client != NULL; client = client->next)
		if (is_sent_to(client) && reads_slowly(client))
			client_reset(client);
		else if (is_overdue(client, now))
			client_end(client);
}
