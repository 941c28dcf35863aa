/*
 * value.c - numbers and dates of cells -> text.
 *
 * A workbook has numbers as doubles, written with up to 17 digits: 0.1 as 0.10000000000000001.  The
 * text is the shortest that gives the same double, so nothing is lost and 0.1 is 0.1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "book.h"

#define DAY_MILLISECONDS INT64_C(86400000)

/* Is a number written as value_number() would write it: at most 15 digits, no zeros to drop? */
static bool
is_plain(const char *text, size_t length)
{
	size_t at = length > 0 && text[0] == '-';
	size_t first = at;
	size_t point = 0;

	if (length == first || length > 16)
		return false;
	for (; at < length; at++)
	{
		if (text[at] == '.' && point == 0 && at > first)
			point = at;
		else if (text[at] < '0' || text[at] > '9')
			return false;
	}
	if (text[first] == '0' && point != first + 1 && (length > first + 1 || first > 0))
		return false;
	return point == 0 || (text[length - 1] != '0' && text[length - 1] != '.');
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

	if (length < VALUE_MAXIMUM && is_plain(text, length))
	{
		memcpy(value, text, length);
		return length;
	}
	if (length == 0 || length >= sizeof(copy))
		return 0;
	memcpy(copy, text, length);
	copy[length] = '\0';
	/* a number in decimal and nothing else that strtod() takes */
	if (strspn(copy, "0123456789+-.eE") != length)
		return 0;
	number = strtod(copy, &end);
	if (end != copy + length || !isfinite(number))
		return 0;
	return shortest(value, number);
}

/* A time of day, or of more than one: hours go on behind 24. */
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
	/* 1900 was no leap year, but for Lotus and Excel: day 60 is the 29th of February, which was not
	 */
	const double last = since_1904 ? 2957003.999999 : 2958465.999999;
	int64_t milliseconds;
	int64_t days;
	int64_t epoch;

	if (!(serial >= 0 && serial <= last))
		return 0;
	milliseconds = llround(serial * (double) DAY_MILLISECONDS);
	days = milliseconds / DAY_MILLISECONDS;
	if (format == FORMAT_TIME)
		return write_time(value, milliseconds);
	if (since_1904)
		epoch = moment_days(1904, 1, 1);
	else
		epoch = moment_days(1899, 12, days < 60 ? 31 : 30);
	if (days == 60 && !since_1904)
		snprintf(value, VALUE_MAXIMUM, "1900-02-29");
	else
		moment_write(value, VALUE_MAXIMUM, (epoch + days) * DAY_MILLISECONDS * 1000, false, false);
	if (format == FORMAT_DATE && milliseconds % DAY_MILLISECONDS == 0)
		return strlen(value);
	strcat(value, "T");
	return strlen(value) + write_time(value + strlen(value), milliseconds % DAY_MILLISECONDS);
}
