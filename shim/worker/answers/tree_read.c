/*
 * tree_read.c - read the tree of an answer.
 */
#include <string.h>

#include "answers/tree.h"

/* Read a number that put_number() has written. */
static size_t
read_number(const char **at)
{
	size_t number = 0;

	for (unsigned shift = 0;; shift += 7)
	{
		unsigned char byte = (unsigned char) *(*at)++;

		number |= (size_t) (byte & 0x7F) << shift;
		if (byte < 0x80)
			return number;
	}
}

Node
tree_at(const char *start)
{
	Node value = {(JsonType) *start, start, start + 1, 0};
	uint32_t length;

	if (tree_is_outer(value))
	{
		memcpy(&length, value.bytes, sizeof(length));
		value.length = length;
		value.bytes += sizeof(length);
	}
	else
		value.length = read_number(&value.bytes);
	return value;
}

bool
tree_is_outer(Node value)
{
	return value.type == JSON_OBJECT || value.type == JSON_ARRAY;
}

Walk
tree_walk(Node value)
{
	return (Walk){.at = value.bytes,
				  .end = tree_is_outer(value) ? value.bytes + value.length : value.bytes,
				  .named = value.type == JSON_OBJECT};
}

bool
tree_next(Walk *walk)
{
	if (walk->at == walk->end)
		return false;
	if (walk->named)
		walk->name = (uint32_t) read_number(&walk->at);
	walk->value = tree_at(walk->at);
	walk->at = walk->value.bytes + walk->value.length;
	return true;
}

bool
tree_first(Node value, Node *first, bool *only)
{
	Walk walk = tree_walk(value);

	if (!tree_next(&walk))
		return false;
	*first = walk.value;
	*only = walk.at == walk.end;
	return true;
}

bool
tree_is_named(const Tree *tree, uint32_t number, const char *text, size_t length)
{
	const Name *name = &tree->names[number];

	return name->length == length &&
		   (length == 0 || memcmp(tree->texts.data + name->text, text, length) == 0);
}

bool
tree_member(const Tree *tree, Node object, const char *text, size_t length, Node *value)
{
	Walk walk = tree_walk(object);
	uint32_t name = walk.named ? tree_find_name(tree, text, length) : UINT32_MAX;

	while (name != UINT32_MAX && tree_next(&walk))
		if (walk.name == name)
		{
			*value = walk.value;
			return true;
		}
	return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): up to TREE_DEPTH */
void
tree_json(const Tree *tree, Node value, Buffer *text)
{
	Walk walk = tree_walk(value);
	const char *between = "";

	if (value.type == JSON_STRING)
		buffer_json(text, value.bytes, value.length);
	else if (!tree_is_outer(value))
		buffer_append(text, value.bytes, value.length);
	else
	{
		buffer_text(text, walk.named ? "{" : "[");
		for (; !text->failed && tree_next(&walk); between = ",")
		{
			const Name *name = &tree->names[walk.named ? walk.name : 0];

			buffer_text(text, between);
			if (walk.named)
			{
				buffer_json(text, tree->texts.data + name->text, name->length);
				buffer_text(text, ":");
			}
			tree_json(tree, walk.value, text);
		}
		buffer_text(text, walk.named ? "}" : "]");
	}
}
