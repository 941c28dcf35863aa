/*
 * header.c - methods, header fields that the service reads, with their lists and parameters.
 */
#include <arpa/inet.h>
#include <ctype.h>

#include "net/header.h"
#include "net/net.h"

/*
 * RFC 9110, 5.6.6; of file names also RFC 8187, and what browsers make of quotes (RFC 7578, 5.1).
 */

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
media_type_quality(const char *accept, const char *type, const char *subtype)
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
media_type_given(const char *accept)
{
	return accept != NULL && accept[strspn(accept, BLANKS)] != '\0';
}

#define NAME_MAXIMUM 128 /* characters of a request id of the client */

/* May a field be sent once only, or several times as one list? */
typedef enum Plurality
{
	ONCE,
	LIST
} Plurality;

typedef struct Known
{
	const char *name;
	Plurality plurality;
	bool of_pages; /* a page may set it: neither the browser nor a proxy does */
} Known;

static const Known known_headers[HEADER_COUNT] = {
#define HEADER(name, text, plurality, of_pages) {text, plurality, of_pages},
#include "net/header_list.h"
};

const char *const verb_names[VERB_COUNT] = {
	[VERB_GET] = "GET",			[VERB_HEAD] = "HEAD",	[VERB_POST] = "POST",
	[VERB_PATCH] = "PATCH",		[VERB_PUT] = "PUT",		[VERB_DELETE] = "DELETE",
	[VERB_OPTIONS] = "OPTIONS", [VERB_OTHER] = "OTHER",
};

const char *
header_of_pages(Header header)
{
	return known_headers[header].of_pages ? known_headers[header].name : NULL;
}

typedef struct Search
{
	Request *request;
	bool repeated; /* a field that may be sent once only */
} Search;

/* Keep a field if it is a known one. */
static void
keep_header(void *cls, const char *name, const char *value)
{
	Search *search = cls;

	for (Header i = 0; i < HEADER_COUNT; i++)
	{
		const Known *known = &known_headers[i];
		const char **place = &search->request->headers[i];

		if ((name[0] | 0x20) != (known->name[0] | 0x20) || strcasecmp(name, known->name) != 0)
			continue;
		if (*place == NULL)
			*place = value;
		else if (known->plurality == LIST)
			*place = arena_format(&search->request->arena, "%s, %s", *place, value);
		else
			search->repeated = true;
		break;
	}
}

/* May the client's request id be used: short, and of characters that need no escaping? */
static bool
is_request_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								 "-._~:=+/@#");

	return length > 0 && length <= NAME_MAXIMUM && name[length] == '\0';
}

bool
header_read(Request *request)
{
	Search search = {request, false};
	const char *name;

	/* The verb of a method; VERB_OTHER stays if it is not known. */
	for (Verb verb = 0; verb < VERB_OTHER; verb++)
		if (strcmp(request->head->method, verb_names[verb]) == 0)
			request->verb = verb;
	head_fields(request->head, keep_header, &search);
	name = request->headers[HEADER_REQUEST_ID];
	if (name != NULL && is_request_name(name))
		request->id = arena_text(&request->arena, name, strlen(name));
	return !search.repeated;
}

int64_t
header_content_length(const Request *request)
{
	const char *length = request->headers[HEADER_CONTENT_LENGTH];

	if (length == NULL)
		return -1;
	return strlen(length) > 18 ? INT64_MAX : strtoll(length, NULL, 10);
}

const char *
header_target_path(const char *target)
{
	static const char *const schemes[] = {"http://", "https://"};

	for (size_t i = 0; i < lengthof(schemes); i++)
	{
		size_t length = strlen(schemes[i]);

		if (strncasecmp(target, schemes[i], length) != 0)
			continue;
		target += length;
		target += strcspn(target, "/?");
		return *target == '/' ? target : "/";
	}
	return target;
}

void
header_name_next(HttpThread *thread, char *id)
{
	uint32_t name[] = {htonl(thread->run), htonl(++thread->serial)};

	text_hex(name, sizeof(name), id);
}

bool
header_date_read(const char *text, int64_t *seconds)
{
	static const char *const forms[] = {"%a, %d %b %Y %T GMT", "%A, %d-%b-%y %T GMT",
										"%a %b %e %T %Y"};

	for (size_t i = 0; i < lengthof(forms); i++)
	{
		struct tm date = {0};
		const char *end = strptime(text, forms[i], &date);

		if (end == NULL || *end != '\0')
			continue;
		*seconds = timegm(&date);
		return true;
	}
	return false;
}

const char *
header_date_write(Arena *arena, int64_t seconds)
{
	char text[sizeof("Thu, 01 Jan 1970 00:00:00 GMT")];
	time_t time = (time_t) seconds;
	struct tm date;

	if (gmtime_r(&time, &date) == NULL ||
		strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &date) == 0)
		return NULL;
	return arena_text(arena, text, strlen(text));
}
