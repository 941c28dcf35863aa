/*
 * framing.c - fuzzing target: a request's lines, as the door and the guard see them.
 *
 * What both let pass is read once more here, by the letter of RFC 9112: its end must be certain.
 */
#include "../../shim/door.c"

#include "fuzz.h"

typedef struct Line
{
	char *name;
	char *value;
} Line;

static Line lines[LINES_MAXIMUM + 1];
static int line_count;

/* Stands for the one of libmicrohttpd. */
int
MHD_get_connection_values(struct MHD_Connection *connection, enum MHD_ValueKind kind,
						  MHD_KeyValueIterator iterator, void *cls)
{
	(void) connection;
	for (int i = 0; i < line_count; i++)
		if (iterator(cls, kind, lines[i].name, lines[i].value) != MHD_YES)
			break;
	return line_count;
}

/* So; the lines are not laid out here as that one has them. */
const char *
MHD_get_version(void)
{
	return "";
}

/* Cut the header lines, of which the door has said that they end as they must. */
static void
cut_lines(char *text)
{
	line_count = 0;
	while (strncmp(text, "\r\n", 2) != 0)
	{
		char *end = strstr(text, "\r\n");
		char *colon = strchr(text, ':');

		MUST_HOLD(end != NULL && colon != NULL && colon < end && line_count <= LINES_MAXIMUM);
		*end = *colon++ = '\0';
		colon += strspn(colon, " \t");
		for (char *last = end; last > colon && (last[-1] == ' ' || last[-1] == '\t');)
			*--last = '\0';
		lines[line_count++] = (Line){text, colon};
		text = end + 2;
	}
}

static int
count(const char *name)
{
	int found = 0;

	for (int i = 0; i < line_count; i++)
		found += strcasecmp(lines[i].name, name) == 0;
	return found;
}

/* The request's end is certain: what was let pass has one length, or one coding, and one host. */
static void
check_certain(const Request *request, bool modern)
{
	const char *length = request->headers[HEADER_CONTENT_LENGTH];
	const char *coding = request->headers[HEADER_TRANSFER_ENCODING];

	MUST_HOLD(count("Content-Length") + count("Transfer-Encoding") <= 1);
	MUST_HOLD(length == NULL || (*length != '\0' && length[strspn(length, "0123456789")] == '\0'));
	MUST_HOLD(coding == NULL || (modern && strcasecmp(coding, "chunked") == 0));
	MUST_HOLD(count("Host") <= 1 && (!modern || count("Host") == 1));
	for (int i = 0; i < line_count; i++)
		MUST_HOLD(text_is_token(lines[i].name) && strpbrk(lines[i].value, "\r\n") == NULL);
}

void
fuzz_one(char *text, size_t length)
{
	Look look = judge(text, length);
	char *target;
	char *version;
	char *rest;
	Request *request;

	MUST_HOLD(look.bytes <= length);
	if (look.status != 0 || !look.whole)
		return;
	target = strchr(text, ' ');
	rest = strstr(text, "\r\n");
	MUST_HOLD(target != NULL && rest != NULL && target < rest);
	*rest = *target++ = '\0';
	version = strrchr(target, ' ');
	MUST_HOLD(version != NULL);
	*version++ = '\0';
	cut_lines(rest + 2);
	request = fuzz_request(target);
	if (guard_request(request, text, version, NULL))
	{
		MUST_HOLD(request->target[0] == '/');
		check_certain(request, strcmp(version, "HTTP/1.1") == 0);
	}
	else
		MUST_HOLD(request->answer.status >= 400 && request->answer.close);
	request_free(request);
}
