/*
 * receive.c - bytes of clients on their way to libmicrohttpd.
 *
 * The library reads sockets by recv(), which is the function here: a symbol of the program takes
 * precedence over that of the C library.  Bytes of a client's connection pass through framing.c;
 * other sockets are read as usual.  Each start verifies that the library calls this function.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/net.h"

#define READ_SIZE 16384 /* bytes that are read of a socket at once */
#define SOCKETS_MORE 256

/* The worker of this thread. */
static _Thread_local Worker *receiving;

void
receive_for(Worker *worker)
{
	receiving = worker;
}

void
receive_close(Worker *worker)
{
	receiving = NULL;
	free(worker->by_socket);
}

bool
receive_begin(Client *client)
{
	Worker *worker = client->worker;
	size_t wanted = (size_t) client->socket + 1;

	framing_init(&client->framing);
	if (client->socket < 0)
		return false;
	if (wanted > worker->sockets)
	{
		Client **by_socket = realloc(worker->by_socket, (wanted + SOCKETS_MORE) * sizeof(Client *));

		if (by_socket == NULL)
			return false;
		memset(by_socket + worker->sockets, 0,
			   (wanted + SOCKETS_MORE - worker->sockets) * sizeof(Client *));
		worker->by_socket = by_socket;
		worker->sockets = wanted + SOCKETS_MORE;
	}
	worker->by_socket[client->socket] = client;
	return true;
}

void
receive_end(Client *client)
{
	Worker *worker = client->worker;

	framing_free(&client->framing);
	if (client->socket >= 0 && (size_t) client->socket < worker->sockets)
		worker->by_socket[client->socket] = NULL;
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
	if (framing_plain(framing) >= size)
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
		if (got <= 0 || framing->failed || (got < (ssize_t) wanted && framing_between(framing)))
			break;
	}
	/* the time limit of a head begins with its first byte, as for the first one */
	if (!begun && framing_in_head(framing) && client->request == NULL && client->used)
		client->since = client->worker->now;
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
receive_tried(Worker *worker)
{
	struct sockaddr address = {.sa_family = AF_UNIX};
	int ends[2];
	bool seen;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	receiving = worker;
	seen = write(ends[1], "G", 1) == 1 &&
		   MHD_add_connection(worker->daemon, ends[0], &address, sizeof(address)) == MHD_YES;
	if (!seen)
		close(ends[0]);
	MHD_run(worker->daemon);
	seen = seen && worker->clients != NULL && worker->clients->framing.part.length == 1;
	close(ends[1]);
	MHD_run(worker->daemon);
	receiving = NULL;
	return seen && worker->clients == NULL;
}
