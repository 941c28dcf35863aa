/*
 * address_word.c
 *	  Words that stand for records in addresses: which of them a record cannot have as its slug.
 */
#include "catalogue.h"

#include "write/write_internal.h"

/* The paths of the service; the table is the one by which the shim finds the path of a request. */
static const char *const paths[] = {
#define CALL(...)
#define PATH(verb, path, ...) path,
#define ENDPOINT(verb, path, ...) path,
#include "../shim/database/endpoints.h"
#undef ENDPOINT
#undef PATH
#undef CALL
};

/* Return whether a word of a path, which begins here, is this one; of any letter case. */
static bool
is_word(const char *path, const char *word)
{
	size_t length = strcspn(path, "/");

	return length == strlen(word) && pg_strncasecmp(path, word, length) == 0;
}

bool
cat_address_is_path(const char *resource, const char *word)
{
	for (size_t i = 0; i < lengthof(paths); i++)
	{
		const char *first = paths[i] + 1;
		const char *second = strchr(first, '/');

		if (second && is_word(second + 1, word) &&
			(is_word(first, ":resource") || is_word(first, resource)))
			return true;
	}
	return false;
}

bool
cat_address_is_held(const Resource *resource, const char *word, const char *id)
{
	return cat_address_is_path(resource->name, word);
}

CAT_FUNCTION(catalogue_is_path_word)
{
	PG_RETURN_BOOL(cat_address_is_path(text_to_cstring(PG_GETARG_TEXT_PP(0)),
									   text_to_cstring(PG_GETARG_TEXT_PP(1))));
}
