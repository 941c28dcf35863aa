/*
 * fair_queue.h - calls that wait, those of each client in a queue of their own.
 *
 * A part of shim.h, which is what the files include.
 */
#ifndef FAIR_QUEUE_H
#define FAIR_QUEUE_H

/* Calls in the order in which they came. */
typedef struct CallQueue
{
	Call *first;
	Call *last;
	int length;
} CallQueue;

extern void queue_append(CallQueue *queue, Call *call);
/* Take the first call off the queue, NULL when there is none. */
extern Call *queue_take(CallQueue *queue);

/* The calls of one client that wait. */
typedef struct Flow Flow;
struct Flow
{
	Flow *next;
	uint64_t client;
	CallQueue calls; /* never empty */
};

/* The clients that wait, in the order of their turns. */
typedef struct FairQueue
{
	Flow *first;
	Flow *last;
	int flows;
	int length;	 /* calls of all clients */
	Flow *spare; /* memory for the next client; NULL: none is kept */
} FairQueue;

/* The calls of a client; NULL when none of them waits. */
extern Flow *fair_flow(const FairQueue *queue, uint64_t client);
/* Add a call behind those of its client; false when there is no memory. */
extern bool fair_append(FairQueue *queue, Call *call);
/* Put back a call before those of its client, whose turn is next; false when there is no memory. */
extern bool fair_prepend(FairQueue *queue, Call *call);
/* Take the first call of the client whose turn it is; the turn passes to the next. */
extern Call *fair_take(FairQueue *queue);
/* Pass the turn to the next client. */
extern void fair_pass(FairQueue *queue);
extern void fair_close(FairQueue *queue);

#endif
