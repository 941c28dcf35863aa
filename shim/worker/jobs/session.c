/*
 * session.c - a connection to PostgreSQL, and its statements.
 *
 * Every wait has a timeout: a server process that was stopped neither answers nor closes the
 * connection.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs/jobs_internal.h"

#define CONNECT_TIMEOUT 5000 /* milliseconds */

static const struct
{
	const char *sql;
	int count; /* of parameters */
} statements[STATEMENTS] = {
	[ASK_ALLOWED] = {"SELECT pg_catalog.has_function_privilege("
					 "'catalogue.job_take(text, text[], interval)', 'EXECUTE')::text",
					 0},
	[ASK_LISTEN] = {"LISTEN catalogue_jobs", 0},
	[ASK_TAKE] = {"SELECT job, kind, resource, details::text, attempt::text "
				  "FROM catalogue.job_take($1::text, $2::text[], $3::text::interval)",
				  3},
	[ASK_BEAT] = {"SELECT catalogue.job_beat($1::text, $2::text, $3::text::bigint, "
				  "$4::text::bigint, $5::text::interval)::text",
				  5},
	[ASK_DONE] = {"SELECT catalogue.job_done($1::text, $2::text)::text", 2},
	[ASK_FAILED] = {"SELECT catalogue.job_failed($1::text, $2::text, $3::text, "
					"$4::text::boolean)::text",
					4},
	[ASK_RELEASE] = {"SELECT catalogue.job_release($1::text, $2::text)::text", 2},
	[ASK_SWEEP] = {"SELECT catalogue.sweep()::text", 0},
	[ASK_DISPATCH] = {"SELECT coalesce(catalogue.dispatch($1::text), -1)::text", 1},
	[ASK_BEGIN] = {"BEGIN", 0},
	[ASK_COMMIT] = {"COMMIT", 0},
	[ASK_BLOB_BYTES] = {"SELECT catalogue.blob_bytes($1::text::bigint, $2::text::integer)", 2},
	[ASK_BLOB_CREATE] = {"SELECT catalogue.blob_create()::text", 0},
	[ASK_BLOB_APPEND] = {"SELECT catalogue.blob_append($1::text::bigint, $2::text::bigint, "
						 "$3::bytea)::text",
						 3},
	[ASK_BLOB_OVERWRITE] = {"SELECT catalogue.blob_overwrite($1::text::bigint, "
							"$2::text::bigint, $3::bytea)::text",
							3},
	[ASK_BLOB_SEAL] = {"SELECT catalogue.blob_seal($1::text::bigint)::text", 1},
	[ASK_CONTENTS_BEGIN] = {"SELECT catalogue.contents_begin($1::text, $2::text)::text", 2},
	[ASK_CONTENTS_SHEET] = {"SELECT catalogue.contents_sheet($1::text, $2::text::bigint, "
							"$3::text::integer, $4::text, $5::text::boolean)::text",
							5},
	[ASK_CONTENTS_ADD] = {"SELECT catalogue.contents_add($1::text::bigint, $2::text::bigint, "
						  "$3::text::integer, $4::bytea)::text",
						  4},
	[ASK_CONTENTS_ISSUE] = {"SELECT catalogue.contents_issue($1::text::bigint, "
							"$2::text::integer, $3::text::bigint, $4::text)::text",
							4},
	[ASK_CONTENTS_SHEET_END] = {"SELECT catalogue.contents_sheet_end($1::text::bigint, "
								"$2::text::json)::text",
								2},
	[ASK_CONTENTS_PUBLISH] = {"SELECT catalogue.contents_publish($1::text, $2::text::bigint, "
							  "$3::text::bigint)::text",
							  3},
	[ASK_SHEETS] = {"SELECT catalogue.convert_sheets($1::text, $2::text::bigint)::text", 2},
	[ASK_ROWS] = {"SELECT catalogue.convert_rows($1::text::bigint, $2::text::bigint)", 2},
	[ASK_CONVERTED] = {"SELECT catalogue.convert_store($1::text, $2::text, $3::text::bigint, "
					   "$4::text::bigint)::text",
					   4},
	[ASK_REFUSED] = {"SELECT catalogue.convert_refuse($1::text, $2::text, $3::text::bigint, "
					 "$4::text)::text",
					 4},
	[ASK_MANIFEST] = {"SELECT catalogue.archive_manifest($1::text, $2::text)::text", 2},
	[ASK_ARCHIVE_STORE] = {"SELECT catalogue.archive_store($1::text, $2::text, $3::text, "
						   "$4::text::bigint)::text",
						   4},
	[ASK_FETCH_SERVICE] = {"SELECT catalogue.fetch_service($1::text, $2::text)::text", 2},
	[ASK_FETCH_STORE] = {"SELECT catalogue.fetch_store($1::text, $2::text, $3::text::bigint, "
						 "$4::text::jsonb)::text",
						 4},
	[ASK_FETCH_UNCHANGED] = {"SELECT catalogue.fetch_unchanged($1::text, $2::text, "
							 "$3::text::integer)::text",
							 3},
	[ASK_HARVEST_NEXT] = {"SELECT coalesce(catalogue.harvest_next($1::text, $2::text, "
						  "$3::bigint * interval '1 ms'), '')",
						  3},
	[ASK_HARVEST_DOCUMENT] = {"SELECT catalogue.harvest_document($1::text, $2::text, $3::text, "
							  "$4::bigint)::text",
							  4},
	[ASK_HARVEST_YIELD] = {"SELECT catalogue.harvest_yield($1::text, $2::text)::text", 2},
	[ASK_HARVEST_WITHOUT] = {"SELECT catalogue.harvest_without($1::text, $2::text, $3::text)::text",
							 3},
	[ASK_HARVEST_IMPORT] = {"SELECT catalogue.harvest_import($1::text, $2::text)::text", 2},
	[ASK_WEBHOOK_TAKE] = {"SELECT webhook, serial::text, message, url, secret "
						  "FROM catalogue.webhook_take($1::text, $2::text::integer, "
						  "$3::text::interval)",
						  3},
	[ASK_WEBHOOK_DONE] = {"SELECT catalogue.webhook_done($1::text, $2::text, "
						  "$3::text::bigint)::text",
						  3},
	[ASK_WEBHOOK_FAILED] = {"SELECT catalogue.webhook_failed($1::text, $2::text, "
							"$3::text::bigint, $4::text, $5::text::boolean)::text",
							5},
};

const char *
session_statement(Statement statement)
{
	return statements[statement].sql;
}

NumberText
session_number(int64_t number)
{
	NumberText text;

	snprintf(text.text, sizeof(text.text), "%lld", (long long) number);
	return text;
}

static void
keep_fault(Session *session, const char *state, const char *text)
{
	snprintf(session->state, sizeof(session->state), "%s", state ? state : "");
	snprintf(session->fault, sizeof(session->fault), "%s", text ? text : "out of memory");
	session->fault[strcspn(session->fault, "\n")] = '\0';
}

void
session_broken(Session *session)
{
	keep_fault(session, "",
			   session->pg == NULL						? "not connected"
			   : PQerrorMessage(session->pg)[0] != '\0' ? PQerrorMessage(session->pg)
														: "no answer in time");
}

bool
session_is_gone(const Session *session)
{
	return session->state[0] == '\0' || strncmp(session->state, "57P", 3) == 0 ||
		   strncmp(session->state, "08", 2) == 0;
}

bool
session_check(Session *session, const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_SINGLE_TUPLE ||
		status == PGRES_PIPELINE_SYNC)
		return true;
	keep_fault(session, PQresultErrorField(result, PG_DIAG_SQLSTATE),
			   PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
				   ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
				   : PQresultErrorMessage(result));
	return false;
}

/* Wait for the socket; false at the timeout. */
static bool
await(const Session *session, short events, int64_t until)
{
	return child_wait(PQsocket(session->pg), events, until);
}

static bool
connected(Session *session)
{
	int64_t end = clock_now() + CONNECT_TIMEOUT;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	while (PQstatus(session->pg) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
		   status != PGRES_POLLING_FAILED)
	{
		if (!await(session, status == PGRES_POLLING_READING ? POLLIN : POLLOUT, end))
			return false;
		status = PQconnectPoll(session->pg);
	}
	return status == PGRES_POLLING_OK && PQsetnonblocking(session->pg, 1) == 0;
}

/*
 * Without a connection setting of its own the worker uses that of the shim with its own role:
 * parameters after dbname override those inside it.
 */
bool
session_open(Session *session, const Settings *settings, int64_t limit)
{
	static const char options[] = "-c search_path=pg_catalog,pg_temp -c jit=off"
								  " -c client_connection_check_interval=1s";
	bool own = settings->worker_database[0] != '\0';
	const char *names[] = {"dbname",  "fallback_application_name", "client_encoding",
						   "options", own ? NULL : "user",		   NULL};
	const char *values[] = {own ? settings->worker_database : settings->database,
							"catalogue-worker",
							"UTF8",
							options,
							own ? NULL : "catalogue_worker",
							NULL};

	*session = (Session){.settings = settings, .limit = limit};
	session->pg = PQconnectStartParams(names, values, 1);
	if (session->pg != NULL && connected(session))
		return true;
	session_broken(session);
	session_close(session);
	return false;
}

void
session_close(Session *session)
{
	PQfinish(session->pg);
	session->pg = NULL;
	session->ready = 0;
}

void
session_leave(Session *session)
{
	int nowhere;

	if (session->pg == NULL)
		return;
	nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (nowhere < 0 || dup2(nowhere, PQsocket(session->pg)) < 0)
		_exit(EXIT_FAILURE);
	close(nowhere);
	session_close(session);
}

/* Flush the output buffer of libpq; false at the timeout. */
static bool
flush_all(Session *session, int64_t until)
{
	int rest;

	while ((rest = PQflush(session->pg)) > 0)
	{
		/* the server may wait for us to read before it reads more */
		if (!await(session, POLLIN | POLLOUT, until) || !PQconsumeInput(session->pg))
			return false;
	}
	return rest == 0;
}

PGresult *
session_receive(Session *session)
{
	int64_t until = clock_now() + session->limit;
	PGresult *result = NULL;
	bool good = flush_all(session, until);

	while (good && PQisBusy(session->pg))
		good = await(session, POLLIN, until) && PQconsumeInput(session->pg);
	if (good)
		result = PQgetResult(session->pg);
	if (result == NULL)
		session_broken(session);
	return result;
}

/* Receive the first result of a statement and discard the others; NULL on an error. */
static PGresult *
receive_all(Session *session)
{
	PGresult *first = session_receive(session);
	PGresult *more;

	if (first == NULL)
		return NULL;
	while ((more = session_receive(session)) != NULL)
		PQclear(more);
	if (session_check(session, first) && PQstatus(session->pg) == CONNECTION_OK)
		return first;
	if (PQstatus(session->pg) != CONNECTION_OK)
		session_broken(session);
	PQclear(first);
	return NULL;
}

bool
session_prepare(Session *session, Statement statement)
{
	uint64_t bit = (uint64_t) 1 << statement;
	PGresult *result;

	if (session->ready & bit)
		return true;
	if (session->pg == NULL || !PQsendPrepare(session->pg, session_number(statement).text,
											  statements[statement].sql, 0, NULL))
	{
		session_broken(session);
		return false;
	}
	result = receive_all(session);
	PQclear(result);
	if (result != NULL)
		session->ready |= bit;
	return result != NULL;
}

bool
session_send(Session *session, Statement statement, const Value *values)
{
	const char *data[5];
	int lengths[5];
	int formats[5];
	int count = statements[statement].count;

	for (int i = 0; i < count; i++)
	{
		data[i] = values[i].data;
		lengths[i] = (int) values[i].length;
		formats[i] = values[i].binary;
	}
	if (PQsendQueryPrepared(session->pg, session_number(statement).text, count, data, lengths,
							formats, RESULT_BINARY))
		return true;
	session_broken(session);
	return false;
}

PGresult *
session_ask(Session *session, Statement statement, const Value *values)
{
	if (!session_prepare(session, statement) || !session_send(session, statement, values))
		return NULL;
	return receive_all(session);
}

bool
session_do(Session *session, Statement statement, const Value *values)
{
	PGresult *result = session_ask(session, statement, values);

	PQclear(result);
	return result != NULL;
}

char *
session_text(Session *session, Statement statement, const Value *values)
{
	PGresult *result = session_ask(session, statement, values);
	char *text = NULL;

	if (result == NULL)
		return NULL;
	if (PQntuples(result) == 1 && !PQgetisnull(result, 0, 0))
		text = strdup(PQgetvalue(result, 0, 0));
	else
		keep_fault(session, "02000", "no such record");
	PQclear(result);
	return text;
}
