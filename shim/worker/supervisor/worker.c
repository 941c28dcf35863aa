/*
 * worker.c - the supervisor: its loop, its connection, the processes of the jobs and those beside them.
 */
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../extension/rows/sheets/reader_version.h"
#include "objects/objects.h"
#include "supervisor/supervisor.h"
#include "webhooks/webhooks.h"

#define LOOK 1000 /* milliseconds between queries for jobs without a notification: retries */
#define ANSWER_LIMIT 10000	/* timeout of a statement in milliseconds */
#define RETRY_FIRST 200		/* milliseconds after the first failure to connect, doubled */
#define RETRY_MAXIMUM 10000 /* after each failure up to this */

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

/* Execute a statement that returns a boolean; false also on an error. */
static bool
supervisor_asks(Supervisor *supervisor, Statement statement, const Value *values)
{
	bool is_true;

	if (!session_true(&supervisor->session, statement, values, &is_true))
	{
		log_event(supervisor->settings->log, LOG_ERROR, "worker call failed", "%s: %s",
				  session_statement(statement), supervisor->session.fault);
		if (session_is_gone(&supervisor->session))
			disconnect(supervisor);
	}
	return is_true;
}

/*
 * ---- The processes of the jobs: start, leases, end ----
 *
 * A process reports its progress in shared memory and its end by its exit status; everything else
 * it stores in PostgreSQL itself.
 */

#define BEAT 2000		/* milliseconds between renewals of a lease */
#define PATIENCE 200000 /* maximum milliseconds of reading a file, plus */
#define PATIENCE_FOR 2	/* this many for each kB of it */
#define PATIENCE_OTHER 3600000

/* fork() a process that is killed when this one exits; the return value is that of fork(). */
static pid_t
process_pool_fork(Supervisor *supervisor)
{
	pid_t pid = child_fork();

	if (pid != 0)
		return pid;
	close(supervisor->signals);
	/* not PQfinish(), which would end the parent's connection */
	if (supervisor->session.pg != NULL)
		close(PQsocket(supervisor->session.pg));
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	sigprocmask(SIG_SETMASK, &supervisor->usual, NULL);
	return 0;
}

/*
 * ---- The processes that run beside the jobs ----
 *
 * Each such process has a connection of its own, because its statements may take long.  One whose connection
 * fails ends, and is started again.
 */

#define SWEEP 10000					 /* milliseconds between sweeps */
#define PAUSE 10000					 /* milliseconds between two starts of a companion, at least */
#define PROCESS_ANSWER_LIMIT 3600000 /* timeout of a statement in milliseconds */

/* Remove expired objects; false on an error of the session. */
static bool
sweep(Session *session)
{
	char *swept = session_text(session, ASK_SWEEP, NULL);
	bool good = swept != NULL;

	if (good && strcmp(swept, "0") != 0)
		log_event(session->settings->log, LOG_VERBOSE, "swept", "%s", swept);
	free(swept);
	return good;
}

/*
 * Run some of the scheduled jobs that are due, unless pg_cron or another worker does; false on an
 * error of the session.  *dispatching: whether this worker ran them in the last call.
 */
static bool
dispatch(Session *session, const char *worker, bool *dispatching)
{
	Value values[] = {TEXT(worker)};
	long done;

	do
	{
		char *text = session_text(session, ASK_DISPATCH, values);

		if (text == NULL)
			return false;
		done = strtol(text, NULL, 10);
		free(text);
	} while (done > 0);
	if (*dispatching != (done >= 0))
		log_event(session->settings->log, LOG_INFO, "schedule", "%s",
				  done >= 0 ? "this worker runs the scheduled jobs: pg_cron does not"
							: "pg_cron or another worker runs the scheduled jobs");
	*dispatching = done >= 0;
	return true;
}

/* Have the next file read anew that earlier readers have read; false on an error of the session. */
static bool
reparse(Session *session)
{
	Value values[] = {session_number(READER_VERSION)};
	bool queued;

	return session_true(session, ASK_REPARSE, values, &queued);
}

/* Queue the messages by e-mail that are due, which this worker can send; false on an error of the session. */
static bool
queue_mail(Session *session)
{
	Value values[] = {TEXT(session->settings->base_url)};
	char *queued;

	if (session->settings->mail_command[0] == '\0')
		return true;
	queued = session_text(session, ASK_QUEUE_MAIL, values);
	free(queued);
	return queued != NULL;
}

/* Sweep, dispatch, read anew and queue mail until the connection fails. */
static void
keep_swept(Session *session, const char *worker)
{
	bool dispatching = false;

	while (sweep(session) && dispatch(session, worker, &dispatching) && reparse(session) &&
		   queue_mail(session))
		poll(NULL, 0, SWEEP);
}

static const struct
{
	const char *failure;							   /* event of the log */
	void (*run)(Session *session, const char *worker); /* until the connection fails */
} kinds[COMPANIONS] = {
	{"sweep failed", keep_swept}, {"webhooks failed", deliver}, {"objects failed", objects_keep}};

/* The process of a companion; does not return. */
static void __attribute__((noreturn)) run(const Supervisor *supervisor, int kind)
{
	Session session;

	if (session_open(&session, supervisor->settings, PROCESS_ANSWER_LIMIT))
		kinds[kind].run(&session, supervisor->name);
	if (!session_is_gone(&session))
		log_event(supervisor->settings->log, LOG_ERROR, kinds[kind].failure, "%s", session.fault);
	session_close(&session);
	exit(EXIT_FAILURE);
}

/* Start the companions that are not running. */
static void
companions_keep(Supervisor *supervisor)
{
	for (int i = 0; i < COMPANIONS && !supervisor->once; i++)
	{
		Companion *companion = &supervisor->companion[i];

		if (companion->pid > 0 || clock_now() < companion->start_at ||
			(kinds[i].run == objects_keep && supervisor->settings->store_url[0] == '\0'))
			continue;
		companion->start_at = clock_now() + PAUSE;
		companion->pid = process_pool_fork(supervisor);
		if (companion->pid == 0)
			run(supervisor, i);
	}
}

/* Is it the process of a companion, which has ended? */
static bool
companion_ended(Supervisor *supervisor, pid_t pid)
{
	for (int i = 0; i < COMPANIONS; i++)
		if (supervisor->companion[i].pid == pid)
		{
			supervisor->companion[i].pid = 0;
			return true;
		}
	return false;
}

static void
companions_stop(Supervisor *supervisor)
{
	for (int i = 0; i < COMPANIONS; i++)
	{
		pid_t pid = supervisor->companion[i].pid;

		if (pid <= 0)
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* Store the end of a job whose process could not do that itself. */
static void
report(Supervisor *supervisor, Slot *slot)
{
	Value values[] = {TEXT(slot->job), TEXT(supervisor->name), TEXT(slot->reason), TEXT("false")};

	if (supervisor->session.pg == NULL)
		return;
	supervisor_asks(supervisor, ASK_FAILED, values);
	if (supervisor->session.pg == NULL)
		return;
	slot->taken = false;
	slot->reason = NULL;
}

/* Handle the exit of a process with a status of waitpid(). */
static void
note_end(Supervisor *supervisor, Slot *slot, int status)
{
	slot->pid = 0;
	supervisor->announced = true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS)
		slot->taken = false;
	else if (slot->taken && slot->reason == NULL)
		slot->reason = "the process that did it ended unexpectedly";
	if (slot->reason != NULL)
		log_event(supervisor->settings->log, LOG_WARN, "job process ended", "job %s, %s %d",
				  slot->job, WIFSIGNALED(status) ? "signal" : "status",
				  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Collect the exit status of processes. */
static void
process_pool_reap(Supervisor *supervisor)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
	{
		if (companion_ended(supervisor, pid))
			continue;
		for (int i = 0; i < supervisor->slots; i++)
			if (supervisor->slot[i].pid == pid)
				note_end(supervisor, &supervisor->slot[i], status);
	}
}

/* Renew the lease of a job; kill its process if the lease is lost or the job was cancelled. */
static void
beat(Supervisor *supervisor, Slot *slot)
{
	bool known = slot->progress->total > 0;
	Value values[] = {TEXT(slot->job), TEXT(supervisor->name),
					  known ? session_number(slot->progress->done) : TEXT(NULL),
					  known ? session_number(slot->progress->total) : TEXT(NULL), TEXT(LEASE)};

	slot->beat_at = clock_now() + BEAT;
	if (supervisor_asks(supervisor, ASK_BEAT, values) || supervisor->session.pg == NULL)
		return;
	log_event(supervisor->settings->log, LOG_INFO, "job revoked", "job %s", slot->job);
	slot->taken = false;
	kill(slot->pid, SIGKILL);
}

/* Renew leases, kill processes that exceed their time, store failures. */
static void
process_pool_check(Supervisor *supervisor)
{
	int64_t now = clock_now();

	for (int i = 0; i < supervisor->slots; i++)
	{
		Slot *slot = &supervisor->slot[i];

		if (slot->pid == 0 && slot->reason != NULL)
			report(supervisor, slot);
		if (slot->pid == 0 || !slot->taken)
			continue;
		if (now >= slot->end_by)
		{
			slot->reason = "it took too long";
			kill(slot->pid, SIGKILL);
			slot->end_by = INT64_MAX;
		}
		if (now >= slot->beat_at && !slot->progress->ending && supervisor->session.pg != NULL)
			beat(supervisor, slot);
	}
}

static int64_t
patience(const Job *job)
{
	json_int_t size = json_integer_value(json_object_get(job->details, "size"));

	if (strcmp(job->kind, "parse") == 0 || strcmp(job->kind, "reparse") == 0 ||
		strcmp(job->kind, "preview") == 0)
		return PATIENCE + size / 1024 * PATIENCE_FOR;
	/* of an import the documents have a limit of their own */
	return PATIENCE_OTHER + (strcmp(job->kind, "import") == 0 ? job->settings->harvest_timeout : 0);
}

/* Does an array of kinds have this one? */
static bool
is_among(const char *kinds, const char *kind)
{
	const char *at = strstr(kinds, kind);

	return at != NULL && strchr("{,", at[-1]) != NULL && strchr(",}", at[strlen(kind)]) != NULL;
}

/* Start the process of a job, described by the first row of the result. */
static void
process_pool_start(Supervisor *supervisor, Slot *slot, const PGresult *result)
{
	Job job = {.settings = supervisor->settings,
			   .worker = supervisor->name,
			   .details = json_loads(PQgetvalue(result, 0, 3), 0, NULL),
			   .attempt = (int) strtol(PQgetvalue(result, 0, 4), NULL, 10),
			   .progress = slot->progress};

	snprintf(job.id, sizeof(job.id), "%s", PQgetvalue(result, 0, 0));
	snprintf(job.kind, sizeof(job.kind), "%s", PQgetvalue(result, 0, 1));
	snprintf(job.resource, sizeof(job.resource), "%s", PQgetvalue(result, 0, 2));
	snprintf(slot->job, sizeof(slot->job), "%s", PQgetvalue(result, 0, 0));
	log_event(supervisor->settings->log, LOG_VERBOSE, "job begun", "%s %s of %s, attempt %d",
			  job.kind, job.id, job.resource, job.attempt);
	slot->progress->done = 0;
	slot->progress->total = 0;
	slot->progress->ending = false;
	slot->taken = true;
	slot->reading = is_among(supervisor->readings, job.kind);
	slot->slow = !is_among(supervisor->quick, job.kind);
	slot->reason = NULL;
	slot->beat_at = clock_now() + BEAT;
	slot->end_by = clock_now() + patience(&job);
	slot->pid = process_pool_fork(supervisor);
	if (slot->pid == 0)
		exit(job_run(&job));
	json_decref(job.details);
	if (slot->pid > 0)
		return;
	slot->pid = 0;
	slot->reason = "no process could be started";
}

static Slot *
process_pool_free_slot(Supervisor *supervisor)
{
	for (int i = 0; i < supervisor->slots; i++)
		if (supervisor->slot[i].pid == 0 && !supervisor->slot[i].taken)
			return &supervisor->slot[i];
	return NULL;
}

/* Number of running jobs other than scan and parse; slow: only of those that may take minutes. */
static int
process_pool_other_jobs(const Supervisor *supervisor, bool slow)
{
	int count = 0;

	for (int i = 0; i < supervisor->slots; i++)
		count += supervisor->slot[i].taken &&
				 (slow ? supervisor->slot[i].slow : !supervisor->slot[i].reading);
	return count;
}

static bool
process_pool_is_idle(const Supervisor *supervisor)
{
	for (int i = 0; i < supervisor->slots; i++)
		if (supervisor->slot[i].pid != 0 || supervisor->slot[i].taken)
			return false;
	return true;
}

/* Kill all processes, and release their jobs. */
static void
process_pool_stop(Supervisor *supervisor)
{
	for (int i = 0; i < supervisor->slots; i++)
	{
		Slot *slot = &supervisor->slot[i];
		Value values[] = {TEXT(slot->job), TEXT(supervisor->name)};

		if (slot->pid > 0)
		{
			kill(slot->pid, SIGKILL);
			waitpid(slot->pid, NULL, 0);
		}
		if (slot->taken && supervisor->session.pg != NULL)
			supervisor_asks(supervisor, ASK_RELEASE, values);
	}
	companions_stop(supervisor);
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
			service_manager_notify("READY=1");
		}
		else if (info.ssi_signo != SIGCHLD)
			supervisor->stopping = true;
	}
	process_pool_reap(supervisor);
}

/*
 * The kinds of jobs to take now.  An archive may take minutes, so one slot is reserved for scan and
 * parse jobs, and one for these and workbooks: a small file that is uploaded meanwhile is read at once,
 * and a visitor does not wait for an archive that nobody has asked for.
 */
static const char *
wanted_kinds(const Supervisor *supervisor)
{
	int jobs = supervisor->slots - 1;

	if (jobs > 1 && process_pool_other_jobs(supervisor, false) >= jobs)
		return supervisor->readings;
	if (process_pool_other_jobs(supervisor, true) >= (jobs > 1 ? jobs - 1 : 1))
		return supervisor->quick;
	return supervisor->kinds;
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
	/* one more than jobs, for what a visitor waits for */
	supervisor->slots = (int) settings->worker_jobs + 1;
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
	snprintf(supervisor->quick, sizeof(supervisor->quick), "{convert,preview,%s%s",
			 settings->mail_command[0] != '\0' ? "email," : "", supervisor->readings + 1);
	snprintf(supervisor->kinds, sizeof(supervisor->kinds), "{archive,fetch,import,reparse,%s",
			 supervisor->quick + 1);
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
notify_alive(Supervisor *supervisor)
{
	if (supervisor->alive_interval <= 0 || clock_now() < supervisor->alive_at)
		return;
	supervisor->alive_at = clock_now() + supervisor->alive_interval;
	service_manager_notify("WATCHDOG=1");
}

/* Run jobs until a signal, or, with once, until none is left; false: once, and it failed. */
static bool
serve(Supervisor *supervisor)
{
	bool good = true;

	while (good && !supervisor->stopping)
	{
		notify_alive(supervisor);
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
				  (int) settings->worker_jobs);
		service_manager_notify("READY=1");
		good = serve(&supervisor);
		service_manager_notify("STOPPING=1");
	}
	process_pool_stop(&supervisor);
	session_close(&supervisor.session);
	log_event(settings->log, LOG_INFO, "worker stopped", "%s", "");
	if (supervisor.signals >= 0)
		close(supervisor.signals);
	free(supervisor.slot);
	return good;
}
