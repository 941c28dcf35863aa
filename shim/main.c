/*
 * main.c - the command line of catalogue-shim, and its option --check.
 */
#include <errno.h>
#include <getopt.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "answer/answer.h"
#include "base/object_store.h"
#include "database/clients.h"
#include "database/reply.h"
#include "log/log.h"
#include "metrics/metrics.h"
#include "net/net.h"
#include "page/words.h"

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

static void
print_pooler(void)
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
	bool good = call_reply_of_result(result, &reply) && reply.data != NULL;

	printf("health: %s\n", good ? reply.data : PQresultErrorMessage(result));
	PQclear(result);
	return good;
}

/* Check the database of a setting. */
static bool
check_database(const Settings *settings, const char *name, const char *conninfo)
{
	PGconn *pg = connect_start(settings, conninfo, 0);
	bool good = pg != NULL && connected(pg);

	if (good)
	{
		bool direct = is_direct(pg);

		printf("%s: \"%s\" as \"%s\", PostgreSQL %s\n", name, PQdb(pg), PQuser(pg),
			   PQparameterStatus(pg, "server_version"));
		if (!direct)
			print_pooler();
		good = direct && calls_there(pg) && healthy(pg);
	}
	else
	{
		printf("%s: %s", name, pg ? PQerrorMessage(pg) : "out of memory\n");
		/* A pooler refuses the settings of the session, unless it is told to ignore them. */
		if (pg && strstr(PQerrorMessage(pg), "unsupported startup parameter") != NULL)
			print_pooler();
	}
	PQfinish(pg);
	return good;
}

static int
check_run(const Settings *settings)
{
	bool good;

	printf("settings: good\n");
	good = check_database(settings, "database", settings->database);
	if (settings->read_database[0] != '\0')
		good &= check_database(settings, "read_database", settings->read_database);
	good &= object_store_check(settings, false);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Connect to the port of the settings; -1: nothing listens there. */
static int
connect_to(const Settings *settings)
{
	static const struct timeval patience = {.tv_sec = CONNECT_TIMEOUT / 1000};
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
							 .ai_socktype = SOCK_STREAM};
	struct addrinfo *address = NULL;
	char port[16];
	int server = -1;

	snprintf(port, sizeof(port), "%d", (int) settings->port);
	/* Linux takes an address that stands for all of them, such as 0.0.0.0, as that of this host */
	if (getaddrinfo(settings->address, port, &hints, &address) == 0)
		server = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (server >= 0 && (setsockopt(server, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) ||
						setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
						connect(server, address->ai_addr, address->ai_addrlen) != 0))
	{
		close(server);
		server = -1;
	}
	freeaddrinfo(address);
	return server;
}

/* Perform --health: print the status that the shim which runs has; the exit status. */
static int
health_run(const Settings *settings)
{
	static const char request[] =
		"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	char line[sizeof("HTTP/1.1 200")] = "";
	int server = connect_to(settings);
	bool told = server >= 0 && send(server, request, sizeof(request) - 1, MSG_NOSIGNAL) > 0 &&
				recv(server, line, sizeof(line) - 1, MSG_WAITALL) == sizeof(line) - 1;

	printf("health: %s\n", told ? line + strlen("HTTP/1.1 ") : "no answer");
	if (server >= 0)
		close(server);
	return strcmp(line, "HTTP/1.1 200") == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define WORKER "catalogue-worker"

static int
serve(Settings *settings)
{
	LogLevel level = LOG_INFO;
	bool served;

	log_level_named(settings->log_level, &level);
	settings->log = log_open(settings->log_directory, settings->environment, level);
	if (settings->log == NULL)
		return EXIT_FAILURE;
	settings->metrics = metrics_open();
	served = settings->metrics != NULL && server_run(settings);
	metrics_close(settings->metrics);
	log_close(settings->log);
	return served ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Execute catalogue-worker: the one in the directory of this program, else that of PATH. */
static int
become_worker(char **arguments)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(WORKER));
	char *slash;

	arguments[0] = WORKER;
	path[length > 0 ? length : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash != NULL)
	{
		memcpy(slash + 1, WORKER, sizeof(WORKER));
		execv(path, arguments);
	}
	execvp(WORKER, arguments);
	fprintf(stderr, "catalogue-shim: could not start %s: %s\n", WORKER, strerror(errno));
	return EXIT_FAILURE;
}

/* Remove an option from the arguments; false: it is not there. */
static bool
take_option(char **arguments, const char *option)
{
	for (char **argument = arguments + 1; *argument != NULL; argument++)
	{
		if (strcmp(*argument, option) != 0)
			continue;
		do
			argument[0] = argument[1];
		while (*argument++ != NULL);
		return true;
	}
	return false;
}

int
main(int count, char **arguments)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'f'}, {"check", no_argument, NULL, 'c'},
		{"health", no_argument, NULL, 'l'},		  {"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'},	  {0}};
	const char *file = NULL;
	bool check = false;
	bool health = false;
	Settings settings;
	int option;
	int status;

	if (take_option(arguments, "--worker"))
		return become_worker(arguments);
	while ((option = getopt_long(count, arguments, "", options, NULL)) != -1)
	{
		if (option == 'h')
		{
			config_help();
			return EXIT_SUCCESS;
		}
		if (option == 'v')
		{
			printf("catalogue-shim %s\nlibmicrohttpd %s, built with %x.%x.%x\n", SHIM_VERSION,
				   MHD_get_version(), MHD_VERSION >> 24, MHD_VERSION >> 16 & 0xFF,
				   MHD_VERSION >> 8 & 0xFF);
			return EXIT_SUCCESS;
		}
		if (option == '?')
			return EXIT_FAILURE;
		if (option == 'f')
			file = optarg;
		check |= option == 'c';
		health |= option == 'l';
	}
	if (optind < count)
	{
		fprintf(stderr, "catalogue-shim: unexpected argument \"%s\"\n", arguments[optind]);
		return EXIT_FAILURE;
	}
	if (!mhd_compat_supported())
		return EXIT_FAILURE;
	if (!config_load(&settings, file) || !words_offer(&settings) || !cors_prepare(&settings) ||
		!config_has_secret(&settings))
		status = EXIT_FAILURE;
	else
		status = check ? check_run(&settings) : health ? health_run(&settings) : serve(&settings);
	config_free(&settings);
	return status;
}
