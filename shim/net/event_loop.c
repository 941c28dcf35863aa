/*
 * event_loop.c - the epoll instance of a thread.
 */
#include <sys/epoll.h>

#include "net/net.h"

#define EVENTS_MAXIMUM 64 /* events handled in one turn */

static bool
control(const HttpThread *thread, int operation, int file, uint32_t events, Watch *watch)
{
	struct epoll_event event = {.events = events, .data.ptr = watch};

	return epoll_ctl(thread->epoll, operation, file, &event) == 0;
}

bool
event_loop_add(const HttpThread *thread, int file, uint32_t events, Watch *watch)
{
	return control(thread, EPOLL_CTL_ADD, file, events, watch);
}

bool
event_loop_change(const HttpThread *thread, int file, uint32_t events, Watch *watch)
{
	return control(thread, EPOLL_CTL_MOD, file, events, watch);
}

void
event_loop_wait(HttpThread *thread, int milliseconds)
{
	struct epoll_event events[EVENTS_MAXIMUM];
	int count = epoll_wait(thread->epoll, events, EVENTS_MAXIMUM, milliseconds);

	thread->now = clock_now();
	for (int i = 0; i < count; i++)
	{
		Watch *watch = events[i].data.ptr;

		watch->ready(watch, events[i].events);
	}
}
