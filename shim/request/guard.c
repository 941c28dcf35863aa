/*
 * guard.c - the headers of a request: refuse what servers in a row could understand differently,
 * and what is too large.
 *
 * What is refused here ends with the connection being closed, so that nothing that follows on it is
 * taken for a request.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shim.h"

#define NAME_MAXIMUM 128 /* characters of a request's name */

/* What a header may be: sent once only, or several times as one list. */
typedef enum Plurality
{
	ONCE,
	LIST
} Plurality;

static const struct
{
	const char *name;
	Plurality plurality;
	bool of_pages; /* a page may send it: it is neither set by the browser nor by a proxy */
} known_headers[HEADER_COUNT] = {
	[HEADER_ACCEPT] = {"Accept", LIST, true},
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

const char *
guard_page_header(Header header)
{
	return known_headers[header].of_pages ? known_headers[header].name : NULL;
}

static bool
refuse(Request *request, int status, const char *message)
{
	error_set(request, status, message);
	request->answer.close = true;
	/* what follows may be on its way, and must not take the answer back */
	request->client->lingers = true;
	return false;
}

typedef struct Scan
{
	Request *request;
	bool twice; /* a header that may stand once only */
} Scan;

/* Called for each header: keep it if it is one that we read. */
static enum MHD_Result
scan_header(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	Scan *scan = cls;
	Request *request = scan->request;

	(void) kind;
	for (Header i = 0; i < HEADER_COUNT; i++)
	{
		if ((name[0] | 0x20) != (known_headers[i].name[0] | 0x20) ||
			strcasecmp(name, known_headers[i].name) != 0)
			continue;
		if (request->headers[i] == NULL)
			request->headers[i] = value;
		else if (known_headers[i].plurality == LIST)
			request->headers[i] =
				arena_format(&request->arena, "%s, %s", request->headers[i], value);
		else
			scan->twice = true;
		break;
	}
	return MHD_YES;
}

/*
 * A body that is too large by its own account.
 *
 * A client that waits for "100 Continue" is told at once.  Others are sending already: what is not
 * absurd is read and forgotten, because an answer with the connection closed under it gets lost.
 */
static bool
guard_length(Request *request)
{
	const char *length = request->headers[HEADER_CONTENT_LENGTH];
	int64_t limit = request->worker->settings->body_limit;
	long long bytes;

	if (length == NULL)
		return true;
	bytes = strlen(length) > 18 ? INT64_MAX : strtoll(length, NULL, 10);
	if (bytes <= limit)
		return true;
	request->discard = true;
	if (request->headers[HEADER_EXPECT] != NULL || bytes / 16 > limit)
		return refuse(request, 413, NULL);
	return true;
}

const char *
guard_path(const char *target)
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

static bool
guard_target(Request *request)
{
	request->target = guard_path(request->target);
	return request->target[0] == '/' ||
		   refuse(request, 400, "the request target must begin with a slash");
}

/* The verb of a method; one that the service does not know is on no path. */
static void
read_method(Request *request, const char *method)
{
	for (Verb verb = 0; verb < VERB_OTHER; verb++)
		if (strcmp(method, verb_names[verb]) == 0)
			request->verb = verb;
}

/* Is it a name that a request may keep: short, and of characters that need no care anywhere? */
static bool
is_request_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								 "-._~:=+/@#");

	return length > 0 && length <= NAME_MAXIMUM && name[length] == '\0';
}

bool
guard_refused(Request *request)
{
	const Framing *framing = &request->client->framing;

	if (!framing_refused(framing))
		return false;
	refuse(request, framing->refusal.status, framing->refusal.message);
	/* what has come may not be what was meant */
	if (upload_of(request) != NULL)
		upload_of(request)->resumable = false;
	return true;
}

bool
guard_request(Request *request)
{
	Scan scan = {.request = request};
	const char *name;

	read_method(request, request->head->method);
	head_fields(request->head, scan_header, &scan);
	name = request->headers[HEADER_REQUEST_ID];
	if (name != NULL && is_request_name(name))
		request->id = arena_text(&request->arena, name, strlen(name));
	if (guard_refused(request))
		return false;
	if (scan.twice)
		return refuse(request, 400, "header given more than once");
	return guard_target(request) && (upload_wanted(request) || guard_length(request));
}

/* Split the target into decoded words and the query; a fault here does no harm to the framing. */
bool
guard_split(Request *request)
{
	const char *end = strchrnul(request->target, '?');
	const char *word = request->target + 1;
	int parameters = 1;

	request->query = link_query(request, *end == '?' ? end + 1 : "");
	for (const char *c = request->query; *c != '\0'; c++)
		parameters += *c == '&';
	if (parameters > PARAMETERS_MAXIMUM)
		error_set(request, 400, "too many query parameters");
	else if (!text_valid_query(&request->arena, request->query))
		error_set(request, 400, "malformed query string");
	while (request->answer.status == 0 && word <= end)
	{
		const char *stop = memchr(word, '/', (size_t) (end - word));
		size_t length = (size_t) ((stop ? stop : end) - word);
		const char *text = text_percent_decode(&request->arena, word, length);

		if (text == NULL)
			error_set(request, 400, "malformed path");
		else if (request->words < SEGMENTS_MAXIMUM)
			request->path[request->words] = text;
		request->words++;
		word += length + 1;
	}
	return request->answer.status == 0;
}
