/*
 * jobs_internal.h - what jobs share.
 *
 *   reading.c   parse: the bytes to a child (child.c, child_input.c), its frames (frame_reader.c)
 *               into the database (store.c)
 *   scan.c      scan: the bytes to a scanner
 *   convert.c   convert: contents as a workbook
 *   archive.c   archive: the files of a dataset as a zip file
 *   email.c     email: a message to the program that sends it
 */
#ifndef WORKER_JOBS_JOBS_INTERNAL_H
#define WORKER_JOBS_JOBS_INTERNAL_H

#include "jobs/jobs.h"
#include "sandbox/sandbox.h"

#define BLOB_CHUNK 262144 /* bytes of a row of catalogue.blob_chunk */

/* job_end.c */
/* A text in the details of a job; NULL: there is none. */
extern const char *job_detail(const Job *job, const char *name);
/* A number in the details of a job. */
extern NumberText job_number(const Job *job, const char *name);
/* Keep a reason, and give what the job ends with. */
extern JobEnd job_ends(Job *job, JobEnd end, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * End the job because no temporary file could be created, for the error of errno.  The directory is
 * in the log only, since the owner of the file reads the reason.
 */
extern JobEnd job_without_file(Job *job, int error);
/* The job ends because a statement did not do. */
extern JobEnd job_stopped(Job *job, const Session *session);

/* blob_reader.c */
typedef struct BlobReader
{
	Session *session;
	const char *blob;
	int64_t number; /* of the chunk that was asked for last */
	bool asked;
	bool ended;
	PGresult *chunk;
} BlobReader;

/* Read a blob from its beginning, one chunk ahead; the session has no other use meanwhile. */
extern bool blob_reader_open(BlobReader *reader, Session *session, const char *blob);
/* The next chunk, which is good until the next call; 0 bytes at the end; false with a fault. */
extern bool blob_reader_next(BlobReader *reader, const char **data, size_t *length);
/* Is the next chunk there, so that blob_reader_next() does not wait? */
extern bool blob_reader_ready(BlobReader *reader);
extern void blob_reader_close(BlobReader *reader);

/* blob_writer.c */
typedef struct BlobWriter
{
	Session *session;
	char *blob; /* id; NULL: not made yet */
	char *buffer;
	int64_t flushed; /* bytes that are stored */
	size_t held;	 /* bytes in the buffer, which stand behind those */
	int64_t at;		 /* where the next byte goes */
} BlobWriter;

/* Make a blob, to be written to; false with a fault of the session. */
extern bool blob_writer_open(BlobWriter *writer, Session *session);
/* Write at the present place, which may be before the end. */
extern bool blob_writer_put(BlobWriter *writer, const char *data, size_t length);
/* Store what is left, and seal; the id of the blob to refer to, to be freed; NULL with a fault. */
extern char *blob_writer_seal(BlobWriter *writer);
extern bool blob_writer_flush(BlobWriter *writer);
extern void blob_writer_close(BlobWriter *writer);

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

/* child_input.c: bytes into a pipe that may not take them yet */
typedef struct ChildInput
{
	BlobReader reader;
	Child *child;
	const char *data;
	size_t left;
	int64_t taken; /* bytes */
} ChildInput;

extern bool child_input_open(ChildInput *input, Session *session, const char *blob, Child *child);
/* Write what the pipe takes; false with a fault of the session. */
extern bool child_input_write(ChildInput *input);
extern void child_input_close(ChildInput *input);
/* Copy a blob into a file; false with a fault of the session, or errno. */
extern bool child_input_copy(Session *session, const char *blob, int file, Progress *progress);

/* reading.c, scan.c, convert.c, archive.c, email.c */
extern JobEnd reading_run(Session *session, Job *job);
extern JobEnd scan_run(Session *session, Job *job);
extern JobEnd convert_run(Session *session, Job *job);
extern JobEnd archive_run(Session *session, Job *job);
extern JobEnd email_run(Session *session, Job *job);

/* readme.c: what stands in an archive besides the files; texts to be freed */
extern char *readme_text(const json_t *manifest);
extern char *readme_package(const json_t *manifest);

#endif
