/*
 * part.c - the results of further reads, by their names.
 */
#include <string.h>

#include "page/page_internal.h"

/* The place of a result; PAGE_PARTS: there is none of this name. */
static size_t
find_part(const Page *page, const char *name)
{
	size_t i = 0;

	while (i < PAGE_PARTS && (page->names[i] == NULL || strcmp(page->names[i], name) != 0))
		i++;
	return i;
}

const Value *
page_part(const Page *page, const char *name)
{
	size_t i = find_part(page, name);

	return i < PAGE_PARTS ? page->parts[i] : NULL;
}

const Value *
page_part_meta(const Page *page, const char *name)
{
	size_t i = find_part(page, name);

	return i < PAGE_PARTS ? page->metas[i] : NULL;
}

int64_t
page_part_count(const Page *page, const char *name)
{
	size_t i = find_part(page, name);

	return i < PAGE_PARTS ? page->counts[i] : 0;
}
