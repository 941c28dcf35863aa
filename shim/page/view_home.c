/*
 * view_home.c - the start page: numbers, newest datasets, categories, and all resources.
 */
#include "page/page_internal.h"

#define NAME_CHARACTERS 100

static const char *
text(const Page *page, Word word)
{
	return words_text(page->request->language, word);
}

static const char *
label(const Page *page, const char *name)
{
	return words_label(&page->request->arena, page->request->language, name);
}

/* How many records there are of the main resources. */
static void
add_numbers(Page *page)
{
	static const char *const resources[] = {"datasets", "files", "organizations", "categories"};
	Buffer *out = &page->request->answer.head;

	buffer_text(out, "<ul class=\"numbers\">");
	for (size_t i = 0; i < lengthof(resources); i++)
	{
		const char *path = arena_format(&page->request->arena, "/%s", resources[i]);

		if (page_part(page, resources[i]) == NULL)
			continue;
		html_format(out, "<li><a href=\"%s\"><strong>", layout_path(page, path));
		buffer_integer(out, page_part_count(page, resources[i]));
		html_format(out, "</strong> %s</a></li>", label(page, resources[i]));
	}
	buffer_text(out, "</ul>");
}

/* A list of links to records. */
static void
add_names(Page *page, const char *resource)
{
	Buffer *out = &page->request->answer.head;
	const Value *record = value_first(page_part(page, resource));

	if (record == NULL)
		return;
	html_format(out, "<section class=\"%s\">", resource);
	field_heading(page, "2", label(page, resource));
	buffer_text(out, "<ul class=\"names\">");
	for (; record != NULL; record = record->next)
	{
		const char *id = value_text(record, "id");
		const char *path = arena_format(&page->request->arena, "/%s/%s", resource, id ? id : "");

		html_format(out, "<li><a href=\"%s\">", layout_path(page, path));
		html_name(out, field_title(record), NAME_CHARACTERS);
		buffer_text(out, "</a></li>");
	}
	buffer_text(out, "</ul></section>");
}

/* What the entry point lists. */
static void
add_resources(Page *page)
{
	Buffer *out = &page->request->answer.head;

	buffer_text(out, "<section class=\"resources\">");
	field_heading(page, "2", text(page, WORD_RESOURCES));
	buffer_text(out, "<ul class=\"names\">");
	for (const Value *row = value_first(page->data); row != NULL; row = row->next)
	{
		const char *address = layout_link(page, value_text(row, "list"));

		if (address == NULL)
			continue;
		html_format(out, "<li><a href=\"%s\">", address);
		html_name(out, label(page, row->name), NAME_CHARACTERS);
		buffer_text(out, "</a></li>");
	}
	buffer_text(out, "</ul></section>");
}

void
view_home(Page *page)
{
	Buffer *out = &page->request->answer.head;
	const Value *newest = page_part(page, "datasets");

	field_heading(page, "1", page->title);
	html_format(out, "<p class=\"lead\">%s</p>", text(page, WORD_DESCRIBED));
	add_numbers(page);
	if (value_first(newest) != NULL)
	{
		buffer_text(out, "<section class=\"newest\">");
		field_heading(page, "2", text(page, WORD_NEWEST));
		view_cards(page, newest, "datasets", "3");
		buffer_text(out, "</section>");
	}
	add_names(page, "categories");
	add_names(page, "organizations");
	add_resources(page);
	view_api(page);
}
