/*
 * value.c - convert numbers and dates of cells to text, by the number formats of their styles.
 *
 * A workbook stores numbers as doubles with up to 17 digits: 0.1 as 0.10000000000000001.  The text
 * here is the shortest one that is parsed as the same double, so 0.1 is 0.1 and no precision is
 * lost.
 */
#include <math.h>
#include <strings.h>

#include "formats/book.h"

/*
 * ---- Number formats of cell styles: which numbers are dates ----
 *
 * A date is a number whose cell has a format with days or hours.  The formats below 164 are built
 * into Excel; the others are stored in the workbook as codes such as yyyy\-mm\-dd;@.
 */

#define STYLES_MAXIMUM 65536

struct CustomFormat
{
	uint64_t id;
	NumberFormat kind;
	const char *code; /* of FORMAT_DIGITS */
};

static NumberFormat
kind_of_own(uint64_t id)
{
	static const struct
	{
		unsigned char first, last;
		unsigned char kind;
	} own[] = {{14, 17, FORMAT_DATE}, {18, 21, FORMAT_TIME},	{22, 22, FORMAT_DATE_TIME},
			   {27, 31, FORMAT_DATE}, {32, 35, FORMAT_TIME},	{36, 36, FORMAT_DATE},
			   {45, 45, FORMAT_TIME}, {46, 46, FORMAT_ELAPSED}, {47, 47, FORMAT_TIME},
			   {50, 54, FORMAT_DATE}, {55, 56, FORMAT_TIME},	{57, 58, FORMAT_DATE},
			   {71, 74, FORMAT_DATE}, {75, 76, FORMAT_TIME},	{77, 77, FORMAT_DATE_TIME},
			   {78, 78, FORMAT_TIME}, {79, 79, FORMAT_ELAPSED}, {80, 80, FORMAT_TIME},
			   {81, 81, FORMAT_DATE}};

	for (size_t i = 0; i < lengthof(own); i++)
		if (id >= own[i].first && id <= own[i].last)
			return (NumberFormat) own[i].kind;
	return FORMAT_PLAIN;
}

/* Return what follows a literal part of a code. */
static const char *
skip_literal(const char *code)
{
	const char *end;

	switch (*code)
	{
		case '"':
			end = strchr(code + 1, '"');
			return end == NULL ? code + strlen(code) : end + 1;
		case '\\':
		case '_':
		case '*':
			return code[1] == '\0' ? code + 1 : code + 2;
		case '[':
			/* colours, conditions, languages; elapsed times were recognized before */
			end = strchr(code, ']');
			return end == NULL ? code + 1 : end + 1;
		default:
			return code;
	}
}

/* Is this an elapsed time such as [h] or [mm]? */
static bool
is_elapsed(const char *code)
{
	size_t length = strspn(code + 1, "hHmMsS");

	return length > 0 && code[1 + length] == ']';
}

#define GENERAL "General"

/* Is this the beginning of the text for numbers that a section of a code is for, such as [<=99999]? */
static bool
is_condition(const char *code)
{
	return *code == '[' && code[1] != '\0' && strchr("<=>", code[1]) != NULL;
}

/*
 * Does a section of a code only have digits, and what stands between those of telephone numbers and
 * postal codes?  Without leading zeros it needs a dash or a parenthesis, since "# ##0" has a sign
 * between thousands.
 */
static bool
has_digits_alone(const char *code)
{
	size_t zeros = 0;
	size_t digits = 0;
	bool parted = false;

	while (*code == '[')
		code = skip_literal(code);
	for (; *code != '\0' && *code != ';'; code++)
	{
		zeros += *code == '0';
		digits += *code == '0' || *code == '#';
		parted |= *code == '-' || *code == '(';
		/* a digit of the text, as "1" and \1, is none of the number */
		if (strchr("\\\"-() /+0#", *code) == NULL ||
			(strchr("\\\"", *code) != NULL && strchr("-() /+", code[1]) == NULL))
			return false;
	}
	return digits > 1 && (zeros == digits || parted);
}

/* Has each section of a code that a number without a minus may have digits alone? */
static bool
has_digits(const char *code)
{
	while (has_digits_alone(code))
	{
		const char *next = strchr(code, ';');

		if (!is_condition(code) || next == NULL)
			return true;
		code = next + 1;
	}
	return false;
}

NumberFormat
value_formats_kind(const char *code)
{
	bool date = false;
	bool time = false;
	bool month = false;
	bool elapsed = false;

	if (has_digits(code))
		return FORMAT_DIGITS;
	while (*code != '\0' && *code != ';')
	{
		const char *next = strncasecmp(code, GENERAL, strlen(GENERAL)) == 0 ? code + strlen(GENERAL)
																			: skip_literal(code);

		elapsed |= *code == '[' && is_elapsed(code);
		if (next != code)
		{
			code = next;
			continue;
		}
		/* e and b are years of the calendars of Japan and Thailand, but e+ and e- exponents */
		date |= strchr("yYdDbB", *code) != NULL ||
				(strchr("eE", *code) != NULL && code[1] != '+' && code[1] != '-');
		time |= strchr("hHsS", *code) != NULL;
		month |= *code == 'm' || *code == 'M';
		if (strncasecmp(code, "am/pm", 5) == 0)
			code += 4;
		code++;
	}
	/* m is a month, but minutes next to hours or seconds */
	date |= month && !time && !elapsed;
	if (elapsed && !date)
		return FORMAT_ELAPSED;
	time |= elapsed;
	return (NumberFormat) ((date ? FORMAT_DATE : 0) | (time ? FORMAT_TIME : 0));
}

void
value_formats_add(Formats *formats, uint64_t id, const char *code)
{
	if (code == NULL || formats->customs >= STYLES_MAXIMUM)
		return;
	if (formats->custom == NULL)
		formats->custom = parse_allocate(formats->parse, STYLES_MAXIMUM * sizeof(*formats->custom));
	formats->custom[formats->customs] = (struct CustomFormat){id, value_formats_kind(code), NULL};
	if (formats->custom[formats->customs].kind == FORMAT_DIGITS)
		formats->custom[formats->customs].code = parse_copy(formats->parse, code);
	formats->customs++;
}

static struct CustomFormat
format_of(const Formats *formats, uint64_t id)
{
	/* the last format with a number applies; formats of the workbook override built-in ones */
	for (unsigned i = formats->customs; i > 0; i--)
		if (formats->custom[i - 1].id == id)
			return formats->custom[i - 1];
	return (struct CustomFormat){id, kind_of_own(id), NULL};
}

void
value_formats_add_style(Formats *formats, uint64_t id)
{
	struct CustomFormat format;

	if (formats->styles >= STYLES_MAXIMUM)
		return;
	if (formats->kinds == NULL)
		formats->kinds = parse_allocate(formats->parse, STYLES_MAXIMUM);
	format = format_of(formats, id);
	if (format.code != NULL && formats->codes == NULL)
		formats->codes = parse_allocate(formats->parse, STYLES_MAXIMUM * sizeof(*formats->codes));
	if (format.code != NULL)
		formats->codes[formats->styles] = format.code;
	formats->kinds[formats->styles++] = (unsigned char) format.kind;
}

void
value_formats_clear(Formats *formats)
{
	formats->styles = formats->customs = 0;
	formats->in_cells = false;
}

static void
start(void *data, const char *name, const char **attributes)
{
	Formats *formats = data;
	uint64_t id = xml_number(xml_attribute(attributes, "numFmtId"), UINT32_MAX, 0);

	if (strcmp(name, "numFmt") == 0)
		value_formats_add(formats, id, xml_attribute(attributes, "formatCode"));
	else if (strcmp(name, "cellXfs") == 0)
		formats->in_cells = true;
	else if (formats->in_cells && strcmp(name, "xf") == 0)
		value_formats_add_style(formats, id);
}

static void
end(void *data, const char *name)
{
	Formats *formats = data;

	if (strcmp(name, "cellXfs") == 0)
		formats->in_cells = false;
}

const XmlHandlers formats_handlers = {start, end, NULL};

#define DAY_MILLISECONDS INT64_C(86400000)
#define DECIMALS_MAXIMUM 40 /* of a number that is written without an exponent */

/* Write a number with the fewest digits, 15 at least, that are parsed as the same double. */
static size_t
write_shortest(char *value, double number, bool exponent)
{
	int digits = 15;
	int decimals;
	size_t length;

	if (number == trunc(number) && fabs(number) < 1e18)
		return (size_t) snprintf(value, VALUE_MAXIMUM, "%.0f", number + 0.0);
	for (;; digits++)
	{
		snprintf(value, VALUE_MAXIMUM, "%.*e", digits - 1, number);
		if (digits == 17 || strtod(value, NULL) == number)
			break;
	}
	decimals = digits - 1 - (int) strtol(strchr(value, 'e') + 1, NULL, 10);
	if (exponent || decimals < 0 || decimals > DECIMALS_MAXIMUM)
		return (size_t) snprintf(value, VALUE_MAXIMUM, "%.*g", digits, number);
	length = (size_t) snprintf(value, VALUE_MAXIMUM, "%.*f", decimals, number);
	while (value[length - 1] == '0')
		length--;
	return length - (value[length - 1] == '.');
}

/* Is a number its own shortest text: no exponent, no digits that say nothing, at most 15 of them? */
static bool
is_shortest(const char *text)
{
	const char *at = text + (*text == '-');
	size_t whole = strspn(at, "0123456789");
	size_t decimals = at[whole] == '.' ? strspn(at + whole + 1, "0123456789") : 0;

	if (whole == 0 || whole + decimals > 15 || (*at == '0' && (whole > 1 || at > text)))
		return false;
	at += whole;
	return *at == '\0' || (decimals > 0 && at[decimals] != '0' && at[decimals + 1] == '\0');
}

size_t
value_number(char *value, const char *text, size_t length)
{
	char copy[VALUE_MAXIMUM];
	char *end;
	double number;

	if (length == 0 || length >= sizeof(copy))
		return 0;
	memcpy(copy, text, length);
	copy[length] = '\0';
	/* only decimal numbers, not the other forms that strtod() accepts */
	if (strspn(copy, "0123456789+-.eE") != length)
		return 0;
	/* most numbers are so, and writing one takes ten times as long as reading it */
	if (is_shortest(copy))
	{
		memcpy(value, copy, length + 1);
		return length;
	}
	number = strtod(copy, &end);
	if (end != copy + length || !isfinite(number))
		return 0;
	return write_shortest(value, number, strpbrk(copy, "eE") != NULL);
}

/* Write a time of day, or an elapsed time, whose hours may exceed 24. */
static size_t
write_time(char *value, int64_t milliseconds)
{
	int64_t seconds = milliseconds / 1000;
	int length = snprintf(value, VALUE_MAXIMUM, "%02lld:%02d:%02d", (long long) (seconds / 3600),
						  (int) (seconds / 60 % 60), (int) (seconds % 60));

	if (milliseconds % 1000 != 0)
		length += snprintf(value + length, VALUE_MAXIMUM - (size_t) length, ".%03d",
						   (int) (milliseconds % 1000));
	return (size_t) length;
}

/* Write a serial date as ISO 8601; return the length, 0 if the number is not a date. */
static size_t
write_date(char *value, double serial, NumberFormat format, bool since_1904)
{
	/*
	 * 1900 was not a leap year, but Lotus and Excel treat it as one: day 60 is February 29, 1900
	 */
	const double last = since_1904 ? 2957004 : 2958466;
	int64_t epoch = since_1904 ? 24107 : 25569; /* number of 1970-01-01 */
	int64_t milliseconds;
	int64_t days;

	if (format == FORMAT_ELAPSED && serial < 0 && serial > -last)
	{
		*value = '-';
		return 1 + write_time(value + 1, llround(-serial * (double) DAY_MILLISECONDS));
	}
	if (!(serial >= 0 && serial < last))
		return 0;
	milliseconds = llround(serial * (double) DAY_MILLISECONDS);
	/* the last instant of a day without a date is not the first one of the next day */
	if (format == FORMAT_TIME && serial < 1 && milliseconds == DAY_MILLISECONDS)
		milliseconds--;
	days = milliseconds / DAY_MILLISECONDS;
	/* a date with a time is written completely even if its format shows only the time */
	if (format == FORMAT_ELAPSED || (format == FORMAT_TIME && days == 0))
		return write_time(value, milliseconds);
	if (days == (int64_t) last)
		return 0;
	epoch -= !since_1904 && days < 60;
	if (days == 60 && !since_1904)
		snprintf(value, VALUE_MAXIMUM, "1900-02-29");
	else
		date_time_write(value, (days - epoch) * DAY_MILLISECONDS * 1000, false, false);
	if (format == FORMAT_DATE && milliseconds % DAY_MILLISECONDS == 0)
		return strlen(value);
	strcat(value, "T");
	return strlen(value) + write_time(value + strlen(value), milliseconds % DAY_MILLISECONDS);
}

/* Return the section of a code that applies to a number. */
static const char *
section_of(const char *code, double number)
{
	while (is_condition(code) && strchr(code, ';') != NULL)
	{
		const char *sign = code + 1;
		double bound = strtod(sign + strspn(sign, "<=>"), NULL);
		bool less = number < bound && *sign == '<';
		bool greater = number > bound && *sign == '>';
		bool equal = number == bound && (*sign == '=' || sign[1] == '=');

		if (less || greater || equal)
			break;
		code = strchr(code, ';') + 1;
	}
	while (*code == '[')
		code = skip_literal(code);
	return code;
}

/*
 * Write a number in the digits of a code; return the length, 0 if it has a fraction or a minus.  Each
 * digit of the code takes one of the number, from the right; the first one takes all that are left.
 */
static size_t
write_digits(char *value, double number, const char *code)
{
	char digits[VALUE_MAXIMUM];
	const char *section = section_of(code, number);
	size_t end = strcspn(section, ";");
	size_t remaining = 0;
	size_t count;
	size_t used = 0;

	if (!(number >= 0 && number < 1e15 && number == trunc(number)) || end > 40)
		return 0;
	count = number > 0 ? (size_t) snprintf(digits, sizeof(digits), "%.0f", number) : 0;
	for (size_t i = 0; i < end; i++)
		remaining += section[i] == '0' || section[i] == '#';
	for (size_t i = 0; i < end; i++)
	{
		bool is_digit = section[i] == '0' || section[i] == '#';

		if (is_digit && count > 0 && count >= remaining)
		{
			size_t all = count - remaining + 1;

			memcpy(value + used, digits + strlen(digits) - count, all);
			used += all;
			count -= all;
		}
		else if (section[i] == '0' || (!is_digit && section[i] != '"' && section[i] != '\\'))
			value[used++] = section[i];
		remaining -= is_digit;
	}
	value[used] = '\0';
	return used;
}

size_t
value_styled(char *value, double number, const Formats *formats, uint64_t style, bool since_1904)
{
	NumberFormat format =
		style < formats->styles ? (NumberFormat) formats->kinds[style] : FORMAT_PLAIN;

	if (format == FORMAT_DIGITS)
		return write_digits(value, number, formats->codes[style]);
	return format == FORMAT_PLAIN ? 0 : write_date(value, number, format, since_1904);
}
