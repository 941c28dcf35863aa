/*
 * number_form.h
 *	  Numbers as people write them: with signs between thousands, a unit, and blanks around them.
 *
 * The worker finds the form that the numbers of a column have (shim/worker/rows/number.c), and stores
 * it with the column.  The extension (cell.c) and the conversion to workbooks read cells by it.
 */
#ifndef NUMBER_FORM_H
#define NUMBER_FORM_H

#include "number_text.h"

#define NUMBER_BYTES 64 /* a longer text is no number with signs between thousands or a unit */

/* A number without signs between thousands, unit and blanks; its decimals stand behind a point. */
typedef struct NumberPlain
{
	char text[NUMBER_BYTES];
	size_t length;
	char thousands;	  /* '.', ',', '\'', or ' ' for any blank; '\0': there is none */
	const char *sign; /* the first sign between thousands, as it is written */
	size_t sign_size;
} NumberPlain;

/* Return the kind of the sign between thousands that a text begins with; '\0' if there is none. */
static inline char
number_thousands(const NumberText *text, size_t *size)
{
	*size = 1;
	if (text->length > 0 && (*text->at == '.' || *text->at == ',' || *text->at == '\''))
		return *text->at;
	*size = 3;
	if (number_begins(text, "\xE2\x80\x99"))
		return '\'';
	for (int i = 0; i < NUMBER_BLANKS - 1; i++)
		if (number_begins(text, number_blanks[i]))
		{
			*size = strlen(number_blanks[i]);
			return ' ';
		}
	return '\0';
}

/* Copy the digits that a text begins with, and return their number. */
static inline size_t
number_digits(NumberPlain *plain, NumberText *text)
{
	size_t before = plain->length;

	for (; text->length > 0 && *text->at >= '0' && *text->at <= '9'; number_pass(text, 1))
		plain->text[plain->length++] = *text->at;
	return plain->length - before;
}

/*
 * Copy the groups of digits behind the first, and leave out the signs before them: groups of three, or,
 * as in India, of two before one of three, with commas.  whole: digits of the first group.  False if
 * some are not such.
 */
static inline bool
number_groups(NumberPlain *plain, NumberText *text, char decimal, size_t whole)
{
	size_t groups = 0;
	size_t pairs = 0;
	size_t size;

	for (;; groups++)
	{
		char kind = number_thousands(text, &size);
		size_t digits;

		if (kind == '\0' || kind == decimal || size == text->length || text->at[size] < '0' ||
			text->at[size] > '9')
			return pairs == 0 || (pairs < groups && whole <= 2);
		if (groups == 0)
		{
			plain->thousands = kind;
			plain->sign = text->at;
			plain->sign_size = size;
		}
		number_pass(text, size);
		digits = number_digits(plain, text);
		if (kind != plain->thousands || (pairs > 0 && pairs < groups))
			return false;
		if (digits == 2 && kind == ',' && pairs == groups)
			pairs++;
		else if (digits != 3)
			return false;
	}
}

/* Copy the digits of a number and its decimals; false if it is none. */
static inline bool
number_copy(NumberPlain *plain, NumberText *text, char decimal)
{
	size_t start = plain->length;
	size_t whole = number_digits(plain, text);

	if (whole > 0 && !number_groups(plain, text, decimal, whole))
		return false;
	if (plain->thousands != '\0' && (whole > 3 || plain->text[start] == '0'))
		return false;
	if (text->length == 0 || *text->at != decimal)
		return whole > 0;
	number_pass(text, 1);
	plain->text[plain->length++] = '.';
	return number_digits(plain, text) + whole > 0;
}

/*
 * Read a number: blanks, a sign, the unit before or behind, digits with or without signs between
 * thousands, and decimals.  decimal: the sign before these, '.' or ','.  unit: may be absent in the
 * text; NULL if there is none.  False if the text is no such number.
 */
static inline bool
number_plain(NumberPlain *plain, NumberText text, char decimal, const char *unit)
{
	const char *start;
	bool negative;

	plain->length = 0;
	plain->thousands = '\0';
	number_trim(&text);
	if (text.length >= NUMBER_BYTES)
		return false;
	start = text.at;
	negative = number_sign(&text);
	if (unit != NULL && number_begins(&text, unit))
	{
		bool is_signed = text.at > start;

		number_pass(&text, strlen(unit));
		number_trim(&text);
		negative = is_signed ? negative : number_sign(&text);
	}
	else if (unit != NULL && number_ends(&text, unit))
		text.length -= strlen(unit);
	number_trim(&text);
	if (negative)
		plain->text[plain->length++] = '-';
	return number_copy(plain, &text, decimal) && text.length == 0;
}

#endif /* NUMBER_FORM_H */
