/*
 * connection_choice.c - which connection a call is sent on, and whether its client may have one more.
 *
 * A client may use as many connections for writes and slow reads as are free besides (a dynamic
 * threshold): a single client gets half of them, and each further client half of the rest.  Unless
 * many clients are busy at once, a connection remains for a client that has none, and none has to
 * be taken away when another client arrives.  Streams are shared in the same way, separately.
 *
 * Many addresses are many clients, so reads without a user leave a connection to users and writes,
 * and a stream to users.
 */
#include "database/connection_internal.h"

#define SHARED_FILL 16 /* calls on a connection before the next one is used */
/* Maximum number of streams: half of the connections, so that slow clients do not block writes. */
#define STREAMS(database) (((database)->connections - (database)->shared + 1) / 2)
/* Connections that reads without a user leave free, if there are more than one besides streams, and
 * streams, if there are more than one. */
#define KEPT(database) ((database)->connections - (database)->shared - STREAMS(database) > 1)
#define KEPT_STREAMS(database) (STREAMS(database) > 1)
#define HASHES 1		 /* calls that hash a password at once */
#define PAGES_TOGETHER 4 /* maximum number of possibly slow page calls queued on one connection */
#define BRISK \
	50 /* milliseconds since the connection last returned a call, for another page to follow */

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
		usage.hashes += call != NULL && call->queue <= QUEUE_HASH_LAST;
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
	if (call->queue <= QUEUE_HASH_LAST && usage.hashes >= HASHES)
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

PgConnection *
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

void
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
