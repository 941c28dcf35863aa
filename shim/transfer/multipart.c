/*
 * multipart.c - parser for multipart/form-data (RFC 2046, 5.1; RFC 7578), incremental or of a whole form.
 *
 * Bytes may be split anywhere; only the header lines of one part are buffered.  What the standards
 * leave ambiguous is refused: text before the first delimiter or after the last one, folded header
 * lines, lines that begin like a delimiter, transfer encodings, and a missing last delimiter.
 */
#include <strings.h>

#include <jansson.h>

#include "transfer/upload_internal.h"

#define PREFIX "\r\n--"

/* Characters of a boundary besides letters and digits; a blank is not allowed at its end. */
#define BOUNDARY_SIGNS "'()+_,-./:=? "

static bool
is_boundary(const char *text)
{
	size_t length = strlen(text);

	if (length == 0 || length > BOUNDARY_MAXIMUM || text[length - 1] == ' ')
		return false;
	for (; *text != '\0'; text++)
		if (!text_is_alphanumeric(text, 1) && strchr(BOUNDARY_SIGNS, *text) == NULL)
			return false;
	return true;
}

bool
multipart_open(Multipart *multipart, const Field *type, const MultipartEvents *events, void *cls)
{
	const char *boundary = field_parameter(type, "boundary");

	*multipart = (Multipart){.events = events, .cls = cls};
	buffer_init(&multipart->header, PART_HEADER_MAXIMUM + 1);
	if (boundary == NULL || !is_boundary(boundary))
		return false;
	stpcpy(stpcpy(multipart->delimiter, PREFIX), boundary);
	multipart->length = strlen(multipart->delimiter);
	return true;
}

void
multipart_close(Multipart *multipart)
{
	buffer_free(&multipart->header);
}

bool
multipart_complete(const Multipart *multipart)
{
	return multipart->state == MULTIPART_END || multipart->state == MULTIPART_LAST;
}

static bool
broken(Multipart *multipart, const char *fault)
{
	multipart->fault = fault;
	multipart->state = MULTIPART_BROKEN;
	return false;
}

/* Terminate a header line, without trailing blanks; returns the beginning of the next. */
static char *
end_line(char *line)
{
	char *end = strchr(line, '\r');
	char *next = end + 2;

	while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	return next;
}

/* The value of a header line; NULL: the line is malformed. */
static char *
line_value(char *line)
{
	char *colon = strchr(line, ':');

	if (colon == NULL)
		return NULL;
	*colon = '\0';
	return text_is_token(line) ? colon + 1 + strspn(colon + 1, " \t") : NULL;
}

/* The header lines of a part that are used. */
enum
{
	DISPOSITION,
	TYPE,
	ENCODING,
	LINES
};

static bool
take_line(const char *name, char *value, char **lines)
{
	static const char *const known[LINES] = {"Content-Disposition", "Content-Type",
											 "Content-Transfer-Encoding"};

	for (size_t i = 0; i < LINES; i++)
	{
		if (strcasecmp(name, known[i]) != 0)
			continue;
		if (lines[i] != NULL)
			return false;
		lines[i] = value;
	}
	return true;
}

/* Read the header lines of a part. */
static bool
read_part(Multipart *multipart, char *const *lines, Part *part)
{
	Field field;

	if (lines[DISPOSITION] == NULL || !field_read(lines[DISPOSITION], &field) ||
		strcasecmp(field.value, "form-data") != 0)
		return broken(multipart, "a part has no Content-Disposition of a form");
	if (lines[ENCODING] != NULL && !text_has_word("binary,8bit,7bit", lines[ENCODING]))
		return broken(multipart, "a part has a Content-Transfer-Encoding");
	part->type = lines[TYPE];
	part->name = field_parameter(&field, "name");
	if (part->name == NULL || *part->name == '\0' ||
		!text_valid_utf8(part->name, strlen(part->name)))
		return broken(multipart, "a part has no name");
	if (!field_file_name(&field, &part->file))
		return broken(multipart, "malformed name of a file");
	return true;
}

/* The header of a part is complete, and ends with an empty line. */
static bool
begin_part(Multipart *multipart)
{
	char *line = multipart->header.data;
	char *end = line + multipart->header.length - 2;
	char *lines[LINES] = {0};
	Part part = {0};

	if (++multipart->parts > PARTS_MAXIMUM)
		return broken(multipart, "too many parts");
	while (line < end)
	{
		char *next = end_line(line);
		char *value = line_value(line);

		if (value == NULL || !take_line(line, value, lines))
			return broken(multipart, "malformed header of a part");
		line = next;
	}
	if (!read_part(multipart, lines, &part))
		return false;
	multipart->state = MULTIPART_DATA;
	multipart->matched = 0;
	return multipart->events->begin(multipart->cls, &part) || broken(multipart, NULL);
}

/* Take one byte of the header lines: no line end but CR LF, and no control character but a tab. */
static bool
take_header_byte(Multipart *multipart, char c)
{
	Buffer *header = &multipart->header;
	char last = header->length > 0 ? header->data[header->length - 1] : '\n';
	bool control = ((unsigned char) c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7F;

	if (control || (c == '\n') != (last == '\r') || (last == '\n' && (c == ' ' || c == '\t')))
		return broken(multipart, "malformed header of a part");
	buffer_append(header, &c, 1);
	if (header->failed)
		return broken(multipart, "the header of a part is too long");
	if (c != '\n' || (header->length > 2 && header->data[header->length - 3] != '\n'))
		return true;
	/* an empty line; as a text it ends here */
	buffer_append(header, "", 1);
	header->length--;
	return header->failed ? broken(multipart, "the header of a part is too long")
						  : begin_part(multipart);
}

/* Pass on bytes that matched the beginning of a delimiter; false: not all were taken. */
static bool
pass_held(Multipart *multipart)
{
	size_t rest = multipart->held - multipart->passed;
	size_t taken =
		multipart->events->take(multipart->cls, multipart->delimiter + multipart->passed, rest);

	multipart->passed += taken;
	if (taken < rest)
		return false;
	multipart->held = multipart->passed = 0;
	return true;
}

/*
 * Take bytes of a part; false: not all of them were taken.  Only the first byte of a delimiter is a
 * carriage return, so bytes that matched and then do not match any more are data.
 */
static bool
take_data(Multipart *multipart, const char *bytes, size_t length, size_t *used)
{
	const char *end = memchr(bytes, '\r', length);
	size_t plain = end != NULL ? (size_t) (end - bytes) : length;
	size_t taken;

	if (multipart->matched > 0 && bytes[0] != multipart->delimiter[multipart->matched])
	{
		multipart->held = multipart->matched;
		multipart->matched = 0;
		return true;
	}
	if (multipart->matched > 0 || plain == 0)
	{
		++*used;
		if (++multipart->matched < multipart->length)
			return true;
		multipart->state = MULTIPART_DELIMITED;
		return multipart->events->end(multipart->cls) || broken(multipart, NULL);
	}
	taken = multipart->events->take(multipart->cls, bytes, plain);
	*used += taken;
	return taken == plain;
}

/* Take a byte of the first delimiter, before which there may be an empty line only. */
static bool
take_first(Multipart *multipart, char c)
{
	if (multipart->state == MULTIPART_START)
		multipart->matched = c == '\r' ? 0 : 2;
	multipart->state = MULTIPART_FIRST;
	if (c != multipart->delimiter[multipart->matched++])
		return broken(multipart, "the form does not begin with its boundary");
	if (multipart->matched == multipart->length)
		multipart->state = MULTIPART_DELIMITED;
	return true;
}

/* The states after a delimiter: the end of its line, or the dashes of the last one. */
static const struct
{
	MultipartState state;
	const char *characters;
	MultipartState next;
} steps[] = {
	{MULTIPART_DELIMITED, "-", MULTIPART_DASH},
	{MULTIPART_DELIMITED, " \t", MULTIPART_PADDING},
	{MULTIPART_DELIMITED, "\r", MULTIPART_LINE_END},
	{MULTIPART_PADDING, " \t", MULTIPART_PADDING},
	{MULTIPART_PADDING, "\r", MULTIPART_LINE_END},
	{MULTIPART_LINE_END, "\n", MULTIPART_HEADER},
	{MULTIPART_DASH, "-", MULTIPART_LAST},
	{MULTIPART_LAST, " \t", MULTIPART_LAST},
	{MULTIPART_LAST, "\r", MULTIPART_LAST_LINE},
	{MULTIPART_LAST_LINE, "\n", MULTIPART_END},
};

static bool
take_step(Multipart *multipart, char c)
{
	for (size_t i = 0; i < lengthof(steps); i++)
	{
		if (steps[i].state != multipart->state || c == '\0' ||
			strchr(steps[i].characters, c) == NULL)
			continue;
		multipart->state = steps[i].next;
		if (multipart->state == MULTIPART_HEADER)
			buffer_clear(&multipart->header);
		return true;
	}
	return broken(multipart, multipart->state == MULTIPART_END
								 ? "something follows the end of the form"
								 : "malformed boundary in the form");
}

/* Take a byte that does not belong to the data of a part. */
static bool
take_byte(Multipart *multipart, char c)
{
	if (multipart->state <= MULTIPART_FIRST)
		return take_first(multipart, c);
	if (multipart->state == MULTIPART_HEADER)
		return take_header_byte(multipart, c);
	return take_step(multipart, c);
}

size_t
multipart_feed(Multipart *multipart, const char *bytes, size_t length)
{
	size_t used = 0;

	while (used < length && multipart->state != MULTIPART_BROKEN)
	{
		bool more = true;

		if (multipart->state != MULTIPART_DATA)
			used += take_byte(multipart, bytes[used]) ? 1 : 0;
		else if (multipart->held > 0)
			more = pass_held(multipart);
		else
			more = take_data(multipart, bytes + used, length - used, &used);
		if (!more)
			break;
	}
	return used;
}
