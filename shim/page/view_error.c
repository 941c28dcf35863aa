/*
 * view_error.c - an error: what its status means, and its faults; the wait for a download that is made.
 */
#include "page/views.h"

const char *
view_error_word(int status)
{
	static const struct
	{
		int status;
		const char *word;
	} words[] = {
		{400, WORD("The request is not valid")},
		{401, WORD("You have to log in")},
		{403, WORD("You are not allowed to see this")},
		{404, WORD("There is no such page")},
		{422, WORD("A part of the address is not valid")},
		{429, WORD("Too many attempts")},
		{503, WORD("The service is busy, please try again")},
	};

	for (size_t i = 0; i < lengthof(words); i++)
		if (words[i].status == status)
			return words[i].word;
	return WORD("The request failed");
}

void
view_error_waiting(Page *page)
{
	html_page_write(page, "<div role=\"status\">");
	field_heading(page, "1", page->title);
	html_page_write(page, "<p>{It begins here as soon as it is ready.}</p></div>");
}

void
view_error(Page *page)
{
	const Answer *answer = &page->request->answer;
	const char *language = page->request->language;

	html_page_write(page, "<div class=\"error\" role=\"alert\">");
	field_heading(page, "1", page->title);
	html_page_write(
		page, "<p dir=\"auto\">%s</p>",
		words_message(&page->request->arena, language, answer->message ? answer->message : ""));
	if (answer->hint != NULL)
		html_page_write(page, "<p dir=\"auto\">%s</p>",
						words_message(&page->request->arena, language, answer->hint));
	if (value_first(page->data) != NULL)
	{
		field_heading(page, "2", words_text(language, "Faults"));
		field_list(page, page->data, NULL, "");
	}
	html_page_write(page,
					"<p class=\"muted\">{Number of the request}: <code>%s</code> · %lld %s</p><p>"
					"<a href=\"%s\">{Start page}</a></p></div>",
					page->request->id, (long long) answer->status, answer->code ? answer->code : "",
					layout_path(page, "/"));
}
