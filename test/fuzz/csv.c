/*
 * csv.c - fuzzing target: a text as rows.  The first byte is the size of the pieces in which the text
 * is read.
 */
#include "frames.h"
#include "fuzz.h"

void
fuzz_one(char *text, size_t length)
{
	if (length > 0)
		frames_check(text + 1, length - 1, (unsigned char) *text + 1U, csv_read);
}
