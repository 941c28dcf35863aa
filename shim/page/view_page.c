/*
 * view_page.c - a text of the catalogue itself, such as its legal notice.
 */

#include "page/markdown.h"
#include "page/views.h"

void
view_page(Page *page)
{
	const char *text = value_text(page->data, "text");

	html_page_write(page, "<h1>%.300s</h1>", page->title);
	if (text == NULL)
		return;
	html_page_write(page, "<div class=\"written\" dir=\"auto\">");
	markdown_html(page, text);
	html_page_write(page, "</div>");
}
