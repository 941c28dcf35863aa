/*
 * words.c - the texts of pages in English and Spanish.
 */
#include <ctype.h>

#include "net/header.h"
#include "page/words.h"

enum
{
	ENGLISH,
	SPANISH,
	LANGUAGES = WORDS_LANGUAGES
};

static const char *const languages[LANGUAGES] = {"en", "es"};

#define MESSAGE_BYTES 4096
#define PLACES 4 /* of a message */
#define DEPTH 3	 /* of messages in each other: "the document is not imported: line 2: ..." */

static size_t
index_of(const char *language)
{
	return strcmp(language, languages[SPANISH]) == 0 ? SPANISH : ENGLISH;
}

const char *
words_named(const char *name, size_t length)
{
	for (size_t i = 0; i < LANGUAGES; i++)
		if (element_equals(name, length, languages[i]))
			return languages[i];
	return NULL;
}

const char *
words_other(const char *language)
{
	return languages[LANGUAGES - 1 - index_of(language)];
}

const char *
words_language(const char *list)
{
	const char *best = languages[ENGLISH];
	int most = 0;
	Element element;

	while (list != NULL && element_next(&list, &element))
	{
		/* a region is no other language: es-UY is Spanish */
		size_t length = 0;
		const char *language;
		int quality = element_quality(&element);

		while (length < element.length && element.text[length] != '-')
			length++;
		language = words_named(element.text, length);
		if (language == NULL || quality <= most)
			continue;
		most = quality;
		best = language;
	}
	return best;
}

static int
by_key(const void *key, const void *word)
{
	return strcmp(key, ((const Word *) word)->key);
}

/* The text of a key; NULL: the table does not have it. */
static const char *
find(const char *language, const char *key)
{
	const Word *word = bsearch(key, words_table, words_count, sizeof(Word), by_key);

	return word ? word->texts[index_of(language)] : NULL;
}

const char *
words_text(const char *language, const char *key)
{
	const char *text = find(language, key);

	return text ? text : key;
}

/*
 * Fit a text into a pattern, where % stands for any text: "line %: %" fits "line 3: is empty".  The texts of the places,
 * in memory of the arena; false: it does not fit, or has more places than PLACES.
 */
static bool
fits(Arena *arena, const char *pattern, const char *text, const char *places[PLACES])
{
	size_t count = 0;

	for (;;)
	{
		size_t length = strcspn(pattern, "%");
		const char *end;

		if (strncmp(text, pattern, length) != 0)
			return false;
		text += length;
		pattern += length;
		if (*pattern++ == '\0')
			return *text == '\0';
		/* the place ends where what is behind it begins, the last one at the end */
		length = strcspn(pattern, "%");
		if (pattern[length] != '\0')
			end = memmem(text, strlen(text), pattern, length);
		else
			end = strlen(text) >= length ? text + strlen(text) - length : NULL;
		if (end == NULL || count == PLACES)
			return false;
		places[count++] = arena_text(arena, text, (size_t) (end - text));
		text = end;
	}
}

/* A message in Spanish; those in its places, too, but no deeper: their texts may be those of a client. */
static const char *
tell(Arena *arena, const char *message, int depth)
{
	const char *places[PLACES] = {NULL};
	Buffer told;
	size_t i = 0;
	size_t place = 0;

	while (depth > 0 && i < messages_count &&
		   !fits(arena, messages_table[i].pattern, message, places))
		i++;
	if (depth == 0 || i == messages_count)
		return message;
	buffer_init(&told, MESSAGE_BYTES);
	for (const char *c = messages_table[i].text; *c != '\0'; c++)
		if (*c == '%')
			buffer_text(&told, place < PLACES && places[place] != NULL
								   ? tell(arena, places[place++], depth - 1)
								   : "");
		else
			buffer_append(&told, c, 1);
	message = told.failed ? message : arena_text(arena, told.data, told.length);
	buffer_free(&told);
	return message;
}

const char *
words_message(Arena *arena, const char *language, const char *message)
{
	return index_of(language) == SPANISH ? tell(arena, message, DEPTH) : message;
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
	static const char *const months[LANGUAGES][12] = {
		{"January", "February", "March", "April", "May", "June", "July", "August", "September",
		 "October", "November", "December"},
		{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
		 "octubre", "noviembre", "diciembre"}};
	const size_t index = index_of(language);
	const char *of = index == SPANISH ? "de " : "";
	long month = strtol(instant + 5, NULL, 10);
	long day = strtol(instant + 8, NULL, 10);
	const char *date;

	if (month < 1 || month > 12)
		return instant;
	date = arena_format(arena, "%ld %s%s %s%.4s", day, of, months[index][month - 1], of, instant);
	return time ? arena_format(arena, "%s, %.5s UTC", date, instant + 11) : date;
}

const char *
words_number(Arena *arena, const char *language, const char *digits)
{
	static const char separators[LANGUAGES] = {',', '.'};
	static const size_t shortest[LANGUAGES] = {4, 5}; /* 1,234 and 1234, 12.345 */
	size_t length = strlen(digits);
	char *text = arena_zeroed(arena, length + length / 3 + 1);
	char *to = text;

	if (text == NULL || length < shortest[index_of(language)] ||
		strspn(digits, "0123456789") < length)
		return digits;
	for (; *digits != '\0'; digits++)
	{
		*to++ = *digits;
		if (--length > 0 && length % 3 == 0)
			*to++ = separators[index_of(language)];
	}
	return text;
}

const char *
words_size(Arena *arena, const char *language, const char *bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	double size = strtod(bytes, NULL);
	size_t unit = 0;
	char *text;

	for (; size >= 999.5 && unit < lengthof(units) - 1; unit++)
		size /= 1000;
	text = arena_format(arena, "%.*f %s", unit > 0 && size < 9.95, size, units[unit]);
	if (index_of(language) == SPANISH && strchr(text, '.') != NULL)
		*strchr(text, '.') = ',';
	return text;
}
