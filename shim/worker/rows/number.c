/*
 * number.c - parse numbers.
 *
 * A text with a leading zero may be a code, so it is no number, and its column has none; nor are
 * texts with spaces or thousands separators numbers.  Digits may be missing on one side of the
 * decimal point.  Integers have 64 bits.
 */

#include <errno.h>
#include <math.h>

#include "rows/columns.h"

#define DIGITS_MAXIMUM 40 /* maximum characters of a number */
#define DIGITS "0123456789"
#define EXPONENT_DIGITS 3
#define EXPONENT_MAXIMUM 300

/* Is it an exponent such as e+12? */
static bool
is_exponent(const char *text)
{
	size_t digits;

	if (*text != 'e' && *text != 'E')
		return false;
	text += 1 + (text[1] == '-' || text[1] == '+');
	digits = strspn(text, DIGITS);
	return digits > 0 && digits <= EXPONENT_DIGITS && text[digits] == '\0' &&
		   strtol(text, NULL, 10) <= EXPONENT_MAXIMUM;
}

void
number_read(Number *number, const char *text, size_t length)
{
	char copy[DIGITS_MAXIMUM + 1];
	const char *first = copy;
	size_t whole;
	size_t fraction = 0;
	char *point;
	bool comma;

	number->kind = NUMBER_NONE;
	if (length == 0 || length > DIGITS_MAXIMUM || (unsigned char) *text > '9')
		return;
	memcpy(copy, text, length);
	copy[length] = '\0';
	first += *copy == '-' || *copy == '+';
	whole = strspn(first, DIGITS);
	if (whole > 1 && *first == '0')
		return;
	if (whole > 0 && first[whole] == '\0')
	{
		errno = 0;
		number->whole = strtoll(copy, NULL, 10);
		number->value = (double) number->whole;
		number->kind = errno == 0 ? NUMBER_INTEGER : NUMBER_NONE;
		return;
	}
	point = copy + (first - copy) + whole;
	comma = *point == ',';
	if (comma || *point == '.')
	{
		fraction = strspn(point + 1, DIGITS);
		*point++ = '.';
		point += fraction;
	}
	if (whole + fraction == 0 || (*point != '\0' && (comma || !is_exponent(point))))
		return;
	number->whole = 0;
	number->value = strtod(copy, NULL);
	number->kind = comma ? NUMBER_COMMA : NUMBER_POINT;
	number->groups = comma && fraction == 3 && whole <= 3 && fabs(number->value) >= 1;
}
