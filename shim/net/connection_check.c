/*
 * connection_check.c - new connections.
 */
#include <sys/epoll.h>
#include <sys/socket.h>

#include "shim.h"

#define ACCEPT_MAXIMUM 64 /* connections that are taken in one turn */

/* Take one connection; false when there is none, or no room for it. */
static bool
admit(Worker *worker)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	int socket;

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

/* Stop or go on listening: a socket that cannot be accepted would wake the loop without end. */
static void
listen_when(Worker *worker, bool wanted)
{
	struct epoll_event event = {.events = wanted ? EPOLLIN : 0, .data.ptr = &worker->listening};

	epoll_ctl(worker->epoll, EPOLL_CTL_MOD, worker->listener, &event);
	worker->paused = !wanted;
}

/* Somebody is at the door. */
void
door_open(Watch *watch, uint32_t events)
{
	Worker *worker = (Worker *) ((char *) watch - offsetof(Worker, listening));
	int taken = 0;

	(void) events;
	while (taken < ACCEPT_MAXIMUM && admit(worker))
		taken++;
	if (taken == 0)
		listen_when(worker, false);
}

void
door_retry(Worker *worker)
{
	if (worker->paused && !worker->stopping)
		listen_when(worker, true);
}
