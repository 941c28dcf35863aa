/*
 * value.c - JSON text to a tree.
 */

#include <jansson.h>

#include "page/value.h"

#define DEPTH_MAXIMUM 64

typedef struct Reader
{
	Arena *arena;
	const char *next;
	const char *end;
	int depth;
	const char *name; /* of the member of an object that is being read */
} Reader;

static Value *read_value(Reader *reader);

static void
skip_space(Reader *reader)
{
	while (reader->next < reader->end && strchr(" \t\r\n", *reader->next) != NULL)
		reader->next++;
}

/* Skip white space, and the character if it comes next. */
static bool
take_character(Reader *reader, char c)
{
	skip_space(reader);
	if (reader->next >= reader->end || *reader->next != c)
		return false;
	reader->next++;
	return true;
}

/* Decode a text with escapes, which is in quotes; what is not coded rightly stays as it is. */
static const char *
decode(Arena *arena, const char *text, size_t length)
{
	json_t *value = json_loadb(text, length, JSON_DECODE_ANY, NULL);
	const char *decoded =
		value ? arena_text(arena, json_string_value(value), json_string_length(value))
			  : arena_text(arena, text + 1, length - 2);

	json_decref(value);
	return decoded;
}

/* The text behind an opening quote; NULL: it does not end. */
static const char *
read_text(Reader *reader)
{
	const char *from = reader->next;
	const char *stop = from;
	bool coded = false;

	for (; stop < reader->end && *stop != '"'; stop++)
		if (*stop == '\\')
		{
			coded = true;
			stop++;
		}
	if (stop >= reader->end)
		return NULL;
	reader->next = stop + 1;
	return coded ? decode(reader->arena, from - 1, (size_t) (stop - from) + 2)
				 : arena_text(reader->arena, from, (size_t) (stop - from));
}

/* Skip a list. */
static bool
skip_list(Reader *reader)
{
	int depth = 0;

	do
	{
		depth += *reader->next == '[' ? 1 : *reader->next == ']' ? -1 : 0;
		if (*reader->next++ == '"')
			while (reader->next < reader->end && *reader->next++ != '"')
				reader->next += reader->next[-1] == '\\';
	} while (depth > 0 && reader->next < reader->end);
	return depth == 0;
}

/* Read the elements of a list, or the members of an object, up to the closing bracket. */
static bool
read_elements(Reader *reader, Value *parent, char close)
{
	Value **link = &parent->first;
	const char *outer = reader->name;
	const char *name = NULL;

	if (take_character(reader, close))
		return true;
	do
	{
		if (close == '}' && (!take_character(reader, '"') || (name = read_text(reader)) == NULL ||
							 !take_character(reader, ':')))
			return false;
		/* the features of a map may be 100,000, and no page shows them */
		if (outer != NULL && name != NULL && strcmp(outer, "geojson") == 0 &&
			strcmp(name, "features") == 0 && reader->next < reader->end && *reader->next == '[')
		{
			if (!skip_list(reader))
				return false;
			continue;
		}
		reader->name = name;
		*link = read_value(reader);
		if (*link == NULL)
			return false;
		(*link)->name = name;
		link = &(*link)->next;
	} while (take_character(reader, ','));
	return take_character(reader, close);
}

/* Read a number or a word. */
static bool
read_word(Reader *reader, Value *value)
{
	static const struct
	{
		const char *word;
		ValueType type;
	} words[] = {{"null", VALUE_NULL}, {"false", VALUE_FALSE}, {"true", VALUE_TRUE}};
	const char *word = reader->next;

	while (reader->next < reader->end && *reader->next != '\0' &&
		   strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *reader->next) != NULL)
		reader->next++;
	value->text = arena_text(reader->arena, word, (size_t) (reader->next - word));
	for (size_t i = 0; i < lengthof(words); i++)
		if (strcmp(value->text, words[i].word) == 0)
		{
			value->type = words[i].type;
			return true;
		}
	value->type = VALUE_NUMBER;
	return *value->text == '-' || (*value->text >= '0' && *value->text <= '9');
}

static bool
read_content(Reader *reader, Value *value)
{
	if (take_character(reader, '"'))
	{
		value->type = VALUE_TEXT;
		return (value->text = read_text(reader)) != NULL;
	}
	if (take_character(reader, '['))
	{
		value->type = VALUE_LIST;
		return read_elements(reader, value, ']');
	}
	if (take_character(reader, '{'))
	{
		value->type = VALUE_OBJECT;
		return read_elements(reader, value, '}');
	}
	return read_word(reader, value);
}

static Value *
read_value(Reader *reader)
{
	Value *value = arena_zeroed(reader->arena, sizeof(Value));
	bool read = false;

	if (value != NULL && reader->depth++ < DEPTH_MAXIMUM)
		read = read_content(reader, value);
	reader->depth--;
	return read ? value : NULL;
}

const Value *
value_read(Arena *arena, const char *bytes, size_t length)
{
	Reader reader = {.arena = arena, .next = bytes, .end = bytes + length};
	const Value *value = read_value(&reader);

	skip_space(&reader);
	return reader.next == reader.end ? value : NULL;
}

const Value *
value_first(const Value *value)
{
	return value != NULL ? value->first : NULL;
}

const Value *
value_member(const Value *object, const char *name)
{
	if (object == NULL || object->type != VALUE_OBJECT)
		return NULL;
	for (const Value *member = object->first; member != NULL; member = member->next)
		if (strcmp(member->name, name) == 0)
			return member;
	return NULL;
}

const char *
value_text(const Value *object, const char *name)
{
	const Value *member = value_member(object, name);

	return member != NULL && (member->type == VALUE_TEXT || member->type == VALUE_NUMBER)
			   ? member->text
			   : NULL;
}

bool
value_given(const Value *value)
{
	return value != NULL && value->type != VALUE_NULL;
}
