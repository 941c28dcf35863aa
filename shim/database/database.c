/*
 * database.c - the calls of one thread: whose turn it is, which connection each uses, and how it ends.
 *
 * Quick reads share a few connections, in groups.  A write or a slow read uses a connection with
 * nothing else in flight, so that no quick read waits for a commit.  A page that may be slow, but
 * rarely is, follows other pages if there is no such connection.
 */

#include "database/clients.h"
#include "database/connection_internal.h"

/*
 * ---- Shares of clients ----
 *
 * One client gets a third of the connections for writes and slow reads, a third of the streams, and a third of the
 * slots of a queue, so that it does not starve the others.  Who may send is served in turns.
 *
 * Many addresses are many clients, so reads without a user leave a connection to users and writes,
 * a stream to users, and a quarter of the queue to both.
 */

#define THIRD(number) (((number) + 2) / 3) /* at least one */
#define SHARED_FILL 16					   /* calls on a connection before the next one is used */
/* Maximum number of streams: half of the connections, so that slow clients do not block writes. */
#define STREAMS(database) (((database)->connections - (database)->shared + 1) / 2)
/* Connections that reads without a user leave free, if there are more than one besides streams, and
 * streams, if there are more than one. */
#define KEPT(database) ((database)->connections - (database)->shared - STREAMS(database) > 1)
#define KEPT_STREAMS(database) (STREAMS(database) > 1)
#define HASHES 1		 /* calls that hash a password at once */
#define PAGES_TOGETHER 4 /* maximum number of possibly slow page calls queued on one connection */
#define BRISK 50 /* milliseconds from the last reply of a connection in which a page may follow */

/* Does the call leave some room to those of users?  A standby has none. */
static bool
leaves_room(const Database *database, const Call *call)
{
	return call->anonymous && database->primary == NULL;
}

/* May the client of the call use one more connection for it? */
static bool
may_take(const Database *database, const Call *call)
{
	bool stream = call->queue == QUEUE_STREAM;
	int most = stream ? STREAMS(database) : database->connections - database->shared;
	int kept = stream ? KEPT_STREAMS(database) : KEPT(database);
	int used = 0;
	int own = 0;
	int hashes = 0;

	for (int i = database->shared; i < database->connections; i++)
	{
		const PgConnection *connection = &database->connection[i];
		const Call *other = IN_FLIGHT(connection);
		bool alike = other != NULL && (other->queue == QUEUE_STREAM) == stream;

		used += stream ? alike : other != NULL || !standby_usable(connection);
		own += alike && other->client == call->client;
		hashes += other != NULL && other->queue == QUEUE_HASH;
	}
	return own < THIRD(most) && used < most - (leaves_room(database, call) ? kept : 0) &&
		   (call->queue != QUEUE_HASH || hashes < HASHES);
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
		const Call *first = IN_FLIGHT(connection);

		if (!standby_usable(connection) || first == NULL || first->spec->kind != KIND_PAGE ||
			first->client != call->client || connection->flight.length >= PAGES_TOGETHER ||
			database->thread->now - connection->moved > BRISK)
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

		if (connection->shared != shared || !standby_usable(connection) ||
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
	/* those of one client are sent in their order */
	if (call->ahead > 0)
		return NULL;
	if (may_take(database, call))
		return free_connection(database, false);
	return call->spec->kind == KIND_PAGE ? page_connection(database, call) : NULL;
}

/* End a slow stream of another client, for one that has none. */
static void
connection_reclaim(Database *database, const Call *call)
{
	Call *slow = NULL;

	for (int i = database->shared; i < database->connections; i++)
	{
		Call *other = IN_FLIGHT(&database->connection[i]);

		/* a connection that is not up may just have been reclaimed */
		if (database->connection[i].state != PG_READY)
			return;
		if (other == NULL || other->queue != QUEUE_STREAM)
			continue;
		if (other->client == call->client)
			return;
		if (other->slow)
			slow = other;
	}
	if (slow != NULL)
		slow->preempted(slow);
}

void
database_queue_insert(CallQueue *queue, Call *other, Call *call)
{
	if (other != NULL)
		TAILQ_INSERT_AFTER(&queue->calls, other, call, queued);
	else
		TAILQ_INSERT_HEAD(&queue->calls, call, queued);
	queue->length++;
}

void
database_queue_remove(CallQueue *queue, Call *call)
{
	TAILQ_REMOVE(&queue->calls, call, queued);
	queue->length--;
}

/* Remove a call that waits: further ones of its client have their turns earlier. */
static void
queue_leave(CallQueue *queue, Call *call)
{
	Call *other;

	database_queue_remove(queue, call);
	if (call->queue == QUEUE_SHARED)
		return;
	TAILQ_FOREACH(other, &queue->calls, queued)
		other->ahead -= other->client == call->client;
}

DatabaseUsage
database_usage(const Database *database, bool shared)
{
	DatabaseUsage usage = {0};

	for (int i = 0; i < database->connections; i++)
	{
		const PgConnection *connection = &database->connection[i];
		UsageState state = IN_FLIGHT(connection) != NULL ? USAGE_BUSY : USAGE_IDLE;

		if (connection->shared == shared)
			usage.connections[standby_usable(connection) ? state : USAGE_DOWN]++;
	}
	for (QueueName name = 0; name < QUEUES; name++)
		if ((name == QUEUE_SHARED) == shared)
			usage.waiting += database->waiting[name].length;
	return usage;
}

#define SHARED_DEPTH 32 /* calls in flight on a shared connection; their results are in memory */
#define TRIES 4			/* attempts for a call that may be made again */

/* Open connections to standbys of the primary's connections, which are NULL for those of the primary. */
static Database *
open_connections(HttpThread *thread, Database *primary, int shared, int pool)
{
	int connections = shared + pool;
	Database *database = calloc(1, sizeof(Database) + sizeof(PgConnection) * (size_t) connections);

	if (database == NULL)
		return NULL;
	database->thread = thread;
	database->primary = primary;
	database->connections = connections;
	database->shared = shared;
	for (QueueName name = 0; name < QUEUES; name++)
		TAILQ_INIT(&database->waiting[name].calls);
	for (int i = 0; i < connections; i++)
	{
		database->connection[i] = (PgConnection){.watch = {pg_connection_ready},
												 .database = database,
												 .shared = i < shared,
												 .depth = i < shared ? SHARED_DEPTH : 1};
		TAILQ_INIT(&database->connection[i].flight.calls);
		pg_connection_connect(&database->connection[i], thread->now);
	}
	return database;
}

Database *
database_open_primary(HttpThread *thread, int shared, int pool)
{
	return open_connections(thread, NULL, shared, pool);
}

Database *
database_open(HttpThread *thread, int shared, int pool)
{
	Database *database = database_open_primary(thread, shared, pool);

	if (database == NULL || thread->settings->read_database[0] == '\0')
		return database;
	database->standby = open_connections(thread, database, shared, pool);
	if (database->standby != NULL)
		return database;
	database_close(database);
	return NULL;
}

Database *
database_standby(const Database *database)
{
	return database->standby;
}

void
database_abandon(Database *database)
{
	if (database->standby != NULL)
		database_abandon(database->standby);
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
	if (database->standby != NULL)
		database_close(database->standby);
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
	if (!standby_pass_on(call))
		call->done(call);
}

/* Is the connection up, or about to be?  For one to a standby nobody waits. */
static bool
is_there(const PgConnection *connection)
{
	return connection->database->primary != NULL
			   ? standby_usable(connection)
			   : connection->state == PG_READY || connection->failures == 0;
}

bool
database_away(const Database *database, QueueName queue)
{
	bool shared = queue == QUEUE_SHARED;

	for (int i = 0; i < database->connections; i++)
		if (database->connection[i].shared == shared && is_there(&database->connection[i]))
			return false;
	return true;
}

/* Milliseconds that a call may take: a little more than its statement_timeout. */
static int64_t
time_limit(const Database *database)
{
	int64_t timeout = database->thread->settings->call_timeout;

	return timeout + timeout / 10;
}

void
database_extend(Call *call)
{
	const Database *database = call->database;

	call->deadline = database->thread->now + time_limit(database);
}

/* Send a waiting call; where the connection is gone, the call waits for another. */
static void
send_call(Database *database, Call *call, PgConnection *connection)
{
	CallQueue *queue = &database->waiting[call->queue];

	queue_leave(queue, call);
	if (call->tries++ == 0)
		call->deadline = database->thread->now + time_limit(database);
	if (pg_connection_send(connection, call))
		return;
	call->tries--;
	pg_connection_close(connection, PQerrorMessage(connection->pg));
	database_queue_insert(queue, NULL, call);
}

/* Let the call wait, behind those of its client and as many of each other one; false: the queue is full. */
static bool
queue_wait(CallQueue *queue, Call *call, int64_t most)
{
	Call *other;

	call->ahead = 0;
	if (call->queue != QUEUE_SHARED)
		TAILQ_FOREACH(other, &queue->calls, queued)
			call->ahead += other->client == call->client;
	if (call->ahead >= THIRD(most) || queue->length >= most - (call->anonymous ? most / 4 : 0))
		return false;
	TAILQ_FOREACH_REVERSE(other, &queue->calls, CallList, queued)
		if (other->ahead <= call->ahead)
			break;
	database_queue_insert(queue, other, call);
	return true;
}

void
database_submit(Database *database, Call *call)
{
	CallQueue *queue;

	if (database->standby != NULL && call->follows &&
		!database_away(database->standby, call->queue))
		database = database->standby;
	queue = &database->waiting[call->queue];
	call->database = database;
	if (database_away(database, call->queue))
		database_finish(call, RESULT_AWAY);
	else if (!call_batch_join(queue, call) &&
			 !queue_wait(queue, call, database->thread->settings->queue))
		database_finish(call, RESULT_BUSY);
}

void
database_again(Database *database, Call *call)
{
	call_forget_result(call);
	call->wait_until = database->thread->now + database->thread->settings->queue_timeout;
	database_queue_insert(&database->waiting[call->queue], NULL, call);
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
	else if (call->tries >= TRIES || database->primary != NULL ||
			 database_away(database, call->queue))
		database_finish(call, call->result ? RESULT_BUSY : RESULT_AWAY);
	else if (call->deadline - database->thread->now < time_limit(database) / 2)
		database_finish(call, RESULT_LATE);
	else
		database_again(database, call);
}

/* Send each waiting call of a queue for which there is a connection. */
static void
dispatch_queue(Database *database, QueueName name)
{
	CallQueue *queue = &database->waiting[name];
	bool gone = queue->length > 0 && database_away(database, name);
	Call *next;

	for (Call *call = TAILQ_FIRST(&queue->calls); call != NULL; call = next)
	{
		PgConnection *connection;

		next = TAILQ_NEXT(call, queued);
		if (gone || call->wait_until <= database->thread->now)
		{
			queue_leave(queue, call);
			database_finish(call, gone ? RESULT_AWAY : RESULT_BUSY);
		}
		else if (call->again_at > database->thread->now)
			continue;
		else if ((connection = connection_choose(database, call)) != NULL)
			send_call(database, call, connection);
		else if (name == QUEUE_SHARED)
			return;
		else if (name == QUEUE_STREAM)
			connection_reclaim(database, call);
	}
}

void
database_dispatch(Database *database)
{
	/* what standbys do not answer is sent in the same turn */
	if (database->standby != NULL)
		database_dispatch(database->standby);
	for (QueueName name = 0; name < QUEUES; name++)
		dispatch_queue(database, name);
	for (int i = 0; i < database->connections; i++)
		pg_connection_flush(&database->connection[i]);
}

void
database_tick(Database *database, int64_t now)
{
	if (database->standby != NULL)
		database_tick(database->standby, now);
	standby_tick(database, now);
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
database_start_counting(HttpThread *thread, const char *file, const char *dataset)
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
	counting->call.wait_until = thread->now + thread->settings->call_timeout;
	counting->call.deadline = counting->call.wait_until + thread->settings->call_timeout;
	database_submit(thread->transfers, &counting->call);
}
