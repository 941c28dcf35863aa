/*
 * connection_choice.c - which connection a call is sent on, and whether its client may have one more.
 *
 * A client may hold as many connections for writes and slow reads as are free besides (a dynamic
 * threshold): alone it has half of them, and each further client half of what is left.  One is left
 * for a client that has none, unless many clients are busy at once, and nothing has to be taken
 * from anybody when another client comes.  Streams are shared in the same way, apart.
 */
#include "shim.h"

#define SHARED_FILL 16 /* so many calls go to one lane before the next is looked at */
/* Streams at once: half of the lanes, so that slow clients do not keep writes from the rest. */
#define STREAMS(database) (((database)->lanes - (database)->shared + 1) / 2)
#define HASHES 1		 /* calls that hash a password at once */
#define PAGES_TOGETHER 4 /* pages that may be slow follow each other on one lane, so many */
#define BRISK 50		 /* milliseconds: only where the lane has moved on as recently as that */

/* What is in use of the lanes that are not shared, in all and by one client. */
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

	for (int i = database->shared; i < database->lanes; i++)
	{
		const Lane *lane = &database->lane[i];
		const Call *call = lane->flight.first;
		bool stream = call != NULL && call->queue == QUEUE_STREAM;
		bool own = call != NULL && call->client == client;

		usage.free += call == NULL && lane->state == LANE_READY && !lane->broken;
		usage.streams += stream;
		usage.hashes += call != NULL && call->queue <= QUEUE_HASH_LAST;
		usage.own_streams += own && stream;
		usage.own += own && !stream;
	}
	return usage;
}

/* May the client of the call have one more lane for it? */
static bool
may_take(const Database *database, const Call *call)
{
	Usage usage = usage_by(database, call->client);

	if (call->queue == QUEUE_STREAM)
		return usage.own_streams < STREAMS(database) - usage.streams;
	if (call->queue <= QUEUE_HASH_LAST && usage.hashes >= HASHES)
		return false;
	return usage.own < usage.free;
}

/*
 * A lane with nothing but pages of the same client in flight that another page may follow, else
 * NULL.
 *
 * The page may wait there behind a slow one, but not behind one that is known to be slow.
 */
static Lane *
lane_to_follow(Database *database, const Call *call)
{
	Lane *best = NULL;

	for (int i = database->shared; i < database->lanes; i++)
	{
		Lane *lane = &database->lane[i];
		const Call *first = lane->flight.first;

		if (lane->state != LANE_READY || lane->broken || first == NULL ||
			first->spec->kind != KIND_PAGE || first->client != call->client ||
			lane->flight.length >= PAGES_TOGETHER || database->worker->now - lane->moved > BRISK)
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
free_lane(Database *database, bool shared)
{
	Lane *best = NULL;

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

Lane *
lane_for(Database *database, const Call *call)
{
	if (call->queue == QUEUE_SHARED)
		return free_lane(database, true);
	if (may_take(database, call))
		return free_lane(database, false);
	return call->spec->kind == KIND_PAGE ? lane_to_follow(database, call) : NULL;
}

/* Is each lane for streams connected?  One that is not was taken from a stream just now, maybe. */
static bool
all_connected(const Database *database)
{
	for (int i = database->shared; i < database->lanes; i++)
		if (database->lane[i].state != LANE_READY)
			return false;
	return true;
}

void
lane_take_back(Database *database, const Call *call)
{
	int own = usage_by(database, call->client).own_streams;
	Request *slowest = NULL;
	int most = 0;

	if (!all_connected(database))
		return;
	for (int i = database->shared; i < database->lanes; i++)
	{
		const Call *other = database->lane[i].flight.first;
		int streams;

		if (other == NULL || other->queue != QUEUE_STREAM || !other->request->stream.slow)
			continue;
		streams = usage_by(database, other->client).own_streams;
		if (streams > own && streams > most)
		{
			most = streams;
			slowest = other->request;
		}
	}
	if (slowest != NULL)
		stream_give_way(slowest);
}
