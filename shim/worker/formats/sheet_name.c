/*
 * sheet_name.c - names of the sheets of a workbook that is written.
 *
 * Excel refuses a name that has more than 31 characters or one of []:*?/\, that begins or ends with
 * an apostrophe, that another sheet has in whatever letter case, and "History".
 */
#include <locale.h>
#include <strings.h>
#include <wchar.h>

#include "formats/book_write.h"

#define ESCAPE 6		   /* characters that XLSX adds to what looks like one of its escapes */
#define NUMBER_SIZE 16	   /* bytes of " (2)" and its like */
#define RESERVED "History" /* Excel has a sheet of its own of this name */

/* Is a character not allowed in names, or in the XML of an XLSX? */
static bool
is_special(const char *character, size_t step)
{
	return (step == 1 &&
			(strchr("[]:*?/\\", *character) != NULL || (unsigned char) *character < ' ')) ||
		   (step == 3 && xlsx_write_is_noncharacter(character));
}

/* Copy at most so many characters of a text that is free of what names cannot have. */
static void
copy(char *name, const char *wanted, int characters)
{
	size_t length = 0;

	while (*wanted != '\0')
	{
		size_t step = text_character(wanted, strlen(wanted));

		/* some programs count units of UTF-16 */
		characters -= (step == 4 ? 2 : 1) + (xlsx_write_is_escape(wanted) ? ESCAPE : 0);
		if (step == 0 || characters < 0)
			break;
		if (is_special(wanted, step))
			name[length++] = '_';
		else
		{
			memcpy(name + length, wanted, step);
			length += step;
		}
		wanted += step;
	}
	name[length] = '\0';
	if (name[0] == '\'')
		name[0] = '_';
	if (length > 0 && name[length - 1] == '\'')
		name[length - 1] = '_';
}

/* Are two names equal but for letter case? */
static bool
is_same(const char *one, const char *other)
{
	static locale_t locale = (locale_t) 0;
	wchar_t wide[2][SHEET_NAME + 1];
	locale_t before;
	bool good;

	if (locale == (locale_t) 0)
		locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t) 0);
	if (locale == (locale_t) 0)
		return strcasecmp(one, other) == 0;
	before = uselocale(locale);
	good = mbstowcs(wide[0], one, lengthof(wide[0])) <= SHEET_NAME &&
		   mbstowcs(wide[1], other, lengthof(wide[1])) <= SHEET_NAME &&
		   wcscasecmp(wide[0], wide[1]) == 0;
	uselocale(before);
	return good;
}

static bool
is_taken(const SheetName *names, unsigned count, const char *name)
{
	for (unsigned i = 0; i < count; i++)
		if (is_same(names[i].text, name))
			return true;
	return false;
}

const char *
sheet_name_make(SheetName *names, unsigned count, const char *wanted)
{
	char *name = names[count].text;
	char number[NUMBER_SIZE];

	copy(name, wanted, SHEET_NAME);
	if (*name == '\0')
		snprintf(name, SHEET_NAME_SIZE, "Sheet%u", count + 1);
	if (strcasecmp(name, RESERVED) == 0)
		strcat(name, "_");
	for (unsigned i = 2; is_taken(names, count, name); i++)
	{
		int length = snprintf(number, sizeof(number), " (%u)", i);

		copy(name, *wanted == '\0' ? "Sheet" : wanted, SHEET_NAME - length);
		strcat(name, number);
	}
	return name;
}
