/*
 * server.c - one thread per core, each with its own loop, HTTP daemon and database connections.
 *
 * The threads share the settings and the log only.  The kernel distributes the connections of
 * clients among their listening sockets.  The main thread tells the service manager that all of them
 * are running.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "database/clients.h"
#include "log/log.h"
#include "metrics/metrics.h"
#include "net/object_client.h"
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
	HttpThread *thread = (HttpThread *) ((char *) watch - offsetof(HttpThread, waking));

	epoll_ctl(thread->epoll, EPOLL_CTL_DEL, thread->wake, NULL);
	/* closing does not remove it where the service manager has the socket too */
	epoll_ctl(thread->epoll, EPOLL_CTL_DEL, thread->listener, NULL);
	close(thread->listener);
	thread->listener = -1;
	thread->stopping = true;
	thread->end_by = thread->now + thread->settings->shutdown_timeout;
	/* the last requests have statistics too */
	thread->stop_by = thread->end_by - thread->settings->shutdown_timeout / 10;
	statistics_batch_hurry(thread->statistics);
}

/* The daemon has events; it is run in each turn anyway. */
static void
serve(Watch *watch, uint32_t events)
{
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
	int share = POOL_TOGETHER / config_threads(settings);

	if (settings->pool > 0)
		return (int) settings->pool;
	return share > POOL_LEAST ? share : POOL_LEAST;
}

/* Open what a thread, which has taken over the socket, needs; false: something failed. */
static bool
thread_open(HttpThread *thread, const Settings *settings, int port, int listener)
{
	const union MHD_DaemonInfo *info;

	*thread = (HttpThread){.settings = settings,
						   .events = &request_events,
						   .port = port,
						   .listener = listener,
						   .listening = {receive_accept_ready},
						   .waking = {begin_stop},
						   .serving = {serve}};
	thread->now = clock_now();
	if (getrandom(&thread->run, sizeof(thread->run), 0) != sizeof(thread->run))
		return false;
	thread->epoll = epoll_create1(EPOLL_CLOEXEC);
	thread->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (thread->epoll < 0 || thread->wake < 0 || thread->listener < 0)
		return false;
	thread->daemon = access_handler_daemon(thread);
	info = thread->daemon ? MHD_get_daemon_info(thread->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (info == NULL || !event_loop_add(thread, info->epoll_fd, EPOLLIN, &thread->serving))
		return false;
	thread->database =
		database_open(thread, (int) settings->shared_connections, count_pool(settings));
	thread->transfers = database_open(thread, 0, (int) settings->transfers);
	thread->statistics = settings->statistics != 0 ? statistics_batch_open(thread) : NULL;
	thread->web_access = web_access_open(thread);
	if (settings->store_url[0] != '\0' && (thread->objects = object_client_open(thread)) == NULL)
		return false;
	if (!metrics_add_thread(thread))
		return false;
	thread->digest = condition_open();
	thread->memory = memory_share_open((size_t) (settings->memory / config_threads(settings)));
	return thread->digest != NULL && thread->memory != NULL && thread->database != NULL &&
		   thread->transfers != NULL && (thread->statistics != NULL || settings->statistics == 0) &&
		   thread->web_access != NULL && auth_open(thread) &&
		   event_loop_add(thread, thread->listener, EPOLLIN, &thread->listening) &&
		   event_loop_add(thread, thread->wake, EPOLLIN, &thread->waking);
}

/* Store the remaining statistics, until the time limit. */
static void
end_statistics(HttpThread *thread)
{
	while (statistics_batch_pending(thread->statistics) && thread->now < thread->end_by)
	{
		statistics_batch_tick(thread->statistics);
		event_loop_wait(thread, TICK);
	}
	statistics_batch_close(thread->statistics);
}

static void
thread_close(HttpThread *thread)
{
	database_abandon(thread->database);
	database_abandon(thread->transfers);
	/* pass on the answers that the calls above have produced */
	MHD_run(thread->daemon);
	MHD_stop_daemon(thread->daemon);
	receive_close(thread);
	receive_linger_tick(thread, INT64_MAX);
	database_close(thread->database);
	database_close(thread->transfers);
	end_statistics(thread);
	object_client_close(thread->objects);
	condition_close(thread->digest);
	auth_close(thread);
	web_access_close(thread->web_access);
	request_forget(thread);
	free(thread->memory);
	openapi_forget(thread);
	close(thread->epoll);
	close(thread->wake);
}

/* Return memory to the system when there have been no requests for a while. */
static void
give_back(HttpThread *thread)
{
	if (thread->asked == 0 || thread->now - thread->asked < QUIET)
		return;
	malloc_trim(0);
	thread->asked = 0;
}

/* Milliseconds that the loop may wait for events. */
static int
loop_timeout(const HttpThread *thread)
{
	MHD_UNSIGNED_LONG_LONG wanted;
	int least = TICK;

	if (MHD_get_timeout(thread->daemon, &wanted) == MHD_YES && wanted < (unsigned int) least)
		least = (int) wanted;
	return object_client_timeout(thread->objects, least);
}

/* One turn of the loop: handle events, answer clients, send calls. */
static void
turn(HttpThread *thread)
{
	event_loop_wait(thread, loop_timeout(thread));
	object_client_turn(thread->objects);
	MHD_run(thread->daemon);
	database_dispatch(thread->database);
	database_dispatch(thread->transfers);
	statistics_batch_dispatch(thread->statistics);
}

static void *
thread_run(void *argument)
{
	HttpThread *thread = argument;
	int64_t next_tick = thread->now;

	receive_for(thread);
	while (!thread->stopping || (thread->connections > 0 && thread->now < thread->stop_by))
	{
		turn(thread);
		if (thread->now < next_tick)
			continue;
		next_tick = thread->now + TICK;
		atomic_store(&thread->ticked, thread->now);
		database_tick(thread->database, thread->now);
		database_tick(thread->transfers, thread->now);
		download_tick(thread, thread->now);
		web_access_tick(thread->web_access);
		statistics_batch_tick(thread->statistics);
		metrics_tick(thread);
		receive_accept_retry(thread);
		access_handler_tick(thread, thread->now);
		give_back(thread);
		receive_linger_tick(thread, thread->now);
	}
	thread_close(thread);
	return NULL;
}

/* Have the loops of all threads run in the last milliseconds? */
static bool
all_running(const HttpThread *threads, int count, int64_t milliseconds)
{
	int64_t since = clock_now() - milliseconds;

	for (int i = 0; i < count; i++)
		if (atomic_load(&threads[i].ticked) < since)
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
wait_for_end(const HttpThread *threads, int count, const sigset_t *signals)
{
	const Settings *settings = threads[0].settings;
	int64_t interval = service_manager_interval();
	int signal;

	while ((signal = next_signal(signals, interval)) == 0 || signal == SIGHUP)
	{
		if (signal == SIGHUP)
		{
			service_manager_reloading();
			log_reopen(settings->log);
			service_manager_notify("READY=1");
		}
		if (interval > 0 && all_running(threads, count, interval + TICK))
			service_manager_notify("WATCHDOG=1");
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

/* Open all threads; false, with a message on stderr, if that fails. */
static bool
open_threads(HttpThread *threads, int count, const Settings *settings)
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
			   thread_open(&threads[i], settings, port, listener);
	}
	if (open && !receive_tried(&threads[0]))
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
announce(const HttpThread *thread, int threads)
{
	char address[ADDRESS_SIZE] = "";
	int port;

	listening_socket_name(thread->listener, address, sizeof(address), &port);
	log_event(thread->settings->log, LOG_INFO, "application fully started",
			  "listening on %s port %d with %d threads", address, port, threads);
	printf("catalogue-shim: listening on %s port %d\n", address, port);
	fflush(stdout);
}

/* Run the threads until a signal. */
static void
run_threads(HttpThread *threads, int count, const sigset_t *signals)
{
	int running = 0;

	while (running < count &&
		   pthread_create(&threads[running].id, NULL, thread_run, &threads[running]) == 0)
		running++;
	if (running == count)
	{
		announce(&threads[0], count);
		service_manager_notify("READY=1");
		wait_for_end(threads, count, signals);
	}
	service_manager_notify("STOPPING=1");
	for (int i = 0; i < running; i++)
		eventfd_write(threads[i].wake, 1);
	for (int i = 0; i < running; i++)
		pthread_join(threads[i].id, NULL);
}

bool
server_run(const Settings *settings)
{
	int count = config_threads(settings);
	HttpThread *threads = calloc((size_t) count, sizeof(HttpThread));
	sigset_t signals;
	bool open;

	if (threads == NULL)
		return false;
	take_signals(&signals);
	open = open_threads(threads, count, settings);
	if (open)
		run_threads(threads, count, &signals);
	free(threads);
	return open;
}
