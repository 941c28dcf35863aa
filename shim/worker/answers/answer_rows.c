/*
 * answer_rows.c - where the rows are in the tree of an answer.
 */
#include <string.h>

#include "answers/answer.h"

static void
add_place(const Answer *answer, Buffer *places, Node value)
{
	uint32_t place = (uint32_t) (value.start - answer->tree.values.data);

	buffer_append(places, (const char *) &place, sizeof(place));
}

/* Add the place of a value, of an array those of its elements. */
static void
add(const Answer *answer, Buffer *places, Node value)
{
	Walk walk = tree_walk(value);

	if (value.type != JSON_ARRAY)
		add_place(answer, places, value);
	else
		while (tree_next(&walk))
			add_place(answer, places, walk.value);
}

void /* NOLINTNEXTLINE(misc-no-recursion): up to TREE_DEPTH */
answer_rows_at(const Answer *answer, Node value, const char *path, Buffer *places)
{
	size_t length = strcspn(path, ".");
	Walk walk = tree_walk(value);

	if (*path == '\0')
	{
		add(answer, places, value);
		return;
	}
	while (tree_next(&walk))
		if (!walk.named)
			answer_rows_at(answer, walk.value, path, places);
		else if (tree_is_named(&answer->tree, walk.name, path, length))
			answer_rows_at(answer, walk.value, path + length + (path[length] == '.'), places);
}

/* Is it an array with rows in it? */
static bool
has_rows(Node value)
{
	Node first;
	bool only;

	return value.type == JSON_ARRAY && tree_first(value, &first, &only) && tree_is_outer(first);
}

/*
 * Find the member of an object that has the rows: its only member, if that is an array or object,
 * else the first array of rows.  False: the object is a row itself.
 */
static bool
inner(Node object, Node *found)
{
	Walk walk = tree_walk(object);
	Node first;
	bool only = false;

	if (object.type != JSON_OBJECT || !tree_first(object, &first, &only))
		return false;
	while (tree_next(&walk))
		if (has_rows(walk.value) || (only && tree_is_outer(walk.value)))
		{
			*found = walk.value;
			return true;
		}
	return false;
}

void
answer_rows_of(const Answer *answer, Buffer *places)
{
	Node below;

	while (answer_rows_count(places) == 1 && inner(answer_rows_value(answer, places, 0), &below))
	{
		places->length = 0;
		add(answer, places, below);
	}
}

size_t
answer_rows_count(const Buffer *places)
{
	return places->length / sizeof(uint32_t);
}

Node
answer_rows_value(const Answer *answer, const Buffer *places, size_t i)
{
	uint32_t place;

	memcpy(&place, places->data + i * sizeof(place), sizeof(place));
	return tree_at(answer->tree.values.data + place);
}
