/*
 * events_internal.h - listeners and the events that they share, for the files of events/.
 */
#ifndef EVENTS_INTERNAL_H
#define EVENTS_INTERNAL_H

#include "events/events.h"

#define EVENTS_PAGE 128 /* events that one call returns at most, as catalogue.events() has it */
#define EVENTS_KEPT 512 /* events that a group keeps at most for listeners that read slowly */

/* A place in the order of events: behind a log record of a commit. */
typedef struct Place
{
	int64_t commit;
	char log[ID_MAXIMUM + 1];
} Place;

typedef struct Event
{
	Place place;
	const char *action; /* the texts are in the memory of the event */
	const char *resource;
	const char *id;
	const char *time;
} Event;

typedef struct Listener Listener;

/* Listeners with the same credentials, and the events that are read for them. */
typedef struct EventGroup
{
	struct EventGroup *next;
	EventFeed *feed;
	char *actor; /* argument of calls */
	uint64_t client;
	Listener *listeners;
	Event *events[EVENTS_KEPT]; /* the event of a number is at its remainder */
	uint64_t first;				/* number of the first event that is kept */
	uint64_t end;				/* behind the last */
	Place place;				/* behind which the next call goes on */
	char after[64];				/* that place as an argument */
	bool asking;
	bool more;		   /* there may be more events at once */
	int64_t ask_at;	   /* after an error: not before, milliseconds of the monotonic clock */
	int64_t full_from; /* since when no page has had room; 0: there is room */
	Call call;
} EventGroup;

struct Listener
{
	Listener *previous;
	Listener *next;
	EventGroup *group;
	Request *request;
	const char **resources; /* those that it wants, up to a NULL; NULL: all */
	const char **ids;
	const char *last; /* id of the last event that it has */
	Place place;	  /* behind which its events begin */
	uint64_t next_event;
	bool reset; /* events before that place may be missing */
	bool begun; /* the first line was sent */
	bool suspended;
	bool ended;			/* the last bytes were sent */
	const char *ending; /* why it must end; NULL: it goes on */
	int64_t expires;	/* of its credential, seconds of the epoch; 0: never */
	int64_t sent_at;	/* milliseconds of the monotonic clock */
	int64_t look_at;	/* when to look whether the client is still there */
};

/* listener.c */
/* Have libmicrohttpd ask for bytes. */
extern void listener_wake(Listener *listener);
/* End all listeners of a group. */
extern void listener_end_all(EventGroup *group, const char *reason);

/* group.c */
/* Add the listener to a group of its credentials that will read all events behind its place, which is
 * made if there is none; false: no memory. */
extern bool group_join(EventFeed *feed, Listener *listener, const char *actor, uint64_t client);
/* Take the listener out of its group, which is freed with the last one. */
extern void group_leave(Listener *listener);
/* Free a group that has no listeners and no running call; false if it has one of these. */
extern bool group_drop_empty(EventGroup *group);
/* A listener has got all events of its group: move it to an older one that goes on from there. */
extern void group_merge(Listener *listener);
/* The next event for the listener, NULL if there is none yet. */
extern const Event *group_next(Listener *listener);
/* Append an event; false: no memory. */
extern bool group_append(EventGroup *group, const Event *event);
/* Is there room for a page of events?  Those that all listeners have got are dropped for it. */
extern bool group_has_room(EventGroup *group);
/* End the listeners for which the group has to keep its oldest events. */
extern void group_end_slowest(EventGroup *group);
extern void group_free(EventGroup *group);

/* feed.c */
/* The groups of a worker, the oldest first. */
extern EventGroup **feed_groups(EventFeed *feed);
/* Parse a place; false: malformed. */
extern bool feed_place(Place *place, const char *text);
/* Ask for the events of a group, if there are any and there is room. */
extern void feed_ask(EventGroup *group);

#endif
