/*
 * command.c - the command line of a program that reads one file in the sandbox.
 *
 * The exit status is 0 if the last frame is D or X, EXIT_FAILURE if the sandbox could not be
 * entered or the worker has exited.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../extension/base/parse_options.h"
#include "../../extension/files/file_types.h"
#include "sandbox/command.h"

bool
command_write_all(int file, const char *data, size_t length)
{
	while (length > 0)
	{
		ssize_t written = write(file, data, length);

		if (written < 0 && errno != EINTR)
			return false;
		if (written > 0)
		{
			data += written;
			length -= (size_t) written;
		}
	}
	return true;
}

static const Reader *
find_reader(const ReaderCommand *command, const char *name)
{
	for (size_t i = READER_NONE + 1; i < command->count; i++)
		if (command->readers[i].read != NULL && strcmp(file_readers[i].name, name) == 0)
			return &command->readers[i];
	return NULL;
}

/* No signal that is handled interrupts these. */
static ptrdiff_t
read_descriptor(Source *source, char *bytes, size_t size)
{
	(void) source;
	return read(STDIN_FILENO, bytes, size);
}

static ptrdiff_t
read_descriptor_at(Source *source, char *bytes, size_t size, uint64_t offset)
{
	(void) source;
	return pread(STDIN_FILENO, bytes, size, (off_t) offset);
}

static char *
map_descriptor(Source *source)
{
	void *bytes = mmap(NULL, source->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, STDIN_FILENO, 0);

	return bytes == MAP_FAILED ? NULL : bytes;
}

/* Without a worker nobody reads the frames: exit. */
static bool
write_descriptor(Source *source, const char *bytes, size_t length)
{
	(void) source;
	if (!command_write_all(STDOUT_FILENO, bytes, length))
		_exit(EXIT_FAILURE);
	return true;
}

static int
usage(const ReaderCommand *command)
{
	const char *bar = "";

	fprintf(stderr, "usage: %s --parse ", command->program);
	for (size_t i = READER_NONE + 1; i < command->count; i++)
		if (command->readers[i].read != NULL)
		{
			fprintf(stderr, "%s%s", bar, file_readers[i].name);
			bar = "|";
		}
	fprintf(stderr, "\n       [--size BYTES] [--rows NUMBER]\n");
	for (size_t i = 0; i < lengthof(parse_options); i++)
		fprintf(stderr, "       [--%s %s]\n", parse_options[i].name, parse_options[i].argument);
	return EXIT_FAILURE;
}

/* Parse the command line; return the reader, NULL if it is invalid. */
static const Reader *
read_arguments(const ReaderCommand *command, int count, char **arguments, Source *source,
			   Options *options)
{
	const Reader *reader = NULL;

	for (int i = 0; i < count; i++)
	{
		const char *value = i + 1 < count ? arguments[i + 1] : NULL;

		if (strncmp(arguments[i], "--", 2) != 0)
		{
			reader = find_reader(command, arguments[i]);
			continue;
		}
		if (value == NULL)
			return NULL;
		if (strcmp(arguments[i], "--size") == 0)
			source->size = strtoull(value, NULL, 10);
		else if (strcmp(arguments[i], "--rows") == 0)
			options->rows = strtoull(value, NULL, 10);
		else if (!parse_options_take(options, arguments[i] + 2, value))
			return NULL;
		i++;
	}
	return reader;
}

int
command_run(const ReaderCommand *command, int count, char **arguments)
{
	Source source = {read_descriptor, read_descriptor_at, write_descriptor, map_descriptor, 0};
	Options options = {.systems = command->systems};
	const Reader *reader = read_arguments(command, count, arguments, &source, &options);
	const char *failure;
	struct stat status;

	if (reader == NULL)
		return usage(command);
	/* what a library opens from here on stays open */
	closefrom(STDERR_FILENO + 1);
	if (fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode))
		source.size = (uint64_t) status.st_size;
	if (reader->prepare != NULL)
		reader->prepare(&options);
	failure = sandbox_enter(source.size, command->memory);
	if (failure != NULL)
	{
		fprintf(stderr, "%s: the sandbox does not close: %s\n", command->program, failure);
		return EXIT_FAILURE;
	}
	parse_file(&source, &options, reader->read);
	/* not exit(): exit handlers of libraries may use forbidden system calls */
	_exit(EXIT_SUCCESS);
}
