/*
 * text.c - percent-coding, UTF-8, base64url, lists of words.
 */
#include <ctype.h>
#include <strings.h>

#include "base/base.h"

uint32_t
text_hash(uint32_t hash, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char) bytes[i]) * 16777619u;
	return hash;
}

/* Overlong forms, surrogates and what lies beyond U+10FFFF are no characters, as for PostgreSQL. */
size_t
text_character(const char *bytes, size_t rest)
{
	const unsigned char *c = (const unsigned char *) bytes;

	static const struct
	{
		unsigned char first, last, second_first, second_last, length;
	} forms[] = {
		{0x00, 0x7F, 0x00, 0x00, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
		{0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
		{0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
	};

	for (size_t i = 0; i < lengthof(forms); i++)
	{
		if (c[0] < forms[i].first || c[0] > forms[i].last)
			continue;
		if (forms[i].length > rest)
			return 0;
		if (forms[i].length > 1 && (c[1] < forms[i].second_first || c[1] > forms[i].second_last))
			return 0;
		for (size_t k = 2; k < forms[i].length; k++)
			if ((c[k] & 0xC0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

char *
text_put(char *to, uint32_t character)
{
	if (character < 0x80)
		*to++ = (char) character;
	else
	{
		int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;

		*to++ = (char) ((0xFF00 >> (more + 1) & 0xFF) | character >> (6 * more));
		while (more-- > 0)
			*to++ = (char) (0x80 | (character >> (6 * more) & 0x3F));
	}
	return to;
}

long
text_unit(const char *text)
{
	char digits[5] = {0};

	memcpy(digits, text, 4);
	return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

bool
text_valid_utf8(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length;)
	{
		size_t step = (unsigned char) bytes[i] < 0x80 ? 1 : text_character(bytes + i, length - i);

		if (step == 0)
			return false;
		i += step;
	}
	return true;
}

bool
text_percent_byte(const char *text, size_t length, char *byte)
{
	if (length < 3 || text[0] != '%' || !isxdigit((unsigned char) text[1]) ||
		!isxdigit((unsigned char) text[2]))
		return false;
	*byte = (char) strtol((char[]){text[1], text[2], '\0'}, NULL, 16);
	return true;
}

size_t
text_percent_bytes(const char *text, size_t length, char *bytes)
{
	size_t end = 0;

	for (size_t i = 0; i < length; i++)
	{
		bytes[end] = text[i];
		if (text_percent_byte(text + i, length - i, &bytes[end++]))
			i += 2;
	}
	return end;
}

bool
text_form_unescape(char *text)
{
	size_t length;

	for (char *c = text; *c != '\0'; c++)
		if (*c == '+')
			*c = ' ';
	length = text_percent_bytes(text, strlen(text), text);
	text[length] = '\0';
	return strlen(text) == length;
}

char *
text_form_decode(Arena *arena, const char *bytes, size_t length)
{
	char *text = arena_text(arena, bytes, length);
	size_t end = 0;

	for (size_t i = 0; i < length && !arena->failed; i++, end++)
	{
		char byte = '\0';

		if (text_percent_byte(bytes + i, length - i, &byte) && byte != '\0')
			i += 2;
		else
			byte = bytes[i] == '+' ? ' ' : bytes[i];
		text[end] = byte;
	}
	if (arena->failed)
		return text;
	text[end] = '\0';
	return text_valid_utf8(text, end) ? text : arena_text(arena, bytes, length);
}

/*
 * Decode %XX.  NULL when the result holds a zero byte, a slash that was coded, or is no UTF-8, and
 * when a % is not followed by two hexadecimal digits.
 */
char *
text_percent_decode(Arena *arena, const char *bytes, size_t length)
{
	char *text = arena_text(arena, bytes, length);
	size_t end = 0;

	if (memchr(bytes, '%', length) == NULL)
		return text_valid_utf8(bytes, length) ? text : NULL;
	if (arena->failed)
		return NULL;
	for (size_t i = 0; i < length; i++)
	{
		char byte = bytes[i];

		if (byte == '%')
		{
			if (!text_percent_byte(bytes + i, length - i, &byte) || byte == '\0' || byte == '/')
				return NULL;
			i += 2;
		}
		text[end++] = byte;
	}
	text[end] = '\0';
	return text_valid_utf8(text, end) ? text : NULL;
}

bool
text_valid_query(Arena *arena, const char *query)
{
	size_t length = strlen(query);
	char *text = strchr(query, '%') != NULL ? arena_text(arena, query, length) : NULL;

	if (text == NULL || arena->failed)
		return text_valid_utf8(query, length);
	length = text_percent_bytes(query, length, text);
	return memchr(text, '\0', length) == NULL && text_valid_utf8(text, length);
}

/* RFC 3986's unreserved characters. */
static const bool unreserved[256] = {
	['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['-'] = true,
	['.'] = true,		  ['_'] = true,			['~'] = true};

bool
text_is_unreserved(const char *text, size_t length)
{
	size_t plain = 0;

	while (plain < length && unreserved[(unsigned char) text[plain]])
		plain++;
	return plain == length;
}

/* Append a text as one word of a path: all but the unreserved characters are encoded. */
void
text_percent_encode(Buffer *buffer, const char *text, size_t length)
{
	const char *end = text + length;

	for (const char *c = text; c < end; text = c)
	{
		while (c < end && unreserved[(unsigned char) *c])
			c++;
		buffer_append(buffer, text, (size_t) (c - text));
		if (c < end)
			buffer_format(buffer, "%%%02X", (unsigned char) *c++);
	}
}

/* A copy in which the letters of ASCII are small. */
char *
text_lower(Arena *arena, const char *text)
{
	char *copy = arena_text(arena, text, strlen(text));

	for (char *c = copy; *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char) (*c | 0x20);
	return copy;
}

/* Is the word one of the comma-separated list, in any letter case? */
bool
text_has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *item = list; length > 0 && *item != '\0';)
	{
		size_t end;

		item += strspn(item, ", ");
		end = strcspn(item, ", ");
		if (end == length && strncasecmp(item, word, length) == 0)
			return true;
		item += end;
	}
	return false;
}

const char *
text_query_word(const char **query, size_t *length)
{
	const char *word = *query + strspn(*query, "&");

	*length = strcspn(word, "&");
	*query = word + *length;
	return *length > 0 ? word : NULL;
}

/* Can the byte be in a token of RFC 9110, such as a method or the name of a field? */
static const bool token_bytes[256] = {
	['!'] = true,		  ['#'] = true,			['$'] = true,		  ['%'] = true, ['&'] = true,
	['\''] = true,		  ['*'] = true,			['+'] = true,		  ['-'] = true, ['.'] = true,
	['^'] = true,		  ['_'] = true,			['`'] = true,		  ['|'] = true, ['~'] = true,
	['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
};

size_t
text_token_length(const char *text, size_t most)
{
	size_t length = 0;

	while (length < most && token_bytes[(unsigned char) text[length]])
		length++;
	return length;
}

bool
text_is_token(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && text_token_length(text, length) == length;
}

bool
text_is_alphanumeric(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z') &&
			!(text[i] >= '0' && text[i] <= '9'))
			return false;
	return true;
}

void
text_hex(const void *bytes, size_t length, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (const unsigned char *byte = bytes; length > 0; length--, byte++)
	{
		*hex++ = digits[*byte >> 4];
		*hex++ = digits[*byte & 15];
	}
	*hex = '\0';
}

/*
 * Decode base64url without padding.  Gives the number of bytes, -1 when the text is not exactly
 * what an encoder would have written or the result does not fit.
 */
/* Of each digit of base64url, its value plus 1. */
/* clang-format off */
static const unsigned char base64_values[256] = {
	['A'] = 1, ['B'] = 2, ['C'] = 3, ['D'] = 4, ['E'] = 5, ['F'] = 6, ['G'] = 7, ['H'] = 8,
	['I'] = 9, ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
	['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23,
	['X'] = 24, ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30,
	['e'] = 31, ['f'] = 32, ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37,
	['l'] = 38, ['m'] = 39, ['n'] = 40, ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44,
	['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48, ['w'] = 49, ['x'] = 50, ['y'] = 51,
	['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56, ['4'] = 57, ['5'] = 58,
	['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['-'] = 63, ['_'] = 64
};
/* clang-format on */
ptrdiff_t
text_base64url_decode(const char *text, size_t length, unsigned char *bytes, size_t maximum)
{
	uint32_t bits = 0;
	int held = 0;
	size_t end = 0;
	size_t i = 0;

	if (length % 4 == 1)
		return -1;
	for (; length - i >= 4 && end + 3 <= maximum; i += 4, end += 3)
	{
		uint32_t values[4];

		for (int j = 0; j < 4; j++)
			values[j] = base64_values[(unsigned char) text[i + j]];
		if (values[0] == 0 || values[1] == 0 || values[2] == 0 || values[3] == 0)
			return -1;
		bits =
			(values[0] - 1) << 18 | (values[1] - 1) << 12 | (values[2] - 1) << 6 | (values[3] - 1);
		for (int j = 0; j < 3; j++)
			bytes[end + j] = (unsigned char) (bits >> (16 - 8 * j));
	}
	for (bits = 0; i < length; i++)
	{
		unsigned value = base64_values[(unsigned char) text[i]];

		if (value == 0)
			return -1;
		bits = bits << 6 | (value - 1);
		held += 6;
		if (held < 8)
			continue;
		held -= 8;
		if (end == maximum)
			return -1;
		bytes[end++] = (unsigned char) (bits >> held);
		bits &= (1u << held) - 1;
	}
	return bits == 0 ? (ptrdiff_t) end : -1;
}
