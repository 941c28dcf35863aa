/*
 * mark.c - marks of a column that stand for missing values: those of parseOptions.missing, or else
 * the usual ones.
 */
#include <ctype.h>
#include <strings.h>

#include "rows/columns.h"

/* Is a text one of the lines of a text? */
static bool
is_line(const char *lines, const char *text, size_t length)
{
	while (*lines != '\0')
	{
		size_t line = strcspn(lines, "\n");

		if (line == length && memcmp(lines, text, length) == 0)
			return true;
		lines += line + (lines[line] == '\n');
	}
	return false;
}

/* Of each byte that usual marks begin with, and end with, a bit for each of their lengths. */
static uint32_t begins[256];
static uint32_t ends[256];

static void
add_byte(uint32_t lengths[256], unsigned char byte, size_t length)
{
	lengths[tolower(byte)] |= UINT32_C(1) << length;
	lengths[toupper(byte)] |= UINT32_C(1) << length;
}

/* May a text be a usual mark?  Of most others their length, their first and their last byte tell. */
static bool
may_be_mark(const char *text, size_t length)
{
	if (begins['-'] == 0)
		for (size_t i = 0; i < lengthof(missing_marks); i++)
		{
			const char *mark = missing_marks[i];

			add_byte(begins, (unsigned char) *mark, strlen(mark));
			add_byte(ends, (unsigned char) mark[strlen(mark) - 1], strlen(mark));
		}
	return length < 32 && (begins[(unsigned char) *text] & ends[(unsigned char) text[length - 1]] &
						   UINT32_C(1) << length) != 0;
}

bool
mark_is(const char *missing, const char *text, size_t length)
{
	if (length > MARK_BYTES)
		return false;
	if (missing != NULL)
		return is_line(missing, text, length);
	if (!may_be_mark(text, length))
		return false;
	/* first bytes that are the same but for case differ in this bit at most */
	for (size_t i = 0; i < lengthof(missing_marks); i++)
		if (((*text ^ *missing_marks[i]) & ~0x20) == 0 &&
			profile_is_word(text, length, missing_marks[i]))
			return true;
	return false;
}

void
mark_count(Marks *marks, Parse *parse, const char *text, size_t length)
{
	Mark *mark;

	marks->cells++;
	for (unsigned i = 0; i < marks->count; i++)
	{
		mark = &marks->mark[i];
		if (mark->length == length && memcmp(mark->text, text, length) == 0)
		{
			mark->cells++;
			return;
		}
	}
	if (marks->count == MARKS_MOST)
	{
		marks->more = true;
		return;
	}
	if (marks->mark == NULL)
		marks->mark = parse_allocate(parse, MARKS_MOST * sizeof(Mark));
	mark = &marks->mark[marks->count++];
	mark->length = length;
	mark->cells = 1;
	memcpy(mark->text, text, length);
}

void
mark_json(const Marks *marks, Buffer *json)
{
	for (unsigned i = 0; i < marks->count; i++)
	{
		buffer_text(json, i == 0 ? ",\"marks\":{" : ",");
		buffer_json(json, marks->mark[i].text, marks->mark[i].length);
		buffer_format(json, ":%llu", (unsigned long long) marks->mark[i].cells);
	}
	if (marks->count > 0)
		buffer_text(json, "}");
}
