/*
 * layout.c - what all pages have: head, header, navigation, footer, and their addresses.
 */

#include "answer/answer.h"
#include "answer/envelope.h"
#include "database/clients.h"
#include "net/header.h"
#include "page/views.h"

#define TITLE_CHARACTERS 120
#define DESCRIPTION_CHARACTERS 200
#define REFRESHED_AFTER "10" /* seconds, while something is in progress */

static const char *const view_names[] = {
	[VIEW_HOME] = "home",	 [VIEW_LIST] = "list",		 [VIEW_ITEM] = "item",
	[VIEW_DATASET] = "item", [VIEW_FILE] = "file",		 [VIEW_PAGE] = "item",
	[VIEW_ERROR] = "error",	 [VIEW_WAITING] = "waiting", [VIEW_DOCS] = "docs",
};

const char *
layout_path_address(const Page *page, const char *path)
{
	const char *sign = strchr(path, '?') != NULL ? "&" : "?";

	return arena_join(&page->request->arena, page->root, path, page->chosen ? sign : "",
					  page->chosen ? page->chosen : "");
}

const char *
layout_record(const Page *page, const char *resource, const Value *record)
{
	const char *id = value_text(record, "id");
	const char *name = value_text(record, "name");
	Buffer words;

	if (id != NULL || name == NULL)
		return layout_path(page, "/%s/%s", resource, id ? id : "");
	buffer_init(&words, TARGET_MAXIMUM);
	text_percent_encode(&words, name, strlen(name));
	return layout_path(page, "/datasets/search?query=%s",
					   arena_take(&page->request->arena, &words));
}

const char *
layout_link(const Page *page, const char *address)
{
	size_t base = strlen(page->request->base);

	if (address == NULL || strncmp(address, page->request->base, base) != 0)
		return address;
	return layout_path_address(page, address + base);
}

const char *
layout_spoken(const Page *page, const char *address)
{
	const char *language = page->request->language;
	const char *usual = web_access_fact(page->request->thread, WEB_LANGUAGE);

	return (*usual != '\0' ? strcmp(usual, language) == 0 : words_is_source(language))
			   ? address
			   : arena_join(&page->request->arena, address, strchr(address, '?') ? "&" : "?",
							"lang=", language);
}

const char *
layout_png(const Page *page, const char *picture)
{
	int path = (int) strcspn(picture, "?");

	return arena_format(&page->request->arena, "%.*s/png%s", path, picture, picture + path);
}

/* Is the name in a list of texts? */
static bool
is_listed(const Value *list, const char *name)
{
	for (const Value *text = value_first(list); text != NULL; text = text->next)
		if (text->type == VALUE_TEXT && strcmp(text->text, name) == 0)
			return true;
	return false;
}

/* The query of the list that links are of. */
static const char *
query_of(const Page *page)
{
	return page->list ? page->list : page->request->query;
}

/*
 * Append the parameters of the list, except the comma-separated ones and those of a list of
 * texts, encoded anew; returns the separator for one more.
 */
static const char *
add_parameters(const Page *page, Buffer *address, const char *without, const Value *listed)
{
	const char *query = query_of(page);
	const char *sign = "?";
	const char *word;
	size_t length;

	while ((word = text_query_word(&query, &length)) != NULL)
	{
		size_t end = strcspn(word, "=&");
		const char *name =
			text_form_decode(&page->request->arena, word, end < length ? end : length);
		const char *value =
			end < length ? text_form_decode(&page->request->arena, word + end + 1, length - end - 1)
						 : "";

		if (text_has_word(without, name) || is_listed(listed, name))
			continue;
		buffer_text(address, sign);
		text_percent_encode(address, name, strlen(name));
		buffer_text(address, "=");
		text_percent_encode(address, value, strlen(value));
		sign = "&";
	}
	return sign;
}

bool
layout_embeddable(const Page *page)
{
	CallName call = page->request->route ? page->request->route->call : CALL_NONE;

	if ((page->view != VIEW_ITEM && page->view != VIEW_FILE) || page->fault != NULL)
		return false;
	return call == CALL_CONTENTS ||
		   (call == CALL_ITEM && text_has_word("charts,maps,files", page->request->resource));
}

const char *
layout_query(const Page *page, const char *without)
{
	Buffer query;

	buffer_init(&query, 4 * TARGET_MAXIMUM);
	/* the first parameter has a sign before it */
	return *add_parameters(page, &query, without, NULL) == '?'
			   ? ""
			   : arena_take(&page->request->arena, &query) + 1;
}

const char *
layout_here(const Page *page, const char *without, const char *more)
{
	const size_t base = strlen(page->request->base);
	const char *sign;
	Buffer address;

	buffer_init(&address, 4 * TARGET_MAXIMUM);
	if (page->list != NULL)
		link_words(&address, page->request, "datasets");
	else
		link_request(&address, page->request);
	sign = add_parameters(page, &address, without, NULL);
	if (more != NULL)
	{
		buffer_text(&address, sign);
		buffer_text(&address, more);
	}
	return layout_path_address(page, arena_take(&page->request->arena, &address) + base);
}

/* The address of the page with the parameters that are not in a list of texts. */
static const char *
address_without(const Page *page, const Value *listed)
{
	Buffer address;

	if (page->request->pattern == NULL)
		return page->request->base;
	buffer_init(&address, 4 * TARGET_MAXIMUM);
	link_request(&address, page->request);
	(void) add_parameters(page, &address, "jwt", listed);
	return arena_take(&page->request->arena, &address);
}

const char *
layout_address(const Page *page)
{
	return address_without(page, NULL);
}

const char *
layout_canonical(const Page *page)
{
	const char *record = value_text(page->links, "self");

	if (page->view == VIEW_HOME)
		return arena_join(&page->request->arena, page->request->base, "/");
	return record ? record : address_without(page, value_member(page->meta, "ignored"));
}

const char *
layout_feed(const Page *page)
{
	Buffer path;

	buffer_init(&path, 4 * TARGET_MAXIMUM);
	if (page->view == VIEW_DATASET && value_text(page->data, "id") != NULL)
		buffer_format(&path, "/datasets/%s/feed", value_text(page->data, "id"));
	else
		buffer_text(&path, "/datasets/feed/rss");
	if (page->narrowed != NULL)
		buffer_format(&path, "?%s", page->narrowed);
	else if (page->view == VIEW_LIST && page->request->route->call == CALL_LIST &&
			 strcmp(page->request->resource, "datasets") == 0)
		(void) add_parameters(page, &path,
							  "limit,skip,after,before,version,orderBy,sort,facets,facetLimit,"
							  "fields,include,nearest,deleted,jwt",
							  NULL);
	return layout_spoken(page, arena_join(&page->request->arena, page->root,
										  arena_take(&page->request->arena, &path)));
}

const char *
layout_parameter(const Page *page, const char *name)
{
	const char *query = query_of(page);
	const char *value = NULL;
	const char *word;
	size_t length;

	while ((word = text_query_word(&query, &length)) != NULL)
	{
		size_t end = strcspn(word, "=&");

		if (end < length && strcmp(text_form_decode(&page->request->arena, word, end), name) == 0)
			value = text_form_decode(&page->request->arena, word + end + 1, length - end - 1);
	}
	return value;
}

void
layout_hidden(Page *page, const char *without, const Value *inputs)
{
	const char *query = page->request->query;
	const char *word;
	size_t length;

	while ((word = text_query_word(&query, &length)) != NULL)
	{
		size_t end = strcspn(word, "=&");
		const char *name = text_form_decode(&page->request->arena, word, end);
		const char *bound = strchr(name, '[');
		size_t column = bound && (strcmp(bound, "[gte]") == 0 || strcmp(bound, "[lte]") == 0)
							? (size_t) (bound - name)
							: strlen(name);

		if (end < length && !text_has_word(without, name) &&
			value_member(inputs, arena_text(&page->request->arena, name, column)) == NULL)
			html_page_write(
				page, "<input type=\"hidden\" name=\"%s\" value=\"%s\">", name,
				text_form_decode(&page->request->arena, word + end + 1, length - end - 1));
	}
	if (page->chosen != NULL)
		html_page_write(page, "<input type=\"hidden\" name=\"lang\" value=\"%s\">",
						page->request->language);
}

/* Links of the head: to this page in other forms and languages, and to what it loads. */
static void
add_links(Page *page)
{
	const char *colors = web_access_fact(page->request->thread, WEB_ACCENT);
	const char *logo = web_access_fact(page->request->thread, WEB_LOGO);

	if (page->view != VIEW_ERROR && page->view != VIEW_WAITING)
		html_page_write(page,
						"<link rel=\"canonical\" href=\"%s\">"
						"<link rel=\"alternate\" type=\"application/json\" href=\"%s\">",
						layout_canonical(page),
						page->view == VIEW_DOCS ? layout_path(page, "/openapi.json")
												: layout_address(page));
	html_page_write(page,
					"<link rel=\"alternate\" type=\"application/rss+xml\" href=\"%s\""
					" title=\"%s\">"
					"<link rel=\"icon\" href=\"%s%s\">"
					"<link rel=\"stylesheet\" href=\"%s%s\">"
					"<script type=\"module\" src=\"%s%s\"></script>",
					layout_feed(page),
					page_word(page, page->view == VIEW_DATASET ? WORD("Feed of its changes")
															   : WORD("Feed of datasets")),
					page->root,
					*logo != '\0'
						? arena_format(&page->request->arena, "/organizations/%s/image", logo)
						: static_file_path(page->request, "icon.svg"),
					page->root, static_file_path(page->request, "style.css"), page->root,
					static_file_path(page->request, "app.js"));
	if (*colors != '\0')
		html_page_write(page, "<link rel=\"stylesheet\" href=\"%s/page/" STATIC_COLORS "\">",
						page->root, colors);
}

/* Is it of a file that is being read, of a dataset with one, or of a job that has not ended? */
static bool
in_progress(const Page *page)
{
	const char *state = value_text(page->data, "state");
	const Value *file = value_first(structured_data_part(page, "files"));
	const char *reading = value_text(page->data, "parseState");

	for (; file != NULL && (reading == NULL || strcmp(reading, "pending") != 0); file = file->next)
		reading = value_text(file, "parseState");
	return (reading != NULL && strcmp(reading, "pending") == 0) ||
		   (state != NULL && text_has_word("queued,running", state));
}

/* A text about the catalogue in the language of the page, by the name that it has among the translations. */
static const char *
text_of_catalogue(const Page *page, WebFact fact, const char *name)
{
	Arena *arena = &page->request->arena;
	const char *translations = web_access_fact(page->request->thread, WEB_TRANSLATIONS);
	const Value *texts =
		*translations ? value_read(arena, translations, strlen(translations)) : NULL;

	translation_apply(arena, texts, page->request->language);
	return texts ? value_text(texts, name) : web_access_fact(page->request->thread, fact);
}

const char *
layout_brand(const Page *page)
{
	const char *title = text_of_catalogue(page, WEB_TITLE, "name");

	return *title != '\0' ? title : page_word(page, WORD("Data catalogue"));
}

const char *
layout_lead(const Page *page)
{
	const char *lead = text_of_catalogue(page, WEB_LEAD, "description");

	return *lead != '\0' ? lead : page_word(page, WORD("Open data: find, read and download it"));
}

static void
add_head(Page *page)
{
	html_page_write(page,
					"<!DOCTYPE html><html lang=\"%s\"><head><meta charset=\"utf-8\">"
					"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
					"<meta name=\"color-scheme\" content=\"light dark\"><title>",
					page->request->language);
	html_brief(page, page->title, TITLE_CHARACTERS);
	if (page->view != VIEW_HOME)
		html_page_write(page, " · %s", layout_brand(page));
	html_page_write(page, "</title><meta name=\"description\" content=\"");
	html_brief(page, page->description ? page->description : layout_lead(page),
			   DESCRIPTION_CHARACTERS);
	html_page_write(page, page->embedded ? "\"><base target=\"_blank\">" : "\">");
	add_links(page);
	structured_data(page);
	/* scripts wait until nobody works on the page */
	if (in_progress(page))
		html_page_write(page, "<noscript><meta http-equiv=\"refresh\" content=\"" REFRESHED_AFTER
							  "\"></noscript>");
	html_page_write(page, "</head>");
}

void
layout_search(Page *page, const char *class)
{
	const char *query = layout_parameter(page, "query");

	html_page_write(page,
					"<form class=\"%s\" role=\"search\" action=\"%s\" method=\"get\">"
					"<label for=\"query\">{Search in datasets}</label>"
					"<input id=\"query\" type=\"search\" name=\"query\" dir=\"auto\" value=\"%s\">",
					class, layout_path(page, "/datasets/search"), query ? query : "");
	if (page->chosen != NULL)
		html_page_write(page, "<input type=\"hidden\" name=\"lang\" value=\"%s\">",
						page->request->language);
	html_page_write(page, "<button type=\"submit\">{Search}</button></form>");
}

static void
add_header(Page *page)
{
	static const char *const resources[] = {"datasets", "files", "organizations", "categories",
											"tags"};

	const char *logo = web_access_fact(page->request->thread, WEB_LOGO);

	html_page_write(page,
					"<a class=\"skip\" href=\"#main\">{Skip to the contents}</a>"
					"<header class=\"site\"><a class=\"brand\" href=\"%s\">",
					layout_path(page, "/"));
	if (*logo != '\0')
		html_page_write(
			page, "<img src=\"%s/organizations/%s/image\" alt=\"\" width=\"40\" height=\"40\">",
			page->root, logo);
	html_page_write(page,
					"%.100s</a><button class=\"menu\" type=\"button\" "
					"popovertarget=\"menu\">{Menu}</button><div id=\"menu\" popover>",
					layout_brand(page));
	if (page->view != VIEW_HOME)
		layout_search(page, "search");
	html_page_write(page, "<nav class=\"main\" aria-label=\"{Main menu}\"><ul>");
	for (size_t i = 0; i < lengthof(resources); i++)
	{
		bool current = strcmp(page->request->resource, resources[i]) == 0;

		html_page_write(page, "<li><a href=\"%s\"", layout_path(page, "/%s", resources[i]));
		html_page_write(page, current ? " aria-current=\"page\">" : ">");
		html_page_write(page, "%s</a></li>", page_label(page, resources[i]));
	}
	html_page_write(page, "</ul></nav></div><div class=\"tools\"></div></header>");
}

void
layout_begin(Page *page)
{
	const char *id = value_text(page->data, "id");

	add_head(page);
	if (page->embedded)
	{
		html_page_write(page, "<body class=\"embedded\" data-embedded><main id=\"main\">");
		return;
	}
	html_page_write(page, "<body data-view=\"%s\" data-resource=\"%s\" data-id=\"%s\">",
					view_names[page->view], page->request->resource,
					id						 ? id
					: page->request->path_id ? page->request->path_id
											 : "");
	add_header(page);
	html_page_write(page, "<main id=\"main\" tabindex=\"-1\">");
	if (in_progress(page))
		html_page_write(page, "<p class=\"muted refreshed\" data-seconds=\"" REFRESHED_AFTER
							  "\">{In progress: this page refreshes itself.}</p>");
}

/* The offered languages by their own names, with links to this page in the others. */
static void
add_languages(Page *page)
{
	const char *offered = page->request->thread->settings->page_languages;
	const char *chosen = page->chosen;
	const char *rest = offered;
	Element element;

	page->chosen = NULL;
	while (element_next(&rest, &element))
	{
		const char *language = words_named(offered, element.text, element.length);
		const char *more = arena_format(&page->request->arena, "lang=%s", language);

		if (language == page->request->language)
			html_page_write(page, "<li lang=\"%s\" aria-current=\"true\">", language);
		else
			html_page_write(page, "<li><a href=\"%s\" lang=\"%s\" hreflang=\"%s\">",
							page->request->pattern ? layout_here(page, "lang", more)
												   : layout_path(page, "/?%s", more),
							language, language);
		html_text(page, words_own_name(language));
		html_page_write(page, language == page->request->language ? "</li>" : "</a></li>");
	}
	page->chosen = chosen;
}

/* Links to the texts of the catalogue itself. */
static void
add_pages(Page *page)
{
	const char *fact = web_access_fact(page->request->thread, WEB_PAGES);
	const Value *pages = value_read(&page->request->arena, fact, strlen(fact));

	translation_apply(&page->request->arena, pages, page->request->language);
	for (const Value *one = value_first(pages); one != NULL; one = one->next)
		html_page_write(page, "<li><a href=\"%s\">%.150s</a></li>",
						layout_path(page, "/pages/%s", value_text(one, "slug")), field_title(one));
}

/* Where people may ask, and what they are told by law. */
static void
add_addresses(Page *page)
{
	const char *contact = web_access_fact(page->request->thread, WEB_CONTACT);
	const char *legal = web_access_fact(page->request->thread, WEB_LEGAL);

	if (*contact != '\0')
		html_page_write(page, "<li><a href=\"mailto:%s\">{Contact}</a></li>", contact);
	if (*legal != '\0')
		html_page_write(page, "<li><a href=\"%s\">{Legal notice}</a></li>", legal);
}

void
layout_end(Page *page)
{
	if (page->embedded)
	{
		html_page_write(
			page, "</main><footer><a href=\"%s\">%.150s · %.100s</a></footer></body></html>\n",
			layout_canonical(page), page->title, layout_brand(page));
		return;
	}
	html_page_write(page, "</main><footer class=\"site\"><ul>");
	if (strchr(page->request->thread->settings->page_languages, ',') != NULL)
		add_languages(page);
	add_pages(page);
	add_addresses(page);
	html_page_write(
		page,
		"<li><a href=\"%s\">{Feed of datasets}</a></li><li><a href=\"%s\">"
		"{Description of the API (OpenAPI)}</a></li></ul></footer></body></html>\n",
		layout_spoken(page, arena_join(&page->request->arena, page->root, "/datasets/feed/rss")),
		layout_path(page, "/docs"));
}

void
layout_pages(Page *page, const Value *links, const Value *meta)
{
	static const struct
	{
		const char *name;
		const char *word;
		const char *relation;
	} kinds[] = {{"first", WORD("First"), "first"},
				 {"previous", WORD("Previous"), "prev"},
				 {"next", WORD("Next"), "next"},
				 {"last", WORD("Last"), "last"}};
	const char *number = value_text(meta, "page");
	const char *pages = value_text(meta, "pages");
	bool single = pages
					  ? strcmp(pages, "0") == 0 || strcmp(pages, "1") == 0
					  : value_text(links, "next") == NULL && value_text(links, "previous") == NULL;

	if (number == NULL || single)
		return;
	html_page_write(page, "<nav class=\"pages\" aria-label=\"{Pages}\"><ul>");
	for (size_t i = 0; i < lengthof(kinds); i++)
	{
		const char *address = layout_link(page, value_text(links, kinds[i].name));

		if (i == 2)
			html_page_write(page, "<li><span aria-current=\"page\">{Page} %s%s%s</span></li>",
							number, pages ? " / " : "", pages ? pages : "");
		if (address != NULL)
			html_page_write(page, "<li><a rel=\"%s\" href=\"%s\">%s</a></li>", kinds[i].relation,
							address, page_word(page, kinds[i].word));
	}
	html_page_write(page, "</ul></nav>");
}
