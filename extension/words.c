/*
 * words.c
 *	  Lists of words: in one text, percent-encoded in a URL, as text[].
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* The word at *text, which is moved behind it and its separator; *quoted: it stood in quotes. */
static char *
next_word(const char **text, char separator, bool *quoted, bool *more)
{
	StringInfoData word;
	const char *p = *text;
	bool inside = *quoted = *p == '"';

	initStringInfo(&word);
	for (p += inside; *p; p++)
	{
		if (inside && *p == '"' && p[1] != '"')
			inside = false;
		else if (!inside && *p == separator)
			break;
		else
		{
			if (inside && *p == '"')
				p++;
			appendStringInfoChar(&word, *p);
		}
	}
	*more = *p != '\0';
	*text = p + *more;
	return word.data;
}

/*
 * The parts between the separators, as a List of char *.
 *
 * A part in double quotes is one part, separators included; "" inside it is
 * one quote.  An empty text has no parts.
 */
List *
words_split(const char *text, char separator)
{
	List *words = NIL;
	bool quoted;
	bool more = *text != '\0';

	while (more)
		words = lappend(words, next_word(&text, separator, &quoted, &more));
	return words;
}

/*
 * The comma-separated values of a filter: NULL stands for an unquoted null.
 *
 * Nothing between two commas, or behind the last, is no value; nothing at all
 * is the empty text, and so is "".
 */
List *
words_values(const char *text)
{
	List *values = NIL;
	bool more = true;

	while (more)
	{
		bool quoted;
		char *word = next_word(&text, ',', &quoted, &more);

		if (quoted || *word)
			values = lappend(values, !quoted && strcmp(word, "null") == 0 ? NULL : word);
	}
	return values ? values : list_make1(pstrdup(""));
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = pg_ascii_tolower((unsigned char) c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * The text with percent-encoding undone and "+" read as a space, palloc'd.
 *
 * OD422 where an encoding is cut short, gives a NUL, or is no valid text.
 */
char *
words_decode(const char *text, size_t length)
{
	char *decoded = palloc(length + 1);
	char *out = decoded;

	for (const char *in = text; in < text + length; in++)
	{
		if (*in == '%')
		{
			int high = in + 2 < text + length ? hex_digit(in[1]) : -1;
			int low = high >= 0 ? hex_digit(in[2]) : -1;

			if (low < 0 || (high == 0 && low == 0))
				ereport(ERROR, (errcode(OD422), errmsg("malformed percent-encoding in query")));
			*out++ = (char) (high * 16 + low);
			in += 2;
		}
		else
			*out++ = *in == '+' ? ' ' : *in;
	}
	*out = '\0';
	if (!pg_verifymbstr(decoded, (int) (out - decoded), true))
		ereport(ERROR, (errcode(OD422), errmsg("query is not valid text")));
	return decoded;
}

/* Whether a word is in a List of char *. */
bool
words_have(List *words, const char *word)
{
	ListCell *cell;

	foreach(cell, words)
		if (strcmp(lfirst(cell), word) == 0)
			return true;
	return false;
}

/* The words of a List of char * as text[]. */
Datum
words_array(List *words)
{
	Datum *values = palloc(sizeof(Datum) * (list_length(words) + 1));
	ListCell *cell;

	foreach(cell, words)
		values[foreach_current_index(cell)] = CStringGetTextDatum(lfirst(cell));
	return PointerGetDatum(
		construct_array(values, list_length(words), TEXTOID, -1, false, TYPALIGN_INT));
}
