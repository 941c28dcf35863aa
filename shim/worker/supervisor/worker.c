/*
 * worker.c - the supervisor: its loop, its connection, its end.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/net.h"
#include "supervisor/supervisor.h"

#define LOOK 1000 /* milliseconds between queries for jobs without a notification: retries */
#define ANSWER_LIMIT 10000	/* timeout of a statement in milliseconds */
#define RETRY_FIRST 200		/* milliseconds after the first failure to connect, doubled */
#define RETRY_MAXIMUM 10000 /* after each failure up to this */

void
worker_hide(void)
{
#if !defined(__SANITIZE_ADDRESS__)
	/* no core dumps either, which would contain the password of the connection */
	prctl(PR_SET_DUMPABLE, 0);
#endif
}

/* Close a connection that failed, and set the time of the next attempt. */
static void
disconnect(Supervisor *supervisor)
{
	int64_t wait = RETRY_FIRST;

	if (supervisor->failures == 0)
		log_event(supervisor->settings->log, LOG_ERROR, "database connection failed", "%s",
				  supervisor->session.fault);
	for (int i = 0; i < supervisor->failures && wait < RETRY_MAXIMUM; i++)
		wait *= 2;
	supervisor->failures++;
	supervisor->retry_at = clock_now() + wait / 2 + random() % wait;
	session_close(&supervisor->session);
}

static void
connect_again(Supervisor *supervisor)
{
	if (supervisor->session.pg != NULL || clock_now() < supervisor->retry_at)
		return;
	if (!session_open(&supervisor->session, supervisor->settings, ANSWER_LIMIT) ||
		!session_do(&supervisor->session, ASK_LISTEN, NULL))
	{
		disconnect(supervisor);
		return;
	}
	supervisor->failures = 0;
	supervisor->announced = true;
	log_event(supervisor->settings->log, LOG_INFO, "worker connected", "as %s to %s, backend %d",
			  PQuser(supervisor->session.pg), PQdb(supervisor->session.pg),
			  PQbackendPID(supervisor->session.pg));
}

bool
supervisor_asks(Supervisor *supervisor, Statement statement, const Value *values)
{
	char *text = session_text(&supervisor->session, statement, values);
	bool is_true = text != NULL && strcmp(text, "true") == 0;

	if (text == NULL)
	{
		log_event(supervisor->settings->log, LOG_ERROR, "worker call failed", "%s: %s",
				  session_statement(statement), supervisor->session.fault);
		if (session_is_gone(&supervisor->session))
			disconnect(supervisor);
	}
	free(text);
	return is_true;
}

static void
take_signals(Supervisor *supervisor)
{
	struct signalfd_siginfo info;

	while (read(supervisor->signals, &info, sizeof(info)) == (ssize_t) sizeof(info))
	{
		if (info.ssi_signo == SIGHUP)
		{
			service_manager_reloading();
			log_reopen(supervisor->settings->log);
			service_manager_tell("READY=1");
		}
		else if (info.ssi_signo != SIGCHLD)
			supervisor->stopping = true;
	}
	process_pool_reap(supervisor);
}

/*
 * The kinds of jobs to take now.  An archive may take minutes, so one slot is reserved for scan and
 * parse jobs: a small file that is uploaded meanwhile is read at once.
 */
static const char *
wanted_kinds(const Supervisor *supervisor)
{
	bool full =
		supervisor->slots > 1 && process_pool_other_jobs(supervisor) >= supervisor->slots - 1;

	return full ? supervisor->readings : supervisor->kinds;
}

/* Take jobs while there are any and a slot is free. */
static void
take_jobs(Supervisor *supervisor)
{
	Slot *slot;

	if (!supervisor->announced && clock_now() < supervisor->look_at)
		return;
	supervisor->announced = false;
	supervisor->look_at = clock_now() + LOOK;
	while (supervisor->session.pg != NULL && (slot = process_pool_free_slot(supervisor)) != NULL)
	{
		Value values[] = {TEXT(supervisor->name), TEXT(wanted_kinds(supervisor)), TEXT(LEASE)};
		PGresult *result = session_ask(&supervisor->session, ASK_TAKE, values);
		bool found = result != NULL && PQntuples(result) == 1;

		if (found)
			process_pool_start(supervisor, slot, result);
		else if (result == NULL)
			disconnect(supervisor);
		supervisor->dry = result != NULL && !found;
		PQclear(result);
		if (!found)
			return;
	}
}

/* Has a notification arrived? */
static void
take_notices(Supervisor *supervisor)
{
	PGnotify *notice;

	if (supervisor->session.pg == NULL)
		return;
	if (!PQconsumeInput(supervisor->session.pg))
	{
		session_broken(&supervisor->session);
		disconnect(supervisor);
		return;
	}
	while ((notice = PQnotifies(supervisor->session.pg)) != NULL)
	{
		supervisor->announced = true;
		PQfreemem(notice);
	}
}

static void
wait_for_work(const Supervisor *supervisor)
{
	struct pollfd waits[] = {
		{.fd = supervisor->signals, .events = POLLIN},
		{.fd = supervisor->session.pg ? PQsocket(supervisor->session.pg) : -1, .events = POLLIN}};

	/* timed work is checked this often, which is accurate enough */
	poll(waits, lengthof(waits), supervisor->announced ? 0 : LOOK / 4);
}

/* Read signals from a descriptor; child processes restore the usual signal mask. */
static bool
watch_signals(Supervisor *supervisor)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < lengthof(numbers); i++)
		sigaddset(&set, numbers[i]);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, &supervisor->usual);
	supervisor->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return supervisor->signals >= 0;
}

static bool
prepare(Supervisor *supervisor, const Settings *settings)
{
	char host[48] = "";

	supervisor->settings = settings;
	supervisor->slots = (int) settings->worker_jobs;
	supervisor->slot = calloc((size_t) supervisor->slots, sizeof(Slot));
	supervisor->progress = mmap(NULL, sizeof(Progress) * (size_t) supervisor->slots,
								PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (supervisor->slot == NULL || supervisor->progress == MAP_FAILED)
		return false;
	for (int i = 0; i < supervisor->slots; i++)
		supervisor->slot[i].progress = &supervisor->progress[i];
	srandom((unsigned int) getpid() ^ (unsigned int) clock_now());
	gethostname(host, sizeof(host) - 1);
	snprintf(supervisor->name, sizeof(supervisor->name), "%s:%d:%lx", host, (int) getpid(),
			 random());
	/* without a scanner, quarantined files wait for a worker that has one */
	snprintf(supervisor->readings, sizeof(supervisor->readings), "{parse%s}",
			 settings->scanner[0] != '\0' ? ",scan" : "");
	snprintf(supervisor->kinds, sizeof(supervisor->kinds), "{convert,archive,fetch,import,%s%s",
			 settings->mail_command[0] != '\0' ? "email," : "", supervisor->readings + 1);
	return watch_signals(supervisor);
}

/*
 * Open the first connection; false with a message on stderr.  Later failures are retried, but a
 * worker that is started without a database exits, so that the operator sees the reason.
 */
static bool
connect_first(Supervisor *supervisor)
{
	connect_again(supervisor);
	if (supervisor->session.pg != NULL)
		return true;
	fprintf(stderr,
			"catalogue-worker: could not connect to the database: %s\n"
			"Hint: CATALOGUE_WORKER_DATABASE names it, as in \"host=127.0.0.1 dbname=catalogue "
			"user=catalogue_worker\"\n",
			supervisor->session.fault);
	return false;
}

/* Tell the service manager in time that the loop runs. */
static void
tell_alive(Supervisor *supervisor)
{
	if (supervisor->alive_interval <= 0 || clock_now() < supervisor->alive_at)
		return;
	supervisor->alive_at = clock_now() + supervisor->alive_interval;
	service_manager_tell("WATCHDOG=1");
}

/* Run jobs until a signal, or, with once, until none is left; false: once, and it failed. */
static bool
serve(Supervisor *supervisor)
{
	bool good = true;

	while (good && !supervisor->stopping)
	{
		tell_alive(supervisor);
		connect_again(supervisor);
		process_pool_check(supervisor);
		take_jobs(supervisor);
		companions_keep(supervisor);
		if (supervisor->once && supervisor->dry && process_pool_is_idle(supervisor))
			break;
		if (supervisor->once && supervisor->failures > 0)
			good = false;
		wait_for_work(supervisor);
		take_signals(supervisor);
		take_notices(supervisor);
	}
	return good;
}

bool
worker_run(const Settings *settings, bool once)
{
	Supervisor supervisor = {
		.once = once, .signals = -1, .alive_interval = service_manager_interval()};
	bool good = prepare(&supervisor, settings) && connect_first(&supervisor);

	if (good)
	{
		log_event(settings->log, LOG_INFO, "worker started", "%s, %d jobs at once", supervisor.name,
				  supervisor.slots);
		service_manager_tell("READY=1");
		good = serve(&supervisor);
		service_manager_tell("STOPPING=1");
	}
	process_pool_stop(&supervisor);
	session_close(&supervisor.session);
	log_event(settings->log, LOG_INFO, "worker stopped", "%s", "");
	if (supervisor.signals >= 0)
		close(supervisor.signals);
	free(supervisor.slot);
	return good;
}

/* May the role run jobs? */
static bool
is_allowed(Session *session)
{
	char *text = session_text(session, ASK_ALLOWED, NULL);
	bool allowed = text != NULL && strcmp(text, "true") == 0;

	if (!allowed)
		printf("database: \"%s\" may not do jobs: connect as catalogue_worker\n",
			   PQuser(session->pg));
	free(text);
	return allowed;
}

int
worker_check(const Settings *settings)
{
	Session session;
	bool good = session_open(&session, settings, ANSWER_LIMIT);

	printf("settings: good\n");
	if (good)
		printf("database: \"%s\" as \"%s\", PostgreSQL %s\n", PQdb(session.pg), PQuser(session.pg),
			   PQparameterStatus(session.pg, "server_version"));
	else
		printf("database: %s\n", session.fault);
	for (int i = 0; session.pg != NULL && i < STATEMENTS; i++)
	{
		if (session_prepare(&session, i))
			continue;
		printf("statement %s: %s\n", session_statement(i), session.fault);
		good = false;
	}
	good = good && is_allowed(&session);
	session_close(&session);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
