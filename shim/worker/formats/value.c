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
 * A date is a number whose cell has a format with days or hours.  The formats below 164 are built
 * into Excel; the others are stored in the workbook as codes such as yyyy\-mm\-dd;@.
 */

#define STYLES_MAXIMUM 65536

struct CustomFormat
{
	uint64_t id;
	NumberFormat kind;
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
			   {50, 54, FORMAT_DATE}, {55, 56, FORMAT_TIME},	{57, 58, FORMAT_DATE}};

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

NumberFormat
formats_kind(const char *code)
{
	bool date = false;
	bool time = false;
	bool month = false;
	bool elapsed = false;

	if (strcasecmp(code, "General") == 0)
		return FORMAT_PLAIN;
	while (*code != '\0' && *code != ';')
	{
		const char *next = skip_literal(code);

		elapsed |= *code == '[' && is_elapsed(code);
		if (next != code)
		{
			code = next;
			continue;
		}
		date |= strchr("yYdD", *code) != NULL;
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
formats_add(Formats *formats, uint64_t id, const char *code)
{
	if (code == NULL || formats->customs >= STYLES_MAXIMUM)
		return;
	if (formats->customs == formats->custom_room)
	{
		formats->custom_room = formats->custom_room * 2 + 16;
		formats->custom = parse_resize(formats->parse, formats->custom,
									   formats->custom_room * sizeof(*formats->custom));
	}
	formats->custom[formats->customs++] = (struct CustomFormat){id, formats_kind(code)};
}

static NumberFormat
kind_of(const Formats *formats, uint64_t id)
{
	/* the last format with a number applies; formats of the workbook override built-in ones */
	for (unsigned i = formats->customs; i > 0; i--)
		if (formats->custom[i - 1].id == id)
			return formats->custom[i - 1].kind;
	return kind_of_own(id);
}

void
formats_add_style(Formats *formats, uint64_t id)
{
	if (formats->styles >= STYLES_MAXIMUM)
		return;
	if (formats->styles == formats->room)
	{
		formats->room = formats->room * 2 + 64;
		formats->kinds = parse_resize(formats->parse, formats->kinds, formats->room);
	}
	formats->kinds[formats->styles++] = (unsigned char) kind_of(formats, id);
}

void
formats_clear(Formats *formats)
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
		formats_add(formats, id, xml_attribute(attributes, "formatCode"));
	else if (strcmp(name, "cellXfs") == 0)
		formats->in_cells = true;
	else if (formats->in_cells && strcmp(name, "xf") == 0)
		formats_add_style(formats, id);
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

/*
 * A number without exponent: its digits as an integer, and the number of decimals.
 */
typedef struct Plain
{
	bool negative;
	uint64_t digits;
	unsigned count; /* number of digits without leading zeros */
	unsigned fraction;
} Plain;

/*
 * Split a number into digits; false without digits, with an exponent, or with too many digits.
 */
static bool
read_plain(Plain *plain, const char *text, size_t length)
{
	const char *end = text + length;
	bool point = false;

	*plain = (Plain){.negative = length > 0 && *text == '-'};
	text += plain->negative;
	if (text == end || *text < '0' || *text > '9')
		return false;
	for (; text < end; text++)
	{
		if (*text == '.' && !point)
		{
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9' || plain->count == 17 || plain->fraction == 22)
			return false;
		plain->digits = plain->digits * 10 + (uint64_t) (*text - '0');
		plain->count += plain->digits > 0;
		plain->fraction += point;
	}
	return true;
}

static double
quotient(uint64_t digits, unsigned fraction)
{
	static const double powers[] = {1e0,  1e1,	1e2,  1e3,	1e4,  1e5,	1e6,  1e7,
									1e8,  1e9,	1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
									1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

	return (double) digits / powers[fraction];
}

/*
 * Drop the last digits that the double does not need; false if that cannot be decided this way.
 *
 * For integers up to 2^53 the quotient by a power of ten is correctly rounded, so it equals the
 * result of strtod().
 */
static bool
shorten(Plain *plain, const char *text)
{
	const uint64_t exact = UINT64_C(1) << 53;
	double number;

	if (plain->count <= 15)
		return true;
	if (plain->fraction < 2)
		return false;
	number =
		plain->digits < exact ? quotient(plain->digits, plain->fraction) : fabs(strtod(text, NULL));
	for (unsigned drop = plain->count - 15; drop > 0; drop--)
	{
		uint64_t unit = drop == 2 ? 100 : 10;
		uint64_t digits = (plain->digits + unit / 2) / unit;

		if (digits >= exact)
			return false;
		if (quotient(digits, plain->fraction - drop) != number)
			continue;
		plain->digits = digits;
		plain->fraction -= drop;
		break;
	}
	return true;
}

static size_t
write_plain(char *value, Plain plain)
{
	char text[VALUE_MAXIMUM];
	char *const end = text + sizeof(text);
	char *at = end;

	for (; plain.fraction > 0 && plain.digits % 10 == 0; plain.fraction--)
		plain.digits /= 10;
	for (bool point = plain.fraction > 0; point || plain.digits > 0 || at == end || *at == '.';)
	{
		*--at = (char) ('0' + plain.digits % 10);
		plain.digits /= 10;
		if (point && --plain.fraction == 0)
		{
			*--at = '.';
			point = false;
		}
	}
	if (plain.negative && !(end - at == 1 && *at == '0'))
		*--at = '-';
	memcpy(value, at, (size_t) (end - at));
	return (size_t) (end - at);
}

static size_t
shortest(char *value, double number)
{
	int length = 0;

	if (number == trunc(number) && fabs(number) < 1e18)
		return (size_t) snprintf(value, VALUE_MAXIMUM, "%.0f", number + 0.0);
	for (int digits = 15; digits <= 17; digits++)
	{
		length = snprintf(value, VALUE_MAXIMUM, "%.*g", digits, number);
		if (strtod(value, NULL) == number)
			break;
	}
	return (size_t) length;
}

size_t
value_number(char *value, const char *text, size_t length)
{
	char copy[VALUE_MAXIMUM];
	char *end;
	double number;
	Plain plain;

	if (length == 0 || length >= sizeof(copy))
		return 0;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (read_plain(&plain, copy, length) && shorten(&plain, copy))
		return write_plain(value, plain);
	/* only decimal numbers, not the other forms that strtod() accepts */
	if (strspn(copy, "0123456789+-.eE") != length)
		return 0;
	number = strtod(copy, &end);
	if (end != copy + length || !isfinite(number))
		return 0;
	return shortest(value, number);
}

double
value_serial(const char *value, size_t length)
{
	char copy[VALUE_MAXIMUM + 1];
	Plain plain;

	if (read_plain(&plain, value, length) && plain.count <= 15)
		return quotient(plain.digits, plain.fraction) * (plain.negative ? -1 : 1);
	memcpy(copy, value, length);
	copy[length] = '\0';
	return strtod(copy, NULL);
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

size_t
value_date(char *value, double serial, NumberFormat format, bool since_1904)
{
	/*
	 * 1900 was not a leap year, but Lotus and Excel treat it as one: day 60 is February 29, 1900
	 */
	const double last = since_1904 ? 2957004 : 2958466;
	int64_t milliseconds;
	int64_t days;
	int64_t epoch;

	if (!(serial >= 0 && serial < last))
		return 0;
	milliseconds = llround(serial * (double) DAY_MILLISECONDS);
	days = milliseconds / DAY_MILLISECONDS;
	/* a date with a time is written completely even if its format shows only the time */
	if (format == FORMAT_ELAPSED || (format == FORMAT_TIME && days == 0))
		return write_time(value, milliseconds);
	if (days == (int64_t) last)
		return 0;
	if (since_1904)
		epoch = date_time_days(1904, 1, 1);
	else
		epoch = date_time_days(1899, 12, days < 60 ? 31 : 30);
	if (days == 60 && !since_1904)
		snprintf(value, VALUE_MAXIMUM, "1900-02-29");
	else
		date_time_write(value, (epoch + days) * DAY_MILLISECONDS * 1000, false, false);
	if (format == FORMAT_DATE && milliseconds % DAY_MILLISECONDS == 0)
		return strlen(value);
	strcat(value, "T");
	return strlen(value) + write_time(value + strlen(value), milliseconds % DAY_MILLISECONDS);
}
