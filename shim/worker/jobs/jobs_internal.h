/*
 * jobs_internal.h - functions shared by the jobs.
 *
 *   reading.c   parse: the bytes to a child, its frames (child.c) into the database
 *               (store.c)
 *               reparse: likewise of a file that earlier readers have read
 *               preview: likewise of the first rows, which preview.c keeps apart
 *   scan.c      scan: the bytes to a scanner
 *   convert.c   convert: contents as a workbook, or by convert_features.c as a geographic file
 *               picture.c: a picture as PNG
 *   archive.c   archive: the files of a dataset as a zip file
 *   email.c     email: a message to the program that sends it
 *   fetch_job.c fetch: rows of a remote service
 *   import_job.c import: the document of another catalogue, with rdf_document.c
 */
#ifndef WORKER_JOBS_JOBS_INTERNAL_H
#define WORKER_JOBS_JOBS_INTERNAL_H

#include "jobs/jobs.h"
#include "sandbox/command.h"

#define PROGRAM_MAXIMUM 1024 /* bytes of the path of a program */

/* session.c */

typedef struct BlobWriter
{
	Session *session;
	char *blob;		 /* id; NULL: not created yet */
	char *buffer;	 /* the last chunk, until it is full */
	int64_t flushed; /* bytes stored in the database */
	size_t held;	 /* bytes in the buffer, which follow those */
} BlobWriter;

/* child.c */

typedef struct Child
{
	pid_t pid;
	int input;			 /* -1: closed, or not a pipe */
	int output;			 /* -1: closed */
	_Atomic int64_t fed; /* bytes that were written to it by another thread */
	bool ended;			 /* its last frame has come */
	char fault[48];		 /* why its output is not used, for the log */
} Child;

/* Start a program; file is its standard input, -1 for a pipe. */
extern bool child_start(Child *child, char *const arguments[], char *const environment[], int file);
/* Wait until the child exits or the time is reached; the status is that of waitpid(). */
extern bool child_has_ended(Child *child, int *status, int64_t until);
/* Close the pipes, and kill the child if it is running. */
extern void child_end(Child *child);
/* Wait until a descriptor is ready; false when the time is reached. */
extern bool child_wait(int file, short events, int64_t until);

/* Write a blob to a file, and count its bytes; false on an error of the session, or with errno. */
extern bool child_write_blob(Session *session, Value blob, int file, _Atomic int64_t *count);

/* reading.c, scan.c, convert.c, archive.c, email.c, fetch_job.c, import_job.c */
extern JobEnd reading_run(Session *session, Job *job);
/* Write the path of the program for geographic files, of PROGRAM_MAXIMUM bytes; false: it is not there. */
extern bool reading_find_geo(char *path) __attribute__((nonnull));
/* Read a file anew; where its bytes cannot be, make anew what shows its rows. */
extern JobEnd reading_reparse(Session *session, Job *job);
extern JobEnd scan_run(Session *session, Job *job);
/* Scan the bytes of the job's blob, outside a transaction; JOB_DONE if they are clean. */
extern JobEnd scan_bytes(Session *session, Job *job);
extern JobEnd convert_run(Session *session, Job *job);
extern JobEnd archive_run(Session *session, Job *job);
extern JobEnd email_run(Session *session, Job *job);
extern JobEnd fetch_job_run(Session *session, Job *job);
extern JobEnd import_job_run(Session *session, Job *job);

/* picture.c */

/* Is the job of kind convert for a picture? */
extern bool picture_is(const Job *job);
extern JobEnd picture_run(Session *session, Job *job);

/* selection.c */

/* The sheets that a job of kind convert is for, as JSON; NULL: there are none, or an error of the session. */
extern char *selection_sheets(Session *session, Job *job);
/* Give the rows that the query of the job selects, in pieces in a format, until one is not taken; false then, and on an
 * error of the session. */
extern bool selection_read(Session *session, Job *job, const char *format,
						   bool (*take)(void *target, const char *piece, size_t length),
						   void *target);

/* rdf_document.c */
/* The reader of a document in RDF, by its media type or else its text, which is behind a byte
 * order mark; NULL: it is to be read as JSON. */
extern const char *rdf_document_form(const char *type, const char *text);
/* Convert a document to JSON-LD in a child; false with the reason, a clause whose subject is "it". */
extern bool rdf_document_convert(const char *form, const char *url, const Buffer *document,
								 Buffer *result, char *reason, size_t size);

/* blob.c */

/* Create a blob for writing; false on an error of the session. */
extern bool blob_writer_open(BlobWriter *writer, Session *session);
extern void blob_writer_close(BlobWriter *writer);
extern bool blob_writer_put(BlobWriter *writer, const char *data, size_t length);
/* Store the buffered bytes and seal the blob; return its id, to be freed; NULL on an error. */
extern char *blob_writer_seal(BlobWriter *writer);
/* Store a file as a blob, in the object store if it can be, and make it the last parameter of a statement, in a
 * transaction, which stays open; false on an error. */
extern bool blob_store(Session *session, FILE *file, Statement statement, Value *values);

/* job.c */

/* A text member of the details of a job; NULL if absent. */
extern const char *job_detail(const Job *job, const char *name);
/* A member of the details of a job that is a number, or a text with one. */
extern Value job_number(const Job *job, const char *name);
/* Set the reason of the job, and return end. */
extern JobEnd job_ends(Job *job, JobEnd end, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* End the job because no temporary file could be created; error is errno.  The name of the
 * directory goes to the log only, because the owner of the file can read the reason. */
extern JobEnd job_without_file(Job *job, int error);
extern JobEnd job_stopped(Job *job, const Session *session);

#endif
