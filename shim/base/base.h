/*
 * base.h - bytes, memory, text, time, and common headers of C: independent of HTTP and PostgreSQL.
 * Decisions: docs/explanation/decisions.md#shimbase
 */
#ifndef BASE_H
#define BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct json_t;

#define lengthof(array) (sizeof(array) / sizeof((array)[0]))

/* buffer.c */

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
/* Empty the buffer and reset a failure; a little memory is kept. */
extern void buffer_clear(Buffer *buffer);
extern bool buffer_reserve(Buffer *buffer, size_t more);
/* Small pieces cost little when the room doubles each time. */
extern bool buffer_room(Buffer *buffer, size_t length);
/* Append bytes for which there may not be room yet. */
extern void buffer_enlarge(Buffer *buffer, const char *bytes, size_t length);
extern void buffer_format(Buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
extern void buffer_integer(Buffer *buffer, int64_t number);
extern void buffer_json(Buffer *buffer, const char *bytes, size_t length);

/* Inline, since an answer consists of a hundred small pieces, mostly of constant length. */
static inline void
buffer_append(Buffer *buffer, const char *bytes, size_t length)
{
	if (length == 0) /* then bytes may be NULL */
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

typedef struct ArenaBlock ArenaBlock;
typedef struct Arena
{
	ArenaBlock *blocks; /* allocated after the first block was full */
	char *next;
	char *end;
	bool failed; /* memory has run out: the request ends with 500 */
	char first[1536];
} Arena;

/* The concatenation of texts, up to a NULL. */
#define arena_join(arena, ...) arena_join_texts(arena, (const char *const[]){__VA_ARGS__, NULL})

/* clock.c */
/* Milliseconds of a clock that only goes forward. */
extern int64_t clock_now(void);
/* Seconds since 1970, for the lifetime of credentials. */
extern int64_t clock_time(void);
/* Let both be ahead by the milliseconds that a file holds as eight bytes, from now on: a test writes a greater number in
 * place of waiting.  The file stays that long.  False with errno: it cannot be read. */
extern bool clock_follow(const char *path);

/* text.c */

#define TEXT_HASH 2166136261u /* of no bytes */
/* The hash (FNV-1a) of some bytes and of those before them. */
extern uint32_t text_hash(uint32_t hash, const char *bytes, size_t length);
/* Read a number of seven bits in each byte, the lowest first; it ends within the bytes. */
static inline size_t
text_number(const unsigned char **at)
{
	size_t number = **at & 0x7F;

	for (unsigned shift = 7; *(*at)++ & 0x80; shift += 7)
		number |= (size_t) (**at & 0x7F) << shift;
	return number;
}

/* Is the query string free of zero bytes, and UTF-8 once decoded? */
extern bool text_valid_query(Arena *arena, const char *query);
/* Bytes of the UTF-8 character at the beginning, 0 if there is none. */
extern size_t text_character(const char *bytes, size_t length);
extern bool text_valid_utf8(const char *bytes, size_t length);
extern char *text_put(char *to, uint32_t character); /* as UTF-8; the end */
extern long text_unit(const char *text); /* of four hexadecimal digits; -1: they are others */
/* Is there a percent-encoded byte at the beginning? */
extern bool text_percent_byte(const char *text, size_t length, char *byte);
/* Decode the bytes that are percent-encoded, in place or not; how many there are then. */
extern size_t text_percent_bytes(const char *text, size_t length, char *bytes);
/* Decode a name or value of a form in place; false: it contains a zero byte. */
extern bool text_form_unescape(char *text);
/* Decode the name or value of a parameter, where + is a space.  What is not coded rightly stays as it is. */
extern char *text_form_decode(Arena *arena, const char *bytes, size_t length);
extern char *text_percent_decode(Arena *arena, const char *bytes, size_t length);
extern void text_percent_encode(Buffer *buffer, const char *text, size_t length);
/* Would text_percent_encode() not change the text?  JSON does not escape it either. */
extern bool text_is_unreserved(const char *text, size_t length);
extern char *text_lower(Arena *arena, const char *text);
extern bool text_has_word(const char *list, const char *word);
/* The next parameter that is not empty, NULL at the end; *query is advanced behind it. */
extern const char *text_query_word(const char **query, size_t *length);
/* How many of the first bytes can be in a token of RFC 9110; is the whole text one, as names of headers are? */
extern size_t text_token_length(const char *text, size_t most);
extern bool text_is_token(const char *text);
extern bool text_is_alphanumeric(const char *text, size_t length); /* of ASCII */
/* Write bytes in hexadecimal, terminated by a zero byte. */
extern void text_hex(const void *bytes, size_t length, char *hex);
extern ptrdiff_t text_base64url_decode(const char *text, size_t length, unsigned char *bytes,
									   size_t maximum);

/* arena.c */

extern void arena_init(Arena *arena);
extern void arena_free(Arena *arena);
/* Zeroed memory for a struct; NULL: no memory, and the arena has failed. */
extern void *arena_zeroed(Arena *arena, size_t size);
extern char *arena_text(Arena *arena, const char *bytes, size_t length);
extern char *arena_join_texts(Arena *arena, const char *const *texts);
extern char *arena_format(Arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The bytes of a buffer, which is freed; where the buffer has failed, so has the arena. */
extern char *arena_take(Arena *arena, Buffer *buffer);
/* A value of JSON as text, which is freed; empty, and the arena has failed: no memory. */
extern char *arena_json(Arena *arena, struct json_t *value);

#endif
