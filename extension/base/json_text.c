/*
 * json_text.c
 *	  Values as text: JSON, arrays of text[], and literals as clients write them.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"

#include "base/base.h"

/*
 * PostgreSQL's input functions accept more than the interface is meant to ("now", "tomorrow",
 * "yes"), so the syntax is checked first.
 */

/* Maximum length of a timestamp in bytes, more than any fraction of a second needs. */
#define INSTANT_MAX 64

/*
 * Match a text against a pattern, in which 9 stands for a digit; return the end of the match, NULL
 * if there is none.
 */
static const char *
match_shape(const char *text, const char *shape)
{
	for (; *shape; shape++, text++)
		if (*shape == '9' ? !isdigit((unsigned char) *text) : *text != *shape)
			return NULL;
	return text;
}

static const char *
match_digits(const char *text)
{
	const char *start = text;

	while (isdigit((unsigned char) *text))
		text++;
	return text > start ? text : NULL;
}

bool
cat_literal_boolean(const char *text)
{
	return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

bool
cat_literal_integer(const char *text)
{
	text = match_digits(text + (*text == '-'));
	return text && *text == '\0';
}

bool
cat_literal_number(const char *text)
{
	if (strlen(text) > 100)
		return false;
	text = match_digits(text + (*text == '-'));
	if (text && *text == '.')
		text = match_digits(text + 1);
	if (text && (*text == 'e' || *text == 'E'))
	{
		const char *digits = text + 1 + (text[1] == '-' || text[1] == '+');

		text = match_digits(digits);
		if (text && text - digits > 3)
			return false;
	}
	return text && *text == '\0';
}

static int
two_digits(const char *text)
{
	return (text[0] - '0') * 10 + text[1] - '0';
}

/* Return the end of a valid date YYYY-MM-DD, NULL if there is none. */
static const char *
match_date(const char *text)
{
	int year, month, day;
	const char *end = match_shape(text, "9999-99-99");

	if (!end)
		return NULL;
	year = two_digits(text) * 100 + two_digits(text + 2);
	month = two_digits(text + 5);
	day = two_digits(text + 8);
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > day_tab[isleap(year)][month - 1])
		return NULL;
	return end;
}

bool
cat_literal_date(const char *text)
{
	const char *end = match_date(text);

	return end && *end == '\0';
}

bool
cat_literal_datetime(const char *text)
{
	const char *end = match_date(text);
	const char *next;

	if (!end || (*end != 'T' && *end != 't' && *end != ' ') || strlen(text) > INSTANT_MAX)
		return false;
	text = end + 1;
	if (!(end = match_shape(text, "99:99")) || two_digits(text) > 23 || two_digits(text + 3) > 59)
		return false;
	if ((next = match_shape(end, ":99")))
	{
		if (two_digits(end + 1) > 59)
			return false;
		end = next;
		if (*end == '.' && !(end = match_digits(end + 1)))
			return false;
	}
	if (*end == 'Z' || *end == 'z')
		end++;
	else if (*end == '+' || *end == '-')
	{
		text = end + 1;
		if (!(end = match_shape(text, "99:99")) || two_digits(text) > 14 ||
			two_digits(text + 3) > 59)
			return false;
	}
	return *end == '\0';
}

char *
cat_literal_instant(const char *text)
{
	if (cat_literal_date(text))
		return psprintf("%s 00:00:00Z", text);
	return psprintf("%s%s", text, strpbrk(text + strlen("YYYY-MM-DDThh:mm"), "Zz+-") ? "" : "Z");
}

bool
cat_literal_fits(FieldKind kind, const char *value)
{
	switch (kind)
	{
		case FIELD_BOOLEAN:
			return cat_literal_boolean(value);
		case FIELD_INTEGER:
		case FIELD_NUMBER:
			return cat_literal_number(value);
		case FIELD_DATETIME:
			return cat_literal_datetime(value) || cat_literal_date(value);
		case FIELD_DATE:
			return cat_literal_date(value);
		default:
			return true;
	}
}

Datum
cat_literal_timestamp(const char *text)
{
	return DirectFunctionCall3(timestamptz_in, CStringGetDatum(cat_literal_instant(text)),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

Datum
cat_text_array_make(Datum *texts, int count)
{
	return PointerGetDatum(construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT));
}

Datum *
cat_text_array_elements(Datum array, int *count)
{
	Datum *texts;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &texts, NULL,
					  count);
	return texts;
}

List *
cat_text_array_list(Datum array)
{
	List *list = NIL;
	int count;
	Datum *texts = cat_text_array_elements(array, &count);

	for (int i = 0; i < count; i++)
		list = lappend(list, TextDatumGetCString(texts[i]));
	return list;
}

Datum
cat_text_array_of_list(List *list)
{
	Datum *texts = palloc(sizeof(Datum) * (list_length(list) + 1));

	foreach_ptr(char, word, list)
		texts[foreach_current_index(word)] = CStringGetTextDatum(word);
	return cat_text_array_make(texts, list_length(list));
}

/* A word in which all bytes are the same. */
#define EACH(byte) (UINT64CONST(0x0101010101010101) * (byte))

/* Test whether a byte of a word is less than a limit of at most 128. */
#define HAS_LESS(word, limit) ((((word) -EACH(limit)) & ~(word) &EACH(0x80)) != 0)

static bool
is_plain(unsigned char c)
{
	return c >= 0x20 && c != '"' && c != '\\';
}

/* Return whether no byte of a word needs escaping. */
static bool
are_plain(uint64 word)
{
	return !HAS_LESS(word, 0x20) && !HAS_LESS(word ^ EACH('"'), 1) &&
		   !HAS_LESS(word ^ EACH('\\'), 1);
}

static uint64
word_at(const char *text)
{
	uint64 word;

	memcpy(&word, text, sizeof(word));
	return word;
}

/* Return the number of bytes at the start of a text that need no escaping. */
static size_t
plain_length(const char *text, size_t length)
{
	const size_t word = sizeof(uint64);
	size_t at = 0;

	while (at + word <= length && are_plain(word_at(text + at)))
		at += word;
	/* fewer bytes than a word are left: test the last word, which overlaps the previous one */
	if (at + word > length && length >= word && are_plain(word_at(text + length - word)))
		return length;
	while (at < length && is_plain((unsigned char) text[at]))
		at++;
	return at;
}

static void
append_escape(StringInfo out, unsigned char c)
{
	static const char escapes[] = "btn\0fr";

	if (c == '"' || c == '\\')
		appendStringInfo(out, "\\%c", c);
	else if (c >= '\b' && c <= '\r' && escapes[c - '\b'])
		appendStringInfo(out, "\\%c", escapes[c - '\b']);
	else
		appendStringInfo(out, "\\u%04x", c);
}

void
cat_json_text(StringInfo out, const char *text, size_t length)
{
	const char *end = text + length;

	appendStringInfoCharMacro(out, '"');
	for (;;)
	{
		size_t plain = plain_length(text, (size_t) (end - text));

		json_bytes(out, text, (int) plain);
		text += plain;
		if (text == end)
			break;
		append_escape(out, (unsigned char) *text++);
	}
	appendStringInfoCharMacro(out, '"');
}

void
cat_json_text_string(StringInfo out, const char *text)
{
	cat_json_text(out, text, strlen(text));
}

char *
cat_json_quoted(const char *text)
{
	StringInfo out = makeStringInfo();

	if (!text)
		return pstrdup("null");
	cat_json_text_string(out, text);
	return out->data;
}

char *
cat_json_array(List *texts)
{
	StringInfo out = makeStringInfo();

	foreach_ptr(char, text, texts)
	{
		appendStringInfoChar(out, out->len > 0 ? ',' : '[');
		cat_json_text_string(out, text);
	}
	appendStringInfoString(out, out->len > 0 ? "]" : "[]");
	return out->data;
}

void
cat_json_text_member(StringInfo out, const char *name, const char *text)
{
	if (!text)
		return;
	appendStringInfo(out, "%s\"%s\":%s", out->data[out->len - 1] == '{' ? "" : ",", name,
					 cat_json_quoted(text));
}

void
cat_json_text_list(StringInfo out, const char *name, List *texts)
{
	if (texts != NIL)
		appendStringInfo(out, "%s\"%s\":%s", out->data[out->len - 1] == '{' ? "" : ",", name,
						 cat_json_array(texts));
}

/* Write a two-digit number and the character after it. */
static char *
put_pair(char *out, int64 number, char behind)
{
	*out++ = (char) ('0' + number / 10);
	*out++ = (char) ('0' + number % 10);
	*out++ = behind;
	return out;
}

void
cat_json_text_timestamp(StringInfo out, TimestampTz instant)
{
	char text[64];
	char *p = text;
	Timestamp time = instant;
	int julian;
	int year, month, day;

	if (TIMESTAMP_NOT_FINITE(instant))
	{
		appendStringInfoString(out, instant < 0 ? "-infinity" : "infinity");
		return;
	}
	TMODULO(time, julian, USECS_PER_DAY);
	if (time < 0)
	{
		time += USECS_PER_DAY;
		julian--;
	}
	j2date(julian + POSTGRES_EPOCH_JDATE, &year, &month, &day);
	p = pg_ultostr_zeropad(p, year, 4);
	*p++ = '-';
	p = put_pair(p, month, '-');
	p = put_pair(p, day, 'T');
	p = put_pair(p, time / USECS_PER_HOUR, ':');
	p = put_pair(p, time / USECS_PER_MINUTE % 60, ':');
	p = put_pair(p, time / USECS_PER_SEC % 60, '.');
	p = pg_ultostr_zeropad(p, (uint32) (time % USECS_PER_SEC), 6);
	*p++ = 'Z';
	json_bytes(out, text, (int) (p - text));
}

char *
cat_json_text_instant(TimestampTz instant)
{
	StringInfo text = makeStringInfo();

	cat_json_text_timestamp(text, instant);
	return text->data;
}

char *
cat_json_text_compact(const char *text)
{
	char *compact = palloc(strlen(text) + 1);
	char *end = compact;
	bool quoted = false;

	for (; *text; text++)
	{
		if (!quoted && strchr(" \t\n\r", *text))
			continue;
		quoted ^= *text == '"';
		*end++ = *text;
		if (quoted && *text == '\\' && text[1])
			*end++ = *++text;
	}
	*end = '\0';
	return compact;
}
