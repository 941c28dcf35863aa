/*
 * written.c - how the cells of a column are written: as XML Schema has the type, by a pattern of UAX 35, or by neither.
 *
 * A description of the column for other programs (CSV on the Web) names the pattern, by which they read all cells.
 */
#include "rows/written.h"

#define DATE_SIZE 10 /* 2024-05-31 */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* How the date that a text begins with is written, a valid one of numbers; *length: of it. */
static unsigned
date_written(const char *text, size_t *length)
{
	unsigned written = WRITTEN_WIDE | WRITTEN_NARROW;
	size_t at = 0;

	if (*length >= DATE_SIZE && text[4] == '-' && is_digit(text[2]))
	{
		*length = DATE_SIZE;
		return WRITTEN_ISO;
	}
	for (int part = 0; part < 2 && at + 2 < *length; part++)
	{
		size_t digits = is_digit(text[at + 1]) ? 2 : 1;

		written &= digits == 2 ? ~0U : ~(unsigned) WRITTEN_WIDE;
		written &= text[at] != '0' ? ~0U : ~(unsigned) WRITTEN_NARROW;
		if (is_digit(text[at + digits]))
			return 0;
		at += digits + 1;
	}
	if (at + 4 > *length || !is_digit(text[at + 2]))
		return 0;
	*length = at + 4;
	return written;
}

/* Is what stands behind the seconds a fraction, a zone as XML Schema has it, or both? */
static bool
is_schema_end(const char *text, size_t length)
{
	if (text[length - 1] == 'Z')
		return true;
	if (length >= 6 && (text[length - 6] == '+' || text[length - 6] == '-'))
		return text[length - 3] == ':';
	return memchr(text, '+', length) == NULL && memchr(text, '-', length) == NULL;
}

/* How the valid time behind a date is written, with the sign before it. */
static unsigned
time_written(const char *text, size_t length)
{
	unsigned sign = *text == 'T' ? WRITTEN_T : WRITTEN_SPACE;

	if (length < 6 || text[3] != ':')
		return 0;
	if (length == 6)
		return sign | WRITTEN_MINUTES;
	if (text[6] != ':')
		return 0;
	if (length == 9)
		return sign | WRITTEN_SECONDS | (sign == WRITTEN_T ? WRITTEN_SCHEMA_TIME : 0);
	return sign == WRITTEN_T && is_schema_end(text + 9, length - 9) ? WRITTEN_SCHEMA_TIME : 0;
}

unsigned
written_moment(const char *text, size_t length)
{
	size_t date = length;
	unsigned written = date_written(text, &date);
	unsigned time;

	if (date == length)
		return written | WRITTEN_NO_TIME;
	time = time_written(text + date, length - date);
	/* as XML Schema has it, a date and a time are one word */
	return written | (written == WRITTEN_ISO ? time : time & ~(unsigned) WRITTEN_SCHEMA_TIME);
}

unsigned
written_boolean(const char *text, size_t length)
{
	if (length == 4)
		return memcmp(text, "true", 4) == 0	  ? WRITTEN_SMALL
			   : memcmp(text, "TRUE", 4) == 0 ? WRITTEN_CAPITAL
			   : memcmp(text, "True", 4) == 0 ? WRITTEN_TITLE
											  : 0;
	return length != 5					   ? 0
		   : memcmp(text, "false", 5) == 0 ? WRITTEN_SMALL
		   : memcmp(text, "FALSE", 5) == 0 ? WRITTEN_CAPITAL
		   : memcmp(text, "False", 5) == 0 ? WRITTEN_TITLE
										   : 0;
}

bool
written_number(const char *text, size_t length, const char *sign)
{
	NumberText left = {text, length};
	bool thousands = *sign != '\0';

	while (left.length > 0)
		if (thousands && number_begins(&left, sign))
			number_pass(&left, strlen(sign));
		else if (*left.at != '\0' && strchr("+-0123456789.,", *left.at) != NULL)
			number_pass(&left, 1);
		else
			return false;
	return true;
}

/* Programs pass over blanks of ASCII; with others a cell is read by no pattern. */
void
written_blanks(Profile *profile, const char *text, size_t length, const NumberText *bare)
{
	for (size_t i = 0; bare->length < length && i < length; i++)
		if ((text + i < bare->at || text + i >= bare->at + bare->length) &&
			(unsigned char) text[i] >= 0x80)
		{
			profile->booleans = profile->dates = 0;
			profile->numbers_by[DECIMAL_POINT].odd = profile->numbers_by[DECIMAL_COMMA].odd = true;
		}
}

void
written_boolean_json(const Profile *profile, Buffer *json)
{
	unsigned written = profile->booleans;

	if ((written & WRITTEN_SMALL) == 0)
		buffer_format(json, ",\"pattern\":\"%s\"",
					  (written & WRITTEN_CAPITAL) != 0 ? "TRUE|FALSE"
					  : (written & WRITTEN_TITLE) != 0 ? "True|False"
													   : "");
}

/* Append the pattern of a date; false if there is none. */
static bool
append_date(const Profile *profile, unsigned written, DateOrder order, Buffer *json)
{
	static const char *const wide[] = {"dd", "MM"};
	static const char *const narrow[] = {"d", "M"};
	const char *const *parts = (written & WRITTEN_WIDE) != 0 ? wide : narrow;
	bool day_first = order == DATE_DAY_FIRST;

	if ((written & WRITTEN_ISO) != 0)
		buffer_text(json, "yyyy-MM-dd");
	else if ((written & (WRITTEN_WIDE | WRITTEN_NARROW)) != 0)
		buffer_format(json, "%s%c%s%cyyyy", parts[day_first ? 0 : 1], profile->separator,
					  parts[day_first ? 1 : 0], profile->separator);
	else
		return false;
	return true;
}

void
written_moment_json(const Profile *profile, DateOrder order, Buffer *json)
{
	unsigned written = profile->dates;
	unsigned schema = WRITTEN_ISO | WRITTEN_NO_TIME;
	bool timed = profile->timed;

	if (timed ? (written & WRITTEN_SCHEMA_TIME) != 0 : (written & schema) == schema)
		return;
	buffer_text(json, ",\"pattern\":\"");
	if (timed ? (written & (WRITTEN_T | WRITTEN_SPACE)) != 0 &&
					(written & (WRITTEN_SECONDS | WRITTEN_MINUTES)) != 0
			  : (written & WRITTEN_NO_TIME) != 0)
		if (append_date(profile, written, order, json) && timed)
			buffer_format(json, "%c%s", (written & WRITTEN_T) != 0 ? 'T' : ' ',
						  (written & WRITTEN_SECONDS) != 0 ? "HH:mm:ss" : "HH:mm");
	buffer_text(json, "\"");
}
