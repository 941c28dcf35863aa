/*
 * view_item.c - a record: its description, fields, files and versions, charts and maps, and what is
 * related to it.
 */
#include <string.h>

#include "page/page_internal.h"

#define NAME_CHARACTERS 300

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

/* Is there a picture?  A chart has its data, a map its number of points; a link tells it of others. */
static bool
is_drawn(const Page *page, const Value *record)
{
	return record == page->data || value_given(value_member(record, "data")) ||
		   value_given(value_member(record, "correct")) ||
		   value_given(value_member(record, "geojson"));
}

/* A picture of a chart or map, which the service draws. */
static void
add_picture(Page *page, const Value *record, const char *resource)
{
	Buffer *out = &page->request->answer.head;
	const char *id = value_text(record, "id");
	const char *path;

	if (id == NULL)
		return;
	path = arena_format(&page->request->arena, "/%s/%s", resource, id);
	buffer_text(out, "<figure>");
	if (is_drawn(page, record))
	{
		html_format(out, "<img src=\"%s%s/image\" loading=\"lazy\" alt=\"", page->root, path);
		html_brief(out, field_title(record), NAME_CHARACTERS);
		buffer_text(out, "\">");
	}
	html_format(out, "<figcaption><a href=\"%s\">", layout_path(page, path));
	html_name(out, field_title(record), NAME_CHARACTERS);
	buffer_text(out, "</a></figcaption></figure>");
}

/* Charts and maps of a file, an object with a list of each. */
void
view_pictures(Page *page, const Value *visuals)
{
	static const struct
	{
		const char *name;
		Word word;
	} kinds[] = {{"charts", WORD_CHARTS}, {"maps", WORD_MAPS}};

	for (size_t i = 0; i < lengthof(kinds); i++)
	{
		const Value *record = value_first(value_member(visuals, kinds[i].name));

		if (record == NULL)
			continue;
		html_format(&page->request->answer.head, "<section class=\"%s\">", kinds[i].name);
		field_heading(page, "2", text(page, kinds[i].word));
		for (; record != NULL; record = record->next)
			add_picture(page, record, kinds[i].name);
		buffer_text(&page->request->answer.head, "</section>");
	}
}

/* A file of a dataset: its name, format and ways to read it. */
static void
add_file(Page *page, const Value *file)
{
	Buffer *out = &page->request->answer.head;
	const char *id = value_text(file, "id");
	const char *type = value_text(value_member(file, "type"), "name");
	const char *rows = value_text(file, "rowCount");
	const char *description = value_text(file, "description");
	const char *path = arena_format(&page->request->arena, "/files/%s", id ? id : "");

	html_format(out, "<li class=\"card\"><h3><a href=\"%s\">", layout_path(page, path));
	html_name(out, field_title(file), NAME_CHARACTERS);
	buffer_text(out, "</a></h3>");
	if (description != NULL)
		html_format(out, "<p dir=\"auto\">%s</p>", description);
	buffer_text(out, "<ul class=\"muted names\">");
	if (type != NULL)
		html_format(out, "<li><bdi>%s</bdi></li>", type);
	if (rows != NULL)
		html_format(out, "<li>%s %s</li>", rows, text(page, WORD_ROWS));
	if (value_given(value_member(file, "size")))
		html_format(out, "<li><a href=\"%s%s/download\">%s</a></li>", page->root, path,
					text(page, WORD_DOWNLOAD));
	buffer_text(out, "</ul></li>");
}

static void
add_files(Page *page)
{
	Buffer *out = &page->request->answer.head;
	const Value *files = page_part(page, "files");
	const char *all =
		layout_link(page, value_text(value_member(page->links, "collections"), "files"));

	if (files == NULL)
		return;
	buffer_text(out, "<section class=\"files\">");
	field_heading(page, "2", label(page, "files"));
	buffer_text(out, "<ol class=\"cards\">");
	for (const Value *file = files->first; file != NULL; file = file->next)
		add_file(page, file);
	buffer_text(out, "</ol>");
	if (files->first == NULL)
		html_format(out, "<p class=\"muted\">%s</p>", text(page, WORD_NOTHING));
	if (all != NULL && page_part_count(page, "files") > 1)
		html_format(out, "<p><a href=\"%s\">%s</a></p>", all, text(page, WORD_ALL));
	buffer_text(out, "</section>");
	for (const Value *file = files->first; file != NULL; file = file->next)
		view_pictures(page, file);
}

static void
add_versions(Page *page)
{
	Buffer *out = &page->request->answer.head;
	const Value *version = value_first(page_part(page, "versions"));

	if (version == NULL)
		return;
	buffer_text(out, "<section class=\"versions\">");
	field_heading(page, "2", text(page, WORD_VERSIONS));
	buffer_text(out, "<ol>");
	for (; version != NULL; version = version->next)
	{
		buffer_text(out, "<li>");
		field_value(page, value_member(version, "updatedAt"), NULL);
		buffer_text(out, "</li>");
	}
	html_format(out, "</ol><p><a href=\"%s\">%s: %s</a></p></section>",
				layout_link(page, value_text(page->links, "versions")), text(page, WORD_ALL),
				text(page, WORD_VERSIONS));
}

/* A list of links to the addresses of an object. */
static void
add_addresses(Page *page, const Value *addresses)
{
	for (const Value *member = value_first(addresses); member != NULL; member = member->next)
		if (member->type == VALUE_TEXT && strcmp(member->name, "self") != 0)
			html_format(&page->request->answer.head, "<li><a href=\"%s\"><bdi>%s</bdi></a></li>",
						layout_link(page, member->text), label(page, member->name));
}

void
view_related(Page *page)
{
	Buffer *out = &page->request->answer.head;

	buffer_text(out, "<section class=\"related\">");
	field_heading(page, "2", text(page, WORD_RELATED));
	buffer_text(out, "<ul class=\"names\">");
	add_addresses(page, value_member(page->links, "collections"));
	add_addresses(page, page->links);
	buffer_text(out, "</ul></section>");
}

/* Lists of related records in the record itself, linked. */
static void
add_labels(Page *page)
{
	static const char *const lists[] = {"categories", "subcategories", "tags"};
	Buffer *out = &page->request->answer.head;

	for (size_t i = 0; i < lengthof(lists); i++)
	{
		const Value *record = value_first(value_member(page->data, lists[i]));

		if (record == NULL || record->type != VALUE_OBJECT)
			continue;
		html_format(out, "<p class=\"labels\">%s:", label(page, lists[i]));
		for (; record != NULL; record = record->next)
		{
			const char *id = value_text(record, "id");
			const char *path = arena_format(&page->request->arena, "/%s/%s",
											i == 1 ? "categories" : lists[i], id ? id : "");

			html_format(out, " <a href=\"%s\">", layout_path(page, path));
			html_name(out, field_title(record), NAME_CHARACTERS);
			buffer_text(out, "</a>");
		}
		buffer_text(out, "</p>");
	}
}

void
view_item(Page *page)
{
	Buffer *out = &page->request->answer.head;
	const char *description = value_text(page->data, "description");
	bool dataset = page_part(page, "files") != NULL;

	buffer_text(out, "<h1>");
	html_name(out, page->title, NAME_CHARACTERS);
	buffer_text(out, "</h1>");
	if (description != NULL)
		html_format(out, "<p class=\"lead\" dir=\"auto\">%s</p>", description);
	if (dataset)
		add_labels(page);
	if (dataset && value_text(page->links, "download") != NULL)
		html_format(out, "<p><a class=\"button\" href=\"%s\">%s</a></p>",
					layout_link(page, value_text(page->links, "download")),
					text(page, WORD_DOWNLOAD_ALL));
	if (value_text(page->links, "image") != NULL && value_text(page->data, "id") != NULL)
		add_picture(page, page->data, page->request->resource);
	add_files(page);
	buffer_text(out, "<section class=\"details\">");
	field_heading(page, "2", text(page, WORD_DETAILS));
	if (page->data != NULL && page->data->type == VALUE_OBJECT)
		field_list(page, page->data, page->links,
				   dataset ? "name,description,categories,subcategories,tags,files"
						   : "name,description");
	else
		field_value(page, page->data, NULL);
	buffer_text(out, "</section>");
	add_versions(page);
	view_related(page);
	view_api(page);
}
