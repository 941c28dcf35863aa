/*
 * server.c - one thread per core, each with its own loop, HTTP daemon and database connections.
 *
 * The threads share the settings and the log only.  The kernel distributes the connections of
 * clients among their listening sockets.  The main thread tells the service manager that all of them
 * are running.
 */
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "database/clients.h"
#include "log/log.h"
#include "metrics/metrics.h"
#include "request/request.h"

#define TICK 100		 /* milliseconds between two checks of the deadlines */
#define QUIET 1000		 /* milliseconds without a request until memory is returned to the system */
#define POOL_TOGETHER 32 /* connections for writes and slow reads that the threads share */
#define POOL_LEAST 4	 /* minimum for each thread */

/*
 * The main thread stops this one: accept no more connections; the present ones end by stop_by.
 */
static void
begin_stop(Watch *watch, uint32_t events)
{
	Worker *worker = (Worker *) ((char *) watch - offsetof(Worker, waking));

	(void) events;
	epoll_ctl(worker->epoll, EPOLL_CTL_DEL, worker->wake, NULL);
	/* closing does not remove it where the service manager has the socket too */
	epoll_ctl(worker->epoll, EPOLL_CTL_DEL, worker->listener, NULL);
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

/* Open what a worker, which has taken over the socket, needs; false: something failed. */
static bool
worker_open(Worker *worker, const Settings *settings, int port, int listener)
{
	const union MHD_DaemonInfo *info;

	*worker = (Worker){.settings = settings,
					   .events = &request_events,
					   .port = port,
					   .listener = listener,
					   .listening = {connection_accept_ready},
					   .waking = {begin_stop},
					   .serving = {serve}};
	worker->now = clock_now();
	if (getrandom(&worker->run, sizeof(worker->run), 0) != sizeof(worker->run))
		return false;
	worker->epoll = epoll_create1(EPOLL_CLOEXEC);
	worker->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (worker->epoll < 0 || worker->wake < 0 || worker->listener < 0)
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
	if (!metrics_add_thread(worker))
		return false;
	worker->digest = condition_open();
	worker->memory = memory_share_open((size_t) (settings->memory / count_threads(settings)));
	return worker->digest != NULL && worker->memory != NULL && worker->database != NULL &&
		   worker->transfers != NULL && (worker->statistics != NULL || settings->statistics == 0) &&
		   worker->web_access != NULL && auth_open(worker) &&
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
	int least = TICK;

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
		atomic_store(&worker->ticked, worker->now);
		database_tick(worker->database, worker->now);
		database_tick(worker->transfers, worker->now);
		download_tick(worker, worker->now);
		web_access_tick(worker->web_access);
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

/* Have the loops of all threads run in the last milliseconds? */
static bool
all_running(const Worker *workers, int count, int64_t milliseconds)
{
	int64_t since = clock_now() - milliseconds;

	for (int i = 0; i < count; i++)
		if (atomic_load(&workers[i].ticked) < since)
			return false;
	return true;
}

/* The next signal, 0 when there is none for so many milliseconds; 0 milliseconds: no limit. */
static int
next_signal(const sigset_t *signals, int64_t milliseconds)
{
	struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
	int signal = sigtimedwait(signals, NULL, milliseconds > 0 ? &time : NULL);

	return signal > 0 ? signal : 0;
}

/*
 * Wait for the signal to stop; SIGHUP reopens the log file.  Meanwhile the service manager is told
 * that the threads are alive, unless the loop of one does not run.
 */
static void
wait_for_end(const Worker *workers, int count, const sigset_t *signals)
{
	const Settings *settings = workers[0].settings;
	int64_t interval = service_manager_interval();
	int signal;

	while ((signal = next_signal(signals, interval)) == 0 || signal == SIGHUP)
	{
		if (signal == SIGHUP)
		{
			service_manager_reloading();
			log_reopen(settings->log);
			service_manager_tell("READY=1");
		}
		if (interval > 0 && all_running(workers, count, interval + TICK))
			service_manager_tell("WATCHDOG=1");
	}
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

/* Open all workers; false, with a message on stderr, if that fails. */
static bool
open_workers(Worker *workers, int count, const Settings *settings)
{
	int passed = listening_socket_passed(count);
	char address[ADDRESS_SIZE];
	int port = 0;
	bool open;

	if (passed < 0)
		return false;
	if (passed == 0)
		port = listening_socket_port(settings);
	open = port >= 0;
	for (int i = 0; i < count && open; i++)
	{
		int listener = listening_socket_open(settings, port, passed, i);

		open = listener >= 0 && listening_socket_name(listener, address, sizeof(address), &port) &&
			   worker_open(&workers[i], settings, port, listener);
	}
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

/* Tell, in the log and on standard output, where clients can connect. */
static void
announce(const Worker *worker, int threads)
{
	char address[ADDRESS_SIZE] = "";
	int port;

	listening_socket_name(worker->listener, address, sizeof(address), &port);
	log_event(worker->settings->log, LOG_INFO, "application fully started",
			  "listening on %s port %d with %d threads", address, port, threads);
	printf("catalogue-shim: listening on %s port %d\n", address, port);
	fflush(stdout);
}

/* Run the workers until a signal. */
static void
run_workers(Worker *workers, int count, const sigset_t *signals)
{
	int running = 0;

	while (running < count &&
		   pthread_create(&workers[running].thread, NULL, worker_run, &workers[running]) == 0)
		running++;
	if (running == count)
	{
		announce(&workers[0], count);
		service_manager_tell("READY=1");
		wait_for_end(workers, count, signals);
	}
	service_manager_tell("STOPPING=1");
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
	open = open_workers(workers, count, settings);
	if (open)
		run_workers(workers, count, &signals);
	free(workers);
	return open;
}
