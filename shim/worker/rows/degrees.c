/*
 * degrees.c - coordinates as people write them: degrees, maybe with minutes and seconds, and the first
 * letter of a direction.
 */
#include <ctype.h>

#include "rows/places.h"

#define LEVELS 3		 /* degrees, minutes, seconds */
#define DIGITS 3		 /* of a whole part, at most */
#define DECIMALS_MOST 15 /* that are read */

/* Signs behind degrees, minutes and seconds; a longer one stands before its beginning. */
static const char *const signs[LEVELS][9] = {
	{"°", "º", "˚"},
	{"'", "′", "’", "‘", "´", "`"},
	{"\"", "″", "”", "“", "''", "′′", "’’", "´´"},
};

static void
pass_blanks(NumberText *text)
{
	for (int i = 0; i < NUMBER_BLANKS; i++)
		if (number_begins(text, number_blanks[i]))
		{
			number_pass(text, strlen(number_blanks[i]));
			i = -1; /* from the first blank on */
		}
}

/* Read the sign of a level, if it is the next one. */
static bool
take_sign(NumberText *text, unsigned level)
{
	for (size_t i = 0; i < lengthof(signs[level]) && signs[level][i] != NULL; i++)
		if (number_begins(text, signs[level][i]))
		{
			number_pass(text, strlen(signs[level][i]));
			return true;
		}
	return false;
}

/* Read the letter of a direction, if it is the next one, and no word begins with it. */
static char
take_letter(NumberText *text)
{
	char letter = (char) (text->length > 0 ? toupper((unsigned char) *text->at) : '\0');

	if (letter == '\0' || strchr("NSEWOL", letter) == NULL ||
		(text->length > 1 && isalpha((unsigned char) text->at[1])))
		return '\0';
	number_pass(text, 1);
	/* east in Portuguese */
	return letter == 'L' ? 'E' : letter;
}

/* Read digits and their value; false if there are none, or too many. */
static bool
take_digits(NumberText *text, unsigned most, double *value, double *scale)
{
	unsigned count = 0;

	*value = 0;
	for (*scale = 1; text->length > 0 && isdigit((unsigned char) *text->at); count++)
	{
		*value = *value * 10 + (*text->at - '0');
		*scale *= 10;
		number_pass(text, 1);
	}
	return count > 0 && count <= most;
}

/* Read a number, maybe with decimals; false if it is none. */
static bool
take_number(NumberText *text, double *value, bool *fraction)
{
	double decimals;
	double scale;

	if (!take_digits(text, DIGITS, value, &scale))
		return false;
	*fraction = text->length > 1 && (*text->at == '.' || *text->at == ',');
	if (!*fraction)
		return true;
	number_pass(text, 1);
	if (!take_digits(text, DECIMALS_MOST, &decimals, &scale))
		return false;
	*value += decimals / scale;
	return true;
}

/* Read degrees, minutes and seconds, as far as they are there; signs: set if they are followed by such. */
static bool
take_parts(NumberText *text, double *value, bool *is_signed)
{
	static const double units[LEVELS] = {1, 60, 3600};
	bool fraction = false;

	*value = 0;
	for (unsigned level = 0; level < LEVELS; level++)
	{
		double part;

		if (level > 0 && (text->length == 0 || !isdigit((unsigned char) *text->at)))
			return true;
		if (fraction || !take_number(text, &part, &fraction) || (level > 0 && part >= 60))
			return false;
		*value += part / units[level];
		pass_blanks(text);
		if (take_sign(text, level))
			*is_signed = true;
		else if (level + 1 < LEVELS && number_begins(text, ":"))
			number_pass(text, 1);
		pass_blanks(text);
	}
	return true;
}

bool
degrees_read(Degrees *degrees, NumberText text)
{
	char before = take_letter(&text);
	bool is_signed = false;
	bool negative;
	char behind;

	pass_blanks(&text);
	negative = number_sign(&text);
	if (!take_parts(&text, &degrees->value, &is_signed))
		return false;
	behind = take_letter(&text);
	degrees->letter = before != '\0' ? before : behind;
	if (text.length > 0 || (before != '\0' && behind != '\0') ||
		(!is_signed && degrees->letter == '\0'))
		return false;
	/* a minus beside a letter must mean the same */
	if (negative && degrees->letter != '\0' && strchr("SW", degrees->letter) == NULL)
		return false;
	if (negative && degrees->letter == '\0')
		degrees->value = -degrees->value;
	return true;
}
