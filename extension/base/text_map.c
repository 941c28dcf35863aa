/*
 * text_map.c
 *	  Hash tables by text.
 */
#include "catalogue.h"

#include "common/hashfn.h"

#include "base/text_map.h"

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
cat_text_map(const char *name, Size entry)
{
	HASHCTL control = {.keysize = sizeof(char *),
					   .entrysize = entry,
					   .hash = hash_key,
					   .match = compare_keys,
					   .hcxt = CurrentMemoryContext};

	return hash_create(name, 256, &control,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}
