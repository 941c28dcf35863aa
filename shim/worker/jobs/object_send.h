/*
 * object_send.h - bytes into the object store, for the jobs and for what moves blobs.
 *
 * Decisions: docs/explanation/decisions.md#bytes-in-an-object-store
 */
#ifndef WORKER_JOBS_OBJECT_SEND_H
#define WORKER_JOBS_OBJECT_SEND_H

#include "jobs/jobs.h"

/* What is sent to the object store: its size, and how its bytes are given from an offset on. */
typedef struct ObjectSource
{
	int64_t size;
	bool (*seek)(void *target, int64_t offset);
	ptrdiff_t (*give)(void *target, char *space, size_t room); /* as that of a request */
	void *target;
} ObjectSource;

/* Send bytes to the store under the key of the request, by parts where they are long; one that failed may be unfinished
 * there. */
extern ObjectEnd object_send(ObjectRequest *request, const Settings *settings,
							 const ObjectSource *source);
/* Read the object of the request, with its size, and compare it with the digest that is its key. */
extern ObjectEnd object_send_compare(ObjectRequest *request, const Settings *settings);
/* Send a file to the store and begin a transaction, in which a blob has its bytes; return its id, to be freed; NULL: it
 * is to be a blob of the database, and there is no transaction. */
extern char *object_send_file(Session *session, FILE *file);

#endif
