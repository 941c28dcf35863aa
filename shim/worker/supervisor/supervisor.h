/*
 * supervisor.h - the supervisor process, and the command lines of its children.
 *
 * catalogue-worker runs as four kinds of process:
 *
 *   worker.c         the supervisor: takes jobs, renews their leases, runs a process for each
 *                    and the processes beside the jobs: sweeps and schedules, webhooks,
 *                    bytes in the object store
 *   jobs/job_run.c   the process of a job: one job, on a connection of its own
 *   parse_command.c  the child: reads untrusted bytes in a sandbox, with two pipes only
 *
 * The supervisor does no work itself, so a job that fails does not affect other jobs.
 *
 * Decisions: docs/explanation/decisions.md#shimworkersupervisor
 */
#ifndef WORKER_SUPERVISOR_SUPERVISOR_H
#define WORKER_SUPERVISOR_SUPERVISOR_H

#include <signal.h>
#include <sys/types.h>

#include "jobs/jobs.h"
#include "sandbox/command.h"

/* worker.c */

#define LEASE "30s" /* duration of a lease; another worker may take a job whose lease expired */

/* A slot runs one job at a time. */
typedef struct Slot
{
	pid_t pid;	  /* 0: no process */
	bool taken;	  /* this worker holds the lease of the job */
	bool reading; /* the job is a scan or a parse */
	bool slow;	  /* it may take minutes, and nobody waits for it but who asked for just that */
	char job[ID_MAXIMUM + 1];
	Progress *progress;
	int64_t beat_at;
	int64_t end_by;
	const char *reason; /* why it failed, not yet stored; NULL: nothing to store */
} Slot;

/* A process that runs beside the jobs, and is started again after it ended. */
typedef struct Companion
{
	pid_t pid;		  /* 0: none */
	int64_t start_at; /* not before */
} Companion;

#define COMPANIONS 3

typedef struct Supervisor
{
	const Settings *settings;
	bool once;
	bool stopping;
	bool announced; /* a notification came: there may be jobs to take */
	bool dry;		/* the last query found no job */
	char name[80];
	char kinds[96];	   /* kinds of jobs that it runs, as an array of PostgreSQL */
	char quick[96];	   /* of these, what a visitor waits for, and the readings */
	char readings[64]; /* of these, scan and parse */
	Session session;   /* may be closed */
	int failures;	   /* consecutive failures to connect */
	int64_t retry_at;
	int64_t look_at;
	int64_t alive_interval; /* milliseconds between two signs of life; 0: none are wanted */
	int64_t alive_at;		/* when the next one is due */
	int signals;			/* signalfd */
	sigset_t usual;
	Companion companion[COMPANIONS];
	int slots;
	Slot *slot;
	Progress *progress;
} Supervisor;

/* Run jobs until SIGTERM, or, with once, until no job is left. */
extern bool worker_run(const Settings *settings, bool once);

/* worker_check.c */

/* Perform --check; the exit status. */
extern int worker_check(const Settings *settings);
/* Perform --health; the exit status: has a worker of this host asked for jobs in the last minute? */
extern int worker_check_health(const Settings *settings);

/* parse_command.c */

#define FETCH_HEADERS 16 /* header fields of the command line, at most */

typedef struct FetchCommand
{
	const char *url; /* NULL: nothing is to be fetched */
	const char *body;
	const char *headers[FETCH_HEADERS + 1];
	size_t count;
} FetchCommand;

/* Fetch a URL and print the answer; the exit status. */
extern int parse_command_fetch(const Settings *settings, const FetchCommand *command);

/* Read a file as the child; the arguments are those after --parse. */
extern int parse_command_run(int count, char **arguments);

#endif
