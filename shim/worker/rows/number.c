/*
 * number.c - parse numbers.
 *
 * A text with a leading zero may be a code, so it is no number, and its column has none.  Digits may
 * be missing on one side of the sign before decimals.  Integers have 64 bits.
 */

#include <ctype.h>
#include <errno.h>

#include "rows/columns.h"

#define DIGITS_MAXIMUM 40 /* maximum characters of a number */
#define EXACT_DIGITS 15	  /* that a double has exactly */
#define EXPONENT_DIGITS 3
#define EXPONENT_MAXIMUM 300

/* Count the digits that a text begins with, and read them; wrong if they are too many for 64 bits. */
static size_t
read_digits(const char *text, const char *end, uint64_t *number)
{
	const char *at = text;

	for (; at < end && *at >= '0' && *at <= '9'; at++)
		*number = *number * 10 + (uint64_t) (*at - '0');
	return (size_t) (at - text);
}

/* Is it an exponent such as e+12? */
static bool
is_exponent(const char *text, const char *end)
{
	uint64_t exponent = 0;
	size_t digits;

	if (*text != 'e' && *text != 'E')
		return false;
	text++;
	text += text < end && (*text == '-' || *text == '+');
	digits = read_digits(text, end, &exponent);
	return digits > 0 && digits <= EXPONENT_DIGITS && text + digits == end &&
		   exponent <= EXPONENT_MAXIMUM;
}

/*
 * Read a text that has the form of a number by the library: one with an exponent, or with more digits than a double
 * has.  point: the sign before its decimals, NULL: it has none.
 */
static bool
read_long(Number *number, const char *text, size_t length, const char *point)
{
	char copy[DIGITS_MAXIMUM + 1];

	memcpy(copy, text, length);
	copy[length] = '\0';
	if (point != NULL)
		copy[point - text] = '.';
	errno = 0;
	if (number->fraction)
		number->value = strtod(copy, NULL);
	else
	{
		number->whole = strtoll(copy, NULL, 10);
		number->value = (double) number->whole;
	}
	return number->fraction || errno == 0;
}

bool
number_read_plain(Number *number, const char *text, size_t length, char decimal)
{
	/* powers of ten that a double has exactly; a quotient of two such numbers is rounded once, as it is to be */
	static const double powers[EXACT_DIGITS + 1] = {1e0, 1e1, 1e2,	1e3,  1e4,	1e5,  1e6,	1e7,
													1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	const char *end = text + length;
	const char *first = text + (length > 0 && (*text == '-' || *text == '+'));
	const char *point = NULL;
	uint64_t digits = 0;
	size_t whole;
	size_t fraction = 0;
	const char *rest;

	if (length == 0 || length > DIGITS_MAXIMUM || (unsigned char) *text > '9')
		return false;
	whole = read_digits(first, end, &digits);
	if (whole > 1 && *first == '0')
		return false;
	rest = first + whole;
	*number = (Number){.fraction = whole == 0 || rest < end};
	if (rest < end && *rest == decimal)
	{
		point = rest++;
		fraction = read_digits(rest, end, &digits);
		rest += fraction;
	}
	if (whole + fraction == 0 || (rest < end && (decimal == ',' || !is_exponent(rest, end))))
		return false;
	if (rest < end || whole + fraction > EXACT_DIGITS)
		return read_long(number, text, length, point);
	number->value = (double) digits / powers[fraction];
	if (*text == '-')
		number->value = -number->value;
	if (!number->fraction)
		number->whole = (int64_t) number->value;
	return true;
}

/* clang-format off */
/* Per cent, and signs and codes of currencies: of two that begin alike the longer is behind the other. */
static const char *const units[] = {
	"%", "‰", "€", "£", "¥", "₹", "₽", "₺", "₩", "₪", "₫", "₱", "₲", "₴", "₡", "₦", "฿", "¢",
	"$", "R$", "US$", "AR$", "A$", "C$", "NZ$", "HK$", "MX$", "Bs", "Bs.", "Gs.", "S/", "S/.",
	"kr", "kr.", "Kč", "zł", "Ft", "лв", "lei", "Fr.", "руб.",
	"EUR", "USD", "GBP", "CHF", "JPY", "CNY", "ARS", "AUD", "BGN", "BOB", "BRL", "CAD", "CLP",
	"COP", "CRC", "CZK", "DKK", "DOP", "GTQ", "HKD", "HUF", "ILS", "INR", "ISK", "KRW", "MXN",
	"NOK", "NZD", "PEN", "PLN", "PYG", "RON", "RUB", "SEK", "SGD", "TRY", "UAH", "UYU", "VES",
	"ZAR",
};
/* clang-format on */
/*
 * ---- Units by their first and their last byte ----
 *
 * The last unit that begins, or ends, with a byte, and for each unit the one before it that does; their
 * numbers, from 1.
 */
static struct
{
	unsigned char last[256];
	unsigned char before[lengthof(units) + 1];
} unit_begins, unit_ends;

static void
note_units(void)
{
	for (size_t i = 1; i <= lengthof(units); i++)
	{
		unsigned char begin = (unsigned char) *units[i - 1];
		unsigned char end = (unsigned char) units[i - 1][strlen(units[i - 1]) - 1];

		unit_begins.before[i] = unit_begins.last[begin];
		unit_begins.last[begin] = (unsigned char) i;
		unit_ends.before[i] = unit_ends.last[end];
		unit_ends.last[end] = (unsigned char) i;
	}
}

bool
number_is_likely(const char *text, size_t length)
{
	unsigned char first = (unsigned char) *text;
	unsigned char last = (unsigned char) text[length - 1];
	/* a minus sign of Unicode begins as signs of currencies do */
	bool begins = isdigit(first) || first == '+' || first == '-' || first == '.' || first == ',' ||
				  first == 0xE2;
	bool ends = isdigit(last) || last == '.' || last == ',';

	if (unit_begins.last['%'] == 0)
		note_units();
	/* a unit stands before the digits or behind them */
	return length < NUMBER_BYTES && ((begins && (ends || unit_ends.last[last] != 0)) ||
									 (ends && unit_begins.last[first] != 0));
}

const char *
number_unit(const char *text, size_t length)
{
	NumberText bare = {text, length};
	unsigned i;

	number_sign(&bare);
	i = bare.length > 0 ? unit_begins.last[(unsigned char) *bare.at] : 0;
	for (; i > 0; i = unit_begins.before[i])
		if (number_begins(&bare, units[i - 1]))
			return units[i - 1];
	i = unit_ends.last[(unsigned char) text[length - 1]];
	for (; i > 0; i = unit_ends.before[i])
		if (number_ends(&bare, units[i - 1]))
			return units[i - 1];
	return NULL;
}

bool
number_read(Number *number, const char *text, size_t length, char decimal, const char *unit)
{
	NumberPlain plain;

	if (unit == NULL && number_read_plain(number, text, length, decimal))
	{
		number->plain = true;
		return true;
	}
	if (!number_plain(&plain, (NumberText){text, length}, decimal, unit) ||
		!number_read_plain(number, plain.text, plain.length, '.'))
		return false;
	number->plain = false;
	number->thousands = plain.thousands;
	if (plain.thousands != '\0')
		snprintf(number->sign, sizeof(number->sign), "%.*s", (int) plain.sign_size, plain.sign);
	return true;
}
