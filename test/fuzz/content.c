/*
 * content.c - fuzzing target: content.xml of an ODS.
 */
#include "frames.h"
#include "fuzz.h"

static void
read_content(Parse *parse)
{
	frames_part(parse, &ods_handlers, ods_new(parse));
}

void
fuzz_one(char *text, size_t length)
{
	frames_check(text, length, length, read_content);
}
