/*
 * parse_options.c - options of how a file is read.
 *
 * The extension has validated the options of a client (extension/write/parse_options.c).  The
 * checks here only make sure that an invalid option does no harm.
 */
#include "../../extension/base/parse_options.h"
#include "../../extension/rows/sheets/marks.h"
#include "sandbox/sandbox.h"

#define SKIP_MAXIMUM 1000000
#define HEADER_ROWS 3		/* maximum rows of a heading */
#define ENCODING_MAXIMUM 40 /* maximum bytes of the name of an encoding */
#define CRS_MAXIMUM 80		/* maximum bytes of the name of a system of coordinates */

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

/* Is a text one of ASCII without blanks and slashes, as names of encodings and codes are? */
static bool
is_name(const char *text, size_t maximum)
{
	size_t length = strlen(text);

	return length > 0 && length <= maximum &&
		   strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:()") ==
			   length;
}

static bool
take_encoding(Options *options, const char *value)
{
	options->encoding = value;
	return is_name(value, ENCODING_MAXIMUM);
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
take_thousands(Options *options, const char *value)
{
	options->thousands = *value;
	return *value != '\0' && strchr("., '", *value) != NULL && value[1] == '\0';
}

static bool
take_skip(Options *options, const char *value)
{
	uint64_t count;
	bool good = read_count(value, &count);

	if (good)
		options->passed = count;
	return good;
}

/* Parse where the titles are: first, none, or the number of a row. */
static bool
take_header(Options *options, const char *value)
{
	uint64_t row;

	options->header = strcmp(value, "none") == 0 ? HEADER_NONE : HEADER_FIRST;
	if (options->header == HEADER_NONE || strcmp(value, "first") == 0)
		return true;
	if (!read_count(value, &row) || row == 0)
		return false;
	options->header_row = row;
	return true;
}

static bool
take_header_rows(Options *options, const char *value)
{
	return read_count(value, &options->header_rows) && options->header_rows > 0 &&
		   options->header_rows <= HEADER_ROWS;
}

static bool
take_merged(Options *options, const char *value)
{
	options->merged = strcmp(value, "first") == 0 ? MERGED_FIRST : MERGED_FILL;
	return options->merged == MERGED_FIRST || strcmp(value, "fill") == 0;
}

static bool
take_dates(Options *options, const char *value)
{
	static const char *const orders[] = {
		[DATE_YEAR_FIRST] = "YMD", [DATE_DAY_FIRST] = "DMY", [DATE_MONTH_FIRST] = "MDY"};

	for (options->dates = DATE_YEAR_FIRST; options->dates < DATE_ORDERS; options->dates++)
		if (strcmp(value, orders[options->dates]) == 0)
			return true;
	return false;
}

static bool
take_missing(Options *options, const char *value)
{
	options->missing = value;
	return strlen(value) <= MARKS_MOST * (MARK_BYTES + 1);
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

static bool
take_crs(Options *options, const char *value)
{
	options->crs = value;
	return is_name(value, CRS_MAXIMUM);
}

/* All sheets are read, whichever is shown. */
static bool
take_sheet(Options *options, const char *value)
{
	return true;
}

/* Pass over the rows above those of the names, if their position is given. */
static void
derive_skip(Options *options)
{
	uint64_t rows = options->header_rows > 0 ? options->header_rows : 1;
	uint64_t above = options->header_row > rows ? options->header_row - rows : 0;

	options->skip = above > options->passed ? above : options->passed;
}

bool
parse_options_take(Options *options, const char *name, const char *value)
{
	static bool (*const takes[])(Options * options, const char *value) = {
		[OPTION_ENCODING] = take_encoding,
		[OPTION_DELIMITER] = take_delimiter,
		[OPTION_DECIMAL] = take_decimal,
		[OPTION_THOUSANDS] = take_thousands,
		[OPTION_HEADER] = take_header,
		[OPTION_SKIP] = take_skip,
		[OPTION_DATES] = take_dates,
		[OPTION_MISSING] = take_missing,
		[OPTION_MERGED] = take_merged,
		[OPTION_HEADER_ROWS] = take_header_rows,
		[OPTION_DATA_PATH] = take_data_path,
		[OPTION_TITLE_PATH] = take_title_path,
		[OPTION_CRS] = take_crs,
		[OPTION_SHEET] = take_sheet,
	};

	_Static_assert(lengthof(takes) == lengthof(parse_options), "each option has a function");
	for (size_t i = 0; i < lengthof(parse_options); i++)
		if (strcmp(parse_options[i].name, name) == 0)
		{
			bool good = takes[i](options, value);

			derive_skip(options);
			return good;
		}
	return false;
}
