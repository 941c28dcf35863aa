/*
 * parse.c - run a reader: its memory, its input, clean text, its errors, its end.
 */
#include <stdarg.h>

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
parse_end(Parse *parse)
{
	parse->ended = parse->enough = true;
	longjmp(*parse->refused, 1);
}

void
parse_refuse_file(Parse *parse, const char *reason)
{
	parse->ended = true;
	parse_refuse(parse, "%s", reason);
}

void
parse_refuse_memory(Parse *parse)
{
	parse_refuse_file(parse, "the file takes more memory to read than a file may have");
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

#define PROGRESS_STEP (4 << 20) /* bytes of input between two reports of progress */

void
parse_progress(Parse *parse)
{
	if (parse->taken - parse->sent < PROGRESS_STEP)
		return;
	parse->sent = parse->taken;
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
send_end(Parse *parse, FrameType type)
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
	buffer_init(&parse.shape, 2 * CONTENTS_GEOMETRY);
	buffer_init(&parse.details, 4096);
	buffer_init(&parse.clean, 3 * CONTENTS_CELL);
	if (setjmp(refused) == 0)
		read_all(&parse, read);
	else if (!parse.enough)
		type = FRAME_REFUSED;
	if (parse.close != NULL)
		parse.close(&parse);
	parse.refused = &refused;
	parse_release_all(&parse);
	if (setjmp(refused) == 0)
		send_end(&parse, type);
	buffer_free(&parse.frame);
	buffer_free(&parse.cell);
	buffer_free(&parse.shape);
	buffer_free(&parse.details);
	buffer_free(&parse.clean);
	return type == FRAME_DONE;
}

/*
 * ---- Texts as valid UTF-8 without zero bytes, as PostgreSQL requires ----
 *
 * clean_text() is applied to every cell, title, name of a sheet and reason.  A reader converts
 * encodings and need not check the result.
 */

static const char zero_fault[] = "a zero byte is shown as U+FFFD";
static const char byte_fault[] = "what is no character is shown as U+FFFD";

/* Length of the valid prefix without zero bytes. */
static size_t
clean_length(const char *text, size_t length)
{
	size_t clean = 0;

	while (clean < length)
	{
		size_t step;

		if (length - clean >= 8 && clean_word(clean_load(text + clean, 8)))
		{
			clean += 8;
			continue;
		}
		if (text[clean] == '\0')
			break;
		step =
			(unsigned char) text[clean] < 0x80 ? 1 : text_character(text + clean, length - clean);
		if (step == 0)
			break;
		clean += step;
	}
	return clean;
}

const char *
parse_clean_other(Parse *parse, const char *text, size_t *length, const char **flaw)
{
	Buffer *copy = &parse->clean;
	size_t left = *length;
	size_t clean = clean_length(text, left);

	if (clean == left)
		return text;
	copy->length = 0;
	while (clean < left)
	{
		buffer_append(copy, text, clean);
		buffer_text(copy, "\xEF\xBF\xBD");
		*flaw = text[clean] == '\0' ? zero_fault : byte_fault;
		text += clean + 1;
		left -= clean + 1;
		clean = clean_length(text, left);
	}
	buffer_append(copy, text, clean);
	if (copy->failed)
		parse_refuse_memory(parse);
	*length = copy->length;
	return copy->data;
}

/* ---- Memory that is freed at the end of the reading ---- */

struct Block
{
	LIST_ENTRY(Block) link;
	_Alignas(max_align_t) char bytes[];
};

static Block *
block_of(void *memory)
{
	return (Block *) ((char *) memory - offsetof(Block, bytes));
}

void *
parse_allocate(Parse *parse, size_t size)
{
	Block *block = size < SIZE_MAX / 2 ? calloc(1, sizeof(Block) + size) : NULL;

	if (block == NULL)
		parse_refuse_memory(parse);
	LIST_INSERT_HEAD(&parse->blocks, block, link);
	return block->bytes;
}

char *
parse_copy(Parse *parse, const char *text)
{
	size_t size = text != NULL ? strlen(text) + 1 : 0;

	return text != NULL ? memcpy(parse_allocate(parse, size), text, size) : NULL;
}

void *
parse_resize(Parse *parse, void *memory, size_t size)
{
	Block *block;
	Block *moved;

	if (memory == NULL)
		return parse_allocate(parse, size);
	block = block_of(memory);
	LIST_REMOVE(block, link);
	moved = size < SIZE_MAX / 2 ? realloc(block, sizeof(Block) + size) : NULL;
	LIST_INSERT_HEAD(&parse->blocks, moved != NULL ? moved : block, link);
	if (moved == NULL)
		parse_refuse_memory(parse);
	return moved->bytes;
}

void
parse_release(Parse *parse, void *memory)
{
	Block *block;

	if (memory == NULL)
		return;
	block = block_of(memory);
	LIST_REMOVE(block, link);
	free(block);
}

void
parse_release_all(Parse *parse)
{
	for (Block *block, *next = LIST_FIRST(&parse->blocks); (block = next) != NULL; free(block))
		next = LIST_NEXT(block, link);
	LIST_INIT(&parse->blocks);
}
