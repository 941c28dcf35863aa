/*
 * command.h - the command line of a program that reads one file in the sandbox.
 */
#ifndef WORKER_SANDBOX_COMMAND_H
#define WORKER_SANDBOX_COMMAND_H

#include "sandbox/sandbox.h"

/* A format that --parse names. */
typedef struct Reader
{
	void (*read)(Parse *parse);
	/* called before the sandbox is entered; NULL: nothing to prepare */
	void (*prepare)(const Options *options);
} Reader;

typedef struct ReaderCommand
{
	const char *program;
	const Reader *readers; /* by FileReader; those without a function belong to another program */
	size_t count;
	uint64_t memory;		/* of a library, see sandbox_enter() */
	const Systems *systems; /* NULL: the program converts no coordinates */
} ReaderCommand;

/* Read a file as the child; the arguments are those after --parse. */
extern int command_run(const ReaderCommand *command, int count, char **arguments);
/* Write all bytes to a descriptor that waits. */
extern bool command_write_all(int file, const char *data, size_t length);

#endif
