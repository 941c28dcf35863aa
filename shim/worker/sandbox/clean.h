/*
 * clean.h - make the texts of a file valid UTF-8.  Most are ASCII, which is checked inline; the
 * others go to parse.c.
 */
#ifndef CLEAN_H
#define CLEAN_H

#include "base/base.h"

struct Parse;

/* clean_text() for a text that is not plain ASCII. */
extern const char *parse_clean_other(struct Parse *parse, const char *text, size_t *length,
									 const char **flaw);

/* Are eight bytes ASCII without a zero byte? */
static inline bool
clean_word(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return ((word | ((word - ones) & ~word)) & (ones << 7)) == 0;
}

/* Load up to eight bytes from an unaligned address. */
static inline uint64_t
clean_load(const char *bytes, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, bytes, size);
	return word;
}

/* Is the text ASCII without a zero byte?  The last word may overlap the one before it. */
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
 * Return the text as valid UTF-8 without zero bytes: the text itself if it is valid, else a copy,
 * valid until the next call, with U+FFFD for each invalid byte; *flaw then says what was replaced.
 */
static inline const char *
clean_text(struct Parse *parse, const char *text, size_t *length, const char **flaw)
{
	return clean_is_plain(text, *length) ? text : parse_clean_other(parse, text, length, flaw);
}

#endif
