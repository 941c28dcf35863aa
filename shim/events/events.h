/*
 * events.h - GET /events: change events as they are committed, to clients that keep listening.
 *
 * feed.c reads the events, once for all listeners with the same credentials; group.c keeps them until
 * all of these have received them; listener.c sends them.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include "answer/answer.h"
#include "auth/auth.h"
#include "shim.h"

#define EVENTS_TYPE "text/event-stream"

/* listener.c: the requests that listen */
/* Start to listen: a call, and then an answer without an end.  503: there are too many listeners. */
extern StageResult events_listen(Request *request);
/* The request ends: it listens no more. */
extern void events_leave(Request *request);
/* Send what keeps connections open, end those that are over; to be called several times a second. */
extern void events_tick(const Worker *worker);

/* feed.c: what a worker reads */
typedef struct EventFeed EventFeed;

/* NULL: no memory. */
extern EventFeed *events_open(Worker *worker);
/* To be called when no request is left. */
extern void events_close(EventFeed *feed);
/* Ask for new events when that is due; to be called in each turn of the loop. */
extern void events_dispatch(EventFeed *feed);
/* Milliseconds until that is due; at most the given number. */
extern int events_timeout(const EventFeed *feed, int most);

#endif
