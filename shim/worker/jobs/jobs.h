/*
 * jobs.h - jobs, and the connection to PostgreSQL that they and the supervisor use.
 *
 * The results of a job and its end are stored in one transaction: if the process is killed, nothing
 * is stored, and the job is run again.
 *
 * Decisions: docs/explanation/decisions.md#shimworkerjobs
 */
#ifndef WORKER_JOBS_JOBS_H
#define WORKER_JOBS_JOBS_H

#include <stdatomic.h>

#include <jansson.h>
#include <libpq-fe.h>

#include "base/log.h"
#include "base/object_store.h"
#include "base/settings.h"

#define REASON_SIZE 501 /* reason of a failure; catalogue.jobs keeps 500 characters */

/* session.c: a connection to PostgreSQL that runs the statements of a list */
typedef enum Statement
{
#define STATEMENT(name, ...) ASK_##name,
#define CALL(name, ...) ASK_##name,
#include "jobs/statements.h"
#undef STATEMENT
#undef CALL
	STATEMENTS
} Statement;

/* A parameter of a statement: text, or binary with a length. */
typedef struct Value
{
	const char *data; /* NULL: null */
	size_t length;	  /* in bytes, if binary */
	bool binary;
	char number[24]; /* the text, in place of data; empty: there is none */
} Value;
#define TEXT(text) ((Value){.data = (text)})
#define BYTES(bytes, size) ((Value){.data = (bytes), .length = (size), .binary = true})

#define SQLSTATE_AWAY "STORE" /* in place of an SQLSTATE: the object store is away */

typedef struct Session
{
	PGconn *pg; /* NULL: closed */
	const Settings *settings;
	int64_t limit;			/* timeout of a statement, in milliseconds */
	bool ready[STATEMENTS]; /* which statements are prepared */
	char sqlstate[6];		/* of the last error, or SQLSTATE_AWAY; empty: the connection failed */
	char fault[501];		/* last error message, for the log */
} Session;

extern const char *session_statement(Statement statement);
extern int session_parameters(Statement statement);
extern Value session_number(int64_t number);
/* Connect as the worker; on failure false, with the message in fault. */
extern bool session_open(Session *session, const Settings *settings, int64_t limit);
extern void session_close(Session *session);
/* Did the connection fail, rather than a statement? */
extern bool session_is_gone(const Session *session);
/* Execute a statement and wait; NULL on error, with fault set.  The caller clears the result. */
extern PGresult *session_ask(Session *session, Statement statement, const Value *values);
/* Execute a statement and wait, and discard its result; false on error. */
extern bool session_do(Session *session, Statement statement, const Value *values);
/* Execute a statement; return the first column of its only row, to be freed; NULL on error. */
extern char *session_text(Session *session, Statement statement, const Value *values);
/* Execute a statement that gives a boolean; false on error. */
extern bool session_true(Session *session, Statement statement, const Value *values, bool *is_true);
extern bool session_prepare(Session *session, Statement statement);
/* Record the error message of the connection. */
extern void session_broken(Session *session);
/* Record an error: its SQLSTATE and message. */
extern void session_fault(Session *session, const char *sqlstate, const char *text);

/* blob.c */

#define BLOB_CHUNK 262144 /* size of a row of catalogue.blob_chunk in bytes */

/* A blob that is read from its beginning; its other members are zero at first. */
typedef struct BlobReader
{
	Session *session;
	Value blob;
	int64_t number; /* of the next chunk */
	bool ended;
	PGresult *chunk;	  /* that was read last */
	ObjectRequest object; /* of the object store; without a key: all chunks are in the database */
	Buffer windows[2];	  /* of its bytes: the one that was read last, and the one ahead of it */
	bool ahead;			  /* that one has been asked for */
} BlobReader;

/* Get the next bytes, valid until the next call; 0 bytes at the end; false on an error. */
extern bool blob_reader_next(BlobReader *reader, const char **data, size_t *length);
extern void blob_reader_close(BlobReader *reader);

/* job.c */
typedef struct Progress
{
	_Atomic int64_t done;
	_Atomic int64_t total;
	_Atomic bool ending; /* the end is being stored: the lease is not renewed */
} Progress;

typedef struct Job
{
	const Settings *settings;
	const char *worker; /* holder of the lease */
	char id[ID_MAXIMUM + 1];
	char kind[16];
	char resource[ID_MAXIMUM + 1]; /* id of the record that the job works on */
	json_t *details;
	int attempt;		/* counted from 1 */
	Progress *progress; /* shared with the supervisor */
	char reason[REASON_SIZE];
} Job;

/* Result of a job; if it has failed, its reason says why. */
typedef enum JobEnd
{
	JOB_DONE,	 /* an open transaction holds its results */
	JOB_FAILED,	 /* it may succeed if run again */
	JOB_FINAL,	 /* it would fail again: do not retry */
	JOB_AWAY,	 /* what it needs is away: try again until it is there */
	JOB_YIELDED, /* it waits in the queue again */
} JobEnd;

/* job_run.c */

/* Run a job in this process; the exit status: 0 if the end of the job is stored. */
extern int job_run(Job *job);

/* child.c */

/* fork(); the child is killed when its parent ends. */
extern pid_t child_fork(void);

#endif
