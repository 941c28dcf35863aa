/*
 * jobs.h - jobs, and the connection to PostgreSQL that they and the supervisor use.
 *
 * What a job leaves is stored in one transaction together with the end of the job: a process that
 * is killed at any time has done nothing, and the job is taken again.
 */
#ifndef WORKER_JOBS_JOBS_H
#define WORKER_JOBS_JOBS_H

#include <stdatomic.h>

#include <jansson.h>
#include <libpq-fe.h>

#include "log/log.h"
#include "settings.h"

#define REASON_SIZE 501 /* of why a job failed; catalogue.jobs keeps 500 characters */

/* session.c: a connection to PostgreSQL that answers one statement after the other */
typedef enum Statement
{
	ASK_ALLOWED,
	ASK_LISTEN,
	ASK_TAKE,
	ASK_BEAT,
	ASK_DONE,
	ASK_FAILED,
	ASK_RELEASE,
	ASK_SWEEP,
	ASK_DISPATCH,
	ASK_BEGIN,
	ASK_COMMIT,
	ASK_BLOB_BYTES,
	ASK_BLOB_CREATE,
	ASK_BLOB_APPEND,
	ASK_BLOB_OVERWRITE,
	ASK_BLOB_SEAL,
	ASK_CONTENTS_BEGIN,
	ASK_CONTENTS_SHEET,
	ASK_CONTENTS_ADD,
	ASK_CONTENTS_ISSUE,
	ASK_CONTENTS_SHEET_END,
	ASK_CONTENTS_PUBLISH,
	ASK_SHEETS,
	ASK_ROWS,
	ASK_CONVERTED,
	ASK_REFUSED,
	ASK_MANIFEST,
	ASK_ARCHIVE_STORE,
	STATEMENTS
} Statement;

/* A parameter: text, or bytes where a length is given. */
typedef struct Value
{
	const char *data; /* NULL: null */
	size_t length;	  /* of bytes */
	bool binary;
} Value;

#define TEXT(text) ((Value){.data = (text)})
#define BYTES(bytes, size) ((Value){.data = (bytes), .length = (size), .binary = true})

typedef struct NumberText
{
	char text[24];
} NumberText;

typedef struct Session
{
	PGconn *pg; /* NULL: closed */
	const Settings *settings;
	int64_t limit;	 /* milliseconds that an answer may take */
	uint64_t ready;	 /* statements that are prepared, by number */
	char state[6];	 /* SQLSTATE of the last fault; empty: it was the connection's */
	char fault[300]; /* what was wrong, for the log */
} Session;

extern const char *session_statement(Statement statement);
extern NumberText session_number(int64_t number);
/* Connect as the worker; false with a fault when there is no connection. */
extern bool session_open(Session *session, const Settings *settings, int64_t limit);
extern void session_close(Session *session);
/* Free a connection that is another process's, without ending it. */
extern void session_leave(Session *session);
/* Is it the connection that failed? */
extern bool session_is_gone(const Session *session);
/* Ask and wait; NULL with a fault.  The caller clears the result. */
extern PGresult *session_ask(Session *session, Statement statement, const Value *values);
/* Execute a statement and wait; false with a fault.  The result is dropped. */
extern bool session_do(Session *session, Statement statement, const Value *values);
/* Execute a statement; the first column of its only row, to be freed; NULL with a fault. */
extern char *session_text(Session *session, Statement statement, const Value *values);
/* Send without waiting; in pipeline mode the statement must have been prepared before. */
extern bool session_send(Session *session, Statement statement, const Value *values);
extern bool session_prepare(Session *session, Statement statement);
/* Wait for what was sent; NULL with a fault. */
extern PGresult *session_receive(Session *session);
/* Keep what a result says of a fault; true when it is none. */
extern bool session_check(Session *session, const PGresult *result);
/* Keep the connection's own error message as the fault. */
extern void session_broken(Session *session);

/* job.c */
typedef struct Progress
{
	_Atomic int64_t done;
	_Atomic int64_t total;
	_Atomic bool ending; /* the job is being ended in the database: its lease needs no more beats */
} Progress;

typedef struct Job
{
	const Settings *settings;
	const char *worker; /* who has it */
	char id[ID_MAXIMUM + 1];
	char kind[16];
	char resource[ID_MAXIMUM + 1]; /* the record that it is done for */
	json_t *details;
	int attempt;		/* from 1 */
	Progress *progress; /* the supervisor reads it */
	char reason[REASON_SIZE];
} Job;

/* How far a job came; unless it is done, its reason says why. */
typedef enum JobEnd
{
	JOB_DONE,	/* a transaction is open with all that it leaves */
	JOB_FAILED, /* it may be tried again */
	JOB_FINAL,	/* it would fail again */
} JobEnd;

/* Do a job in a process of its own; the exit status: 0 when the database knows how it ended. */
extern int job_run(Job *job);

#endif
