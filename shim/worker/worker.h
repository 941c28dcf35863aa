/*
 * worker.h - read first: what the files of catalogue-worker share.
 *
 * One program, which runs as three kinds of process:
 *
 *   worker.c    the supervisor: takes jobs, keeps their lease, has a process for each
 *               (process_pool.c)
 *   job.c       such a process: one job, on a connection of its own; by the kind of the job
 *     reading.c   parse: the bytes to a child (child.c, child_input.c), its frames
 *                 (frame_reader.c) into the database (store.c)
 *     scan.c      scan: the bytes to a scanner
 *     convert.c   convert: contents as a workbook (book_write.h)
 *     archive.c   archive: the files of a dataset as a zip file
 *   parse.c     the child: it reads hostile bytes, in a sandbox, and has nothing but two pipes
 *
 * The supervisor does no work itself, so nothing that goes wrong with a job reaches another one.
 * What a job leaves is stored in one transaction together with the end of the job: a process that
 * is killed at any time has done nothing, and the job is taken again.
 */
#ifndef WORKER_H
#define WORKER_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

#include <jansson.h>
#include <libpq-fe.h>

#include "log/log.h"
#include "settings.h"

#define BLOB_CHUNK 262144		/* bytes of a row of catalogue.blob_chunk */
#define FRAME_MAXIMUM (2 << 20) /* bytes of the payload of a frame */
#define REASON_SIZE 501			/* of why a job failed; catalogue.jobs keeps 500 characters */

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

typedef struct Number
{
	char text[24];
} Number;

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
extern Number number_text(int64_t number);
/* Connect as the worker; false with a fault when there is no connection. */
extern bool session_open(Session *session, const Settings *settings, int64_t limit);
extern void session_close(Session *session);
/* Free a connection that is another process's, without ending it. */
extern void session_leave(Session *session);
/* Is it the connection that failed? */
extern bool session_is_gone(const Session *session);
/* Ask and wait; NULL with a fault.  The caller clears the result. */
extern PGresult *session_ask(Session *session, Statement statement, const Value *values);
/* So, where only success matters. */
extern bool session_do(Session *session, Statement statement, const Value *values);
/* So, for the text in the first column of the only row, to be freed; NULL with a fault. */
extern char *session_text(Session *session, Statement statement, const Value *values);
/* Send without waiting; in pipeline mode the statement must have been prepared before. */
extern bool session_send(Session *session, Statement statement, const Value *values);
extern bool session_prepare(Session *session, Statement statement);
/* Wait for what was sent; NULL with a fault. */
extern PGresult *session_receive(Session *session);
/* Keep what a result says of a fault; true when it is none. */
extern bool session_check(Session *session, const PGresult *result);
/* So, of the connection. */
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
/* A text among its details; NULL: there is none. */
extern const char *job_detail(const Job *job, const char *name);
/* So, a number. */
extern Number job_number(const Job *job, const char *name);
/* Keep a reason, and give what the job ends with. */
extern JobEnd job_ends(Job *job, JobEnd end, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The job ends because a statement did not do. */
extern JobEnd job_stopped(Job *job, const Session *session);

/* file_source.c: stored bytes, a chunk at a time */
typedef struct ByteReader
{
	Session *session;
	const char *blob;
	int64_t number; /* of the chunk that was asked for last */
	bool asked;
	bool ended;
	PGresult *chunk;
} ByteReader;

/* Read a blob from its beginning, one chunk ahead; the session has no other use meanwhile. */
extern bool bytes_open(ByteReader *reader, Session *session, const char *blob);
/* The next chunk, which is good until the next call; 0 bytes at the end; false with a fault. */
extern bool bytes_next(ByteReader *reader, const char **data, size_t *length);
/* Is the next chunk there, so that bytes_next() does not wait? */
extern bool bytes_ready(ByteReader *reader);
extern void bytes_close(ByteReader *reader);

typedef struct ByteWriter
{
	Session *session;
	char *blob; /* id; NULL: not made yet */
	char *buffer;
	int64_t flushed; /* bytes that are stored */
	size_t held;	 /* bytes in the buffer, which stand behind those */
	int64_t at;		 /* where the next byte goes */
} ByteWriter;

/* Make a blob, to be written to; false with a fault of the session. */
extern bool writer_open(ByteWriter *writer, Session *session);
/* Write at the present place, which may be before the end. */
extern bool writer_put(ByteWriter *writer, const char *data, size_t length);
/* Store what is left, and seal; the id of the blob to refer to, to be freed; NULL with a fault. */
extern char *writer_seal(ByteWriter *writer);
extern bool writer_flush(ByteWriter *writer);
extern void writer_close(ByteWriter *writer);

/* child.c */
typedef struct Child
{
	pid_t pid;
	int input;	/* -1: closed, or a file of the child's alone */
	int output; /* -1: closed */
} Child;

/* Start the program with these arguments; file is its input, -1 for a pipe. */
extern bool child_start(Child *child, char *const arguments[], char *const environment[], int file);
/* Does it end by itself in time?  Its status is as of waitpid(). */
extern bool child_has_ended(Child *child, int *status, int64_t until);
/* Close the pipes, and end it if it has not ended. */
extern void child_end(Child *child);
/* Wait until a descriptor is ready, or the time is up. */
extern bool child_wait(int file, short events, int64_t until);
/* A file without a name. */
extern int child_file(void);

/* child_input.c: bytes into a pipe that may not take them yet */
typedef struct Feed
{
	ByteReader reader;
	Child *child;
	const char *data;
	size_t left;
	int64_t taken; /* bytes */
} Feed;

extern bool feed_open(Feed *feed, Session *session, const char *blob, Child *child);
/* Write what the pipe takes; false with a fault of the session. */
extern bool feed_step(Feed *feed);
extern void feed_close(Feed *feed);
/* Copy a blob into a file; false with a fault of the session, or errno. */
extern bool feed_file(Session *session, const char *blob, int file, Progress *progress);

/* frame_reader.c */
typedef struct Frame
{
	char type;
	const char *data;
	size_t length;
} Frame;

typedef struct Frames
{
	char *buffer;
	size_t start; /* of what has not been given yet */
	size_t end;
	bool ended; /* the pipe is closed */
} Frames;

extern bool frames_open(Frames *frames);
extern void frames_close(Frames *frames);
/* Read what there is; false when it cannot be read. */
extern bool frames_read(Frames *frames, int file);
/* 1 and the next frame, which is good until the next call of frames_read(); 0 when it is not whole
 * yet; -1 when it is none. */
extern int frames_next(Frames *frames, Frame *frame);
extern uint32_t frames_u32(const char *bytes);
extern uint64_t frames_u64(const char *bytes);

/* store.c: frames into the database */
#define STORE_FLIGHT 64 /* statements that are sent and not answered, at most */

typedef struct Store
{
	Session *session;
	Job *job;
	int flight;
	char *revision;
	char *sheet; /* id; NULL: none is open */
	int sheets;
	int64_t rows;	/* of the open sheet */
	int issues;		/* so */
	bool ended;		/* the last frame has come */
	bool refused;	/* it was one that refuses the file; the reason is the job's */
	bool malformed; /* the child does not keep to the rules */
} Store;

/* Begin a reading of the job's file, in a transaction. */
extern bool store_open(Store *store, Session *session, Job *job);
/* Is there room for a frame? */
extern bool store_has_room(const Store *store);
/* Store a frame; false when it is malformed, or with a fault of the session. */
extern bool store_frame(Store *store, const Frame *frame);
/* Take the answers that are there. */
extern bool store_advance(Store *store);
/* All frames have come: show what they brought.  The transaction stays open. */
extern bool store_publish(Store *store);
extern void store_close(Store *store);

/* cells.c */
typedef struct Column Column;
typedef struct Cells
{
	uint32_t rows;
	uint32_t count; /* of columns */
	Column *columns;
} Cells;

/* Begin to take packed rows apart; false when they are malformed.  cells_close() in any case. */
extern bool cells_open(Cells *cells, const char *data, size_t length);
/* The cell of a column in its next row, NULL where there is none; to be asked for once a row. */
extern const char *cells_next(Cells *cells, uint32_t number, size_t *length);
extern void cells_close(Cells *cells);

/* reading.c, scan.c, convert.c, archive.c */
extern JobEnd reading_run(Session *session, Job *job);
extern JobEnd scan_run(Session *session, Job *job);
extern JobEnd convert_run(Session *session, Job *job);
extern JobEnd archive_run(Session *session, Job *job);

/* readme.c: what stands in an archive besides the files; texts to be freed */
extern char *readme_text(const json_t *manifest);
extern char *readme_package(const json_t *manifest);

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
extern pid_t crew_split(Supervisor *supervisor);
/* Start the process of a job that was taken. */
extern void crew_start(Supervisor *supervisor, Slot *slot, const PGresult *result);
extern Slot *crew_free_slot(Supervisor *supervisor);
/* How many jobs are done that are neither scans nor readings? */
extern int crew_makers(const Supervisor *supervisor);
extern bool crew_is_idle(const Supervisor *supervisor);
/* Look after the jobs that are ours. */
extern void crew_attend(Supervisor *supervisor);
/* Take note of processes that have ended. */
extern void crew_reap(Supervisor *supervisor);
/* End all processes, and give their jobs back. */
extern void crew_stop(Supervisor *supervisor);

/* parse.c: the child; count and arguments are those behind --parse */
extern int parse_run(int count, char **arguments);

#endif
