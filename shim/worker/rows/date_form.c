/*
 * date_form.c - find the format of dates with names of months, of months and of quarters.
 *
 * The order of day and month is clear in all of them.  A year of two digits is the last number, and is read
 * only if parseOptions.dates has the year at the end.
 */
#include "rows/columns.h"

/* clang-format off */
static const DateForm forms[] = {
	{SPAN_MONTH, "%Y-%m"}, {SPAN_MONTH, "%m/%Y"}, {SPAN_MONTH, "%Y/%m"}, {SPAN_MONTH, "%m-%Y"},
	{SPAN_MONTH, "%YM%m"}, {SPAN_MONTH, "%Y-M%m"},
	{SPAN_QUARTER, "%Y-Q%q"}, {SPAN_QUARTER, "%YQ%q"}, {SPAN_QUARTER, "%Y Q%q"},
	{SPAN_QUARTER, "%Y-T%q"}, {SPAN_QUARTER, "%YT%q"}, {SPAN_QUARTER, "%Y T%q"},
	{SPAN_QUARTER, "Q%q %Y"}, {SPAN_QUARTER, "Q%q-%Y"}, {SPAN_QUARTER, "Q%q/%Y"},
	{SPAN_QUARTER, "T%q %Y"}, {SPAN_QUARTER, "T%q-%Y"}, {SPAN_QUARTER, "T%q/%Y"},
	{SPAN_QUARTER, "%qQ%Y"}, {SPAN_QUARTER, "%qQ %Y"}, {SPAN_QUARTER, "%qT%Y"}, {SPAN_QUARTER, "%qT %Y"},
	{SPAN_DAY, "%d-%b-%Y"}, {SPAN_DAY, "%d %b %Y"}, {SPAN_DAY, "%d/%b/%Y"}, {SPAN_DAY, "%d.%b.%Y"},
	{SPAN_DAY, "%d de %b de %Y"}, {SPAN_DAY, "%d de %b del %Y"}, {SPAN_DAY, "%d de %b %Y"},
	{SPAN_DAY, "%b %d, %Y"}, {SPAN_DAY, "%b %d %Y"}, {SPAN_DAY, "%Y-%b-%d"}, {SPAN_DAY, "%Y %b %d"},
	{SPAN_MONTH, "%b-%Y"}, {SPAN_MONTH, "%b %Y"}, {SPAN_MONTH, "%b/%Y"}, {SPAN_MONTH, "%b de %Y"},
	{SPAN_MONTH, "%b del %Y"}, {SPAN_MONTH, "%Y-%b"}, {SPAN_MONTH, "%Y %b"},
	{SPAN_DAY, "%d-%b-%y"}, {SPAN_DAY, "%d %b %y"}, {SPAN_DAY, "%d/%b/%y"},
	{SPAN_MONTH, "%b-%y"}, {SPAN_MONTH, "%b %y"}, {SPAN_MONTH, "%b/%y"}, {SPAN_MONTH, "%m/%y"},
};
/* clang-format on */
#define SHORTEST 5

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool
date_form_is_likely(const char *text, size_t length)
{
	const char *end = text + length;
	size_t word;

	if (length < SHORTEST || length > DATE_TIME_LONGEST || (!is_digit(*text) && !is_digit(end[-1])))
		return false;
	if (!is_digit(*text))
		return (strchr("QqTt", *text) != NULL && is_digit(text[1])) ||
			   months_named(text, end, &word) > 0;
	while (text < end && is_digit(*text))
		text++;
	/* a time of day is none */
	return text < end && *text != ':';
}

/* Is a year followed by a single digit?  That may be a half of the year rather than a month. */
static bool
is_half(const DateForm *form, const char *text, size_t length)
{
	return form->span == SPAN_MONTH && form->format[1] == 'Y' && is_digit(text[length - 1]) &&
		   !is_digit(text[length - 2]);
}

bool
date_form_is_short(const DateForm *form)
{
	return strstr(form->format, "%y") != NULL;
}

const DateForm *
date_form_find(const char **text, size_t length, bool short_years, DateParts *parts)
{
	const char *end = *text + length;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
	{
		const char *at;

		*parts = DATE_TEXT_FIRST;
		at = date_text_read(forms[i].format, *text, end, parts);
		if (at == NULL || (at < end && (forms[i].span != SPAN_DAY || is_digit(*at))) ||
			is_half(&forms[i], *text, length) || (!short_years && date_form_is_short(&forms[i])))
			continue;
		*text = at;
		return &forms[i];
	}
	return NULL;
}
