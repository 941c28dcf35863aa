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
view_waiting(Page *page)
{
	buffer_text(page->out, "<div role=\"status\">");
	field_heading(page, "1", page->title);
	html_format(page->out, "<p>%s</p></div>",
				words_text(page->request->language, "It begins here as soon as it is ready."));
}

void
view_error(Page *page)
{
	const Answer *answer = &page->request->answer;
	const char *language = page->request->language;

	buffer_text(page->out, "<div class=\"error\" role=\"alert\">");
	field_heading(page, "1", page->title);
	html_format(
		page->out, "<p dir=\"auto\">%s</p>",
		words_message(&page->request->arena, language, answer->message ? answer->message : ""));
	if (answer->hint != NULL)
		html_format(page->out, "<p dir=\"auto\">%s</p>",
					words_message(&page->request->arena, language, answer->hint));
	if (value_first(page->data) != NULL)
	{
		field_heading(page, "2", words_text(language, "Faults"));
		field_list(page, page->data, NULL, "");
	}
	html_format(page->out, "<p class=\"muted\">%s: <code>%s</code> · ",
				words_text(language, "Number of the request"), page->request->id);
	buffer_integer(page->out, answer->status);
	html_format(page->out, " %s</p>", answer->code ? answer->code : "");
	html_format(page->out, "<p><a href=\"%s\">%s</a></p></div>", layout_path(page, "/"),
				words_text(language, "Start page"));
}
