/*
 * sqlstate.c - what an SQLSTATE means for the call and for the client; databases that can only be read.
 */

#include "database/connection_internal.h"
#include "log/log.h"

/*
 * ---- A database that can only be read ----
 *
 * Reads go on.  A standby that is promoted needs no other connection; but the connection may also
 * lead to the wrong server, so it is made again now and then, as long as writes are refused.
 */

#define KEPT 2000 /* milliseconds that a connection is used, at least, before it is made again */

/* Has the log an error of all connections of the program that is not over? */
static atomic_bool reported;

/* Does the server report that the session may write? */
static bool
is_writable(PGconn *pg)
{
	static const char *const names[] = {"in_hot_standby", "default_transaction_read_only"};

	for (size_t i = 0; i < lengthof(names); i++)
	{
		const char *value = PQparameterStatus(pg, names[i]);

		if (value != NULL && strcmp(value, "off") != 0)
			return false;
	}
	return true;
}

void
sqlstate_read_only_found(PgConnection *connection)
{
	const HttpThread *thread = connection->database->thread;

	connection->misled = thread->now - connection->made_at >= KEPT;
	connection->broken |= connection->misled;
	if (!atomic_exchange(&reported, true))
		log_event(thread->settings->log, LOG_ERROR, "database is read-only", "%s",
				  "writes are refused until it is a primary that accepts them");
}

void
sqlstate_read_only_over(const PgConnection *connection)
{
	if (atomic_load(&reported) && is_writable(connection->pg) && atomic_exchange(&reported, false))
		log_event(connection->database->thread->settings->log, LOG_INFO, "database is writable",
				  "backend %d", PQbackendPID(connection->pg));
}

/* SQLSTATE, or its beginning; the first row that matches decides. */
static const struct
{
	const char *sqlstate;
	bool body;			/* only for calls with a body, which is the cause then */
	const char *source; /* only if raised by this function of PostgreSQL; NULL: any */
	Outcome outcome;
	int status;
} sqlstates[] = {
	{"OD", false, NULL, OUTCOME_ANSWER, 0},
	{"22P02", true, NULL, OUTCOME_ANSWER, 400},
	{"22P05", true, NULL, OUTCOME_ANSWER, 400},
	{"22021", true, NULL, OUTCOME_ANSWER, 400},
	{"22032", true, NULL, OUTCOME_ANSWER, 400},
	{"22030", true, NULL, OUTCOME_ANSWER, 400},
	{"54001", true, NULL, OUTCOME_ANSWER, 400},
	{"22", false, NULL, OUTCOME_ANSWER, 400},
	{"23", false, NULL, OUTCOME_ANSWER, 400},
	{"40001", false, NULL, OUTCOME_RETRY, 503},
	{"40P01", false, NULL, OUTCOME_RETRY, 503},
	{"55P03", false, NULL, OUTCOME_ANSWER, 503},
	{"57014", false, NULL, OUTCOME_ANSWER, 503},
	{"53", false, NULL, OUTCOME_ANSWER, 503},
	{"57P", false, NULL, OUTCOME_BROKEN, 503},
	{"08", false, NULL, OUTCOME_BROKEN, 503},
	{"25006", false, NULL, OUTCOME_READ_ONLY, 503},
	{"25P03", false, NULL, OUTCOME_BROKEN, 503},
	{"26000", false, NULL, OUTCOME_BROKEN, 503},
	{"0A000", false, "RevalidateCachedQuery", OUTCOME_BROKEN, 503},
	{"0A000", false, "get_relation_info", OUTCOME_READ_ONLY,
	 503}, /* an unlogged table of a standby */
	{"42P01", false, NULL, OUTCOME_BROKEN, 503},
	{SQLSTATE_UNKNOWN_FUNCTION, false, NULL, OUTCOME_BROKEN, 503},
	{"3F000", false, NULL, OUTCOME_BROKEN, 503},
	{"", false, NULL, OUTCOME_ANSWER, 500},
};

SqlState
sqlstate_of(const PGresult *result, bool body)
{
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *source = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
	size_t i = sqlstate != NULL ? 0 : lengthof(sqlstates) - 1;

	/* the last row matches every error */
	while (i + 1 < lengthof(sqlstates) &&
		   (strncmp(sqlstate, sqlstates[i].sqlstate, strlen(sqlstates[i].sqlstate)) != 0 ||
			(sqlstates[i].body && !body) ||
			(sqlstates[i].source != NULL &&
			 (source == NULL || strcmp(source, sqlstates[i].source) != 0))))
		i++;
	return (SqlState){sqlstates[i].outcome, sqlstates[i].status, sqlstates[i].body};
}

Outcome
sqlstate_outcome(const PGresult *result)
{
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return OUTCOME_ANSWER;
	/* an error without SQLSTATE was raised by libpq: the connection is gone */
	if (PQresultErrorField(result, PG_DIAG_SQLSTATE) == NULL)
		return OUTCOME_BROKEN;
	return sqlstate_of(result, false).outcome;
}
