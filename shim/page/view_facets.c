/*
 * view_facets.c - the values of a list that narrow it, with their numbers; the filters that it has.
 */

#include "net/framing.h"
#include "page/views.h"

#define FACETS_OPENED "100" /* values of each facet, when more are asked for */
#define VALUES_MAXIMUM 50	/* of a filter that links keep, and of all filters that are shown */
#define FACETS_MAXIMUM 24	/* of a list */
#define VALUES_NAMED 5		/* of a filter, at a link that leaves it out */
#define NAME_CHARACTERS 60

/* Where a list that is narrowed otherwise begins. */
#define BEGINNING "skip,after,before,version"

/*
 * The next value of a filter, of those with commas between; one in double quotes may have commas, and each quote twice.
 * NULL: there is none.  *rest moves behind it.
 */
static const char *
next_value(Arena *arena, const char **rest)
{
	const char *c = *rest;
	bool quoted = c != NULL && *c == '"';
	Buffer value;

	if (c == NULL)
		return NULL;
	buffer_init(&value, TARGET_MAXIMUM);
	for (c += quoted; *c != '\0' && (quoted || *c != ','); c++)
	{
		if (quoted && *c == '"' && *++c != '"')
			quoted = false;
		if (*c == '\0' || (!quoted && *c == ','))
			break;
		buffer_append(&value, c, 1);
	}
	*rest = *c != '\0' ? c + 1 : NULL;
	return arena_take(arena, &value);
}

/* Append a value to those of a filter, so that next_value() reads it. */
static void
add_value(Buffer *values, const char *value)
{
	bool quoted = strchr(value, ',') != NULL || *value == '"' || *value == '\0';

	buffer_append(values, ",", values->length > 0);
	buffer_append(values, "\"", quoted);
	for (; *value != '\0'; value++)
		buffer_append(values, *value == '"' && quoted ? "\"\"" : value,
					  *value == '"' && quoted ? 2 : 1);
	buffer_append(values, "\"", quoted);
}

/* The values of a filter with one more, or without it if they have it. */
static const char *
toggle(Page *page, const char *values, const char *value, bool *set)
{
	Arena *arena = &page->request->arena;
	const char *other;
	Buffer all;

	*set = false;
	buffer_init(&all, 4 * TARGET_MAXIMUM);
	for (int i = 0; i < VALUES_MAXIMUM && (other = next_value(arena, &values)) != NULL; i++)
		if (strcmp(other, value) == 0)
			*set = true;
		else if (*other != '\0')
			add_value(&all, other);
	if (!*set)
		add_value(&all, value);
	return arena_take(arena, &all);
}

/* The address of the list with these values of a filter, or, of none, without it. */
static const char *
address_with(Page *page, const char *name, const char *values, bool more)
{
	Arena *arena = &page->request->arena;
	const char *without = arena_join(arena, name, "," BEGINNING, more ? ",condition" : "");
	size_t bare = strcspn(name, "[");
	Buffer parameters;

	if (*values == '\0')
		return layout_here(page, without, NULL);
	buffer_init(&parameters, 16 * TARGET_MAXIMUM);
	buffer_text(&parameters, more ? "condition=AND&" : "");
	text_percent_encode(&parameters, name, bare);
	buffer_text(&parameters, name + bare);
	buffer_text(&parameters, "=");
	text_percent_encode(&parameters, values, strlen(values));
	return layout_here(page, without, arena_take(arena, &parameters));
}

/* The filter that the values of a facet make: texts are compared as a whole. */
static const char *
filter_of(Page *page, const Value *facet, const Value *choice)
{
	const Value *value = value_member(choice, "value");

	return value != NULL && value->type == VALUE_TEXT
			   ? arena_join(&page->request->arena, facet->name, "[eq]")
			   : facet->name;
}

/* One value of a facet: a link that adds it to the values of the filter, or takes it away. */
static void
add_choice(Page *page, const Value *choice, const char *filter, const char *values)
{
	const char *value = value_text(choice, "id");
	const char *name = value ? field_title(choice) : value_text(choice, "value");
	const char *count = value_text(choice, "count");
	bool set;

	value = value ? value : name;
	if (value == NULL)
		return;
	values = toggle(page, values, value, &set);
	html_page_write(page, "<li><a");
	if (set)
		html_page_write(page, " aria-current=\"true\" title=\"{Remove this filter}\"");
	html_page_write(
		page, " rel=\"nofollow\" href=\"%s\">%.150s</a> <span class=\"muted\">%s</span></li>",
		address_with(page, filter, values, !set), name, count ? html_page_number(page, count) : "");
}

void
view_facets_choices(Page *page, const Value *facet)
{
	const Value *choice = value_first(value_member(facet, "values"));
	const char *filter = filter_of(page, facet, choice);
	const char *values = layout_parameter(page, filter);

	for (; choice != NULL; choice = choice->next)
		add_choice(page, choice, filter, values);
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

/* A facet: its values, and a link to further ones. */
static void
add_facet(Page *page, const Value *facet)
{
	const char *rest = value_text(facet, "rest");

	html_page_write(page, "<section>");
	field_heading(page, "3", page_label(page, facet->name));
	html_page_write(page, "<ul>");
	view_facets_choices(page, facet);
	if (rest != NULL && strcmp(rest, "0") != 0)
		html_page_write(page, "<li><a rel=\"nofollow\" href=\"%s\">+ %s {more}</a></li>",
						layout_here(page, "facetLimit", "facetLimit=" FACETS_OPENED), rest);
	html_page_write(page, "</ul></section>");
}

/* Tell how old the numbers are, of a list whose records are too many to count at each change. */
static void
add_age(Page *page, const char *age)
{
	if (age != NULL)
		html_page_write(
			page, "<p class=\"muted\">{Seconds since these numbers were counted}: %s</p>", age);
}

void
view_facets_exact(Page *page)
{
	const char *list = page->list;

	page->list = NULL;
	html_page_write(page, " <a class=\"exact\" rel=\"nofollow\" href=\"%s\">{Count exactly}</a>",
					layout_here(page, "", PAGE_EXACT));
	page->list = list;
}

/* Begin the facets of a list; uncounted: they have not been counted. */
static void
begin_facets(Page *page, const Value *meta, bool uncounted)
{
	html_page_write(page, "<aside class=\"facets\">");
	field_heading(page, "2", page_word(page, "Narrow the results"));
	add_age(page, value_text(meta, "age"));
	if (!uncounted)
		return;
	html_page_write(page, "<p class=\"muted\">{These numbers take long to count.}");
	view_facets_exact(page);
	html_page_write(page, "</p>");
}

/* Have some facets of a list not been counted? */
static bool
has_uncounted(const Value *facets)
{
	const Value *facet = value_first(facets);

	while (facet != NULL && value_given(value_member(facet, "rest")))
		facet = facet->next;
	return facet != NULL;
}

void
view_facets(Page *page, const Value *meta)
{
	/* a filter does not move its facet; others follow */
	static const char *const first[] = {"categories", "subcategories", "tags",	"organization",
										"license",	  "files.type",	   "place", "dataDate.year"};
	const Value *ordered[FACETS_MAXIMUM] = {NULL};
	size_t others = lengthof(first);
	bool begun = has_uncounted(value_member(meta, "facets"));

	if (begun)
		begin_facets(page, meta, true);
	for (const Value *facet = value_first(value_member(meta, "facets")); facet != NULL;
		 facet = facet->next)
	{
		size_t at = 0;

		while (at < lengthof(first) && strcmp(facet->name, first[at]) != 0)
			at++;
		at = at < lengthof(first) ? at : others++;
		if (at < FACETS_MAXIMUM && value_first(value_member(facet, "values")) != NULL)
			ordered[at] = facet;
	}
	for (size_t i = 0; i < FACETS_MAXIMUM; i++)
	{
		if (ordered[i] == NULL)
			continue;
		if (!begun)
			begin_facets(page, meta, false);
		begun = true;
		add_facet(page, ordered[i]);
	}
	html_page_write(page, begun ? "</aside>" : "");
}

/* ---- The filters of the list ---- */

/* Parameters that filter nothing */
static const char others[] =
	"query,match,condition,orderBy,sort,limit,skip,window,version,deleted,after,before,fields,"
	"include,facets,facetLimit,nearest,bom,jwt,lang";

/* Has a list of texts this one? */
static bool
has_text(const Value *list, const char *text)
{
	const Value *element = value_first(list);

	while (element != NULL && (element->text == NULL || strcmp(element->text, text) != 0))
		element = element->next;
	return element != NULL;
}

/* What a value of a filter is called: a record that the facets have counted by its name. */
static const char *
value_name(const Page *page, const char *filter, const char *value)
{
	const Value *facet = value_member(value_member(page->meta, "facets"), filter);

	for (const Value *choice = value_first(value_member(facet, "values")); choice != NULL;
		 choice = choice->next)
		if (value_text(choice, "id") != NULL && strcmp(value_text(choice, "id"), value) == 0)
			return field_title(choice);
	if (strcmp(value, "null") == 0)
		return page_word(page, "none");
	return field_day(page, value);
}

/* What a filter is called, and how it compares, which is in brackets at the end of its name. */
static const char *
filter_label(Page *page, const char *filter)
{
	static const char *const signs[][2] = {
		{"[gte]", " ≥"}, {"[lte]", " ≤"}, {"[gt]", " >"}, {"[lt]", " <"}, {"[ne]", " ≠"}};
	size_t length = strcspn(filter, "[");
	const char *name = page_label(page, arena_text(&page->request->arena, filter, length));

	for (size_t i = 0; i < lengthof(signs); i++)
		if (strcmp(filter + length, signs[i][0]) == 0)
			return arena_join(&page->request->arena, name, signs[i][1]);
	return arena_join(&page->request->arena, name, ":");
}

/* Append a link that removes a value of a filter; kept: the values that stay. */
static void
add_chip(Page *page, const char *filter, const char *kept, const char *name)
{
	html_page_write(page, "<li><a rel=\"nofollow\" href=\"%s\" title=\"{Remove this filter}\">%s ",
					address_with(page, filter, kept, false), filter_label(page, filter));
	html_name(page, name, NAME_CHARACTERS);
	html_page_write(page, " <span aria-hidden=\"true\">×</span></a></li>");
}

/* Append each value of a filter as a link that removes it; returns their number. */
static int
add_filter(Page *page, const char *filter, const char *values, int most)
{
	const char *rest = values;
	const char *value;
	bool set;
	int count = 0;

	/* a rectangle is one value */
	if (strcmp(filter, "bbox") == 0)
	{
		add_chip(page, filter, "", values ? values : "");
		return 1;
	}
	for (; count < most && (value = next_value(&page->request->arena, &rest)) != NULL; count++)
	{
		const char *kept = toggle(page, values, value, &set);

		add_chip(page, filter, kept, value_name(page, filter, value));
	}
	return count;
}

void
view_facets_chosen(Page *page)
{
	Arena *arena = &page->request->arena;
	const Value *ignored = value_member(page->meta, "ignored");
	const char *query = page->request->query;
	const char *word;
	size_t length;
	int count = 0;

	while ((word = text_query_word(&query, &length)) != NULL && count < VALUES_MAXIMUM)
	{
		size_t end = strcspn(word, "=&");
		const char *name = text_form_decode(arena, word, end < length ? end : length);

		if (end >= length || text_has_word(others, name) || has_text(ignored, name))
			continue;
		html_page_write(page, count == 0 ? "<ul class=\"chips\" aria-label=\"{Filters}\">" : "");
		count += add_filter(page, name, layout_parameter(page, name), VALUES_MAXIMUM - count);
	}
	html_page_write(page, count > 0 ? "</ul>" : "");
}

/* Append a link to the list without a filter, and how many records it then has. */
static void
add_without(Page *page, const char *filter, const char *count)
{
	bool search = strcmp(filter, "query") == 0;
	const char *values = layout_parameter(page, filter);
	const char *sign = " ";
	const char *value;

	html_page_write(page, "<li><a rel=\"nofollow\" href=\"%s\">{Without} %s",
					address_with(page, filter, "", false),
					search ? page_word(page, "the search") : filter_label(page, filter));
	for (int i = 0; !search && i < VALUES_NAMED &&
					(value = next_value(&page->request->arena, &values)) != NULL;
		 i++, sign = ", ")
	{
		html_page_write(page, "%s", sign);
		html_name(page, value_name(page, filter, value), NAME_CHARACTERS);
	}
	html_page_write(page, "</a> <span class=\"count\">%s</span></li>",
					html_page_number(page, count));
}

void
view_facets_without(Page *page)
{
	bool begun = false;

	for (const Value *filter = value_first(value_member(page->meta, "without")); filter != NULL;
		 filter = filter->next)
	{
		if (filter->text == NULL || strcmp(filter->text, "0") == 0)
			continue;
		html_page_write(page, begun ? "" : "<ul class=\"without\">");
		add_without(page, filter->name, filter->text);
		begun = true;
	}
	html_page_write(page, begun ? "</ul>" : "");
}
