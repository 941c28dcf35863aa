/*
 * view_api.c - the calls by which a program gets what the page shows.
 */

#include "net/framing.h"
#include "page/views.h"

/* A literal of SQL; what it has of line breaks and backslashes is plain text there. */
static const char *
literal(Page *page, const char *text)
{
	Buffer quoted;

	buffer_init(&quoted, 4 * TARGET_MAXIMUM);
	buffer_text(&quoted, "'");
	for (; *text != '\0'; text++)
		buffer_append(&quoted, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
	buffer_text(&quoted, "'");
	return arena_take(&page->request->arena, &quoted);
}

/* What is to be added to the query of a call so that it searches and orders as the page does; "": nothing. */
static const char *
added_to(const Page *page)
{
	CallName call = page->request->route->call;
	const char *order = page->view == VIEW_LIST ? page->order : NULL;

	if (order != NULL)
		return arena_join(&page->request->arena, *page->request->query != '\0' ? "&" : "", order);
	return (call == CALL_LIST || call == CALL_SEARCH) && layout_parameter(page, "query") != NULL &&
				   layout_parameter(page, "match") == NULL
			   ? "&match=WORDS"
			   : "";
}

/* The statement that calls the function of the route; NULL: it takes what a statement cannot tell. */
static const char *
statement(Page *page)
{
	Request *request = page->request;
	const CallSpec *spec = &call_specs[request->route->call];
	const char *arguments = "";

	for (int i = 0; i < spec->count; i++)
	{
		const char *value = spec->arguments[i] == ARGUMENT_RESOURCE	  ? request->resource
							: spec->arguments[i] == ARGUMENT_ID		  ? request->path_id
							: spec->arguments[i] == ARGUMENT_RELATION ? request->path_relation
							: spec->arguments[i] == ARGUMENT_QUERY
								? arena_join(&request->arena, request->query, added_to(page))
								: NULL;

		if (value == NULL)
			break;
		arguments = arena_format(&request->arena, "%s%s%s", arguments, i > 0 ? ", " : "",
								 literal(page, value));
	}
	return arena_format(&request->arena, "SELECT data FROM catalogue.%s(%s);",
						request->route->call == CALL_ITEM ? "item" : spec->function, arguments);
}

void
view_api(Page *page)
{
	Request *request = page->request;
	const char *added = added_to(page);
	const char *sign = *request->query == '\0' && *added != '\0' ? "?" : "";
	const char *address = arena_join(&request->arena, layout_address(page), sign, added);
	const struct
	{
		const char *language;
		const char *code;
	} calls[] = {
		{"curl", arena_format(&request->arena, "curl -H 'Accept: application/json' '%s'", address)},
		{"Python", arena_format(&request->arena,
								"import requests\n\nreply = requests.get('%s').json()\n"
								"print(reply['data'])",
								address)},
		{"JavaScript", arena_format(&request->arena,
									"const reply = await fetch('%s', {headers: {Accept: "
									"'application/json'}});\nconst {data} = await reply.json();",
									address)},
		{"SQL", statement(page)},
	};

	html_page_write(
		page,
		"<section class=\"api\"><details><summary><h2>"
		"{Use this with a program}</h2></summary><p>{These calls give what this page shows.}</p>");
	for (size_t i = 0; i < lengthof(calls); i++)
	{
		field_heading(page, "3", calls[i].language);
		html_page_write(page, "<pre tabindex=\"0\"><code>%s</code></pre>", calls[i].code);
	}
	html_page_write(page, "</details></section>");
}
