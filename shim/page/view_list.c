/*
 * view_list.c - lists and searches: cards or a table, order, facets, pages.
 */
#include <string.h>

#include "page/page_internal.h"

#define COLUMNS_MAXIMUM 7 /* of a table of records */
#define NAME_CHARACTERS 150
#define TEXT_CHARACTERS 280
#define CELL_CHARACTERS 120

/* A filter that a value of a facet makes. */
typedef struct Filter
{
	const char *names; /* comma-separated names of its parameters */
	const char *more;  /* the parameters, encoded */
	bool set;		   /* the request has it */
} Filter;

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

/* The path of a record; NULL: it has no id, or no resource is known. */
static const char *
path_of(const Page *page, const Value *record, const char *resource)
{
	const char *id = value_text(record, "id");

	if (id == NULL || resource == NULL)
		return NULL;
	return layout_path(page, arena_format(&page->request->arena, "/%s/%s", resource, id));
}

/* The names of related records, linked. */
static void
add_names(Page *page, const Value *records, const char *resource)
{
	Buffer *out = &page->request->answer.head;

	for (const Value *record = value_first(records); record != NULL; record = record->next)
	{
		const char *path = path_of(page, record, resource);

		if (path == NULL)
			continue;
		html_format(out, "<li><a href=\"%s\">", path);
		html_name(out, field_title(record), NAME_CHARACTERS);
		buffer_text(out, "</a></li>");
	}
}

static void
add_card(Page *page, const Value *record, const char *resource, const char *level)
{
	Buffer *out = &page->request->answer.head;
	const char *path = path_of(page, record, resource);
	const char *description = value_text(record, "description");
	const Value *changed = value_member(record, "updatedAt");

	html_format(out, "<li class=\"card\"><h%s>", level);
	if (path != NULL)
		html_format(out, "<a href=\"%s\">", path);
	html_name(out, field_title(record), NAME_CHARACTERS);
	buffer_text(out, path ? "</a>" : "");
	html_format(out, "</h%s>", level);
	if (description != NULL)
	{
		buffer_text(out, "<p dir=\"auto\">");
		html_brief(out, description, TEXT_CHARACTERS);
		buffer_text(out, "</p>");
	}
	buffer_text(out, "<ul class=\"muted names\">");
	add_names(page, value_member(record, "categories"), "categories");
	add_names(page, value_member(record, "tags"), "tags");
	if (value_given(changed))
	{
		html_format(out, "<li>%s ", label(page, "updatedAt"));
		field_value(page, changed, NULL);
		buffer_text(out, "</li>");
	}
	buffer_text(out, "</ul></li>");
}

void
view_cards(Page *page, const Value *records, const char *resource, const char *level)
{
	Buffer *out = &page->request->answer.head;

	buffer_text(out, "<ol class=\"cards\">");
	for (const Value *record = value_first(records); record != NULL; record = record->next)
		add_card(page, record, resource, level);
	buffer_text(out, "</ol>");
}

/* Is the member one that tells people something in a table? */
static bool
is_told(const Value *member)
{
	return !text_has_word("slug,createdBy,deletedAt,optionals,notes", member->name) &&
		   strcmp(member->name, "id") != 0;
}

/* A cell: brief, since a list is to be looked over. */
static void
add_cell(Page *page, const Value *value, const char *link)
{
	Buffer *out = &page->request->answer.head;

	buffer_text(out, "<td>");
	if (link != NULL ||
		(value_given(value) && value->type == VALUE_TEXT && strlen(value->text) > CELL_CHARACTERS))
	{
		if (link != NULL)
			html_format(out, "<a href=\"%s\">", link);
		html_name(out, value_given(value) && value->text ? value->text : "–", CELL_CHARACTERS);
		buffer_text(out, link ? "</a>" : "");
	}
	else
		field_value(page, value, NULL);
	buffer_text(out, "</td>");
}

/* A table of records of any kind; the columns are those of the first record. */
static void
add_table(Page *page, const Value *records, const char *resource)
{
	Buffer *out = &page->request->answer.head;
	const char *columns[COLUMNS_MAXIMUM];
	size_t count = 0;

	for (const Value *member = value_first(value_first(records));
		 member != NULL && count < COLUMNS_MAXIMUM; member = member->next)
		if (is_told(member))
			columns[count++] = member->name;
	buffer_text(out, "<div class=\"wide\" tabindex=\"0\"><table class=\"rows\"><caption>");
	html_name(out, page->title, NAME_CHARACTERS);
	buffer_text(out, "</caption><thead><tr><th scope=\"col\">id</th>");
	for (size_t i = 0; i < count; i++)
		html_format(out, "<th scope=\"col\">%s</th>", label(page, columns[i]));
	buffer_text(out, "</tr></thead><tbody>");
	for (const Value *record = value_first(records); record != NULL; record = record->next)
	{
		buffer_text(out, "<tr>");
		add_cell(page, value_member(record, "id"), path_of(page, record, resource));
		for (size_t i = 0; i < count; i++)
			add_cell(page, value_member(record, columns[i]), NULL);
		buffer_text(out, "</tr>");
	}
	buffer_text(out, "</tbody></table></div>");
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

/* Append a parameter. */
static void
add_parameter(Buffer *more, const char *name, const char *operator, const char * value,
			  const char *rest)
{
	buffer_text(more, "&");
	text_percent_encode(more, name, strlen(name));
	buffer_text(more, operator);
	buffer_text(more, "=");
	text_percent_encode(more, value, strlen(value));
	buffer_text(more, rest);
}

/* A value of a facet as a filter; a year is an interval of the field that precedes ".year". */
static Filter
filter_of(Page *page, const char *name, const char *value)
{
	Arena *arena = &page->request->arena;
	const char *dot = strrchr(name, '.');
	const char *current;
	Filter filter;
	Buffer more;

	buffer_init(&more, 65536);
	buffer_text(&more, "condition=AND");
	if (dot != NULL && strcmp(dot, ".year") == 0)
	{
		const char *field = arena_text(arena, name, (size_t) (dot - name));

		filter.names = arena_format(arena, "%s[gte],%s[lte]", field, field);
		current = layout_parameter(page, arena_format(arena, "%s[gte]", field));
		filter.set =
			current != NULL && strcmp(current, arena_format(arena, "%s-01-01", value)) == 0;
		add_parameter(&more, field, "[gte]", value, "-01-01");
		add_parameter(&more, field, "[lte]", value, "-12-31");
	}
	else
	{
		filter.names = name;
		current = layout_parameter(page, name);
		filter.set = current != NULL && strcmp(current, value) == 0;
		add_parameter(&more, name, "", value, "");
	}
	filter.more = arena_text(arena, more.data, more.length);
	buffer_free(&more);
	return filter;
}

/* One value of a facet: a link that sets or removes it as a filter. */
static void
add_choice(Page *page, const Value *facet, const Value *choice)
{
	Buffer *out = &page->request->answer.head;
	const char *value = value_text(choice, "id");
	const char *name = value ? field_title(choice) : value_text(choice, "value");
	const char *count = value_text(choice, "count");
	const char *without;
	Filter filter;

	value = value ? value : name;
	if (value == NULL)
		return;
	filter = filter_of(page, facet->name, value);
	without = arena_format(&page->request->arena, "%s,skip,after,before,version%s", filter.names,
						   filter.set ? "" : ",condition");
	if (filter.set)
		html_format(out, "<li><a aria-current=\"true\" rel=\"nofollow\" href=\"%s\" title=\"%s\">",
					layout_here(page, without, NULL), text(page, WORD_REMOVE));
	else
		html_format(out, "<li><a rel=\"nofollow\" href=\"%s\">",
					layout_here(page, without, filter.more));
	html_name(out, name, NAME_CHARACTERS);
	html_format(out, "</a> <span class=\"muted\">%s</span></li>", count ? count : "0");
}

static void
add_facets(Page *page, const Value *facets)
{
	Buffer *out = &page->request->answer.head;

	if (value_first(facets) == NULL)
		return;
	buffer_text(out, "<aside class=\"facets\">");
	field_heading(page, "2", text(page, WORD_FACETS));
	for (const Value *facet = facets->first; facet != NULL; facet = facet->next)
	{
		const Value *choice = value_first(value_member(facet, "values"));
		const char *rest = value_text(facet, "rest");

		if (choice == NULL)
			continue;
		buffer_text(out, "<section>");
		field_heading(page, "3", label(page, facet->name));
		buffer_text(out, "<ul>");
		for (; choice != NULL; choice = choice->next)
			add_choice(page, facet, choice);
		if (rest != NULL && strcmp(rest, "0") != 0)
			html_format(out, "<li class=\"muted\">+ %s %s</li>", rest,
						text(page, WORD_MORE_VALUES));
		buffer_text(out, "</ul></section>");
	}
	buffer_text(out, "</aside>");
}

/* Links that order the list, of those that its records have the fields for. */
static void
add_orders(Page *page)
{
	static const struct
	{
		const char *field;
		const char *sort;
		Word word;
	} orders[] = {{"createdAt", "DESC", WORD_NEWEST_FIRST},
				  {"createdAt", "ASC", WORD_OLDEST_FIRST},
				  {"updatedAt", "DESC", WORD_RECENTLY_CHANGED},
				  {"name", "ASC", WORD_BY_NAME}};
	Buffer *out = &page->request->answer.head;
	const char *by = layout_parameter(page, "orderBy");
	const char *sort = layout_parameter(page, "sort");
	const Value *first = value_first(page->data);

	html_format(out, "<nav class=\"sort\" aria-label=\"%s\"><ul>", text(page, WORD_SORT));
	for (size_t i = 0; i < lengthof(orders); i++)
	{
		const char *more = arena_format(&page->request->arena, "orderBy=%s&sort=%s",
										orders[i].field, orders[i].sort);
		bool current = by != NULL && strcmp(by, orders[i].field) == 0 &&
					   strcmp(sort ? sort : "ASC", orders[i].sort) == 0;

		if (value_member(first, orders[i].field) == NULL)
			continue;
		html_format(out, "<li><a rel=\"nofollow\" href=\"%s\"",
					layout_here(page, "orderBy,sort,skip,after,before,version", more));
		buffer_text(out, current ? " aria-current=\"true\">" : ">");
		html_format(out, "%s</a></li>", text(page, orders[i].word));
	}
	buffer_text(out, "</ul></nav>");
}

/* Records as cards, if they have names and descriptions, else as a table. */
static void
add_records(Page *page, const Value *records, const char *resource, const char *level)
{
	const Value *first = value_first(records);

	if (first == NULL)
		html_format(&page->request->answer.head, "<p class=\"muted\">%s</p>",
					text(page, WORD_NOTHING));
	else if (value_member(first, "name") != NULL && value_member(first, "description") != NULL)
		view_cards(page, records, resource, level);
	else
		add_table(page, records, resource);
}

/* The results of a search in all resources, by resource. */
static void
add_results(Page *page)
{
	const Value *collections = value_member(page->links, "collections");

	for (const Value *found = value_first(page->data); found != NULL; found = found->next)
	{
		const char *all = layout_link(page, value_text(collections, found->name));

		buffer_text(&page->request->answer.head, "<section>");
		field_heading(page, "2", label(page, found->name));
		add_records(page, found, found->name, "3");
		if (all != NULL)
			html_format(&page->request->answer.head, "<p><a href=\"%s\">%s: %s</a></p>", all,
						text(page, WORD_ALL), label(page, found->name));
		buffer_text(&page->request->answer.head, "</section>");
	}
}

void
view_list(Page *page)
{
	Buffer *out = &page->request->answer.head;
	const char *count = value_text(page->meta, "count");

	buffer_text(out, "<h1>");
	html_name(out, page->title, NAME_CHARACTERS);
	buffer_text(out, "</h1>");
	if (count != NULL)
		html_format(out, "<p class=\"count\">%s: <strong>%s</strong></p>", text(page, WORD_RESULTS),
					count);
	if (page->data != NULL && page->data->type == VALUE_OBJECT)
		add_results(page);
	else
	{
		add_facets(page, value_member(page->meta, "facets"));
		buffer_text(out, "<section class=\"results\">");
		add_orders(page);
		add_records(page, page->data, resource_of(page), "2");
		layout_pages(page, page->links, page->meta);
		buffer_text(out, "</section>");
	}
	view_api(page);
}
