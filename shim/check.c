/*
 * check.c - the option --check: can the database be reached, and does it have all functions?
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database/reply.h"

#define CONNECT_TIMEOUT 5000 /* milliseconds */

/* Wait for the connection, at most CONNECT_TIMEOUT. */
static bool
connected(PGconn *pg)
{
	int64_t end = clock_now() + CONNECT_TIMEOUT;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	while (PQstatus(pg) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
		   status != PGRES_POLLING_FAILED && clock_now() < end)
	{
		struct pollfd wait = {.fd = PQsocket(pg),
							  .events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT};

		poll(&wait, 1, (int) (end - clock_now()));
		status = PQconnectPoll(pg);
	}
	return status == PGRES_POLLING_OK;
}

/* Is the session PostgreSQL's own?  A pooler such as PgBouncer gives another process id. */
static bool
is_direct(PGconn *pg)
{
	PGresult *result = PQexec(pg, "SELECT pg_backend_pid()");
	bool own =
		PQntuples(result) == 1 && strtol(PQgetvalue(result, 0, 0), NULL, 10) == PQbackendPID(pg);

	PQclear(result);
	return own;
}

/* A pooler refuses the settings of the session, unless it is told to ignore them. */
static bool
is_refused_by_pooler(PGconn *pg)
{
	return strstr(PQerrorMessage(pg), "unsupported startup parameter") != NULL;
}

static void
tell_pooler(void)
{
	printf("pooler: a session of a pooler such as PgBouncer does not keep what the service sets "
		   "and prepares: connect to PostgreSQL itself\n");
}

/* Do all functions exist, with the arguments that the calls have? */
static bool
calls_there(PGconn *pg)
{
	bool all = true;

	for (int i = 0; i < CALL_NAMES; i++)
	{
		char text[160];
		PGresult *result;

		if (call_specs[i].function == NULL)
			continue;
		call_statement(&call_specs[i], text, sizeof(text));
		result = PQprepare(pg, call_specs[i].function, text, 0, NULL);
		if (PQresultStatus(result) != PGRES_COMMAND_OK)
		{
			printf("call %s: %s", call_specs[i].function, PQresultErrorMessage(result));
			all = false;
		}
		PQclear(result);
	}
	return all;
}

static bool
healthy(PGconn *pg)
{
	PGresult *result =
		PQexecPrepared(pg, call_specs[CALL_HEALTH].function, 0, NULL, NULL, NULL, RESULT_BINARY);
	Reply reply;
	bool good = reply_of_result(result, &reply) && reply.data != NULL;

	printf("health: %s\n", good ? reply.data : PQresultErrorMessage(result));
	PQclear(result);
	return good;
}

int
check_run(const Settings *settings)
{
	PGconn *pg = connection_start(settings);
	bool good = pg != NULL && connected(pg);

	printf("settings: good\n");
	if (good)
	{
		bool direct = is_direct(pg);

		printf("database: \"%s\" as \"%s\", PostgreSQL %s\n", PQdb(pg), PQuser(pg),
			   PQparameterStatus(pg, "server_version"));
		if (!direct)
			tell_pooler();
		good = direct && calls_there(pg) && healthy(pg);
	}
	else
	{
		printf("database: %s", pg ? PQerrorMessage(pg) : "out of memory\n");
		if (pg && is_refused_by_pooler(pg))
			tell_pooler();
	}
	PQfinish(pg);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
