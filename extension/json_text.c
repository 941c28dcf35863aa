/*
 * json_text.c
 *	  Strings and instants as JSON text.
 */
#include "catalogue.h"

#include "utils/date.h"
#include "utils/datetime.h"

/* Append a JSON string; control characters are escaped. */
void
json_text(StringInfo out, const char *text, size_t length)
{
	static const char escapes[] = "btn\0fr";
	const char *end = text + length;
	const char *run = text;

	appendStringInfoCharMacro(out, '"');
	for (const char *p = text; p < end; p++)
	{
		unsigned char c = *p;

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		appendBinaryStringInfo(out, run, (int) (p - run));
		run = p + 1;
		if (c == '"' || c == '\\')
			appendStringInfo(out, "\\%c", c);
		else if (c >= '\b' && c <= '\r' && escapes[c - '\b'])
			appendStringInfo(out, "\\%c", escapes[c - '\b']);
		else
			appendStringInfo(out, "\\u%04x", c);
	}
	appendBinaryStringInfo(out, run, (int) (end - run));
	appendStringInfoCharMacro(out, '"');
}

void
json_string(StringInfo out, const char *text)
{
	json_text(out, text, strlen(text));
}

/* Write a number of fixed width, with leading zeros. */
static char *
put_digits(char *out, int value, int width)
{
	for (int i = width - 1; i >= 0; i--)
	{
		out[i] = (char) ('0' + value % 10);
		value /= 10;
	}
	return out + width;
}

static char *
put_date(char *out, int year, int month, int day)
{
	out = put_digits(out, year, 4);
	*out++ = '-';
	out = put_digits(out, month, 2);
	*out++ = '-';
	return put_digits(out, day, 2);
}

/* Append an instant as RFC 3339 in UTC with microseconds, without quotes. */
void
json_timestamp(StringInfo out, TimestampTz instant)
{
	char text[64];
	char *p = text;
	Timestamp time = instant;
	int julian;
	int year, month, day;

	if (TIMESTAMP_NOT_FINITE(instant))
	{
		appendStringInfoString(out, instant < 0 ? "-infinity" : "infinity");
		return;
	}
	TMODULO(time, julian, USECS_PER_DAY);
	if (time < 0)
	{
		time += USECS_PER_DAY;
		julian--;
	}
	j2date(julian + POSTGRES_EPOCH_JDATE, &year, &month, &day);
	p = put_date(p, year, month, day);
	*p++ = 'T';
	p = put_digits(p, (int) (time / USECS_PER_HOUR), 2);
	*p++ = ':';
	p = put_digits(p, (int) (time / USECS_PER_MINUTE % 60), 2);
	*p++ = ':';
	p = put_digits(p, (int) (time / USECS_PER_SEC % 60), 2);
	*p++ = '.';
	p = put_digits(p, (int) (time % USECS_PER_SEC), 6);
	*p++ = 'Z';
	appendBinaryStringInfo(out, text, (int) (p - text));
}

/* So, palloc'd. */
char *
json_instant(TimestampTz instant)
{
	StringInfoData text;

	initStringInfo(&text);
	json_timestamp(&text, instant);
	return text.data;
}
