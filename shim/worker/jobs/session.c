/*
 * session.c - a connection to PostgreSQL, and its statements.
 *
 * Every wait has a timeout: a server process that was stopped neither answers nor closes the
 * connection.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <unistd.h>

#include "jobs/jobs_internal.h"

#define CONNECT_TIMEOUT 5000 /* milliseconds */

#define ARGUMENTS_0 ""
#define ARGUMENTS_1 "$1"
#define ARGUMENTS_2 "$1, $2"
#define ARGUMENTS_3 "$1, $2, $3"
#define ARGUMENTS_4 "$1, $2, $3, $4"
#define ARGUMENTS_5 "$1, $2, $3, $4, $5"

static const struct
{
	const char *sql;
	int count; /* of parameters */
} statements[STATEMENTS] = {
#define STATEMENT(name, sql, count) [ASK_##name] = {sql, count},
#define CALL(name, function, count) \
	STATEMENT(name, "SELECT catalogue." function "(" ARGUMENTS_##count ")::text", count)
#include "jobs/statements.h"
#undef STATEMENT
#undef CALL
};

const char *
session_statement(Statement statement)
{
	return statements[statement].sql;
}

int
session_parameters(Statement statement)
{
	return statements[statement].count;
}

Value
session_number(int64_t number)
{
	Value value = {0};

	snprintf(value.number, sizeof(value.number), "%lld", (long long) number);
	return value;
}

void
session_fault(Session *session, const char *sqlstate, const char *text)
{
	snprintf(session->sqlstate, sizeof(session->sqlstate), "%s", sqlstate ? sqlstate : "");
	snprintf(session->fault, sizeof(session->fault), "%s", text ? text : "out of memory");
	session->fault[strcspn(session->fault, "\n")] = '\0';
}

void
session_broken(Session *session)
{
	session_fault(session, "",
				  session->pg == NULL					   ? "not connected"
				  : PQerrorMessage(session->pg)[0] != '\0' ? PQerrorMessage(session->pg)
														   : "no answer in time");
}

bool
session_is_gone(const Session *session)
{
	return session->sqlstate[0] == '\0' || strncmp(session->sqlstate, "57P", 3) == 0 ||
		   strncmp(session->sqlstate, "08", 2) == 0;
}

/* Record the error of a result; true if it has none. */
static bool
session_check(Session *session, const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return true;
	session_fault(session, PQresultErrorField(result, PG_DIAG_SQLSTATE),
				  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
					  ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
					  : PQresultErrorMessage(result));
	return false;
}

static bool
connected(Session *session)
{
	int64_t end = clock_now() + CONNECT_TIMEOUT;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	while (PQstatus(session->pg) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
		   status != PGRES_POLLING_FAILED)
	{
		if (!child_wait(PQsocket(session->pg), status == PGRES_POLLING_READING ? POLLIN : POLLOUT,
						end))
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
	memset(session->ready, 0, sizeof(session->ready));
}

/* Flush the output buffer of libpq; false at the timeout. */
static bool
flush_all(Session *session, int64_t until)
{
	int rest;

	while ((rest = PQflush(session->pg)) > 0)
	{
		/* the server may wait for us to read before it reads more */
		if (!child_wait(PQsocket(session->pg), POLLIN | POLLOUT, until) ||
			!PQconsumeInput(session->pg))
			return false;
	}
	return rest == 0;
}

/* Wait for the next result of a statement; NULL at the end of them, or at the timeout. */
static PGresult *
receive(Session *session)
{
	int64_t until = clock_now() + session->limit;
	bool good = flush_all(session, until);

	while (good && PQisBusy(session->pg))
		good = child_wait(PQsocket(session->pg), POLLIN, until) && PQconsumeInput(session->pg);
	return good ? PQgetResult(session->pg) : NULL;
}

/* Receive the first result of a statement and discard the others; NULL on an error. */
static PGresult *
receive_all(Session *session)
{
	PGresult *first = receive(session);
	PGresult *more;

	while (first != NULL && (more = receive(session)) != NULL)
		PQclear(more);
	if (first == NULL || PQstatus(session->pg) != CONNECTION_OK)
		session_broken(session);
	else if (session_check(session, first))
		return first;
	PQclear(first);
	return NULL;
}

bool
session_prepare(Session *session, Statement statement)
{
	PGresult *result;

	if (session->ready[statement])
		return true;
	if (session->pg == NULL || !PQsendPrepare(session->pg, session_number(statement).number,
											  statements[statement].sql, 0, NULL))
	{
		session_broken(session);
		return false;
	}
	result = receive_all(session);
	PQclear(result);
	session->ready[statement] = result != NULL;
	return result != NULL;
}

PGresult *
session_ask(Session *session, Statement statement, const Value *values)
{
	const char *data[5];
	int lengths[5];
	int formats[5];
	int count = values != NULL ? statements[statement].count : 0;

	for (int i = 0; i < count; i++)
	{
		data[i] = values[i].number[0] != '\0' ? values[i].number : values[i].data;
		lengths[i] = (int) values[i].length;
		formats[i] = values[i].binary;
	}
	if (!session_prepare(session, statement))
		return NULL;
	if (PQsendQueryPrepared(session->pg, session_number(statement).number, count, data, lengths,
							formats, RESULT_BINARY))
		return receive_all(session);
	session_broken(session);
	return NULL;
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
		session_fault(session, "02000", "no such record");
	PQclear(result);
	return text;
}

bool
session_true(Session *session, Statement statement, const Value *values, bool *is_true)
{
	char *text = session_text(session, statement, values);
	bool good = text != NULL;

	*is_true = good && strcmp(text, "true") == 0;
	free(text);
	return good;
}
