/*
 * listener.c - a request that listens to change events, and what it is sent (text/event-stream).
 *
 * The id of an event is that of its log record.  A client that reconnects with Last-Event-ID continues
 * after that record.  Events are formatted when libmicrohttpd has room, so a listener has no buffer.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <jansson.h>

#include "answer/envelope.h"
#include "database/clients.h"
#include "events/events_internal.h"
#include "net/header.h"

#define BLOCK_SIZE 4096	  /* bytes that libmicrohttpd asks for at most */
#define HEARTBEAT 15000	  /* milliseconds without an event until a comment is sent */
#define RECONNECTION 2000 /* milliseconds after which a client connects again */
#define PART_SIZE \
	768 /* bytes that a part of the stream takes at most, without the base of a link */
#define HANGUP_EVERY 1000 /* milliseconds between two looks for clients that have gone */

void
listener_wake(Listener *listener)
{
	if (!listener->suspended)
		return;
	listener->suspended = false;
	client_resume(listener->request->client);
}

/* End a listener; the reason is sent as a comment. */
static void
end_listener(Listener *listener, const char *reason)
{
	if (listener->ending == NULL)
		listener->ending = reason;
	listener_wake(listener);
}

void
listener_end_all(EventGroup *group, const char *reason)
{
	for (Listener *listener = group->listeners; listener != NULL; listener = listener->next)
		end_listener(listener, reason);
}

/* Is a text in a list up to a NULL?  No list has all. */
static bool
has(const char *const *list, const char *text)
{
	if (list == NULL)
		return true;
	for (; *list != NULL; list++)
		if (strcmp(*list, text) == 0)
			return true;
	return false;
}

/* Does the listener want the event?  What concerns all records of a resource concerns each. */
static bool
wants(const Listener *listener, const Event *event)
{
	return has(listener->resources, event->resource) &&
		   (strcmp(event->id, "*") == 0 || has(listener->ids, event->id));
}

/* Append an event; its link is that of the record, or of all. */
static void
write_event(Buffer *text, const Listener *listener, const Event *event)
{
	bool all = strcmp(event->id, "*") == 0;
	const char *words[] = {event->resource, all ? NULL : event->id, NULL};

	buffer_format(text,
				  "id: %s\nevent: %s\ndata: {\"resource\":\"%s\",\"id\":\"%s\",\"action\":\"%s\","
				  "\"time\":\"%s\",\"link\":\"",
				  event->place.log, event->action, event->resource, event->id, event->action,
				  event->time);
	link_words(text, listener->request, words);
	buffer_text(text, "\"}\n\n");
}

/* Append what a listener is sent first: an id alone changes the last one that the client knows. */
static void
write_beginning(Buffer *text, const Listener *listener)
{
	buffer_format(text, "retry: %d\nid: %s\n", RECONNECTION, listener->last);
	if (listener->reset)
		buffer_text(text,
					"event: reset\ndata: {\"action\":\"reset\",\"message\":\"the log does not "
					"have the last event any more: events may be missing\"}\n");
	buffer_text(text, "\n");
}

/* Append the next part of the stream; false: there is nothing to send now. */
static bool
write_next(Buffer *text, Listener *listener)
{
	const Event *event;

	if (!listener->begun)
	{
		listener->begun = true;
		write_beginning(text, listener);
		return true;
	}
	/* for a listener that is ending, the group does not keep events any more */
	while (listener->ending == NULL && (event = group_next(listener)) != NULL)
	{
		listener->next_event++;
		if (!wants(listener, event))
			continue;
		write_event(text, listener, event);
		listener->request->worker->events_sent++;
		return true;
	}
	if (listener->ending == NULL || listener->ended)
		return false;
	listener->ended = true;
	buffer_format(text, ": %s\n\n", listener->ending);
	return true;
}

/* Compose parts of the stream as long as there is room; returns the number of bytes. */
static size_t
compose(Listener *listener, char *bytes, size_t room)
{
	size_t most = PART_SIZE + strlen(listener->request->base);
	size_t used = 0;
	Buffer text;

	buffer_init(&text, most);
	while (room - used >= most && write_next(&text, listener) && !text.failed)
	{
		memcpy(bytes + used, text.data, text.length);
		used += text.length;
		buffer_clear(&text);
	}
	if (text.failed)
		end_listener(listener, "out of memory");
	buffer_free(&text);
	return used;
}

/* Is there nothing to send until something happens?  A comment shows that the connection is open. */
static bool
is_quiet(const Listener *listener)
{
	return !listener->ended && listener->request->worker->now - listener->sent_at < HEARTBEAT;
}

/* libmicrohttpd asks for the next bytes of the body. */
static ssize_t
read_events(void *cls, uint64_t position, char *bytes, size_t room)
{
	static const char heartbeat[] = ":\n\n";
	Request *request = cls;
	Listener *listener = request->listener;
	size_t used = compose(listener, bytes, room);

	(void) position;
	if (used == 0 && listener->group->place.commit > 0)
		group_merge(listener);
	if (used == 0)
		used = compose(listener, bytes, room);
	if (used == 0 && listener->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (used == 0 && is_quiet(listener))
	{
		listener->suspended = true;
		client_suspend(request->client);
		return 0;
	}
	if (used == 0)
	{
		used = strlen(heartbeat);
		memcpy(bytes, heartbeat, used);
	}
	listener->sent_at = request->worker->now;
	return (ssize_t) used;
}

static struct MHD_Response *
response_of(Request *request)
{
	return stream_unsized(request, BLOCK_SIZE, read_events);
}

/* The strings of an array in the memory of the request, up to a NULL; NULL if it is empty. */
static const char **
list_of(Request *request, const json_t *array)
{
	size_t count = json_array_size(array);
	const char **list =
		count > 0 ? arena_zeroed(&request->arena, (count + 1) * sizeof(char *)) : NULL;

	for (size_t i = 0; i < count && list != NULL; i++)
	{
		const char *word = json_string_value(json_array_get(array, i));

		list[i] = word != NULL ? arena_text(&request->arena, word, strlen(word)) : "";
	}
	return list;
}

/* A listener for the request, which is in no group yet; NULL: the reply is malformed, or no memory. */
static Listener *
listener_of(Request *request, const json_t *start)
{
	const char *last = json_string_value(json_object_get(start, "last"));
	Listener *listener = arena_zeroed(&request->arena, sizeof(Listener));

	if (listener == NULL || last == NULL ||
		!feed_place(&listener->place, json_string_value(json_object_get(start, "place"))))
		return NULL;
	listener->request = request;
	listener->last = arena_text(&request->arena, last, strlen(last));
	listener->reset = json_is_true(json_object_get(start, "reset"));
	listener->resources = list_of(request, json_object_get(start, "resources"));
	listener->ids = list_of(request, json_object_get(start, "ids"));
	listener->expires = request->auth->expires;
	listener->sent_at = request->worker->now;
	return listener;
}

/* The database has said where the listener starts. */
static StageResult
started(Request *request)
{
	Worker *worker = request->worker;
	Listener *listener = NULL;
	json_t *start = NULL;
	Reply reply;

	if (reply_of_call(request->call, &reply) && reply.data != NULL)
		start = json_loadb(reply.data, reply.data_length, 0, NULL);
	if (start != NULL)
		listener = listener_of(request, start);
	json_decref(start);
	if (listener == NULL)
		return error_set(request, MHD_HTTP_INTERNAL_SERVER_ERROR, NULL);
	answer_status(request, MHD_HTTP_OK);
	request->answer.type = EVENTS_TYPE;
	request->answer.stream = response_of;
	answer_field(request, "Cache-Control", "no-store");
	answer_field(request, "X-Accel-Buffering", "no");
	if (request->verb == VERB_HEAD)
		return ANSWERED;
	if (!group_join(worker->events_feed, listener, request->actor, client_key_of_stream(request)))
		return error_set(request, MHD_HTTP_INTERNAL_SERVER_ERROR, NULL);
	request->listener = listener;
	worker->listeners++;
	return ANSWERED;
}

/* How many listeners of the thread belong to a client. */
static int64_t
count_of(const Worker *worker, uint64_t client)
{
	int64_t count = 0;

	for (const Client *other = worker->clients; other != NULL; other = other->next)
		count += other->request != NULL && other->request->listener != NULL &&
				 client_key_of_stream(other->request) == client;
	return count;
}

StageResult
events_listen(Request *request)
{
	Worker *worker = request->worker;
	int64_t left = worker->settings->event_listeners - worker->listeners;

	/* as in the queue of calls, a client may take as much as it leaves to others */
	if (left <= 0 ||
		(left < worker->listeners && count_of(worker, client_key_of_stream(request)) >= left))
	{
		request->answer.retry_after = 5;
		return error_set(request, MHD_HTTP_SERVICE_UNAVAILABLE, "there are too many listeners");
	}
	return call_start(request, CALL_EVENTS_START, started);
}

void
events_leave(Request *request)
{
	if (request->listener == NULL)
		return;
	group_leave(request->listener);
	request->listener = NULL;
	request->worker->listeners--;
}

/* Has the client closed the connection?  libmicrohttpd does not look while it is suspended. */
static bool
has_gone(const Listener *listener)
{
	char byte;

	return recv(listener->request->client->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void
check(Listener *listener, const Worker *worker)
{
	bool look = worker->now >= listener->look_at;

	if (look)
		listener->look_at = worker->now + HANGUP_EVERY;
	if (worker->stopping)
		end_listener(listener, "the service ends");
	else if (listener->expires > 0 && listener->expires <= (int64_t) time(NULL))
		end_listener(listener, "the credential has expired");
	else if (look && has_gone(listener))
		end_listener(listener, "closed by the client");
	if (!is_quiet(listener))
		listener_wake(listener);
}

void
events_tick(const Worker *worker)
{
	const EventGroup *group = *feed_groups(worker->events_feed);

	for (; group != NULL; group = group->next)
		for (Listener *listener = group->listeners; listener != NULL; listener = listener->next)
			check(listener, worker);
}
