/*
 * parse_options.c - fuzzing target: a text, or a workbook, that is read with options of its owner.
 *
 * The first line has the options of the command line, name=value separated by spaces; the first
 * byte of the second chooses the reader, as in book.c, or is the size of the pieces in which a
 * text is read.
 */
#include <stdlib.h>

#include "frames.h"
#include "fuzz.h"

/* Stands for a program that converts coordinates: any name is that of a system of 100 km. */
static bool
find_system(FoundSystem *found, const char *name, const Bounds *bounds)
{
	(void) bounds;
	*found = (FoundSystem){"", name, "", false, {-180, -90, 180, 90}};
	return true;
}

static bool
convert(const void *system, double *x, double *y, size_t count)
{
	(void) system;
	for (size_t i = 0; i < count; i++)
	{
		x[i] /= 100000;
		y[i] /= 100000;
	}
	return true;
}

/* Take the words of a line as options; words that are no options change nothing. */
static void
take_options(char *line, Options *options)
{
	char *rest = line;
	char *word;

	while ((word = strsep(&rest, " ")) != NULL)
	{
		char *value = strchr(word, '=');
		Options before = *options;

		if (value == NULL)
			continue;
		*value++ = '\0';
		if (!parse_options_take(options, word, value))
			*options = before;
	}
}

void
fuzz_one(char *text, size_t length)
{
	const char *end = text + length;
	static const Systems systems = {find_system, convert};
	Options options = {.systems = &systems};
	char *bytes = memchr(text, '\n', length);

	if (bytes == NULL || bytes + 1 == end)
		return;
	*bytes++ = '\0';
	take_options(text, &options);
	frames_check_as(bytes + 1, (size_t) (end - bytes - 1), (unsigned char) *bytes + 1U, &options,
					*bytes == 'o'	? ods_read
					: *bytes == 'x' ? xlsx_read
					: *bytes == 'b' ? xls_read
									: csv_read);
}
