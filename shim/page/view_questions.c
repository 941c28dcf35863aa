/*
 * view_questions.c - questions about a dataset that have a public reply, and the form for another one.
 */
#include "net/framing.h"
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

/* Append what is wrong with an input, if anything, behind the end of its tag; data of the page are the faults. */
static void
end_input(Page *page, const char *name)
{
	const Value *fault = page->asked ? value_first(value_member(page->data, name)) : NULL;
	const char *message = value_text(fault, "message");

	if (message != NULL)
		html_page_write(page, " aria-invalid=\"true\" aria-describedby=\"question-%s-fault\"",
						name);
	html_page_write(page, ">");
}

static void
add_fault(Page *page, const char *name)
{
	const Value *fault = page->asked ? value_first(value_member(page->data, name)) : NULL;
	const char *message = value_text(fault, "message");

	if (message != NULL)
		html_page_write(
			page, "<span class=\"error\" id=\"question-%s-fault\" dir=\"auto\">%s</span>", name,
			words_message(&page->request->arena, page->request->language, message));
	html_page_write(page, "</p>");
}

/* What was sent for an input. */
static const char *
sent(const Page *page, const char *name)
{
	const char *text = value_text(page->asked, name);

	return text ? text : "";
}

/* An input for a line, which may stay empty; what: its label. */
static void
add_line(Page *page, const char *name, const char *what, const char *type, const char *most)
{
	html_page_write(
		page,
		"<p class=\"field\"><label for=\"question-%s\">%s <span class=\"muted\">({optional})"
		"</span></label><input id=\"question-%s\" name=\"%s\" type=\"%s\" maxlength=\"%s\" "
		"autocomplete=\"%s\" value=\"%s\"",
		name, what, name, name, type, most, name, sent(page, name));
	end_input(page, name);
	add_fault(page, name);
}

static void
add_kinds(Page *page)
{
	static const char *const kinds[] = {"question", "fault"};

	html_page_write(page,
					"<p class=\"field\"><label for=\"question-kind\">%s</label>"
					"<select id=\"question-kind\" name=\"kind\"",
					page_label(page, "kind"));
	end_input(page, "kind");
	for (size_t i = 0; i < lengthof(kinds); i++)
		html_page_write(page,
						strcmp(sent(page, "kind"), kinds[i]) == 0
							? "<option value=\"%s\" selected>%s</option>"
							: "<option value=\"%s\">%s</option>",
						kinds[i], page_label(page, kinds[i]));
	html_page_write(page, "</select>");
	add_fault(page, "kind");
}

/* The form; each input has the name and the limits of the field, and what was sent before. */
static void
add_form(Page *page, const char *dataset)
{
	html_page_write(page,
					"<form class=\"record\" method=\"post\" action=\"%s\">"
					"<input type=\"hidden\" name=\"dataset\" value=\"%s\">",
					layout_path(page, "/questions"), dataset);
	add_kinds(page);
	html_page_write(page,
					"<p class=\"field\"><label for=\"question-text\">%s</label><textarea "
					"id=\"question-text\" name=\"text\" maxlength=\"2000\" required",
					page_label(page, "text"));
	end_input(page, "text");
	/* the first line break is the markup's */
	html_page_write(page, "\n%s</textarea>", sent(page, "text"));
	add_fault(page, "text");
	add_line(page, "name", page_word(page, "Your name"), "text", "100");
	add_line(page, "email", page_word(page, "Your e-mail address"), "email", "250");
	html_page_write(
		page,
		"<p class=\"muted\">"
		"{Name and address are never published. What you write is, where it gets a public reply.}"
		"</p>"
		"<p><button class=\"primary\">{Send}</button></p></form>");
}

bool
view_questions_mends(const Page *page)
{
	int status = page->request->answer.status;

	return value_text(page->asked, "dataset") != NULL && (status == 400 || status == 429) &&
		   value_member(page->data, "dataset") == NULL;
}

void
view_questions_again(Page *page)
{
	const char *message = page->request->answer.message;
	const char *dataset = sent(page, "dataset");
	Buffer id;

	buffer_init(&id, TARGET_MAXIMUM);
	text_percent_encode(&id, dataset, strlen(dataset));
	field_heading(page, "1", page->title);
	html_page_write(
		page, "<p class=\"fault\" role=\"alert\" dir=\"auto\">%s</p>",
		words_message(&page->request->arena, page->request->language, message ? message : ""));
	html_page_write(page, "<p><a href=\"%s\">{Back to the dataset}</a></p>",
					layout_path(page, "/datasets/%s", arena_take(&page->request->arena, &id)));
	add_form(page, dataset);
}

void
view_questions(Page *page)
{
	const Value *answer = value_first(structured_data_part(page, "answers"));
	const Value *open = value_member(structured_data_result(page, "answers")->meta, "open");
	bool takes = open != NULL && open->type == VALUE_TRUE;
	bool thanks = layout_parameter(page, PAGE_ASKED) != NULL;

	if (!thanks && !takes && answer == NULL)
		return;
	html_page_write(page, "<section class=\"questions\" id=\"" PAGE_QUESTIONS "\">");
	field_heading(page, "2", page_label(page, "questions"));
	if (thanks)
		html_page_write(page,
						"<p role=\"status\">{Thank you. What you wrote has been received.}</p>");
	if (answer != NULL)
		html_page_write(page, "<ul class=\"cards\">");
	for (const Value *one = answer; one != NULL; one = one->next)
		add_answer(page, one);
	if (answer != NULL)
		html_page_write(page, "</ul>");
	if (takes)
	{
		html_page_write(page, "<details><summary>{Ask or report a fault}</summary>");
		add_form(page, value_text(page->data, "id"));
		html_page_write(page, "</details>");
	}
	html_page_write(page, "</section>");
}
