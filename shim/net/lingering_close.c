/*
 * lingering_close.c - connections that are closed when the client has stopped sending.
 *
 * A body that is refused may still be on its way when the answer is.  If the socket were closed
 * then, the system would tell the client that its bytes are lost, and many would forget the answer
 * for that.  So what comes is read and forgotten for a while.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shim.h"

#define SPAN 10000 /* milliseconds that a connection is kept so */
#define READS 16   /* pieces that are read of one in a turn */

struct Linger
{
	Watch watch;
	Linger *next;
	int socket; /* -1: it is over */
	int64_t until;
};

/* Something has come, or the end. */
static void
read_on(Watch *watch, uint32_t events)
{
	Linger *linger = (Linger *) watch;
	char bytes[16384];
	ssize_t got = 1;

	(void) events;
	for (int i = 0; i < READS && got > 0; i++)
		got = recv(linger->socket, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_TRUNC);
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		linger->until = 0;
}

void
linger_open(Worker *worker, int socket)
{
	Linger *linger = calloc(1, sizeof(Linger));

	if (linger == NULL)
		return;
	linger->watch.ready = read_on;
	linger->until = worker->now + SPAN;
	linger->socket = fcntl(socket, F_DUPFD_CLOEXEC, 0);
	if (linger->socket < 0 || shutdown(linger->socket, SHUT_WR) != 0 ||
		!server_watch(worker, linger->socket, EPOLLIN | EPOLLRDHUP, &linger->watch))
	{
		close(linger->socket);
		free(linger);
		return;
	}
	linger->next = worker->lingering;
	worker->lingering = linger;
}

/* End those whose time is over. */
void
linger_reap(Worker *worker, int64_t now)
{
	Linger **place = &worker->lingering;

	while (*place != NULL)
	{
		Linger *linger = *place;

		if (linger->until > now)
		{
			place = &linger->next;
			continue;
		}
		*place = linger->next;
		close(linger->socket);
		free(linger);
	}
}

void
linger_close(Worker *worker)
{
	linger_reap(worker, INT64_MAX);
}
