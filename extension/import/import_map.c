/*
 * import_map.c
 *	  Table of pointers by text.
 */
#include "catalogue.h"

#include "base/text_map.h"
#include "import/json_internal.h"

HTAB *
cat_import_map(void)
{
	return cat_text_map("catalogue import", sizeof(MapEntry));
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
