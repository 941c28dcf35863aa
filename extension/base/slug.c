/*
 * slug.c
 *	  Slugs: names as parts of URLs.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "base/base.h"

#define SLUG_MAX 150 /* in characters, which are bytes since all are ASCII */

/* Signs that are replaced by words; others are dropped. */
static const struct
{
	const char *sign;
	const char *word;
} words[] = {
	{"&", "and"},	  {"|", "or"},	   {"<", "less"},
	{">", "greater"}, {"$", "dollar"}, {"\xE2\x82\xAC", "euro"},
};

PG_FUNCTION_INFO_V1(catalogue_slug);

static char *
spell_signs(const char *name)
{
	StringInfoData out;

	initStringInfo(&out);
	while (*name)
	{
		size_t i;

		for (i = 0; i < lengthof(words); i++)
			if (strncmp(name, words[i].sign, strlen(words[i].sign)) == 0)
				break;
		if (i < lengthof(words))
		{
			appendStringInfoString(&out, words[i].word);
			name += strlen(words[i].sign);
		}
		else
			appendStringInfoChar(&out, *name++);
	}
	return out.data;
}

static bool
is_kept(unsigned char c)
{
	return isascii(c) && (isalnum(c) || c == '_' || c == '~');
}

char *
cat_slug_make(const char *name)
{
	char *spelled = spell_signs(name);
	char *ascii = cat_fold_ascii(spelled, strlen(spelled));
	StringInfoData slug;
	bool gap = false;

	initStringInfo(&slug);
	for (const char *p = ascii; *p && slug.len < SLUG_MAX; p++)
	{
		unsigned char c = *p;

		if (c == '-' || (isascii(c) && isspace(c)))
			gap = true;
		else if (is_kept(c))
		{
			if (gap && slug.len > 0)
				appendStringInfoChar(&slug, '-');
			gap = false;
			appendStringInfoChar(&slug, pg_ascii_tolower(c));
		}
	}
	if (slug.len > SLUG_MAX) /* the last two characters are a hyphen and the one after it */
		slug.data[SLUG_MAX - 1] = '\0';
	return slug.data;
}

Datum
catalogue_slug(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(cat_slug_make(text_to_cstring(PG_GETARG_TEXT_PP(0)))));
}
