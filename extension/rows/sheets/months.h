/*
 * months.h
 *	  Names of months in tables, in the languages of the service, whole and abbreviated.
 *
 * The worker finds them in the dates of a column (shim/worker/rows/date_form.c); the extension reads
 * cells by the format that is stored with it (date_text.h).  Letter case of ASCII does not matter.
 */
#ifndef MONTHS_H
#define MONTHS_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define MONTH_SHORTEST 3 /* bytes of a name */

/* clang-format off */
static const struct
{
	int month;
	const char *name;
} month_names[] = {
	/* English */
	{1, "january"}, {2, "february"}, {3, "march"}, {4, "april"}, {5, "may"}, {6, "june"},
	{7, "july"}, {8, "august"}, {9, "september"}, {10, "october"}, {11, "november"}, {12, "december"},
	{1, "jan"}, {2, "feb"}, {3, "mar"}, {4, "apr"}, {6, "jun"}, {7, "jul"}, {8, "aug"}, {9, "sep"},
	{9, "sept"}, {10, "oct"}, {11, "nov"}, {12, "dec"},
	/* Spanish */
	{1, "enero"}, {2, "febrero"}, {3, "marzo"}, {4, "abril"}, {5, "mayo"}, {6, "junio"}, {7, "julio"},
	{8, "agosto"}, {9, "septiembre"}, {9, "setiembre"}, {10, "octubre"}, {11, "noviembre"},
	{12, "diciembre"}, {1, "ene"}, {4, "abr"}, {8, "ago"}, {9, "set"}, {12, "dic"},
	/* Portuguese */
	{1, "janeiro"}, {2, "fevereiro"}, {3, "março"}, {3, "MARÇO"}, {3, "marco"}, {5, "maio"},
	{6, "junho"}, {7, "julho"}, {9, "setembro"}, {10, "outubro"}, {11, "novembro"}, {12, "dezembro"},
	{2, "fev"}, {5, "mai"}, {10, "out"}, {12, "dez"},
};
/* clang-format on */
/* Is a byte part of a word: a letter of ASCII, or of a character beyond? */
static inline bool
months_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char) c >= 0x80;
}

/* Does the name of a month begin with two bytes, but for case?  Nearly all other words tell by these. */
static inline bool
months_begin(const char *text)
{
	static unsigned int seconds[32]; /* of each first byte, a bit for each second one */

	if (seconds[*month_names[0].name & 31] == 0)
		for (size_t i = 0; i < sizeof(month_names) / sizeof(*month_names); i++)
			seconds[*month_names[i].name & 31] |= 1U << (month_names[i].name[1] & 31);
	return (seconds[*text & 31] >> (text[1] & 31) & 1) != 0;
}

/* Return the month that a text begins with the name of; 0 if it does not.  *length: of the
 * name, if there is one. */
static inline int
months_named(const char *text, const char *end, size_t *length)
{
	const char *at = text;

	if (end - text < MONTH_SHORTEST || !months_begin(text))
		return 0;
	while (at < end && months_letter(*at))
		at++;
	*length = (size_t) (at - text);
	/* the first bytes of a name and a word that are the same but for case differ in this bit at most */
	for (size_t i = 0; i < sizeof(month_names) / sizeof(*month_names); i++)
		if (((*month_names[i].name ^ *text) & ~0x20) == 0 &&
			strlen(month_names[i].name) == *length &&
			strncasecmp(month_names[i].name, text, *length) == 0)
			return month_names[i].month;
	return 0;
}

#endif /* MONTHS_H */
