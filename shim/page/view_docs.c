/*
 * view_docs.c - the description of the service for people, which docs.js makes of /openapi.json.
 */
#include "page/views.h"

void
view_docs(Page *page)
{
	html_page_write(page,
					"<h1>%s</h1><p><a href=\"%s\">{For programs: the description as JSON}</a></p>"
					"<section class=\"docs\"></section>",
					page->title, layout_path(page, "/openapi.json"));
}
