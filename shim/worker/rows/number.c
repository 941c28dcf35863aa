/*
 * number.c - parse numbers.
 *
 * A text with a leading zero may be a code, so it is no number, and its column has none; nor are
 * texts with spaces or thousands separators numbers.  Digits may be missing on one side of the
 * decimal point.  Integers have 64 bits.
 */
#include <string.h>

#include "rows/profile.h"

#define DIGITS_MAXIMUM 40 /* maximum characters of a number */
#define EXPONENT_MAXIMUM 300

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* approximate power of ten */
static double
power_of_ten(int exponent)
{
	static const double powers[] = {1e0,  1e1,	1e2,  1e3,	1e4,  1e5,	1e6,  1e7,
									1e8,  1e9,	1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
									1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	double power = 1;

	for (; exponent > 22; exponent -= 22)
		power *= 1e22;
	return power * powers[exponent];
}

static double
scaled(double mantissa, int exponent)
{
	return exponent < 0 ? mantissa / power_of_ten(-exponent) : mantissa * power_of_ten(exponent);
}

/* Add digits to a mantissa; digits that do not fit are counted in *more. */
static const char *
read_digits(const char *at, const char *end, uint64_t *mantissa, int *more)
{
	for (; at < end && is_digit(*at); at++)
	{
		if (*mantissa < UINT64_MAX / 10 - 1)
			*mantissa = *mantissa * 10 + (uint64_t) (*at - '0');
		else
			++*more;
	}
	return at;
}

/* Parse an exponent such as e+12 up to the end; false if it is malformed. */
static bool
read_exponent(const char *at, const char *end, int *exponent)
{
	bool negative;
	int value = 0;

	at++;
	negative = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (at == end || end - at > 3)
		return false;
	for (; at < end && is_digit(*at); at++)
		value = value * 10 + (*at - '0');
	*exponent = negative ? -value : value;
	return at == end && value <= EXPONENT_MAXIMUM;
}

/* Parse the rest of a number after its integer part. */
static void
read_fraction(Number *number, const char *at, const char *end, uint64_t mantissa, int more,
			  unsigned digits)
{
	const char *fraction = at + 1;
	bool plain = *at == 'e' || *at == 'E';
	bool comma = *at == ',';
	int beyond = 0;
	int exponent = 0;
	double value;

	if (!plain)
	{
		at = read_digits(fraction, end, &mantissa, &beyond);
		if (at == fraction && digits == 0)
			return;
		more -= (int) (at - fraction) - beyond;
	}
	if (at < end && ((*at != 'e' && *at != 'E') || comma || !read_exponent(at, end, &exponent)))
		return;
	value = scaled((double) mantissa, more + exponent);
	number->kind = comma ? NUMBER_COMMA : NUMBER_POINT;
	number->groups = comma && at - fraction == 3 && digits <= 3 && value >= 1;
	number->value = value;
}

void
number_read(Number *number, const char *text, size_t length)
{
	const char *end = text + length;
	bool negative = length > 0 && *text == '-';
	const char *first = text + (length > 0 && (*text == '-' || *text == '+'));
	const char *at;
	uint64_t mantissa = 0;
	int more = 0;

	number->kind = NUMBER_NONE;
	if (first == end || length > DIGITS_MAXIMUM)
		return;
	at = read_digits(first, end, &mantissa, &more);
	if (*first == '0' && at - first > 1)
		return;
	if (at == end)
	{
		/* there is a digit, since *first is one */
		if (more > 0 || mantissa > (uint64_t) INT64_MAX + negative)
			return;
		number->kind = NUMBER_INTEGER;
		number->whole = (int64_t) (negative ? 0 - mantissa : mantissa);
		number->value = (double) number->whole;
		return;
	}
	number->whole = 0;
	if (*at != '.' && *at != ',' && (at == first || (*at != 'e' && *at != 'E')))
		return;
	read_fraction(number, at, end, mantissa, more, (unsigned) (at - first));
	if (negative)
		number->value = -number->value;
}
