/*
 * number_text.h
 *	  A text that is read from its beginning: the blanks around it, and a sign before a number.
 */
#ifndef NUMBER_TEXT_H
#define NUMBER_TEXT_H

#include <stdbool.h>
#include <string.h>

/* A text that is read from its beginning. */
typedef struct NumberText
{
	const char *at;
	size_t length; /* of what has not been read */
} NumberText;

static inline void
number_pass(NumberText *text, size_t size)
{
	text->at += size;
	text->length -= size;
}

static inline bool
number_begins(const NumberText *text, const char *with)
{
	size_t size = strlen(with);

	return size <= text->length && memcmp(text->at, with, size) == 0;
}

static inline bool
number_ends(const NumberText *text, const char *with)
{
	size_t size = strlen(with);

	return size <= text->length && memcmp(text->at + text->length - size, with, size) == 0;
}

/* Spaces, also those that are not broken, thin or as wide as a digit. */
#define NUMBER_BLANKS 6
static const char *const number_blanks[NUMBER_BLANKS] = {
	" ", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89", "\xE2\x80\x87", "\t"};

/* May a text have a blank around it?  Of most that have none, the first and the last byte tell. */
static inline bool
number_may_trim(const NumberText *text)
{
	unsigned char first = (unsigned char) *text->at;
	unsigned char last = (unsigned char) text->at[text->length - 1];

	return first <= ' ' || first == 0xC2 || first == 0xE2 || last <= ' ' || last == 0xA0 ||
		   last == 0xAF || last == 0x89 || last == 0x87;
}

/* Leave out the blanks around a text. */
static inline void
number_trim(NumberText *text)
{
	if (text->length == 0 || !number_may_trim(text))
		return;
	for (int i = 0; i < NUMBER_BLANKS; i++)
	{
		size_t size = strlen(number_blanks[i]);

		if (number_begins(text, number_blanks[i]))
			number_pass(text, size);
		else if (number_ends(text, number_blanks[i]))
			text->length -= size;
		else
			continue;
		i = -1; /* from the first blank on */
	}
}

/* Read the sign of a number, if there is one; true for a minus. */
static inline bool
number_sign(NumberText *text)
{
	bool minus = number_begins(text, "\xE2\x88\x92");
	bool negative = minus || number_begins(text, "-");

	number_pass(text, minus ? 3 : negative || number_begins(text, "+"));
	return negative;
}

#endif /* NUMBER_TEXT_H */
