/*
 * strings.c - fuzzing target: the XML of the shared strings of an XLSX.
 */
#include "frames.h"
#include "fuzz.h"

static void
read_strings(Parse *parse)
{
	Strings strings = {.parse = parse};
	size_t total = 0;
	size_t length = 0;

	frames_part(parse, &strings_handlers, &strings);
	for (size_t i = 0; i < strings.count; i++)
	{
		const char *text = strings_text(&strings, i, &length);

		MUST_HOLD(text != NULL && text_valid_utf8(text, length));
		total += length;
	}
	MUST_HOLD(total <= strings.length && strings_text(&strings, strings.count, &length) == NULL);
}

void
fuzz_one(char *text, size_t length)
{
	frames_check(text, length, length, read_strings);
}
