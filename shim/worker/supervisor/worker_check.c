/*
 * worker_check.c - what catalogue-worker tells of its settings, its database, and a worker that runs.
 */
#include "base/object_store.h"
#include "supervisor/supervisor.h"

#define ANSWER_LIMIT 10000 /* timeout of a statement in milliseconds */

int
worker_check(const Settings *settings)
{
	Session session;
	bool good = session_open(&session, settings, ANSWER_LIMIT);

	printf("settings: good\n");
	if (good)
		printf("database: \"%s\" as \"%s\", PostgreSQL %s\n", PQdb(session.pg), PQuser(session.pg),
			   PQparameterStatus(session.pg, "server_version"));
	else
		printf("database: %s\n", session.fault);
	for (int i = 0; session.pg != NULL && i < STATEMENTS; i++)
	{
		if (session_prepare(&session, i))
			continue;
		printf("statement %s: %s\n", session_statement(i), session.fault);
		good = false;
	}
	if (good && !(session_true(&session, ASK_ALLOWED, NULL, &good) && good))
		printf("database: \"%s\" may not do jobs: connect as catalogue_worker\n",
			   PQuser(session.pg));
	session_close(&session);
	good &= object_store_check(settings, true);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
worker_check_health(const Settings *settings)
{
	Session session;
	bool alive = false;
	bool good = session_open(&session, settings, ANSWER_LIMIT) &&
				session_true(&session, ASK_ALIVE, NULL, &alive);

	printf("worker: %s\n", !good   ? session.fault
						   : alive ? "alive"
								   : "none of this host has asked for jobs in the last minute");
	session_close(&session);
	return alive ? EXIT_SUCCESS : EXIT_FAILURE;
}
