/*
 * field.c - values of records as HTML.
 */
#include <ctype.h>
#include <strings.h>

#include "page/page_internal.h"

#define DEPTH_MAXIMUM 4 /* of objects in a value */
#define NAME_CHARACTERS 200

const char *
field_title(const Value *record)
{
	static const char *const names[] = {"name",		"title",  "username", "key",
										"fileName", "source", "id"};

	for (size_t i = 0; i < lengthof(names); i++)
	{
		const char *text = value_text(record, names[i]);

		if (text != NULL && *text != '\0')
			return text;
	}
	return "–";
}

void
field_heading(Page *page, const char *level, const char *text)
{
	html_page_write(page, "<h%s>%s</h%s>", level, text, level);
}

void
field_section(Page *page, const char *class, const char *heading)
{
	html_page_write(page, "<section class=\"%s\">", class);
	field_heading(page, "2", heading);
}

void
field_nothing(Page *page)
{
	html_page_write(page, "<p class=\"muted\">{There is nothing here.}</p>");
}

/* May the text be the address of a link?  No other scheme is made one. */
static bool
is_address(const char *text)
{
	return (strncasecmp(text, "https://", 8) == 0 || strncasecmp(text, "http://", 7) == 0) &&
		   strpbrk(text, " \t\r\n\"<>") == NULL;
}

/* Is it an instant in UTC as the service or PostgreSQL writes it, such as 2026-11-23T07:52:00.356085Z? */
static bool
is_instant(const char *text)
{
	static const char pattern[] = "0000-00-00T00:00:00";
	size_t i = 0;

	for (; pattern[i] != '\0'; i++)
		if (pattern[i] == '0' ? !isdigit((unsigned char) text[i]) : text[i] != pattern[i])
			return false;
	return text[strlen(text) - 1] == 'Z' || strstr(text, "+00:00") != NULL;
}

void
field_date(Page *page, const char *instant, bool time)
{
	Request *request = page->request;

	if (!is_instant(instant))
	{
		html_name(page, instant, NAME_CHARACTERS);
		return;
	}
	html_page_write(page, "<time datetime=\"%s\">%s</time>", instant,
					words_date(&request->arena, request->language, instant, time));
}

const char *
field_day(const Page *page, const char *value)
{
	size_t length = value ? strspn(value, "0123456789-") : 0;

	if (length != 10 || value[4] != '-' || value[7] != '-' ||
		(value[length] != '\0' && value[length] != 'T'))
		return value;
	return words_date(&page->request->arena, page->request->language, value, false);
}

const char *
field_period(const Page *page, const char *value)
{
	Arena *arena = &page->request->arena;
	const char *slash = value ? strchr(value, '/') : NULL;

	if (slash == NULL || strchr(slash + 1, '/') != NULL)
		return field_day(page, value);
	return arena_format(arena, "%s – %s",
						field_day(page, arena_text(arena, value, (size_t) (slash - value))),
						field_day(page, slash + 1));
}

/* A number; a count or size of the service as people write it, any other as it came. */
static const char *
number_text(const Page *page, const Value *value)
{
	Request *request = page->request;

	if (value->name != NULL && strcmp(value->name, "size") == 0)
		return html_page_size(page, value->text);
	if (value->name != NULL && text_has_word("message,reason,parseReason", value->name))
		return words_message(&request->arena, request->language, value->text);
	if (value->name != NULL && text_has_word("rowCount,badRows,count", value->name))
		return html_page_number(page, value->text);
	return value->text;
}

static void
add_text(Page *page, const char *text, const char *link)
{
	if (link != NULL)
		html_page_write(page, "<a href=\"%s\"><bdi>%s</bdi></a>", link, text);
	else if (is_address(text))
		html_page_write(page,
						"<a href=\"%s\" rel=\"nofollow noopener noreferrer\"><bdi>%s</bdi></a>",
						text, text);
	else if (is_instant(text))
		field_date(page, text, true);
	else
		html_page_write(page, "<bdi class=\"text\">%s</bdi>", text);
}

static void add_value(Page *page, const Value *value, const char *link, int depth);

static void
add_elements(Page *page, const Value *value, int depth)
{
	html_page_write(page, "<ul>");
	for (const Value *element = value->first; element != NULL; element = element->next)
	{
		html_page_write(page, "<li>");
		add_value(page, element, NULL, depth);
		html_page_write(page, "</li>");
	}
	html_page_write(page, "</ul>");
}

static void
add_members(Page *page, const Value *value, int depth)
{
	html_page_write(page, "<dl class=\"fields\">");
	for (const Value *member = value->first; member != NULL; member = member->next)
	{
		html_page_write(page, "<dt>%.200s</dt><dd>", page_label(page, member->name));
		add_value(page, member, NULL, depth);
		html_page_write(page, "</dd>");
	}
	html_page_write(page, "</dl>");
}

/* What a related record is called; the states that a catalogue begins with have names in the language of the page. */
static const char *
record_text(const Page *page, const Value *record)
{
	const char *title = field_title(record);

	return record->name && strcmp(record->name, "status") == 0 ? page_label(page, title) : title;
}

/* Append a value; a related record is its name, or a link to it. */
static void
add_value(Page *page, const Value *value, const char *link, int depth)
{
	const char *language = page->request->language;
	const bool many = value->type == VALUE_LIST || value->type == VALUE_OBJECT;

	if (value->type == VALUE_NULL || (many && value->first == NULL))
		html_page_write(page, "<span class=\"muted\">{none}</span>");
	else if (value->type == VALUE_TRUE || value->type == VALUE_FALSE)
		html_text(page, words_text(language, value->type == VALUE_TRUE ? WORD("yes") : WORD("no")));
	else if (value->type == VALUE_NUMBER)
		html_text(page, number_text(page, value));
	else if (value->type == VALUE_TEXT)
		add_text(page, value->text, link);
	else if (value->type == VALUE_OBJECT && value_text(value, "id") != NULL)
		add_text(page, record_text(page, value), link);
	else if (depth >= DEPTH_MAXIMUM)
		html_page_write(page, "…");
	else if (value->type == VALUE_LIST)
		add_elements(page, value, depth + 1);
	else
		add_members(page, value, depth + 1);
}

void
field_value(Page *page, const Value *value, const char *link)
{
	if (value != NULL)
		add_value(page, value, link, 0);
}

void
field_list(Page *page, const Value *object, const Value *links, const char *without)
{
	const Value *collections = value_member(links, "collections");

	html_page_write(page, "<dl class=\"fields\">");
	for (const Value *member = value_first(object); member != NULL; member = member->next)
	{
		if (!value_given(member) || text_has_word(without, member->name) ||
			(member->type == VALUE_LIST && member->first == NULL))
			continue;
		html_page_write(page, "<dt>%.200s</dt><dd>", page_label(page, member->name));
		field_value(page, member,
					member->type == VALUE_TEXT || member->type == VALUE_OBJECT
						? layout_link(page, value_text(collections, member->name))
						: NULL);
		html_page_write(page, "</dd>");
	}
	html_page_write(page, "</dl>");
}
