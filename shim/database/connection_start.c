/*
 * connection_start.c - how a session of the shim is set up, on whichever server it is.
 */
#include <stdio.h>

#include "database/database.h"

PGconn *
connection_start(const Settings *settings)
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
			 " -c IntervalStyle=postgres -c extra_float_digits=1 -c bytea_output=hex"
			 " -c catalogue.log_refusals=off",
			 limit, limit * 2 / 5 + 1, limit * 2);
	return PQconnectStartParams(names, values, 1);
}
