/*
 * view_facets.c - the values of a list that narrow it, with their numbers.
 */

#include "page/views.h"

#define FACETS_OPENED "100" /* values of each facet, when more are asked for */

/* A filter that a value of a facet makes. */
typedef struct Filter
{
	const char *names; /* comma-separated names of its parameters */
	const char *more;  /* the parameters, encoded */
	bool set;		   /* the request has it */
} Filter;

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
	filter.more = arena_take(arena, &more);
	return filter;
}

/* One value of a facet: a link that sets or removes it as a filter. */
static void
add_choice(Page *page, const Value *facet, const Value *choice)
{
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
		html_page_write(
			page,
			"<li>"
			"<a aria-current=\"true\" rel=\"nofollow\" href=\"%s\" title=\"{Remove this filter}\">",
			layout_here(page, without, NULL));
	else
		html_page_write(page, "<li><a rel=\"nofollow\" href=\"%s\">",
						layout_here(page, without, filter.more));
	html_page_write(page, "%.150s</a> <span class=\"muted\">%s</span></li>", name,
					html_page_number(page, count ? count : "0"));
}

const char *
view_facets_count(const Page *page, const char *resource, const char *id)
{
	static const struct
	{
		const char *resource;
		const char *facet;
	} names[] = {{"organizations", "organization"},
				 {"categories", "categories"},
				 {"categories", "subcategories"},
				 {"tags", "tags"}};
	const Value *facets = value_member(structured_data_result(page, "datasets")->meta, "facets");
	const char *count = NULL;

	for (size_t i = 0; i < lengthof(names); i++)
	{
		const Value *facet = value_member(facets, names[i].facet);
		const Value *value = value_first(value_member(facet, "values"));
		const char *rest = value_text(facet, "rest");

		if (rest == NULL || strcmp(names[i].resource, resource) != 0)
			continue;
		while (value != NULL && strcmp(value_text(value, "id"), id) != 0)
			value = value->next;
		if (value != NULL)
			return value_text(value, "count");
		count = strcmp(rest, "0") == 0 ? "0" : NULL;
	}
	return count;
}

void
view_facets(Page *page, const Value *facets)
{
	bool begun = false;

	for (const Value *facet = value_first(facets); facet != NULL; facet = facet->next)
	{
		const Value *choice = value_first(value_member(facet, "values"));
		const char *rest = value_text(facet, "rest");

		if (choice == NULL)
			continue;
		if (!begun)
		{
			html_page_write(page, "<aside class=\"facets\">");
			field_heading(page, "2", page_word(page, "Narrow the results"));
			begun = true;
		}
		html_page_write(page, "<section>");
		field_heading(page, "3", page_label(page, facet->name));
		html_page_write(page, "<ul>");
		for (; choice != NULL; choice = choice->next)
			add_choice(page, facet, choice);
		if (rest != NULL && strcmp(rest, "0") != 0)
			html_page_write(page, "<li><a rel=\"nofollow\" href=\"%s\">+ %s {more}</a></li>",
							layout_here(page, "facetLimit", "facetLimit=" FACETS_OPENED), rest);
		html_page_write(page, "</ul></section>");
	}
	html_page_write(page, begun ? "</aside>" : "");
}
