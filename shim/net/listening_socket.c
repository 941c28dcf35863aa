/*
 * listening_socket.c - sockets that clients connect to.
 *
 * Each thread binds a socket of its own, and the kernel distributes the clients among them.  Sockets
 * that are passed stay open in the service manager when the shim ends: clients that connect until
 * the next shim runs wait, and are not refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/net.h"

#define BACKLOG 1024
#define PASSED_FIRST 3 /* file descriptor of the first socket that is passed */

/* A socket bound to address and port, -1 with errno when that cannot be. */
static int
bind_socket(const Settings *settings, int port, int option)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
							 .ai_socktype = SOCK_STREAM};
	struct addrinfo *address = NULL;
	char number[16];
	int on = 1;
	int listener = -1;

	snprintf(number, sizeof(number), "%d", port);
	if (getaddrinfo(settings->address, number, &hints, &address) != 0)
	{
		errno = EADDRNOTAVAIL;
		return -1;
	}
	listener = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/* without SO_REUSEADDR, connections that an earlier run has closed would prevent this */
	if (listener >= 0 && (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
						  setsockopt(listener, SOL_SOCKET, option, &on, sizeof(on)) != 0 ||
						  bind(listener, address->ai_addr, address->ai_addrlen) != 0 ||
						  listen(listener, BACKLOG) != 0))
	{
		int fault = errno;

		close(listener);
		listener = -1;
		errno = fault;
	}
	freeaddrinfo(address);
	return listener;
}

/* The number that an environment variable has, 0 for anything else. */
static long
variable_number(const char *name)
{
	const char *text = getenv(name);
	char *end = NULL;
	long number = text != NULL ? strtol(text, &end, 10) : 0;

	return end != NULL && *end == '\0' ? number : 0;
}

/* Return whether it is a socket of TCP that listens. */
static bool
is_listening(int socket)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	int listening = 0;
	socklen_t size = sizeof(listening);

	return getsockname(socket, (struct sockaddr *) &address, &length) == 0 &&
		   (address.ss_family == AF_INET || address.ss_family == AF_INET6) &&
		   getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening != 0;
}

int
listening_socket_passed(int most)
{
	long count = variable_number("LISTEN_PID") == getpid() ? variable_number("LISTEN_FDS") : 0;

	if (count < 0 || count > most)
	{
		fprintf(stderr,
				"catalogue-shim: the service manager has passed %ld sockets, and there are %d "
				"threads\n",
				count, most);
		return -1;
	}
	for (int socket = PASSED_FIRST; socket < PASSED_FIRST + count; socket++)
	{
		if (is_listening(socket) && fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 &&
			fcntl(socket, F_SETFL, O_NONBLOCK) == 0)
			continue;
		fprintf(stderr,
				"catalogue-shim: file descriptor %d, passed by the service manager, is no "
				"listening TCP socket\n",
				socket);
		return -1;
	}
	return (int) count;
}

int
listening_socket_open(const Settings *settings, int port, int passed, int thread)
{
	if (passed > 0)
		return fcntl(PASSED_FIRST + thread % passed, F_DUPFD_CLOEXEC, PASSED_FIRST);
	return bind_socket(settings, port, SO_REUSEPORT);
}

bool
listening_socket_name(int listener, char *address, size_t size, int *port)
{
	struct sockaddr_storage name;
	socklen_t length = sizeof(name);
	char number[NI_MAXSERV];

	if (getsockname(listener, (struct sockaddr *) &name, &length) != 0 ||
		getnameinfo((struct sockaddr *) &name, length, address, (socklen_t) size, number,
					sizeof(number), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return false;
	*port = (int) strtol(number, NULL, 10);
	return true;
}

int
listening_socket_port(const Settings *settings)
{
	int probe = bind_socket(settings, (int) settings->port, SO_REUSEADDR);
	char address[ADDRESS_SIZE];
	int port = -1;

	if (probe < 0 || !listening_socket_name(probe, address, sizeof(address), &port))
		port = -1;
	if (probe >= 0)
		close(probe);
	return port;
}
