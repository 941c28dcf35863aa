/*
 * main.c - the command line of catalogue-shim.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "shim.h"

static int
serve(Settings *settings)
{
	LogLevel level = LOG_INFO;
	bool served;

	log_level_named(settings->log_level, &level);
	settings->log = log_open(settings->log_directory, settings->environment, level);
	if (settings->log == NULL)
		return EXIT_FAILURE;
	served = server_run(settings);
	log_close(settings->log);
	return served ? EXIT_SUCCESS : EXIT_FAILURE;
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

	while ((option = getopt_long(count, arguments, "", options, NULL)) != -1)
	{
		if (option == 'h')
		{
			config_help();
			return EXIT_SUCCESS;
		}
		if (option == 'v')
		{
			printf("catalogue-shim %s\n", SHIM_VERSION);
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
	if (!config_load(&settings, file))
		status = EXIT_FAILURE;
	else
		status = check ? check_run(&settings) : serve(&settings);
	config_free(&settings);
	return status;
}
