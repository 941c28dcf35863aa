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

#include "typed.h"

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

/* Read a moment: as ISO 8601 has it, or in the format of the column. */
static bool
read_moment(const char *text, const char *format, lxw_datetime *moment)
{
	struct tm parts = {0};
	double fraction = 0;
	char *end = strptime(text, format ? format : "%Y-%m-%d", &parts);

	if (format == NULL && end != NULL && (*end == 'T' || *end == ' '))
	{
		end = strptime(end + 1, "%H:%M:%S", &parts);
		if (end != NULL && *end == '.')
			fraction = strtod(end, &end);
	}
	*moment = (lxw_datetime){.year = parts.tm_year + 1900,
							 .month = parts.tm_mon + 1,
							 .day = parts.tm_mday,
							 .hour = parts.tm_hour,
							 .min = parts.tm_min,
							 .sec = parts.tm_sec + fraction};
	/* a workbook has no days before */
	return end != NULL && *end == '\0' && moment->year >= 1900;
}

/* Write a moment as one; false where the text is none. */
static bool
write_moment(const Place *place, const Kind *kind, const char *text, lxw_error *error)
{
	lxw_datetime moment;

	if (!read_moment(text, kind->format, &moment))
		return false;
	*error =
		worksheet_write_datetime(place->sheet, place->row, place->column, &moment,
								 strcmp(kind->type, "date") == 0 ? place->date : place->datetime);
	return true;
}

/* Write a number as one; false where the text is none, or one of which digits would be lost. */
static bool
write_number(const Place *place, const Kind *kind, const char *text, lxw_error *error)
{
	char number[40];
	char *end;
	char *comma;
	double value;

	if (strlen(text) >= sizeof(number) || !is_kept(text))
		return false;
	snprintf(number, sizeof(number), "%s", text);
	comma = kind->comma ? strchr(number, ',') : NULL;
	if (comma != NULL)
		*comma = '.';
	value = strtod(number, &end);
	if (end == number || *end != '\0' || !isfinite(value))
		return false;
	*error = worksheet_write_number(place->sheet, place->row, place->column, value, NULL);
	return true;
}

static bool
write_boolean(const Place *place, const char *text, lxw_error *error)
{
	bool is_true = strcasecmp(text, "true") == 0;

	if (!is_true && strcasecmp(text, "false") != 0)
		return false;
	*error = worksheet_write_boolean(place->sheet, place->row, place->column, is_true, NULL);
	return true;
}

lxw_error
typed_write(const Place *place, const Kind *kind, const char *text)
{
	lxw_error error = LXW_NO_ERROR;
	bool done = *text == '\0';

	if (!done && strncmp(kind->type, "date", 4) == 0)
		done = write_moment(place, kind, text, &error);
	else if (!done && (strcmp(kind->type, "integer") == 0 || strcmp(kind->type, "decimal") == 0))
		done = write_number(place, kind, text, &error);
	else if (!done && strcmp(kind->type, "boolean") == 0)
		done = write_boolean(place, text, &error);
	if (done)
		return error;
	return worksheet_write_string(place->sheet, place->row, place->column, text, NULL);
}
