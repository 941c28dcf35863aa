/*
 * parse.c - catalogue-worker --parse FORM [--size BYTES] [OPTION VALUE]...: bytes of a file on
 * descriptor 0 become frames on descriptor 1.
 *
 * The exit status is 0 when the frames end with D or X, EXIT_FAILURE when the sandbox did not close
 * or the worker is gone.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "book.h"

static const Reader readers[] = {
	{"csv", csv_read, encoding_prepare},
	{"xlsx", xlsx_read, NULL},
	{"ods", ods_read, NULL},
	{"xls", xls_read, xls_prepare},
};

const Reader *
parse_reader(const char *name)
{
	for (size_t i = 0; i < lengthof(readers); i++)
		if (strcmp(readers[i].name, name) == 0)
			return &readers[i];
	return NULL;
}

void
parse_refuse(Parse *parse, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(parse->reason, sizeof(parse->reason), format, arguments);
	va_end(arguments);
	longjmp(*parse->refused, 1);
}

void
parse_refuse_file(Parse *parse, const char *reason)
{
	parse->ended = true;
	parse_refuse(parse, "%s", reason);
}

bool
parse_try(Parse *parse, void (*read)(void *data), void *data)
{
	jmp_buf *const outer = parse->refused;
	jmp_buf inner;
	volatile bool done = false;

	parse->refused = &inner;
	if (setjmp(inner) == 0)
	{
		read(data);
		done = true;
	}
	parse->refused = outer;
	if (parse->ended)
		longjmp(*outer, 1);
	return done;
}

size_t
parse_read(Parse *parse, char *bytes, size_t size)
{
	ptrdiff_t got = parse->source->read(parse->source, bytes, size);

	if (got < 0)
		parse_refuse_file(parse, "the bytes of the file could not be read");
	parse->taken += (uint64_t) got;
	return (size_t) got;
}

void
parse_progress(Parse *parse)
{
	if (parse->taken - parse->told < PROGRESS_STEP)
		return;
	parse->told = parse->taken;
	frame_number(frame_begin(parse, FRAME_PROGRESS), parse->taken, 8);
	frame_send(parse);
}

void
parse_check_magic(Parse *parse, const char *bytes, size_t length)
{
	static const struct
	{
		const char *bytes;
		size_t length;
		const char *what;
	} magics[] = {
		{"PK\x03\x04", 4, "a ZIP archive or a workbook in one"},
		{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8, "a document of an old Office"},
		{"%PDF-", 5, "a PDF document"},
		{"\x1F\x8B", 2, "compressed with gzip"},
		{"\x89PNG", 4, "an image"},
		{"\xFF\xD8\xFF", 3, "an image"},
		{"GIF8", 4, "an image"},
		{"SQLite format 3", 16, "a database"},
		{"7z\xBC\xAF\x27\x1C", 6, "an archive"},
		{"Rar!", 4, "an archive"},
	};

	for (size_t i = 0; i < lengthof(magics); i++)
		if (length >= magics[i].length && memcmp(bytes, magics[i].bytes, magics[i].length) == 0)
			parse_refuse(parse, "the file is not what its name says: it is %s", magics[i].what);
}

/* Write how the reading ended; nobody is told when that fails as well. */
static void
tell_end(Parse *parse, FrameType type)
{
	Buffer *frame = frame_begin(parse, type);

	buffer_text(frame, "{");
	if (type == FRAME_REFUSED)
	{
		buffer_text(frame, "\"reason\":");
		frame_text(parse, parse->reason, strlen(parse->reason), sizeof(parse->reason));
	}
	buffer_text(frame, "}");
	frame_send(parse);
}

/* A file of which no sheet can be read cannot be read. */
static void
read_all(Parse *parse, void (*read)(Parse *parse))
{
	read(parse);
	if (parse->filled == 0 && parse->lost[0] != '\0')
		parse_refuse(parse, "%s", parse->lost);
}

bool
parse_file(Source *source, const Options *options, void (*read)(Parse *parse))
{
	jmp_buf refused;
	Parse parse = {.source = source, .options = *options, .refused = &refused};
	volatile FrameType type = FRAME_DONE;

	buffer_init(&parse.frame, FRAME_MAXIMUM + 5);
	buffer_init(&parse.cell, 4 << 20);
	buffer_init(&parse.details, 4096);
	buffer_init(&parse.clean, 3 * CONTENTS_CELL);
	if (setjmp(refused) == 0)
		read_all(&parse, read);
	else
		type = FRAME_REFUSED;
	if (parse.close != NULL)
		parse.close(&parse);
	parse.refused = &refused;
	parse_release_all(&parse);
	if (setjmp(refused) == 0)
		tell_end(&parse, type);
	buffer_free(&parse.frame);
	buffer_free(&parse.cell);
	buffer_free(&parse.details);
	buffer_free(&parse.clean);
	return type == FRAME_DONE;
}

static ptrdiff_t
read_descriptor(Source *source, char *bytes, size_t size)
{
	ptrdiff_t got;

	(void) source;
	do
		got = read(STDIN_FILENO, bytes, size);
	while (got < 0 && errno == EINTR);
	return got;
}

static ptrdiff_t
read_descriptor_at(Source *source, char *bytes, size_t size, uint64_t place)
{
	size_t done = 0;

	(void) source;
	while (done < size)
	{
		ptrdiff_t got = pread(STDIN_FILENO, bytes + done, size - done, (off_t) (place + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t) got;
	}
	return (ptrdiff_t) done;
}

/* A worker that is gone takes no frames, and nobody reads why: the end of the child. */
static bool
write_descriptor(Source *source, const char *bytes, size_t length)
{
	(void) source;
	while (length > 0)
	{
		ptrdiff_t written = write(STDOUT_FILENO, bytes, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			_exit(EXIT_FAILURE);
		bytes += written;
		length -= (size_t) written;
	}
	return true;
}

static int
usage(void)
{
	fprintf(stderr,
			"usage: catalogue-worker --parse csv|xlsx|xls|ods [--size BYTES] [--name NAME]\n"
			"       [--encoding NAME] [--delimiter CHARACTER] [--decimal .|,]\n"
			"       [--header first|none|NUMBER] [--skip NUMBER]\n");
	return EXIT_FAILURE;
}

/* Read the command line; the reader, NULL when there is none. */
static const Reader *
read_arguments(int count, char **arguments, Source *source, Options *options)
{
	const Reader *reader = NULL;

	for (int i = 0; i < count; i++)
	{
		const char *value = i + 1 < count ? arguments[i + 1] : NULL;
		bool known = true;

		if (strncmp(arguments[i], "--", 2) != 0)
		{
			reader = parse_reader(arguments[i]);
			continue;
		}
		if (value == NULL)
			return NULL;
		if (strcmp(arguments[i], "--size") == 0)
			source->size = strtoull(value, NULL, 10);
		else if (strcmp(arguments[i], "--name") != 0)
			known = options_take(options, arguments[i] + 2, value);
		if (!known)
			return NULL;
		i++;
	}
	return reader;
}

int
parse_run(int count, char **arguments)
{
	Source source = {read_descriptor, read_descriptor_at, write_descriptor, 0};
	Options options = {0};
	const Reader *reader = read_arguments(count, arguments, &source, &options);
	const char *failure;
	struct stat status;

	if (reader == NULL)
		return usage();
	if (fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode))
		source.size = (uint64_t) status.st_size;
	if (reader->prepare != NULL)
		reader->prepare(&options);
	failure = sandbox_enter(source.size);
	if (failure != NULL)
	{
		fprintf(stderr, "catalogue-worker: the sandbox does not close: %s\n", failure);
		return EXIT_FAILURE;
	}
	parse_file(&source, &options, reader->read);
	/* not exit(): what libraries do at the end is no matter of the sandbox */
	_exit(EXIT_SUCCESS);
}
