/*
 * options.c - parse options from the command line.
 *
 * The extension has validated the options of a client (extension/write/new_record.c).  The
 * checks here only make sure that an invalid option does no harm.
 */
#include <stdlib.h>
#include <string.h>

#include "sandbox/sandbox.h"

#define SKIP_MAXIMUM 1000000
#define ENCODING_MAXIMUM 40 /* maximum bytes of the name of an encoding */

/*
 * Parse a number of decimal digits; false for any other text, and for a number that is too large.
 */
static bool
read_count(const char *text, uint64_t *count)
{
	char *end;

	*count = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && *count <= SKIP_MAXIMUM;
}

static bool
take_encoding(Options *options, const char *value)
{
	size_t length = strlen(value);

	options->encoding = value;
	return length > 0 && length <= ENCODING_MAXIMUM &&
		   strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:()") ==
			   length;
}

static bool
take_delimiter(Options *options, const char *value)
{
	options->delimiter = value;
	return *value == '\0' ||
		   (value[1] == '\0' && *value > '\0' && strchr("\"\r\n", *value) == NULL);
}

static bool
take_decimal(Options *options, const char *value)
{
	options->decimal = *value;
	return (*value == '.' || *value == ',') && value[1] == '\0';
}

static bool
take_skip(Options *options, const char *value)
{
	uint64_t count;
	bool good = read_count(value, &count);

	if (good && count > options->skip)
		options->skip = count;
	return good;
}

/* Parse the place of the titles: first, none, or the number of a row. */
static bool
take_header(Options *options, const char *value)
{
	uint64_t row;

	options->header = strcmp(value, "none") == 0 ? HEADER_NONE : HEADER_FIRST;
	if (options->header == HEADER_NONE || strcmp(value, "first") == 0)
		return true;
	if (!read_count(value, &row) || row == 0)
		return false;
	if (row - 1 > options->skip)
		options->skip = row - 1;
	return true;
}

static bool
take_data_path(Options *options, const char *value)
{
	options->data_path = *value != '\0' ? value : NULL;
	return true;
}

static bool
take_title_path(Options *options, const char *value)
{
	options->title_path = *value != '\0' ? value : NULL;
	return true;
}

bool
options_take(Options *options, const char *name, const char *value)
{
	static const struct
	{
		const char *name;
		bool (*take)(Options *options, const char *value);
	} known[] = {{"encoding", take_encoding},	{"delimiter", take_delimiter},
				 {"decimal", take_decimal},		{"header", take_header},
				 {"skip", take_skip},			{"dataPath", take_data_path},
				 {"titlePath", take_title_path}};

	for (size_t i = 0; i < lengthof(known); i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].take(options, value);
	return false;
}
