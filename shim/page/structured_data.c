/*
 * structured_data.c - the results of further reads by their names; what programs read of a page: Open Graph, schema.org.
 */

#include <jansson.h>

#include "net/framing.h"
#include "page/markdown.h"
#include "page/page_internal.h"

#define DESCRIPTION_CHARACTERS 300

const PageResult *
structured_data_result(const Page *page, const char *name)
{
	static const PageResult none = {0};

	for (size_t i = 0; i < PAGE_PARTS; i++)
		if (page->results[i].name != NULL && strcmp(page->results[i].name, name) == 0)
			return &page->results[i];
	return &none;
}

const Value *
structured_data_part(const Page *page, const char *name)
{
	return structured_data_result(page, name)->data;
}

const char *
structured_data_text(const Value *value)
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
structured_data_optional(const Value *record, const char *name)
{
	return structured_data_text(value_member(value_member(record, "optionals"), name));
}

const char *
structured_data_publisher(const Page *page)
{
	const char *name = value_text(value_member(page->data, "organization"), "name");

	return name != NULL ? name : structured_data_optional(page->data, "publisher");
}

const char *
structured_data_modified(const Page *page)
{
	const char *own = value_text(page->data, "updatedAt");
	const char *file = value_text(value_first(structured_data_part(page, "changed")), "updatedAt");

	return file != NULL && (own == NULL || strcmp(file, own) > 0) ? file : own;
}

/* The names of categories and tags. */
static json_t *
keywords_of(const Value *dataset)
{
	static const char *const lists[] = {"categories", "subcategories", "tags"};
	json_t *names = json_array();

	for (size_t i = 0; i < lengthof(lists); i++)
		for (const Value *record = value_first(value_member(dataset, lists[i])); record != NULL;
			 record = record->next)
			if (value_text(record, "name") != NULL)
				json_array_append_new(names, json_string(value_text(record, "name")));
	return names;
}

/* The text of an optional value, which the source of a record gave; else that of a field. */
static const char *
given_text(const Value *record, const char *name, const char *field)
{
	const char *text = value_text(value_member(record, "optionals"), name);

	return text != NULL ? text : value_text(record, field);
}

/* The files, with the address of their bytes. */
static json_t *
files_of(const Page *page)
{
	json_t *files = json_array();

	for (const Value *file = value_first(structured_data_part(page, "files")); file != NULL;
		 file = file->next)
	{
		const Value *type = value_member(file, "type");
		const char *id = value_text(file, "id");
		const Value *media = value_first(value_member(type, "mimetype"));
		const char *address = value_text(file, "url");

		if (id != NULL && value_given(value_member(file, "size")))
			address = arena_format(&page->request->arena, "%s/files/%s/download",
								   page->request->base, id);
		if (address != NULL)
			json_array_append_new(
				files,
				json_pack("{s:s, s:s, s:s*, s:s, s:s*}", "@type", "DataDownload", "name",
						  field_title(file), "encodingFormat",
						  media ? media->text : value_text(type, "name"), "contentUrl", address,
						  "license", value_text(value_member(file, "optionals"), "license")));
	}
	return files;
}

/* The address of the picture of the page; NULL: it has none. */
static const char *
picture_of(const Page *page)
{
	const char *resource = page->request->resource;

	if (page->view == VIEW_FILE)
		return value_text(page->links, "image");
	return page->view == VIEW_ITEM && text_has_word("charts,maps", resource) &&
				   value_text(page->data, "id") != NULL
			   ? arena_format(&page->request->arena, "%s/%s/%s/image", page->request->base,
							  resource, value_text(page->data, "id"))
			   : NULL;
}

static void
add_property(Page *page, const char *name, const char *content)
{
	html_page_write(page, "<meta property=\"og:%s\" content=\"", name);
	html_brief(page, content, DESCRIPTION_CHARACTERS);
	html_page_write(page, "\">");
}

/* What programs of others show of the page. */
static void
add_preview(Page *page)
{
	const char *picture = picture_of(page);
	Buffer address;

	add_property(page, "type", "website");
	add_property(page, "site_name", layout_brand(page));
	add_property(page, "title", page->title);
	html_page_write(page, "<meta property=\"og:url\" content=\"%s\">", layout_canonical(page));
	if (page->description != NULL)
		add_property(page, "description", markdown_plain(&page->request->arena, page->description));
	if (picture != NULL)
		html_page_write(page,
						"<meta property=\"og:image\" content=\"%s\">"
						"<meta property=\"og:image:type\" content=\"image/png\">"
						"<meta property=\"og:image:width\" content=\"1440\">",
						layout_spoken(page, layout_png(page, picture)));
	if (!layout_embeddable(page))
		return;
	buffer_init(&address, 4 * TARGET_MAXIMUM);
	text_percent_encode(&address, layout_address(page), strlen(layout_address(page)));
	html_page_write(
		page, "<link rel=\"alternate\" type=\"application/json+oembed\" href=\"%s/oembed?url=%s\">",
		page->request->base, arena_take(&page->request->arena, &address));
}

/* A dataset as schema.org describes it. */
static void
add_dataset(Page *page)
{
	const char *id = value_text(page->data, "id");
	const char *base = page->request->base;
	const char *publisher = structured_data_publisher(page);
	const char *modified = value_text(value_member(page->data, "optionals"), "modified");
	json_t *data;

	if (id == NULL || structured_data_part(page, "files") == NULL)
		return;
	data = json_pack(
		"{s:s, s:s, s:s, s:s, s:s*, s:s, s:s*, s:s*, s:s*, s:s*, s:o*, s:o, s:o, s:{s:s, s:s, "
		"s:s}}",
		"@context", "https://schema.org/", "@type", "Dataset", "@id",
		arena_format(&page->request->arena, "%s/datasets/%s", base, id), "url",
		layout_canonical(page), "identifier", given_text(page->data, "identifier", "id"), "name",
		field_title(page->data), "description", page->description, "datePublished",
		given_text(page->data, "issued", "publishedAt"), "dateModified",
		modified ? modified : structured_data_modified(page), "license",
		value_text(value_member(page->data, "optionals"), "license"), "publisher",
		publisher ? json_pack("{s:s, s:s}", "@type", "Organization", "name", publisher) : NULL,
		"keywords", keywords_of(page->data), "distribution", files_of(page),
		"includedInDataCatalog", "@type", "DataCatalog", "name", layout_brand(page), "url", base);
	html_data(page, "application/ld+json", arena_json(&page->request->arena, data));
}

void
structured_data(Page *page)
{
	if (page->view == VIEW_ERROR || page->view == VIEW_WAITING)
		return;
	add_preview(page);
	add_dataset(page);
}
