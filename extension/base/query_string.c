/*
 * query_string.c
 *	  Lists of words: in one text, percent-encoded in a URL, as text[].
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "base/base.h"

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
cat_query_string_split(const char *text, char separator)
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
cat_query_string_values(const char *text)
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
cat_query_string_decode(const char *text, size_t length)
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
cat_query_string_has_word(List *words, const char *word)
{
	ListCell *cell;

	foreach(cell, words)
		if (strcmp(lfirst(cell), word) == 0)
			return true;
	return false;
}

/* Whether every "%" of a text begins a character that can be decoded, and there is one. */
static bool
is_encoded(const char *text)
{
	bool any = false;

	for (const char *in = strchr(text, '%'); in; in = strchr(in + 1, '%'))
	{
		if (hex_digit(in[1]) < 0 || hex_digit(in[2]) < 0 || strncmp(in, "%00", 3) == 0)
			return false;
		any = true;
	}
	return any;
}

/*
 * A decoded text, decoded once more where it can be: some clients encode twice.
 *
 * A "+" stays what it is.  Texts that are not encoded throughout, or give no
 * valid text, are left alone.
 */
char *
cat_query_string_decode_again(const char *text)
{
	StringInfoData decoded;

	if (!is_encoded(text))
		return pstrdup(text);
	initStringInfo(&decoded);
	for (const char *in = text; *in; in++)
	{
		if (*in == '%')
		{
			appendStringInfoChar(&decoded, (char) (hex_digit(in[1]) * 16 + hex_digit(in[2])));
			in += 2;
		}
		else
			appendStringInfoChar(&decoded, *in);
	}
	return pg_verifymbstr(decoded.data, decoded.len, true) ? decoded.data : pstrdup(text);
}

/* Take the next word off a query, decoded; false at the end. */
bool
cat_query_string_next(const char **query, char **name, char **value)
{
	const char *word = *query + strspn(*query, "&");
	size_t length = strcspn(word, "&");
	const char *equals = memchr(word, '=', length);
	size_t end = equals ? (size_t) (equals - word) : length;

	*query = word + length;
	if (length == 0)
		return false;
	*name = cat_query_string_decode(word, end);
	*value = equals ? cat_query_string_decode(equals + 1, length - end - 1) : pstrdup("");
	return true;
}
