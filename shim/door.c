/*
 * door.c - the first look at a new connection, before libmicrohttpd reads from it.
 *
 * libmicrohttpd 0.9.75 answers what it cannot parse by itself, with the status line sent twice,
 * and cannot tell bare line ends, folded lines and zero bytes from what they look like.  The
 * headers of the first request are looked at here, without taking them from the socket: what is
 * malformed is refused, and the connection is given to the daemon that has room for it.  Requests
 * that follow on the same connection are seen by guard.c only, which looks at what is left of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shim.h"

#define ACCEPT_MAXIMUM 64 /* connections that are taken in one turn */
#define LOOK_MAXIMUM (TARGET_MAXIMUM + HEADERS_MAXIMUM + 1024)
#define SMALL_BYTES 3072		/* of a request line and headers that fit into the small room */
#define SMALL_LINES 32			/* and of header lines and query parameters, each */
#define DRAIN_MAXIMUM (1 << 20) /* bytes that are read off a refused connection */

struct Visitor
{
	Watch watch;
	Visitor *previous;
	Visitor *next;
	Worker *worker;
	int socket;
	int64_t since; /* milliseconds of the monotonic clock */
};

/* Forget a visitor; the socket is somebody else's now, or closed. */
static void
forget(Visitor *visitor)
{
	if (visitor->next != NULL)
		visitor->next->previous = visitor->previous;
	if (visitor->previous != NULL)
		visitor->previous->next = visitor->next;
	else
		visitor->worker->visitors = visitor->next;
	visitor->worker->connections--;
	free(visitor);
}

static void
dismiss(Visitor *visitor)
{
	close(visitor->socket);
	forget(visitor);
}

/*
 * Answer with an error and close.  What has come already, of which the beginning is given, is read
 * first: a socket that is closed with bytes unread takes the answer back.
 */
static void
refuse(Visitor *visitor, int status, const char *seen, size_t length)
{
	Worker *worker = visitor->worker;
	char bytes[4096];
	char id[NAME_SIZE];
	Buffer body;
	Buffer answer;
	ssize_t taken = 0;

	statistics_refused(worker, visitor->socket, seen, length);
	request_name(worker, id);
	buffer_init(&body, sizeof(bytes));
	buffer_init(&answer, sizeof(bytes));
	buffer_text(&body, "{\"meta\":{");
	error_status_members(&body, status);
	buffer_format(&body, "},\"code\":\"%s\",\"data\":{},\"links\":{}}", error_code_of(status));
	buffer_format(&answer, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\n", status,
				  MHD_get_reason_phrase_for((unsigned int) status));
	response_lines(&answer, worker->settings);
	buffer_format(&answer, "X-Request-Id: %s\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
				  id, body.length);
	buffer_append(&answer, body.data, body.length);
	for (ssize_t got = 1; got > 0 && taken < DRAIN_MAXIMUM; taken += got)
		got = recv(visitor->socket, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (!answer.failed &&
		send(visitor->socket, answer.data, answer.length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		log_event(worker->settings->log, LOG_VERBOSE, "answer not sent", "request %s", id);
	log_event(worker->settings->log, LOG_VERBOSE, "response", "request %s refused with %d", id,
			  status);
	buffer_free(&body);
	buffer_free(&answer);
	shutdown(visitor->socket, SHUT_WR);
	dismiss(visitor);
}

/* The status to refuse a header line with, 0 for none.  It has no line end. */
static int
judge_line(const char *line, size_t length)
{
	static const char framing[] = "Content-Length";
	const char *colon = memchr(line, ':', length);
	size_t digits;

	if (colon == NULL || colon == line || *line == ' ' || *line == '\t')
		return 400;
	if ((size_t) (colon - line) != strlen(framing) ||
		strncasecmp(line, framing, strlen(framing)) != 0)
		return 0;
	for (colon++; colon < line + length && (*colon == ' ' || *colon == '\t');)
		colon++;
	digits = (size_t) (line + length - colon);
	for (size_t i = 0; i < digits; i++)
		if (colon[i] < '0' || colon[i] > '9')
			return colon[i] == ' ' || colon[i] == '\t' ? 0 : 400;
	return digits == 0 ? 400 : digits > 18 ? 413 : 0;
}

/* The status to refuse a request line with, 0 for none. */
static int
judge_request_line(const char *line, size_t length, int *parameters)
{
	const char *target = memchr(line, ' ', length);
	const char *end = target ? memrchr(line, ' ', length) : NULL;

	if (target == NULL || end == target || line + length - end != 9 ||
		(memcmp(end, " HTTP/1.1", 9) != 0 && memcmp(end, " HTTP/1.0", 9) != 0))
		return 400;
	if (end - target - 1 > TARGET_MAXIMUM)
		return 414;
	for (; target < end; target++)
		*parameters += *target == '&';
	return *parameters >= PARAMETERS_MAXIMUM ? 400 : 0;
}

/* What is known of the headers so far. */
typedef struct Look
{
	int status; /* to refuse with, 0 for none */
	bool whole; /* the empty line is there */
	int lines;
	int parameters;
	size_t bytes;
} Look;

/* Go through the lines that are there. */
static Look
judge(const char *bytes, size_t length)
{
	Look look = {0};
	const char *line = bytes;
	const char *end = bytes + length;
	size_t target = 0;

	while (look.status == 0 && !look.whole && line < end)
	{
		const char *stop = memchr(line, '\n', (size_t) (end - line));
		size_t size = (size_t) ((stop ? stop : end) - line);

		if (memchr(line, '\0', size) != NULL || (stop != NULL && (size == 0 || stop[-1] != '\r')))
			look.status = 400;
		if (stop == NULL || look.status != 0)
			break;
		if (memchr(line, '\r', size - 1) != NULL)
			look.status = 400;
		else if (look.lines == 0)
			look.status = judge_request_line(line, target = size - 1, &look.parameters);
		else if (size > 1)
			look.status = judge_line(line, size - 1);
		look.whole = size == 1 && look.lines > 0;
		look.lines++;
		line = stop + 1;
	}
	look.bytes = (size_t) (line - bytes);
	if (look.status != 0)
		return look;
	if (look.lines == 0 && length > TARGET_MAXIMUM + 32)
		look.status = 414;
	else if (look.lines > LINES_MAXIMUM || length - target > HEADERS_MAXIMUM + 512)
		look.status = look.whole && look.lines <= LINES_MAXIMUM ? 0 : 431;
	return look;
}

/* The client has sent something: wait for all headers, then let it in. */
static void
receive(Watch *watch, uint32_t events)
{
	Visitor *visitor = (Visitor *) watch;
	Worker *worker = visitor->worker;
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	char bytes[LOOK_MAXIMUM];
	ssize_t got = recv(visitor->socket, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);
	int socket = visitor->socket;
	Room room;
	Look look;

	if (got <= 0 || (events & (EPOLLERR | EPOLLHUP)) != 0)
	{
		dismiss(visitor);
		return;
	}
	look = judge(bytes, (size_t) got);
	if (look.status != 0)
	{
		refuse(visitor, look.status, bytes, (size_t) got);
		return;
	}
	if (!look.whole)
	{
		/* the other side will send no more */
		if ((events & EPOLLRDHUP) != 0)
			dismiss(visitor);
		return;
	}
	room = look.bytes <= SMALL_BYTES && look.lines <= SMALL_LINES && look.parameters < SMALL_LINES
			   ? ROOM_SMALL
			   : ROOM_LARGE;
	epoll_ctl(worker->epoll, EPOLL_CTL_DEL, socket, NULL);
	forget(visitor);
	if (getpeername(socket, (struct sockaddr *) &address, &length) != 0)
		close(socket);
	else
		/* on failure the daemon has closed the socket */
		(void) MHD_add_connection(worker->rooms[room], socket, (struct sockaddr *) &address,
								  length);
}

/* Take one connection; false when there is none, or no room for it. */
static bool
admit(Worker *worker)
{
	Visitor *visitor;
	int socket;

	if (worker->connections >= worker->settings->connections)
		return false;
	socket = accept4(worker->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (socket < 0)
		return false;
	visitor = malloc(sizeof(Visitor));
	if (visitor == NULL)
	{
		close(socket);
		return false;
	}
	*visitor = (Visitor){.watch = {receive},
						 .next = worker->visitors,
						 .worker = worker,
						 .socket = socket,
						 .since = worker->now};
	if (visitor->next != NULL)
		visitor->next->previous = visitor;
	worker->visitors = visitor;
	worker->connections++;
	/* edge-triggered: what has been looked at stays in the socket */
	if (!server_watch(worker, socket, EPOLLIN | EPOLLRDHUP | EPOLLET, &visitor->watch))
		dismiss(visitor);
	return true;
}

/* Stop or go on listening: a socket that cannot be accepted would wake the loop without end. */
static void
listen_when(Worker *worker, bool wanted)
{
	struct epoll_event event = {.events = wanted ? EPOLLIN : 0, .data.ptr = &worker->listening};

	epoll_ctl(worker->epoll, EPOLL_CTL_MOD, worker->listener, &event);
	worker->paused = !wanted;
}

/* Somebody is at the door. */
void
door_open(Watch *watch, uint32_t events)
{
	Worker *worker = (Worker *) ((char *) watch - offsetof(Worker, listening));
	int taken = 0;

	(void) events;
	while (taken < ACCEPT_MAXIMUM && admit(worker))
		taken++;
	if (taken == 0)
		listen_when(worker, false);
}

/* To be called several times a second: who has not sent a request in time has to go. */
void
door_reap(Worker *worker, int64_t now)
{
	Visitor *next;

	for (Visitor *visitor = worker->visitors; visitor != NULL; visitor = next)
	{
		next = visitor->next;
		if (worker->stopping || now - visitor->since > worker->settings->header_timeout)
			dismiss(visitor);
	}
	if (worker->paused && !worker->stopping)
		listen_when(worker, true);
}

/* At the end: nobody is waited for. */
void
door_close(Worker *worker)
{
	Visitor *next;

	for (Visitor *visitor = worker->visitors; visitor != NULL; visitor = next)
	{
		next = visitor->next;
		dismiss(visitor);
	}
}
