/*
 * supervisor.h - the process that takes jobs, and the command line of the child.
 *
 * catalogue-worker runs as three kinds of process:
 *
 *   worker.c         the supervisor: takes jobs, keeps their lease, has a process for each
 *                    (process_pool.c)
 *   jobs/job.c       such a process: one job, on a connection of its own
 *   parse_command.c  the child: it reads hostile bytes, in a sandbox, and has nothing but two pipes
 *
 * The supervisor does no work itself, so nothing that goes wrong with a job reaches another one.
 */
#ifndef WORKER_SUPERVISOR_SUPERVISOR_H
#define WORKER_SUPERVISOR_SUPERVISOR_H

#include <signal.h>
#include <sys/types.h>

#include "jobs/jobs.h"
#include "sandbox/sandbox.h"

/* worker.c: the supervisor */
#define LEASE "30s" /* a job that is not beaten for so long is another worker's */

/* Room for one job at a time. */
typedef struct Slot
{
	pid_t pid;	  /* 0: nothing runs */
	bool taken;	  /* the job is ours, whether it runs or not */
	bool reading; /* the job is a scan or a reading */
	char job[ID_MAXIMUM + 1];
	Progress *progress;
	int64_t beat_at;
	int64_t end_by;
	const char *reason; /* why it failed, which is still to be told; NULL: nothing is */
} Slot;

typedef struct Supervisor
{
	const Settings *settings;
	bool once;
	bool stopping;
	bool announced; /* there may be jobs to take */
	bool dry;		/* there were none */
	char name[80];
	char kinds[64];	   /* of jobs that it does, as an array of PostgreSQL */
	char readings[64]; /* so, those of files that were uploaded just now */
	Session session;   /* closed: there is no connection */
	int failures;	   /* to connect, in a row */
	int64_t retry_at;
	int64_t look_at;
	int signals; /* signalfd */
	sigset_t usual;
	pid_t sweeper; /* 0: none */
	int64_t sweep_at;
	int slots;
	Slot *slot;
	Progress *progress;
} Supervisor;

/* Work until SIGTERM, or once until nothing is left to be done. */
extern bool worker_run(const Settings *settings, bool once);
/* The work of --check; the exit status. */
extern int worker_check(const Settings *settings);
/* Nobody else may look into this process. */
extern void worker_hide(void);
/* Ask something of which the answer is true or false; false also when there is no answer. */
extern bool supervisor_asks(Supervisor *supervisor, Statement statement, const Value *values);

/* process_pool.c */
/* Make a process that ends with this one: 0 in it, else its pid; -1: there is none. */
extern pid_t process_pool_fork(Supervisor *supervisor);
/* Start the process of a job that was taken. */
extern void process_pool_start(Supervisor *supervisor, Slot *slot, const PGresult *result);
extern Slot *process_pool_free_slot(Supervisor *supervisor);
/* How many jobs are done that are neither scans nor readings? */
extern int process_pool_other_jobs(const Supervisor *supervisor);
extern bool process_pool_is_idle(const Supervisor *supervisor);
/* Look after the jobs that are ours. */
extern void process_pool_check(Supervisor *supervisor);
/* Take note of processes that have ended. */
extern void process_pool_reap(Supervisor *supervisor);
/* End all processes, and give their jobs back. */
extern void process_pool_stop(Supervisor *supervisor);

/* fetch_command.c */
#define FETCH_HEADERS 16 /* header fields of the command line, at most */

typedef struct FetchCommand
{
	const char *url; /* NULL: nothing is to be fetched */
	const char *body;
	const char *headers[FETCH_HEADERS + 1];
	size_t count;
} FetchCommand;

/* Fetch a URL and print the answer; the exit status. */
extern int fetch_command_run(const Settings *settings, const FetchCommand *command);

/* parse_command.c */
/* A way to read files: what --parse names. */
typedef struct Reader
{
	const char *name;
	void (*read)(Parse *parse);
	/* what must be done before the sandbox closes; NULL: nothing */
	void (*prepare)(const Options *options);
} Reader;

/* Read a file as the child; count and arguments are those behind --parse. */
extern int parse_run(int count, char **arguments);
extern const Reader *parse_reader(const char *name);

#endif
