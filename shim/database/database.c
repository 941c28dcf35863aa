/*
 * database.c - the calls of one worker: which connection each takes, how long it may wait, and
 * what happens when it comes back without an answer.  Requests have some connections, statistics
 * one of their own.
 *
 * Quick reads share a few lanes, in groups.  A write or a slow read takes a lane with nothing else
 * in flight, so that no quick read waits behind a commit.  A page that may be slow, and mostly is
 * not, follows others of its kind when there is no such lane.
 */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define SHARED_DEPTH \
	32			/* calls in flight on a shared lane: so many answers are in memory at once */
#define TRIES 4 /* a call that may be made again is made so often */

/* Open so many lanes, which connect by themselves; NULL when there is no memory. */
Database *
database_open(Worker *worker, int shared, int pool)
{
	int lanes = shared + pool;
	Database *database = calloc(1, sizeof(Database) + sizeof(Lane) * (size_t) lanes);

	if (database == NULL)
		return NULL;
	database->worker = worker;
	database->lanes = lanes;
	database->shared = shared;
	for (int i = 0; i < lanes; i++)
	{
		database->lane[i] = (Lane){.watch = {lane_ready},
								   .database = database,
								   .shared = i < shared,
								   .depth = i < shared ? SHARED_DEPTH : 1};
		lane_connect(&database->lane[i], worker->now);
	}
	return database;
}

/* Give up: every call that waits or is in flight ends now, and no other is taken. */
void
database_abandon(Database *database)
{
	for (int i = 0; i < database->lanes; i++)
		database->lane[i].failures++;
	for (int i = 0; i < database->lanes; i++)
		if (database->lane[i].state != LANE_DOWN)
			lane_close(&database->lane[i], "the service ends");
	database_dispatch(database);
}

void
database_close(Database *database)
{
	for (int i = 0; i < database->lanes; i++)
		PQfinish(database->lane[i].pg);
	for (QueueName name = 0; name < QUEUES; name++)
		fair_close(&database->waiting[name]);
	free(database);
}

/* End a call with the given outcome. */
void
database_finish(Call *call, CallResult outcome)
{
	if (call->joined != NULL)
		join_finish(call->request->worker->database, call, outcome);
	call->outcome = outcome;
	call->done(call);
}

/* Is no lane of the kind connected or about to be, as far as one can know? */
static bool
away(const Database *database, QueueName queue)
{
	bool shared = queue == QUEUE_SHARED;

	for (int i = 0; i < database->lanes; i++)
		if (database->lane[i].shared == shared &&
			(database->lane[i].state == LANE_READY || database->lane[i].failures == 0))
			return false;
	return true;
}

/* Milliseconds that a call may take: a little more than PostgreSQL itself gives it. */
static int64_t
patience(const Database *database)
{
	int64_t timeout = database->worker->settings->call_timeout;

	return timeout + timeout / 10;
}

void
database_extend(Call *call)
{
	const Database *database = call->request->worker->database;

	call->deadline = database->worker->now + patience(database);
}

/* Send the call whose turn it is; where the connection is gone, it waits for another. */
static void
send_first(Database *database, FairQueue *queue, Lane *lane)
{
	Call *call = fair_take(queue);

	if (call->tries++ == 0)
		call->deadline = database->worker->now + patience(database);
	if (lane_send(lane, call))
		return;
	call->tries--;
	lane_close(lane, PQerrorMessage(lane->pg));
	if (!fair_prepend(queue, call))
		database_finish(call, RESULT_BUSY);
}

/*
 * Is the queue full for the client?  It may have as many calls waiting as there is room for
 * besides, so that there is room left for others.
 */
static bool
is_full(const Database *database, const FairQueue *queue, const Call *call)
{
	const Flow *flow = fair_flow(queue, call->client);
	int64_t room = database->worker->settings->queue - queue->length;

	if (call->queue == QUEUE_SHARED)
		return room <= 0;
	return room <= (flow != NULL ? flow->calls.length : 0);
}

/*
 * Take a call.  It is sent at the end of the loop's turn, together with all others of the turn:
 * one after the other would wake PostgreSQL, and let it fall asleep, once for each.
 */
void
database_submit(Database *database, Call *call)
{
	FairQueue *queue = &database->waiting[call->queue];
	const Flow *flow = fair_flow(queue, call->client);

	if (away(database, call->queue))
		database_finish(call, RESULT_AWAY);
	else if (join_waiting(flow != NULL ? flow->calls.first : NULL, call))
		return;
	else if (is_full(database, queue, call) || !fair_append(queue, call))
		database_finish(call, RESULT_BUSY);
}

void
database_again(Database *database, Call *call)
{
	call_forget_result(call);
	call->wait_until = database->worker->now + database->worker->settings->queue_timeout;
	if (!fair_prepend(&database->waiting[call->queue], call))
		database_finish(call, RESULT_BUSY);
}

/*
 * A call has come back from its lane: with a result, or without one because the connection broke.
 *
 * What changed nothing is made again a few times: reads of which nothing has been sent on, and
 * writes that PostgreSQL itself has rolled back.  A write without a result may have been committed,
 * and nobody can know.
 */
void
database_returned(Database *database, Call *call)
{
	Outcome outcome = call->result ? error_outcome(call->result) : OUTCOME_BROKEN;
	bool begun = call->queue == QUEUE_STREAM && call->request->stream.begun;
	bool harmless = (call->result != NULL || call->spec->kind != KIND_WRITE) && !begun;

	if (call->unconfirmed)
		database_finish(call, RESULT_UNKNOWN);
	else if (outcome == OUTCOME_ANSWER && join_failed(database, call))
		return;
	else if (outcome == OUTCOME_ANSWER)
		database_finish(call, RESULT_ANSWER);
	else if (!harmless)
		database_finish(call, RESULT_UNKNOWN);
	else if (call->tries >= TRIES || away(database, call->queue))
		database_finish(call, call->result ? RESULT_BUSY : RESULT_AWAY);
	else if (call->deadline - database->worker->now < patience(database) / 2)
		database_finish(call, RESULT_LATE);
	else
		database_again(database, call);
}

/* Send what waits in a queue, in turns, until no client's next call has a lane. */
static void
dispatch_queue(Database *database, QueueName name)
{
	FairQueue *queue = &database->waiting[name];
	bool gone = queue->first != NULL && away(database, name);
	int passed = 0; /* clients in a row whose call must wait */

	while (queue->first != NULL && passed < queue->flows)
	{
		const Call *call = queue->first->calls.first;
		Lane *lane;

		if (gone || call->wait_until <= database->worker->now)
			database_finish(fair_take(queue), gone ? RESULT_AWAY : RESULT_BUSY);
		else if ((lane = lane_for(database, call)) != NULL)
		{
			send_first(database, queue, lane);
			passed = 0;
		}
		else
		{
			if (name == QUEUE_STREAM)
				lane_take_back(database, call);
			fair_pass(queue);
			passed++;
		}
	}
}

/* Send what waits, as far as there are lanes; what cannot be sent in time ends. */
void
database_dispatch(Database *database)
{
	for (QueueName name = 0; name < QUEUES; name++)
		dispatch_queue(database, name);
	for (int i = 0; i < database->lanes; i++)
		lane_flush(&database->lane[i]);
}

/* To be called several times a second. */
void
database_tick(Database *database, int64_t now)
{
	for (int i = 0; i < database->lanes; i++)
		lane_tick(&database->lane[i], now);
	database_dispatch(database);
}
