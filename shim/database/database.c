/*
 * database.c - the calls of one worker: whose turn it is, which connection each uses, and how it ends.
 *
 * Quick reads share a few connections, in groups.  A write or a slow read uses a connection with
 * nothing else in flight, so that no quick read waits for a commit.  A page that may be slow, but
 * rarely is, follows other pages if there is no such connection.
 */

#include "database/clients.h"
#include "database/connection_internal.h"

/*
 * A client may use as many connections for writes and slow reads as are free besides (a dynamic
 * threshold): a single client gets half of them, and each further client half of the rest.  Unless
 * many clients are busy at once, a connection remains for a client that has none, and none has to
 * be taken away when another client arrives.  Streams are shared in the same way, separately.
 *
 * Many addresses are many clients, so reads without a user leave a connection to users and writes,
 * and a stream to users.
 */

#define SHARED_FILL 16 /* calls on a connection before the next one is used */
/* Maximum number of streams: half of the connections, so that slow clients do not block writes. */
#define STREAMS(database) (((database)->connections - (database)->shared + 1) / 2)
/* Connections that reads without a user leave free, if there are more than one besides streams, and
 * streams, if there are more than one. */
#define KEPT(database) ((database)->connections - (database)->shared - STREAMS(database) > 1)
#define KEPT_STREAMS(database) (STREAMS(database) > 1)
#define HASHES 1		 /* calls that hash a password at once */
#define PAGES_TOGETHER 4 /* maximum number of possibly slow page calls queued on one connection */
#define BRISK 50 /* milliseconds from the last reply of a connection in which a page may follow */

/* Use of the connections that are not shared, in total and by one client. */
typedef struct Usage
{
	int free;
	int streams;
	int hashes;
	int own_streams;
	int own; /* besides streams */
} Usage;

static Usage
usage_by(const Database *database, uint64_t client)
{
	Usage usage = {0};

	for (int i = database->shared; i < database->connections; i++)
	{
		const PgConnection *connection = &database->connection[i];
		const Call *call = connection->flight.first;
		bool stream = call != NULL && call->queue == QUEUE_STREAM;
		bool own = call != NULL && call->client == client;

		usage.free += call == NULL && connection->state == PG_READY && !connection->broken;
		usage.streams += stream;
		usage.hashes += call != NULL && call->queue == QUEUE_HASH;
		usage.own_streams += own && stream;
		usage.own += own && !stream;
	}
	return usage;
}

/* May the client of the call use one more connection for it? */
static bool
may_take(const Database *database, const Call *call)
{
	Usage usage = usage_by(database, call->client);

	if (call->queue == QUEUE_STREAM)
		return usage.own_streams <
			   STREAMS(database) - usage.streams - (call->anonymous ? KEPT_STREAMS(database) : 0);
	if (call->queue == QUEUE_HASH && usage.hashes >= HASHES)
		return false;
	return usage.own < usage.free - (call->anonymous ? KEPT(database) : 0);
}

/*
 * A connection on which only pages of the same client are in flight, and which another page may
 * follow; else NULL.
 *
 * The page may have to wait for a slow one, but not for one that is known to be slow.
 */
static PgConnection *
page_connection(Database *database, const Call *call)
{
	PgConnection *best = NULL;

	for (int i = database->shared; i < database->connections; i++)
	{
		PgConnection *connection = &database->connection[i];
		const Call *first = connection->flight.first;

		if (connection->state != PG_READY || connection->broken || first == NULL ||
			first->spec->kind != KIND_PAGE || first->client != call->client ||
			connection->flight.length >= PAGES_TOGETHER ||
			database->worker->now - connection->moved > BRISK)
			continue;
		if (best == NULL || connection->flight.length < best->flight.length)
			best = connection;
	}
	return best;
}

/*
 * A connection of the right kind with room for one more call, else NULL.
 *
 * The first one with fewer than SHARED_FILL calls is used, because PostgreSQL needs less time for
 * calls that arrive together.  If there is none, the one with the fewest calls, so that a
 * connection that is blocked delays few calls.
 */
static PgConnection *
free_connection(Database *database, bool shared)
{
	PgConnection *best = NULL;

	for (int i = 0; i < database->connections; i++)
	{
		PgConnection *connection = &database->connection[i];

		if (connection->shared != shared || connection->state != PG_READY || connection->broken ||
			connection->flight.length >= connection->depth)
			continue;
		if (connection->flight.length < SHARED_FILL)
			return connection;
		if (best == NULL || connection->flight.length < best->flight.length)
			best = connection;
	}
	return best;
}

/* The connection to send a call on, NULL if it must wait. */
static PgConnection *
connection_choose(Database *database, const Call *call)
{
	if (call->queue == QUEUE_SHARED)
		return free_connection(database, true);
	if (may_take(database, call))
		return free_connection(database, false);
	return call->spec->kind == KIND_PAGE ? page_connection(database, call) : NULL;
}

/* Are all connections for streams up?  One that is not may just have been reclaimed. */
static bool
all_connected(const Database *database)
{
	for (int i = database->shared; i < database->connections; i++)
		if (database->connection[i].state != PG_READY)
			return false;
	return true;
}

/* End a slow stream of a client that has more streams than the client of the call. */
static void
connection_reclaim(Database *database, const Call *call)
{
	int own = usage_by(database, call->client).own_streams;
	Call *slowest = NULL;
	int most = 0;

	if (!all_connected(database))
		return;
	for (int i = database->shared; i < database->connections; i++)
	{
		Call *other = database->connection[i].flight.first;
		int streams;

		if (other == NULL || other->queue != QUEUE_STREAM || !other->slow)
			continue;
		streams = usage_by(database, other->client).own_streams;
		if (streams > own && streams > most)
		{
			most = streams;
			slowest = other;
		}
	}
	if (slowest != NULL)
		slowest->preempted(slowest);
}

/*
 * The clients take turns (round robin), so a client with many calls delays those of others by one
 * call per turn only.  A client without waiting calls has no queue.
 */

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

/* The waiting calls of a client; NULL: none. */
static Flow *
fair_flow(const FairQueue *queue, uint64_t client)
{
	Flow *flow = STAILQ_FIRST(&queue->flows);

	while (flow != NULL && flow->client != client)
		flow = STAILQ_NEXT(flow, next);
	return flow;
}

/* Add a call after those of its client, or before them, and a new client has the next turn then; false:
 * no memory. */
static bool
fair_add(FairQueue *queue, Call *call, bool first)
{
	Flow *flow = fair_flow(queue, call->client);

	if (flow == NULL)
	{
		flow = malloc(sizeof(Flow));
		if (flow == NULL)
			return false;
		*flow = (Flow){.client = call->client};
		if (first)
			STAILQ_INSERT_HEAD(&queue->flows, flow, next);
		else
			STAILQ_INSERT_TAIL(&queue->flows, flow, next);
		queue->clients++;
	}
	if (first)
		queue_prepend(&flow->calls, call);
	else
		queue_append(&flow->calls, call);
	queue->length++;
	return true;
}

/* Give the turn to the next client. */
static void
fair_pass(FairQueue *queue)
{
	Flow *flow = STAILQ_FIRST(&queue->flows);

	STAILQ_REMOVE_HEAD(&queue->flows, next);
	STAILQ_INSERT_TAIL(&queue->flows, flow, next);
}

/* Remove the first call of the client whose turn it is; the next client has the turn then. */
static Call *
fair_take(FairQueue *queue)
{
	Flow *flow = STAILQ_FIRST(&queue->flows);
	Call *call = queue_take(&flow->calls);

	queue->length--;
	if (flow->calls.length > 0)
	{
		fair_pass(queue);
		return call;
	}
	STAILQ_REMOVE_HEAD(&queue->flows, next);
	queue->clients--;
	free(flow);
	return call;
}

DatabaseUsage
database_usage(const Database *database, bool shared)
{
	DatabaseUsage usage = {0};

	for (int i = 0; i < database->connections; i++)
	{
		const PgConnection *connection = &database->connection[i];
		UsageState state = connection->flight.first != NULL ? USAGE_BUSY : USAGE_IDLE;

		if (connection->shared == shared)
			usage.connections[connection->state == PG_READY ? state : USAGE_DOWN]++;
	}
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
	for (QueueName name = 0; name < QUEUES; name++)
		STAILQ_INIT(&database->waiting[name].flows);
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
	if (!fair_add(queue, call, true))
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
	else if (is_full(database, queue, call) || !fair_add(queue, call, false))
		database_finish(call, RESULT_BUSY);
}

void
database_again(Database *database, Call *call)
{
	call_forget_result(call);
	call->wait_until = database->worker->now + database->worker->settings->queue_timeout;
	if (!fair_add(&database->waiting[call->queue], call, true))
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
	bool gone = !STAILQ_EMPTY(&queue->flows) && away(database, name);
	int passed = 0; /* clients in a row whose call must wait */

	while (passed < queue->clients)
	{
		const Call *call = STAILQ_FIRST(&queue->flows)->calls.first;
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
