/*
 * standby.c - reads of outsiders at standbys: how far these are behind, and which of their answers count.
 *
 * Each second the primary is asked for its position in the log of PostgreSQL, and each connection to a standby for the
 * position that is replayed there: a standby is as far behind as the position is old.  So no clocks are compared, a standby
 * that the primary cannot reach is found, and one whose primary is away is as good as all that is known.
 *
 * Only an answer without an error counts.  Whatever else a standby says - that it does not know a record or a key yet,
 * that a conflict with what is replayed has ended the read, that it cannot write - the primary is asked.
 */

#include "database/connection_internal.h"

#define PERIOD 1000	  /* milliseconds between two questions */
#define PATIENCE 1000 /* milliseconds that an answer to one may take */
#define FOLLOW 200 /* milliseconds that a read waits for a standby to follow up to what it names */
#define FOLLOW_AGAIN 50
#define STAND_IN 60000 /* milliseconds that a standby may be late if there is no primary */
#define SEEK \
	10000 /* milliseconds after which a connection that leads to no standby looks for one */
#define SQLSTATE_CANCELED "57014"

/* A position in the log of PostgreSQL. */
typedef struct WalPosition
{
	int64_t timeline; /* each promotion begins another one */
	int64_t bytes;
} WalPosition;

/* Take where the server is from the answer of a probe, whose result is freed; false: it is not known. */
static bool
take_position(Probe *probe, WalPosition *position)
{
	Call *call = &probe->call;
	Reply reply;
	bool found = false;
	char *end;

	probe->asked = false;
	if (call->outcome == RESULT_ANSWER && PQresultStatus(call->result) == PGRES_TUPLES_OK &&
		call_reply_of_result(call->result, &reply) && reply.data != NULL && *reply.data == '[')
	{
		position->timeline = strtoll(reply.data + 1, &end, 10);
		found = *end == ',';
		position->bytes = found ? strtoll(end + 1, NULL, 10) : 0;
	}
	call_forget_result(call);
	return found;
}

/* The primary may be another server: it is asked, and then the standbys, before these are asked for anything else. */
void
standby_primary_found(Database *primary, int64_t now)
{
	Database *standby = primary->standby;

	if (standby == NULL)
		return;
	primary->thread->database->probe.asked_at = 0;
	primary->thread->database->positions.outdated = true;
	for (int i = 0; i < standby->connections; i++)
	{
		standby->connection[i].lag = -1;
		standby->connection[i].probe.asked_at = now;
	}
}

/* The primary has told its position.  Another one, or one that is not as far, has lost what the former had. */
static void
take_primary(Call *call)
{
	Database *database = call->database;
	WalPositions *positions = &database->positions;
	WalPosition position;

	if (!take_position(&database->probe, &position))
		return;
	if (positions->count > 0 && (position.timeline != positions->timeline ||
								 position.bytes < positions->list[positions->count - 1].bytes))
		positions->count = 0;
	if (positions->count == POSITIONS_KEPT)
		memmove(&positions->list[0], &positions->list[1],
				sizeof(positions->list[0]) * --positions->count);
	positions->timeline = position.timeline;
	positions->outdated = false;
	positions->list[positions->count].at = database->probe.asked_at;
	positions->list[positions->count++].bytes = position.bytes;
}

/* Can the primary not be asked for what the connection is for? */
static bool
is_without_primary(const PgConnection *connection)
{
	return database_away(connection->database->primary,
						 connection->shared ? QUEUE_SHARED : QUEUE_OWN);
}

/* The same, or has it not answered the last questions? */
static bool
is_silent(const PgConnection *connection)
{
	const WalPositions *positions = &connection->database->thread->database->positions;
	int64_t now = connection->database->thread->now;

	return is_without_primary(connection) ||
		   (positions->count > 0 &&
			now - positions->list[positions->count - 1].at > 2 * PERIOD + PATIENCE);
}

/*
 * Milliseconds since the primary was at the position of a standby, at most, or for as long as its positions are kept; 0: it is
 * there.  While the primary is away nothing becomes older.  -1: the standby has not followed a promotion, and may have
 * what the primary has not, or that is not known, as before the primary has told its first position.
 */
static int64_t
lag_at(const PgConnection *connection, WalPosition position)
{
	const WalPositions *positions = &connection->database->thread->database->positions;
	int64_t now = connection->database->thread->now;
	int i = positions->count;

	if (i == 0 && !is_without_primary(connection))
		return -1;
	if (i > 0 && (position.timeline < positions->timeline ||
				  (positions->outdated && !is_without_primary(connection))))
		return -1;
	while (i > 0 && positions->list[i - 1].bytes > position.bytes)
		i--;
	if (i == positions->count)
		return 0;
	if (is_silent(connection))
		now = positions->list[positions->count - 1].at;
	return now - positions->list[i > 0 ? i - 1 : 0].at;
}

static void
take_standby(Call *call)
{
	PgConnection *connection =
		(PgConnection *) ((char *) call - offsetof(PgConnection, probe.call));
	WalPosition position;

	if (take_position(&connection->probe, &position))
		connection->lag = lag_at(connection, position);
}

/* The question for the position of a server. */
static Call
question(Database *database, QueueName queue, void (*done)(Call *call))
{
	int64_t by = database->thread->now + PATIENCE;

	return (Call){.spec = &call_specs[CALL_WAL_POSITION],
				  .database = database,
				  .queue = queue,
				  .alone = true,
				  .rows = 1,
				  .wait_until = by,
				  .deadline = by,
				  .done = done};
}

/* Ask now, unless an answer is awaited, or there was a question since? */
static bool
is_due(Probe *probe, int64_t now, int64_t since)
{
	if (probe->asked || probe->asked_at > since)
		return false;
	probe->asked = true;
	probe->asked_at = now;
	return true;
}

/* When a standby is to be asked: half a period after the primary, so that it can have what the primary had then. */
static int64_t
standby_since(const PgConnection *connection, int64_t now)
{
	int64_t half = connection->database->thread->database->probe.asked_at + PERIOD / 2;

	return now < half ? half - PERIOD : half;
}

/* Is there a connection to the primary that can do what this one does? */
static bool
has_primary(const PgConnection *connection)
{
	const Database *primary = connection->database->primary;

	for (int i = 0; i < primary->connections; i++)
		if (primary->connection[i].shared == connection->shared &&
			standby_usable(&primary->connection[i]))
			return true;
	return false;
}

/* Is another standby to be sought, since the server of this connection is none, or none any more? */
static bool
is_astray(const PgConnection *connection, int64_t now)
{
	const char *standby;

	if (connection->state != PG_READY || IN_FLIGHT(connection) != NULL ||
		now - connection->made_at < SEEK || !has_primary(connection))
		return false;
	standby = PQparameterStatus(connection->pg, "in_hot_standby");
	return standby != NULL && strcmp(standby, "off") == 0;
}

/* Ask the server of this connection; one that did not answer the last question is given up, with what it was sent. */
static void
ask_standby(PgConnection *connection, int64_t now)
{
	if (connection->probe.asked && now >= connection->probe.call.deadline)
		pg_connection_close(connection, "no answer in time");
	else if (is_astray(connection, now))
	{
		connection->misled = true;
		pg_connection_close(connection, "the server is no standby");
	}
	if (connection->state != PG_READY || connection->broken ||
		connection->flight.length >= connection->depth ||
		!is_due(&connection->probe, now, standby_since(connection, now)))
		return;
	connection->probe.call = question(connection->database, QUEUE_OWN, take_standby);
	if (pg_connection_send(connection, &connection->probe.call))
		return;
	connection->probe.asked = false;
	pg_connection_close(connection, PQerrorMessage(connection->pg));
}

void
standby_tick(Database *database, int64_t now)
{
	if (database->primary != NULL)
		for (int i = 0; i < database->connections; i++)
			ask_standby(&database->connection[i], now);
	else if (database->standby != NULL && database == database->thread->database &&
			 is_due(&database->probe, now, now - PERIOD))
	{
		database->probe.call = question(database, QUEUE_SHARED, take_primary);
		database_submit(database, &database->probe.call);
	}
}

/* How late a standby may be. */
static int64_t
allowed_lag(const PgConnection *connection)
{
	int64_t read_lag = connection->database->thread->settings->read_lag;

	return read_lag < STAND_IN && is_silent(connection) ? STAND_IN : read_lag;
}

bool
standby_usable(const PgConnection *connection)
{
	const Database *database = connection->database;

	return connection->state == PG_READY && !connection->broken &&
		   (database->primary == NULL ||
			(connection->lag >= 0 && connection->lag <= allowed_lag(connection)));
}

int64_t
standby_lag(const Database *standby)
{
	int64_t lag = -1;

	for (int i = 0; i < standby->connections; i++)
		if (standby->connection[i].state == PG_READY && standby->connection[i].lag > lag)
			lag = standby->connection[i].lag;
	return lag;
}

/* Does the client have a state, and the standby another one, which may be an older one? */
static bool
is_other_state(const Call *call)
{
	Reply reply;

	for (int i = 0; i < call->spec->count; i++)
		if (call->spec->arguments[i] == ARGUMENT_KNOWN && call->arguments[i] != NULL)
			return call_reply(call, &reply) && reply.data != NULL;
	return false;
}

/* Does the answer of the standby count?  A read that took too long is not made twice. */
static bool
is_answer(const Call *call)
{
	const char *state = PQresultErrorField(call->result, PG_DIAG_SQLSTATE);
	CallRow row;

	if (call->outcome != RESULT_ANSWER)
		return false;
	if (PQresultStatus(call->result) != PGRES_TUPLES_OK)
		return state != NULL && strcmp(state, SQLSTATE_CANCELED) == 0;
	if (PQntuples(call->result) > 0 && PQgetisnull(call->result, 0, 0))
		return false;
	return !(call_row(call, &row) && row.sqlstate != NULL) && !is_other_state(call);
}

/* Has the standby not followed up to what the call names, and may it soon? */
static bool
may_follow(const Call *call)
{
	const char *raised = PQresultErrorField(call->result, PG_DIAG_SOURCE_FUNCTION);

	return raised != NULL && strcmp(raised, "require_followed") == 0 &&
		   (call->follow_by == 0 || call->database->thread->now < call->follow_by);
}

/*
 * Is there a standby, but no primary, for a read that no standby has been asked for, and what each request needs: keys,
 * and what the thread knows of the catalogue?
 */
static bool
stands_in(const Call *call)
{
	const Database *standby = call->database->standby;

	return call->outcome == RESULT_AWAY && standby != NULL && !call->begun &&
		   !database_away(standby, call->queue) &&
		   (call->follows || call->spec == &call_specs[CALL_CREDENTIAL] ||
			call->spec == &call_specs[CALL_WEB_ACCESS]);
}

/* Where a call that was not answered is made next; NULL: its outcome stands. */
static Database *
next_database(Call *call)
{
	Database *database = call->database;
	int64_t now = database->thread->now;

	if (database->primary == NULL)
		return stands_in(call) ? database->standby : NULL;
	if (!call->follows || call->begun || is_answer(call))
		return NULL;
	if (may_follow(call))
	{
		if (call->follow_by == 0)
			call->follow_by = now + FOLLOW;
		call->again_at = now + FOLLOW_AGAIN;
		return database;
	}
	call->again_at = 0;
	return database_away(database->primary, call->queue) ? NULL : database->primary;
}

bool
standby_pass_on(Call *call)
{
	Database *database = next_database(call);
	int64_t by;

	if (database == NULL)
		return false;
	call->follows &= database->primary != NULL;
	call_forget_result(call);
	call->connection = NULL;
	call->alone = true;
	call->row = 0;
	call->tries = 0;
	by = database->thread->now + database->thread->settings->queue_timeout;
	if (call->wait_until < by)
		call->wait_until = by;
	database_submit(database, call);
	return true;
}
