/*
 * main.c - the command line of catalogue-shim.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "database/clients.h"
#include "log/log.h"
#include "metrics/metrics.h"
#include "net/net.h"

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
	static const struct option options[] = {{"config", required_argument, NULL, 'f'},
											{"check", no_argument, NULL, 'c'},
											{"help", no_argument, NULL, 'h'},
											{"version", no_argument, NULL, 'v'},
											{0}};
	const char *file = NULL;
	bool check = false;
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
	}
	if (optind < count)
	{
		fprintf(stderr, "catalogue-shim: unexpected argument \"%s\"\n", arguments[optind]);
		return EXIT_FAILURE;
	}
	if (!mhd_compat_supported())
		return EXIT_FAILURE;
	if (!config_load(&settings, file) || !config_has_secret(&settings))
		status = EXIT_FAILURE;
	else
		status = check ? check_run(&settings) : serve(&settings);
	config_free(&settings);
	return status;
}
