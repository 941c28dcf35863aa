/*
 * date_text.h
 *	  Dates, months and quarters as they are written, read by the format of their column.
 *
 * The worker finds the format that the dates of a column have (shim/worker/rows/profile.c), and stores
 * it with the column.  The extension (cell.c) and the conversion to workbooks read cells by it.
 */
#ifndef DATE_TEXT_H
#define DATE_TEXT_H

#include <ctype.h>

#include "months.h"

/* Formats of what has none of its own. */
#define DATE_TEXT_DAY "%Y-%m-%d"
#define DATE_TEXT_MONTH "%Y-%m"
#define DATE_TEXT_QUARTER "%Y-Q%q"

/* Components of a date or an instant; what a format does not have is that of DATE_TEXT_FIRST. */
typedef struct DateParts
{
	int year, month, day;
	int hour, minute, second;
	int micros;
	int zone; /* minutes east of UTC */
	bool timed;
} DateParts;

#define DATE_TEXT_FIRST ((DateParts){.month = 1, .day = 1})

/* Read at least one and at most that many digits; NULL if there is none. */
static inline const char *
date_text_digits(const char *at, const char *end, int most, int *number)
{
	const char *start = at;

	for (*number = 0; at < end && at - start < most && *at >= '0' && *at <= '9'; at++)
		*number = *number * 10 + (*at - '0');
	return at > start ? at : NULL;
}

/* Read the name of a month; a point behind an abbreviation belongs to it unless one comes next. */
static inline const char *
date_text_month(const char *at, const char *end, char next, DateParts *parts)
{
	size_t length;

	parts->month = months_named(at, end, &length);
	if (parts->month == 0)
		return NULL;
	at += length;
	return at < end && *at == '.' && next != '.' ? at + 1 : at;
}

/* Read a number of up to two digits into a part. */
static inline const char *
date_text_two(char letter, const char *at, const char *end, DateParts *parts)
{
	int *part = letter == 'm'	? &parts->month
				: letter == 'd' ? &parts->day
				: letter == 'H' ? &parts->hour
				: letter == 'M' ? &parts->minute
								: &parts->second;

	parts->timed |= letter == 'H';
	return date_text_digits(at, end, 2, part);
}

/* Read the component of a format letter; next: what follows it in the format.  NULL if it does not
 * match. */
static inline const char *
date_text_part(char letter, const char *at, const char *end, char next, DateParts *parts)
{
	const char *start = at;

	switch (letter)
	{
		case 'Y':
			at = date_text_digits(at, end, 4, &parts->year);
			return at && at - start == 4 ? at : NULL;
		case 'y':
			at = date_text_digits(at, end, 2, &parts->year);
			parts->year += parts->year < 70 ? 2000 : 1900;
			return at && at - start == 2 ? at : NULL;
		case 'b':
		case 'B':
			return date_text_month(at, end, next, parts);
		case 'q':
			at = date_text_digits(at, end, 1, &parts->month);
			if (!at || parts->month < 1 || parts->month > 4)
				return NULL;
			parts->month = 3 * parts->month - 2;
			return at;
		default:
			return strchr("mdHMS", letter) ? date_text_two(letter, at, end, parts) : NULL;
	}
}

/*
 * Read the beginning of a text by a format: letters behind a per cent sign are components, %q the
 * number of a quarter, all else is literal without regard to letter case.  Return what is behind;
 * NULL if it does not conform.
 */
static inline const char *
date_text_read(const char *format, const char *at, const char *end, DateParts *parts)
{
	for (; at && *format; format++)
		if (*format == '%' && format[1])
		{
			format++;
			at = date_text_part(*format, at, end, format[1], parts);
		}
		else
			at = at < end && tolower((unsigned char) *at) == tolower((unsigned char) *format)
					 ? at + 1
					 : NULL;
	return at;
}

/* Read the digits of fractional seconds as microseconds; NULL if there is none. */
static inline const char *
date_text_fraction(const char *at, const char *end, int *micros)
{
	int scale = 100000;
	const char *start = at;

	for (*micros = 0; at < end && *at >= '0' && *at <= '9'; at++, scale /= 10)
		*micros += (*at - '0') * scale;
	return at > start ? at : NULL;
}

/* Read a time behind a date, after T or a space: hours and minutes, optional seconds and fraction. */
static inline const char *
date_text_time(const char *at, const char *end, DateParts *parts)
{
	if (at == end || (*at != 'T' && *at != 't' && *at != ' '))
		return NULL;
	at = date_text_read("%H:%M", at + 1, end, parts);
	if (at && at < end && *at == ':')
		at = date_text_read(":%S", at, end, parts);
	if (at && at < end && *at == '.')
		at = date_text_fraction(at + 1, end, &parts->micros);
	return at;
}

#endif /* DATE_TEXT_H */
