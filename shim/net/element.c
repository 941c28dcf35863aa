/*
 * element.c - comma-separated lists in header fields, and Accept (RFC 9110, 12.5.1).
 */
#include <ctype.h>

#include "net/header.h"

#define BLANKS " \t"

/* The end of what begins at text: the next of the given characters outside of quotes. */
static const char *
find_end(const char *text, const char *stops)
{
	bool quoted = false;

	for (; *text != '\0'; text++)
	{
		if (*text == '\\' && quoted && text[1] != '\0')
			text++;
		else if (*text == '"')
			quoted = !quoted;
		else if (!quoted && strchr(stops, *text) != NULL)
			break;
	}
	return text;
}

bool
element_next(const char **list, Element *element)
{
	const char *text = *list + strspn(*list, ", \t");
	const char *stop;

	if (*text == '\0')
		return false;
	element->text = text;
	element->end = find_end(text, ",");
	stop = find_end(text, ",;");
	element->parameters = stop;
	while (stop > text && isspace((unsigned char) stop[-1]))
		stop--;
	element->length = (size_t) (stop - text);
	*list = element->end;
	return true;
}

const char *
element_parameter(const Element *element, const char *name, size_t *length)
{
	const char *parameter = element->parameters;
	size_t named = strlen(name);

	while (parameter < element->end && *parameter == ';')
	{
		const char *end;

		parameter += 1 + strspn(parameter + 1, BLANKS);
		end = find_end(parameter, ",; \t");
		if (strncasecmp(parameter, name, named) == 0 && parameter[named] == '=')
		{
			const char *value = parameter + named + 1;

			*length = (size_t) (end - value);
			if (*length < 2 || *value != '"' || end[-1] != '"')
				return value;
			*length -= 2;
			return value + 1;
		}
		parameter = find_end(parameter, ",;");
	}
	return NULL;
}

int
element_quality(const Element *element)
{
	size_t length;
	const char *quality = element_parameter(element, "q", &length);
	double value = quality != NULL ? strtod(quality, NULL) : 1;

	return value >= 0 && value <= 1 ? (int) (value * 1000) : 0;
}

bool
element_equals(const char *text, size_t length, const char *expected)
{
	return length == strlen(expected) && strncasecmp(text, expected, length) == 0;
}

bool
element_accepted(const char *list, const char *expected)
{
	Element element;

	while (list != NULL && element_next(&list, &element))
		if (element_equals(element.text, element.length, expected))
			return element_quality(&element) > 0;
	return false;
}

/* How closely a media range matches a type: 0 not, 1 all types, 2 the main type, 3 exactly. */
static int
closeness(const Element *range, const char *type, const char *subtype)
{
	const char *slash = memchr(range->text, '/', range->length);
	size_t main;

	if (slash == NULL)
		return element_equals(range->text, range->length, "*") ? 1 : 0;
	main = (size_t) (slash - range->text);
	if (element_equals(range->text, range->length, "*/*"))
		return 1;
	if (!element_equals(range->text, main, type))
		return 0;
	if (element_equals(slash + 1, range->length - main - 1, "*"))
		return 2;
	return element_equals(slash + 1, range->length - main - 1, subtype) ? 3 : 0;
}

int
element_media_type_quality(const char *accept, const char *type, const char *subtype)
{
	const char *list = accept;
	Element range;
	int best = 0;
	int value = 0;

	while (element_next(&list, &range))
	{
		int match = closeness(&range, type, subtype);

		if (match <= best)
			continue;
		best = match;
		value = element_quality(&range);
	}
	return value;
}

bool
element_media_type(const char *accept)
{
	return accept != NULL && accept[strspn(accept, BLANKS)] != '\0';
}
