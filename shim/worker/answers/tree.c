/*
 * tree.c - the tree of an answer: built and read.
 */

#include "answers/tree.h"

#define TREE_MAXIMUM ((size_t) 1 << 30)
#define NAMES_FIRST 256
#define NAMES_MAXIMUM ((uint32_t) 1 << 20)
#define LENGTH_BYTES 4 /* of the length of an array or object */

void
tree_refuse_memory(const Tree *tree)
{
	parse_refuse_file(tree->parse, "the answer takes more memory to read than one may have");
}

void
tree_begin(Tree *tree, Parse *parse, bool gathers)
{
	*tree = (Tree){.parse = parse, .gathers = gathers};
	buffer_init(&tree->values, TREE_MAXIMUM);
	buffer_init(&tree->moved, TREE_MAXIMUM);
	buffer_init(&tree->texts, TREE_MAXIMUM);
}

void
tree_free(Tree *tree)
{
	buffer_free(&tree->values);
	buffer_free(&tree->moved);
	buffer_free(&tree->texts);
	free(tree->names);
	free(tree->buckets);
}

static void
put(Tree *tree, Buffer *buffer, const char *bytes, size_t length)
{
	buffer_append(buffer, bytes, length);
	if (buffer->failed)
		tree_refuse_memory(tree);
}

/* Append a number, seven bits in a byte. */
static void
put_number(Tree *tree, Buffer *buffer, size_t number)
{
	char bytes[10];
	size_t length = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[length++] = (char) (number | 0x80);
	bytes[length++] = (char) number;
	put(tree, buffer, bytes, length);
}

/* Append the beginning of an array or object, whose length is still to be written. */
static void
put_head(Tree *tree, Buffer *buffer, JsonType type)
{
	const char head[1 + LENGTH_BYTES] = {(char) type};

	put(tree, buffer, head, sizeof(head));
}

/* Write the length of an array or object, which ends where the buffer does. */
static void
end_head(Buffer *buffer, size_t start)
{
	uint32_t length = (uint32_t) (buffer->length - start - 1 - LENGTH_BYTES);

	memcpy(buffer->data + start + 1, &length, LENGTH_BYTES);
}

static uint32_t *
bucket_of(const Tree *tree, const char *text, size_t length)
{
	return &tree->buckets[text_hash(TEXT_HASH, text, length) & (tree->room - 1)];
}

/* The number of a name, UINT32_MAX: there is none; tree_named() adds one. */
static uint32_t
tree_find_name(const Tree *tree, const char *text, size_t length)
{
	uint32_t found = tree->room == 0 ? 0 : *bucket_of(tree, text, length);

	for (; found != 0; found = tree->names[found - 1].next)
		if (tree_is_named(tree, found - 1, text, length))
			return found - 1;
	return UINT32_MAX;
}

static void
put_into_bucket(Tree *tree, uint32_t number)
{
	Name *name = &tree->names[number];
	uint32_t *bucket = bucket_of(tree, tree->texts.data + name->text, name->length);

	name->next = *bucket;
	*bucket = number + 1;
}

/* Make room for twice as many names. */
static void
enlarge_names(Tree *tree)
{
	uint32_t room = tree->room == 0 ? NAMES_FIRST : 2 * tree->room;
	Name *names = room > NAMES_MAXIMUM ? NULL : realloc(tree->names, room * sizeof(Name));
	uint32_t *buckets;

	if (room > NAMES_MAXIMUM)
		parse_refuse_file(tree->parse, "the members of the answer have too many names");
	if (names != NULL)
		tree->names = names;
	buckets = names != NULL ? calloc(room, sizeof(uint32_t)) : NULL;
	if (buckets == NULL)
		tree_refuse_memory(tree);
	free(tree->buckets);
	tree->buckets = buckets;
	tree->room = room;
	for (uint32_t i = 0; i < tree->count; i++)
		put_into_bucket(tree, i);
}

uint32_t
tree_named(Tree *tree, const char *text, size_t length)
{
	uint32_t found = tree_find_name(tree, text, length);
	size_t begin = tree->texts.length;

	if (found != UINT32_MAX)
		return found;
	if (tree->count == tree->room)
		enlarge_names(tree);
	put(tree, &tree->texts, text, length);
	/* a byte behind each, so that even the first one has an address */
	put(tree, &tree->texts, "", 1);
	tree->names[tree->count] = (Name){.text = (uint32_t) begin, .length = (uint32_t) length};
	put_into_bucket(tree, tree->count);
	return tree->count++;
}

void
tree_name(Tree *tree, const char *text, size_t length)
{
	put_number(tree, &tree->values, tree_named(tree, text, length));
}

void
tree_value(Tree *tree, JsonType type, const char *text, size_t length)
{
	const char first = (char) type;

	put(tree, &tree->values, &first, 1);
	put_number(tree, &tree->values, length);
	put(tree, &tree->values, text, length);
}

void
tree_open(Tree *tree, JsonType type)
{
	if (tree->depth == TREE_DEPTH)
		parse_refuse_file(tree->parse, "the answer is nested too deeply");
	tree->open[tree->depth++] = tree->values.length;
	put_head(tree, &tree->values, type);
}

/* The array or object that is open, as far as it is there. */
static Node
open_value(const Tree *tree)
{
	const char *start = tree->values.data + tree->open[tree->depth - 1];
	const char *bytes = start + 1 + LENGTH_BYTES;

	return (Node){(JsonType) *start, start, bytes,
				  (size_t) (tree->values.data + tree->values.length - bytes)};
}

/* Count the members of each name, and the bytes that are kept; false: no name is there twice. */
static bool
count_members(Tree *tree)
{
	Walk walk = tree_walk(open_value(tree));
	bool twins = false;

	tree->visit++;
	while (tree_next(&walk))
	{
		Name *name = &tree->names[walk.name];
		size_t size = (size_t) (walk.at - walk.value.start);
		bool again = name->visit == tree->visit;

		twins |= again;
		name->visit = tree->visit;
		name->left = again ? name->left + 1 : 1;
		name->size = again && tree->gathers ? name->size + size : size;
		name->offset = 0;
	}
	return twins;
}

/* Make room for the values of a name where its first member stands. */
static void
lay_out_members(Tree *tree, uint32_t number)
{
	Buffer *moved = &tree->moved;
	Name *name = &tree->names[number];
	size_t head;

	put_number(tree, moved, number);
	head = moved->length;
	if (tree->gathers && name->left > 1)
		put_head(tree, moved, JSON_ARRAY);
	name->offset = moved->length;
	if (!buffer_reserve(moved, name->size))
		tree_refuse_memory(tree);
	moved->length += name->size;
	if (name->offset > head)
		end_head(moved, head);
}

/* Put the members of each name together, in the order of the first ones. */
static void
join_members(Tree *tree)
{
	Walk walk = tree_walk(open_value(tree));
	size_t start = (size_t) (walk.at - tree->values.data);

	tree->moved.length = 0;
	while (tree_next(&walk))
	{
		Name *name = &tree->names[walk.name];
		size_t size = (size_t) (walk.at - walk.value.start);

		if (name->offset == 0)
			lay_out_members(tree, walk.name);
		if (--name->left > 0 && !tree->gathers)
			continue;
		memcpy(tree->moved.data + name->offset, walk.value.start, size);
		name->offset += size;
	}
	tree->values.length = start;
	put(tree, &tree->values, tree->moved.data, tree->moved.length);
}

void
tree_close(Tree *tree)
{
	if (open_value(tree).type == JSON_OBJECT && count_members(tree))
		join_members(tree);
	end_head(&tree->values, tree->open[--tree->depth]);
}

JsonType
tree_open_type(const Tree *tree)
{
	return open_value(tree).type;
}

bool
tree_is_empty(const Tree *tree)
{
	return open_value(tree).length == 0;
}

bool
tree_has(const Tree *tree, const char *name)
{
	Node value;

	return tree_member(tree, open_value(tree), name, &value);
}

void
tree_replace(Tree *tree, JsonType type, const char *text, size_t length)
{
	tree->values.length = tree->open[--tree->depth];
	tree_value(tree, type, text, length);
}

/* Read a number that put_number() has written. */
static size_t
read_number(const char **at)
{
	const unsigned char *next = (const unsigned char *) *at;
	size_t number = text_number(&next);

	*at = (const char *) next;
	return number;
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
tree_member(const Tree *tree, Node object, const char *name, Node *value)
{
	Walk walk = tree_walk(object);
	uint32_t number = walk.named ? tree_find_name(tree, name, strlen(name)) : UINT32_MAX;

	while (number != UINT32_MAX && tree_next(&walk))
		if (walk.name == number)
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
