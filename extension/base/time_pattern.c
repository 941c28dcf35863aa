/*
 * time_pattern.c
 *	  Validation of cron patterns.
 *
 * 5 fields: minute hour day month weekday.  6 fields: preceded by seconds.  7 fields: also followed
 * by the year.  A field is "*", "?" or a list of values and ranges with an optional step; months
 * and weekdays can be named.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "base/base.h"

#define PART_MAX 32

typedef struct TimeField
{
	int least;
	int most;
	const char *names; /* three letters each, or NULL */
} TimeField;

static const TimeField time_fields[] = {
	{0, 59, NULL},
	{0, 59, NULL},
	{0, 23, NULL},
	{1, 31, NULL},
	{1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
	{0, 7, "sunmontuewedthufrisat"},
	{1970, 2199, NULL},
};

PG_FUNCTION_INFO_V1(catalogue_is_time_pattern);

/* Read the value at *text and advance *text; -1 if there is none. */
static int
read_value(const char **text, const TimeField *field)
{
	int value = 0;
	const char *start = *text;

	if (field->names && isalpha((unsigned char) *start))
	{
		for (const char *name = field->names; *name; name += 3)
			if (pg_strncasecmp(start, name, 3) == 0)
			{
				*text = start + 3;
				return (int) (name - field->names) / 3 + field->least;
			}
		return -1;
	}
	while (isdigit((unsigned char) **text) && *text - start < 4)
		value = value * 10 + *(*text)++ - '0';
	return *text > start && value >= field->least && value <= field->most ? value : -1;
}

/* Return whether a part of a list is valid: "*", "?", value or range, with an optional step. */
static bool
part_valid(const char *part, const TimeField *field)
{
	int from;

	if (*part == '?')
		return part[1] == '\0';
	if (*part == '*')
		part++;
	else
	{
		if ((from = read_value(&part, field)) < 0)
			return false;
		if (*part == '-')
		{
			part++;
			if (read_value(&part, field) < from)
				return false;
		}
	}
	if (*part == '/')
	{
		char *end;
		long step = strtol(part + 1, &end, 10);

		return isdigit((unsigned char) part[1]) && step >= 1 && step <= field->most && *end == '\0';
	}
	return *part == '\0';
}

static bool
field_valid(const char *text, const TimeField *field)
{
	ListCell *cell;
	List *parts = cat_query_string_split(text, ',');

	foreach(cell, parts)
		if (strlen(lfirst(cell)) > PART_MAX || !part_valid(lfirst(cell), field))
			return false;
	return parts != NIL;
}

/* Return whether a text is a cron pattern of 5, 6 or 7 fields. */
static bool
pattern_valid(const char *text)
{
	List *fields = NIL;
	ListCell *cell;
	int skipped;
	char *copy = pstrdup(text);
	char *rest = copy;

	for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		fields = lappend(fields, word);
	if (list_length(fields) < 5 || list_length(fields) > 7)
		return false;
	skipped = list_length(fields) == 5 ? 1 : 0;
	foreach(cell, fields)
		if (!field_valid(lfirst(cell), &time_fields[skipped + foreach_current_index(cell)]))
			return false;
	return true;
}

Datum
catalogue_is_time_pattern(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(pattern_valid(text_to_cstring(PG_GETARG_TEXT_PP(0))));
}
