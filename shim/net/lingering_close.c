/*
 * lingering_close.c - connections that are closed when the client has stopped sending.
 *
 * A client may still be sending a body when the answer that refuses it is sent.  If the socket were
 * closed then, the kernel would reset the connection, and many clients would discard the answer.
 * Therefore what they send is read and discarded for a while.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/net.h"

#define SPAN 10000 /* milliseconds until such a connection is closed */
#define READS 16   /* reads from one connection in a turn of the loop */

typedef struct LingeringClose LingeringClose;
struct LingeringClose
{
	Watch watch;
	LingeringClose *next;
	int socket;
	int64_t until;
};

/* Bytes have been received, or the client has closed the connection. */
static void
discard(Watch *watch, uint32_t events)
{
	LingeringClose *closing = (LingeringClose *) watch;
	char bytes[16384];
	ssize_t got = 1;

	(void) events;
	for (int i = 0; i < READS && got > 0; i++)
		got = recv(closing->socket, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_TRUNC);
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		closing->until = 0;
}

void
lingering_close_start(Worker *worker, int socket)
{
	LingeringClose *closing = calloc(1, sizeof(LingeringClose));

	if (closing == NULL)
		return;
	closing->watch.ready = discard;
	closing->until = worker->now + SPAN;
	closing->socket = fcntl(socket, F_DUPFD_CLOEXEC, 0);
	if (closing->socket < 0 || shutdown(closing->socket, SHUT_WR) != 0 ||
		!event_loop_add(worker, closing->socket, EPOLLIN | EPOLLRDHUP, &closing->watch))
	{
		close(closing->socket);
		free(closing);
		return;
	}
	closing->next = worker->lingering;
	worker->lingering = closing;
}

void
lingering_close_tick(Worker *worker, int64_t now)
{
	LingeringClose **place = &worker->lingering;

	while (*place != NULL)
	{
		LingeringClose *closing = *place;

		if (closing->until > now)
		{
			place = &closing->next;
			continue;
		}
		*place = closing->next;
		close(closing->socket);
		free(closing);
	}
}
