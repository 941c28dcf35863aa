/*
 * object_client.h - ranges of objects of the store, in the event loop of a thread.
 */
#ifndef OBJECT_CLIENT_H
#define OBJECT_CLIENT_H

#include "base/object_store.h"
#include "shim.h"

/* A range that is being read, or was read; cleared memory at first. */
typedef struct ObjectRead
{
	ObjectRequest request;
	HttpThread *thread;
	bool busy;
	bool again;	 /* it is the second attempt */
	char *bytes; /* of the range, for free(); NULL: none have been read */
	/* The range was read, or cannot be; not called within object_client_read(). */
	void (*done)(struct ObjectRead *read, bool good);
	void *target;
} ObjectRead;

/* What the thread needs; NULL: that failed. */
extern ObjectClient *object_client_open(HttpThread *thread);
extern void object_client_close(ObjectClient *client);
/* Read a range, at most OBJECT_WINDOW bytes; false: that cannot be begun. */
extern bool object_client_read(ObjectRead *read, int64_t first, int64_t length);
/* End a read, which done() is not called for any more, and free what belongs to it. */
extern void object_client_end(ObjectRead *read);
/* Take bytes from those of ranges that are asked for before they are needed, or give them back; false: there are not so
 * many. */
extern bool object_client_reserve(ObjectClient *client, int64_t bytes);
extern void object_client_release(ObjectClient *client, int64_t bytes);
/* Are there connections that no other read will need, for ranges that are asked for before they are needed? */
extern bool object_client_has_room(const ObjectClient *client);
/* How many reads have ended, given: with the bytes, else without; NULL: none. */
extern uint64_t object_client_count(const ObjectClient *client, bool given);
/* Go on where time has passed; to be called in each turn. */
extern void object_client_turn(ObjectClient *client);
/* Milliseconds until the next turn must come, at most so many. */
extern int object_client_timeout(const ObjectClient *client, int most);

#endif
