/*
 * connect.c - the beginning of connections, and the order in which the hosts of a connection string are asked.
 *
 * libpq asks them one after the other, and asks no further one while one does not answer at all.  So the attempt after
 * it begins with the host behind that one.
 */
#include "database/connection_internal.h"

#define HOST_LISTS 3

/* What has a value for each host, or one for all. */
static const char *const lists[HOST_LISTS] = {"host", "hostaddr", "port"};

static int
length_of(const char *list)
{
	int length = 1;

	for (; (list = strchr(list, ',')) != NULL; list++)
		length++;
	return length;
}

/* The element of a list that has this number, where the list begins again behind its end. */
static const char *
element(const char *list, int number)
{
	for (number %= length_of(list); number > 0; number--)
		list = strchr(list, ',') + 1;
	return list;
}

static bool
is_element(const char *list, int number, const char *text)
{
	const char *found = element(list, number);
	size_t length = strcspn(found, ",");

	return strlen(text) == length && memcmp(found, text, length) == 0;
}

/* The list from an element on, with those before it at its end; NULL: there is no memory. */
static char *
list_from(const char *list, int number)
{
	const char *begin = element(list, number);
	char *text = NULL;
	int before = begin == list ? 0 : (int) (begin - list) - 1;

	if (asprintf(&text, "%s%s%.*s", begin, before > 0 ? "," : "", before, list) < 0)
		return NULL;
	return text;
}

/* The value of an option; NULL: it has none. */
static const char *
option_of(const PQconninfoOption *options, const char *name)
{
	for (; options != NULL && options->keyword != NULL; options++)
		if (strcmp(options->keyword, name) == 0)
			return options->val != NULL && options->val[0] != '\0' ? options->val : NULL;
	return NULL;
}

/* The lists of a connection string from the host of this number on, for the caller to free; NULL: there is none. */
static void
hosts_from(const char *conninfo, int first, char *values[HOST_LISTS])
{
	PQconninfoOption *options = PQconninfoParse(conninfo, NULL);

	for (int i = 0; i < HOST_LISTS; i++)
	{
		const char *list = option_of(options, lists[i]);

		values[i] = list != NULL ? list_from(list, first) : NULL;
	}
	PQconninfoFree(options);
}

PGconn *
connect_start(const Settings *settings, const char *conninfo, int first_host)
{
	char options[480];
	char *hosts[HOST_LISTS] = {NULL};
	const char *names[] = {
		"dbname", "options", "fallback_application_name", "client_encoding", "host", "hostaddr",
		"port",	  NULL};
	const char *values[lengthof(names)] = {conninfo, options, "catalogue-shim", "UTF8"};
	PGconn *pg;
	long long limit = (long long) settings->call_timeout;

	snprintf(options, sizeof(options),
			 "-c statement_timeout=%lld -c lock_timeout=%lld"
			 " -c idle_in_transaction_session_timeout=%lld -c search_path=pg_catalog,pg_temp"
			 " -c client_connection_check_interval=1s -c jit=off -c DateStyle=ISO"
			 " -c IntervalStyle=postgres -c extra_float_digits=1 -c bytea_output=hex"
			 " -c catalogue.log_refusals=off",
			 limit, limit * 2 / 5 + 1, limit * 2);
	if (first_host > 0)
		hosts_from(conninfo, first_host, hosts);
	for (int i = 0; i < HOST_LISTS; i++)
		values[lengthof(names) - 1 - HOST_LISTS + i] = hosts[i];
	pg = PQconnectStartParams(names, values, 1);
	for (int i = 0; i < HOST_LISTS; i++)
		free(hosts[i]);
	return pg;
}

int
connect_next_host(PGconn *pg, int first)
{
	PQconninfoOption *options = PQconninfo(pg);
	const char *hosts = option_of(options, "host");
	const char *ports = option_of(options, "port");
	int behind = first;

	if (hosts == NULL)
		hosts = option_of(options, "hostaddr");
	for (int i = 0; hosts != NULL && behind == first && i < length_of(hosts); i++)
		if (length_of(hosts) > 1 && is_element(hosts, i, PQhost(pg)) &&
			(ports == NULL || is_element(ports, i, PQport(pg))))
			behind = first + i + 1;
	PQconninfoFree(options);
	return behind;
}
