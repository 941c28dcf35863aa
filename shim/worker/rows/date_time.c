/*
 * date_time.c - parse dates, and dates with a time.
 *
 *   2024-05-31  2024/05/31  31/05/2024  5/31/2024  31.05.2024  31-05-2024
 *
 * Each may be followed by T or a space and 14:05, 14:05:09 or 14:05:09.123456, and then by Z,
 * +02:00, +0200 or +02.  The order of day and month can be determined only from the whole column,
 * if at all.  Dates with names of months, months and quarters are those of date_form.c.
 */
#include <math.h>
#include <time.h>

#include "rows/columns.h"

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)
#define DAY_OF_1970 719163 /* 1970-01-01, counted from 1 for 0001-01-01 */

typedef struct Cursor
{
	const char *at;
	const char *end;
} Cursor;

/* Parse between least and most digits; -1 if there are fewer. */
static int
read_number(Cursor *cursor, int least, int most)
{
	int value = 0;
	int digits = 0;

	while (digits < most && cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
	{
		value = value * 10 + (*cursor->at++ - '0');
		digits++;
	}
	return digits < least ? -1 : value;
}

static bool
read_character(Cursor *cursor, char c)
{
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

/* Set what a text means if year, month and day are in an order; nothing if that is no date. */
static void
set_date(DateTime *date_time, DateOrder order, int year, int month, int day)
{
	/* days of a year before each month */
	static const int starts[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	int before = year - 1;

	if (year < 1 || month < 1 || month > 12 || day < 1 ||
		day > starts[month] - starts[month - 1] + (month == 2 && leap))
		return;
	date_time->possible[order] = true;
	date_time->microseconds[order] = (before * 365 + before / 4 - before / 100 + before / 400 +
									  starts[month - 1] + (month > 2 && leap) + day - DAY_OF_1970) *
									 DAY;
}

/* Parse a time zone offset in seconds at the end of the text; false if it is malformed. */
static bool
read_zone(Cursor *cursor, DateTime *date_time, int *zone)
{
	int sign = *cursor->at == '-' ? -1 : 1;
	int hours;
	int minutes = 0;

	date_time->zoned = true;
	*zone = 0;
	if (read_character(cursor, 'Z'))
		return cursor->at == cursor->end;
	if (!read_character(cursor, '+') && !read_character(cursor, '-'))
		return false;
	hours = read_number(cursor, 2, 2);
	if (cursor->at < cursor->end)
	{
		read_character(cursor, ':');
		minutes = read_number(cursor, 2, 2);
	}
	*zone = sign * (hours * 3600 + minutes * 60);
	return hours >= 0 && hours <= 18 && minutes >= 0 && minutes < 60 && cursor->at == cursor->end;
}

/* Parse the fraction of seconds as microseconds. */
static int64_t
read_microseconds(Cursor *cursor)
{
	const char *start = cursor->at;
	int64_t value = read_number(cursor, 1, 6);

	if (value < 0)
		return -1;
	for (ptrdiff_t digits = cursor->at - start; digits < 6; digits++)
		value *= 10;
	while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
		cursor->at++;
	return value;
}

static bool
read_time(Cursor *cursor, DateTime *date_time)
{
	int hour = read_number(cursor, 1, 2);
	int minute = read_character(cursor, ':') ? read_number(cursor, 2, 2) : -1;
	int second = 0;
	int64_t fraction = 0;
	int zone = 0;

	if (read_character(cursor, ':'))
	{
		second = read_number(cursor, 2, 2);
		if (read_character(cursor, '.'))
			fraction = read_microseconds(cursor);
	}
	if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 ||
		fraction < 0)
		return false;
	if (cursor->at < cursor->end && !read_zone(cursor, date_time, &zone))
		return false;
	date_time->timed = true;
	for (DateOrder order = DATE_YEAR_FIRST; order < DATE_ORDERS; order++)
		date_time->microseconds[order] +=
			(hour * 3600 + minute * 60 + second - zone) * SECOND + fraction;
	return true;
}

/* Parse a year of four digits, or of two if that is permitted; -1 if there is none. */
static int
read_year(Cursor *cursor, DateTime *date_time, bool short_years)
{
	const char *start = cursor->at;
	int year = read_number(cursor, 2, 4);

	date_time->short_year = cursor->at - start == 2;
	if (date_time->short_year)
		return short_years ? year + (year < 70 ? 2000 : 1900) : -1;
	return cursor->at - start == 4 ? year : -1;
}

/* Parse a date of numbers, and a time behind it; false if no order is possible. */
static bool
read_numbers(DateTime *date_time, const char *text, size_t length, DateOrder only)
{
	bool short_years = only != DATE_ANY;
	Cursor cursor = {text, text + length};
	int numbers[3];
	bool year_first;

	if (length < (short_years ? 6 : 8) || *text < '0' || *text > '9')
		return false;
	numbers[0] = read_number(&cursor, 1, 4);
	year_first = cursor.at - text == 4 || only == DATE_YEAR_FIRST;
	if (year_first)
	{
		cursor.at = text;
		numbers[0] = read_year(&cursor, date_time, short_years);
	}
	if (numbers[0] < 0 || (!year_first && cursor.at - text > 2) || cursor.at == cursor.end)
		return false;
	date_time->separator = *cursor.at++;
	if (date_time->separator != '-' && date_time->separator != '/' &&
		(date_time->separator != '.' || year_first))
		return false;
	numbers[1] = read_number(&cursor, year_first && date_time->separator == '-' ? 2 : 1, 2);
	if (numbers[1] < 0 || !read_character(&cursor, date_time->separator))
		return false;
	numbers[2] = year_first ? read_number(&cursor, date_time->separator == '-' ? 2 : 1, 2)
							: read_year(&cursor, date_time, short_years);
	if (year_first)
		set_date(date_time, DATE_YEAR_FIRST, numbers[0], numbers[1], numbers[2]);
	else
	{
		set_date(date_time, DATE_DAY_FIRST, numbers[2], numbers[1], numbers[0]);
		if (date_time->separator != '.' || only == DATE_MONTH_FIRST)
			set_date(date_time, DATE_MONTH_FIRST, numbers[2], numbers[0], numbers[1]);
	}
	for (DateOrder order = DATE_YEAR_FIRST; order < DATE_ORDERS; order++)
		/* a year of four digits in front is clear in any case */
		date_time->possible[order] &= only == DATE_ANY || order == only ||
									  (order == DATE_YEAR_FIRST && !date_time->short_year);
	if (!date_time->possible[DATE_YEAR_FIRST] && !date_time->possible[DATE_DAY_FIRST] &&
		!date_time->possible[DATE_MONTH_FIRST])
		return false;
	if (cursor.at == cursor.end)
		return true;
	return (read_character(&cursor, 'T') || read_character(&cursor, ' ')) &&
		   read_time(&cursor, date_time);
}

/* Parse a date that has a form, and a time behind a day; false if it is none. */
static bool
read_form(DateTime *date_time, const char *text, size_t length, DateOrder only)
{
	bool short_years = only == DATE_DAY_FIRST || only == DATE_MONTH_FIRST;
	Cursor cursor = {text, text + length};
	DateParts parts;

	date_time->form = date_form_find(&cursor.at, length, short_years, &parts);
	if (date_time->form == NULL)
		return false;
	date_time->separator = '%';
	date_time->short_year = date_form_is_short(date_time->form);
	set_date(date_time, DATE_YEAR_FIRST, parts.year, parts.month, parts.day);
	if (cursor.at == cursor.end || !date_time->possible[DATE_YEAR_FIRST])
		return date_time->possible[DATE_YEAR_FIRST];
	return (read_character(&cursor, 'T') || read_character(&cursor, ' ')) &&
		   read_time(&cursor, date_time);
}

bool
date_time_read(DateTime *date_time, const char *text, size_t length, DateOrder only)
{
	if (!date_form_is_likely(text, length))
		return false;
	*date_time = (DateTime){.separator = 0};
	if (read_numbers(date_time, text, length, only))
		return true;
	*date_time = (DateTime){.separator = 0};
	return read_form(date_time, text, length, only);
}

void
date_time_write(char *text, int64_t microseconds, bool timed, bool zoned)
{
	int64_t fraction = microseconds % SECOND + (microseconds % SECOND < 0 ? SECOND : 0);
	time_t seconds = (microseconds - fraction) / SECOND;
	struct tm parts;

	gmtime_r(&seconds, &parts);
	text += sprintf(text, "%04d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
	if (!timed)
		return;
	text += sprintf(text, "T%02d:%02d:%02d", parts.tm_hour, parts.tm_min, parts.tm_sec);
	if (fraction != 0)
		text += sprintf(text, ".%06d", (int) fraction);
	if (zoned)
		strcpy(text, "Z");
}

void
date_time_write_span(char *text, int64_t microseconds, Span span)
{
	date_time_write(text, microseconds, false, false);
	if (span == SPAN_QUARTER)
		sprintf(text + 5, "Q%ld", (strtol(text + 5, NULL, 10) + 2) / 3);
	else if (span == SPAN_MONTH)
		text[7] = '\0';
}
