/*
 * receive.c - connections of clients: accepted, read for libmicrohttpd, closed.
 *
 * The library reads sockets by recv(), which is the function here: a symbol of the program takes
 * precedence over that of the C library.  Bytes of a client's connection pass through framing.c;
 * other sockets are read as usual.  Each start verifies that the library calls this function.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/net.h"

#define READ_SIZE 16384 /* bytes that are read of a socket at once */
#define SOCKETS_MORE 256

/* The thread that executes this. */
static _Thread_local HttpThread *receiving;

void
receive_for(HttpThread *thread)
{
	receiving = thread;
}

void
receive_close(HttpThread *thread)
{
	receiving = NULL;
	free(thread->by_socket);
}

/* Read the client's socket through its framing; false: no memory. */
bool
receive_begin(Client *client)
{
	HttpThread *thread = client->thread;
	size_t wanted = (size_t) client->socket + 1;

	framing_init(&client->framing);
	if (client->socket < 0)
		return false;
	if (wanted > thread->sockets)
	{
		Client **by_socket = realloc(thread->by_socket, (wanted + SOCKETS_MORE) * sizeof(Client *));

		if (by_socket == NULL)
			return false;
		memset(by_socket + thread->sockets, 0,
			   (wanted + SOCKETS_MORE - thread->sockets) * sizeof(Client *));
		thread->by_socket = by_socket;
		thread->sockets = wanted + SOCKETS_MORE;
	}
	thread->by_socket[client->socket] = client;
	return true;
}

void
receive_end(Client *client)
{
	HttpThread *thread = client->thread;

	framing_free(&client->framing);
	if (client->socket >= 0 && (size_t) client->socket < thread->sockets)
		thread->by_socket[client->socket] = NULL;
}

/* Return bytes that were written for the library before. */
static size_t
give_pending(Client *client, char *bytes, size_t size)
{
	size_t length = client->pending_length < size ? client->pending_length : size;

	memcpy(bytes, client->pending, length);
	client->pending_length -= length;
	memmove(client->pending, client->pending + length, client->pending_length);
	return length;
}

/* Read once from the socket, at most size bytes, and write what framing.c makes of them. */
static ssize_t
read_once(Client *client, char *bytes, size_t size, size_t *written)
{
	Framing *framing = &client->framing;
	char raw[READ_SIZE];
	char out[READ_SIZE + FRAMING_GROWTH];
	size_t length;
	ssize_t got;

	*written = 0;
	/* How many of the next bytes of the connection can be passed on unchanged? */
	if ((framing->state == FRAMING_BODY || framing->state == FRAMING_CHUNK ? framing->left : 0) >=
		size)
	{
		got = recvfrom(client->socket, bytes, size, 0, NULL, NULL);
		*written = got > 0 ? (size_t) got : 0;
		framing_pass(framing, *written);
		return got;
	}
	got = recvfrom(client->socket, raw, size < READ_SIZE ? size : READ_SIZE, 0, NULL, NULL);
	if (got <= 0)
		return got;
	length = framing_read(framing, raw, (size_t) got, out);
	*written = length < size ? length : size;
	memcpy(bytes, out, *written);
	if (length - *written > sizeof(client->pending))
	{
		framing->failed = true;
		return got;
	}
	client->pending_length = length - *written;
	memcpy(client->pending, out + *written, client->pending_length);
	return got;
}

/*
 * Like recv().  If the library receives fewer bytes than it asked for, it concludes that the socket
 * is empty and waits for the next event, so the socket is read until that is true.  In the middle of
 * a request, the end of the stream may have come with the last bytes: it is another read, and as its
 * event has passed, shutdown() makes one, upon which the library reads again.
 */
static ssize_t
receive(Client *client, char *bytes, size_t size)
{
	Framing *framing = &client->framing;
	size_t filled = give_pending(client, bytes, size);
	bool begun = framing_in_head(framing);
	ssize_t got = 0;

	errno = EAGAIN;
	while (filled < size && framing->state != FRAMING_REFUSED)
	{
		size_t wanted = size - filled < READ_SIZE ? size - filled : READ_SIZE;
		size_t written;

		got = read_once(client, bytes + filled, wanted, &written);
		filled += written;
		/* Is everything that was received a part of whole requests? */
		if (got <= 0 || framing->failed ||
			(got < (ssize_t) wanted && framing->state == FRAMING_HEAD && framing->part.length == 0))
			break;
	}
	/* the time limit of a head begins with its first byte, as for the first one */
	if (!begun && framing_in_head(framing) && client->request == NULL && client->used)
		client->since = client->thread->now;
	if (framing->failed)
		errno = ENOMEM;
	else if (filled > 0)
	{
		if (got == 0)
			shutdown(client->socket, SHUT_RD);
		return (ssize_t) filled;
	}
	else if (got > 0)
		errno = EAGAIN;
	return got == 0 && framing->state != FRAMING_REFUSED && !framing->failed ? 0 : -1;
}

/* What the library calls: recv() of this program. */
extern ssize_t receive_any(int socket, void *bytes, size_t size, int flags) __asm__("recv");

ssize_t
receive_any(int socket, void *bytes, size_t size, int flags)
{
	if (receiving != NULL && socket >= 0 && (size_t) socket < receiving->sockets &&
		receiving->by_socket[socket] != NULL && flags == 0)
		return receive(receiving->by_socket[socket], bytes, size);
	return recvfrom(socket, bytes, size, flags, NULL, NULL);
}

bool
receive_tried(HttpThread *thread)
{
	struct sockaddr address = {.sa_family = AF_UNIX};
	int ends[2];
	bool seen;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	receiving = thread;
	seen = write(ends[1], "G", 1) == 1 &&
		   MHD_add_connection(thread->daemon, ends[0], &address, sizeof(address)) == MHD_YES;
	if (!seen)
		close(ends[0]);
	MHD_run(thread->daemon);
	seen = seen && !LIST_EMPTY(&thread->clients) &&
		   LIST_FIRST(&thread->clients)->framing.part.length == 1;
	close(ends[1]);
	MHD_run(thread->daemon);
	receiving = NULL;
	return seen && LIST_EMPTY(&thread->clients);
}

/*
 * ---- Connections that are closed when the client has stopped sending ----
 *
 * A client may still be sending a body when the answer that refuses it is sent.  If the socket were
 * closed then, the kernel would reset the connection, and many clients would discard the answer.
 * Therefore what they send is read and discarded for a while.
 */

#define SPAN 10000 /* milliseconds until such a connection is closed */
#define READS 16   /* reads from one connection in a turn of the loop */

typedef struct LingeringClose LingeringClose;
struct LingeringClose
{
	Watch watch;
	LingeringClose *next;
	int socket;
	int64_t until;
};

/* Bytes have been received, or the client has closed the connection. */
static void
discard(Watch *watch, uint32_t events)
{
	LingeringClose *closing = (LingeringClose *) watch;
	char bytes[16384];
	ssize_t got = 1;

	for (int i = 0; i < READS && got > 0; i++)
		got = recv(closing->socket, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_TRUNC);
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		closing->until = 0;
}

void
receive_linger(HttpThread *thread, int socket)
{
	LingeringClose *closing = calloc(1, sizeof(LingeringClose));

	if (closing == NULL)
		return;
	closing->watch.ready = discard;
	closing->until = thread->now + SPAN;
	closing->socket = fcntl(socket, F_DUPFD_CLOEXEC, 0);
	if (closing->socket < 0 || shutdown(closing->socket, SHUT_WR) != 0 ||
		!event_loop_add(thread, closing->socket, EPOLLIN | EPOLLRDHUP, &closing->watch))
	{
		close(closing->socket);
		free(closing);
		return;
	}
	closing->next = thread->lingering;
	thread->lingering = closing;
}

void
receive_linger_tick(HttpThread *thread, int64_t now)
{
	LingeringClose **link = &thread->lingering;

	while (*link != NULL)
	{
		LingeringClose *closing = *link;

		if (closing->until > now)
		{
			link = &closing->next;
			continue;
		}
		*link = closing->next;
		close(closing->socket);
		free(closing);
	}
}

#define ACCEPT_MAXIMUM 64 /* connections accepted in one turn */

/* Accept one connection; false if there is none, with errno EAGAIN, or no room for it. */
static bool
accept_one(HttpThread *thread)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	int socket;

	errno = 0;
	if (thread->connections >= thread->settings->connections)
		return false;
	socket = accept4(thread->listener, (struct sockaddr *) &address, &length,
					 SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (socket < 0)
		return false;
	/* on failure the daemon has closed the socket */
	(void) MHD_add_connection(thread->daemon, socket, (struct sockaddr *) &address, length);
	return true;
}

/* Pause or resume listening: connections that cannot be accepted would wake the loop at once. */
static void
set_listening(HttpThread *thread, bool wanted)
{
	event_loop_change(thread, thread->listener, wanted ? EPOLLIN : 0, &thread->listening);
	thread->paused = !wanted;
}

void
receive_accept_ready(Watch *watch, uint32_t events)
{
	HttpThread *thread = (HttpThread *) ((char *) watch - offsetof(HttpThread, listening));
	int accepted = 0;

	while (accepted < ACCEPT_MAXIMUM && accept_one(thread))
		accepted++;
	/* another thread may have accepted it, where the threads share a socket */
	if (accepted == 0 && errno != EAGAIN)
		set_listening(thread, false);
}

void
receive_accept_retry(HttpThread *thread)
{
	if (thread->paused && !thread->stopping)
		set_listening(thread, true);
}
