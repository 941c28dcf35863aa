/*
 * feed.c - what a worker reads for its listeners.
 *
 * While there are listeners, the worker queries the number of the newest commit every POLL
 * milliseconds.  Only if it has increased, each group reads its new events.  NOTIFY would make this
 * query unnecessary, but it takes a lock that serializes all committing writers.
 *
 * A call that fails is repeated: the place of a group advances only when a page has been read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "database/clients.h"
#include "events/events_internal.h"

#define POLL 40	   /* milliseconds between two questions */
#define AGAIN 1000 /* the same after an error */
#define GRACE 2000 /* milliseconds that a slow listener may hold up the others of its group */

struct EventFeed
{
	Worker *worker;
	EventGroup *groups;
	Call call;
	bool asking;
	int64_t ask_at; /* milliseconds of the monotonic clock */
	int64_t newest; /* number of the newest commit */
};

EventFeed *
events_open(Worker *worker)
{
	EventFeed *feed = calloc(1, sizeof(EventFeed));

	if (feed != NULL)
		feed->worker = worker;
	return feed;
}

void
events_close(EventFeed *feed)
{
	while (feed != NULL && feed->groups != NULL)
	{
		EventGroup *group = feed->groups;

		feed->groups = group->next;
		group_free(group);
	}
	free(feed);
}

EventGroup **
feed_groups(EventFeed *feed)
{
	return &feed->groups;
}

bool
feed_place(Place *place, const char *text)
{
	char *end = NULL;

	if (text == NULL)
		return false;
	place->commit = strtoll(text, &end, 10);
	if (end == text || *end != '-' || strlen(end + 1) >= sizeof(place->log))
		return false;
	strcpy(place->log, end + 1);
	return true;
}

/* The JSON object or number in the reply of a call, NULL after an error; for json_decref(). */
static json_t *
reply_json(const Call *call)
{
	Reply reply;
	CallError error;

	if (error_find(call, &error) || !reply_of_call(call, &reply) || reply.data == NULL)
		return NULL;
	return json_loadb(reply.data, reply.data_length, JSON_DECODE_ANY, NULL);
}

/* Submit a call of the worker itself. */
static void
submit(EventFeed *feed, Call *call)
{
	Worker *worker = feed->worker;

	call->alone = true;
	call->wait_until = worker->now + worker->settings->queue_timeout;
	call->deadline = call->wait_until + worker->settings->call_timeout;
	database_submit(worker->database, call);
}

/* Append the events of a reply; false: it is malformed, or there is no memory. */
static bool
take_events(EventGroup *group, const json_t *events)
{
	for (size_t i = 0; i < json_array_size(events); i++)
	{
		const json_t *item = json_array_get(events, i);
		Event event = {.action = json_string_value(json_object_get(item, "event")),
					   .resource = json_string_value(json_object_get(item, "resource")),
					   .id = json_string_value(json_object_get(item, "id")),
					   .time = json_string_value(json_object_get(item, "time"))};

		if (event.action == NULL || event.resource == NULL || event.id == NULL ||
			event.time == NULL ||
			!feed_place(&event.place, json_string_value(json_object_get(item, "place"))))
			return false;
		if (!group_append(group, &event))
			return false;
		group->place = event.place;
	}
	return true;
}

/* Take a page; false: the same place is to be asked for again. */
static bool
take_page(EventGroup *group, const json_t *page)
{
	Place place;

	if (!take_events(group, json_object_get(page, "events")) ||
		!feed_place(&place, json_string_value(json_object_get(page, "place"))))
		return false;
	group->place = place;
	group->more = json_is_true(json_object_get(page, "more"));
	return true;
}

/* Does the error mean that the caller may listen no more? */
static bool
is_refused(const Call *call)
{
	CallError error;
	int status = error_find(call, &error) ? error_own_status(&error) : 0;

	return status == MHD_HTTP_UNAUTHORIZED || status == MHD_HTTP_FORBIDDEN;
}

static void
page_returned(Call *call)
{
	EventGroup *group = (EventGroup *) ((char *) call - offsetof(EventGroup, call));
	EventFeed *feed = group->feed;
	json_t *page = reply_json(call);
	bool taken = page != NULL && take_page(group, page);

	json_decref(page);
	if (is_refused(call))
		listener_end_all(group, "the credential is not valid any more");
	call_forget_result(call);
	group->asking = false;
	if (!taken)
		group->ask_at = feed->worker->now + AGAIN;
	if (group_drop_empty(group))
		return;
	for (Listener *listener = group->listeners; listener != NULL; listener = listener->next)
		listener_wake(listener);
	if (group->more)
		feed_ask(group);
}

/* There is no room: listeners that hold the others up are ended after a while. */
static void
wait_for_room(EventGroup *group)
{
	int64_t now = group->feed->worker->now;

	if (group->full_from == 0)
		group->full_from = now;
	else if (now - group->full_from > GRACE && group->listeners->next != NULL)
		group_end_slowest(group);
}

void
feed_ask(EventGroup *group)
{
	EventFeed *feed = group->feed;

	if (group->asking || feed->worker->now < group->ask_at || group->listeners == NULL ||
		(group->place.commit >= feed->newest && !group->more))
		return;
	if (!group_has_room(group))
	{
		wait_for_room(group);
		return;
	}
	group->full_from = 0;
	group->more = false;
	group->asking = true;
	snprintf(group->after, sizeof(group->after), "%lld-%s", (long long) group->place.commit,
			 group->place.log);
	group->call = (Call){.spec = &call_specs[CALL_EVENTS],
						 .queue = QUEUE_OWN,
						 .client = group->client,
						 .arguments = {group->after, group->actor},
						 .done = page_returned};
	submit(feed, &group->call);
}

static void
newest_returned(Call *call)
{
	EventFeed *feed = (EventFeed *) ((char *) call - offsetof(EventFeed, call));
	json_t *number = reply_json(call);

	feed->asking = false;
	feed->ask_at = feed->worker->now + (number != NULL ? POLL : AGAIN);
	if (number != NULL)
		feed->newest = json_integer_value(number);
	json_decref(number);
	call_forget_result(call);
	for (EventGroup *group = feed->groups, *next; group != NULL; group = next)
	{
		next = group->next;
		feed_ask(group);
	}
}

void
events_dispatch(EventFeed *feed)
{
	if (feed->groups == NULL || feed->asking || feed->worker->now < feed->ask_at)
		return;
	feed->asking = true;
	feed->call = (Call){
		.spec = &call_specs[CALL_EVENTS_NEWEST], .queue = QUEUE_SHARED, .done = newest_returned};
	submit(feed, &feed->call);
}

int
events_timeout(const EventFeed *feed, int most)
{
	int64_t left = feed->ask_at - feed->worker->now;

	if (feed->groups == NULL || feed->asking || left >= most)
		return most;
	return left > 0 ? (int) left : 0;
}
