/*
 * webhooks.h - messages of change events to the addresses of webhooks.
 *
 * Messages are sent at once to several webhooks, each by a process of its own, so that a receiver
 * that does not answer delays only its own messages.
 *
 * Decisions: docs/explanation/decisions.md#shimworkerwebhooks
 */
#ifndef WORKER_WEBHOOKS_WEBHOOKS_H
#define WORKER_WEBHOOKS_WEBHOOKS_H

#include "jobs/jobs.h"

/* Send messages until the connection fails; worker is the name of the lease's holder. */
extern void deliver(Session *session, const char *worker);

#endif
