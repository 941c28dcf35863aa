/*
 * object_client.c - libcurl's transfers in the event loop of a thread.
 *
 * The sockets of libcurl are in an epoll instance of their own, whose descriptor the loop watches, so
 * that no watch outlives its socket.
 */
#include <sys/epoll.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/log.h"
#include "net/net.h"
#include "net/object_client.h"

#define EVENTS_MAXIMUM 16
#define CONNECTIONS 64L /* to the store, of a thread; further requests wait */
#define EARLY 4 /* of the setting memory this part, besides it, is for what is asked for early */
#define ROOM 32 /* reads at once, of a thread, besides which none are begun early */

struct ObjectClient
{
	Watch watch;
	HttpThread *thread;
	CURLM *multi;
	int epoll;
	int64_t early;	   /* bytes that may still be asked for early */
	int reads;		   /* that are being made */
	int64_t due;	   /* when libcurl is to be called; -1: it need not be */
	uint64_t ended[2]; /* reads: without, with the bytes */
};

/* libcurl waits for events of a socket, or not any more. */
static int
watch_socket(CURL *curl, curl_socket_t socket, int what, void *data, void *known)
{
	ObjectClient *client = data;
	struct epoll_event event = {.data.fd = socket};

	event.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
	if (what == CURL_POLL_REMOVE)
		epoll_ctl(client->epoll, EPOLL_CTL_DEL, socket, NULL);
	else if (epoll_ctl(client->epoll, EPOLL_CTL_ADD, socket, &event) != 0)
		epoll_ctl(client->epoll, EPOLL_CTL_MOD, socket, &event);
	return 0;
}

static int
set_timer(CURLM *multi, long milliseconds, void *data)
{
	ObjectClient *client = data;

	client->due = milliseconds < 0 ? -1 : client->thread->now + milliseconds;
	return 0;
}

/* A read has ended, or cannot be begun: count it, and log a failure. */
static void
count(const ObjectRead *read, bool good)
{
	if (read->thread->objects != NULL)
		read->thread->objects->ended[good]++;
	if (good)
		return;
	log_event(read->thread->settings->log, LOG_ERROR, "object store failed", "GET %s: %s",
			  read->request.key, read->request.reason);
}

/* Send the request of a read. */
static bool
start(ObjectRead *read)
{
	ObjectClient *client = read->thread->objects;

	read->busy = object_store_prepare(&read->request, read->thread->settings) && client != NULL &&
				 curl_multi_add_handle(client->multi, read->request.curl) == CURLM_OK;
	if (read->busy)
		client->reads++;
	else
		count(read, false);
	return read->busy;
}

/* Take the transfer of a read from libcurl, where it is there. */
static void
leave(ObjectRead *read)
{
	if (!read->busy)
		return;
	curl_multi_remove_handle(read->thread->objects->multi, read->request.curl);
	read->thread->objects->reads--;
	read->busy = false;
}

/* A transfer has ended with a CURLcode. */
static void
end_read(ObjectRead *read, int code)
{
	ObjectEnd end;

	leave(read);
	end = object_store_end(&read->request, code);
	/* a store answers with an error now and then */
	if (end == OBJECT_AWAY && !read->again)
	{
		read->again = true;
		if (!start(read))
			read->done(read, false);
		return;
	}
	count(read, end == OBJECT_DONE);
	read->done(read, end == OBJECT_DONE);
}

/* Take the transfers that have ended. */
static void
take_ended(ObjectClient *client)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(client->multi, &left)) != NULL)
	{
		CURLcode code = message->data.result;
		char *read = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &read);
		end_read((ObjectRead *) (void *) read, code);
	}
}

/* Sockets have events. */
static void
act(Watch *watch, uint32_t events)
{
	ObjectClient *client = (ObjectClient *) watch;
	struct epoll_event ready[EVENTS_MAXIMUM];
	int count = epoll_wait(client->epoll, ready, EVENTS_MAXIMUM, 0);
	int running;

	for (int i = 0; i < count; i++)
	{
		int mask = (ready[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
				   (ready[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
				   (ready[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);

		curl_multi_socket_action(client->multi, ready[i].data.fd, mask, &running);
	}
	take_ended(client);
}

void
object_client_turn(ObjectClient *client)
{
	int running;

	if (client == NULL || client->due < 0 || client->thread->now < client->due)
		return;
	client->due = -1;
	curl_multi_socket_action(client->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	take_ended(client);
}

bool
object_client_reserve(ObjectClient *client, int64_t bytes)
{
	bool good = client != NULL && client->early >= bytes;

	if (good)
		client->early -= bytes;
	return good;
}

void
object_client_release(ObjectClient *client, int64_t bytes)
{
	client->early += bytes;
}

bool
object_client_has_room(const ObjectClient *client)
{
	return client != NULL && client->reads < ROOM;
}

uint64_t
object_client_count(const ObjectClient *client, bool given)
{
	return client != NULL ? client->ended[given] : 0;
}

int
object_client_timeout(const ObjectClient *client, int most)
{
	int64_t left = client != NULL && client->due >= 0 ? client->due - client->thread->now : most;

	return left < 0 ? 0 : left < most ? (int) left : most;
}

/* Keep bytes of the answer, of which there are no more than the range has. */
static bool
keep(void *target, const char *bytes, size_t length)
{
	ObjectRead *read = target;

	memcpy(read->bytes + read->request.taken - length, bytes, length);
	return true;
}

bool
object_client_read(ObjectRead *read, int64_t first, int64_t length)
{
	free(read->bytes);
	read->bytes = malloc((size_t) length);
	read->request.verb = OBJECT_GET;
	read->request.first = first;
	read->request.length = length;
	read->request.take = keep;
	read->request.target = read;
	read->again = false;
	return read->bytes != NULL && start(read);
}

void
object_client_end(ObjectRead *read)
{
	leave(read);
	object_store_close(&read->request);
	free(read->bytes);
	read->bytes = NULL;
}

ObjectClient *
object_client_open(HttpThread *thread)
{
	ObjectClient *client = calloc(1, sizeof(ObjectClient));

	if (client == NULL)
		return NULL;
	*client =
		(ObjectClient){.watch = {act},
					   .thread = thread,
					   .early = thread->settings->memory / config_threads(thread->settings) / EARLY,
					   .multi = curl_multi_init(),
					   .epoll = epoll_create1(EPOLL_CLOEXEC),
					   .due = -1};
	if (client->multi != NULL && client->epoll >= 0 &&
		curl_multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, watch_socket) == CURLM_OK &&
		curl_multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client) == CURLM_OK &&
		curl_multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, set_timer) == CURLM_OK &&
		curl_multi_setopt(client->multi, CURLMOPT_TIMERDATA, client) == CURLM_OK &&
		curl_multi_setopt(client->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, CONNECTIONS) == CURLM_OK &&
		event_loop_add(thread, client->epoll, EPOLLIN, &client->watch))
		return client;
	object_client_close(client);
	return NULL;
}

void
object_client_close(ObjectClient *client)
{
	if (client == NULL)
		return;
	curl_multi_cleanup(client->multi);
	if (client->epoll >= 0)
		close(client->epoll);
	free(client);
}
