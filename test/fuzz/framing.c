/*
 * framing.c - fuzzing target: the bytes of a connection, as receive.c and guard.c see them.
 *
 * What is passed on to the library is parsed once more here, strictly by RFC 9112: it must be
 * complete requests of a few forms, as many as there are heads, with no more bytes than there is room
 * for, and the same whatever the pieces in which the bytes arrive.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "answer/answer.h"
#include "fuzz.h"
#include "net/net.h"

/* Skip the word if the text continues with it; return whether it does. */
static bool
skip(const char **text, const char *word)
{
	if (strncmp(*text, word, strlen(word)) != 0)
		return false;
	*text += strlen(word);
	return true;
}

/* Skip a number of bytes and a word; false when they are not all there. */
static bool
skip_bytes(const char **text, const char *end, unsigned long long size, const char *word)
{
	if ((unsigned long long) (end - *text) < size + strlen(word))
		return false;
	*text += size;
	MUST_HOLD(skip(text, word));
	return true;
}

/* Skip a chunked body; false when it is incomplete. */
static bool
skip_chunks(const char **text, const char *end)
{
	while (!skip(text, "0\r\n\r\n"))
	{
		char *stop;
		unsigned long long size;

		if (*text == end)
			return false;
		size = strtoull(*text, &stop, 16);
		MUST_HOLD(stop > *text && size > 0);
		*text = stop;
		MUST_HOLD(skip(text, "\r\n"));
		if (!skip_bytes(text, end, size, "\r\n"))
			return false;
	}
	return true;
}

/* Skip a request; false when its body is incomplete. */
static bool
skip_request(const char **text, const char *end)
{
	unsigned long long size = 0;
	bool chunked;

	MUST_HOLD(skip(text, "GET / HTTP/1.") || skip(text, "HEAD / HTTP/1."));
	MUST_HOLD(skip(text, "1\r\nHost:\r\n") || skip(text, "0\r\n"));
	if (skip(text, "Content-Length:"))
	{
		char *stop;

		size = strtoull(*text, &stop, 10);
		MUST_HOLD(stop > *text);
		*text = stop;
		MUST_HOLD(skip(text, "\r\n"));
	}
	chunked = skip(text, "Transfer-Encoding:chunked\r\n");
	skip(text, "Expect:100-continue\r\n");
	(void) (skip(text, "Connection:close\r\n") || skip(text, "Connection:keep-alive\r\n"));
	MUST_HOLD(skip(text, "\r\n"));
	return chunked ? skip_chunks(text, end) : skip_bytes(text, end, size, "");
}

/*
 * Read the bytes in pieces of a size; return what is written, for free(), with a zero byte after it.
 */
static char *
read_in_pieces(Framing *framing, const char *bytes, size_t length, size_t piece, size_t *written)
{
	char *text = malloc(length + FRAMING_GROWTH + 1);

	MUST_HOLD(text != NULL);
	framing_init(framing);
	*written = 0;
	for (size_t at = 0; at < length; at += piece)
	{
		size_t size = length - at < piece ? length - at : piece;
		char *out = malloc(size + FRAMING_GROWTH);
		size_t more = framing_read(framing, bytes + at, size, out);

		MUST_HOLD(more <= size + FRAMING_GROWTH && *written + more <= length + FRAMING_GROWTH);
		memcpy(text + *written, out, more);
		*written += more;
		free(out);
	}
	text[*written] = '\0';
	return text;
}

/* The lines of a request that was accepted. */
typedef struct Lines
{
	int lengths;
	int codings;
	int hosts;
} Lines;

static void
count_line(void *cls, const char *name, const char *value)
{
	Lines *lines = cls;

	lines->lengths += strcasecmp(name, "Content-Length") == 0;
	lines->codings += strcasecmp(name, "Transfer-Encoding") == 0;
	lines->hosts += strcasecmp(name, "Host") == 0;
	MUST_HOLD(text_is_token(name) && strpbrk(value, "\r\n") == NULL);
}

/* The end of an accepted request is unambiguous: it has one length or one coding, and one host. */
static void
check_request(Head *head, const Framing *framing)
{
	Request *request = fuzz_request("");
	Lines lines = {0};

	head_split(head, !framing_refused(framing));
	head_fields(head, count_line, &lines);
	request->head = head;
	request->target = head->target;
	request->client->framing.state = framing->heads == NULL ? framing->state : FRAMING_HEAD;
	request->client->framing.refusal = framing->refusal;
	if (guard_request(request) == NEXT && guard_length(request) == NEXT)
	{
		MUST_HOLD(request->target[0] == '/' && lines.lengths + lines.codings <= 1);
		MUST_HOLD(lines.hosts <= 1 && !framing_refused(framing));
	}
	else
		MUST_HOLD(request->answer.status >= 400 && request->answer.close);
	request_free(request);
}

void
fuzz_one(char *text, size_t length)
{
	size_t piece = length > 0 ? (unsigned char) text[length - 1] % 61 + 1 : 1;
	Framing framing;
	Framing other;
	size_t written;
	size_t again;
	char *whole = read_in_pieces(&framing, text, length, length, &written);
	char *pieces = read_in_pieces(&other, text, length, piece, &again);
	const char *place = whole;
	int requests = 0;

	MUST_HOLD(written == again && memcmp(whole, pieces, written) == 0);
	MUST_HOLD(framing.refusal.status == other.refusal.status && framing.state == other.state);
	while (place < whole + written)
	{
		requests++;
		if (!skip_request(&place, whole + written))
			break;
	}
	for (Head *head; (head = framing_take(&framing)) != NULL; requests--)
		check_request(head, &framing);
	MUST_HOLD(requests == 0);
	framing_free(&framing);
	framing_free(&other);
	free(whole);
	free(pieces);
}
