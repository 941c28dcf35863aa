/*
 * nearest.c
 *	  Suggestions for unknown names.
 */
#include "catalogue.h"

#include "utils/varlena.h"

#include "base/body.h"
#include "query/query_internal.h"

/*
 * Maximum length of a name that is compared; the cost of a comparison is the product of the
 * lengths.
 */
#define NAME_MAX_BYTES 63

/* Return the name with the smallest Levenshtein distance to a word; NULL if none is near. */
const char *
cat_nearest_name(List *names, const char *word)
{
	int length = (int) strlen(word);
	/* How many characters may differ in a name of that many bytes. */
	int least = Max(2, length / 2) + 1;
	const char *nearest = NULL;

	if (length == 0 || length > NAME_MAX_BYTES)
		return NULL;
	foreach_ptr(const char, name, names)
	{
		int changes;

		if (strlen(name) > NAME_MAX_BYTES)
			continue;
		changes = varstr_levenshtein_less_equal(word, length, name, (int) strlen(name), 1, 1, 1,
												least - 1, true);
		if (changes >= least)
			continue;
		least = changes;
		nearest = name;
	}
	return nearest;
}

/* Add the error that a name is unknown, with the nearest known name unless that is NULL. */
void
cat_nearest_error(List **errors, const char *word, const char *nearest)
{
	cat_validation_error_add(errors, word, "unknown", NULL,
							 nearest ? psprintf("is not known; the nearest name is \"%s\"", nearest)
									 : "is not known");
}

void
cat_nearest_member_error(List **errors, List *known, const char *name)
{
	cat_nearest_error(errors, name,
					  cat_validation_error_is_full(*errors) ? NULL : cat_nearest_name(known, name));
}
