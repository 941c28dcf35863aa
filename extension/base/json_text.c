/*
 * json_text.c
 *	  Values as JSON text.
 */
#include "catalogue.h"

#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datetime.h"

#include "base/base.h"

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

		cat_json_text_bytes(out, text, (int) plain);
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
	cat_json_text_bytes(out, text, (int) (p - text));
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
