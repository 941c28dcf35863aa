/*
 * read_only.c - a database that can only be read: a standby, or a server on which an administrator
 * has switched writing off.
 *
 * Reads go on.  A standby that is promoted needs no other connection; but the connection may also
 * lead to the wrong server, so it is made again now and then, as long as writes are refused.
 */
#include <stdatomic.h>
#include <string.h>

#include "database/connection_internal.h"
#include "log/log.h"

#define KEPT 2000 /* milliseconds that a connection is used, at least, before it is made again */

/* Has the log an error of all connections of the program that is not over? */
static atomic_bool told;

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
read_only_found(PgConnection *connection)
{
	const Worker *worker = connection->database->worker;

	connection->misled = worker->now - connection->made_at >= KEPT;
	connection->broken |= connection->misled;
	if (!atomic_exchange(&told, true))
		log_event(worker->settings->log, LOG_ERROR, "database is read-only", "%s",
				  "writes are refused until it is a primary that accepts them");
}

void
read_only_over(const PgConnection *connection)
{
	if (atomic_load(&told) && is_writable(connection->pg) && atomic_exchange(&told, false))
		log_event(connection->database->worker->settings->log, LOG_INFO, "database is writable",
				  "backend %d", PQbackendPID(connection->pg));
}
