/*
 * row.c - rows as objects of JSON.
 *
 * jansson refuses a row as a whole if it has an integer of more than 64 bits.
 */
#include <jansson.h>

#include "base/base.h"
#include "json/row.h"

#define DIGITS 18 /* that any integer of 64 bits may have */

/* The end of the string that begins with the quotation mark at the first byte. */
static const char *
string_end(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\')
			at++;
	return at < end ? at + 1 : end;
}

size_t
row_length(const char *bytes, size_t length)
{
	const char *end = bytes + length;
	size_t depth = 0;

	for (const char *at = bytes; at < end;)
	{
		if (*at == '"')
		{
			at = string_end(at, end);
			continue;
		}
		depth += *at == '{';
		depth -= *at == '}';
		at++;
		if (depth == 0)
			return (size_t) (at - bytes);
	}
	return 0;
}

/* The length of the number at the first byte, 0 if there is none; whole: it is an integer. */
static size_t
number_length(const char *at, const char *end, bool *whole)
{
	const char *start = at;

	for (*whole = true; at < end && *at != '\0' && strchr("+-.0123456789eE", *at) != NULL; at++)
		*whole = *whole && strchr(".eE", *at) == NULL;
	return (size_t) (at - start);
}

/* Copy a row with its long integers as strings. */
static void
quote_integers(Buffer *copy, const char *at, const char *end)
{
	while (at < end)
	{
		bool whole;
		size_t length = number_length(at, end, &whole);
		const char *quote = whole && length > DIGITS ? "\"" : "";

		if (*at == '"')
			length = (size_t) (string_end(at, end) - at);
		else if (length == 0)
			length = 1;
		buffer_text(copy, quote);
		buffer_append(copy, at, length);
		buffer_text(copy, quote);
		at += length;
	}
}

json_t *
row_load(const char *bytes, size_t length)
{
	json_t *row = json_loadb(bytes, length, 0, NULL);
	Buffer copy;

	if (row != NULL)
		return row;
	buffer_init(&copy, 2 * length + 2);
	quote_integers(&copy, bytes, bytes + length);
	if (!copy.failed)
		row = json_loadb(copy.data, copy.length, 0, NULL);
	buffer_free(&copy);
	return row;
}
