/*
 * database.c - the calls of one worker: which connection each uses, how long it may wait, and how it ends.
 *
 * Quick reads share a few connections, in groups.  A write or a slow read uses a connection with
 * nothing else in flight, so that no quick read waits for a commit.  A page that may be slow, but
 * rarely is, follows other pages if there is no such connection.
 */
#include <stdlib.h>
#include <string.h>

#include "database/clients.h"
#include "database/connection_internal.h"

static UsageState
state_of(const PgConnection *connection)
{
	if (connection->state != PG_READY)
		return USAGE_DOWN;
	return connection->flight.first != NULL ? USAGE_BUSY : USAGE_IDLE;
}

DatabaseUsage
database_usage(const Database *database, bool shared)
{
	DatabaseUsage usage = {0};

	for (int i = 0; i < database->connections; i++)
		if (database->connection[i].shared == shared)
			usage.connections[state_of(&database->connection[i])]++;
	for (QueueName name = 0; name < QUEUES; name++)
		if ((name == QUEUE_SHARED) == shared)
			usage.waiting += database->waiting[name].length;
	return usage;
}

#define SHARED_DEPTH 32 /* calls in flight on a shared connection; their results are in memory */
#define TRIES 4			/* attempts for a call that may be made again */

Database *
database_open(Worker *worker, int shared, int pool)
{
	int connections = shared + pool;
	Database *database = calloc(1, sizeof(Database) + sizeof(PgConnection) * (size_t) connections);

	if (database == NULL)
		return NULL;
	database->worker = worker;
	database->connections = connections;
	database->shared = shared;
	for (int i = 0; i < connections; i++)
	{
		database->connection[i] = (PgConnection){.watch = {pg_connection_ready},
												 .database = database,
												 .shared = i < shared,
												 .depth = i < shared ? SHARED_DEPTH : 1};
		pg_connection_connect(&database->connection[i], worker->now);
	}
	return database;
}

void
database_abandon(Database *database)
{
	for (int i = 0; i < database->connections; i++)
		database->connection[i].failures++;
	for (int i = 0; i < database->connections; i++)
		if (database->connection[i].state != PG_DOWN)
			pg_connection_close(&database->connection[i], "the service ends");
	database_dispatch(database);
}

void
database_close(Database *database)
{
	for (int i = 0; i < database->connections; i++)
		PQfinish(database->connection[i].pg);
	for (QueueName name = 0; name < QUEUES; name++)
		fair_close(&database->waiting[name]);
	free(database);
}

void
database_finish(Call *call, CallResult outcome)
{
	if (call->joined != NULL)
		call_batch_finish(call->database, call, outcome);
	call->outcome = outcome;
	call->done(call);
}

/* Is no connection of the kind up or about to be? */
static bool
away(const Database *database, QueueName queue)
{
	bool shared = queue == QUEUE_SHARED;

	for (int i = 0; i < database->connections; i++)
		if (database->connection[i].shared == shared &&
			(database->connection[i].state == PG_READY || database->connection[i].failures == 0))
			return false;
	return true;
}

/* Milliseconds that a call may take: a little more than its statement_timeout. */
static int64_t
time_limit(const Database *database)
{
	int64_t timeout = database->worker->settings->call_timeout;

	return timeout + timeout / 10;
}

void
database_extend(Call *call)
{
	const Database *database = call->database;

	call->deadline = database->worker->now + time_limit(database);
}

/* Send the call whose turn it is; where the connection is gone, it waits for another. */
static void
send_first(Database *database, FairQueue *queue, PgConnection *connection)
{
	Call *call = fair_take(queue);

	if (call->tries++ == 0)
		call->deadline = database->worker->now + time_limit(database);
	if (pg_connection_send(connection, call))
		return;
	call->tries--;
	pg_connection_close(connection, PQerrorMessage(connection->pg));
	if (!fair_prepend(queue, call))
		database_finish(call, RESULT_BUSY);
}

/*
 * Is the queue full for the client?  It may have as many calls waiting as there is room left in
 * the queue, so that other clients find room too.  A quarter is kept for users and writes.
 */
static bool
is_full(const Database *database, const FairQueue *queue, const Call *call)
{
	const Flow *flow = fair_flow(queue, call->client);
	int64_t length = database->worker->settings->queue;
	int64_t room = length - queue->length - (call->anonymous ? length / 4 : 0);

	if (call->queue == QUEUE_SHARED)
		return room <= 0;
	return room <= (flow != NULL ? flow->calls.length : 0);
}

void
database_submit(Database *database, Call *call)
{
	FairQueue *queue = &database->waiting[call->queue];
	const Flow *flow = fair_flow(queue, call->client);

	call->database = database;
	if (away(database, call->queue))
		database_finish(call, RESULT_AWAY);
	else if (call_batch_join(flow != NULL ? flow->calls.first : NULL, call))
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
 * A call without a result was interrupted by the end of its connection.
 *
 * Calls that changed nothing are made again a few times: reads of which nothing has been sent to
 * the client, and writes that PostgreSQL has rolled back.  A write without a result may have been
 * committed.
 */
void
database_returned(Database *database, Call *call)
{
	Outcome outcome = call->result ? sqlstate_outcome(call->result) : OUTCOME_BROKEN;
	bool begun = call->begun;
	bool harmless = (call->result != NULL || call->spec->kind != KIND_WRITE) && !begun;

	if (call->unconfirmed)
		database_finish(call, RESULT_UNKNOWN);
	else if (outcome == OUTCOME_READ_ONLY)
		database_finish(call, RESULT_READ_ONLY);
	else if (outcome == OUTCOME_ANSWER && call_batch_retry(database, call))
		return;
	else if (outcome == OUTCOME_ANSWER)
		database_finish(call, RESULT_ANSWER);
	else if (!harmless)
		database_finish(call, RESULT_UNKNOWN);
	else if (call->tries >= TRIES || away(database, call->queue))
		database_finish(call, call->result ? RESULT_BUSY : RESULT_AWAY);
	else if (call->deadline - database->worker->now < time_limit(database) / 2)
		database_finish(call, RESULT_LATE);
	else
		database_again(database, call);
}

/* Send the waiting calls of a queue, until there is no connection for any client's next call. */
static void
dispatch_queue(Database *database, QueueName name)
{
	FairQueue *queue = &database->waiting[name];
	bool gone = queue->first != NULL && away(database, name);
	int passed = 0; /* clients in a row whose call must wait */

	while (queue->first != NULL && passed < queue->flows)
	{
		const Call *call = queue->first->calls.first;
		PgConnection *connection;

		if (gone || call->wait_until <= database->worker->now)
			database_finish(fair_take(queue), gone ? RESULT_AWAY : RESULT_BUSY);
		else if ((connection = connection_choose(database, call)) != NULL)
		{
			send_first(database, queue, connection);
			passed = 0;
		}
		else
		{
			if (name == QUEUE_STREAM)
				connection_reclaim(database, call);
			fair_pass(queue);
			passed++;
		}
	}
}

void
database_dispatch(Database *database)
{
	for (QueueName name = 0; name < QUEUES; name++)
		dispatch_queue(database, name);
	for (int i = 0; i < database->connections; i++)
		pg_connection_flush(&database->connection[i]);
}

void
database_tick(Database *database, int64_t now)
{
	for (int i = 0; i < database->connections; i++)
		pg_connection_tick(&database->connection[i], now);
	database_dispatch(database);
}

typedef struct Counting
{
	Call call;
	char name[ID_MAXIMUM + 1];
} Counting;

static void
done(Call *call)
{
	/* an error is ignored: then the download is not counted */
	call_forget_result(call);
	free((char *) call - offsetof(Counting, call));
}

void
counting_start(Worker *worker, const char *file, const char *dataset)
{
	const char *name = file != NULL ? file : dataset;
	Counting *counting = calloc(1, sizeof(Counting));

	if (counting == NULL || name == NULL || strlen(name) > ID_MAXIMUM)
	{
		free(counting);
		return;
	}
	stpcpy(counting->name, name);
	counting->call = (Call){
		.spec = &call_specs[CALL_COUNT_DOWNLOAD], .queue = QUEUE_OWN, .alone = true, .done = done};
	counting->call.arguments[file != NULL ? 0 : 1] = counting->name;
	counting->call.wait_until = worker->now + worker->settings->call_timeout;
	counting->call.deadline = counting->call.wait_until + worker->settings->call_timeout;
	database_submit(worker->transfers, &counting->call);
}
