/*
 * parse.c - run a reader: its input, its errors, its end.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/sandbox.h"

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

/* Write the last frame; an error of that is ignored. */
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

/* Refuse a file of which no sheet can be read. */
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
