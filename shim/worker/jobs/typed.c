/*
 * typed.c - convert a text to a cell of a workbook: a number, date, time or boolean, as its column
 * says.
 *
 * A text that a workbook could not represent exactly stays a text.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "jobs/typed.h"

#define DIGITS 15 /* digits that a workbook keeps of a number */

Kind
typed_kind(const json_t *column)
{
	const char *type = json_string_value(json_object_get(column, "type"));

	return (Kind){.type = type ? type : "text",
				  .format = json_string_value(json_object_get(column, "format")),
				  .comma = json_is_true(json_object_get(column, "decimalComma"))};
}

/* Does a workbook keep all digits of the number? */
static bool
is_kept(const char *text)
{
	int digits = 0;

	for (; *text != '\0' && *text != 'e' && *text != 'E'; text++)
		digits += isdigit((unsigned char) *text) && (digits > 0 || *text != '0');
	return digits <= DIGITS;
}

/* Parse a date or a time in ISO 8601 or in the format of the column; false if it is none. */
static bool
read_moment(const Kind *kind, const char *text, Typed *typed)
{
	struct tm parts = {0};
	double fraction = 0;
	char *end = strptime(text, kind->format ? kind->format : "%Y-%m-%d", &parts);

	if (kind->format == NULL && end != NULL && (*end == 'T' || *end == ' '))
	{
		end = strptime(end + 1, "%H:%M:%S", &parts);
		if (end != NULL && *end == '.')
			fraction = strtod(end, &end);
	}
	*typed = (Typed){.form = strcmp(kind->type, "date") == 0 ? TYPED_DATE : TYPED_DATETIME,
					 .year = parts.tm_year + 1900,
					 .month = parts.tm_mon + 1,
					 .day = parts.tm_mday,
					 .hour = parts.tm_hour,
					 .minute = parts.tm_min,
					 .second = parts.tm_sec + fraction};
	/* the first day that a workbook can represent */
	return end != NULL && *end == '\0' && typed->year >= 1900;
}

/* Parse a number; false if the text is none, or digits would be lost. */
static bool
read_number(const Kind *kind, const char *text, Typed *typed)
{
	char number[40];
	char *end;
	char *comma;

	if (strlen(text) >= sizeof(number) || !is_kept(text))
		return false;
	snprintf(number, sizeof(number), "%s", text);
	comma = kind->comma ? strchr(number, ',') : NULL;
	if (comma != NULL)
		*comma = '.';
	*typed = (Typed){.form = TYPED_NUMBER, .number = strtod(number, &end)};
	return end != number && *end == '\0' && isfinite(typed->number);
}

static bool
read_boolean(const char *text, Typed *typed)
{
	*typed = (Typed){.form = TYPED_BOOLEAN, .truth = strcasecmp(text, "true") == 0};
	return typed->truth || strcasecmp(text, "false") == 0;
}

Typed
typed_read(const Kind *kind, const char *text)
{
	Typed typed = {0};
	bool done = *text == '\0';

	if (!done && strncmp(kind->type, "date", 4) == 0)
		done = read_moment(kind, text, &typed);
	else if (!done && (strcmp(kind->type, "integer") == 0 || strcmp(kind->type, "decimal") == 0))
		done = read_number(kind, text, &typed);
	else if (!done && strcmp(kind->type, "boolean") == 0)
		done = read_boolean(text, &typed);
	return done ? typed : (Typed){.form = TYPED_TEXT};
}
