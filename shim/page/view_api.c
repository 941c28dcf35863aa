/*
 * view_api.c - the calls by which a program gets what the page shows.
 */

#include "net/framing.h"
#include "page/views.h"

#define CALLS_MAXIMUM 6

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

/* A call, and the language that it is in. */
typedef struct Code
{
	const char *language;
	const char *code;
} Code;

/*
 * The calls by which DuckDB reads the CSV that a call of curl has stored: to read it from the service itself, DuckDB would
 * load an extension from another host.
 */
static Code
read_stored(Arena *arena, const Code *curl, const char *file)
{
	return (Code){"DuckDB", arena_format(arena, "%s\nduckdb -c \"SELECT * FROM read_csv('%s')\"",
										 curl->code, file)};
}

/* The calls that give the rows of a file, all that the page shows a part of; false: the page is of no rows. */
static bool
read_rows(Page *page, Code *calls)
{
	Arena *arena = &page->request->arena;
	const Value *file = page->view == VIEW_FILE && structured_data_part(page, "file") != NULL
							? structured_data_part(page, "file")
							: page->data;
	const char *id = value_text(file, "id");
	const char *query = layout_query(page, "limit,skip,after,before,facets,facetLimit,histogram");
	const Code *curl = calls;
	const char *csv;
	const char *json;

	if (page->view != VIEW_FILE || page->fault != NULL || id == NULL ||
		!value_given(value_member(file, "rowCount")))
		return false;
	csv = arena_format(arena, "%s/files/%s/download/csv%s%s", page->request->base, id,
					   *query ? "?" : "", query);
	json = arena_format(arena, "%s/files/%s/download/json%s%s", page->request->base, id,
						*query ? "?" : "", query);
	*calls++ = (Code){"curl", arena_format(arena, "curl -o rows.csv '%s'", csv)};
	*calls++ = (Code){
		"Python",
		arena_format(arena, "import pandas\n\nrows = pandas.read_csv('%s')\nprint(rows)", csv)};
	*calls++ = (Code){"R", arena_format(arena, "rows <- read.csv('%s')\nprint(rows)", csv)};
	*calls++ = (Code){"JavaScript", arena_format(arena,
												 "const rows = await (await fetch('%s')).json();\n"
												 "console.log(rows);",
												 json)};
	*calls++ = read_stored(arena, curl, "rows.csv");
	*calls = (Code){"SQL", arena_format(arena, "SELECT \"row\" FROM catalogue.contents(%s, %s);",
										literal(page, id), literal(page, query))};
	return true;
}

/* The calls that give all datasets that a list shows a page of; false: the page is no such list. */
static bool
read_datasets(Page *page, Code *calls)
{
	Request *request = page->request;
	Arena *arena = &request->arena;
	const char *query = layout_query(page, "limit,skip,after,before,facets,facetLimit");
	const char *added = added_to(page);
	const Code *curl = calls;
	const char *address;

	if (page->view != VIEW_LIST || request->route->call != CALL_LIST ||
		strcmp(request->resource, "datasets") != 0)
		return false;
	added += *added == '&';
	query = arena_join(arena, query, *query != '\0' && *added != '\0' ? "&" : "", added);
	address = arena_join(arena, request->base, "/datasets", *query != '\0' ? "?" : "", query);
	*calls++ = (Code){
		"curl", arena_format(arena, "curl -H 'Accept: text/csv' -o datasets.csv '%s'", address)};
	*calls++ = (Code){"Python", arena_format(arena,
											 "import pandas\n\nrows = pandas.read_csv('%s', "
											 "storage_options={'Accept': 'text/csv'})\nprint(rows)",
											 address)};
	*calls++ = (Code){"R", arena_format(arena,
										"rows <- read.csv(url('%s', headers = c(Accept = "
										"'text/csv')))\nprint(rows)",
										address)};
	*calls++ =
		(Code){"JavaScript",
			   arena_format(
				   arena,
				   "const reply = await fetch('%s', {headers: {Accept: "
				   "'application/x-ndjson'}});\nconst lines = (await reply.text()).split('\\n');\n"
				   "const rows = lines.filter(Boolean).map(line => JSON.parse(line));\n"
				   "console.log(rows);",
				   address)};
	*calls++ = read_stored(arena, curl, "datasets.csv");
	*calls = (Code){
		"SQL", arena_format(arena, "SELECT data FROM catalogue.export('datasets', query => %s);",
							literal(page, query))};
	return true;
}

/* The calls that give what the page shows. */
static void
read_page(Page *page, Code *calls)
{
	Request *request = page->request;
	const char *added = added_to(page);
	const char *sign = *request->query == '\0' && *added != '\0' ? "?" : "";
	const char *address = arena_join(&request->arena, layout_address(page), sign, added);

	*calls++ = (Code){
		"curl", arena_format(&request->arena, "curl -H 'Accept: application/json' '%s'", address)};
	*calls++ =
		(Code){"Python", arena_format(&request->arena,
									  "import requests\n\nreply = requests.get('%s').json()\n"
									  "print(reply['data'])",
									  address)};
	*calls++ = (Code){"JavaScript",
					  arena_format(&request->arena,
								   "const reply = await fetch('%s', {headers: {Accept: "
								   "'application/json'}});\nconst {data} = await reply.json();",
								   address)};
	*calls = (Code){"SQL", statement(page)};
}

void
view_api(Page *page)
{
	Code calls[CALLS_MAXIMUM] = {{NULL, NULL}};
	bool all = read_rows(page, calls) || read_datasets(page, calls);

	if (!all)
		read_page(page, calls);
	html_page_write(
		page,
		"<section class=\"api\"><details><summary><h2>{Use this with a program}</h2></summary>");
	html_page_write(page, all ? "<p>{These calls give all that is selected here.}</p>"
							  : "<p>{These calls give what this page shows.}</p>");
	for (size_t i = 0; i < CALLS_MAXIMUM && calls[i].code != NULL; i++)
	{
		field_heading(page, "3", calls[i].language);
		html_page_write(page, "<pre tabindex=\"0\"><code>%s</code></pre>", calls[i].code);
	}
	html_page_write(page, "</details></section>");
}
