/*
 * header.c - methods and header fields that the service reads.
 */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "net/header.h"
#include "net/net.h"

#define NAME_MAXIMUM 128 /* characters of a request id of the client */

/* May a field be sent once only, or several times as one list? */
typedef enum Plurality
{
	ONCE,
	LIST
} Plurality;

static const struct
{
	const char *name;
	Plurality plurality;
	bool of_pages; /* a page may set it: neither the browser nor a proxy does */
} known_headers[HEADER_COUNT] = {
	[HEADER_ACCEPT] = {"Accept", LIST, true},
	[HEADER_ACCEPT_ENCODING] = {"Accept-Encoding", LIST, false},
	[HEADER_ACCEPT_LANGUAGE] = {"Accept-Language", LIST, false},
	[HEADER_AUTHORIZATION] = {"Authorization", ONCE, true},
	[HEADER_API_KEY] = {"apikey", ONCE, true},
	[HEADER_CONSUMER] = {"X-Consumer-Username", ONCE, false},
	[HEADER_ADMIN_AUTHORIZATION] = {"X-Admin-Authorization", ONCE, true},
	[HEADER_CONTENT_LENGTH] = {"Content-Length", ONCE, false},
	[HEADER_CONTENT_TYPE] = {"Content-Type", ONCE, true},
	[HEADER_EXPECT] = {"Expect", ONCE, false},
	[HEADER_FORWARDED_FOR] = {"X-Forwarded-For", LIST, false},
	[HEADER_FORWARDED_HOST] = {"X-Forwarded-Host", LIST, false},
	[HEADER_FORWARDED_PROTO] = {"X-Forwarded-Proto", LIST, false},
	[HEADER_HOST] = {"Host", ONCE, false},
	[HEADER_IDEMPOTENCY_KEY] = {"Idempotency-Key", ONCE, true},
	[HEADER_IF_MATCH] = {"If-Match", LIST, true},
	[HEADER_IF_NONE_MATCH] = {"If-None-Match", LIST, true},
	[HEADER_ORIGIN] = {"Origin", ONCE, false},
	[HEADER_PREFER] = {"Prefer", LIST, true},
	[HEADER_PREFLIGHT_METHOD] = {"Access-Control-Request-Method", ONCE, false},
	[HEADER_REQUEST_ID] = {"X-Request-Id", LIST, true},
	[HEADER_TRANSFER_ENCODING] = {"Transfer-Encoding", ONCE, false},
	[HEADER_USER_AGENT] = {"User-Agent", LIST, true},
};

const char *const verb_names[VERB_COUNT] = {
	[VERB_GET] = "GET",			[VERB_HEAD] = "HEAD",	[VERB_POST] = "POST",
	[VERB_PATCH] = "PATCH",		[VERB_PUT] = "PUT",		[VERB_DELETE] = "DELETE",
	[VERB_OPTIONS] = "OPTIONS", [VERB_OTHER] = "OTHER",
};

static const struct
{
	const char *name;
	bool list;
} transfer_headers[FIELD_COUNT] = {
	[FIELD_DISPOSITION] = {"Content-Disposition", false},
	[FIELD_REPR_DIGEST] = {"Repr-Digest", true},
	[FIELD_CONTENT_DIGEST] = {"Content-Digest", true},
	[FIELD_DIGEST] = {"Digest", true},
	[FIELD_COMPLETE] = {"Upload-Complete", false},
	[FIELD_OFFSET] = {"Upload-Offset", false},
	[FIELD_LENGTH] = {"Upload-Length", false},
	[FIELD_RANGE] = {"Range", true},
	[FIELD_IF_RANGE] = {"If-Range", false},
};

const char *
header_of_pages(Header header)
{
	return known_headers[header].of_pages ? known_headers[header].name : NULL;
}

const char *
header_transfer_name(TransferHeader header)
{
	return transfer_headers[header].name;
}

typedef struct Search
{
	Request *request;
	const char **values;
	bool repeated; /* a field that may be sent once only */
} Search;

/* Keep a field if it is one of known_headers. */
static void
keep_header(void *cls, const char *name, const char *value)
{
	Search *search = cls;

	for (Header i = 0; i < HEADER_COUNT; i++)
	{
		const char **place = &search->values[i];

		if ((name[0] | 0x20) != (known_headers[i].name[0] | 0x20) ||
			strcasecmp(name, known_headers[i].name) != 0)
			continue;
		if (*place == NULL)
			*place = value;
		else if (known_headers[i].plurality == LIST)
			*place = arena_format(&search->request->arena, "%s, %s", *place, value);
		else
			search->repeated = true;
		break;
	}
}

/* The verb of a method; VERB_OTHER stays if it is not known. */
static void
read_method(Request *request, const char *method)
{
	for (Verb verb = 0; verb < VERB_OTHER; verb++)
		if (strcmp(method, verb_names[verb]) == 0)
			request->verb = verb;
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
	Search search = {request, request->headers, false};
	const char *name;

	read_method(request, request->head->method);
	head_fields(request->head, keep_header, &search);
	name = request->headers[HEADER_REQUEST_ID];
	if (name != NULL && is_request_name(name))
		request->id = arena_text(&request->arena, name, strlen(name));
	return !search.repeated;
}

/* Keep a field if it is one of transfer_headers. */
static void
keep_transfer_header(void *cls, const char *name, const char *value)
{
	Search *search = cls;

	for (TransferHeader i = 0; i < FIELD_COUNT; i++)
	{
		const char **place = &search->values[i];

		if (strcasecmp(name, transfer_headers[i].name) != 0)
			continue;
		search->repeated |= *place != NULL && !transfer_headers[i].list;
		*place =
			*place == NULL ? value : arena_format(&search->request->arena, "%s, %s", *place, value);
	}
}

bool
header_transfer_read(Request *request, const char *values[FIELD_COUNT])
{
	Search search = {request, values, false};

	for (TransferHeader i = 0; i < FIELD_COUNT; i++)
		values[i] = NULL;
	head_fields(request->head, keep_transfer_header, &search);
	return !search.repeated;
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
header_name_next(Worker *worker, char *id)
{
	uint32_t name[] = {htonl(worker->run), htonl(++worker->serial)};

	text_hex(name, sizeof(name), id);
}
