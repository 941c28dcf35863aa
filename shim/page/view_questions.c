/*
 * view_questions.c - questions about a dataset that have a public reply, and the form for another one.
 */
#include "page/views.h"

static void
add_answer(Page *page, const Value *answer)
{
	const char *kind = value_text(answer, "kind");
	const char *text = value_text(answer, "text");
	const char *reply = value_text(answer, "reply");
	const char *asked = value_text(answer, "createdAt");

	if (kind == NULL || text == NULL || reply == NULL || asked == NULL)
		return;
	html_page_write(page, "<li class=\"card\"><p class=\"muted\">%s · ", page_label(page, kind));
	field_date(page, asked, false);
	html_page_write(page,
					"</p><p class=\"lines\" dir=\"auto\">%s</p><h3>%s</h3>"
					"<p class=\"lines\" dir=\"auto\">%s</p></li>",
					text, page_label(page, "reply"), reply);
}

/* The form; each input has the name and the limits of the field. */
static void
add_form(Page *page)
{
	html_page_write(
		page,
		"<details><summary>{Ask or report a fault}</summary>"
		"<form class=\"record\" method=\"post\" action=\"%s\">"
		"<input type=\"hidden\" name=\"dataset\" value=\"%s\">"
		"<p class=\"field\"><label for=\"question-kind\">%s</label>"
		"<select id=\"question-kind\" name=\"kind\"><option value=\"question\">%s</option>"
		"<option value=\"fault\">%s</option></select></p>",
		layout_path(page, "/questions"), value_text(page->data, "id"), page_label(page, "kind"),
		page_label(page, "question"), page_label(page, "fault"));
	html_page_write(
		page,
		"<p class=\"field\"><label for=\"question-text\">%s</label><textarea "
		"id=\"question-text\" name=\"text\" maxlength=\"2000\" required></textarea></p>"
		"<p class=\"field\"><label for=\"question-name\">{Your name} "
		"<span class=\"muted\">({optional})</span></label>"
		"<input id=\"question-name\" name=\"name\" maxlength=\"100\" autocomplete=\"name\"></p>"
		"<p class=\"field\"><label for=\"question-email\">{Your e-mail address} "
		"<span class=\"muted\">({optional})</span></label><input id=\"question-email\" "
		"name=\"email\" type=\"email\" maxlength=\"250\" autocomplete=\"email\"></p>",
		page_label(page, "text"));
	html_page_write(
		page,
		"<p class=\"muted\">"
		"{Name and address are never published. What you write is, where it gets a public reply.}"
		"</p>"
		"<p><button class=\"primary\">{Send}</button></p></form></details>");
}

void
view_questions(Page *page)
{
	const Value *answer = value_first(structured_data_part(page, "answers"));
	const Value *open = value_member(structured_data_result(page, "answers")->meta, "open");
	bool takes = open != NULL && open->type == VALUE_TRUE;
	bool sent = layout_parameter(page, PAGE_ASKED) != NULL;

	if (!sent && !takes && answer == NULL)
		return;
	html_page_write(page, "<section class=\"questions\" id=\"" PAGE_QUESTIONS "\">");
	field_heading(page, "2", page_label(page, "questions"));
	if (sent)
		html_page_write(page,
						"<p role=\"status\">{Thank you. What you wrote has been received.}</p>");
	if (answer != NULL)
		html_page_write(page, "<ul class=\"cards\">");
	for (const Value *one = answer; one != NULL; one = one->next)
		add_answer(page, one);
	if (answer != NULL)
		html_page_write(page, "</ul>");
	if (takes)
		add_form(page);
	html_page_write(page, "</section>");
}
