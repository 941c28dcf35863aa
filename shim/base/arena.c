/*
 * arena.c - memory that is freed together with its request.
 *
 * When memory runs out, the functions return an empty text and set "failed", which is checked once,
 * when the request is answered.
 */
#include <stdarg.h>

#include <jansson.h>

#include "base/base.h"

#define BLOCK_SIZE 2048

struct ArenaBlock
{
	ArenaBlock *next;
	char bytes[];
};

void
arena_init(Arena *arena)
{
	arena->blocks = NULL;
	arena->next = arena->first;
	arena->end = arena->first + sizeof(arena->first);
	arena->failed = false;
}

void
arena_free(Arena *arena)
{
	while (arena->blocks != NULL)
	{
		ArenaBlock *block = arena->blocks;

		arena->blocks = block->next;
		free(block);
	}
	arena_init(arena);
}

/* Memory of the given size, not aligned; NULL: memory has run out. */
static char *
take_bytes(Arena *arena, size_t size)
{
	ArenaBlock *block;
	size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
	char *bytes;

	if ((size_t) (arena->end - arena->next) < size)
	{
		block = malloc(sizeof(ArenaBlock) + capacity);
		if (block == NULL)
		{
			arena->failed = true;
			return NULL;
		}
		block->next = arena->blocks;
		arena->blocks = block;
		arena->next = block->bytes;
		arena->end = block->bytes + capacity;
	}
	bytes = arena->next;
	arena->next += size;
	return bytes;
}

void *
arena_zeroed(Arena *arena, size_t size)
{
	const size_t alignment = _Alignof(max_align_t);
	char *bytes = take_bytes(arena, size + alignment - 1);

	if (bytes == NULL)
		return NULL;
	bytes += (alignment - (uintptr_t) bytes % alignment) % alignment;
	return memset(bytes, 0, size);
}

/* The empty text that is returned when memory runs out; never written to. */
static char nothing[1];

/* A copy of the bytes, terminated by a zero byte. */
char *
arena_text(Arena *arena, const char *bytes, size_t length)
{
	char *copy = take_bytes(arena, length + 1);

	if (copy == NULL)
		return nothing;
	if (length > 0)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

char *
arena_join_texts(Arena *arena, const char *const *texts)
{
	size_t length = 0;
	char *joined;
	char *end;

	for (size_t i = 0; texts[i] != NULL; i++)
		length += strlen(texts[i]);
	joined = take_bytes(arena, length + 1);
	if (joined == NULL)
		return nothing;
	end = joined;
	for (; *texts != NULL; texts++)
		end = stpcpy(end, *texts);
	return joined;
}

/* Most texts fit into the current block, and are written there directly. */
char *
arena_format(Arena *arena, const char *format, ...)
{
	size_t room = (size_t) (arena->end - arena->next);
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vsnprintf(arena->next, room, format, arguments);
	va_end(arguments);
	text = length < 0 ? NULL : take_bytes(arena, (size_t) length + 1);
	if (text == NULL)
		return nothing;
	if ((size_t) length < room)
		return text;
	va_start(arguments, format);
	vsnprintf(text, (size_t) length + 1, format, arguments);
	va_end(arguments);
	return text;
}

char *
arena_take(Arena *arena, Buffer *buffer)
{
	char *text = arena_text(arena, buffer->data, buffer->length);

	arena->failed |= buffer->failed;
	buffer_free(buffer);
	return text;
}

char *
arena_json(Arena *arena, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);
	char *copy = text != NULL ? arena_text(arena, text, strlen(text)) : nothing;

	arena->failed |= text == NULL;
	free(text);
	json_decref(value);
	return copy;
}
