/*
 * batch_reference.c
 *	  References between the parts of a batch: "$1" is the id of the record of part 1.
 *
 * A string that begins with "$$" stands for itself without the first "$".  The JSON text has been
 * accepted by cat_body_members(), so that every string in it ends.
 */
#include "catalogue.h"

#include <ctype.h>

#include "batch/batch_internal.h"

int
cat_batch_reference_number(const char *text, size_t length)
{
	int number = 0;

	if (length < 2 || text[0] != '$')
		return -1;
	for (size_t i = 1; i < length; i++)
	{
		if (!isdigit((unsigned char) text[i]))
			return -1;
		number = Min(number * 10 + (text[i] - '0'), BATCH_PARTS_MAX + 1);
	}
	return number;
}

/* Return the end of the string that begins at a quote: its closing quote. */
static const char *
string_end(const char *quote)
{
	const char *c = quote + 1;

	while (*c != '"' && *c != '\0')
		c += *c == '\\' && c[1] != '\0' ? 2 : 1;
	return c;
}

/* Whether the string that ends with this quote is the name of a member. */
static bool
is_name(const char *end)
{
	const char *c = end + 1;

	return c[strspn(c, " \t\r\n")] == ':';
}

/*
 * Find the next string that is a value; false at the end.  The text between the quotes is *text;
 * *json is behind the closing quote then.
 */
static bool
next_string(const char **json, const char **text, size_t *length)
{
	const char *c = strchr(*json, '"');

	while (c)
	{
		const char *end = string_end(c);

		if (*end == '\0')
			return false;
		if (!is_name(end))
		{
			*text = c + 1;
			*length = end - c - 1;
			*json = end + 1;
			return true;
		}
		c = strchr(end + 1, '"');
	}
	return false;
}

List *
cat_batch_reference_find(const char *json)
{
	List *numbers = NIL;
	const char *text;
	size_t length;

	while (next_string(&json, &text, &length))
	{
		int number = cat_batch_reference_number(text, length);

		if (number >= 0)
			numbers = list_append_unique_int(numbers, number);
	}
	return numbers;
}

char *
cat_batch_reference_fill(const char *json, const Part *parts)
{
	const char *copied = json;
	const char *text;
	size_t length;
	StringInfoData out;

	initStringInfo(&out);
	while (next_string(&json, &text, &length))
	{
		int number = cat_batch_reference_number(text, length);

		if (number < 0 && (length < 2 || memcmp(text, "$$", 2) != 0))
			continue;
		appendBinaryStringInfo(&out, copied, (int) (text - copied));
		if (number >= 0)
			appendStringInfoString(&out, parts[number - 1].id);
		copied = number >= 0 ? text + length : text + 1;
	}
	appendStringInfoString(&out, copied);
	return out.data;
}
