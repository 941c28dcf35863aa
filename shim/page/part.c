/*
 * part.c - the results of further reads by their names, and what a dataset says of itself.
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

/* What a value of "optionals" says: a text, what an object is called, or that of the first element. */
static const char *
optional_text(const Value *value)
{
	static const char *const names[] = {"name",		 "fn",		 "title", "label",
										"prefLabel", "hasEmail", "@id"};

	if (value != NULL && value->type == VALUE_LIST)
		value = value->first;
	if (value != NULL && value->type == VALUE_TEXT)
		return value->text;
	for (size_t i = 0; i < lengthof(names); i++)
		if (value_text(value, names[i]) != NULL)
			return value_text(value, names[i]);
	return NULL;
}

const char *
page_optional(const Page *page, const char *name)
{
	return optional_text(value_member(value_member(page->data, "optionals"), name));
}

const char *
page_publisher(const Page *page)
{
	const Value *file = value_first(page_part(page, "files"));
	const char *name = value_text(value_member(file, "organization"), "name");

	return name != NULL ? name : page_optional(page, "publisher");
}
