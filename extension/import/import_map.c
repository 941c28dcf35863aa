/*
 * import_map.c
 *	  Table of pointers by text.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "import/json_internal.h"

static uint32
hash_key(const void *key, Size size)
{
	const char *text = *(const char *const *) key;

	return hash_bytes((const unsigned char *) text, (int) strlen(text));
}

static int
compare_keys(const void *left, const void *right, Size size)
{
	return strcmp(*(const char *const *) left, *(const char *const *) right);
}

HTAB *
cat_import_map(void)
{
	HASHCTL control = {.keysize = sizeof(char *),
					   .entrysize = sizeof(MapEntry),
					   .hash = hash_key,
					   .match = compare_keys,
					   .hcxt = CurrentMemoryContext};

	return hash_create("catalogue import", 256, &control,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

/* Key and value must live as long as the table. */
void
cat_import_map_put(HTAB *map, const char *key, void *value)
{
	MapEntry *entry = hash_search(map, &key, HASH_ENTER, NULL);

	entry->value = value;
}

void *
cat_import_map_get(HTAB *map, const char *key)
{
	const MapEntry *entry = hash_search(map, &key, HASH_FIND, NULL);

	return entry ? entry->value : NULL;
}

void
cat_import_map_drop(HTAB *map, const char *key)
{
	hash_search(map, &key, HASH_REMOVE, NULL);
}
