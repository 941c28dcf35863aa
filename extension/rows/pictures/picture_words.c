/*
 * picture_words.c
 *	  The texts of pictures in each language, of the catalogues in shim/po.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "base/base.h"
#include "picture_words.h"

#define SOURCE "en" /* the language that the program is written in */

const PictureLanguage *
cat_picture_words_language(const char *name)
{
	for (size_t i = 0; i < lengthof(picture_languages); i++)
		if (pg_strcasecmp(picture_languages[i].name, name ? name : SOURCE) == 0)
			return &picture_languages[i];
	return NULL;
}

const char *
cat_picture_words_name(const PictureLanguage *language)
{
	return language->name;
}

static int
by_text(const void *key, const void *text)
{
	return strcmp(key, *(const char *const *) text);
}

/* Return the forms of a text: that of a number of things, behind each other. */
static const char *
forms_of(const PictureLanguage *language, const char *key)
{
	const char *const *found =
		bsearch(key, picture_keys, lengthof(picture_keys), sizeof(*found), by_text);

	if (!found)
		elog(ERROR, "pictures have no text \"%s\"", key);
	return language->texts[found - picture_keys];
}

/* Return a text with others in its placeholders; pairs: the name and the text of each, as many as count. */
static char *
fill(const char *pattern, const char *const *pairs, int count)
{
	StringInfo out = makeStringInfo();

	while (*pattern)
	{
		int length = (int) strcspn(pattern, "{");

		appendBinaryStringInfo(out, pattern, length);
		pattern += length;
		if (*pattern == '\0')
			break;
		length = (int) strcspn(++pattern, "}");
		for (int i = 0; i + 1 < count; i += 2)
			if (strlen(pairs[i]) == (size_t) length && strncmp(pairs[i], pattern, length) == 0)
				appendStringInfoString(out, pairs[i + 1]);
		pattern += length + (pattern[length] == '}');
	}
	return out->data;
}

char *
cat_picture_words_text(const PictureLanguage *language, const char *key, ...)
{
	const char *pairs[PICTURE_PLACEHOLDERS * 2];
	int count = 0;
	va_list rest;

	va_start(rest, key);
	while (count < (int) lengthof(pairs) && (pairs[count] = va_arg(rest, const char *)) != NULL)
		count++;
	va_end(rest);
	return fill(forms_of(language, key), pairs, count);
}

char *
cat_picture_words_count(const PictureLanguage *language, int64 count, const char *digits,
						const char *one, const char *several)
{
	const char *text = forms_of(language, one);

	for (size_t form = language->form((unsigned long) count); form > 0; form--)
		text += strlen(text) + 1;
	return fill(text, (const char *const[]){"count", digits}, 2);
}

/* ---- What charts are drawn with in SQL ---- */

const PictureLanguage *
cat_picture_words_argument(Datum argument)
{
	const char *name = TextDatumGetCString(argument);
	const PictureLanguage *language = cat_picture_words_language(name);

	if (!language)
		elog(ERROR, "pictures have no language \"%s\"", name);
	return language;
}

CAT_FUNCTION(catalogue_picture_languages)
{
	Datum names[lengthof(picture_languages)];

	for (size_t i = 0; i < lengthof(picture_languages); i++)
		names[i] = CStringGetTextDatum(picture_languages[i].name);
	return cat_text_array_make(names, lengthof(names));
}

CAT_FUNCTION(catalogue_picture_text)
{
	const PictureLanguage *language =
		cat_picture_words_argument(PG_GETARG_DATUM(ARG_PICTURE_TEXT_LANGUAGE));
	const char *key = text_to_cstring(PG_GETARG_TEXT_PP(ARG_PICTURE_TEXT_KEY));
	const char *pairs[PICTURE_PLACEHOLDERS * 2];
	int count;
	Datum *placeholders =
		cat_text_array_elements(PG_GETARG_DATUM(ARG_PICTURE_TEXT_PLACEHOLDERS), &count);

	count = Min(count, (int) lengthof(pairs));
	for (int i = 0; i < count; i++)
		pairs[i] = TextDatumGetCString(placeholders[i]);
	PG_RETURN_TEXT_P(cstring_to_text(fill(forms_of(language, key), pairs, count)));
}

CAT_FUNCTION(catalogue_picture_plural)
{
	const PictureLanguage *language =
		cat_picture_words_argument(PG_GETARG_DATUM(ARG_PICTURE_PLURAL_LANGUAGE));
	int64 count = PG_GETARG_INT64(ARG_PICTURE_PLURAL_COUNT);
	const char *one = text_to_cstring(PG_GETARG_TEXT_PP(ARG_PICTURE_PLURAL_ONE));

	PG_RETURN_TEXT_P(cstring_to_text(
		cat_picture_words_count(language, count, psprintf(INT64_FORMAT, count), one, one)));
}
