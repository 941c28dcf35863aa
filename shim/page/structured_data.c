/*
 * structured_data.c - the results of further reads by their names; a dataset as schema.org describes it.
 */

#include "page/page_internal.h"

const PageResult *
page_result(const Page *page, const char *name)
{
	static const PageResult none = {0};

	for (size_t i = 0; i < PAGE_PARTS; i++)
		if (page->results[i].name != NULL && strcmp(page->results[i].name, name) == 0)
			return &page->results[i];
	return &none;
}

const Value *
page_part(const Page *page, const char *name)
{
	return page_result(page, name)->data;
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

/* Append a member with a text; nothing where there is none. */
static void
add_text(Buffer *data, const char *name, const char *text)
{
	if (text == NULL)
		return;
	buffer_text(data, ",");
	buffer_json(data, name, strlen(name));
	buffer_text(data, ":");
	buffer_json(data, text, strlen(text));
}

/* Append the names of categories and tags. */
static void
add_keywords(Buffer *data, const Value *dataset)
{
	static const char *const lists[] = {"categories", "subcategories", "tags"};
	const char *separator = "";

	buffer_text(data, ",\"keywords\":[");
	for (size_t i = 0; i < lengthof(lists); i++)
		for (const Value *record = value_first(value_member(dataset, lists[i])); record != NULL;
			 record = record->next)
		{
			const char *name = value_text(record, "name");

			if (name == NULL)
				continue;
			buffer_text(data, separator);
			buffer_json(data, name, strlen(name));
			separator = ",";
		}
	buffer_text(data, "]");
}

/* The text of an optional value, which the source of a record gave; else that of a field. */
static const char *
given_text(const Value *record, const char *name, const char *field)
{
	const char *text = value_text(value_member(record, "optionals"), name);

	return text != NULL ? text : value_text(record, field);
}

/* Append who publishes the dataset. */
static void
add_publisher(Buffer *data, const Page *page)
{
	const char *name = page_publisher(page);

	if (name == NULL)
		return;
	buffer_text(data, ",\"publisher\":{\"@type\":\"Organization\"");
	add_text(data, "name", name);
	buffer_text(data, "}");
}

/* Append the files, with the address of their bytes. */
static void
add_files(Buffer *data, const Page *page)
{
	const char *separator = "";

	buffer_text(data, ",\"distribution\":[");
	for (const Value *file = value_first(page_part(page, "files")); file != NULL; file = file->next)
	{
		const Value *type = value_member(file, "type");
		const char *id = value_text(file, "id");
		const Value *media = value_first(value_member(type, "mimetype"));
		const char *address = value_text(file, "url");

		if (id != NULL && value_given(value_member(file, "size")))
			address = arena_format(&page->request->arena, "%s/files/%s/download",
								   page->request->base, id);
		if (address == NULL)
			continue;
		buffer_text(data, separator);
		buffer_text(data, "{\"@type\":\"DataDownload\"");
		add_text(data, "name", field_title(file));
		add_text(data, "encodingFormat", media ? media->text : value_text(type, "name"));
		add_text(data, "contentUrl", address);
		add_text(data, "license", value_text(value_member(file, "optionals"), "license"));
		buffer_text(data, "}");
		separator = ",";
	}
	buffer_text(data, "]");
}

void
structured_data(Page *page)
{
	const char *id = value_text(page->data, "id");
	const char *base = page->request->base;
	Buffer data;

	if (id == NULL || page_part(page, "files") == NULL)
		return;
	buffer_init(&data, page->request->answer.head.maximum);
	buffer_text(&data, "{\"@context\":\"https://schema.org/\",\"@type\":\"Dataset\"");
	add_text(&data, "@id", arena_format(&page->request->arena, "%s/datasets/%s", base, id));
	add_text(&data, "url", layout_address(page));
	add_text(&data, "identifier", given_text(page->data, "identifier", "id"));
	add_text(&data, "name", field_title(page->data));
	add_text(&data, "description", value_text(page->data, "description"));
	add_text(&data, "datePublished", given_text(page->data, "issued", "publishedAt"));
	add_text(&data, "dateModified", given_text(page->data, "modified", "updatedAt"));
	add_text(&data, "license", value_text(value_member(page->data, "optionals"), "license"));
	add_publisher(&data, page);
	add_keywords(&data, page->data);
	add_files(&data, page);
	buffer_text(&data, ",\"includedInDataCatalog\":{\"@type\":\"DataCatalog\"");
	add_text(&data, "name", words_text(page->request->language, "Data catalogue"));
	add_text(&data, "url", base);
	buffer_text(&data, "}}");
	if (!data.failed)
		html_data(page, "application/ld+json", data.data, data.length);
	buffer_free(&data);
}
