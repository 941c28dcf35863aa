/*
 * answer_rows.c - where the rows are in the tree of an answer.
 */
#include <string.h>

#include "answers/answers.h"

#define WORD_MAXIMUM 256 /* bytes of a word of a path */

/* Append a value, of an array its elements. */
static bool
append(json_t *values, json_t *value)
{
	return json_is_array(value) ? json_array_extend(values, value) == 0
								: json_array_append(values, value) == 0;
}

static bool
collect(json_t *values, json_t *value, const char *path)
{
	size_t length = strcspn(path, ".");
	char word[WORD_MAXIMUM];
	json_t *element;
	size_t i;

	if (*path == '\0')
		return append(values, value);
	if (length >= sizeof(word))
		return true;
	memcpy(word, path, length);
	word[length] = '\0';
	if (json_is_array(value))
	{
		json_array_foreach(value, i, element)
		{
			if (!collect(values, element, path))
				return false;
		}
		return true;
	}
	value = json_object_get(value, word);
	return value == NULL || collect(values, value, path + length + (path[length] == '.'));
}

json_t *
answer_rows_at(const json_t *tree, const char *path)
{
	json_t *values = json_array();

	if (values != NULL && collect(values, (json_t *) (uintptr_t) tree, path))
		return values;
	json_decref(values);
	return NULL;
}

/* Is it an array with rows in it? */
static bool
has_rows(const json_t *value)
{
	const json_t *first = json_array_get(value, 0);

	return json_is_object(first) || json_is_array(first);
}

/*
 * The member of an object that has the rows: the only member, if it is no value, else the first
 * array of rows; NULL: the object is a row itself.
 */
static json_t *
inner(json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
	{
		if (has_rows(value) ||
			(json_object_size(object) == 1 && (json_is_object(value) || json_is_array(value))))
			return value;
	}
	return NULL;
}

json_t *
answer_rows_of(json_t *values)
{
	json_t *only;
	json_t *below;

	while (json_array_size(values) == 1 && (only = json_array_get(values, 0)) != NULL &&
		   (below = inner(only)) != NULL)
	{
		json_t *next = json_array();

		if (next == NULL || !append(next, below))
		{
			json_decref(next);
			next = NULL;
		}
		json_decref(values);
		values = next;
	}
	return values;
}
