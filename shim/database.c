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
	32				   /* calls in flight on a shared lane: so many answers are in memory at once */
#define SHARED_FILL 16 /* so many go to one lane before the next is looked at */
/* Streams at once: half of the lanes, so that slow clients do not keep writes from the rest. */
#define STREAMS(database) (((database)->lanes - (database)->shared + 1) / 2)
#define LOGINS 1		 /* logins at once */
#define PAGES_TOGETHER 4 /* pages that may be slow follow each other on one lane, so many */
#define BRISK 50		 /* milliseconds: only where the lane has moved on as recently as that */
#define TRIES 4			 /* a call that may be made again is made so often */

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

/* The first call, NULL when there is none. */
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

/* How many lanes have a call of a queue on them. */
static int
occupied(const Database *database, QueueName queue)
{
	int count = 0;

	for (int i = database->shared; i < database->lanes; i++)
	{
		const Call *call = database->lane[i].flight.first;

		count += call != NULL && call->queue == queue;
	}
	return count;
}

/* Have the calls of a queue as many lanes as they may? */
static bool
is_full(const Database *database, QueueName queue)
{
	if (queue == QUEUE_STREAM)
		return occupied(database, queue) >= STREAMS(database);
	return queue == QUEUE_LOGIN && occupied(database, queue) >= LOGINS;
}

/*
 * A lane with nothing but pages in flight that another page may follow, else NULL.
 *
 * The page may wait there behind a slow one, but not behind one that is known to be slow.
 */
static Lane *
lane_to_follow(Database *database)
{
	Lane *best = NULL;

	for (int i = database->shared; i < database->lanes; i++)
	{
		Lane *lane = &database->lane[i];
		const Call *first = lane->flight.first;

		if (lane->state != LANE_READY || lane->broken || first == NULL ||
			first->spec->kind != KIND_PAGE || lane->flight.length >= PAGES_TOGETHER ||
			database->worker->now - lane->moved > BRISK)
			continue;
		if (best == NULL || lane->flight.length < best->flight.length)
			best = lane;
	}
	return best;
}

/*
 * A lane of the right kind with room for one more call, else NULL.
 *
 * The first that is not yet well filled is taken, because PostgreSQL answers several calls that
 * come together with less effort; when all are, the one with the fewest calls, so that a lane that
 * is stuck holds up no more than its fill.
 */
static Lane *
free_lane(Database *database, QueueName queue)
{
	bool shared = queue == QUEUE_SHARED;
	Lane *best = NULL;

	if (is_full(database, queue))
		return NULL;
	for (int i = 0; i < database->lanes; i++)
	{
		Lane *lane = &database->lane[i];

		if (lane->shared != shared || lane->state != LANE_READY || lane->broken ||
			lane->flight.length >= lane->depth)
			continue;
		if (lane->flight.length < SHARED_FILL)
			return lane;
		if (best == NULL || lane->flight.length < best->flight.length)
			best = lane;
	}
	return best;
}

/* The lane that a call is sent on, NULL when it must wait. */
static Lane *
lane_for(Database *database, const Call *call)
{
	Lane *lane = free_lane(database, call->queue);

	return lane == NULL && call->spec->kind == KIND_PAGE && call->queue == QUEUE_OWN
			   ? lane_to_follow(database)
			   : lane;
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

/* Send a call if there is a lane for it; false when it must wait. */
static bool
send_now(Database *database, Call *call)
{
	Lane *lane;

	while ((lane = lane_for(database, call)) != NULL)
	{
		if (call->tries++ == 0)
			call->deadline = database->worker->now + patience(database);
		if (lane_send(lane, call))
			return true;
		call->tries--;
		lane_close(lane, PQerrorMessage(lane->pg));
	}
	return false;
}

/*
 * Take a call.  It is sent at the end of the loop's turn, together with all others of the turn:
 * one after the other would wake PostgreSQL, and let it fall asleep, once for each.
 */
void
database_submit(Database *database, Call *call)
{
	CallQueue *queue = &database->waiting[call->queue];

	if (away(database, call->queue))
		database_finish(call, RESULT_AWAY);
	else if (join_waiting(queue, call))
		return;
	else if (queue->length >= database->worker->settings->queue)
		database_finish(call, RESULT_BUSY);
	else
		queue_append(queue, call);
}

void
database_again(Database *database, Call *call)
{
	call_forget_result(call);
	call->wait_until = database->worker->now + database->worker->settings->queue_timeout;
	queue_prepend(&database->waiting[call->queue], call);
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

/* Send what waits, as far as there are lanes; what cannot be sent in time ends. */
void
database_dispatch(Database *database)
{
	for (QueueName name = 0; name < QUEUES; name++)
	{
		CallQueue *queue = &database->waiting[name];
		bool gone = queue->first != NULL && away(database, name);

		while (queue->first != NULL)
		{
			Call *call = queue_take(queue);

			if (gone)
				database_finish(call, RESULT_AWAY);
			else if (call->wait_until <= database->worker->now)
				database_finish(call, RESULT_BUSY);
			else if (!send_now(database, call))
			{
				queue_prepend(queue, call);
				break;
			}
		}
	}
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
