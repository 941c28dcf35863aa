/*
 * one_line.c
 *	  Trimming of names and other single-line texts.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "base/base.h"

/* Longer fields may contain several lines, and are not trimmed. */
#define CHARACTERS_MAX 250

/* Non-ASCII white space, in UTF-8. */
static const char *const spaces[] = {
	"\xC2\x85",		"\xC2\xA0",		"\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81",
	"\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86",
	"\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
	"\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80", "\xEF\xBB\xBF",
};

static bool
is_of(const Field *field, const char *domain)
{
	return field->domain && strcmp(field->domain, domain) == 0;
}

bool
cat_one_line_is(const Field *field)
{
	if (field->kind != FIELD_TEXT || is_of(field, "password") || is_of(field, "secret"))
		return false;
	return field->address || is_of(field, "one_line") ||
		   (field->max > 0 && field->max <= CHARACTERS_MAX);
}

static bool
is_ascii_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Return the length in bytes of the white space character at the start of a text, or 0. */
static size_t
space_at(const char *text)
{
	if ((unsigned char) *text < 0x80)
		return is_ascii_space(*text);
	for (size_t i = 0; i < lengthof(spaces); i++)
		if (strncmp(text, spaces[i], strlen(spaces[i])) == 0)
			return strlen(spaces[i]);
	return 0;
}

/* Return whether a text contains white space. */
bool
cat_one_line_has_space(const char *text)
{
	while (*text && space_at(text) == 0)
		text++;
	return *text != '\0';
}

/* Return the length in bytes of the white space character at the end of a text, or 0. */
static size_t
space_before(const char *text, size_t length)
{
	if (length > 0 && is_ascii_space(text[length - 1]))
		return 1;
	for (size_t i = 0; i < lengthof(spaces); i++)
	{
		size_t size = strlen(spaces[i]);

		if (length >= size && memcmp(text + length - size, spaces[i], size) == 0)
			return size;
	}
	return 0;
}

const char *
cat_one_line_trim(const char *text)
{
	size_t length;
	size_t end;
	size_t space;

	while ((space = space_at(text)) > 0)
		text += space;
	length = end = strlen(text);
	while ((space = space_before(text, end)) > 0)
		end -= space;
	return end < length ? pnstrdup(text, end) : text;
}

const char *
cat_one_line_stored(const Field *field, const char *text)
{
	if (field->composed)
		text = cat_compose_text(text);
	return cat_one_line_is(field) ? cat_one_line_trim(text) : text;
}
