/*
 * json.c - JSON read from its beginning to its end, value by value.
 *
 * Numbers keep their digits.  Text that is not UTF-8 is passed on: sheet_cell() replaces it.
 */

#include "json/json.h"
#include "text/text.h"

#define BLOCK (1 << 16)

struct Json
{
	Parse *parse;
	const char *what; /* it is, in reasons */
	Buffer *text;
	const char *at;
	const char *end;
	uint64_t line;
	unsigned depth;
	uint32_t high;			/* first half of a surrogate pair; 0: none is open */
	bool raw;				/* what is read is appended to the text as it is written */
	bool begun[JSON_DEPTH]; /* an element of the array or object has been read */
	char block[BLOCK];
};

static _Noreturn void
refuse_json(const Json *json, const char *fault)
{
	parse_refuse(json->parse, "the %s is not valid JSON: %s in line %llu", json->what, fault,
				 (unsigned long long) json->line);
}

static bool
read_block(Json *json)
{
	json->at = json->block;
	json->end = json->block + parse_read(json->parse, json->block, BLOCK);
	parse_progress(json->parse);
	return json->at < json->end;
}

/* The next byte, -1 at the end of the file. */
static int
peek(Json *json)
{
	if (json->at == json->end && !read_block(json))
		return -1;
	return (unsigned char) *json->at;
}

/* Go on behind the next byte. */
static void
take_byte(Json *json)
{
	if (json->raw)
		buffer_append(json->text, json->at, 1);
	json->at++;
}

/* The next byte that is no white space. */
static int
peek_token(Json *json)
{
	int next;

	while ((next = peek(json)) == ' ' || next == '\t' || next == '\n' || next == '\r')
	{
		json->line += next == '\n';
		json->at++;
	}
	return next;
}

static void
expect(Json *json, int expected, const char *otherwise)
{
	if (peek_token(json) != expected)
		refuse_json(json, otherwise);
	take_byte(json);
}

static void
clear_text(Json *json)
{
	if (json->raw)
		return;
	json->text->length = 0;
	json->text->failed = false;
}

/* Put a character, or a half of one; NO_UNIT: a first half is not followed by a second. */
static void
put_unit(Json *json, uint32_t unit)
{
	size_t length = json->text->length;

	if (decode_append_unit(json->text, unit, &json->high, "\xEF\xBF\xBD"))
		json->parse->flaw = "half of a surrogate pair is shown as U+FFFD";
	if (json->raw)
		json->text->length = length;
}

static void
read_unit(Json *json)
{
	char digits[4];
	long unit;

	for (int i = 0; i < 4; i++)
	{
		int next = peek(json);

		digits[i] = (char) (next > 0 ? next : 0);
		if (next >= 0)
			take_byte(json);
	}
	unit = text_unit(digits);
	if (unit < 0)
		refuse_json(json, "\\u is not followed by four hexadecimal digits");
	put_unit(json, (uint32_t) unit);
}

static void
read_escape(Json *json)
{
	static const char names[] = "\"\\/bfnrt";
	static const char characters[] = "\"\\/\b\f\n\r\t";
	int next;
	const char *name;

	take_byte(json);
	next = peek(json);
	name = next > 0 ? strchr(names, next) : NULL;
	if (next != 'u' && name == NULL)
		refuse_json(json, "a backslash is not followed by what it stands for");
	take_byte(json);
	if (next == 'u')
	{
		read_unit(json);
		return;
	}
	put_unit(json, (unsigned char) characters[name - names]);
}

/* Read the bytes of a string up to a quote, a backslash or the end of the block. */
static void
read_plain(Json *json)
{
	const char *start = json->at;

	while (json->at < json->end && *json->at != '"' && *json->at != '\\' &&
		   (unsigned char) *json->at >= ' ')
		json->at++;
	if (json->at == start)
		refuse_json(json, "a string has a control character");
	put_unit(json, NO_UNIT);
	buffer_append(json->text, start, (size_t) (json->at - start));
}

static void
read_string(Json *json)
{
	int next;

	take_byte(json);
	while ((next = peek(json)) != '"')
		if (next < 0)
			refuse_json(json, "a string is not closed");
		else if (next == '\\')
			read_escape(json);
		else
			read_plain(json);
	put_unit(json, NO_UNIT);
	take_byte(json);
}

static const char *
pass_digits(const char *at)
{
	return at + strspn(at, "0123456789");
}

/* Is a text, which ends with a zero byte, a number as JSON has them? */
static bool
is_number(const char *text)
{
	const char *at = text + (*text == '-');
	const char *end = *at == '0' ? at + 1 : pass_digits(at);

	if (end == at)
		return false;
	if (*end == '.')
	{
		at = end + 1;
		end = pass_digits(at);
		if (end == at)
			return false;
	}
	if (*end == 'e' || *end == 'E')
	{
		at = end + 1 + (end[1] == '-' || end[1] == '+');
		end = pass_digits(at);
		if (end == at)
			return false;
	}
	return *end == '\0';
}

/* Read a word or a number: all that stands up to a delimiter. */
static JsonType
read_word(Json *json)
{
	size_t start = json->text->length;
	int next;
	const char *word;

	while ((next = peek(json)) > ' ' && strchr(",:]}[{\"", next) == NULL)
	{
		buffer_append(json->text, json->at, 1);
		json->at++;
	}
	buffer_append(json->text, "", 1);
	/* the value of a member that is too long may stand in it, but it is none itself */
	if (json->text->failed)
		refuse_json(json, "a value is too long");
	json->text->length--;
	word = json->text->data + start;
	if (is_number(word))
		return JSON_NUMBER;
	if (strcmp(word, "null") != 0 && strcmp(word, "true") != 0 && strcmp(word, "false") != 0)
		refuse_json(json, "there is no value where one must be");
	return (JsonType) *word;
}

JsonType
json_value(Json *json)
{
	int next = peek_token(json);

	clear_text(json);
	if (next < 0)
		refuse_json(json, "it ends too early");
	if (next == JSON_STRING)
		read_string(json);
	else if (next != JSON_OBJECT && next != JSON_ARRAY)
		return read_word(json);
	else if (json->depth == JSON_DEPTH)
		parse_refuse(json->parse, "the %s is nested too deeply", json->what);
	else
	{
		json->begun[json->depth++] = false;
		take_byte(json);
	}
	return (JsonType) next;
}

/* Go on to the next element of the open array or object; false at its end. */
static bool
next_element(Json *json, int close)
{
	bool *begun = &json->begun[json->depth - 1];
	int next = peek_token(json);

	if (next < 0)
		refuse_json(json, "it ends too early");
	if (next == close)
	{
		take_byte(json);
		json->depth--;
		return false;
	}
	if (*begun)
	{
		expect(json, ',', "a comma is missing");
		if (peek_token(json) == close)
			refuse_json(json, "nothing follows a comma");
	}
	*begun = true;
	return true;
}

bool
json_element(Json *json)
{
	return next_element(json, ']');
}

bool
json_member(Json *json)
{
	if (!next_element(json, '}'))
		return false;
	clear_text(json);
	if (peek_token(json) != JSON_STRING)
		refuse_json(json, "the name of a member is missing");
	read_string(json);
	expect(json, ':', "a colon is missing");
	return true;
}

void
json_skip(Json *json, JsonType type) /* NOLINT(misc-no-recursion): up to JSON_DEPTH */
{
	if (type == JSON_OBJECT)
		while (json_member(json))
			json_skip(json, json_value(json));
	else if (type == JSON_ARRAY)
		while (json_element(json))
			json_skip(json, json_value(json));
}

void
json_text(Json *json, JsonType type)
{
	char first = (char) type;

	if (type != JSON_OBJECT && type != JSON_ARRAY)
		return;
	clear_text(json);
	buffer_append(json->text, &first, 1);
	json->raw = true;
	json_skip(json, type);
	json->raw = false;
}

bool
json_is(const Json *json, const char *word)
{
	return !json->text->failed && json->text->length == strlen(word) &&
		   memcmp(json->text->data, word, json->text->length) == 0;
}

void
json_end(Json *json)
{
	if (peek_token(json) >= 0)
		refuse_json(json, "something stands behind its end");
}

Json *
json_open(Parse *parse, const char *what)
{
	Json *json = parse_allocate(parse, sizeof(Json));

	json->parse = parse;
	json->what = what;
	json->text = &parse->cell;
	json->line = 1;
	if (!read_block(json))
		parse_refuse(parse, "the %s is empty", what);
	for (size_t i = 0; i < 3 && peek(json) == (unsigned char) BYTE_ORDER_MARK[i]; i++)
		json->at++;
	return json;
}

void
json_check_magic(const Json *json)
{
	parse_check_magic(json->parse, json->block, (size_t) (json->end - json->block));
}
