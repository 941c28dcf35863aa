/*
 * fair_queue_internal.h - waiting calls, with a queue for each client.
 */
#ifndef FAIR_QUEUE_INTERNAL_H
#define FAIR_QUEUE_INTERNAL_H

#include "database/database.h"

/* Calls in the order of their arrival. */
typedef struct CallQueue
{
	Call *first;
	Call *last;
	int length;
} CallQueue;

extern void queue_append(CallQueue *queue, Call *call);
/* Remove the first call, NULL if there is none. */
extern Call *queue_take(CallQueue *queue);

/* The waiting calls of one client. */
typedef struct Flow Flow;
struct Flow
{
	Flow *next;
	uint64_t client;
	CallQueue calls; /* never empty */
};

/* The clients with waiting calls, in the order of their turns. */
typedef struct FairQueue
{
	Flow *first;
	Flow *last;
	int flows;
	int length;	 /* calls of all clients */
	Flow *spare; /* memory for the next client; NULL: none is kept */
} FairQueue;

/* The waiting calls of a client; NULL: none. */
extern Flow *fair_flow(const FairQueue *queue, uint64_t client);
/* Add a call after those of its client; false: no memory. */
extern bool fair_append(FairQueue *queue, Call *call);
/* Put a call back before those of its client, whose turn is next; false: no memory. */
extern bool fair_prepend(FairQueue *queue, Call *call);
/* Remove the first call of the client whose turn it is; the next client has the turn then. */
extern Call *fair_take(FairQueue *queue);
/* Give the turn to the next client. */
extern void fair_pass(FairQueue *queue);
extern void fair_close(FairQueue *queue);

#endif
