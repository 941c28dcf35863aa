/*
 * objects.h - bytes of files on their way to the object store, or back.
 *
 * One process of all workers does so at a time, with one request after the other.  It may be killed at
 * any instant: what it has not told the database is done again.  base/object_store.c sends the requests;
 * catalogue.object_next() (extension/files/objects.sql) says what is to be moved.
 *
 * Decisions: docs/explanation/decisions.md#bytes-in-an-object-store
 */
#ifndef WORKER_OBJECTS_OBJECTS_H
#define WORKER_OBJECTS_OBJECTS_H

#include "jobs/jobs.h"

/* Move bytes until the connection fails; worker is not used. */
extern void objects_keep(Session *session, const char *worker);
/* Move all bytes, or wait until another worker has; false, with a message on stderr, if that fails. */
extern bool objects_move(const Settings *settings);

#endif
