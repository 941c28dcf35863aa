/*
 * view_list.c - lists and searches: cards or a table, order, facets, pages.
 */

#include "net/framing.h"
#include "page/markdown.h"
#include "page/views.h"

#define COLUMNS_MAXIMUM 7 /* of a table of records */
#define NAME_CHARACTERS 150
#define TEXT_CHARACTERS 280
#define CELL_CHARACTERS 120
#define FORMATS_MAXIMUM 6 /* of a dataset on its card */
#define WORDS_BYTES 80	  /* of a search, that are marked in what was found */

/* The path of a record; NULL: it has no id, or no resource is known. */
static const char *
path_of(const Page *page, const Value *record, const char *resource)
{
	return value_text(record, "id") != NULL && resource != NULL
			   ? layout_record(page, resource, record)
			   : NULL;
}

/* The categories and tags of a record, linked. */
static void
add_labels(Page *page, const Value *record)
{
	static const char *const lists[] = {"categories", "tags"};
	bool begun = false;

	for (size_t i = 0; i < lengthof(lists); i++)
		for (const Value *label = value_first(value_member(record, lists[i])); label != NULL;
			 label = label->next)
		{
			if (label->type != VALUE_OBJECT)
				continue;
			html_page_write(page, begun ? "" : "<ul class=\"names labels\">");
			html_page_write(page, "<li><a href=\"%s\">%.150s</a></li>",
							layout_record(page, lists[i], label), field_title(label));
			begun = true;
		}
	html_page_write(page, begun ? "</ul>" : "");
}

/* The types of files, each once; of many the first. */
static const char *
formats_of(const Page *page, const Value *files)
{
	const char *formats[FORMATS_MAXIMUM];
	const char *all = "";
	size_t count = 0;
	size_t i;

	for (; files != NULL && count < FORMATS_MAXIMUM; files = files->next)
	{
		const char *type = value_text(value_member(files, "type"), "name");

		for (i = 0; i < count && type != NULL && strcmp(type, formats[i]) != 0;)
			i++;
		if (type == NULL || i < count)
			continue;
		all = arena_join(&page->request->arena, all, count > 0 ? ", " : "", type);
		formats[count++] = type;
	}
	return all;
}

/* The files of a dataset: their formats, how many they are, and the bytes of those that are here. */
static void
add_files(Page *page, const Value *files)
{
	Arena *arena = &page->request->arena;
	long long bytes = 0;
	int number = 0;
	const char *count;

	for (const Value *file = files; file != NULL; file = file->next, number++)
		if (value_text(file, "size") != NULL)
			bytes += strtoll(value_text(file, "size"), NULL, 10);
	count = arena_format(arena, "%d", number);
	html_page_write(page,
					"<li class=\"formats\"><bdi>%s</bdi></li><li>%s <span class=\"unit\">%s</span>",
					formats_of(page, files), html_page_number(page, count),
					page_plural(page, count, "File", "Files"));
	if (bytes > 0)
		html_page_write(page, ", %s", html_page_size(page, arena_format(arena, "%lld", bytes)));
	html_page_write(page, "</li>");
}

/* When the data of a dataset are of, as its source tells; else when the record has changed. */
static void
add_date(Page *page, const Value *record)
{
	static const char *const names[] = {"modified", "issued"};
	const char *period = structured_data_optional(record, "temporal");
	const char *changed = value_text(record, "updatedAt");
	const char *day = NULL;

	for (size_t i = 0; i < lengthof(names) && day == NULL; i++)
		day = field_day(page, structured_data_optional(record, names[i]));
	if (day != NULL)
		html_page_write(page, "<li>{Data of} %.60s</li>", day);
	else if (period != NULL)
		html_page_write(page, "<li>{Period}: %.60s</li>", field_period(page, period));
	else if (changed != NULL)
	{
		html_page_write(page, "<li>%s ", page_label(page, "updatedAt"));
		field_date(page, changed, false);
		html_page_write(page, "</li>");
	}
}

/* What a card tells of a record in a line: of a dataset who publishes it, its files and its licence; its date. */
static void
add_facts(Page *page, const Value *record)
{
	const Value *organization = value_member(record, "organization");
	const Value *files = value_first(value_member(record, "files"));
	const char *license = structured_data_optional(record, "license");

	html_page_write(page, "<ul class=\"muted names\">");
	if (value_text(organization, "name") != NULL)
		html_page_write(page, "<li><a href=\"%s\">%.150s</a></li>",
						layout_record(page, "organizations", organization),
						field_title(organization));
	if (files != NULL)
		add_files(page, files);
	if (license != NULL)
		html_page_write(page, "<li>%s: %.60s</li>", page_label(page, "license"),
						license + (strncmp(license, "https://", 8) == 0 ? 8 : 0));
	add_date(page, record);
	html_page_write(page, "</ul>");
}

/* The beginning of what is searched for; "": nothing is. */
static const char *
searched_words(const Page *page)
{
	const char *query = layout_parameter(page, "query");

	return query ? arena_text(&page->request->arena, query, strnlen(query, WORDS_BYTES)) : "";
}

static void
add_card(Page *page, const Value *record, const char *resource, const char *level)
{
	const char *path = path_of(page, record, resource);
	const char *description =
		markdown_plain(&page->request->arena, value_text(record, "description"));
	const char *words = searched_words(page);

	html_page_write(page, "<li class=\"card\"><h%s>", level);
	if (path != NULL)
		html_page_write(page, "<a href=\"%s\">", path);
	html_page_write(page, "<bdi>");
	html_marked(page, field_title(record), NAME_CHARACTERS, words);
	html_page_write(page, path ? "</bdi></a>" : "</bdi>");
	html_page_write(page, "</h%s>", level);
	if (description != NULL)
	{
		html_page_write(page, "<p dir=\"auto\">");
		html_marked(page, description, TEXT_CHARACTERS, words);
		html_page_write(page, "</p>");
	}
	add_facts(page, record);
	add_labels(page, record);
	html_page_write(page, "</li>");
}

void
view_list_cards(Page *page, const Value *records, const char *resource, const char *level)
{
	html_page_write(page, "<ol class=\"cards\">");
	for (const Value *record = value_first(records); record != NULL; record = record->next)
		add_card(page, record, resource, level);
	html_page_write(page, "</ol>");
}

/* A cell: brief, since a list is to be looked over. */
static void
add_cell(Page *page, const Value *value, const char *link)
{
	html_page_write(page, "<td>");
	if (link != NULL ||
		(value_given(value) && value->type == VALUE_TEXT && strlen(value->text) > CELL_CHARACTERS))
	{
		if (link != NULL)
			html_page_write(page, "<a href=\"%s\">", link);
		html_name(page, value_given(value) && value->text ? value->text : "–", CELL_CHARACTERS);
		html_page_write(page, link ? "</a>" : "");
	}
	else
		field_value(page, value, NULL);
	html_page_write(page, "</td>");
}

/* A table of records of any kind; the columns are those of the first record. */
static void
add_table(Page *page, const Value *records, const char *resource)
{
	const char *columns[COLUMNS_MAXIMUM];
	size_t count = 0;

	for (const Value *member = value_first(value_first(records));
		 member != NULL && count < COLUMNS_MAXIMUM; member = member->next)
		if (!text_has_word("id,slug,createdBy,deletedAt,optionals,notes", member->name))
			columns[count++] = member->name;
	html_page_write(
		page,
		"<div class=\"wide\" tabindex=\"0\"><table class=\"rows\"><caption>%.150s</caption>"
		"<thead><tr><th scope=\"col\">id</th>",
		page->title);
	for (size_t i = 0; i < count; i++)
		html_page_write(page, "<th scope=\"col\">%s</th>", page_label(page, columns[i]));
	html_page_write(page, "</tr></thead><tbody>");
	for (const Value *record = value_first(records); record != NULL; record = record->next)
	{
		html_page_write(page, "<tr>");
		add_cell(page, value_member(record, "id"), path_of(page, record, resource));
		for (size_t i = 0; i < count; i++)
			add_cell(page, value_member(record, columns[i]), NULL);
		html_page_write(page, "</tr>");
	}
	html_page_write(page, "</tbody></table></div>");
}

/* The resource of the records of a list, which "all" names; NULL: it names none. */
static const char *
resource_of(const Page *page)
{
	const char *all = value_text(page->links, "all");
	const char *word = all ? strrchr(all, '/') : NULL;

	if (page->request->route->call == CALL_IMPORTS)
		return "imports";
	if (page->request->route->call == CALL_LIST)
		return page->request->resource;
	return page->request->route->call == CALL_RELATED && word != NULL ? word + 1 : NULL;
}

/* The order of the list, as parameters; NULL: by relevance. */
static const char *
present_order(const Page *page)
{
	const char *by = layout_parameter(page, "orderBy");
	const char *sort = layout_parameter(page, "sort");

	if (by == NULL && sort == NULL && page->order != NULL)
		return page->order;
	if (by == NULL && layout_parameter(page, "query") != NULL)
		return NULL;
	return arena_format(&page->request->arena, "orderBy=%s&sort=%s", by ? by : "createdAt",
						sort ? sort : "ASC");
}

/* Links that order the list, of those that its records have the fields for; the present order is marked. */
static void
add_orders(Page *page, const Value *records)
{
	static const struct
	{
		const char *field; /* NULL: by relevance, in a search */
		const char *order;
		const char *word;
	} orders[] = {{NULL, NULL, WORD("Most relevant")},
				  {"createdAt", "orderBy=createdAt&sort=DESC", WORD("Newest first")},
				  {"createdAt", "orderBy=createdAt&sort=ASC", WORD("Oldest first")},
				  {"updatedAt", "orderBy=updatedAt&sort=DESC", WORD("Recently changed")},
				  {"name", "orderBy=name&sort=ASC", WORD("By name")}};
	const char *present = present_order(page);

	html_page_write(page, "<nav class=\"sort\" aria-label=\"{Order}\"><ul>");
	for (size_t i = layout_parameter(page, "query") ? 0 : 1; i < lengthof(orders); i++)
	{
		const char *order = orders[i].order;
		bool current = order && present ? strcmp(order, present) == 0 : order == present;

		if (order != NULL && value_member(value_first(records), orders[i].field) == NULL)
			continue;
		html_page_write(page, "<li><a rel=\"nofollow\" href=\"%s\"",
						layout_here(page, "orderBy,sort,skip,after,before,version", order));
		html_page_write(page, current ? " aria-current=\"true\">" : ">");
		html_page_write(page, "%s</a></li>", page_word(page, orders[i].word));
	}
	html_page_write(page, "</ul></nav>");
}

/*
 * How many there are, or about how many, of what they are called, and of what was searched for; NULL: "results" is a name.
 */
static void
add_count(Page *page, const char *count, const Value *meta, const char *called)
{
	const char *query = layout_parameter(page, "query");
	const char *estimate = value_text(meta, "estimate");

	count = estimate ? estimate : count;
	if (count == NULL)
		return;
	html_page_write(page, estimate ? "<p class=\"count\">{approximately} " : "<p class=\"count\">");
	html_page_write(page, "<strong>%s</strong> <span>%s</span>", html_page_number(page, count),
					called == NULL || strcmp(count, "1") == 0
						? page_plural(page, count, "result", "results")
						: called);
	if (query != NULL)
	{
		html_page_write(page, " {for} <q>%.150s</q>", query);
	}
	if (estimate != NULL)
		view_facets_exact(page);
	html_page_write(page, "</p>");
}

/* The query string of a search for words. */
static const char *
search_query(Page *page, const char *words)
{
	Buffer query;

	buffer_init(&query, 4 * TARGET_MAXIMUM);
	buffer_text(&query, "?query=");
	text_percent_encode(&query, words, strlen(words));
	return arena_take(&page->request->arena, &query);
}

/* The address of the search for other words. */
static const char *
search_for(Page *page, const char *words)
{
	return layout_here(page, "query,skip,after,before,version", search_query(page, words) + 1);
}

/* The search with each of its corrected words, in their places; of several words all of them at once. */
static void
add_all_corrected(Page *page, const Value *corrections)
{
	Arena *arena = &page->request->arena;
	const char *words = "";
	size_t done = 0;

	for (const Value *one = value_first(corrections); one != NULL; one = one->next)
	{
		const char *before = value_text(one, "before");
		const Value *near = value_first(value_member(one, "nearest"));
		size_t length = strlen(before);

		words = arena_join(arena, words, done <= length ? before + done : "", near->text,
						   one->next == NULL ? value_text(one, "after") : "");
		done = length + strlen(value_text(one, "word"));
	}
	html_page_write(page, "<li><a rel=\"nofollow\" href=\"%s\">%.300s</a></li>",
					search_for(page, words), words);
}

/* A search with words near those that nothing has, each in its place. */
static void
add_corrections(Page *page)
{
	const Value *corrections = value_member(page->meta, "corrections");
	const Value *one = value_first(corrections);

	if (one == NULL)
		return;
	html_page_write(page, "<p>{Did you mean}:</p><ul class=\"names corrections\">");
	if (one->next != NULL)
		add_all_corrected(page, corrections);
	for (; one != NULL; one = one->next)
	{
		const char *before = value_text(one, "before");
		const char *after = value_text(one, "after");
		const Value *near = value_first(value_member(one, "nearest"));

		for (; near != NULL; near = near->next)
			html_page_write(
				page,
				"<li><a rel=\"nofollow\" href=\"%s\"><bdi>%s<strong>%s</strong>%s</bdi></a></li>",
				search_for(page, arena_join(&page->request->arena, before, near->text, after)),
				before, near->text, after);
	}
	html_page_write(page, "</ul>");
}

/* Where else a search may find something: without its filters, and in other resources. */
static void
add_ways(Page *page)
{
	const char *query = layout_parameter(page, "query");

	if (query == NULL)
		return;
	query = search_query(page, query);
	html_page_write(page, "<ul class=\"names\">");
	if (value_first(page->data) == NULL && strchr(page->request->query, '&') != NULL)
		html_page_write(page, "<li><a rel=\"nofollow\" href=\"%s\">{Remove all filters}</a></li>",
						layout_path(page, "/%s/search%s", page->request->resource, query));
	html_page_write(page,
					"<li><a rel=\"nofollow\" href=\"%s\">"
					"{Search in files, organizations and categories, too}</a></li></ul>",
					layout_path(page, "/search%s", query));
}

void
view_list_names(Page *page, const Value *records, const char *resource)
{
	html_page_write(page, "<ul class=\"counted\">");
	for (const Value *record = value_first(records); record != NULL; record = record->next)
	{
		const char *id = value_text(record, "id");
		const char *count = id ? view_facets_count(page, resource, id) : NULL;

		html_page_write(page, "<li><a href=\"%s\">%.150s</a>",
						layout_record(page, resource, record), field_title(record));
		if (count != NULL)
			html_page_write(page, " <span class=\"count\">%s</span>",
							html_page_number(page, count));
		html_page_write(page, "</li>");
	}
	html_page_write(page, "</ul>");
}

/* Records by their names, if datasets have them, as cards, if they have descriptions, else as a table. */
static void
add_records(Page *page, const Value *records, const char *resource, const char *level)
{
	const Value *first = value_first(records);

	if (first == NULL)
		field_nothing(page);
	else if (text_has_word("organizations,categories,tags", resource ? resource : ""))
		view_list_names(page, records, resource);
	else if (value_member(first, "name") != NULL && value_member(first, "description") != NULL)
		view_list_cards(page, records, resource, level);
	else
		add_table(page, records, resource);
}

/* Four numbers with commas between */
static const char place_pattern[] = "(-?\\d+(\\.\\d+)?,){3}-?\\d+(\\.\\d+)?";

/* A form to find datasets by place: four numbers, which a script lets draw on a map. */
static void
add_place(Page *page, const char *resource)
{
	const char *box = layout_parameter(page, "bbox");

	if (resource == NULL || strcmp(resource, "datasets") != 0 ||
		page->request->route->call != CALL_LIST)
		return;
	html_page_write(page,
					"<details class=\"place\"%s><summary>{Find by place}</summary>"
					"<form class=\"row\" method=\"get\" action=\"%s\">",
					box ? " open" : "", layout_path(page, "/datasets"));
	layout_hidden(page, "bbox,skip,after,before,version,lang", NULL);
	html_page_write(
		page,
		"<label>{West, south, east and north in degrees} <input name=\"bbox\" dir=\"ltr\" "
		"pattern=\"%s\" value=\"%s\" placeholder=\"-10,35,20,44\"></label> "
		"<button type=\"submit\">{Search}</button></form></details>",
		place_pattern, box ? box : "");
}

/* The results of a search in all resources, by resource. */
static void
add_results(Page *page)
{
	const Value *collections = value_member(page->links, "collections");

	for (const Value *found = value_first(page->data); found != NULL; found = found->next)
	{
		const char *all = layout_link(page, value_text(collections, found->name));

		html_page_write(page, "<section>");
		field_heading(page, "2", page_label(page, found->name));
		add_records(page, found, found->name, "3");
		if (all != NULL)
			html_page_write(page, "<p><a href=\"%s\">{All}: %s</a></p>", all,
							page_label(page, found->name));
		html_page_write(page, "</section>");
	}
}

/* Has the list a search or filters? */
static bool
is_narrowed(const Page *page)
{
	return layout_parameter(page, "query") != NULL || value_member(page->meta, "without") != NULL;
}

/* A list of records with what narrows and orders it. */
static void
add_list(Page *page, const Value *records, const char *resource, const char *level)
{
	html_page_write(page, "<section class=\"results\">");
	if (page->list == NULL)
		view_facets_chosen(page);
	if (value_first(records) != NULL)
		add_orders(page, records);
	if (value_first(records) == NULL && is_narrowed(page))
		html_page_write(page, "<p class=\"lead\">{Nothing was found.}</p>");
	else
		add_records(page, records, resource, level);
	if (page->list == NULL)
		add_corrections(page);
	view_facets_without(page);
}

/* The end of the list: its other pages, and a feed of its datasets. */
static void
end_list(Page *page, const char *resource, const Value *links, const Value *meta)
{
	layout_pages(page, links, meta);
	if (resource != NULL && strcmp(resource, "datasets") == 0)
		html_page_write(page, "<p><a href=\"%s\">{Feed of these datasets}</a></p>",
						layout_feed(page));
	add_ways(page);
	html_page_write(page, "</section>");
}

/* The pages of a list whose first one is shown, as members of an object: their number, if that is known, and links to
 * others. */
static const Value *
pages_of(const Page *page, long long count)
{
	enum
	{
		LIMIT = 20 /* of a list that asks for none */
	};
	Arena *arena = &page->request->arena;
	long long pages = (count + LIMIT - 1) / LIMIT;
	const char *path = arena_join(arena, page->request->base, "/datasets?", page->list, "&skip=");
	const char *known = count >= 0 ? arena_format(arena, ",\"pages\":%lld,\"last\":\"%s%lld\"",
												  pages, path, (pages - 1) * LIMIT)
								   : "";
	const char *members =
		arena_format(arena, "{\"page\":1,\"next\":\"%s%d\"%s}", path, LIMIT, known);

	return members ? value_read(arena, members, strlen(members)) : NULL;
}

void
view_list_narrowed(Page *page)
{
	const PageResult *found = structured_data_result(page, "datasets");
	const Value *pages;

	page->list = page->narrowed;
	pages = pages_of(page, found->count);
	field_heading(page, "2", page_label(page, "datasets"));
	add_count(page, arena_format(&page->request->arena, "%lld", (long long) found->count),
			  found->meta, page_label(page, "datasets"));
	view_facets(page, found->meta);
	add_list(page, found->data, "datasets", "3");
	end_list(page, "datasets", pages, pages);
	page->list = NULL;
}

void
view_list(Page *page)
{
	const char *resource = resource_of(page);
	bool several = page->data != NULL && page->data->type == VALUE_OBJECT;

	html_page_write(page, "<h1>%.150s</h1>", page->title);
	add_count(page, value_text(page->meta, "count"), page->meta, several ? NULL : page->title);
	if (several)
		add_results(page);
	else
	{
		view_facets(page, page->meta);
		add_place(page, resource);
		add_list(page, page->data, resource, "2");
		end_list(page, resource, page->links, page->meta);
	}
	view_api(page);
}
