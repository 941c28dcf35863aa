/*
 * framing.c - where the requests of a connection begin and end; chunked bodies.
 *
 * All bytes of a connection pass through here before libmicrohttpd reads them.  Heads are kept for
 * guard.c.  The library gets in their place the shortest heads with the same meaning for the body
 * and the connection, and bodies without chunk extensions and trailers.  Therefore it cannot
 * interpret anything in another way, and need not store header fields.
 *
 * A malformed request is passed on as a complete one, so that its answer is sent in its turn.
 * Nothing that follows is read.
 */
#include <ctype.h>

#include "net/framing.h"

#define REQUEST_LINE_REST 64 /* bytes of a request line besides the target */
#define PART_MAXIMUM (TARGET_MAXIMUM + 2 * HEADERS_MAXIMUM)

/* What a read writes without having received it: a head kept before, and the end of a refused request. */
#define LONGEST_HEAD                                                    \
	"HEAD / HTTP/1.1\r\nHost:\r\nContent-Length:999999999999999999\r\n" \
	"Transfer-Encoding:chunked\r\nExpect:100-continue\r\nConnection:keep-alive\r\n\r\n"
#define LONGEST_REFUSAL "\r\n0\r\n\r\nHEAD / HTTP/1.1\r\nHost:\r\nConnection:close\r\n\r\n"
_Static_assert(sizeof(LONGEST_HEAD LONGEST_REFUSAL) <= FRAMING_GROWTH,
			   "FRAMING_GROWTH is too small");

void
framing_init(Framing *framing)
{
	*framing = (Framing){.last = &framing->heads};
	buffer_init(&framing->part, PART_MAXIMUM);
}

void
framing_free(Framing *framing)
{
	for (Head *head; (head = framing_take(framing)) != NULL;)
		free(head);
	buffer_free(&framing->part);
}

bool
framing_in_head(const Framing *framing)
{
	return framing->state == FRAMING_HEAD && framing->part.length > 0;
}

Head *
framing_take(Framing *framing)
{
	Head *head = framing->heads;

	if (head == NULL)
		return NULL;
	framing->heads = head->next;
	if (framing->heads == NULL)
		framing->last = &framing->heads;
	return head;
}

bool
framing_refused(const Framing *framing)
{
	return framing->state == FRAMING_REFUSED && framing->heads == NULL;
}

void
framing_pass(Framing *framing, size_t length)
{
	framing->left -= length;
	if (framing->left == 0)
		framing->state = framing->state == FRAMING_BODY ? FRAMING_HEAD : FRAMING_CHUNK_END;
}

static void
put(Framing *framing, const char *bytes, size_t length)
{
	if ((size_t) (framing->out_end - framing->out) < length)
	{
		framing->failed = true;
		return;
	}
	memcpy(framing->out, bytes, length);
	framing->out += length;
}

/* Write bytes for the library. */
static void
framing_put(Framing *framing, const char *text)
{
	put(framing, text, strlen(text));
}

static void
framing_put_number(Framing *framing, const char *format, uint64_t number)
{
	char text[48];

	snprintf(text, sizeof(text), format, (unsigned long long) number);
	framing_put(framing, text);
}

/* Refuse the request; a body that was passed on in part is ended. */
static void
framing_refuse(Framing *framing, HeadFault fault)
{
	static const char *const endings[] = {
		[FRAMING_SIZE] = "0\r\n\r\n",
		[FRAMING_CHUNK_END] = "\r\n0\r\n\r\n",
		[FRAMING_TRAILER] = "0\r\n\r\n",
		[FRAMING_REFUSED] = NULL,
	};

	if (endings[framing->state] != NULL)
		framing_put(framing, endings[framing->state]);
	framing->state = FRAMING_REFUSED;
	framing->refusal = fault;
}

/* Write a head with the same meaning as the facts. */
static void
put_head(Framing *framing)
{
	const HeadFacts *facts = &framing->facts;
	bool refused = framing->state == FRAMING_REFUSED;

	framing_put(framing, facts->head ? "HEAD" : "GET");
	framing_put(framing, facts->modern || refused ? " / HTTP/1.1\r\nHost:\r\n" : " / HTTP/1.0\r\n");
	if (facts->sized && !refused)
		framing_put_number(framing, "Content-Length:%llu\r\n", facts->length);
	if (facts->chunked && !refused)
		framing_put(framing, "Transfer-Encoding:chunked\r\n");
	if (facts->expects && !refused)
		framing_put(framing, "Expect:100-continue\r\n");
	if (facts->close || refused)
		framing_put(framing, "Connection:close\r\n");
	else if (facts->keep_alive && !facts->modern)
		framing_put(framing, "Connection:keep-alive\r\n");
	framing_put(framing, "\r\n");
}

/* Keep the head for framing_take(), and continue with the body. */
static void
end_head(Framing *framing, const char *bytes, size_t length)
{
	const HeadFacts *facts = &framing->facts;
	Head *head = head_new(bytes, length);

	if (head == NULL)
	{
		framing->failed = true;
		return;
	}
	*framing->last = head;
	framing->last = &head->next;
	put_head(framing);
	if (framing->state == FRAMING_REFUSED)
		return;
	framing->left = facts->length;
	framing->state = facts->chunked		 ? FRAMING_SIZE
					 : facts->length > 0 ? FRAMING_BODY
										 : FRAMING_HEAD;
}

/* Discard the lines, and count anew. */
static void
framing_forget_lines(Framing *framing)
{
	framing->facts = (HeadFacts){0};
	framing->lines = 0;
	framing->line = framing->fields = 0;
	framing->skipped = false;
	buffer_free(&framing->part);
}

/* Check one line of the head, including its carriage return; true: it was the last one. */
static bool
judge_line(Framing *framing, const char *line, size_t size, size_t next)
{
	HeadFault fault = {400, "malformed header"};

	if (size == 0 || line[size - 1] != '\r')
		framing_refuse(framing, fault);
	else if (size > 1)
	{
		fault = framing->lines == 0 ? head_request_line(&framing->facts, line, size - 1)
									: head_field_line(&framing->facts, line, size - 1);
		if (framing->lines++ == 0)
			framing->fields = next;
		if (fault.status == 0 && framing->lines > LINES_MAXIMUM + 1)
			fault.status = 431;
		if (fault.status != 0)
			framing_refuse(framing, fault);
	}
	else if (framing->lines > 0)
		return true;
	else if (framing->skipped)
		framing_refuse(framing, fault);
	else
		framing->skipped = true;
	return false;
}

/* Refuse the head if its first size bytes are too many already. */
static void
judge_size(Framing *framing, size_t size)
{
	if (framing->lines == 0 && size > TARGET_MAXIMUM + REQUEST_LINE_REST)
		framing_refuse(framing, (HeadFault){414, NULL});
	else if (framing->lines > 0 && size - framing->fields > HEADERS_MAXIMUM)
		framing_refuse(framing, (HeadFault){431, NULL});
}

/* Check the lines of a head that have been received; true: it is complete. */
static bool
judge_lines(Framing *framing, const char *text, size_t length)
{
	bool whole = false;

	while (!whole && framing->state == FRAMING_HEAD)
	{
		const char *line = text + framing->line;
		const char *stop = memchr(line, '\n', length - framing->line);

		if (stop == NULL)
		{
			/* only the last byte of the line end may be missing */
			judge_size(framing, length - (length > framing->line));
			return false;
		}
		whole = judge_line(framing, line, (size_t) (stop - line), (size_t) (stop + 1 - text));
		if (framing->state == FRAMING_HEAD)
			judge_size(framing, whole ? framing->line : (size_t) (stop + 1 - text));
		framing->line = (size_t) (stop + 1 - text);
	}
	if (whole && framing->state == FRAMING_HEAD)
	{
		HeadFault fault = head_facts_agree(&framing->facts);

		if (fault.status != 0)
			framing_refuse(framing, fault);
	}
	return whole;
}

/* Append to the incomplete head or line. */
static void
framing_keep(Framing *framing, const char *bytes, size_t length)
{
	buffer_append(&framing->part, bytes, length);
	framing->failed |= framing->part.failed;
}

/* The readers of a state consume at least one byte, and return how many. */
static size_t
read_head(Framing *framing, const char *bytes, size_t length)
{
	size_t before = framing->part.length;
	size_t used = length;
	bool whole;

	if (before > 0)
	{
		framing_keep(framing, bytes, length);
		if (framing->failed)
			return length;
		bytes = framing->part.data;
		length += before;
	}
	whole = judge_lines(framing, bytes, length);
	if (whole || framing->state == FRAMING_REFUSED)
	{
		size_t skipped = framing->skipped ? 2 : 0;

		used = (whole ? framing->line : length) - before;
		end_head(framing, bytes + skipped, used + before - skipped);
		framing_forget_lines(framing);
	}
	else if (before == 0)
		framing_keep(framing, bytes, length);
	return used;
}

static size_t
read_plain(Framing *framing, const char *bytes, size_t length)
{
	if (length > framing->left)
		length = (size_t) framing->left;
	put(framing, bytes, length);
	framing_pass(framing, length);
	return length;
}

/*
 * ---- Chunked bodies ----
 *
 * Chunk extensions and trailer fields are parsed and dropped.
 */

#define LINE_MAXIMUM 256 /* bytes of the line before a chunk */
#define CHUNK_DIGITS 15	 /* of the size of a chunk, without leading zeros */

/*
 * Take a line of at most so many bytes, without its end; it is valid until framing_forget_lines().
 * NULL: it is incomplete, or was refused.
 */
static const char *
take_line(Framing *framing, const char *bytes, size_t *used, size_t maximum, size_t *size)
{
	const char *stop = memchr(bytes, '\n', *used);
	HeadFault fault = {400, "malformed chunk"};

	if (stop != NULL)
		*used = (size_t) (stop - bytes) + 1;
	*size = *used;
	if (stop == NULL || framing->part.length > 0)
	{
		framing_keep(framing, bytes, *used);
		bytes = framing->part.data;
		*size = framing->part.length;
	}
	if (framing->failed)
		return NULL;
	if (*size > maximum)
		framing_refuse(framing, fault);
	else if (stop == NULL)
		return NULL;
	else if (*size < 2 || memchr(bytes, '\r', *size) != bytes + *size - 2)
		framing_refuse(framing, fault);
	*size -= 2;
	return framing->state == FRAMING_REFUSED ? NULL : bytes;
}

/* Is the text empty, or chunk extensions, each preceded by a semicolon? */
static bool
is_extension(const char *text, size_t length)
{
	size_t blanks = 0;

	while (blanks < length && (text[blanks] == ' ' || text[blanks] == '\t'))
		blanks++;
	if (length > 0 && (blanks == length || text[blanks] != ';'))
		return false;
	for (size_t i = blanks; i < length; i++)
		if (((unsigned char) text[i] < ' ' && text[i] != '\t') || text[i] == 0x7F)
			return false;
	return true;
}

/* Parse the line before a chunk; false: malformed. */
static bool
read_size(const char *line, size_t length, uint64_t *size)
{
	size_t zeros = 0;
	size_t digits;

	while (zeros < length && line[zeros] == '0')
		zeros++;
	*size = 0;
	for (digits = zeros; digits < length && isxdigit((unsigned char) line[digits]); digits++)
		*size =
			*size << 4 | (line[digits] <= '9' ? line[digits] & 0xFU : (line[digits] & 0xFU) + 9);
	return digits > 0 && digits - zeros <= CHUNK_DIGITS &&
		   is_extension(line + digits, length - digits);
}

static size_t
framing_chunk_size(Framing *framing, const char *bytes, size_t length)
{
	size_t size;
	const char *line = take_line(framing, bytes, &length, LINE_MAXIMUM, &size);

	if (line == NULL)
		return length;
	if (!read_size(line, size, &framing->left))
		framing_refuse(framing, (HeadFault){400, "malformed chunk"});
	else if (framing->left == 0)
		framing->state = FRAMING_TRAILER;
	else
	{
		framing_put_number(framing, "%llx\r\n", framing->left);
		framing->state = FRAMING_CHUNK;
	}
	framing_forget_lines(framing);
	return length;
}

static size_t
framing_chunk_end(Framing *framing, const char *bytes, size_t length)
{
	/* left is 0 at first: it counts the bytes of the line end */
	if (*bytes != "\r\n"[framing->left])
		framing_refuse(framing, (HeadFault){400, "malformed chunk"});
	else if (framing->left++ > 0)
	{
		framing_put(framing, "\r\n");
		framing->state = FRAMING_SIZE;
	}
	return 1;
}

static size_t
framing_trailer(Framing *framing, const char *bytes, size_t length)
{
	size_t size;
	const char *line = take_line(framing, bytes, &length, HEADERS_MAXIMUM, &size);
	HeadFault fault;

	if (line == NULL)
		return length;
	framing->fields += size + 2;
	if (size == 0)
	{
		framing_put(framing, "0\r\n\r\n");
		framing->state = FRAMING_HEAD;
		framing_forget_lines(framing);
		return length;
	}
	fault = head_trailer_line(line, size);
	buffer_clear(&framing->part);
	if (fault.status == 0 &&
		(++framing->lines > LINES_MAXIMUM || framing->fields > HEADERS_MAXIMUM))
		fault.status = 431;
	if (fault.status != 0)
		framing_refuse(framing, fault);
	return length;
}

size_t
framing_read(Framing *framing, const char *bytes, size_t length, char *out)
{
	static size_t (*const readers[])(Framing * framing, const char *bytes, size_t length) = {
		[FRAMING_HEAD] = read_head,
		[FRAMING_BODY] = read_plain,
		[FRAMING_SIZE] = framing_chunk_size,
		[FRAMING_CHUNK] = read_plain,
		[FRAMING_CHUNK_END] = framing_chunk_end,
		[FRAMING_TRAILER] = framing_trailer,
	};

	framing->out = out;
	framing->out_end = out + length + FRAMING_GROWTH;
	while (length > 0 && framing->state != FRAMING_REFUSED && !framing->failed)
	{
		size_t used = readers[framing->state](framing, bytes, length);

		bytes += used;
		length -= used;
	}
	return (size_t) (framing->out - out);
}
