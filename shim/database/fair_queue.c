/*
 * fair_queue.c - waiting calls, with a queue for each client.
 *
 * The clients take turns (round robin), so a client with many calls delays those of others by one
 * call per turn only.  A client without waiting calls has no queue.
 */
#include <stdlib.h>

#include "database/fair_queue_internal.h"

void
queue_append(CallQueue *queue, Call *call)
{
	call->next = NULL;
	if (queue->last == NULL)
		queue->first = call;
	else
		queue->last->next = call;
	queue->last = call;
	queue->length++;
}

static void
queue_prepend(CallQueue *queue, Call *call)
{
	call->next = queue->first;
	queue->first = call;
	if (queue->last == NULL)
		queue->last = call;
	queue->length++;
}

Call *
queue_take(CallQueue *queue)
{
	Call *call = queue->first;

	if (call == NULL)
		return NULL;
	queue->first = call->next;
	if (queue->first == NULL)
		queue->last = NULL;
	queue->length--;
	return call;
}

Flow *
fair_flow(const FairQueue *queue, uint64_t client)
{
	Flow *flow = queue->first;

	while (flow != NULL && flow->client != client)
		flow = flow->next;
	return flow;
}

static void
append_flow(FairQueue *queue, Flow *flow)
{
	flow->next = NULL;
	if (queue->last == NULL)
		queue->first = flow;
	else
		queue->last->next = flow;
	queue->last = flow;
	queue->flows++;
}

static void
prepend_flow(FairQueue *queue, Flow *flow)
{
	flow->next = queue->first;
	queue->first = flow;
	if (queue->last == NULL)
		queue->last = flow;
	queue->flows++;
}

static Flow *
take_flow(FairQueue *queue)
{
	Flow *flow = queue->first;

	queue->first = flow->next;
	if (queue->first == NULL)
		queue->last = NULL;
	queue->flows--;
	return flow;
}

/* A client without calls, which is not in the queue yet; NULL when there is no memory. */
static Flow *
new_flow(FairQueue *queue, uint64_t client)
{
	Flow *flow = queue->spare != NULL ? queue->spare : malloc(sizeof(Flow));

	queue->spare = NULL;
	if (flow != NULL)
		*flow = (Flow){.client = client};
	return flow;
}

static void
free_flow(FairQueue *queue, Flow *flow)
{
	free(queue->spare);
	queue->spare = flow;
}

bool
fair_append(FairQueue *queue, Call *call)
{
	Flow *flow = fair_flow(queue, call->client);

	if (flow == NULL)
	{
		flow = new_flow(queue, call->client);
		if (flow == NULL)
			return false;
		append_flow(queue, flow);
	}
	queue_append(&flow->calls, call);
	queue->length++;
	return true;
}

bool
fair_prepend(FairQueue *queue, Call *call)
{
	Flow *flow = fair_flow(queue, call->client);

	if (flow == NULL)
	{
		flow = new_flow(queue, call->client);
		if (flow == NULL)
			return false;
		prepend_flow(queue, flow);
	}
	queue_prepend(&flow->calls, call);
	queue->length++;
	return true;
}

Call *
fair_take(FairQueue *queue)
{
	Call *call = queue_take(&queue->first->calls);

	queue->length--;
	if (queue->first->calls.length == 0)
		free_flow(queue, take_flow(queue));
	else
		fair_pass(queue);
	return call;
}

void
fair_pass(FairQueue *queue)
{
	if (queue->flows > 1)
		append_flow(queue, take_flow(queue));
}

void
fair_close(FairQueue *queue)
{
	free(queue->spare);
	queue->spare = NULL;
}
