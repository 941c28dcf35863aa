/*
 * formats.c - fuzzing target: the XML of the styles of an XLSX.
 */
#include "frames.h"
#include "fuzz.h"

static void
read_formats(Parse *parse)
{
	Formats formats = {.parse = parse};

	frames_part(parse, &formats_handlers, &formats);
	for (unsigned i = 0; i < formats.styles; i++)
		MUST_HOLD(formats.kinds[i] <= FORMAT_ELAPSED);
}

void
fuzz_one(char *text, size_t length)
{
	value_formats_kind(text);
	frames_check(text, length, length, read_formats);
}
