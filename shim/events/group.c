/*
 * group.c - groups of listeners with the same credentials, which share the events read for them.
 *
 * Events that were read before a listener joined are not sent to it: the caller may no longer see the
 * record.  A listener that starts at an earlier place than that of the existing group gets a group of
 * its own, which reads from there; the listener moves to the older group when it has caught up.
 */
#include <stdlib.h>
#include <string.h>

#include "events/events_internal.h"

static int
compare(const Place *left, const Place *right)
{
	if (left->commit != right->commit)
		return left->commit < right->commit ? -1 : 1;
	return strcmp(left->log, right->log);
}

static Event *
event_at(const EventGroup *group, uint64_t number)
{
	return group->events[number % EVENTS_KEPT];
}

/* Will a group of these credentials read all events behind a place? */
static bool
suits(const EventGroup *group, const char *actor, const Place *place)
{
	return strcmp(group->actor, actor) == 0 && compare(&group->place, place) <= 0;
}

static EventGroup *
group_new(EventFeed *feed, const Place *place, const char *actor, uint64_t client)
{
	EventGroup **last = feed_groups(feed);
	EventGroup *group = calloc(1, sizeof(EventGroup));

	if (group == NULL || (group->actor = strdup(actor)) == NULL)
	{
		free(group);
		return NULL;
	}
	group->feed = feed;
	group->client = client;
	group->place = *place;
	while (*last != NULL)
		last = &(*last)->next;
	*last = group;
	return group;
}

void
group_free(EventGroup *group)
{
	while (group->first < group->end)
		free(event_at(group, group->first++));
	free(group->actor);
	free(group);
}

bool
group_drop_empty(EventGroup *group)
{
	EventGroup **place = feed_groups(group->feed);

	if (group->listeners != NULL || group->asking)
		return false;
	while (*place != group)
		place = &(*place)->next;
	*place = group->next;
	group_free(group);
	return true;
}

static void
enter(EventGroup *group, Listener *listener)
{
	listener->group = group;
	listener->previous = NULL;
	listener->next = group->listeners;
	if (listener->next != NULL)
		listener->next->previous = listener;
	group->listeners = listener;
	listener->next_event = group->end;
}

bool
group_join(EventFeed *feed, Listener *listener, const char *actor, uint64_t client)
{
	EventGroup *group = *feed_groups(feed);

	while (group != NULL && !suits(group, actor, &listener->place))
		group = group->next;
	if (group == NULL)
		group = group_new(feed, &listener->place, actor, client);
	if (group == NULL)
		return false;
	enter(group, listener);
	return true;
}

void
group_leave(Listener *listener)
{
	EventGroup *group = listener->group;

	if (listener->next != NULL)
		listener->next->previous = listener->previous;
	if (listener->previous != NULL)
		listener->previous->next = listener->next;
	else
		group->listeners = listener->next;
	listener->group = NULL;
	group_drop_empty(group);
}

void
group_merge(Listener *listener)
{
	const EventGroup *group = listener->group;
	EventGroup *older = *feed_groups(group->feed);

	if (compare(&listener->place, &group->place) < 0)
		listener->place = group->place;
	while (older != group && !suits(older, group->actor, &listener->place))
		older = older->next;
	if (older == group)
		return;
	group_leave(listener);
	enter(older, listener);
}

const Event *
group_next(Listener *listener)
{
	const EventGroup *group = listener->group;

	while (listener->next_event < group->end)
	{
		const Event *event = event_at(group, listener->next_event);

		if (compare(&event->place, &listener->place) > 0)
			return event;
		listener->next_event++;
	}
	return NULL;
}

/* Copy a text to the given memory, which is advanced behind it. */
static const char *
copy_text(char **memory, const char *text)
{
	const char *copy = *memory;

	*memory = stpcpy(*memory, text) + 1;
	return copy;
}

bool
group_append(EventGroup *group, const Event *event)
{
	size_t length = strlen(event->action) + strlen(event->resource) + strlen(event->id) +
					strlen(event->time) + 4;
	Event *copy = malloc(sizeof(Event) + length);
	char *memory;

	if (copy == NULL)
		return false;
	memory = (char *) (copy + 1);
	copy->place = event->place;
	copy->action = copy_text(&memory, event->action);
	copy->resource = copy_text(&memory, event->resource);
	copy->id = copy_text(&memory, event->id);
	copy->time = copy_text(&memory, event->time);
	group->events[group->end++ % EVENTS_KEPT] = copy;
	return true;
}

/* The number of the oldest event that a listener has not got yet. */
static uint64_t
oldest_wanted(const EventGroup *group)
{
	uint64_t oldest = group->end;

	for (const Listener *listener = group->listeners; listener != NULL; listener = listener->next)
		if (listener->ending == NULL && listener->next_event < oldest)
			oldest = listener->next_event;
	return oldest;
}

bool
group_has_room(EventGroup *group)
{
	uint64_t wanted = oldest_wanted(group);

	while (group->first < wanted)
		free(event_at(group, group->first++));
	return EVENTS_KEPT - (group->end - group->first) >= EVENTS_PAGE;
}

void
group_end_slowest(EventGroup *group)
{
	for (Listener *listener = group->listeners; listener != NULL; listener = listener->next)
		if (listener->ending == NULL && group->end - listener->next_event > EVENTS_PAGE)
		{
			listener->ending = "events come faster than they are read";
			listener_wake(listener);
		}
}
