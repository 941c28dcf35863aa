/*
 * objects_internal.h - what the files of this folder share.
 *
 *   objects.c      takes the tasks in turn; compares, moves back, deletes and lists objects
 *   object_put.c   sends a blob; aborts what was left unfinished
 */
#ifndef WORKER_OBJECTS_OBJECTS_INTERNAL_H
#define WORKER_OBJECTS_OBJECTS_INTERNAL_H

#include "jobs/object_send.h"
#include "objects/objects.h"

/* How a step ended. */
typedef enum Step
{
	STEP_DONE,
	STEP_NOTHING, /* there was nothing to do */
	STEP_AWAY,	  /* the store is away */
	STEP_BROKEN	  /* an error of the session */
} Step;

/* What is to be done, of catalogue.object_next(). */
typedef struct Task
{
	char name[8];
	char blob[24];
	char key[OBJECT_KEY];
	int64_t size;
} Task;

typedef struct Mover
{
	Session *session;
	ObjectRequest request;
	bool locked;	 /* no other worker moves bytes */
	int64_t list_at; /* when all objects are to be listed */
	bool away;		 /* the log has it */
} Mover;

/* Send the request of a task; size is that of the object, or of what is sent. */
extern ObjectEnd objects_ask(Mover *mover, const Task *task, ObjectVerb verb);
/* The requests of a task have ended so: the log tells if the store is away; return end. */
extern ObjectEnd objects_asked(Mover *mover, const Task *task, ObjectEnd end);
/* Store the end of a task by a statement. */
extern Step objects_store_end(Mover *mover, Statement statement, const Task *task);
/* The blob cannot be moved; it is tried again later. */
extern Step objects_store_failure(Mover *mover, const Task *task, const char *reason);
/* Append what a list answers to a Buffer. */
extern bool objects_take_list(void *target, const char *bytes, size_t length);

/* Send a blob to the store. */
extern Step object_put(Mover *mover, const Task *task);
/* Abort what was begun to be sent by parts, and was left by a worker that was killed or by a store that was away. */
extern void object_put_abort(Mover *mover);

#endif
