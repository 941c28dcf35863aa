/*
 * fold.c
 *	  Texts as names: folded without case and accents, and as slugs.
 *
 * Accents are removed by Unicode decomposition (NFKD) and removal of combining marks; case by ICU's
 * root collation, so that the result does not depend on the locale of the database.
 */
#include "catalogue.h"

#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "common/unicode_norm.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/formatting.h"

#include "base/base.h"

/* A piece of a text that is decomposed at once ends behind so many characters and their marks, and
 * behind so many in any case. */
#define PIECE_ENOUGH 64
#define PIECE_MAX 128

/* Letters without decomposition, and their replacements. */
static const struct
{
	pg_wchar letter;
	const char *ascii;
} spellings[] = {
	{0x00C6, "AE"}, {0x00D0, "D"},	{0x00D8, "O"},	{0x00DE, "TH"}, {0x00DF, "ss"}, {0x00E6, "ae"},
	{0x00F0, "d"},	{0x00F8, "o"},	{0x00FE, "th"}, {0x0110, "D"},	{0x0111, "d"},	{0x0126, "H"},
	{0x0127, "h"},	{0x0131, "i"},	{0x0138, "k"},	{0x0141, "L"},	{0x0142, "l"},	{0x014A, "N"},
	{0x014B, "n"},	{0x0152, "OE"}, {0x0153, "oe"}, {0x0166, "T"},	{0x0167, "t"},	{0x1E9E, "SS"},
	{0x2018, "'"},	{0x2019, "'"},	{0x201C, "\""}, {0x201D, "\""}, {0x2013, "-"},	{0x2014, "-"},
};

static bool
is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char) text[i] >= 0x80)
			return false;
	return true;
}

static const char *
spelling(pg_wchar c)
{
	for (size_t i = 0; i < lengthof(spellings); i++)
		if (spellings[i].letter == c)
			return spellings[i].ascii;
	return NULL;
}

/* Append characters decomposed, without marks and with special letters replaced, as UTF-8. */
static void
append_stripped(StringInfo out, const pg_wchar *characters)
{
	pg_wchar *decomposed = unicode_normalize(UNICODE_NFKD, characters);

	for (const pg_wchar *c = decomposed; *c; c++)
	{
		const char *ascii = spelling(*c);
		unsigned char utf8[4];

		if ((*c >= 0x0300 && *c <= 0x036F) || (*c >= 0x1AB0 && *c <= 0x1AFF) ||
			(*c >= 0x1DC0 && *c <= 0x1DFF) || (*c >= 0x20D0 && *c <= 0x20FF) ||
			(*c >= 0xFE20 && *c <= 0xFE2F))
			continue;
		if (ascii)
			appendStringInfoString(out, ascii);
		else
		{
			unicode_to_utf8(*c, utf8);
			appendBinaryStringInfo(out, (char *) utf8, pg_utf_mblen(utf8));
		}
	}
	pfree(decomposed);
}

/* Read the characters of the next piece of a text, and return the end of the piece. */
static const char *
read_piece(pg_wchar *piece, const char *text, const char *end)
{
	int count = 0;

	while (text < end && count < PIECE_MAX &&
		   (count < PIECE_ENOUGH || pg_encoding_dsplen(PG_UTF8, text) == 0))
	{
		piece[count++] = utf8_to_unicode((const unsigned char *) text);
		text += pg_utf_mblen((const unsigned char *) text);
	}
	piece[count] = 0;
	return text;
}

/*
 * Return a text decomposed, without marks and with special letters replaced; UTF-8, palloc'd.
 *
 * Normalization sorts the marks of a letter in the square of their number, and is not interrupted.
 * Therefore a text is decomposed in pieces, which end in front of a character that has a width.
 */
static char *
strip_accents(const char *text, size_t length)
{
	const char *end = text + length;
	pg_wchar piece[PIECE_MAX + 1];
	StringInfo out = makeStringInfo();

	while (text < end)
	{
		CHECK_FOR_INTERRUPTS();
		text = read_piece(piece, text, end);
		append_stripped(out, piece);
	}
	return out->data;
}

/*
 * Return a text without accents and with special letters replaced by ASCII where possible;
 * palloc'd.
 */
static char *
fold_ascii(const char *text, size_t length)
{
	if (is_ascii(text, length) || GetDatabaseEncoding() != PG_UTF8)
		return pnstrdup(text, length);
	return strip_accents(text, length);
}

Oid
cat_fold_collation(void)
{
	Oid collation = get_collation_oid(list_make1(makeString("und-x-icu")), true);

	return OidIsValid(collation) ? collation : DEFAULT_COLLATION_OID;
}

/* Like cat_fold_text(), by decomposition and ICU, for any text. */
static char *
fold_by_rules(const char *text, size_t length)
{
	char *folded = fold_ascii(text, length);

	length = strlen(folded);
	if (!is_ascii(folded, length))
		return str_tolower(folded, length, cat_fold_collation());
	for (char *p = folded; *p; p++)
		*p = pg_ascii_tolower((unsigned char) *p);
	return folded;
}

/*
 * Folded letters of Latin-1 Supplement and Latin Extended-A, two bytes each in UTF-8.
 *
 * Decomposition is slow, and most accented letters are among these.
 */
#define LATIN_FIRST 0x80
#define LATIN_END 0x180

static char latin[LATIN_END - LATIN_FIRST][8];

/* Fill the table, last letter first: a non-empty first entry means that it is complete. */
static void
fill_latin(void)
{
	for (pg_wchar c = LATIN_END; c-- > LATIN_FIRST;)
	{
		unsigned char utf8[4];

		unicode_to_utf8(c, utf8);
		strlcpy(latin[c - LATIN_FIRST], fold_by_rules((char *) utf8, 2), sizeof(latin[0]));
	}
}

/* Append the ASCII characters at the start of a text in lower case; return their number. */
static size_t
append_ascii(StringInfo out, const char *text, size_t length)
{
	char *to;
	size_t count = 0;

	enlargeStringInfo(out, (int) length);
	to = out->data + out->len;
	for (; count < length && (unsigned char) text[count] < 0x80; count++)
		to[count] = (char) (text[count] + ((unsigned char) (text[count] - 'A') < 26) * ('a' - 'A'));
	to[count] = '\0';
	out->len += (int) count;
	return count;
}

/* Append the letters of the table at the start of a text; return their length in bytes. */
static size_t
append_latin(StringInfo out, const char *text, size_t length)
{
	size_t count = 0;

	for (; count < length && (unsigned char) text[count] >= 0x80 &&
		   (unsigned char) text[count] < 0xC0 + (LATIN_END >> 6);
		 count += 2)
		appendStringInfoString(
			out, latin[utf8_to_unicode((const unsigned char *) text + count) - LATIN_FIRST]);
	return count;
}

/*
 * Append the folded characters at the start of a text that are neither ASCII nor in the table;
 * return their length in bytes.
 */
static size_t
append_others(StringInfo out, const char *text, size_t length)
{
	size_t count = 0;

	while (count < length && (unsigned char) text[count] >= 0xC0 + (LATIN_END >> 6))
		count += pg_utf_mblen((const unsigned char *) text + count);
	if (count > 0)
		appendStringInfoString(out, fold_by_rules(text, count));
	return count;
}

void
cat_fold_append(StringInfo out, const char *text, size_t length)
{
	size_t count = append_ascii(out, text, length);

	if (count < length && GetDatabaseEncoding() != PG_UTF8)
	{
		out->len -= (int) count;
		appendStringInfoString(out, fold_by_rules(text, length));
		return;
	}
	if (count < length && latin[0][0] == '\0')
		fill_latin();
	while (count < length)
	{
		count += append_latin(out, text + count, length - count);
		count += append_others(out, text + count, length - count);
		count += append_ascii(out, text + count, length - count);
	}
}

char *
cat_fold_text(const char *text, size_t length)
{
	StringInfo out = makeStringInfo();

	cat_fold_append(out, text, length);
	return out->data;
}

CAT_FUNCTION(catalogue_fold)
{
	text *in = PG_GETARG_TEXT_PP(ARG_FOLD_TEXT);

	PG_RETURN_TEXT_P(cstring_to_text(cat_fold_text(VARDATA_ANY(in), VARSIZE_ANY_EXHDR(in))));
}

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

static char *
spell_signs(const char *name)
{
	StringInfo out = makeStringInfo();

	while (*name)
	{
		size_t i;

		for (i = 0; i < lengthof(words); i++)
			if (strncmp(name, words[i].sign, strlen(words[i].sign)) == 0)
				break;
		if (i < lengthof(words))
		{
			appendStringInfoString(out, words[i].word);
			name += strlen(words[i].sign);
		}
		else
			appendStringInfoChar(out, *name++);
	}
	return out->data;
}

static bool
is_kept(unsigned char c)
{
	return isascii(c) && (isalnum(c) || c == '_' || c == '~');
}

/* Runs of white space and hyphens become one hyphen, except at the ends. */
char *
cat_fold_slug(const char *name)
{
	char *spelled = spell_signs(name);
	char *ascii = fold_ascii(spelled, strlen(spelled));
	StringInfo slug = makeStringInfo();
	bool gap = false;

	for (const char *p = ascii; *p && slug->len < SLUG_MAX; p++)
	{
		unsigned char c = *p;

		if (c == '-' || (isascii(c) && isspace(c)))
			gap = true;
		else if (is_kept(c))
		{
			if (gap && slug->len > 0)
				appendStringInfoChar(slug, '-');
			gap = false;
			appendStringInfoChar(slug, pg_ascii_tolower(c));
		}
	}
	if (slug->len > SLUG_MAX) /* the last two characters are a hyphen and the one after it */
		slug->data[SLUG_MAX - 1] = '\0';
	return slug->data;
}

CAT_FUNCTION(catalogue_slug)
{
	PG_RETURN_TEXT_P(
		cstring_to_text(cat_fold_slug(text_to_cstring(PG_GETARG_TEXT_PP(ARG_SLUG_NAME)))));
}
