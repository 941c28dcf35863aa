/*
 * floor.c - a bare server on libmicrohttpd, which no server on this library can surpass.
 *
 * floor PORT BYTES: answers every request with a body of BYTES bytes, until SIGTERM.  One thread
 * and one daemon for each core, the daemon's epoll descriptor in a loop of its own, as in shim/.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <microhttpd.h>

#define THREADS_MAXIMUM 256
#define CONNECTIONS 4096
#define PATIENCE 100 /* milliseconds */

/* Answer at the second call of the handler: an answer at the first one closes the connection. */
static enum MHD_Result
answer(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
	   const char *version, const char *body, size_t *body_size, void **state)
{
	static int seen;

	(void) url;
	(void) method;
	(void) version;
	(void) body;
	(void) body_size;
	if (*state == NULL)
	{
		*state = &seen;
		return MHD_YES;
	}
	return MHD_queue_response(connection, MHD_HTTP_OK, cls);
}

static struct MHD_Daemon *
open_daemon(int port, struct MHD_Response *response)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
								  .sin_port = htons((unsigned short) port),
								  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer, response, MHD_OPTION_SOCK_ADDR,
							&address, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u,
							MHD_OPTION_CONNECTION_LIMIT, (unsigned int) CONNECTIONS,
							MHD_OPTION_END);
}

static void *
serve(void *cls)
{
	struct MHD_Daemon *daemon = cls;
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
	int loop = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = {.events = EPOLLIN};

	epoll_ctl(loop, EPOLL_CTL_ADD, info->epoll_fd, &event);
	for (;;)
	{
		MHD_UNSIGNED_LONG_LONG wanted;
		int patience = PATIENCE;

		if (MHD_get_timeout(daemon, &wanted) == MHD_YES && wanted < PATIENCE)
			patience = (int) wanted;
		epoll_wait(loop, &event, 1, patience);
		MHD_run(daemon);
	}
	return NULL;
}

/* A response with a body of the given length. */
static struct MHD_Response *
make_response(size_t size)
{
	char *body = malloc(size);
	struct MHD_Response *response;

	if (body == NULL)
		return NULL;
	memset(body, 'x', size);
	response = MHD_create_response_from_buffer(size, body, MHD_RESPMEM_MUST_FREE);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
	return response;
}

int
main(int argc, char **argv)
{
	cpu_set_t cores;
	struct MHD_Response *response;

	if (argc != 3 || sched_getaffinity(0, sizeof(cores), &cores) != 0)
	{
		fprintf(stderr, "usage: floor PORT BYTES\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	response = make_response(strtoul(argv[2], NULL, 10));
	for (int i = 0; i < CPU_COUNT(&cores) && i < THREADS_MAXIMUM; i++)
	{
		struct MHD_Daemon *daemon = open_daemon((int) strtol(argv[1], NULL, 10), response);
		pthread_t thread;

		if (daemon == NULL || pthread_create(&thread, NULL, serve, daemon) != 0)
		{
			fprintf(stderr, "floor: cannot listen on port %s\n", argv[1]);
			return 1;
		}
	}
	pthread_exit(NULL);
}
