/*
 * dcat_time.c
 *	  Times and periods of optional values, which sources write in many ways.
 */
#include "catalogue.h"

#include "datatype/timestamp.h"
#include "utils/datetime.h"

#include "documents/dcat_internal.h"

#define DIGITS "0123456789"

/* Return the number of two digits, -1 if there are none or it is greater than most. */
static int
number_at(const char *text, int most)
{
	int number = strspn(text, DIGITS) < 2 ? -1 : (text[0] - '0') * 10 + text[1] - '0';

	return number > most ? -1 : number;
}

/* Return whether a text begins with a year and a month. */
static bool
has_month(const char *text)
{
	return strspn(text, DIGITS) == 4 && strncmp(text, "0000", 4) != 0 && text[4] == '-' &&
		   number_at(text + 5, MONTHS_PER_YEAR) > 0;
}

/* Return whether a text begins with a day that the calendar has. */
static bool
has_day(const char *text)
{
	return has_month(text) && text[7] == '-' &&
		   number_at(text + 8,
					 day_tab[isleap(strtol(text, NULL, 10))][number_at(text + 5, 99) - 1]) > 0;
}

/* Return the length of seconds with a colon before them. */
static size_t
seconds_length(const char *text)
{
	size_t fraction;

	if (*text != ':' || number_at(text + 1, SECS_PER_MINUTE - 1) < 0)
		return 0;
	fraction = text[3] == '.' ? strspn(text + 4, DIGITS) : 0;
	return fraction > 0 ? 4 + fraction : 3;
}

/* Return a zone as XML Schema has it, of at most 14 hours; NULL if it is none, or the end of the text. */
static char *
zone_of(const char *text)
{
	int hours = *text == '+' || *text == '-' ? number_at(text + 1, 14) : -1;
	const char *minutes;

	if (strcmp(text, "Z") == 0)
		return "Z";
	if (hours < 0)
		return NULL;
	minutes = text[3] == ':' ? text + 4 : text + 3;
	if (number_at(minutes, hours < 14 ? MINS_PER_HOUR - 1 : 0) < 0 || minutes[2] != '\0')
		return NULL;
	return psprintf("%.3s:%s", text, minutes);
}

const char *
cat_dcat_time(const char *text)
{
	size_t seconds;
	const char *rest;
	const char *zone;

	if (!text || !has_day(text))
		return NULL;
	if (text[10] == '\0')
		return text;
	if ((text[10] != 'T' && text[10] != ' ') || number_at(text + 11, HOURS_PER_DAY - 1) < 0 ||
		text[13] != ':' || number_at(text + 14, MINS_PER_HOUR - 1) < 0)
		return NULL;
	seconds = seconds_length(text + 16);
	rest = text + 16 + seconds;
	rest += strspn(rest, " \t\n\v\f\r");
	zone = *rest ? zone_of(rest) : "";
	return zone ? psprintf("%.10sT%.5s%.*s%s", text, text + 11, (int) Max(seconds, 3),
						   seconds > 0 ? text + 16 : ":00", zone)
				: NULL;
}

const char *
cat_dcat_time_instant(const char *text)
{
	const char *instant = cat_dcat_string(cat_dcat_text(text));
	size_t digits;
	bool year;

	if (!instant)
		return NULL;
	instant = cat_dcat_text_trimmed(instant, (int) strlen(instant));
	digits = strspn(instant, DIGITS);
	year = digits == 4 && instant[4] == '\0' && strcmp(instant, "0000") != 0;
	if (year || (has_month(instant) && instant[7] == '\0'))
		return instant;
	return cat_dcat_time(instant);
}

const char *
cat_dcat_time_kind(const char *instant)
{
	switch (instant ? strlen(instant) : 0)
	{
		case 4:
			return "xsd:gYear";
		case 7:
			return "xsd:gYearMonth";
		case 10:
			return "xsd:date";
		default:
			return "xsd:dateTime";
	}
}

/* ---- Periods ---- */

/* Return an end of a period: a member, any value of another one, or a part of a text. */
static char *
end_of(const Json *period, const char *date, const char *instant, char *part)
{
	char *text = cat_dcat_text_first(cat_dcat_get(period, date));
	Json *within = text ? NULL : cat_dcat_copy(cat_dcat_first(cat_dcat_get(period, instant)));

	if (within && within->val.object.nPairs > 0)
		text = cat_dcat_text_first(&within->val.object.pairs[0].value);
	return text ? text : part;
}

/* Return an instant as it is given, or as a duration leads to it from the other end of the period. */
static Json *
instant_of(const char *given, const char *other, bool starts)
{
	const char *instant = cat_dcat_time_instant(given);

	other =
		instant || !given || given[strspn(given, " ")] != 'P' ? NULL : cat_dcat_time_instant(other);
	if (!other)
		return cat_dcat_text(instant);
	return cat_dcat_ask(starts ? "SELECT to_jsonb(catalogue.dcat_period_other($1, $2, true))"
							   : "SELECT to_jsonb(catalogue.dcat_period_other($1, $2, false))",
						other, given);
}

/* Return a period: a text with a slash between two instants, or an instant and a duration, or an
 * object of startDate and endDate, or of hasBeginning and hasEnd; NULL if it has neither end. */
static Json *
period_of(const Json *value)
{
	char *given = cat_dcat_text_first(value);
	char *slash = given ? strchr(given, '/') : NULL;
	char *second = slash ? pnstrdup(slash + 1, strcspn(slash + 1, "/")) : NULL;
	char *start = end_of(value, "startDate", "hasBeginning",
						 given ? pnstrdup(given, strcspn(given, "/")) : NULL);
	char *end = end_of(value, "endDate", "hasEnd", second);
	Json *period = cat_dcat_object("start", instant_of(start, end, false), "end",
								   instant_of(end, start, true), NULL);

	return period->val.object.nPairs > 0 ? period : NULL;
}

Json *
cat_dcat_time_periods(Dcat *dcat, const Json *value)
{
	Json *periods = NULL;

	foreach_ptr(const Json, one, cat_dcat_elements(value))
		periods = cat_dcat_add(periods, period_of(one));
	return periods;
}
