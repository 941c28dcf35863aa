/*
 * base.h - bytes, memory and text: what knows nothing of HTTP or PostgreSQL.
 */
#ifndef BASE_H
#define BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define lengthof(array) (sizeof(array) / sizeof((array)[0]))

/* buffer.c: growing bytes with a maximum; once it has failed it stays failed and takes no more */
typedef struct Buffer
{
	char *data;
	size_t length;
	size_t capacity;
	size_t maximum;
	bool failed;
} Buffer;

extern void buffer_init(Buffer *buffer, size_t maximum);
extern void buffer_free(Buffer *buffer);
/* Take all bytes out, and whatever was wrong; a little memory is kept for those that follow. */
extern void buffer_clear(Buffer *buffer);
extern bool buffer_reserve(Buffer *buffer, size_t more);
/* Make room for so many bytes, and for more; false when that cannot be. */
extern bool buffer_room(Buffer *buffer, size_t length);
/* Append bytes for which there may be no room yet. */
extern void buffer_enlarge(Buffer *buffer, const char *bytes, size_t length);
/* Append again what stands in the buffer from start on. */
extern void buffer_repeat(Buffer *buffer, size_t start, size_t length);
extern void buffer_format(Buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
extern void buffer_integer(Buffer *buffer, int64_t number);
extern void buffer_json(Buffer *buffer, const char *bytes, size_t length);

/* An answer is put together of a hundred small pieces, nearly all of a length known here. */
static inline void
buffer_append(Buffer *buffer, const char *bytes, size_t length)
{
	if (length == 0) /* of bytes that may be nowhere */
		return;
	if (buffer->failed || length > buffer->capacity - buffer->length)
	{
		buffer_enlarge(buffer, bytes, length);
		return;
	}
	memcpy(buffer->data + buffer->length, bytes, length);
	buffer->length += length;
}

static inline void
buffer_text(Buffer *buffer, const char *text)
{
	buffer_append(buffer, text, strlen(text));
}

/* arena.c: memory that dies with its request */
typedef struct ArenaBlock ArenaBlock;
typedef struct Arena
{
	ArenaBlock *blocks; /* what did not fit into the first block */
	char *next;
	char *end;
	bool failed; /* no memory once: the request ends as 500 */
	char first[1536];
} Arena;

extern void arena_init(Arena *arena);
extern void arena_free(Arena *arena);
extern char *arena_text(Arena *arena, const char *bytes, size_t length);
/* A text of several, up to a NULL. */
extern char *arena_join(Arena *arena, const char *const *texts);
extern char *arena_format(Arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* text.c: percent-coding, UTF-8, base64url, words */
/* Is the query string free of zero bytes, and UTF-8 once decoded? */
extern bool text_valid_query(Arena *arena, const char *query);
/* Bytes of the UTF-8 character at the beginning, 0 if there is none. */
extern size_t text_character(const char *bytes, size_t length);
extern bool text_valid_utf8(const char *bytes, size_t length);
/* Is there a coded byte at the beginning? */
extern bool text_percent_byte(const char *text, size_t length, char *byte);
extern char *text_percent_decode(Arena *arena, const char *bytes, size_t length);
extern void text_percent_encode(Buffer *buffer, const char *text, size_t length);
/* Is the text one that text_percent_encode() does not change?  JSON does not escape it either. */
extern bool text_is_unreserved(const char *text, size_t length);
extern char *text_lower(Arena *arena, const char *text);
extern bool text_has_word(const char *list, const char *word);
/* The next word of a query string that is not empty, NULL at the end; *query goes on behind it. */
extern const char *text_query_word(const char **query, size_t *length);
extern bool text_is_token(const char *text);
/* Are the bytes all letters and digits of ASCII? */
extern bool text_is_alphanumeric(const char *text, size_t length);
/* Write bytes in hexadecimal, with a zero byte behind. */
extern void text_hex(const void *bytes, size_t length, char *hex);
extern ptrdiff_t text_base64url_decode(const char *text, size_t length, unsigned char *bytes,
									   size_t maximum);

#endif
