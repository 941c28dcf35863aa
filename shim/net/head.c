/*
 * head.c - the request line and the header lines of one request.
 *
 * What RFC 9112 lets a server decide (line feeds alone, folded lines, blanks around names) is refused:
 * servers that decide differently would see different requests.
 */
#include <ctype.h>
#include <strings.h>

#include "net/framing.h"

#define METHOD_LEAST 3 /* letters of the shortest registered methods */
#define METHOD_MAXIMUM 32
#define LENGTH_DIGITS 18 /* of a Content-Length, without leading zeros */

static const HeadFault sound = {0};

static HeadFault
fault(int status, const char *message)
{
	return (HeadFault){status, message};
}

static bool
is_token(const char *bytes, size_t length)
{
	return length > 0 && text_token_length(bytes, length) == length;
}

static bool
equals(const char *bytes, size_t length, const char *word)
{
	return length == strlen(word) && strncasecmp(bytes, word, length) == 0;
}

HeadFault
head_request_line(HeadFacts *facts, const char *line, size_t length)
{
	const char *blank = memchr(line, ' ', length);
	const char *last = blank ? memrchr(line, ' ', length) : NULL;
	size_t method = blank ? (size_t) (blank - line) : 0;

	if (blank == last || line + length - last != 9 || method < METHOD_LEAST ||
		method > METHOD_MAXIMUM || !is_token(line, method))
		return fault(400, "malformed request line");
	if (memcmp(last, " HTTP/1.", 8) != 0 || (last[8] != '0' && last[8] != '1'))
		return fault(400, "HTTP version not supported");
	if (last - blank - 1 > TARGET_MAXIMUM)
		return fault(414, NULL);
	if (last - blank < 2)
		return fault(400, "malformed request target");
	for (const char *c = blank + 1; c < last; c++)
		if ((unsigned char) *c <= ' ' || *c == 0x7F)
			return fault(400, "malformed request target");
	facts->modern = last[8] == '1';
	facts->head = method == 4 && memcmp(line, "HEAD", method) == 0;
	return sound;
}

static HeadFault
take_length(HeadFacts *facts, const char *value, size_t length)
{
	if (facts->sized)
		return fault(400, "header given more than once");
	facts->sized = true;
	for (size_t i = 0; i < length; i++)
		if (!isdigit((unsigned char) value[i]))
			length = 0;
	if (length == 0)
		return fault(400, "malformed Content-Length");
	while (length > 0 && *value == '0')
	{
		value++;
		length--;
	}
	if (length > LENGTH_DIGITS)
		return fault(413, NULL);
	for (facts->length = 0; length > 0; length--)
		facts->length = facts->length * 10 + (uint64_t) (*value++ - '0');
	return sound;
}

static HeadFault
take_coding(HeadFacts *facts, const char *value, size_t length)
{
	if (facts->coded)
		return fault(400, "header given more than once");
	facts->coded = true;
	facts->chunked = equals(value, length, "chunked");
	return sound;
}

/* Read a comma-separated list. */
static HeadFault
take_connection(HeadFacts *facts, const char *value, size_t length)
{
	const char *end = value + length;

	while (value < end)
	{
		size_t size;

		while (value < end && (*value == ' ' || *value == '\t' || *value == ','))
			value++;
		for (size = 0; value + size < end && strchr(" \t,", value[size]) == NULL;)
			size++;
		facts->close |= equals(value, size, "close");
		facts->keep_alive |= equals(value, size, "keep-alive");
		value += size;
	}
	return sound;
}

static HeadFault
take_expectation(HeadFacts *facts, const char *value, size_t length)
{
	facts->expects |= equals(value, length, "100-continue");
	return sound;
}

static HeadFault
take_host(HeadFacts *facts, const char *value, size_t length)
{
	facts->host = true;
	return sound;
}

static const struct
{
	const char *name;
	HeadFault (*take)(HeadFacts *facts, const char *value, size_t length);
	bool frames; /* determines the end of the body */
} known_fields[] = {
	{"Content-Length", take_length, true},
	{"Transfer-Encoding", take_coding, true},
	{"Connection", take_connection, false},
	{"Expect", take_expectation, false},
	{"Host", take_host, false},
};

/* Length of the name of a well-formed line, 0 if it is malformed. */
static size_t
name_length(const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);
	size_t rest;

	if (colon == NULL || !is_token(line, (size_t) (colon - line)))
		return 0;
	rest = (size_t) (line + length - colon);
	if (memchr(colon, '\0', rest) != NULL || memchr(colon, '\r', rest) != NULL)
		return 0;
	return (size_t) (colon - line);
}

HeadFault
head_field_line(HeadFacts *facts, const char *line, size_t length)
{
	size_t name = name_length(line, length);

	if (name == 0)
		return fault(400, "malformed header");
	if (strchr("cCeEhHtT", *line) == NULL)
		return sound;
	for (size_t i = 0; i < lengthof(known_fields); i++)
	{
		size_t known = strlen(known_fields[i].name);

		if (name < known || strncasecmp(line, known_fields[i].name, known) != 0)
			continue;
		/* a longer name that begins like a field of framing comes from a broken program */
		if (name > known && known_fields[i].frames)
			return fault(400, "malformed header");
		if (name > known)
			continue;
		for (name++; name < length && (line[name] == ' ' || line[name] == '\t');)
			name++;
		while (length > name && (line[length - 1] == ' ' || line[length - 1] == '\t'))
			length--;
		return known_fields[i].take(facts, line + name, length - name);
	}
	return sound;
}

HeadFault
head_trailer_line(const char *line, size_t length)
{
	HeadFacts facts = {0};
	HeadFault found = head_field_line(&facts, line, length);

	if (found.status == 0 && (facts.sized || facts.coded || facts.host))
		return fault(400, "malformed trailer");
	return found;
}

HeadFault
head_facts_agree(const HeadFacts *facts)
{
	if (facts->sized && facts->coded)
		return fault(400, "both Content-Length and Transfer-Encoding");
	if (facts->coded && !facts->chunked)
		return fault(501, "transfer coding not supported");
	if (facts->coded && !facts->modern)
		return fault(400, "Transfer-Encoding needs HTTP/1.1");
	if (facts->modern && !facts->host)
		return fault(400, "no Host");
	return sound;
}

Head *
head_new(const char *bytes, size_t length)
{
	Head *head = malloc(sizeof(Head) + length + 1);

	if (head == NULL)
		return NULL;
	*head = (Head){.length = length};
	memcpy(head->bytes, bytes, length);
	head->bytes[length] = '\0';
	return head;
}

/* Terminate a line, and return the next one; NULL: there is none. */
static char *
cut_line(char *line, const char *end)
{
	char *stop = memchr(line, '\n', (size_t) (end - line));

	if (stop == NULL)
		return NULL;
	*stop = '\0';
	if (stop > line && stop[-1] == '\r')
		stop[-1] = '\0';
	return stop + 1;
}

/* Split the request line, which is terminated, into words. */
static void
split_request_line(Head *head)
{
	char *blank = strchr(head->bytes, ' ');

	head->method = head->bytes;
	head->target = "";
	if (blank == NULL)
		return;
	*blank = '\0';
	head->target = blank + 1;
	blank[1 + strcspn(blank + 1, " \r")] = '\0';
}

/* Write name and value of a line at or before its position; returns the end of them. */
static char *
split_field(const char *line, size_t length, char *out)
{
	const char *colon = memchr(line, ':', length);
	const char *value = colon + 1;
	const char *end = line + length;

	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	memmove(out, line, (size_t) (colon - line));
	out += colon - line;
	*out++ = '\0';
	memmove(out, value, (size_t) (end - value));
	out += end - value;
	*out++ = '\0';
	return out;
}

void
head_split(Head *head, bool sound_lines)
{
	char *end = head->bytes + head->length;
	char *line = cut_line(head->bytes, end);
	char *out = line;

	split_request_line(head);
	head->fields = out;
	while (line != NULL && line < end)
	{
		char *next = cut_line(line, end);
		size_t length = next ? (size_t) (next - line - 1) : (size_t) (end - line);

		length -= length > 0 && line[length - 1] == '\0';
		if (length == 0)
			break;
		if (sound_lines || name_length(line, length) > 0)
			out = split_field(line, length, out);
		line = next;
	}
	head->fields_end = out;
}

void
head_fields(const Head *head, void (*field)(void *cls, const char *name, const char *value),
			void *cls)
{
	const char *name = head->fields;

	while (name < head->fields_end)
	{
		const char *value = name + strlen(name) + 1;

		field(cls, name, value);
		name = value + strlen(value) + 1;
	}
}
