/*
 * query_string.c
 *	  Lists of words, and query strings with percent-encoding.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "base/base.h"

/* Maximum number of words, and length in bytes, of a hint that lists them. */
#define WORDS_TOLD 50
#define WORDS_TOLD_BYTES 1000

/*
 * Return the word at *text and advance *text past its separator.
 *
 * *quoted: set to whether it was quoted; *more: set to whether a separator followed.
 */
static char *
next_word(const char **text, char separator, bool *quoted, bool *more)
{
	StringInfo word = makeStringInfo();
	char *exact;
	const char *p = *text;
	bool inside = *quoted = *p == '"';

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
			appendStringInfoChar(word, *p);
		}
	}
	*more = *p != '\0';
	*text = p + *more;
	/* a list may have as many words as a body has bytes, and the buffer is a kilobyte */
	exact = pnstrdup(word->data, word->len);
	pfree(word->data);
	return exact;
}

List *
cat_query_string_split(const char *text, char separator)
{
	return cat_query_string_first(text, separator, PG_INT32_MAX - 1);
}

List *
cat_query_string_first(const char *text, char separator, int most)
{
	List *words = NIL;
	bool quoted;
	bool more = *text != '\0';

	while (more && list_length(words) <= most)
	{
		CHECK_FOR_INTERRUPTS();
		words = lappend(words, next_word(&text, separator, &quoted, &more));
	}
	return words;
}

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
 * Decode percent-encoding, palloc'd; NULL where it is malformed.
 *
 * plus: what "+" stands for; *size: set to the number of bytes.
 */
static char *
decoded(const char *text, size_t length, char plus, int *size)
{
	char *bytes = palloc(length + 1);
	char *out = bytes;

	for (const char *in = text; in < text + length; in++)
	{
		if (*in == '%')
		{
			int high = in + 2 < text + length ? hex_digit(in[1]) : -1;
			int low = high >= 0 ? hex_digit(in[2]) : -1;

			if (low < 0 || (high == 0 && low == 0))
				return NULL;
			*out++ = (char) (high * 16 + low);
			in += 2;
		}
		else
			*out++ = *in == '+' ? plus : *in;
	}
	*out = '\0';
	*size = (int) (out - bytes);
	return bytes;
}

char *
cat_query_string_decode(const char *text, size_t length)
{
	int size;
	char *bytes = decoded(text, length, ' ', &size);

	if (!bytes)
		ereport(ERROR, (errcode(OD422), errmsg("malformed percent-encoding in query"),
						errhint("A percent sign is written as %%25.")));
	if (!pg_verifymbstr(bytes, size, true))
		ereport(ERROR, (errcode(OD422), errmsg("query is not valid text"),
						errhint("It takes UTF-8 in percent-encoding.")));
	return bytes;
}

const char *
cat_query_string_hint(List *words, const char *rest)
{
	StringInfoData hint;

	if (words == NIL)
		return "There is nothing that it takes here.";
	initStringInfo(&hint);
	appendStringInfoString(&hint, "It takes ");
	foreach_ptr(char, word, words)
	{
		int at = foreach_current_index(word);

		if (at >= WORDS_TOLD || hint.len > WORDS_TOLD_BYTES)
		{
			appendStringInfo(&hint, " and %d more", list_length(words) - at);
			break;
		}
		appendStringInfo(&hint, "%s%s", at > 0 ? ", " : "", word);
	}
	appendStringInfo(&hint, "%s.", rest);
	return hint.data;
}

/* Raise OD422 for an invalid value of a parameter. */
void
cat_query_string_refuse(const char *name, const char *value, const char *hint)
{
	ereport(ERROR,
			(errcode(OD422), errmsg("invalid value for parameter \"%s\": \"%s\"", name, value),
			 errhint("%s", hint)));
}

bool
cat_query_string_has_word(List *words, const char *word)
{
	foreach_ptr(char, name, words)
		if (strcmp(name, word) == 0)
			return true;
	return false;
}

bool
cat_query_string_is_among(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words != NULL;
}

List *
cat_query_string_words(const char *const *words)
{
	List *list = NIL;

	while (*words)
		list = lappend(list, unconstify(char *, *words++));
	return list;
}

char *
cat_query_string_decode_again(const char *text)
{
	int size;
	char *bytes = decoded(text, strlen(text), '+', &size);

	return bytes && pg_verifymbstr(bytes, size, true) ? bytes : pstrdup(text);
}

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

bool
cat_query_string_has(const char *query, const char *parameter)
{
	char *name;
	char *value;

	while (cat_query_string_next(&query, &name, &value))
		if (strcmp(name, parameter) == 0)
			return true;
	return false;
}
