/*
 * strings.c - shared strings of an XLSX.
 */

#include "formats/book.h"

#define STRINGS_STEP (1 << 20)

const char *
strings_text(const Strings *strings, uint64_t number, size_t *length)
{
	size_t start;

	if (number >= strings->count)
		return NULL;
	start = number == 0 ? 0 : strings->ends[number - 1];
	*length = strings->ends[number] - start;
	/* if all strings are empty, there is no buffer */
	return strings->bytes == NULL ? "" : strings->bytes + start;
}

/* The unit of UTF-16 that an escape such as "_x000D_" stands for; -1 if there is none. */
static long
escaped(const char *text, size_t length)
{
	return length >= 7 && text[0] == '_' && text[1] == 'x' && text[6] == '_' ? text_unit(text + 2)
																			 : -1;
}

size_t
strings_unescape(char *text, size_t length)
{
	size_t used = 0;

	if (memmem(text, length, "_x", 2) == NULL)
		return length;
	for (size_t i = 0; i < length;)
	{
		long character = escaped(text + i, length - i);

		if (character <= 0)
		{
			text[used++] = text[i++];
			continue;
		}
		i += 7;
		if ((character & 0xFC00) == 0xD800)
		{
			long low = escaped(text + i, length - i);
			bool paired = low > 0 && (low & 0xFC00) == 0xDC00;

			i += paired ? 7 : 0;
			character = paired ? 0x10000 + ((character & 0x3FF) << 10) + (low & 0x3FF) : 0xFFFD;
		}
		else if ((character & 0xFC00) == 0xDC00)
			character = 0xFFFD;
		/* no longer than the escape */
		used = (size_t) (text_put(text + used, (uint32_t) character) - text);
	}
	return used;
}

static void
start(void *data, const char *name, const char **attributes)
{
	Strings *strings = data;

	(void) attributes;
	if (strcmp(name, "rPh") == 0)
		strings->in_phonetic = true;
	else if (strcmp(name, "t") == 0)
		strings->in_text = !strings->in_phonetic;
}

/* End of a string. */
static void
add(Strings *strings)
{
	size_t from = strings->count == 0 ? 0 : strings->ends[strings->count - 1];

	if (strings->count == strings->room)
	{
		strings->room += strings->room / 4 + 1024;
		strings->ends =
			parse_resize(strings->parse, strings->ends, strings->room * sizeof(*strings->ends));
	}
	if (strings->length > from)
		strings->length = from + strings_unescape(strings->bytes + from, strings->length - from);
	strings->ends[strings->count++] = (uint32_t) strings->length;
}

static void
end(void *data, const char *name)
{
	Strings *strings = data;

	if (strcmp(name, "t") == 0)
		strings->in_text = false;
	else if (strcmp(name, "rPh") == 0)
		strings->in_phonetic = false;
	else if (strcmp(name, "si") == 0)
		add(strings);
}

static void
text(void *data, const char *bytes, size_t length)
{
	Strings *strings = data;

	if (!strings->in_text)
		return;
	if (strings->length + length > BOOK_STRINGS)
		parse_refuse_file(strings->parse, "the workbook has more than 112 MB of different texts");
	if (strings->capacity - strings->length < length)
	{
		strings->capacity += strings->capacity / 8 + STRINGS_STEP + length;
		strings->bytes = parse_resize(strings->parse, strings->bytes, strings->capacity);
	}
	memcpy(strings->bytes + strings->length, bytes, length);
	strings->length += length;
}

const XmlHandlers strings_handlers = {start, end, text};
