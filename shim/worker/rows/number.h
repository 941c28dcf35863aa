/*
 * number.h - numbers of cells, and those of a column by the sign before their decimals.
 */
#ifndef WORKER_ROWS_NUMBER_H
#define WORKER_ROWS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "../../extension/rows/sheets/number_form.h"

/* number.c */

typedef struct Number
{
	bool fraction; /* with decimals or an exponent */
	char
		thousands; /* the kind of the sign between thousands, as of NumberPlain; '\0': there is none */
	char sign[4];  /* the first of these, as it is written */
	double value;  /* rounded; for comparisons */
	int64_t whole; /* unless it has decimals */
	bool plain;	   /* it has digits, the signs of ASCII and an exponent alone */
} Number;

/* Parse a number with digits, decimals behind a sign, or an exponent; false if the text is none. */
extern bool number_read_plain(Number *number, const char *text, size_t length, char decimal);
/* May a text be a number?  False of most that are none, which its first and its last byte tell. */
extern bool number_is_likely(const char *text, size_t length);
/* The unit before or behind what is likely a number; NULL if there is none. */
extern const char *number_unit(const char *text, size_t length);
/* Parse a number that may also have blanks around it, and signs between thousands.  unit: before or
 * behind it, NULL for none. */
extern bool number_read(Number *number, const char *text, size_t length, char decimal,
						const char *unit);

typedef struct NumberSample
{
	Number number;
	size_t length;
	char text[NUMBER_BYTES];
} NumberSample;

/* The numbers of a column, by one of the signs before decimals. */
typedef struct Numbers
{
	bool possible;	/* all values so far are such numbers */
	bool fraction;	/* some number has decimals */
	char thousands; /* the kind of the sign between thousands; '\0': there is none so far */
	char sign[4];	/* the first one */
	bool odd;		/* some number has other signs than those that the column is described by */
	NumberSample least;
	NumberSample greatest;
} Numbers;

typedef enum Decimal
{
	DECIMAL_POINT,
	DECIMAL_COMMA,
	DECIMALS,
} Decimal;

#endif
