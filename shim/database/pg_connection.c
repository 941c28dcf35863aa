/*
 * pg_connection.c - one connection to PostgreSQL, in pipeline mode, never waited for.
 *
 * A lane not shared: each call ends with a Sync, and counts as answered when that has come back;
 * only then has PostgreSQL committed.  A shared lane has reads only: those of one turn of the loop
 * end with one Sync together, since each Sync costs both sides a system call and PostgreSQL a
 * transaction.  A read that fails takes the rest of its group along; those are sent again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "shim.h"

#define CONNECT_TIMEOUT 5000 /* milliseconds */
#define RETRY_FIRST 100		 /* so: the wait after the first failure, doubled after each */
#define RETRY_MAXIMUM 2000
#define GROUP_MAXIMUM 8 /* calls that end with one Sync: so many, at most, are sent again */

/* The notice that PostgreSQL gives instead of an error when a standby has not confirmed. */
static void
receive_notice(void *cls, const PGresult *notice)
{
	Lane *lane = cls;
	const char *source = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);

	if (source != NULL && strcmp(source, "SyncRepWaitForLSN") == 0 && lane->flight.first != NULL)
		lane->flight.first->unconfirmed = true;
}

/*
 * Begin to connect; the caller looks at PQstatus().
 *
 * Timeouts inside PostgreSQL stand a little before our own, so that it is PostgreSQL that ends a
 * slow call, and the connection stays of use.  How values look as text is not left to defaults of
 * the database or the role: what clients keep would look another way with no record changed.
 */
PGconn *
lane_open(const Settings *settings)
{
	char options[480];
	const char *names[] = {"dbname", "options", "fallback_application_name", "client_encoding",
						   NULL};
	const char *values[] = {settings->database, options, "catalogue-shim", "UTF8", NULL};
	long long limit = (long long) settings->call_timeout;

	snprintf(options, sizeof(options),
			 "-c statement_timeout=%lld -c lock_timeout=%lld"
			 " -c idle_in_transaction_session_timeout=%lld -c search_path=pg_catalog,pg_temp"
			 " -c client_connection_check_interval=1s -c jit=off -c DateStyle=ISO"
			 " -c IntervalStyle=postgres -c extra_float_digits=1 -c bytea_output=hex",
			 limit, limit * 2 / 5 + 1, limit * 2);
	return PQconnectStartParams(names, values, 1);
}

/* Tell the loop what the lane waits for. */
static void
wait_for(Lane *lane, uint32_t events)
{
	int epoll = lane->database->worker->epoll;
	struct epoll_event event = {.events = events, .data.ptr = &lane->watch};

	/* libpq may have taken another socket for another address, under the same number or not */
	if (epoll_ctl(epoll, EPOLL_CTL_MOD, PQsocket(lane->pg), &event) < 0 && errno == ENOENT)
		epoll_ctl(epoll, EPOLL_CTL_ADD, PQsocket(lane->pg), &event);
	lane->writing = (events & EPOLLOUT) != 0;
}

void
lane_connect(Lane *lane, int64_t now)
{
	const Settings *settings = lane->database->worker->settings;

	lane->pg = lane_open(settings);
	lane->state = LANE_CONNECTING;
	lane->connect_by = now + CONNECT_TIMEOUT;
	lane->broken = false;
	if (lane->pg == NULL || PQstatus(lane->pg) == CONNECTION_BAD || PQsocket(lane->pg) < 0)
	{
		lane_close(lane, lane->pg ? PQerrorMessage(lane->pg) : "out of memory");
		return;
	}
	PQsetNoticeReceiver(lane->pg, receive_notice, lane);
	wait_for(lane, EPOLLOUT);
}

/* Send what is in libpq's hands; wait for room in the socket only when it is needed. */
static bool
flush(Lane *lane)
{
	int rest = PQflush(lane->pg);

	if (rest < 0)
		return false;
	if ((rest > 0) != lane->writing)
		wait_for(lane, rest > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN);
	return true;
}

/* End a call with its Sync; newer versions of libpq keep it for the next flush. */
static bool
send_sync(PGconn *pg)
{
#ifdef LIBPQ_HAS_SEND_PIPELINE_SYNC
	return PQsendPipelineSync(pg) != 0;
#else
	return PQpipelineSync(pg) != 0;
#endif
}

/* Prepare the statements of all calls in one go. */
static bool
prepare_all(Lane *lane)
{
	lane->state = LANE_PREPARING;
	if (PQsetnonblocking(lane->pg, 1) != 0 || !PQenterPipelineMode(lane->pg))
		return false;
	wait_for(lane, EPOLLIN);
	for (int i = 0; i < CALL_NAMES; i++)
	{
		char text[160];

		if (call_specs[i].function == NULL)
			continue;
		call_statement(&call_specs[i], text, sizeof(text));
		if (!PQsendPrepare(lane->pg, call_specs[i].function, text, 0, NULL))
			return false;
		lane->preparing++;
	}
	return send_sync(lane->pg) && flush(lane);
}

static void
advance_connecting(Lane *lane)
{
	PostgresPollingStatusType status = PQconnectPoll(lane->pg);

	if (status == PGRES_POLLING_OK ? !prepare_all(lane) : status == PGRES_POLLING_FAILED)
		lane_close(lane, PQerrorMessage(lane->pg));
	else if (status != PGRES_POLLING_OK)
		wait_for(lane, status == PGRES_POLLING_READING ? EPOLLIN : EPOLLOUT);
}

/* Take results of preparation until the Sync behind them. */
static void
take_prepared(Lane *lane, PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_COMMAND_OK)
		lane->preparing--;
	else if (status == PGRES_PIPELINE_SYNC && lane->preparing == 0)
	{
		lane->state = LANE_READY;
		lane->failures = 0;
		log_event(lane->database->worker->settings->log, LOG_VERBOSE, "database connection made",
				  "backend %d", PQbackendPID(lane->pg));
	}
	else if (status != PGRES_PIPELINE_ABORTED || lane->preparing == 0)
		lane_close(lane, PQresultErrorMessage(result));
	PQclear(result);
}

/* The oldest call is over: back to the queues with what came of it. */
static void
end_call(Lane *lane)
{
	Call *call = queue_take(&lane->flight);

	lane->moved = lane->database->worker->now;
	if (call->result != NULL && PQresultStatus(call->result) == PGRES_PIPELINE_ABORTED)
	{
		database_again(lane->database, call);
		return;
	}
	if (call->result != NULL && error_outcome(call->result) == OUTCOME_BROKEN)
		lane->broken = true;
	database_returned(lane->database, call);
}

/* Take what libpq has: a result, a Sync, or NULL behind the results of a call. */
static void
take_answer(Lane *lane, PGresult *result)
{
	Call *call = lane->flight.first;

	if (result == NULL)
	{
		if (lane->shared && call != NULL && call->result != NULL)
			end_call(lane);
	}
	else if (PQresultStatus(result) == PGRES_PIPELINE_SYNC)
	{
		PQclear(result);
		lane->syncs--;
		if (!lane->shared && call != NULL)
			end_call(lane);
	}
	else if (call != NULL && PQresultStatus(result) == PGRES_SINGLE_TUPLE)
		lane->held = !stream_take(call->request, result);
	else if (call != NULL)
	{
		/* an error of the commit comes after the answer and takes its place */
		PQclear(call->result);
		call->result = result;
	}
	else
		PQclear(result);
}

/* Take all results that are there; false when the connection is gone. */
static bool
take_results(Lane *lane)
{
	int nothing = 0;

	if (!PQconsumeInput(lane->pg))
		return false;
	/* each call gives its result and NULL, each group its Sync; two NULLs in a row: no more */
	while (lane->state >= LANE_PREPARING && !lane->held && nothing < 2 && !PQisBusy(lane->pg) &&
		   (lane->state == LANE_PREPARING || lane->flight.first != NULL || lane->syncs > 0))
	{
		PGresult *result = PQgetResult(lane->pg);

		nothing = result == NULL ? nothing + 1 : 0;
		if (lane->state == LANE_READY)
			take_answer(lane, result);
		else if (result != NULL)
			take_prepared(lane, result);
	}
	return lane->state == LANE_DOWN || PQstatus(lane->pg) == CONNECTION_OK;
}

/* What comes while the lane is held stays in the socket, and PostgreSQL waits. */
static void
mute(Lane *lane, uint32_t events)
{
	if ((events & (EPOLLERR | EPOLLHUP)) != 0)
	{
		lane_close(lane, "the connection was closed");
		return;
	}
	wait_for(lane, 0);
	lane->muted = true;
}

void
lane_go_on(Lane *lane)
{
	database_extend(lane->flight.first);
	lane->held = false;
	if (lane->muted)
		wait_for(lane, EPOLLIN);
	lane->muted = false;
	if (!take_results(lane))
		lane_close(lane, PQerrorMessage(lane->pg));
	if (lane->broken && lane->state == LANE_READY)
		lane_close(lane, "the connection is of no use any more");
}

/* The loop says that the socket can be read or written. */
void
lane_ready(Watch *watch, uint32_t events)
{
	Lane *lane = (Lane *) watch;

	if (lane->state == LANE_DOWN)
		return;
	if (lane->held)
		mute(lane, events);
	else if (lane->state == LANE_CONNECTING)
		advance_connecting(lane);
	else if (!take_results(lane) ||
			 ((events & EPOLLOUT) != 0 && lane->state != LANE_DOWN && !flush(lane)))
		lane_close(lane, PQerrorMessage(lane->pg));
	if (lane->broken && lane->state == LANE_READY)
		lane_close(lane, "the connection is of no use any more");
}

/* End the group of calls that is open. */
static void
end_group(Lane *lane)
{
	lane->group = 0;
	lane->syncs++;
	if (!send_sync(lane->pg))
		lane_close(lane, PQerrorMessage(lane->pg));
}

/* Send a call; false when the connection is gone, and the call is still the caller's. */
bool
lane_send(Lane *lane, Call *call)
{
	const CallSpec *spec = call->spec;

	if (!call_send(lane->pg, call))
		return false;
	if (spec->kind == KIND_STREAM)
	{
		if (!PQsetSingleRowMode(lane->pg))
			return false;
		call->request->stream.lane = lane;
	}
	if (lane->flight.first == NULL)
		lane->moved = lane->database->worker->now;
	/* from here on PostgreSQL may have got it, so a failure is the end of a call in flight */
	queue_append(&lane->flight, call);
	lane->unsent = true;
	if (++lane->group >= GROUP_MAXIMUM || !lane->shared)
		end_group(lane);
	return true;
}

/* Send what has been collected since the last time. */
void
lane_flush(Lane *lane)
{
	if (!lane->unsent || lane->state != LANE_READY)
		return;
	lane->unsent = false;
	if (lane->group > 0)
		end_group(lane);
	if (lane->state == LANE_READY && !flush(lane))
		lane_close(lane, PQerrorMessage(lane->pg));
}

/* Close the connection, and plan when to connect again. */
static void
disconnect(Lane *lane)
{
	Worker *worker = lane->database->worker;
	int64_t wait = RETRY_FIRST;

	PQfinish(lane->pg);
	lane->pg = NULL;
	lane->preparing = 0;
	lane->group = 0;
	lane->syncs = 0;
	lane->writing = false;
	lane->held = false;
	lane->muted = false;
	for (int i = 0; i < lane->failures && wait < RETRY_MAXIMUM; i++)
		wait *= 2;
	/* the first attempt at once; later ones spread, so that not all come at the same moment */
	lane->retry_at = worker->now + (lane->state == LANE_READY ? 0 : wait / 2 + random() % wait);
	lane->failures += lane->state != LANE_READY;
	lane->state = LANE_DOWN;
}

/* Close the connection because something is wrong with it, and give back the calls in flight. */
void
lane_close(Lane *lane, const char *reason)
{
	Call *call;

	if (lane->failures == 0)
		log_event(lane->database->worker->settings->log, LOG_ERROR, "database connection failed",
				  "%s", reason);
	disconnect(lane);
	while ((call = queue_take(&lane->flight)) != NULL)
	{
		PQclear(call->result);
		call->result = NULL;
		database_returned(lane->database, call);
	}
}

void
lane_abandon(Lane *lane)
{
	queue_take(&lane->flight);
	disconnect(lane);
}

/* Look after deadlines; to be called several times a second. */
void
lane_tick(Lane *lane, int64_t now)
{
	Call *oldest = lane->flight.first;

	if (lane->state == LANE_DOWN && now >= lane->retry_at)
		lane_connect(lane, now);
	else if (lane->state < LANE_READY && lane->state > LANE_DOWN && now >= lane->connect_by)
		lane_close(lane, "no connection in time");
	else if (oldest != NULL && !lane->held && now >= oldest->deadline)
	{
		/* it may still be running there: nothing that follows on this connection is of use */
		queue_take(&lane->flight);
		database_finish(oldest, RESULT_LATE);
		lane_close(lane, "no answer in time");
	}
}
