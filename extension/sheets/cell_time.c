/*
 * cell_time.c
 *	  Dates and timestamps in cells.
 */
#include "catalogue.h"

#include "utils/datetime.h"

#include "sheets/sheets.h"
#include "sheets/sheets_internal.h"

/* Components of a date or timestamp. */
typedef struct Parts
{
	int year, month, day;
	int hour, minute, second;
	int micros;
	int zone; /* minutes east of UTC */
	bool time;
} Parts;

/* Read at least one and at most that many digits; NULL if there is none. */
static const char *
read_digits(const char *at, const char *end, int most, int *number)
{
	const char *start = at;

	for (*number = 0; at < end && at - start < most && *at >= '0' && *at <= '9'; at++)
		*number = *number * 10 + (*at - '0');
	return at > start ? at : NULL;
}

/* Read the digits of fractional seconds as microseconds; NULL if there is none. */
static const char *
read_fraction(const char *at, const char *end, int *micros)
{
	int scale = 100000;
	const char *start = at;

	for (*micros = 0; at < end && *at >= '0' && *at <= '9'; at++, scale /= 10)
		*micros += (*at - '0') * scale;
	return at > start ? at : NULL;
}

/* Read the component of a format letter; NULL if it does not match. */
static const char *
read_part(char letter, const char *at, const char *end, Parts *parts)
{
	const char *start = at;

	switch (letter)
	{
		case 'Y':
			at = read_digits(at, end, 4, &parts->year);
			return at && at - start == 4 ? at : NULL;
		case 'y':
			at = read_digits(at, end, 2, &parts->year);
			parts->year += parts->year < 70 ? 2000 : 1900;
			return at && at - start == 2 ? at : NULL;
		case 'm':
			return read_digits(at, end, 2, &parts->month);
		case 'd':
			return read_digits(at, end, 2, &parts->day);
		case 'H':
			parts->time = true;
			return read_digits(at, end, 2, &parts->hour);
		case 'M':
			return read_digits(at, end, 2, &parts->minute);
		case 'S':
			return read_digits(at, end, 2, &parts->second);
		default:
			return NULL;
	}
}

/* Read by a format: letters after a percent sign are components, all else is literal. */
static const char *
read_format(const char *format, const char *at, const char *end, Parts *parts)
{
	for (; at && *format; format++)
		if (*format == '%' && format[1])
			at = read_part(*++format, at, end, parts);
		else
			at = at < end && *at == *format ? at + 1 : NULL;
	return at;
}

/* Read a time zone: Z, or an offset such as "+02:00", "+0200" or "+02". */
static const char *
read_zone(const char *at, const char *end, Parts *parts)
{
	bool west = *at == '-';
	int hours;
	int minutes = 0;

	if (*at == 'Z' || *at == 'z')
		return at + 1;
	if ((*at != '+' && *at != '-') || !(at = read_digits(at + 1, end, 2, &hours)))
		return NULL;
	if (at < end)
		at = read_digits(at + (*at == ':'), end, 2, &minutes);
	parts->zone = (hours * MINS_PER_HOUR + minutes) * (west ? -1 : 1);
	return at;
}

/*
 * Read a time after T or a space: hours and minutes, optional seconds and fraction, optional time
 * zone.
 */
static const char *
read_time(const char *at, const char *end, Parts *parts)
{
	if (*at != 'T' && *at != 't' && *at != ' ')
		return NULL;
	at = read_format("%H:%M", at + 1, end, parts);
	if (at && at < end && *at == ':')
		at = read_format(":%S", at, end, parts);
	if (at && at < end && *at == '.')
		at = read_fraction(at + 1, end, &parts->micros);
	return at && at < end ? read_zone(at, end, parts) : at;
}

static bool
exists(const Parts *parts)
{
	return parts->year >= 1 && parts->month >= 1 && parts->month <= MONTHS_PER_YEAR &&
		   parts->day >= 1 && parts->day <= day_tab[isleap(parts->year)][parts->month - 1] &&
		   parts->hour < HOURS_PER_DAY && parts->minute < MINS_PER_HOUR &&
		   parts->second < SECS_PER_MINUTE && abs(parts->zone) <= 18 * MINS_PER_HOUR;
}

/*
 * Read a date or timestamp; without a time zone it is UTC.
 *
 * format: of the date, with the letters %Y %y %m %d; NULL for ISO 8601.  False if the text does not
 * conform.
 */
bool
cat_cell_time_read(const char *text, int length, const char *format, CellValue *value)
{
	const char *end = text + length;
	Parts parts = {0};
	const char *at = read_format(format ? format : "%Y-%m-%d", text, end, &parts);

	if (at && at < end)
		at = read_time(at, end, &parts);
	if (at != end || !exists(&parts))
		return false;
	value->day = !parts.time;
	value->instant =
		((int64) (date2j(parts.year, parts.month, parts.day) - POSTGRES_EPOCH_JDATE)) *
			USECS_PER_DAY +
		(int64) (parts.hour * MINS_PER_HOUR + parts.minute - parts.zone) * USECS_PER_MINUTE +
		(int64) parts.second * USECS_PER_SEC + parts.micros;
	return true;
}
