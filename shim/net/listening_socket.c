/*
 * listening_socket.c - sockets that clients connect to, the service manager, and the epoll instance of a worker.
 *
 * Each thread binds a socket of its own, and the kernel distributes the clients among them.  Sockets
 * that are passed stay open in the service manager when the shim ends: clients that connect until
 * the next shim runs wait, and are not refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "net/net.h"

/*
 * A message is one datagram to the Unix socket that NOTIFY_SOCKET names.  A service manager other than
 * systemd may understand them as well; without the variable nothing is sent.
 */

/* Send the message to the socket; false: errno is set. */
static bool
send_to(const char *path, const char *message)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);
	int sender;
	bool sent;

	if (length >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
	{
		errno = EINVAL;
		return false;
	}
	memcpy(address.sun_path, path, length);
	/* an abstract address begins with a null byte */
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sender < 0)
		return false;
	sent = sendto(sender, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *) &address,
				  (socklen_t) (offsetof(struct sockaddr_un, sun_path) + length)) >= 0;
	close(sender);
	return sent;
}

void
service_manager_tell(const char *message)
{
	const char *path = getenv("NOTIFY_SOCKET");

	if (path == NULL || path[0] == '\0' || send_to(path, message))
		return;
	fprintf(stderr, "%s: could not notify the service manager at \"%s\": %s\n",
			program_invocation_short_name, path, strerror(errno));
}

void
service_manager_reloading(void)
{
	struct timespec now;
	char message[80];

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(message, sizeof(message), "RELOADING=1\nMONOTONIC_USEC=%lld%06ld",
			 (long long) now.tv_sec, now.tv_nsec / 1000);
	service_manager_tell(message);
}

int64_t
service_manager_interval(void)
{
	const char *process = getenv("WATCHDOG_PID");
	const char *limit = getenv("WATCHDOG_USEC");

	if (limit == NULL || (process != NULL && strtol(process, NULL, 10) != getpid()))
		return 0;
	return strtoll(limit, NULL, 10) / 2000;
}

#define EVENTS_MAXIMUM 64 /* events handled in one turn */

static bool
control(const Worker *worker, int operation, int file, uint32_t events, Watch *watch)
{
	struct epoll_event event = {.events = events, .data.ptr = watch};

	return epoll_ctl(worker->epoll, operation, file, &event) == 0;
}

bool
event_loop_add(const Worker *worker, int file, uint32_t events, Watch *watch)
{
	return control(worker, EPOLL_CTL_ADD, file, events, watch);
}

bool
event_loop_change(const Worker *worker, int file, uint32_t events, Watch *watch)
{
	return control(worker, EPOLL_CTL_MOD, file, events, watch);
}

void
event_loop_wait(Worker *worker, int milliseconds)
{
	struct epoll_event events[EVENTS_MAXIMUM];
	int count = epoll_wait(worker->epoll, events, EVENTS_MAXIMUM, milliseconds);

	worker->now = clock_now();
	for (int i = 0; i < count; i++)
	{
		Watch *watch = events[i].data.ptr;

		watch->ready(watch, events[i].events);
	}
}

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
