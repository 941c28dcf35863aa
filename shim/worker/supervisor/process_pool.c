/*
 * process_pool.c - the processes of the jobs and those that run beside them: start, leases, end.
 *
 * A process reports its progress in shared memory and its end by its exit status; everything else
 * it stores in PostgreSQL itself.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/supervisor.h"
#include "webhooks/webhooks.h"

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
	session_leave(&supervisor->session);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	sigprocmask(SIG_SETMASK, &supervisor->usual, NULL);
	return 0;
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

void
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
	NumberText done = session_number(slot->progress->done);
	NumberText total = session_number(slot->progress->total);
	bool known = slot->progress->total > 0;
	Value values[] = {TEXT(slot->job), TEXT(supervisor->name), TEXT(known ? done.text : NULL),
					  TEXT(known ? total.text : NULL), TEXT(LEASE)};

	slot->beat_at = clock_now() + BEAT;
	if (supervisor_asks(supervisor, ASK_BEAT, values) || supervisor->session.pg == NULL)
		return;
	log_event(supervisor->settings->log, LOG_INFO, "job revoked", "job %s", slot->job);
	slot->taken = false;
	kill(slot->pid, SIGKILL);
}

void
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

	if (strcmp(job->kind, "parse") == 0)
		return PATIENCE + size / 1024 * PATIENCE_FOR;
	/* of an import the documents have a limit of their own */
	return PATIENCE_OTHER + (strcmp(job->kind, "import") == 0 ? job->settings->harvest_timeout : 0);
}

/* Copy a column of the only row into a buffer. */
static void
copy_column(const PGresult *result, int column, char *space, size_t size)
{
	snprintf(space, size, "%s", PQgetvalue(result, 0, column));
}

void
process_pool_start(Supervisor *supervisor, Slot *slot, const PGresult *result)
{
	Job job = {.settings = supervisor->settings,
			   .worker = supervisor->name,
			   .details = json_loads(PQgetvalue(result, 0, 3), 0, NULL),
			   .attempt = (int) strtol(PQgetvalue(result, 0, 4), NULL, 10),
			   .progress = slot->progress};

	copy_column(result, 0, job.id, sizeof(job.id));
	copy_column(result, 1, job.kind, sizeof(job.kind));
	copy_column(result, 2, job.resource, sizeof(job.resource));
	copy_column(result, 0, slot->job, sizeof(slot->job));
	log_event(supervisor->settings->log, LOG_VERBOSE, "job begun", "%s %s of %s, attempt %d",
			  job.kind, job.id, job.resource, job.attempt);
	slot->progress->done = 0;
	slot->progress->total = 0;
	slot->progress->ending = false;
	slot->taken = true;
	slot->reading = strcmp(job.kind, "parse") == 0 || strcmp(job.kind, "scan") == 0;
	slot->reason = NULL;
	slot->beat_at = clock_now() + BEAT;
	slot->end_by = clock_now() + patience(&job);
	slot->pid = process_pool_fork(supervisor);
	if (slot->pid == 0)
	{
		int status = job_run(&job);

		exit(status);
	}
	json_decref(job.details);
	if (slot->pid > 0)
		return;
	slot->pid = 0;
	slot->reason = "no process could be started";
}

Slot *
process_pool_free_slot(Supervisor *supervisor)
{
	for (int i = 0; i < supervisor->slots; i++)
		if (supervisor->slot[i].pid == 0 && !supervisor->slot[i].taken)
			return &supervisor->slot[i];
	return NULL;
}

int
process_pool_other_jobs(const Supervisor *supervisor)
{
	int count = 0;

	for (int i = 0; i < supervisor->slots; i++)
		count += supervisor->slot[i].taken && !supervisor->slot[i].reading;
	return count;
}

bool
process_pool_is_idle(const Supervisor *supervisor)
{
	for (int i = 0; i < supervisor->slots; i++)
		if (supervisor->slot[i].pid != 0 || supervisor->slot[i].taken)
			return false;
	return true;
}

void
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

/*
 * Each has a connection of its own, because its statements may take long.  One whose connection
 * fails ends, and is started again.
 */

#define SWEEP 10000			 /* milliseconds between sweeps */
#define PAUSE 10000			 /* milliseconds between two starts of a companion, at least */
#define ANSWER_LIMIT 3600000 /* timeout of a statement in milliseconds */

/* Remove expired objects; false on an error of the session. */
static bool
sweep(const Supervisor *supervisor, Session *session)
{
	char *swept = session_text(session, ASK_SWEEP, NULL);
	bool good = swept != NULL;

	if (good && strcmp(swept, "0") != 0)
		log_event(supervisor->settings->log, LOG_VERBOSE, "swept", "%s", swept);
	free(swept);
	return good;
}

/*
 * Run some of the scheduled jobs that are due, unless pg_cron or another worker does; false on an
 * error of the session.  *dispatching: whether this worker ran them in the last call.
 */
static bool
dispatch(const Supervisor *supervisor, Session *session, bool *dispatching)
{
	Value values[] = {TEXT(supervisor->name)};
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
		log_event(supervisor->settings->log, LOG_INFO, "schedule", "%s",
				  done >= 0 ? "this worker runs the scheduled jobs: pg_cron does not"
							: "pg_cron or another worker runs the scheduled jobs");
	*dispatching = done >= 0;
	return true;
}

/* Sweep and dispatch until the connection fails. */
static void
keep_swept(const Supervisor *supervisor, Session *session)
{
	bool dispatching = false;

	while (sweep(supervisor, session) && dispatch(supervisor, session, &dispatching))
		poll(NULL, 0, SWEEP);
}

/* Send the messages of webhooks until the connection fails. */
static void
keep_told(const Supervisor *supervisor, Session *session)
{
	deliver(session, supervisor->name);
}

static const struct
{
	const char *failure; /* event of the log */
	void (*run)(const Supervisor *supervisor, Session *session);
} kinds[COMPANIONS] = {{"sweep failed", keep_swept}, {"webhooks failed", keep_told}};

/* The process of a companion; does not return. */
static void __attribute__((noreturn)) run(const Supervisor *supervisor, int kind)
{
	Session session;

	if (session_open(&session, supervisor->settings, ANSWER_LIMIT))
		kinds[kind].run(supervisor, &session);
	if (!session_is_gone(&session))
		log_event(supervisor->settings->log, LOG_ERROR, kinds[kind].failure, "%s", session.fault);
	session_close(&session);
	exit(EXIT_FAILURE);
}

void
companions_keep(Supervisor *supervisor)
{
	for (int i = 0; i < COMPANIONS && !supervisor->once; i++)
	{
		Companion *companion = &supervisor->companion[i];

		if (companion->pid > 0 || clock_now() < companion->start_at)
			continue;
		companion->start_at = clock_now() + PAUSE;
		companion->pid = process_pool_fork(supervisor);
		if (companion->pid == 0)
			run(supervisor, i);
	}
}

bool
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

void
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
