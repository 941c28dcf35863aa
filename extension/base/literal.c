/*
 * literal.c
 *	  Syntax of values as clients write them.
 *
 * PostgreSQL's input functions accept more than the interface is meant to ("now", "tomorrow",
 * "yes"), so the syntax is checked first.
 */
#include "catalogue.h"

#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"

#include "base/base.h"

/* Maximum length of a timestamp in bytes, more than any fraction of a second needs. */
#define INSTANT_MAX 64

/*
 * Match a text against a pattern, in which 9 stands for a digit; return the end of the match, NULL
 * if there is none.
 */
static const char *
match_shape(const char *text, const char *shape)
{
	for (; *shape; shape++, text++)
		if (*shape == '9' ? !isdigit((unsigned char) *text) : *text != *shape)
			return NULL;
	return text;
}

static const char *
match_digits(const char *text)
{
	const char *start = text;

	while (isdigit((unsigned char) *text))
		text++;
	return text > start ? text : NULL;
}

bool
cat_literal_boolean(const char *text)
{
	return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

bool
cat_literal_integer(const char *text)
{
	text = match_digits(text + (*text == '-'));
	return text && *text == '\0';
}

bool
cat_literal_number(const char *text)
{
	if (strlen(text) > 100)
		return false;
	text = match_digits(text + (*text == '-'));
	if (text && *text == '.')
		text = match_digits(text + 1);
	if (text && (*text == 'e' || *text == 'E'))
	{
		const char *digits = text + 1 + (text[1] == '-' || text[1] == '+');

		text = match_digits(digits);
		if (text && text - digits > 3)
			return false;
	}
	return text && *text == '\0';
}

static int
two_digits(const char *text)
{
	return (text[0] - '0') * 10 + text[1] - '0';
}

/* Return the end of a valid date YYYY-MM-DD, NULL if there is none. */
static const char *
match_date(const char *text)
{
	int year, month, day;
	const char *end = match_shape(text, "9999-99-99");

	if (!end)
		return NULL;
	year = two_digits(text) * 100 + two_digits(text + 2);
	month = two_digits(text + 5);
	day = two_digits(text + 8);
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > day_tab[isleap(year)][month - 1])
		return NULL;
	return end;
}

bool
cat_literal_date(const char *text)
{
	const char *end = match_date(text);

	return end && *end == '\0';
}

bool
cat_literal_datetime(const char *text)
{
	const char *end = match_date(text);
	const char *next;

	if (!end || (*end != 'T' && *end != 't' && *end != ' ') || strlen(text) > INSTANT_MAX)
		return false;
	text = end + 1;
	if (!(end = match_shape(text, "99:99")) || two_digits(text) > 23 || two_digits(text + 3) > 59)
		return false;
	if ((next = match_shape(end, ":99")))
	{
		if (two_digits(end + 1) > 59)
			return false;
		end = next;
		if (*end == '.' && !(end = match_digits(end + 1)))
			return false;
	}
	if (*end == 'Z' || *end == 'z')
		end++;
	else if (*end == '+' || *end == '-')
	{
		text = end + 1;
		if (!(end = match_shape(text, "99:99")) || two_digits(text) > 14 ||
			two_digits(text + 3) > 59)
			return false;
	}
	return *end == '\0';
}

char *
cat_literal_instant(const char *text)
{
	if (cat_literal_date(text))
		return psprintf("%s 00:00:00Z", text);
	return psprintf("%s%s", text, strpbrk(text + strlen("YYYY-MM-DDThh:mm"), "Zz+-") ? "" : "Z");
}

bool
cat_literal_fits(FieldKind kind, const char *value)
{
	switch (kind)
	{
		case FIELD_BOOLEAN:
			return cat_literal_boolean(value);
		case FIELD_INTEGER:
		case FIELD_NUMBER:
			return cat_literal_number(value);
		case FIELD_DATETIME:
			return cat_literal_datetime(value) || cat_literal_date(value);
		case FIELD_DATE:
			return cat_literal_date(value);
		default:
			return true;
	}
}

Datum
cat_literal_timestamp(const char *text)
{
	return DirectFunctionCall3(timestamptz_in, CStringGetDatum(cat_literal_instant(text)),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}
