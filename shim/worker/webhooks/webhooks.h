/*
 * webhooks.h - messages of change events to the addresses of webhooks.
 *
 * Messages are sent at once to several webhooks, each by a process of its own, so that a receiver
 * that does not answer delays only its own messages.
 */
#ifndef WORKER_WEBHOOKS_WEBHOOKS_H
#define WORKER_WEBHOOKS_WEBHOOKS_H

#include "fetch/fetch.h"
#include "jobs/jobs.h"

/* A message of a webhook. */
typedef struct Message
{
	const char *webhook; /* id */
	const char *serial;	 /* number of the message of this webhook */
	const char *url;
	const char *secret;
	const char *body;
} Message;

/* How an attempt to send a message ended. */
typedef struct Delivery
{
	bool accepted;
	bool gone; /* the receiver does not exist any more */
	char reason[FETCH_REASON];
} Delivery;

/* Send messages until the connection fails; worker is the name of the lease's holder. */
extern void deliver(Session *session, const char *worker);

/* deliver.c */

#define SIGNATURE_SIZE 64 /* bytes of a signature with its terminator, at most */

#endif
