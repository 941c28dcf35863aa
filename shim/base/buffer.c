/*
 * buffer.c - memory: growing bytes with a maximum, and what is freed together with its request.
 */
#include <stdarg.h>

#include <jansson.h>

#include "base/base.h"

/*
 * When memory runs out, the functions return an empty text and set "failed", which is checked once,
 * when the request is answered.
 */

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

#define FIRST_CAPACITY 512
#define KEPT_CAPACITY 4096 /* that a buffer keeps when it is cleared, at most */

void
buffer_init(Buffer *buffer, size_t maximum)
{
	*buffer = (Buffer){.maximum = maximum};
}

void
buffer_free(Buffer *buffer)
{
	free(buffer->data);
	*buffer = (Buffer){.maximum = buffer->maximum};
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

void
buffer_clear(Buffer *buffer)
{
	if (buffer->failed || buffer->capacity > KEPT_CAPACITY)
		buffer_free(buffer);
	buffer->length = 0;
}

/* Make room for exactly so many more bytes; false, and failed from then on: not possible. */
bool
buffer_reserve(Buffer *buffer, size_t more)
{
	size_t capacity = buffer->length + more;
	char *data;

	if (buffer->failed || more > buffer->maximum - buffer->length)
	{
		buffer->failed = true;
		return false;
	}
	if (capacity <= buffer->capacity)
		return true;
	data = realloc(buffer->data, capacity);
	if (data == NULL)
	{
		buffer->failed = true;
		return false;
	}
	buffer->data = data;
	buffer->capacity = capacity;
	return true;
}

bool
buffer_room(Buffer *buffer, size_t length)
{
	size_t more = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
	size_t most = buffer->maximum - buffer->length;

	if (length <= buffer->capacity - buffer->length)
		return !buffer->failed;
	more = more < most ? more : most;
	return buffer_reserve(buffer, more > length ? more : length);
}

void
buffer_enlarge(Buffer *buffer, const char *bytes, size_t length)
{
	if (!buffer_room(buffer, length))
		return;
	memcpy(buffer->data + buffer->length, bytes, length);
	buffer->length += length;
}

void
buffer_format(Buffer *buffer, const char *format, ...)
{
	char text[512];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t) length >= sizeof(text))
		buffer->failed = true;
	else
		buffer_append(buffer, text, (size_t) length);
}

void
buffer_integer(Buffer *buffer, int64_t number)
{
	char text[24];
	char *digit = text + sizeof(text);
	uint64_t rest = number < 0 ? 0 - (uint64_t) number : (uint64_t) number;

	do
		*--digit = (char) ('0' + rest % 10);
	while ((rest /= 10) != 0);
	if (number < 0)
		*--digit = '-';
	buffer_append(buffer, digit, (size_t) (text + sizeof(text) - digit));
}

/*
 * Append a JSON string, quotes included.
 *
 * The bytes must be valid UTF-8.  Everything that could end a line, also for readers that know
 * Unicode's line ends, is escaped: the log file relies on it.
 */
void
buffer_json(Buffer *buffer, const char *bytes, size_t length)
{
	size_t start = 0;

	buffer_append(buffer, "\"", 1);
	for (size_t i = 0; i < length; i++)
	{
		unsigned char c = (unsigned char) bytes[i];
		bool separator = c == 0xE2 && i + 2 < length && (unsigned char) bytes[i + 1] == 0x80 &&
						 ((unsigned char) bytes[i + 2] & 0xFE) == 0xA8;

		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7F && !separator)
			continue;
		buffer_append(buffer, bytes + start, i - start);
		if (separator)
		{
			buffer_text(buffer, (unsigned char) bytes[i + 2] == 0xA8 ? "\\u2028" : "\\u2029");
			i += 2;
		}
		else if (c == '"' || c == '\\')
			buffer_format(buffer, "\\%c", c);
		else
			buffer_format(buffer, "\\u%04x", c);
		start = i + 1;
	}
	buffer_append(buffer, bytes + start, length - start);
	buffer_append(buffer, "\"", 1);
}
