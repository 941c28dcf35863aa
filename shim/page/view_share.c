/*
 * view_share.c - what others show of a page: its address, a frame, a citation.
 */

#include "net/framing.h"
#include "page/views.h"

/* Braces of BibTeX, which enclose no word of the page. */
#define OPEN "\x7b"
#define CLOSE "\x7d"

/* The record that the page is of: of the rows of a file, the file. */
static const Value *
record_of(const Page *page)
{
	return page->request->route != NULL && page->request->route->call == CALL_CONTENTS
			   ? structured_data_part(page, "file")
			   : page->data;
}

/* The address of the page with one more parameter. */
static const char *
address_with(const Page *page, const char *parameter)
{
	const char *address =
		page->request->route->call == CALL_CONTENTS ? layout_address(page) : layout_canonical(page);

	return arena_join(&page->request->arena, address, strchr(address, '?') ? "&" : "?", parameter);
}

/* A text in which some characters are replaced. */
static const char *
replaced(const Page *page, const char *text, const char *characters,
		 const char *const *replacements)
{
	Buffer buffer;

	buffer_init(&buffer, 4 * TARGET_MAXIMUM);
	for (; text != NULL && *text != '\0'; text++)
	{
		const char *at = strchr(characters, *text);

		if (at != NULL)
			buffer_text(&buffer, replacements[at - characters]);
		else
			buffer_append(&buffer, text, 1);
	}
	return arena_take(&page->request->arena, &buffer);
}

/* A text as an attribute of HTML, and one as a value of BibTeX. */
static const char *
attribute(const Page *page, const char *text)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

	return replaced(page, text, "&<>\"", entities);
}

static const char *
bibtex(const Page *page, const char *text)
{
	static const char *const commands[] = {"\\textbackslash" OPEN CLOSE,
										   "\\" OPEN,
										   "\\" CLOSE,
										   "\\%",
										   "\\&",
										   "\\#",
										   "\\_",
										   "\\$",
										   "\\textasciitilde" OPEN CLOSE,
										   "\\textasciicircum" OPEN CLOSE};

	return replaced(page, text, "\\" OPEN CLOSE "%&#_$~^", commands);
}

/* What was published by whom, when, where, as a sentence and for programs. */
static void
add_citation(Page *page, const Value *record)
{
	const char *publisher = structured_data_publisher(page);
	const char *source = structured_data_optional(record, "modified");
	const char *changed = source ? source : value_text(record, "updatedAt");
	const char *year = arena_text(&page->request->arena, changed ? changed : "",
								  strnlen(changed ? changed : "", 4));
	const char *brand = layout_brand(page);
	const char *address = layout_canonical(page);

	publisher = publisher ? publisher : brand;
	field_heading(page, "3", page_word(page, "To cite it"));
	html_page_write(page, "<p dir=\"auto\" class=\"citation\">%s (%s). %s. %s. %s</p>", publisher,
					year, page->title, brand, address);
	html_page_write(page, "<h3>BibTeX</h3><pre tabindex=\"0\"><code>%s</code></pre>",
					arena_format(&page->request->arena,
								 "@misc" OPEN "%s,\n  author = " OPEN OPEN "%s" CLOSE CLOSE
								 ",\n  title = " OPEN OPEN "%s" CLOSE CLOSE ",\n  year = " OPEN
								 "%s" CLOSE ",\n  howpublished = " OPEN "%s" CLOSE
								 ",\n  url = " OPEN "%s" CLOSE "\n" CLOSE,
								 value_text(record, "id"), bibtex(page, publisher),
								 bibtex(page, page->title), year, bibtex(page, brand), address));
}

/* A text to be copied; a script adds the button. */
static void
add_copied(Page *page, const char *label, const char *text)
{
	html_page_write(page,
					"<label>%s <textarea class=\"copied\" readonly rows=\"2\" dir=\"ltr\" "
					"aria-label=\"%s\">%s</textarea></label>",
					label, label, text);
}

void
view_share(Page *page)
{
	const Value *record = record_of(page);
	bool framed = layout_embeddable(page) &&
				  strcmp(page->request->thread->settings->frame_ancestors, "none") != 0;

	if (value_text(record, "id") == NULL)
		return;
	html_page_write(page, "<section class=\"share\"><details><summary><h2>{Share and cite}</h2>"
						  "</summary>");
	add_copied(page, page_word(page, "Address of this page"),
			   page->request->route->call == CALL_CONTENTS ? layout_address(page)
														   : layout_canonical(page));
	if (framed)
		add_copied(page, page_word(page, "To show it in another page"),
				   arena_format(&page->request->arena,
								"<iframe src=\"%s\" title=\"%s\" width=\"100%%\" height=\"480\" "
								"loading=\"lazy\" style=\"border:0\"></iframe>",
								attribute(page, address_with(page, PAGE_EMBEDDED)),
								attribute(page, page->title)));
	if (page->request->route->call != CALL_CONTENTS)
		add_citation(page, record);
	if (page->view == VIEW_DATASET)
		html_page_write(page, "<p><a href=\"%s\">{Feed of its changes}</a></p>", layout_feed(page));
	html_page_write(page, "</details></section>");
}
