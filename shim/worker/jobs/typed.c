/*
 * typed.c - a text as the cell of a workbook: a number, a moment, a boolean where its column has
 * such.
 *
 * A text stays one where the workbook would keep less of it than the text says.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "jobs/typed.h"

#define DIGITS 15 /* of a number that a workbook keeps all of */

Kind
typed_kind(const json_t *column)
{
	const char *type = json_string_value(json_object_get(column, "type"));

	return (Kind){.type = type ? type : "text",
				  .format = json_string_value(json_object_get(column, "format")),
				  .comma = json_is_true(json_object_get(column, "decimalComma"))};
}

/* Is the number one that a workbook keeps all digits of? */
static bool
is_kept(const char *text)
{
	int digits = 0;

	for (; *text != '\0' && *text != 'e' && *text != 'E'; text++)
		digits += isdigit((unsigned char) *text) && (digits > 0 || *text != '0');
	return digits <= DIGITS;
}

/* Read a moment: as ISO 8601 has it, or in the format of the column; false where it is none. */
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
	/* a workbook has no days before */
	return end != NULL && *end == '\0' && typed->year >= 1900;
}

/* Read a number; false where the text is none, or one of which digits would be lost. */
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
