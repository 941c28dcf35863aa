/*
 * cell.c
 *	  Values of cells by the type of their column: numbers, booleans, dates.
 *
 * Numbers are compared by their keys (cell_key.c), exactly, whatever number of digits they have.
 */
#include "catalogue.h"

#include <math.h>

#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "sheets/sheets.h"
#include "sheets/sheets_internal.h"

#define NUMBER_BYTES 400 /* maximum length of a number */
#define EXPONENT_MAX 400 /* maximum absolute value of an exponent */
#define EXACT_DIGITS 15	 /* decimal digits that a double represents exactly */
#define EXACT_POWER 22	 /* greatest power of ten that a double represents exactly */

static const char *const kind_names[] = {
	[CELL_TEXT] = "text",		[CELL_INTEGER] = "integer", [CELL_DECIMAL] = "decimal",
	[CELL_BOOLEAN] = "boolean", [CELL_DATE] = "date",		[CELL_DATETIME] = "datetime",
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
	char text[2 * NUMBER_BYTES];

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
settle_value(CellNumber *number)
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
	if (number->nwhole + number->nfraction == 0 || length > NUMBER_BYTES)
		return false;
	if (at < end && (*at == 'e' || *at == 'E'))
	{
		if (!read_exponent(at + 1, end, &number->exponent))
			return false;
	}
	else if (at != end)
		return false;
	trim(number);
	settle_value(number);
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
cat_cell_value(const SheetColumn *column, const char *text, int length, CellValue *value)
{
	switch (column->kind)
	{
		case CELL_INTEGER:
		case CELL_DECIMAL:
			return cat_cell_number(text, length, column->point, &value->number);
		case CELL_BOOLEAN:
			return read_boolean(text, length, &value->number);
		case CELL_DATE:
		case CELL_DATETIME:
			return cat_cell_time_read(text, length, column->format, value);
		case CELL_TEXT:
			break;
	}
	return false;
}

/*
 * Read a cell as a number: that of a date is its day, that of an instant its microsecond.  False if
 * it is not of the column's type, or too great.
 */
bool
cat_cell_place(const SheetColumn *column, const char *text, int length, double *place)
{
	CellValue value;

	if (!cat_cell_value(column, text, length, &value))
		return false;
	if (column->kind == CELL_DATE)
		*place = floor((double) value.instant / (double) USECS_PER_DAY);
	else if (column->kind == CELL_DATETIME)
		*place = (double) value.instant;
	else
		*place = value.number.value;
	return isfinite(*place);
}
