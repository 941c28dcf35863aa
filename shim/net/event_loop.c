/*
 * event_loop.c - the epoll instance of a worker.
 */
#include <sys/epoll.h>

#include "net/net.h"

#define EVENTS_MAXIMUM 64 /* events handled in one turn */

static bool
control(const Worker *worker, int operation, int file, uint32_t events, Watch *watch)
{
	struct epoll_event event = {.events = events, .data.ptr = watch};

	return epoll_ctl(worker->epoll, operation, file, &event) == 0;
}

bool
event_loop_add(const Worker *worker, int file, uint32_t events, Watch *watch)
{
	return control(worker, EPOLL_CTL_ADD, file, events, watch);
}

bool
event_loop_change(const Worker *worker, int file, uint32_t events, Watch *watch)
{
	return control(worker, EPOLL_CTL_MOD, file, events, watch);
}

void
event_loop_wait(Worker *worker, int milliseconds)
{
	struct epoll_event events[EVENTS_MAXIMUM];
	int count = epoll_wait(worker->epoll, events, EVENTS_MAXIMUM, milliseconds);

	worker->now = clock_now();
	for (int i = 0; i < count; i++)
	{
		Watch *watch = events[i].data.ptr;

		watch->ready(watch, events[i].events);
	}
}
