/*
 * view_home.c - the start page: the search, categories, newest datasets, a chart and a map, organizations.
 */

#include "page/views.h"

/* How many records there are of the main resources. */
static void
add_numbers(Page *page)
{
	static const struct
	{
		const char *name;
		const char *one;
		const char *several;
	} resources[] = {{"datasets", PLURAL("Dataset", "Datasets")},
					 {"files", PLURAL("File", "Files")},
					 {"organizations", PLURAL("Organization", "Organizations")}};
	Arena *arena = &page->request->arena;

	html_page_write(page, "<ul class=\"numbers\">");
	for (size_t i = 0; i < lengthof(resources); i++)
	{
		const char *count = arena_format(
			arena, "%lld", (long long) structured_data_result(page, resources[i].name)->count);

		if (structured_data_part(page, resources[i].name) == NULL)
			continue;
		html_page_write(page, "<li><a href=\"%s\"><strong>%s</strong> %s</a></li>",
						layout_path(page, "/%s", resources[i].name), html_page_number(page, count),
						page_plural(page, count, resources[i].one, resources[i].several));
	}
	html_page_write(page, "</ul>");
}

/* Organizations with the numbers of their datasets. */
static void
add_organizations(Page *page)
{
	const Value *records = structured_data_part(page, "organizations");

	if (value_first(records) == NULL)
		return;
	field_section(page, "organizations", page_label(page, "organizations"));
	view_list_names(page, records, "organizations");
	html_page_write(page, "</section>");
}

/* A category: its image or colour, its name and the number of its datasets. */
static void
add_tile(Page *page, const Value *category)
{
	const char *id = value_text(category, "id");
	const char *color = value_text(category, "color");
	const char *image = value_text(category, "image");
	const char *count = id ? view_facets_count(page, "categories", id) : NULL;
	const char *path = arena_format(&page->request->arena, "/categories/%s", id ? id : "");

	if (id == NULL)
		return;
	html_page_write(page, "<li><a href=\"%s\">", layout_path(page, "%s", path));
	/* one with another address is not loaded by the page */
	if (image != NULL && strstr(image, path) != NULL)
		html_page_write(page, "<img src=\"%s%s/image\" alt=\"\" width=\"40\" height=\"40\">",
						page->root, path);
	else if (color != NULL)
		html_page_write(page,
						"<svg width=\"8\" height=\"40\" aria-hidden=\"true\">"
						"<rect width=\"8\" height=\"40\" rx=\"4\" fill=\"#%s\"></rect></svg>",
						color);
	html_page_write(page, "<strong>%.100s</strong> <span class=\"count\">%s</span></a></li>",
					field_title(category), count ? count : "0");
}

static void
add_categories(Page *page)
{
	const Value *category = value_first(structured_data_part(page, "categories"));

	if (category == NULL)
		return;
	field_section(page, "categories", page_word(page, "Browse by subject"));
	html_page_write(page, "<ul class=\"tiles\">");
	for (; category != NULL; category = category->next)
		add_tile(page, category);
	html_page_write(page, "</ul></section>");
}

/* The chart and the map that were published last. */
static void
add_pictures(Page *page)
{
	static const char *const resources[] = {"charts", "maps"};

	if (value_first(structured_data_part(page, "charts")) == NULL &&
		value_first(structured_data_part(page, "maps")) == NULL)
		return;
	field_section(page, "pictures", page_word(page, "From the data"));
	html_page_write(page, "<div class=\"plots\">");
	for (size_t i = 0; i < lengthof(resources); i++)
		if (value_first(structured_data_part(page, resources[i])) != NULL)
			view_item_picture(page, value_first(structured_data_part(page, resources[i])),
							  resources[i]);
	html_page_write(page, "</div></section>");
}

void
view_home(Page *page)
{
	const Value *newest = structured_data_part(page, "datasets");

	html_page_write(page, "<div class=\"hero\">");
	field_heading(page, "1", page->title);
	html_page_write(page, "<p class=\"lead\" dir=\"auto\">%s</p>", layout_lead(page));
	layout_search(page, "search");
	add_numbers(page);
	html_page_write(page, "</div>");
	add_categories(page);
	if (value_first(newest) != NULL)
	{
		field_section(page, "newest", page_word(page, "Newest datasets"));
		view_list_cards(page, newest, "datasets", "3");
		html_page_write(page, "</section>");
	}
	add_pictures(page);
	add_organizations(page);
	view_api(page);
}
