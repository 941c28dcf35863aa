/*
 * server.c - one thread per core, each with its own loop, HTTP daemon and database connections.
 *
 * The threads share the settings, the log and the history of logins only.  The kernel distributes the
 * connections of clients among their listening sockets.
 */
#include <errno.h>
#include <malloc.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "database/clients.h"
#include "events/events.h"
#include "log/log.h"
#include "metrics/metrics.h"
#include "net/net.h"
#include "request/request.h"

#define BACKLOG 1024
#define TICK 100		 /* milliseconds between two checks of the deadlines */
#define QUIET 1000		 /* milliseconds without a request until memory is returned to the system */
#define POOL_TOGETHER 32 /* connections for writes and slow reads that the threads share */
#define POOL_LEAST 4	 /* minimum for each thread */

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
						  bind(listener, address->ai_addr, address->ai_addrlen) != 0))
	{
		int fault = errno;

		close(listener);
		listener = -1;
		errno = fault;
	}
	freeaddrinfo(address);
	return listener;
}

static int
port_of(int listener)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	char port[NI_MAXSERV];

	if (getsockname(listener, (struct sockaddr *) &address, &length) != 0 ||
		getnameinfo((struct sockaddr *) &address, length, NULL, 0, port, sizeof(port),
					NI_NUMERICSERV) != 0)
		return 0;
	return (int) strtol(port, NULL, 10);
}

/* The port to use; -1: another program uses it, with which SO_REUSEPORT could share it. */
static int
free_port(const Settings *settings)
{
	int probe = bind_socket(settings, (int) settings->port, SO_REUSEADDR);
	int port;

	if (probe < 0)
		return -1;
	port = listen(probe, 1) == 0 ? port_of(probe) : -1;
	close(probe);
	return port;
}

/*
 * The main thread stops this one: accept no more connections; the present ones end by stop_by.
 */
static void
begin_stop(Watch *watch, uint32_t events)
{
	Worker *worker = (Worker *) ((char *) watch - offsetof(Worker, waking));

	(void) events;
	epoll_ctl(worker->epoll, EPOLL_CTL_DEL, worker->wake, NULL);
	close(worker->listener);
	worker->listener = -1;
	worker->stopping = true;
	worker->end_by = worker->now + worker->settings->shutdown_timeout;
	/* the last requests have statistics too */
	worker->stop_by = worker->end_by - worker->settings->shutdown_timeout / 10;
	statistics_batch_hurry(worker->statistics);
}

/* The daemon has events; it is run in each turn anyway. */
static void
serve(Watch *watch, uint32_t events)
{
	(void) watch;
	(void) events;
}

static int
count_threads(const Settings *settings)
{
	cpu_set_t cores;

	if (settings->threads > 0)
		return (int) settings->threads;
	return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

/*
 * Connections of a thread for writes and slow reads.
 *
 * Commits that are made at the same time share one flush of the log, so the total number matters; it
 * is also the number of PostgreSQL processes.
 */
static int
count_pool(const Settings *settings)
{
	int share = POOL_TOGETHER / count_threads(settings);

	if (settings->pool > 0)
		return (int) settings->pool;
	return share > POOL_LEAST ? share : POOL_LEAST;
}

/* Open what a worker needs; false: something failed. */
static bool
worker_open(Worker *worker, const Settings *settings, int port)
{
	const union MHD_DaemonInfo *info;

	*worker = (Worker){.settings = settings,
					   .events = &request_events,
					   .port = port,
					   .listening = {connection_accept_ready},
					   .waking = {begin_stop},
					   .serving = {serve}};
	worker->now = clock_now();
	if (getrandom(&worker->run, sizeof(worker->run), 0) != sizeof(worker->run))
		return false;
	worker->epoll = epoll_create1(EPOLL_CLOEXEC);
	worker->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	worker->listener = bind_socket(settings, port, SO_REUSEPORT);
	if (worker->epoll < 0 || worker->wake < 0 || worker->listener < 0 ||
		listen(worker->listener, BACKLOG) != 0)
		return false;
	worker->daemon = access_handler_daemon(worker);
	info = worker->daemon ? MHD_get_daemon_info(worker->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (info == NULL || !event_loop_add(worker, info->epoll_fd, EPOLLIN, &worker->serving))
		return false;
	worker->database =
		database_open(worker, (int) settings->shared_connections, count_pool(settings));
	worker->transfers = database_open(worker, 0, (int) settings->transfers);
	worker->statistics = settings->statistics != 0 ? statistics_batch_open(worker) : NULL;
	worker->web_access = web_access_open(worker);
	worker->events_feed = events_open(worker);
	if (!metrics_add_thread(worker))
		return false;
	worker->digest = condition_open();
	worker->memory = memory_share_open((size_t) (settings->memory / count_threads(settings)));
	return worker->digest != NULL && worker->memory != NULL && worker->database != NULL &&
		   worker->transfers != NULL && (worker->statistics != NULL || settings->statistics == 0) &&
		   worker->web_access != NULL && worker->events_feed != NULL && auth_open(worker) &&
		   event_loop_add(worker, worker->listener, EPOLLIN, &worker->listening) &&
		   event_loop_add(worker, worker->wake, EPOLLIN, &worker->waking);
}

/* Store the remaining statistics, until the time limit. */
static void
end_statistics(Worker *worker)
{
	while (statistics_batch_pending(worker->statistics) && worker->now < worker->end_by)
	{
		statistics_batch_tick(worker->statistics);
		event_loop_wait(worker, TICK);
	}
	statistics_batch_close(worker->statistics);
}

static void
worker_close(Worker *worker)
{
	database_abandon(worker->database);
	database_abandon(worker->transfers);
	/* pass on the answers that the calls above have produced */
	MHD_run(worker->daemon);
	MHD_stop_daemon(worker->daemon);
	receive_close(worker);
	lingering_close_tick(worker, INT64_MAX);
	database_close(worker->database);
	database_close(worker->transfers);
	events_close(worker->events_feed);
	end_statistics(worker);
	condition_close(worker->digest);
	auth_close(worker);
	web_access_close(worker->web_access);
	request_forget(worker);
	memory_share_close(worker->memory);
	openapi_forget(worker);
	close(worker->epoll);
	close(worker->wake);
}

/* Return memory to the system when there have been no requests for a while. */
static void
give_back(Worker *worker)
{
	if (worker->asked == 0 || worker->now - worker->asked < QUIET)
		return;
	malloc_trim(0);
	worker->asked = 0;
}

/* Milliseconds that the loop may wait for events. */
static int
loop_timeout(const Worker *worker)
{
	MHD_UNSIGNED_LONG_LONG wanted;
	int least = events_timeout(worker->events_feed, TICK);

	if (MHD_get_timeout(worker->daemon, &wanted) == MHD_YES && wanted < (unsigned int) least)
		least = (int) wanted;
	return least;
}

/* One turn of the loop: handle events, answer clients, send calls. */
static void
turn(Worker *worker)
{
	event_loop_wait(worker, loop_timeout(worker));
	MHD_run(worker->daemon);
	events_dispatch(worker->events_feed);
	database_dispatch(worker->database);
	database_dispatch(worker->transfers);
	statistics_batch_dispatch(worker->statistics);
}

static void *
worker_run(void *argument)
{
	Worker *worker = argument;
	int64_t next_tick = worker->now;

	receive_for(worker);
	while (!worker->stopping || (worker->connections > 0 && worker->now < worker->stop_by))
	{
		turn(worker);
		if (worker->now < next_tick)
			continue;
		next_tick = worker->now + TICK;
		database_tick(worker->database, worker->now);
		database_tick(worker->transfers, worker->now);
		download_tick(worker, worker->now);
		web_access_tick(worker->web_access);
		events_tick(worker);
		statistics_batch_tick(worker->statistics);
		metrics_tick(worker);
		connection_accept_retry(worker);
		deadline_tick(worker, worker->now);
		give_back(worker);
		lingering_close_tick(worker, worker->now);
	}
	worker_close(worker);
	return NULL;
}

/* Wait for the signal to stop; SIGHUP reopens the log file. */
static void
wait_for_end(const Settings *settings, const sigset_t *signals)
{
	int signal = 0;

	while (sigwait(signals, &signal) == 0 && signal == SIGHUP)
		log_reopen(settings->log);
	log_event(settings->log, LOG_INFO, "application ending", "%s", strsignal(signal));
}

/*
 * The main thread handles signals; writing to a closed connection, or to a log file that must not
 * grow further, must not raise one.
 */
static void
take_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/* Open all workers on the port; false, with a message on stderr, if that fails. */
static bool
open_workers(Worker *workers, int count, const Settings *settings, int port)
{
	bool open = port >= 0;

	for (int i = 0; i < count && open; i++)
		open = worker_open(&workers[i], settings, port);
	if (open && !receive_tried(&workers[0]))
	{
		fprintf(stderr,
				"catalogue-shim: libmicrohttpd %s does not read connections by recv(), so that "
				"requests could not be checked\n",
				MHD_get_version());
		return false;
	}
	if (!open)
		fprintf(stderr, "catalogue-shim: could not listen on %s port %lld: %s\n", settings->address,
				(long long) settings->port, strerror(errno));
	return open;
}

/* Run the workers until a signal. */
static void
run_workers(Worker *workers, int count, const Settings *settings, const sigset_t *signals)
{
	int running = 0;

	while (running < count &&
		   pthread_create(&workers[running].thread, NULL, worker_run, &workers[running]) == 0)
		running++;
	log_event(settings->log, LOG_INFO, "application fully started",
			  "listening on %s port %d with %d threads", settings->address, workers[0].port,
			  running);
	printf("catalogue-shim: listening on %s port %d\n", settings->address, workers[0].port);
	fflush(stdout);
	if (running == count)
		wait_for_end(settings, signals);
	for (int i = 0; i < running; i++)
		eventfd_write(workers[i].wake, 1);
	for (int i = 0; i < running; i++)
		pthread_join(workers[i].thread, NULL);
}

bool
server_run(const Settings *settings)
{
	int count = count_threads(settings);
	Worker *workers = calloc((size_t) count, sizeof(Worker));
	sigset_t signals;
	bool open;

	if (workers == NULL)
		return false;
	take_signals(&signals);
	open = open_workers(workers, count, settings, free_port(settings));
	if (open)
		run_workers(workers, count, settings, &signals);
	free(workers);
	return open;
}
