/*
 * clean.h - what every text of a file passes through (clean.c): nearly all of them are ASCII, which
 * is seen here.
 */
#ifndef CLEAN_H
#define CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct Parse;

/* As clean_text(), of a text that is not all ASCII without zero bytes. */
extern const char *clean_other(struct Parse *parse, const char *text, size_t *length,
							   const char **flaw);

/* Are eight bytes ASCII without a zero byte? */
static inline bool
clean_word(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return ((word | ((word - ones) & ~word)) & (ones << 7)) == 0;
}

/* Four bytes, or the eight of a word, at a place that need not be aligned. */
static inline uint64_t
clean_load(const char *bytes, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, bytes, size);
	return word;
}

/* Is the text ASCII without a zero byte?  Its end is looked at with what is before it. */
static inline bool
clean_is_plain(const char *text, size_t length)
{
	const uint64_t letters = UINT64_C(0x4141414141414141) << 24;

	if (length >= 8)
	{
		for (size_t i = 0; i + 8 < length; i += 8)
			if (!clean_word(clean_load(text + i, 8)))
				return false;
		return clean_word(clean_load(text + length - 8, 8));
	}
	if (length >= 4)
		return clean_word(clean_load(text, 4) | clean_load(text + length - 4, 4) << 32);
	return length == 0 || clean_word(letters | (unsigned char) text[0] |
									 (uint64_t) (unsigned char) text[length / 2] << 8 |
									 (uint64_t) (unsigned char) text[length - 1] << 16);
}

/*
 * The text as valid UTF-8 without zero bytes: itself where it is that, else a copy, good until the
 * next call, with U+FFFD for each byte that is wrong; then *flaw says what was replaced.
 */
static inline const char *
clean_text(struct Parse *parse, const char *text, size_t *length, const char **flaw)
{
	return clean_is_plain(text, *length) ? text : clean_other(parse, text, length, flaw);
}

#endif
