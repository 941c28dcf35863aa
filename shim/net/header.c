/*
 * header.c - methods, and header fields that the service reads.
 */
#include <arpa/inet.h>
#include <ctype.h>

#include "net/header.h"
#include "net/net.h"

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
		const char **slot = &search->request->headers[i];

		if ((name[0] | 0x20) != (known->name[0] | 0x20) || strcasecmp(name, known->name) != 0)
			continue;
		if (*slot == NULL)
			*slot = value;
		else if (known->plurality == LIST)
			*slot = arena_format(&search->request->arena, "%s, %s", *slot, value);
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
