/*
 * cell.c
 *	  Cells: their kinds, and their comparison as numbers, dates and texts.
 *
 * Numbers are compared by their keys, exactly, whatever number of digits they have.
 */
#include "catalogue.h"

#include <math.h>

#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "rows/sheets/date_text.h"
#include "rows/sheets/marks.h"
#include "rows/sheets/sheets.h"

/*
 * ---- Keys by which cells are sorted and compared ----
 *
 * Keys are ASCII, and compared byte by byte (COLLATE "C").
 */

/* Added to the exponent of a number, so that it is positive and has four digits. */
#define EXPONENT_BIAS 2000

/* Append the digits of a number from the first one on that is not 0. */
static char *
append_digits(char *at, const char *start, const char *digits, int length)
{
	if (at == start)
		for (; length > 0 && *digits == '0'; length--)
			digits++;
	memcpy(at, digits, (size_t) length);
	return at + length;
}

/* Write four digits. */
static void
write_four(char *at, int number)
{
	for (int i = 3; i >= 0; i--, number /= 10)
		at[i] = (char) ('0' + number % 10);
}

/*
 * Write a number: its sign, its exponent and its digits.  Those of a negative number are complemented
 * and followed by a byte that is greater than any digit.
 */
static char *
write_number(char *at, const CellNumber *number)
{
	char *start = at + 5; /* behind sign and exponent */
	char *end = append_digits(start, start, number->whole, number->nwhole);
	int exponent;

	end = append_digits(end, start, number->fraction, number->nfraction);
	/* the value is a fraction that begins with these digits, times ten to the power of the exponent */
	exponent = number->exponent + (int) (end - start) - number->nfraction;
	while (end > start && end[-1] == '0')
		end--;
	if (end == start)
	{
		*at = '1';
		return at + 1;
	}
	*at = number->negative ? '0' : '2';
	write_four(at + 1, EXPONENT_BIAS + (number->negative ? -exponent : exponent));
	if (!number->negative)
		return end;
	for (char *digit = start; digit < end; digit++)
		*digit = (char) ('0' + '9' - *digit);
	*end = '~';
	return end + 1;
}

/* Write an instant as 16 digits. */
static char *
write_instant(char *at, int64 instant)
{
	uint64 rest = (uint64) instant ^ ((uint64) 1 << 63);

	for (int i = 15; i >= 0; i--, rest >>= 4)
		at[i] = "0123456789abcdef"[rest & 15];
	return at + 16;
}

int
cat_cell_key(char key[CELL_KEY_MAX], const SheetColumn *column, const CellValue *value)
{
	if (cat_cell_is_time(column->kind))
		return (int) (write_instant(key, value->instant) - key);
	if (column->kind != CELL_BOOLEAN)
		return (int) (write_number(key, &value->number) - key);
	*key = value->number.value != 0 ? '1' : '0';
	return 1;
}

/* Compare two values of a column that is not text. */
int
cat_cell_compare(const SheetColumn *column, const CellValue *left, const CellValue *right)
{
	char keys[2][CELL_KEY_MAX];
	int left_length = cat_cell_key(keys[0], column, left);
	int right_length = cat_cell_key(keys[1], column, right);
	int order = memcmp(keys[0], keys[1], (size_t) Min(left_length, right_length));

	return order ? order : left_length - right_length;
}

/* Read a time zone: Z, or an offset such as "+02:00", "+0200" or "+02". */
static const char *
read_zone(const char *at, const char *end, DateParts *parts)
{
	bool west = *at == '-';
	int hours;
	int minutes = 0;

	if (*at == 'Z' || *at == 'z')
		return at + 1;
	if ((*at != '+' && *at != '-') || !(at = date_text_digits(at + 1, end, 2, &hours)))
		return NULL;
	if (at < end)
		at = date_text_digits(at + (*at == ':'), end, 2, &minutes);
	parts->zone = (hours * MINS_PER_HOUR + minutes) * (west ? -1 : 1);
	return at;
}

static bool
exists(const DateParts *parts)
{
	return parts->year >= 1 && parts->month >= 1 && parts->month <= MONTHS_PER_YEAR &&
		   parts->day >= 1 && parts->day <= day_tab[isleap(parts->year)][parts->month - 1] &&
		   parts->hour < HOURS_PER_DAY && parts->minute < MINS_PER_HOUR &&
		   parts->second < SECS_PER_MINUTE && abs(parts->zone) <= 18 * MINS_PER_HOUR;
}

/*
 * Read a date or timestamp; without a time zone it is UTC.  A month or a quarter is the instant at
 * which it begins.  False if the text does not conform to the column.
 */
static bool
read_instant(const SheetColumn *column, const char *text, int length, CellValue *value)
{
	bool period = column->kind == CELL_MONTH || column->kind == CELL_QUARTER;
	const char *usual = column->kind == CELL_MONTH	   ? DATE_TEXT_MONTH
						: column->kind == CELL_QUARTER ? DATE_TEXT_QUARTER
													   : DATE_TEXT_DAY;
	const char *end = text + length;
	DateParts parts = DATE_TEXT_FIRST;
	const char *at = date_text_read(column->format ? column->format : usual, text, end, &parts);

	if (at && at < end && !period)
		at = date_text_time(at, end, &parts);
	if (at && at < end && parts.timed)
		at = read_zone(at, end, &parts);
	if (at != end || !exists(&parts))
		return false;
	value->day = !parts.timed;
	value->instant =
		((int64) (date2j(parts.year, parts.month, parts.day) - POSTGRES_EPOCH_JDATE)) *
			USECS_PER_DAY +
		(int64) (parts.hour * MINS_PER_HOUR + parts.minute - parts.zone) * USECS_PER_MINUTE +
		(int64) parts.second * USECS_PER_SEC + parts.micros;
	return true;
}

#define DIGITS_BYTES 400 /* maximum length of a number */
#define EXPONENT_MAX 400 /* maximum absolute value of an exponent */
#define EXACT_DIGITS 15	 /* decimal digits that a double represents exactly */
#define EXACT_POWER 22	 /* greatest power of ten that a double represents exactly */

static const char *const kind_names[] = {
	[CELL_TEXT] = "text",		[CELL_INTEGER] = "integer", [CELL_DECIMAL] = "decimal",
	[CELL_BOOLEAN] = "boolean", [CELL_DATE] = "date",		[CELL_DATETIME] = "datetime",
	[CELL_MONTH] = "month",		[CELL_QUARTER] = "quarter",
};

static const double powers[] = {1e0,  1e1,	1e2,  1e3,	1e4,  1e5,	1e6,  1e7,
								1e8,  1e9,	1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
								1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Return the kind of a name; CELL_TEXT if it is unknown. */
CellKind
cat_cell_kind_named(const char *name)
{
	for (size_t i = 0; i < lengthof(kind_names); i++)
		if (strcmp(kind_names[i], name) == 0)
			return (CellKind) i;
	return CELL_TEXT;
}

const char *
cat_cell_kind_name(CellKind kind)
{
	return kind_names[kind];
}

static inline bool
is_digit(char c)
{
	return (unsigned char) (c - '0') < 10;
}

/* Return the end of a sequence of digits. */
static const char *
digits_end(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/* Read an exponent up to the end; false if anything else follows, or if it is too large. */
static bool
read_exponent(const char *at, const char *end, int *exponent)
{
	bool negative = at < end && *at == '-';

	at += at < end && (*at == '-' || *at == '+');
	if (at == end || end - at > 4 || digits_end(at, end) != end)
		return false;
	for (*exponent = 0; at < end; at++)
		*exponent = *exponent * 10 + (*at - '0');
	if (*exponent > EXPONENT_MAX)
		return false;
	*exponent = negative ? -*exponent : *exponent;
	return true;
}

/* Return the value of a number with too many digits for integer arithmetic. */
static double
long_value(const CellNumber *number)
{
	char text[2 * DIGITS_BYTES];

	snprintf(text, sizeof(text), "%s%.*s.%.*se%d", number->negative ? "-" : "", number->nwhole,
			 number->whole, number->nfraction, number->fraction, number->exponent);
	return strtod(text, NULL);
}

/* Return the digits of an exact number as an integer. */
static int64
mantissa_of(const CellNumber *number)
{
	int64 mantissa = 0;

	for (int i = 0; i < number->nwhole; i++)
		mantissa = mantissa * 10 + (number->whole[i] - '0');
	for (int i = 0; i < number->nfraction; i++)
		mantissa = mantissa * 10 + (number->fraction[i] - '0');
	return mantissa;
}

/* Compute the value from the digits. */
static void
compute_value(CellNumber *number)
{
	int power = number->exponent - number->nfraction;
	int64 mantissa;

	number->exact = number->nwhole + number->nfraction <= EXACT_DIGITS;
	if (!number->exact || power > EXACT_POWER || power < -EXACT_POWER)
	{
		number->value = long_value(number);
		return;
	}
	mantissa = mantissa_of(number);
	number->value =
		power < 0 ? (double) mantissa / powers[-power] : (double) mantissa * powers[power];
	if (number->negative)
		number->value = -number->value;
}

/* Strip leading and trailing zeros, and the sign of zero. */
static void
trim(CellNumber *number)
{
	while (number->nwhole > 0 && *number->whole == '0')
	{
		number->whole++;
		number->nwhole--;
	}
	while (number->nfraction > 0 && number->fraction[number->nfraction - 1] == '0')
		number->nfraction--;
	number->negative = number->negative && number->nwhole + number->nfraction > 0;
}

bool
cat_cell_number(const char *text, int length, char point, CellNumber *number)
{
	const char *end = text + length;
	const char *at = text;

	number->negative = length > 0 && *at == '-';
	number->exponent = 0;
	at += length > 0 && (*at == '-' || *at == '+');
	number->whole = at;
	at = digits_end(at, end);
	number->nwhole = (int) (at - number->whole);
	number->fraction = at;
	number->nfraction = 0;
	if (at < end && *at == point)
	{
		number->fraction = ++at;
		at = digits_end(at, end);
		number->nfraction = (int) (at - number->fraction);
	}
	if (number->nwhole + number->nfraction == 0 || length > DIGITS_BYTES)
		return false;
	if (at < end && (*at == 'e' || *at == 'E'))
	{
		if (!read_exponent(at + 1, end, &number->exponent))
			return false;
	}
	else if (at != end)
		return false;
	trim(number);
	compute_value(number);
	return true;
}

Datum
cat_cell_numeric(const CellNumber *number)
{
	char *text;
	Datum value;
	int64 mantissa;

	if (number->exact && number->exponent == 0)
	{
		mantissa = mantissa_of(number);
		return NumericGetDatum(
			int64_div_fast_to_numeric(number->negative ? -mantissa : mantissa, number->nfraction));
	}
	text = psprintf("%s0%.*s.%.*se%d", number->negative ? "-" : "", number->nwhole, number->whole,
					number->nfraction, number->fraction, number->exponent);
	value = DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
								Int32GetDatum(-1));
	pfree(text);
	return value;
}

/* Read "true" or "false", ignoring case. */
static bool
read_boolean(const char *text, int length, CellNumber *number)
{
	bool is_true = length == 4 && pg_strncasecmp(text, "true", 4) == 0;

	*number = (CellNumber){.value = is_true, .exact = true};
	return is_true || (length == 5 && pg_strncasecmp(text, "false", 5) == 0);
}

bool
cat_cell_is_among(const List *texts, const char *text, int length)
{
	foreach_ptr(const char, other, texts)
		if (strlen(other) == (size_t) length && memcmp(other, text, (size_t) length) == 0)
			return true;
	return false;
}

bool
cat_cell_is_mark(const SheetColumn *column, const char *text, int length)
{
	return cat_cell_is_among(column->marks, text, length);
}

/* Return whether a text is one of the usual ones for a missing value, or blanks alone. */
CAT_FUNCTION(catalogue_is_mark)
{
	const text *content = PG_GETARG_TEXT_PP(ARG_IS_MARK_CONTENT);
	NumberText bare = {VARDATA_ANY(content), VARSIZE_ANY_EXHDR(content)};
	bool empty = bare.length == 0;

	number_trim(&bare);
	for (size_t i = 0; bare.length > 0 && i < lengthof(missing_marks); i++)
		if (strlen(missing_marks[i]) == bare.length &&
			pg_strncasecmp(missing_marks[i], bare.at, bare.length) == 0)
			PG_RETURN_BOOL(true);
	/* blanks alone stand for no value */
	PG_RETURN_BOOL(!empty && bare.length == 0);
}

/* Read a number in the form that those of its column have. */
static bool
read_number(const SheetColumn *column, NumberText text, CellValue *value)
{
	NumberPlain *plain = &value->plain;

	if (!column->unit && cat_cell_number(text.at, (int) text.length, column->point, &value->number))
		return true;
	return number_plain(plain, text, column->point, column->unit) &&
		   (plain->thousands == '\0' || plain->thousands == column->thousands) &&
		   cat_cell_number(plain->text, (int) plain->length, '.', &value->number);
}

bool
cat_cell_value(const SheetColumn *column, const char *text, int length, CellValue *value)
{
	NumberText bare = {text, (size_t) length};

	if (column->masked && cat_cell_is_mark(column, text, length))
		return false;
	number_trim(&bare);
	text = bare.at;
	length = (int) bare.length;
	switch (column->kind)
	{
		case CELL_INTEGER:
		case CELL_DECIMAL:
			return read_number(column, bare, value);
		case CELL_BOOLEAN:
			return read_boolean(text, length, &value->number);
		case CELL_DATE:
		case CELL_DATETIME:
		case CELL_MONTH:
		case CELL_QUARTER:
			return read_instant(column, text, length, value);
		case CELL_TEXT:
			break;
	}
	return false;
}

/* Return the number of a date or an instant: days, microseconds, months or quarters since 2000. */
static double
scalar_of(CellKind kind, int64 instant)
{
	double days = floor((double) instant / (double) USECS_PER_DAY);
	int year;
	int month;
	int day;

	if (kind == CELL_DATETIME)
		return (double) instant;
	if (kind == CELL_DATE)
		return days;
	j2date((int) days + POSTGRES_EPOCH_JDATE, &year, &month, &day);
	month += (year - 2000) * MONTHS_PER_YEAR - 1;
	return kind == CELL_MONTH ? month : floor(month / 3.0);
}

int64
cat_cell_instant_at(CellKind kind, double scalar)
{
	int months = (int) (kind == CELL_QUARTER ? scalar * 3 : scalar);
	int years;

	if (kind == CELL_DATETIME)
		return (int64) scalar;
	if (kind == CELL_DATE)
		return (int64) scalar * USECS_PER_DAY;
	years = (int) floor(months / (double) MONTHS_PER_YEAR);
	return (date2j(2000 + years, months - years * MONTHS_PER_YEAR + 1, 1) - POSTGRES_EPOCH_JDATE) *
		   USECS_PER_DAY;
}

bool
cat_cell_scalar(const SheetColumn *column, const char *text, int length, double *scalar)
{
	CellValue value;

	if (!cat_cell_value(column, text, length, &value))
		return false;
	*scalar = cat_cell_is_time(column->kind) ? scalar_of(column->kind, value.instant)
											 : value.number.value;
	return isfinite(*scalar);
}
