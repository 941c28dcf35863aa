/*
 * compose.c
 *	  Texts in Unicode's normalization form C (NFC): names are stored and looked up in it, so that one
 *	  name has one spelling, whether a client writes an accented letter as one character or as two.
 */
#include "catalogue.h"

#include "common/string.h"
#include "common/unicode_norm.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "base/base.h"

/* A piece of a text that is composed at once ends behind so many characters in front of one that
 * stays apart from them, and behind so many in any case. */
#define PIECE_ENOUGH 64
#define PIECE_MAX 128

/* The lowest character that composes with the one in front of it. */
#define FIRST_MARK 0x0300
/* A mark of class 234.  Marks of a lower class are sorted in front of it; those of its own class and
 * of a higher one have no width. */
#define LAST_MARK 0x0360

/* Return whether the character at the start of a text neither composes with those in front of it,
 * nor is sorted among their marks. */
static bool
is_apart(const char *text)
{
	pg_wchar pair[] = {LAST_MARK, utf8_to_unicode((const unsigned char *) text), 0};

	return pair[1] < FIRST_MARK ||
		   (pg_encoding_dsplen(PG_UTF8, text) != 0 &&
			unicode_is_normalized_quickcheck(UNICODE_NFC, pair) == UNICODE_NORM_QC_YES);
}

/* Read the characters of the next piece of a text, and return the end of the piece. */
static const char *
read_piece(pg_wchar *piece, const char *text)
{
	int count = 0;

	while (*text && count < PIECE_MAX && (count < PIECE_ENOUGH || !is_apart(text)))
	{
		piece[count++] = utf8_to_unicode((const unsigned char *) text);
		text += pg_utf_mblen((const unsigned char *) text);
	}
	piece[count] = 0;
	return text;
}

static void
append_composed(StringInfo out, const pg_wchar *piece)
{
	pg_wchar *composed = unicode_normalize(UNICODE_NFC, piece);

	for (const pg_wchar *c = composed; *c; c++)
	{
		unsigned char utf8[4];

		unicode_to_utf8(*c, utf8);
		appendBinaryStringInfo(out, (char *) utf8, pg_utf_mblen(utf8));
	}
	pfree(composed);
}

/*
 * Normalization sorts the marks of a letter in the square of their number, and is not interrupted.
 * Therefore a text is composed in pieces; only where more marks than PIECE_MAX follow each other may
 * two spellings stay apart.
 */
const char *
cat_compose_text(const char *text)
{
	const char *given = text;
	pg_wchar piece[PIECE_MAX + 1];
	StringInfo out;

	if (pg_is_ascii(text) || GetDatabaseEncoding() != PG_UTF8)
		return text;
	out = makeStringInfo();
	while (*text)
	{
		const char *end = read_piece(piece, text);

		CHECK_FOR_INTERRUPTS();
		if (unicode_is_normalized_quickcheck(UNICODE_NFC, piece) == UNICODE_NORM_QC_YES)
			appendBinaryStringInfo(out, text, (int) (end - text));
		else
			append_composed(out, piece);
		text = end;
	}
	return strcmp(out->data, given) == 0 ? given : out->data;
}

CAT_FUNCTION(catalogue_compose)
{
	text *given = PG_GETARG_TEXT_PP(ARG_COMPOSE_TEXT);

	PG_RETURN_TEXT_P(cstring_to_text(cat_compose_text(text_to_cstring(given))));
}
