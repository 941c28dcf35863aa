/*
 * companion.c - the processes that run beside the jobs.
 *
 * Each has a connection of its own, because its statements may take long.  One whose connection
 * fails ends, and is started again.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "supervisor/supervisor.h"
#include "webhooks/webhooks.h"

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
