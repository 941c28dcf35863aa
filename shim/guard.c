/*
 * guard.c - refuse what servers in a row could understand differently, and what is too large.
 *
 * libmicrohttpd 0.9.75 lets through several shapes by which one request can be smuggled inside
 * another.  Whatever is doubtful about the framing ends with the connection being closed, so that
 * nothing that follows on it is taken for a request.
 */
#include <ctype.h>
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
} known_headers[HEADER_COUNT] = {
	[HEADER_ACCEPT] = {"Accept", LIST},
	[HEADER_AUTHORIZATION] = {"Authorization", ONCE},
	[HEADER_API_KEY] = {"apikey", ONCE},
	[HEADER_CONSUMER] = {"X-Consumer-Username", ONCE},
	[HEADER_ADMIN_AUTHORIZATION] = {"X-Admin-Authorization", ONCE},
	[HEADER_CONTENT_LENGTH] = {"Content-Length", ONCE},
	[HEADER_CONTENT_TYPE] = {"Content-Type", ONCE},
	[HEADER_EXPECT] = {"Expect", ONCE},
	[HEADER_FORWARDED_FOR] = {"X-Forwarded-For", LIST},
	[HEADER_FORWARDED_HOST] = {"X-Forwarded-Host", LIST},
	[HEADER_FORWARDED_PROTO] = {"X-Forwarded-Proto", LIST},
	[HEADER_HOST] = {"Host", ONCE},
	[HEADER_IF_MATCH] = {"If-Match", LIST},
	[HEADER_IF_NONE_MATCH] = {"If-None-Match", LIST},
	[HEADER_ORIGIN] = {"Origin", ONCE},
	[HEADER_PREFER] = {"Prefer", LIST},
	[HEADER_PREFLIGHT_METHOD] = {"Access-Control-Request-Method", ONCE},
	[HEADER_REQUEST_ID] = {"X-Request-Id", LIST},
	[HEADER_TRANSFER_ENCODING] = {"Transfer-Encoding", ONCE},
};

const char *const verb_names[VERB_COUNT] = {
	[VERB_GET] = "GET",			[VERB_HEAD] = "HEAD",	[VERB_POST] = "POST",
	[VERB_PATCH] = "PATCH",		[VERB_PUT] = "PUT",		[VERB_DELETE] = "DELETE",
	[VERB_OPTIONS] = "OPTIONS", [VERB_OTHER] = "OTHER",
};

static bool
refuse(Request *request, int status, const char *message)
{
	error_set(request, status, message);
	request->answer.close = true;
	return false;
}

/* libmicrohttpd keeps a request's lines in one piece, as they came but for what ended them. */
#define LAYOUT_VERSION "0.9.75"

typedef struct Scan
{
	Request *request;
	size_t bytes;
	const char *fault;
	const char *line; /* where the next line begins when all is as it looks; NULL: not known */
} Scan;

/* Headers of framing under a name that only begins like theirs: a folded or broken line. */
static bool
imitates(const char *name)
{
	static const Header framing[] = {HEADER_CONTENT_LENGTH, HEADER_TRANSFER_ENCODING};

	for (size_t i = 0; i < lengthof(framing); i++)
	{
		const char *real = known_headers[framing[i]].name;

		if (strncasecmp(name, real, strlen(real)) == 0 && name[strlen(real)] != '\0')
			return true;
	}
	return false;
}

/*
 * Is the header the whole of the next line: name, colon, blanks, value, carriage return, line feed?
 *
 * What is not has been put together by libmicrohttpd, which takes a line feed or a carriage return
 * alone for an end, joins folded lines, and shows a value up to a zero byte.
 */
static bool
fills_line(Scan *scan, const char *name, const char *value)
{
	const char *c = name + strlen(name) + 1;

	if (name != scan->line)
		return false;
	while (c != value && (*c == ' ' || *c == '\t'))
		c++;
	scan->line = value + strlen(value) + 2;
	return c == value && strchr(value, '\r') == NULL && scan->line[-1] == '\0';
}

/*
 * Called for each header: check its name, keep it if it is one that we read.  After a fault too:
 * the name of the request may follow.
 */
static enum MHD_Result
scan_header(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	Scan *scan = cls;
	Request *request = scan->request;

	(void) kind;
	value = value ? value : "";
	scan->bytes += strlen(name) + strlen(value) + 4;
	if (!text_is_token(name) || imitates(name) ||
		(scan->line != NULL && scan->fault == NULL && !fills_line(scan, name, value)))
		scan->fault = "malformed header";
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
			scan->fault = "header given more than once";
		break;
	}
	return MHD_YES;
}

/* Lengths and codings: exactly one way to find the end of the body. */
static bool
guard_framing(Request *request, const char *version)
{
	const char *length = request->headers[HEADER_CONTENT_LENGTH];
	const char *coding = request->headers[HEADER_TRANSFER_ENCODING];
	size_t digits = length ? strspn(length, "0123456789") : 0;
	bool modern = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;

	if (length != NULL && coding != NULL)
		return refuse(request, 400, "both Content-Length and Transfer-Encoding");
	if (coding != NULL && strcasecmp(coding, "chunked") != 0)
		return refuse(request, 501, "transfer coding not supported");
	if (coding != NULL && !modern)
		return refuse(request, 400, "Transfer-Encoding needs HTTP/1.1");
	if (length != NULL && (digits == 0 || length[digits] != '\0'))
		return refuse(request, 400, "malformed Content-Length");
	if (modern && request->headers[HEADER_HOST] == NULL)
		return refuse(request, 400, "no Host");
	if (!modern && strcmp(version, MHD_HTTP_VERSION_1_0) != 0)
		return refuse(request, 400, "HTTP version not supported");
	return true;
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
	const char *target = request->target;

	if (strlen(target) > TARGET_MAXIMUM)
		return refuse(request, 414, NULL);
	target = request->target = guard_path(target);
	if (target[0] != '/')
		return refuse(request, 400, "the request target must begin with a slash");
	for (const char *c = target; *c != '\0'; c++)
		if ((unsigned char) *c <= ' ' || *c == 0x7F)
			return refuse(request, 400, "malformed request target");
	return true;
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

/* Where the first header begins, when the request line is as it looks; NULL when it is not. */
static const char *
first_line(const Request *request, const char *method, const char *version)
{
	const char *target = method + strlen(method) + 1;

	return version == target + strlen(request->target) + 1 ? version + strlen(version) + 2 : NULL;
}

/* Read all headers; false when they, or the lines that they stand in, are malformed. */
static bool
scan_lines(Scan *scan, const char *method, const char *version, struct MHD_Connection *connection)
{
	bool known = strcmp(MHD_get_version(), LAYOUT_VERSION) == 0;
	const union MHD_ConnectionInfo *size;

	if (known && (scan->line = first_line(scan->request, method, version)) == NULL)
		scan->fault = "malformed request line";
	MHD_get_connection_values(connection, MHD_HEADER_KIND, scan_header, scan);
	if (!known || scan->fault != NULL)
		return scan->fault == NULL;
	/* the empty line is the last of the header section */
	size = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	if (size == NULL || scan->line + 2 != method + size->header_size)
		scan->fault = "malformed header";
	return scan->fault == NULL;
}

bool
guard_request(Request *request, const char *method, const char *version,
			  struct MHD_Connection *connection)
{
	Scan scan = {.request = request};
	const char *name;
	bool good;

	read_method(request, method);
	good = scan_lines(&scan, method, version, connection);
	name = request->headers[HEADER_REQUEST_ID];
	if (name != NULL && is_request_name(name))
		request->id = arena_text(&request->arena, name, strlen(name));
	if (!good)
		return refuse(request, 400, scan.fault);
	if (scan.bytes > HEADERS_MAXIMUM)
		return refuse(request, 431, NULL);
	return guard_framing(request, version) && guard_target(request) &&
		   (upload_wanted(request) || guard_length(request));
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
