/*
 * usage.c - how much of the connections is in use, for the metrics.
 */
#include "database/connection_internal.h"

static UsageState
state_of(const PgConnection *connection)
{
	if (connection->state != PG_READY)
		return USAGE_DOWN;
	return connection->flight.first != NULL ? USAGE_BUSY : USAGE_IDLE;
}

DatabaseUsage
database_usage(const Database *database, bool shared)
{
	DatabaseUsage usage = {0};

	for (int i = 0; i < database->connections; i++)
		if (database->connection[i].shared == shared)
			usage.connections[state_of(&database->connection[i])]++;
	for (QueueName name = 0; name < QUEUES; name++)
		if ((name == QUEUE_SHARED) == shared)
			usage.waiting += database->waiting[name].length;
	return usage;
}
