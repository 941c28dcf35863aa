/*
 * words.c - the texts of pages in each language.
 */
#include <ctype.h>

#include "net/header.h"
#include "page/words.h"

#define SOURCE "en" /* the language that the program is written in */
#define LIST_BYTES 1024
#define MESSAGE_BYTES 4096
#define PLACEHOLDERS 4 /* of a message */
#define DEPTH 3		   /* of messages in each other: "the document is not imported: line 2: ..." */

/* A name in braces of a pattern, and the text that it stands for */
typedef struct Placeholder
{
	const char *name;
	size_t length;
	const char *text;
} Placeholder;

/* The language with this name; NULL: there is none. */
static const Language *
language_named(const char *name, size_t length)
{
	for (size_t i = 0; i < words_languages_count; i++)
		if (element_equals(name, length, words_languages[i].name))
			return &words_languages[i];
	return NULL;
}

/* The names of all languages in a list, that of the source first, in memory of the caller; NULL: no memory. */
static char *
all_languages(void)
{
	char list[LIST_BYTES] = SOURCE;

	for (size_t i = 0; i < words_languages_count; i++)
		if (strcmp(words_languages[i].name, SOURCE) != 0)
		{
			strncat(list, ", ", sizeof(list) - strlen(list) - 1);
			strncat(list, words_languages[i].name, sizeof(list) - strlen(list) - 1);
		}
	return strdup(list);
}

bool
words_offer(Settings *settings)
{
	const char *list = settings->page_languages;
	Element element = {.text = list, .length = strlen(list)};
	bool known = list[strspn(list, " \t,")] != '\0';
	char *all = all_languages();

	if (*list == '\0' && all != NULL)
	{
		free(settings->page_languages);
		settings->page_languages = all;
		return true;
	}
	while (known && element_next(&list, &element))
		known = language_named(element.text, strcspn(element.text, " \t,")) != NULL;
	if (!known && all != NULL)
		fprintf(stderr,
				"catalogue-shim: page_languages \"%s\": \"%.*s\" is no language of pages, "
				"which are: %s\n",
				settings->page_languages, (int) element.length, element.text, all);
	free(all);
	return known;
}

const char *
words_named(const char *offered, const char *name, size_t length)
{
	Element element;

	while (element_next(&offered, &element))
	{
		const Language *language = language_named(element.text, element.length);

		if (language != NULL && element_equals(name, length, language->name))
			return language->name;
	}
	return NULL;
}

/* The same of a name with regions that the offered one may lack: es-UY is Spanish. */
static const char *
nearest(const char *offered, const char *name, size_t length)
{
	const char *found = words_named(offered, name, length);

	while (found == NULL && length > 0)
		if (name[--length] == '-')
			found = words_named(offered, name, length);
	return found;
}

const char *
words_language(const char *offered, const char *list)
{
	const char *rest = offered;
	const char *best = NULL;
	int most = 0;
	Element element;

	if (element_next(&rest, &element))
		best = words_named(offered, element.text, element.length);
	while (list != NULL && element_next(&list, &element))
	{
		int quality = element_quality(&element);
		const char *language =
			quality > most ? nearest(offered, element.text, element.length) : NULL;

		if (language == NULL)
			continue;
		most = quality;
		best = language;
	}
	return best;
}

/* The language of a page; its name is that of one of them. */
static const Language *
language_of(const char *name)
{
	const Language *language = words_languages;

	while (strcmp(language->name, name) != 0)
		language++;
	return language;
}

static int
by_text(const void *key, const void *text)
{
	return strcmp(key, *(const char *const *) text);
}

/* The text of a key; NULL: no catalogue has it. */
static const char *
find(const char *language, const char *key)
{
	const char *const *found = bsearch(key, words_keys, words_count, sizeof(*found), by_text);

	return found ? language_of(language)->texts[found - words_keys] : NULL;
}

bool
words_is_source(const char *language)
{
	return strcmp(language, SOURCE) == 0;
}

const char *
words_own_name(const char *language)
{
	return find(language, "language name");
}

const char *
words_text(const char *language, const char *key)
{
	const char *text = find(language, key);

	return text ? text : key;
}

const char *
words_plural(const char *language, const char *digits, const char *one, const char *several)
{
	unsigned long number = strtoul(digits, NULL, 10);
	const char *text = find(language, one);

	if (text == NULL)
		return number == 1 ? one : several;
	for (size_t form = language_of(language)->form(number); form > 0; form--)
		text += strlen(text) + 1;
	return text;
}

/* Put texts in place of the placeholders of a pattern; NULL: it becomes longer than MESSAGE_BYTES. */
static const char *
fill(Arena *arena, const char *pattern, const Placeholder *placeholders, size_t count)
{
	const char *text;
	Buffer filled;

	buffer_init(&filled, MESSAGE_BYTES);
	while (*pattern != '\0')
	{
		size_t length = strcspn(pattern, "{");

		buffer_append(&filled, pattern, length);
		pattern += length;
		if (*pattern == '\0')
			break;
		length = strcspn(++pattern, "}");
		for (size_t i = 0; i < count; i++)
			if (placeholders[i].length == length &&
				strncmp(placeholders[i].name, pattern, length) == 0)
				buffer_text(&filled, placeholders[i].text);
		pattern += length + (pattern[length] == '}');
	}
	text = filled.failed ? NULL : arena_text(arena, filled.data, filled.length);
	buffer_free(&filled);
	return text;
}

/*
 * Fit a text into a pattern: "line {line}: {reason}" fits "line 3: is empty".  The texts of the placeholders, in memory of the
 * arena, and their number, at most PLACEHOLDERS; -1: it does not fit.
 */
static int
fits(Arena *arena, const char *pattern, const char *text, Placeholder placeholders[PLACEHOLDERS])
{
	int count = 0;

	for (;;)
	{
		size_t length = strcspn(pattern, "{");
		const char *end;

		if (strncmp(text, pattern, length) != 0)
			return -1;
		text += length;
		pattern += length;
		if (*pattern++ == '\0')
			return *text == '\0' ? count : -1;
		if (count == PLACEHOLDERS)
			return -1;
		placeholders[count].name = pattern;
		placeholders[count].length = strcspn(pattern, "}");
		pattern += placeholders[count].length + 1;
		/* the placeholder ends where what is behind it begins, the last one at the end */
		length = strcspn(pattern, "{");
		if (pattern[length] != '\0')
			end = memmem(text, strlen(text), pattern, length);
		else
			end = strlen(text) >= length ? text + strlen(text) - length : NULL;
		if (end == NULL)
			return -1;
		placeholders[count++].text = arena_text(arena, text, (size_t) (end - text));
		text = end;
	}
}

/* A message in a language; those for its placeholders, too, but no deeper: their texts may be those of a client. */
static const char *
tell(Arena *arena, const Language *language, const char *message, int depth)
{
	Placeholder placeholders[PLACEHOLDERS];
	const char *translated;
	int count = -1;
	size_t i = 0;

	if (depth == 0)
		return message;
	while (i < words_patterns_count &&
		   (count = fits(arena, words_patterns[i], message, placeholders)) < 0)
		i++;
	if (count < 0)
		return message;
	for (int i = 0; i < count; i++)
		placeholders[i].text = placeholders[i].text == NULL
								   ? ""
								   : tell(arena, language, placeholders[i].text, depth - 1);
	translated = fill(arena, language->messages[i], placeholders, (size_t) count);
	return translated ? translated : message;
}

const char *
words_message(Arena *arena, const char *language, const char *message)
{
	return strcmp(language, SOURCE) == 0 ? message
										 : tell(arena, language_of(language), message, DEPTH);
}

/* "updatedBy" to "Updated by". */
static const char *
separate(Arena *arena, const char *name)
{
	char *text = arena_zeroed(arena, 2 * strlen(name) + 1);
	char *to = text;

	if (text == NULL)
		return "";
	for (const char *c = name; *c != '\0'; c++)
	{
		bool starts = c > name && isupper((unsigned char) *c) && islower((unsigned char) c[-1]);

		if (starts || *c == '_')
			*to++ = ' ';
		if (*c != '_')
			*to++ = starts ? (char) tolower((unsigned char) *c) : *c;
	}
	*text = (char) toupper((unsigned char) *text);
	return text;
}

const char *
words_label(Arena *arena, const char *language, const char *name)
{
	const char *text = find(language, name);

	return text ? text : separate(arena, name);
}

const char *
words_date(Arena *arena, const char *language, const char *instant, bool time)
{
	const char *month =
		find(language, arena_format(arena, "month %ld", strtol(instant + 5, NULL, 10)));
	const Placeholder placeholders[] = {
		{"day", 3, arena_format(arena, "%ld", strtol(instant + 8, NULL, 10))},
		{"month", 5, month},
		{"year", 4, arena_format(arena, "%.4s", instant)},
	};
	const char *date;

	date = month ? fill(arena, find(language, "date"), placeholders, lengthof(placeholders)) : NULL;
	if (date == NULL)
		return instant;
	return time ? arena_format(arena, "%s, %.5s UTC", date, instant + 11) : date;
}

/* The sign for thousands of a language, and its length; *decimal: that for decimals, which ends in a digit. */
static const char *
thousands(const char *language, size_t *length, const char **decimal)
{
	const char *sample = find(language, "number"); /* 12,345.6 */
	const char *rest = strstr(sample, "345");

	*length = (size_t) (rest - sample) - strlen("12");
	*decimal = rest + strlen("345");
	return sample + strlen("12");
}

const char *
words_number(Arena *arena, const char *language, const char *digits)
{
	size_t size;
	const char *decimal;
	const char *sign = thousands(language, &size, &decimal);
	size_t length = strlen(digits);
	char *text = arena_zeroed(arena, length + length / 3 * size + 1);
	char *to = text;

	if (text == NULL || length < 4 || strspn(digits, "0123456789") < length ||
		(length == 4 && strlen(find(language, "short number")) == 4))
		return digits;
	for (; *digits != '\0'; digits++)
	{
		*to++ = *digits;
		if (--length > 0 && length % 3 == 0)
			to = mempcpy(to, sign, size);
	}
	return text;
}

const char *
words_size(Arena *arena, const char *language, const char *bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	double size = strtod(bytes, NULL);
	size_t unit = 0;
	size_t length;
	const char *decimal;
	char *text;

	for (; size >= 999.5 && unit < lengthof(units) - 1; unit++)
		size /= 1000;
	text = arena_format(arena, "%.*f %s", unit > 0 && size < 9.95, size, units[unit]);
	(void) thousands(language, &length, &decimal);
	length = strcspn(text, ".");
	return text[length] == '\0'
			   ? text
			   : arena_format(arena, "%.*s%.*s%s", (int) length, text, (int) strlen(decimal) - 1,
							  decimal, text + length + 1);
}
