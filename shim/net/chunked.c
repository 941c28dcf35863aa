/*
 * chunked.c - chunked bodies.
 *
 * Chunk extensions and trailer fields are parsed and dropped.
 */
#include <ctype.h>
#include <string.h>

#include "net/framing.h"

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

size_t
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

size_t
framing_chunk_end(Framing *framing, const char *bytes, size_t length)
{
	(void) length;
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

size_t
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
