/*
 * time_pattern.c
 *	  Cron patterns: validation, and the next time that one names.
 *
 * 5 fields: minute hour day month weekday.  6 fields: preceded by seconds.  7 fields: also followed
 * by the year.  A field is "*", "?" or a list of values and ranges with an optional step; months
 * and weekdays can be named.  As in cron, a day has to fit both day and weekday if one of them
 * begins with "*" or is "?", and either of them otherwise.  Times are in UTC.
 */
#include "catalogue.h"

#include "utils/builtins.h"
#include "utils/datetime.h"

#include "base/base.h"

#define PART_MAX 32
#define VALUES 230 /* most values of a field: the years */

typedef struct TimeField
{
	const char *label;
	int least;
	int most;
	const char *names; /* three letters each, or NULL */
} TimeField;

enum
{
	TIME_SECOND,
	TIME_MINUTE,
	TIME_HOUR,
	TIME_DAY,
	TIME_MONTH,
	TIME_WEEKDAY,
	TIME_YEAR,
	TIME_FIELDS
};

static const TimeField time_fields[TIME_FIELDS] = {
	{"second", 0, 59, NULL},
	{"minute", 0, 59, NULL},
	{"hour", 0, 23, NULL},
	{"day", 1, 31, NULL},
	{"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
	{"weekday", 0, 7, "sunmontuewedthufrisat"},
	{"year", 1970, 2199, NULL},
};

typedef struct TimePattern
{
	bool has[TIME_FIELDS][VALUES]; /* by value less the least one */
	bool any[TIME_FIELDS];		   /* the field begins with "*", or is "?" */
} TimePattern;

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

/* Read the value or the range at *text and advance *text; false if there is none. */
static bool
read_range(const char **text, const TimeField *field, int *from, int *to)
{
	*from = field->least;
	*to = field->most;
	if (**text == '*')
	{
		(*text)++;
		return true;
	}
	*from = read_value(text, field);
	if (*from < 0)
		return false;
	if (**text == '-')
	{
		(*text)++;
		*to = read_value(text, field);
	}
	else if (**text != '/')
		*to = *from;
	return *to >= *from;
}

/* Read a part of a list, "*", "?", a value or a range, with an optional step; false if it is none. */
static bool
read_part(const char *part, const TimeField *field, bool *has)
{
	int from;
	int to;
	long step = 1;

	if (strcmp(part, "?") == 0)
		part = "*";
	if (!read_range(&part, field, &from, &to))
		return false;
	if (*part == '/')
	{
		const char *digits = part + 1;
		char *end;

		step = strtol(digits, &end, 10);
		if (!isdigit((unsigned char) *digits) || step < 1 || step > field->most)
			return false;
		part = end;
	}
	for (int value = from; value <= to; value += (int) step)
		has[value - field->least] = true;
	return *part == '\0';
}

static bool
read_field(const char *text, const TimeField *field, bool *has)
{
	List *parts = cat_query_string_split(text, ',');

	foreach_ptr(char, part, parts)
		if (strlen(part) > PART_MAX || !read_part(part, field, has))
			return false;
	return parts != NIL;
}

/* Return the words of a text. */
static List *
words_of(const char *text)
{
	List *words = NIL;
	char *copy = pstrdup(text);
	char *rest = copy;

	for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		words = lappend(words, word);
	return words;
}

/* Read a pattern; return what is wrong with it, NULL if nothing is. */
static const char *
read_pattern(const char *text, TimePattern *pattern)
{
	List *words = words_of(text);
	int count = list_length(words);
	int skipped = count == 5 ? 1 : 0;

	memset(pattern, 0, sizeof(*pattern));
	if (count < 5 || count > 7)
		return psprintf("has %d fields, takes 5, 6 or 7", count);
	pattern->has[TIME_SECOND][0] = count == 5;
	memset(pattern->has[TIME_YEAR], count < 7, sizeof(pattern->has[TIME_YEAR]));
	for (int i = 0; i < count; i++)
	{
		const TimeField *field = &time_fields[i + skipped];
		const char *word = list_nth(words, i);

		pattern->any[i + skipped] = *word == '*' || *word == '?';
		if (!read_field(word, field, pattern->has[i + skipped]))
			return psprintf("has no valid %s: \"%s\"", field->label, word);
	}
	/* Sunday is 0 or 7 */
	pattern->has[TIME_WEEKDAY][0] |= pattern->has[TIME_WEEKDAY][7];
	return NULL;
}

static bool
has_value(const TimePattern *pattern, int field, int value)
{
	return pattern->has[field][value - time_fields[field].least];
}

/* Return whether a pattern names a time of a day, given as Julian day. */
static bool
is_day(const TimePattern *pattern, int julian)
{
	int year;
	int month;
	int day;
	bool by_day;
	bool by_weekday;

	j2date(julian, &year, &month, &day);
	if (!has_value(pattern, TIME_YEAR, year) || !has_value(pattern, TIME_MONTH, month))
		return false;
	by_day = has_value(pattern, TIME_DAY, day);
	by_weekday = has_value(pattern, TIME_WEEKDAY, j2day(julian));
	return pattern->any[TIME_DAY] || pattern->any[TIME_WEEKDAY] ? by_day && by_weekday
																: by_day || by_weekday;
}

/* Return the first second of a day that a pattern names, from the given one on; -1 if none. */
static int
find_second(const TimePattern *pattern, int from)
{
	for (int minute = from / SECS_PER_MINUTE; minute < HOURS_PER_DAY * MINS_PER_HOUR; minute++)
	{
		int first = minute * SECS_PER_MINUTE > from ? 0 : from % SECS_PER_MINUTE;

		if (!has_value(pattern, TIME_HOUR, minute / MINS_PER_HOUR) ||
			!has_value(pattern, TIME_MINUTE, minute % MINS_PER_HOUR))
			continue;
		for (int second = first; second < SECS_PER_MINUTE; second++)
			if (has_value(pattern, TIME_SECOND, second))
				return minute * SECS_PER_MINUTE + second;
	}
	return -1;
}

/* Find the first time after an instant that a pattern names; false if there is none. */
static bool
find_next(const TimePattern *pattern, TimestampTz after, TimestampTz *next)
{
	int first = date2j(time_fields[TIME_YEAR].least, 1, 1);
	int last = date2j(time_fields[TIME_YEAR].most, 12, 31);
	int64 earliest = (int64) (first - POSTGRES_EPOCH_JDATE) * SECS_PER_DAY;
	int64 latest = (int64) (last + 1 - POSTGRES_EPOCH_JDATE) * SECS_PER_DAY;
	int64 start;

	if (after >= latest * USECS_PER_SEC)
		return false;
	/* the first full second after the instant */
	start = after < earliest * USECS_PER_SEC
				? earliest
				: (after - earliest * USECS_PER_SEC) / USECS_PER_SEC + earliest + 1;
	for (int64 second = start - earliest; first + second / SECS_PER_DAY <= last;
		 second = (second / SECS_PER_DAY + 1) * SECS_PER_DAY)
	{
		int day = first + (int) (second / SECS_PER_DAY);
		int found = is_day(pattern, day) ? find_second(pattern, (int) (second % SECS_PER_DAY)) : -1;

		if (found < 0)
			continue;
		*next = ((int64) (day - POSTGRES_EPOCH_JDATE) * SECS_PER_DAY + found) * USECS_PER_SEC;
		return true;
	}
	return false;
}

const char *
cat_time_pattern_fault(const char *text)
{
	TimePattern pattern;
	TimestampTz next;
	const char *fault = read_pattern(text, &pattern);

	if (fault)
		return fault;
	return find_next(&pattern, PG_INT64_MIN, &next) ? NULL : "names no time that there is";
}

CAT_FUNCTION(catalogue_is_time_pattern)
{
	PG_RETURN_BOOL(cat_time_pattern_fault(
					   text_to_cstring(PG_GETARG_TEXT_PP(ARG_IS_TIME_PATTERN_PATTERN))) == NULL);
}

CAT_FUNCTION(catalogue_next_run)
{
	const char *words = text_to_cstring(PG_GETARG_TEXT_PP(ARG_NEXT_RUN_PATTERN));
	TimePattern pattern;
	TimestampTz next;
	const char *fault = read_pattern(words, &pattern);

	if (fault)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("cron pattern \"%s\" %s", words, fault)));
	if (!find_next(&pattern, PG_GETARG_TIMESTAMPTZ(ARG_NEXT_RUN_AFTER), &next))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(next);
}
