/*
 * pg_connection.c - one connection to PostgreSQL, in pipeline mode, without blocking.
 *
 * On a connection that is not shared, each call ends with a Sync, and is answered when that has been
 * received back; only then has PostgreSQL committed.  A shared connection has reads only, and those
 * of one turn of the loop end with one Sync, since each Sync costs both sides a system call and
 * PostgreSQL a transaction.  If a read fails, the rest of its group is not executed; those calls are
 * sent again.
 */
#include <errno.h>
#include <sys/epoll.h>

#include "database/connection_internal.h"
#include "log/log.h"
#include "net/net.h"

#define CONNECT_TIMEOUT 5000 /* milliseconds */
#define CONNECT_AGAIN 2000	 /* of an attempt after one of several hosts did not answer */
#define RETRY_FIRST 100		 /* milliseconds until the first retry, doubled after each failure */
#define RETRY_MAXIMUM 2000
#define GROUP_MAXIMUM 8 /* calls that end with one Sync, and may have to be sent again */

/* PostgreSQL sends a notice, not an error, if a standby has not confirmed a commit. */
static void
receive_notice(void *cls, const PGresult *notice)
{
	PgConnection *connection = cls;
	const char *source = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);

	if (source != NULL && strcmp(source, "SyncRepWaitForLSN") == 0 && IN_FLIGHT(connection) != NULL)
		IN_FLIGHT(connection)->unconfirmed = true;
}

/* Set the events that the loop waits for. */
static void
wait_for(PgConnection *connection, uint32_t events)
{
	const HttpThread *thread = connection->database->thread;
	int socket = PQsocket(connection->pg);

	/* libpq may have opened another socket, whose number may be the same */
	if (!event_loop_change(thread, socket, events, &connection->watch) && errno == ENOENT)
		event_loop_add(thread, socket, events, &connection->watch);
	connection->writing = (events & EPOLLOUT) != 0;
}

void
pg_connection_connect(PgConnection *connection, int64_t now)
{
	const Settings *settings = connection->database->thread->settings;

	connection->pg = connect_start(settings,
								   connection->database->primary != NULL ? settings->read_database
																		 : settings->database,
								   connection->first_host);
	connection->state = PG_CONNECTING;
	connection->connect_by = now + (connection->first_host > 0 ? CONNECT_AGAIN : CONNECT_TIMEOUT);
	connection->broken = false;
	connection->misled = false;
	connection->lag = -1;
	if (connection->pg == NULL || PQstatus(connection->pg) == CONNECTION_BAD ||
		PQsocket(connection->pg) < 0)
	{
		pg_connection_close(connection,
							connection->pg ? PQerrorMessage(connection->pg) : "out of memory");
		return;
	}
	PQsetNoticeReceiver(connection->pg, receive_notice, connection);
	wait_for(connection, EPOLLOUT);
}

/* Flush libpq's buffer; wait for room in the socket if that is needed. */
static bool
flush(PgConnection *connection)
{
	int rest = PQflush(connection->pg);

	if (rest < 0)
		return false;
	if ((rest > 0) != connection->writing)
		wait_for(connection, rest > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN);
	return true;
}

/* Send a Sync; newer versions of libpq can buffer it until the next flush. */
static bool
send_sync(PGconn *pg)
{
#ifdef LIBPQ_HAS_SEND_PIPELINE_SYNC
	return PQsendPipelineSync(pg) != 0;
#else
	return PQpipelineSync(pg) != 0;
#endif
}

/* Prepare the statements of all calls in one go; each has a Sync, so that the others do not fail with it. */
static bool
prepare_all(PgConnection *connection)
{
	connection->state = PG_PREPARING;
	connection->connect_by = connection->database->thread->now + CONNECT_TIMEOUT;
	if (PQsetnonblocking(connection->pg, 1) != 0 || !PQenterPipelineMode(connection->pg))
		return false;
	wait_for(connection, EPOLLIN);
	for (int i = 0; i < CALL_NAMES; i++)
	{
		char text[160];

		if (call_specs[i].function == NULL)
			continue;
		call_statement(&call_specs[i], text, sizeof(text));
		if (!PQsendPrepare(connection->pg, call_specs[i].function, text, 0, NULL) ||
			!send_sync(connection->pg))
			return false;
		connection->preparing++;
	}
	return flush(connection);
}

static void
advance_connecting(PgConnection *connection)
{
	PostgresPollingStatusType status = PQconnectPoll(connection->pg);

	if (status == PGRES_POLLING_OK ? !prepare_all(connection) : status == PGRES_POLLING_FAILED)
		pg_connection_close(connection, PQerrorMessage(connection->pg));
	else if (status != PGRES_POLLING_OK)
		wait_for(connection, status == PGRES_POLLING_READING ? EPOLLIN : EPOLLOUT);
}

/* Close the connection, and plan when to connect again. */
static void
disconnect(PgConnection *connection)
{
	HttpThread *thread = connection->database->thread;
	int64_t wait = RETRY_FIRST;

	PQfinish(connection->pg);
	connection->pg = NULL;
	connection->preparing = 0;
	connection->group = 0;
	connection->syncs = 0;
	connection->writing = false;
	connection->held = false;
	connection->muted = false;
	for (int i = 0; i < connection->failures && wait < RETRY_MAXIMUM; i++)
		wait *= 2;
	/* the first attempt is made at once; later ones at random times, so that they do not coincide */
	connection->retry_at =
		thread->now + (connection->state == PG_READY ? 0 : wait / 2 + random() % wait);
	connection->failures += connection->state != PG_READY;
	connection->state = PG_DOWN;
}

/* The connection is up: those that have found no server look for it at once, and begin with the host it began with. */
static void
wake_others(const PgConnection *connection)
{
	Database *database = connection->database;
	int ready = 0;

	for (int i = 0; i < database->connections; i++)
	{
		PgConnection *other = &database->connection[i];

		ready += other->state == PG_READY;
		if (other->state == PG_READY || other->failures == 0)
			continue;
		/* it may wait for a host that does not answer */
		if (other->state == PG_CONNECTING)
			disconnect(other);
		other->first_host = connection->first_host;
		other->failures = 0;
		other->retry_at = database->thread->now;
	}
	if (ready == 1)
		standby_primary_found(database, database->thread->now);
}

/* Take a result of preparation.  A call that the extension does not have yet is answered with 503. */
static void
take_prepared(PgConnection *connection, PGresult *result)
{
	Log *log = connection->database->thread->settings->log;
	ExecStatusType status = PQresultStatus(result);
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	if (status == PGRES_PIPELINE_SYNC && --connection->preparing == 0)
	{
		connection->state = PG_READY;
		connection->failures = 0;
		connection->made_at = connection->database->thread->now;
		wake_others(connection);
		log_event(log, LOG_VERBOSE, "database connection made", "backend %d",
				  PQbackendPID(connection->pg));
	}
	else if (state != NULL && strcmp(state, SQLSTATE_UNKNOWN_FUNCTION) == 0)
		log_event(log, LOG_WARN, "call not available", "%s", PQresultErrorMessage(result));
	else if (status != PGRES_COMMAND_OK && status != PGRES_PIPELINE_SYNC)
		pg_connection_close(connection, PQresultErrorMessage(result));
	PQclear(result);
}

/* What a result says about the connection. */
static void
note_outcome(PgConnection *connection, const Call *call)
{
	Outcome outcome = sqlstate_outcome(call->result);

	if (outcome == OUTCOME_BROKEN)
		connection->broken = true;
	else if (connection->database->primary != NULL)
		return;
	else if (outcome == OUTCOME_READ_ONLY)
		sqlstate_read_only_found(connection);
	else if (outcome == OUTCOME_ANSWER && call->spec->kind == KIND_WRITE)
		sqlstate_read_only_over(connection);
}

/* The oldest call has ended: return it to database.c. */
static void
end_call(PgConnection *connection)
{
	Call *call = IN_FLIGHT(connection);

	database_queue_remove(&connection->flight, call);
	connection->moved = connection->database->thread->now;
	if (call->result != NULL && PQresultStatus(call->result) == PGRES_PIPELINE_ABORTED)
	{
		database_again(connection->database, call);
		return;
	}
	if (call->result != NULL)
		note_outcome(connection, call);
	database_returned(connection->database, call);
}

/* Take what PQgetResult() returned: a result, a Sync, or NULL after the results of a call. */
static void
take_answer(PgConnection *connection, PGresult *result)
{
	Call *call = IN_FLIGHT(connection);

	if (result == NULL)
	{
		if (connection->shared && call != NULL && call->result != NULL)
			end_call(connection);
	}
	else if (PQresultStatus(result) == PGRES_PIPELINE_SYNC)
	{
		PQclear(result);
		connection->syncs--;
		if (!connection->shared && call != NULL)
			end_call(connection);
	}
	else if (call != NULL && PQresultStatus(result) == PGRES_SINGLE_TUPLE)
		connection->held = !call->take_row(call, result);
	else if (call != NULL)
	{
		/* an error of the commit is received after the result and replaces it */
		PQclear(call->result);
		call->result = result;
	}
	else
		PQclear(result);
}

/* Take all results that have been received; false: the connection is gone. */
static bool
take_results(PgConnection *connection)
{
	int nothing = 0;

	if (!PQconsumeInput(connection->pg))
		return false;
	/* each call has its result and NULL, each group its Sync; two NULLs in a row: no more */
	while (connection->state >= PG_PREPARING && !connection->held && nothing < 2 &&
		   !PQisBusy(connection->pg) &&
		   (connection->state == PG_PREPARING || IN_FLIGHT(connection) != NULL ||
			connection->syncs > 0))
	{
		PGresult *result = PQgetResult(connection->pg);

		nothing = result == NULL ? nothing + 1 : 0;
		if (connection->state == PG_READY)
			take_answer(connection, result);
		else if (result != NULL)
			take_prepared(connection, result);
	}
	return connection->state == PG_DOWN || PQstatus(connection->pg) == CONNECTION_OK;
}

/* While the connection is held, further rows stay in the socket, and PostgreSQL waits. */
static void
stop_reading(PgConnection *connection, uint32_t events)
{
	if ((events & (EPOLLERR | EPOLLHUP)) != 0)
	{
		pg_connection_close(connection, "the connection was closed");
		return;
	}
	wait_for(connection, 0);
	connection->muted = true;
}

static void
close_broken(PgConnection *connection)
{
	if (connection->broken && connection->state == PG_READY)
		pg_connection_close(connection, "the connection cannot be used any more");
}

void
pg_connection_continue(PgConnection *connection)
{
	database_extend(IN_FLIGHT(connection));
	connection->held = false;
	if (connection->muted)
		wait_for(connection, EPOLLIN);
	connection->muted = false;
	if (!take_results(connection))
		pg_connection_close(connection, PQerrorMessage(connection->pg));
	close_broken(connection);
}

void
pg_connection_ready(Watch *watch, uint32_t events)
{
	PgConnection *connection = (PgConnection *) watch;

	if (connection->state == PG_DOWN)
		return;
	if (connection->held)
		stop_reading(connection, events);
	else if (connection->state == PG_CONNECTING)
		advance_connecting(connection);
	else if (!take_results(connection) ||
			 ((events & EPOLLOUT) != 0 && connection->state != PG_DOWN && !flush(connection)))
		pg_connection_close(connection, PQerrorMessage(connection->pg));
	close_broken(connection);
}

/* End the group of calls that is open. */
static void
end_group(PgConnection *connection)
{
	connection->group = 0;
	connection->syncs++;
	if (!send_sync(connection->pg))
		pg_connection_close(connection, PQerrorMessage(connection->pg));
}

bool
pg_connection_send(PgConnection *connection, Call *call)
{
	const CallSpec *spec = call->spec;

	if (!call_send(connection->pg, call))
		return false;
	if (spec->kind == KIND_STREAM)
	{
		if (!PQsetSingleRowMode(connection->pg))
			return false;
		call->connection = connection;
	}
	if (IN_FLIGHT(connection) == NULL)
		connection->moved = connection->database->thread->now;
	/* PostgreSQL may receive it from now on, so after a failure it counts as in flight */
	database_queue_insert(&connection->flight, TAILQ_LAST(&connection->flight.calls, CallList),
						  call);
	connection->unsent = true;
	if (++connection->group >= GROUP_MAXIMUM || !connection->shared)
		end_group(connection);
	return true;
}

void
pg_connection_flush(PgConnection *connection)
{
	if (!connection->unsent || connection->state != PG_READY)
		return;
	connection->unsent = false;
	if (connection->group > 0)
		end_group(connection);
	if (connection->state == PG_READY && !flush(connection))
		pg_connection_close(connection, PQerrorMessage(connection->pg));
}

void
pg_connection_close(PgConnection *connection, const char *reason)
{
	Call *call;

	if (connection->failures == 0 && !connection->misled)
		log_event(connection->database->thread->settings->log, LOG_ERROR,
				  connection->database->primary != NULL ? "standby connection failed"
														: "database connection failed",
				  "%s", reason);
	disconnect(connection);
	while ((call = IN_FLIGHT(connection)) != NULL)
	{
		database_queue_remove(&connection->flight, call);
		PQclear(call->result);
		call->result = NULL;
		database_returned(connection->database, call);
	}
}

void
pg_connection_abandon(PgConnection *connection)
{
	database_queue_remove(&connection->flight, IN_FLIGHT(connection));
	disconnect(connection);
}

void
pg_connection_tick(PgConnection *connection, int64_t now)
{
	Call *oldest = IN_FLIGHT(connection);

	if (connection->state == PG_DOWN && now >= connection->retry_at)
		pg_connection_connect(connection, now);
	else if (connection->state < PG_READY && connection->state > PG_DOWN &&
			 now >= connection->connect_by)
	{
		connection->first_host = connect_next_host(connection->pg, connection->first_host);
		pg_connection_close(connection, "no connection in time");
	}
	else if (oldest != NULL && !connection->held && now >= oldest->deadline)
	{
		/* it may still be executing, so the connection cannot be used any more */
		database_queue_remove(&connection->flight, oldest);
		database_finish(oldest, RESULT_LATE);
		pg_connection_close(connection, "no answer in time");
	}
}
