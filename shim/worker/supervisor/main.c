/*
 * main.c - the command line of catalogue-worker, which catalogue-shim --worker becomes.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/supervisor.h"

static void
help(void)
{
	printf("catalogue-worker does the work of the data catalogue that nobody waits for: it reads\n"
		   "files, has them scanned, makes archives and workbooks.\n\n"
		   "Usage:\n"
		   "  catalogue-worker [OPTION]...\n\n"
		   "Options:\n"
		   "  --config FILE  read settings from a JSON file; the environment goes before it\n"
		   "  --check        verify the settings and the database, then end\n"
		   "  --once         do what is to be done now, then end\n"
		   "  --help         show this help, then end\n"
		   "  --version      show the version, then end\n\n"
		   "Settings are those of catalogue-shim, see catalogue-shim --help.\n"
		   "Signals: SIGTERM, SIGINT give the jobs in hand back and end the program; SIGHUP opens\n"
		   "the log file anew.\n");
}

static int
work(Settings *settings, bool once)
{
	LogLevel level = LOG_INFO;
	bool good;

	log_level_named(settings->log_level, &level);
	settings->log = log_open(settings->log_directory, settings->environment, level);
	if (settings->log == NULL)
		return EXIT_FAILURE;
	good = worker_run(settings, once);
	log_close(settings->log);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Numbers 0 to 2 are not to be given to anything else that is opened. */
static void
take_standard_files(void)
{
	int file;

	do
		file = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (file >= 0 && file <= STDERR_FILENO);
	if (file >= 0)
		close(file);
}

int
main(int count, char **arguments)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'f'}, {"check", no_argument, NULL, 'c'},
		{"once", no_argument, NULL, 'o'},		  {"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'},	  {0}};
	const char *file = NULL;
	bool check = false;
	bool once = false;
	Settings settings;
	int option;
	int status = EXIT_FAILURE;

	if (count > 1 && strcmp(arguments[1], "--parse") == 0)
		return parse_run(count - 2, arguments + 2);
	while ((option = getopt_long(count, arguments, "", options, NULL)) != -1)
	{
		if (option == 'h')
			help();
		if (option == 'v')
			printf("catalogue-worker %s\n", SHIM_VERSION);
		if (option == 'h' || option == 'v')
			return EXIT_SUCCESS;
		if (option == '?')
			return EXIT_FAILURE;
		if (option == 'f')
			file = optarg;
		check |= option == 'c';
		once |= option == 'o';
	}
	if (optind < count)
	{
		fprintf(stderr, "catalogue-worker: unexpected argument \"%s\"\n", arguments[optind]);
		return EXIT_FAILURE;
	}
	take_standard_files();
	worker_hide();
	if (config_load(&settings, file))
		status = check ? worker_check(&settings) : work(&settings, once);
	config_free(&settings);
	return status;
}
