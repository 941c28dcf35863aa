/*
 * main.c - the command line of catalogue-worker, which catalogue-shim --worker becomes.
 *
 * The options --parse and --draw are those of its own processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "objects/objects.h"
#include "sandbox/sandbox.h"
#include "supervisor/supervisor.h"

static void
help(void)
{
	printf(
		"catalogue-worker does the work of the data catalogue that nobody waits for: it reads\n"
		"files, has them scanned, makes archives and workbooks.\n\n"
		"Usage:\n"
		"  catalogue-worker [OPTION]...\n\n"
		"Options:\n"
		"  --config FILE  read settings from a JSON file; the environment goes before it\n"
		"  --check        verify the settings, the database and the object store, then end\n"
		"  --health       fail unless a worker of this host has asked for jobs in the last minute\n"
		"  --once         do what is to be done now, then end\n"
		"  --move         move all bytes of files as store_bytes says, then end\n"
		"  --fetch URL    send a request as jobs do, and print the answer; with --header LINE\n"
		"                 and --body TEXT, which is posted\n"
		"  --help         show this help, then end\n"
		"  --version      show the version, then end\n\n"
		"Settings are those of catalogue-shim, see catalogue-shim --help.\n"
		"Signals: SIGTERM, SIGINT give the jobs in hand back and end the program; SIGHUP opens\n"
		"the log file anew.\n");
}

/* Reserve descriptors 0 to 2, so that nothing that is opened later gets them. */
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

/* Forbid other processes to trace this one. */
static void
hide(void)
{
#if !defined(__SANITIZE_ADDRESS__)
	/* no core dumps either, which would contain the password of the connection */
	prctl(PR_SET_DUMPABLE, 0);
#endif
}

/* The options of the command line. */
typedef struct Command
{
	const char *file; /* configuration file; NULL: none */
	bool check;
	bool health;
	bool once;
	bool move;
	bool ended; /* the program ends with this status */
	int status;
	FetchCommand fetch;
} Command;

static int
work(Settings *settings, const Command *command)
{
	LogLevel level = LOG_INFO;
	bool good;

	log_level_named(settings->log_level, &level);
	settings->log = log_open(settings->log_directory, settings->environment, level);
	if (settings->log == NULL)
		return EXIT_FAILURE;
	good = command->move ? objects_move(settings) : worker_run(settings, command->once);
	log_close(settings->log);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void
take_option(Command *command, int option)
{
	if (option == 'f')
		command->file = optarg;
	else if (option == 'u')
		command->fetch.url = optarg;
	else if (option == 'b')
		command->fetch.body = optarg;
	else if (option == 'a' && command->fetch.count < FETCH_HEADERS)
		command->fetch.headers[command->fetch.count++] = optarg;
	else if (option == 'c')
		command->check = true;
	else if (option == 'l')
		command->health = true;
	else if (option == 'o')
		command->once = true;
	else if (option == 'm')
		command->move = true;
	else
	{
		if (option == 'h')
			help();
		if (option == 'v')
			printf("catalogue-worker %s\n", SHIM_VERSION);
		command->ended = true;
		command->status = option == 'h' || option == 'v' ? EXIT_SUCCESS : EXIT_FAILURE;
	}
}

static void
read_command(Command *command, int count, char **arguments)
{
	static const struct option options[] = {{"config", required_argument, NULL, 'f'},
											{"check", no_argument, NULL, 'c'},
											{"health", no_argument, NULL, 'l'},
											{"once", no_argument, NULL, 'o'},
											{"move", no_argument, NULL, 'm'},
											{"fetch", required_argument, NULL, 'u'},
											{"header", required_argument, NULL, 'a'},
											{"body", required_argument, NULL, 'b'},
											{"help", no_argument, NULL, 'h'},
											{"version", no_argument, NULL, 'v'},
											{0}};
	int option;

	while (!command->ended && (option = getopt_long(count, arguments, "", options, NULL)) != -1)
		take_option(command, option);
	if (command->ended || optind >= count)
		return;
	fprintf(stderr, "catalogue-worker: unexpected argument \"%s\"\n", arguments[optind]);
	command->ended = true;
	command->status = EXIT_FAILURE;
}

/* Become the program that draws SVG as PNG, in a sandbox. */
static int
draw(void)
{
	char *arguments[] = {"rsvg-convert", "--width=1440", "--keep-aspect-ratio",
						 "--background-color=white", NULL};
	char *environment[] = {"LANG=C.UTF-8", NULL};
	const char *failure;

	/* it would open one for what is missing, to write */
	take_standard_files();
	fcntl(STDERR_FILENO, F_SETFD, 0);
	failure = sandbox_enter_program();
	if (failure == NULL)
		execve(PICTURE_PROGRAM, arguments, environment);
	fprintf(stderr, "catalogue-worker: pictures are not drawn: %s\n",
			failure != NULL ? failure : strerror(errno));
	return EXIT_FAILURE;
}

int
main(int count, char **arguments)
{
	Command command = {0};
	Settings settings;

	if (count > 1 && strcmp(arguments[1], "--parse") == 0)
		return parse_command_run(count - 2, arguments + 2);
	if (count > 1 && strcmp(arguments[1], "--draw") == 0)
		return draw();
	read_command(&command, count, arguments);
	if (command.ended)
		return command.status;
	take_standard_files();
	hide();
	command.status = EXIT_FAILURE;
	if (config_load(&settings, command.file))
		command.status = command.fetch.url != NULL ? parse_command_fetch(&settings, &command.fetch)
						 : command.check		   ? worker_check(&settings)
						 : command.health		   ? worker_check_health(&settings)
												   : work(&settings, &command);
	config_free(&settings);
	return command.status;
}
