/*
 * connection_accept.c - new connections.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "net/net.h"

#define ACCEPT_MAXIMUM 64 /* connections accepted in one turn */

/* Accept one connection; false if there is none, with errno EAGAIN, or no room for it. */
static bool
accept_one(Worker *worker)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	int socket;

	errno = 0;
	if (worker->connections >= worker->settings->connections)
		return false;
	socket = accept4(worker->listener, (struct sockaddr *) &address, &length,
					 SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (socket < 0)
		return false;
	/* on failure the daemon has closed the socket */
	(void) MHD_add_connection(worker->daemon, socket, (struct sockaddr *) &address, length);
	return true;
}

/* Pause or resume listening: connections that cannot be accepted would wake the loop at once. */
static void
set_listening(Worker *worker, bool wanted)
{
	event_loop_change(worker, worker->listener, wanted ? EPOLLIN : 0, &worker->listening);
	worker->paused = !wanted;
}

void
connection_accept_ready(Watch *watch, uint32_t events)
{
	Worker *worker = (Worker *) ((char *) watch - offsetof(Worker, listening));
	int accepted = 0;

	(void) events;
	while (accepted < ACCEPT_MAXIMUM && accept_one(worker))
		accepted++;
	/* another thread may have accepted it, where the threads share a socket */
	if (accepted == 0 && errno != EAGAIN)
		set_listening(worker, false);
}

void
connection_accept_retry(Worker *worker)
{
	if (worker->paused && !worker->stopping)
		set_listening(worker, true);
}
