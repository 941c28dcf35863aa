/*
 * view_follow.c - the form to follow a dataset by e-mail, and what links of messages lead to.
 */
#include "page/views.h"

#define TOKEN_LENGTH 32

/* The token of a link in a message; NULL: there is none. */
static const char *
token_of(const Page *page)
{
	const char *token = layout_parameter(page, "token");

	return token != NULL && strlen(token) == TOKEN_LENGTH &&
				   strspn(token, "0123456789abcdef") == TOKEN_LENGTH
			   ? token
			   : NULL;
}

/* What has become of a form that was sent. */
static void
add_status(Page *page, const char *followed)
{
	html_page_write(
		page, "<p role=\"status\">%s</p>",
		strcmp(followed, "yes") == 0 ? page_word(page, "You follow this dataset by e-mail.")
		: strcmp(followed, "no") == 0
			? page_word(page, "You do not follow this dataset any more; your address is erased.")
			: page_word(page, "A message with a link is on its way. Please confirm by it."));
}

/* A button that acts for who has the token. */
static void
add_button(Page *page, const char *action, const char *token, const char *class, const char *name)
{
	html_page_write(
		page,
		"<form method=\"post\" action=\"%s\"><button class=\"%s\">%s"
		"</button></form>",
		layout_path(page, "/datasets/%s/%s?token=%s", value_text(page->data, "id"), action, token),
		class, name);
}

static void
add_form(Page *page)
{
	html_page_write(page,
					"<details><summary>{Follow by e-mail}</summary>"
					"<form class=\"record\" method=\"post\" action=\"%s\">"
					"<p class=\"field\"><label for=\"follow-email\">{Your e-mail address}</label>"
					"<input id=\"follow-email\" name=\"email\" type=\"email\" maxlength=\"250\" "
					"autocomplete=\"email\" required>"
					"<input type=\"hidden\" name=\"language\" value=\"%s\"></p>"
					"<p class=\"muted\">{At most one message a day tells what has changed.} "
					"{Each has a link that ends them and erases the address.}</p>"
					"<p><button class=\"primary\">{Send}</button></p></form></details>",
					layout_path(page, "/datasets/%s/follow", value_text(page->data, "id")),
					page->request->language);
}

void
view_follow(Page *page)
{
	const char *followed = layout_parameter(page, PAGE_FOLLOWED);
	const char *token = token_of(page);

	if (page->request->thread->settings->mail_command[0] == '\0' ||
		value_text(page->data, "id") == NULL)
		return;
	html_page_write(page, "<section id=\"" PAGE_FOLLOW "\">");
	if (followed != NULL)
		add_status(page, followed);
	if (token != NULL)
	{
		add_button(page, "follow", token, "primary", page_word(page, "Follow by e-mail"));
		add_button(page, "unfollow", token, "", page_word(page, "Do not follow any more"));
	}
	else
		add_form(page);
	html_page_write(page, "</section>");
}
