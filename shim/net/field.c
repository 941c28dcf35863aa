/*
 * field.c - a header field made of a value and parameters: Content-Type, Content-Disposition.
 *
 * RFC 9110, 5.6.6; of file names also RFC 8187, and what browsers make of quotes (RFC 7578, 5.1).
 */
#include <ctype.h>

#include "net/header.h"

#define BLANKS " \t"

static char *
token_end(char *text)
{
	return text + text_token_length(text, SIZE_MAX);
}

/*
 * Unquote a text in place, and advance *text behind it; false: it does not end.
 *
 * A backslash escapes a quote and itself only: old browsers send file names with directories and do
 * not escape anything.
 */
static bool
unquote(char **text)
{
	char *from = *text + 1;
	char *to = *text;

	while (*from != '"')
	{
		if (*from == '\0')
			return false;
		if (*from == '\\' && (from[1] == '"' || from[1] == '\\'))
			from++;
		*to++ = *from++;
	}
	*to = '\0';
	*text = from + 1;
	return true;
}

/* Terminate a text; returns the separator after it, 0 at the end; *rest is advanced behind that. */
static char
end_here(char **rest)
{
	char stop = **rest;

	if (stop != '\0')
		*(*rest)++ = '\0';
	if (stop == ' ' || stop == '\t')
	{
		*rest += strspn(*rest, BLANKS);
		stop = **rest;
		*rest += stop != '\0';
	}
	return stop;
}

/* Read one "name=value" and the separator after it; *rest is advanced behind that. */
static bool
read_parameter(char **rest, Field *field, char *stop)
{
	char *name = *rest;
	char *end = token_end(name);
	char *value = end + 1;

	if (end == name || *end != '=' || field->count == FIELD_PARAMETERS)
		return false;
	*end = '\0';
	*rest = value;
	if (field_parameter(field, name) != NULL)
		return false;
	if (*value != '"')
		*rest = token_end(value);
	else if (!unquote(rest))
		return false;
	if (*rest == value)
		return false;
	*stop = end_here(rest);
	field->parameters[field->count].name = name;
	field->parameters[field->count++].value = value;
	return *stop == ';' || *stop == '\0';
}

bool
field_read(char *text, Field *field)
{
	char *rest = text + strspn(text, BLANKS);
	char stop;

	*field = (Field){.value = rest};
	rest += strcspn(rest, "; \t");
	if (rest == field->value)
		return false;
	stop = end_here(&rest);
	while (stop == ';')
	{
		rest += strspn(rest, BLANKS);
		/* a trailing semicolon is accepted */
		if (*rest == '\0')
			return true;
		if (!read_parameter(&rest, field, &stop))
			return false;
	}
	return stop == '\0';
}

char *
field_parameter(const Field *field, const char *name)
{
	for (int i = 0; i < field->count; i++)
		if (strcasecmp(field->parameters[i].name, name) == 0)
			return field->parameters[i].value;
	return NULL;
}

/* Percent-decode a text in place; false: malformed, or it contains a zero byte. */
static bool
decode_all(char *text)
{
	char *to = text;

	for (const char *c = text; *c != '\0'; to++)
	{
		if (*c != '%')
			*to = *c++;
		else if (!text_percent_byte(c, strlen(c), to) || *to == '\0')
			return false;
		else
			c += 3;
	}
	*to = '\0';
	return true;
}

/* Decode quotes and line ends, the only characters that browsers encode in names. */
static void
decode_browser(char *text)
{
	char *to = text;

	for (const char *c = text; *c != '\0'; to++)
	{
		bool coded = strncmp(c, "%22", 3) == 0 || strncasecmp(c, "%0D", 3) == 0 ||
					 strncasecmp(c, "%0A", 3) == 0;

		if (coded && text_percent_byte(c, 3, to))
			c += 3;
		else
			*to = *c++;
	}
	*to = '\0';
}

/* The value after the character set and the language of "UTF-8'en'..."; NULL: malformed. */
static char *
extended_value(char *text)
{
	char *end = strncasecmp(text, "UTF-8'", 6) == 0 ? strchr(text + 6, '\'') : NULL;

	return end != NULL ? end + 1 : NULL;
}

bool
field_file_name(const Field *field, const char **name)
{
	char *plain = field_parameter(field, "filename");
	char *extended = field_parameter(field, "filename*");
	char *text = plain;

	*name = NULL;
	if (extended != NULL)
	{
		text = extended_value(extended);
		if (text == NULL || !decode_all(text))
			return false;
	}
	else if (plain != NULL)
		decode_browser(plain);
	if (text == NULL)
		return true;
	for (char *c = text; *c != '\0'; c++)
		if (*c == '/' || *c == '\\')
			text = c + 1;
	*name = text;
	return text_valid_utf8(text, strlen(text));
}
