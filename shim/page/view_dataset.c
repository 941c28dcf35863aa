/*
 * view_dataset.c - a dataset: what it is about, its files with their charts and maps, and what is technical.
 */
#include <strings.h>

#include "page/views.h"

#define TEXT_CHARACTERS 200
/* of an address of mail that becomes a link: none that begins its parameters */
#define MAIL_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+@"

/* Lists of related records in the record itself, linked. */
static void
add_labels(Page *page)
{
	static const char *const lists[] = {"categories", "subcategories", "tags"};

	for (size_t i = 0; i < lengthof(lists); i++)
	{
		const Value *record = value_first(value_member(page->data, lists[i]));

		if (record == NULL || record->type != VALUE_OBJECT)
			continue;
		html_format(page->out, "<p class=\"labels\">%s:", page_label(page, lists[i]));
		for (; record != NULL; record = record->next)
		{
			const char *id = value_text(record, "id");
			const char *path = arena_format(&page->request->arena, "/%s/%s",
											i == 1 ? "categories" : lists[i], id ? id : "");

			html_format(page->out, " <a href=\"%s\">%.300s</a>", layout_path(page, path),
						field_title(record));
		}
		buffer_text(page->out, "</p>");
	}
}

/* A date of ISO 8601, with or without a time, as people write it; any other text stays. */
static const char *
date_text(const Page *page, const char *value)
{
	size_t length = value ? strspn(value, "0123456789-") : 0;

	if (length != 10 || value[4] != '-' || value[7] != '-' ||
		(value[length] != '\0' && value[length] != 'T'))
		return value;
	return words_date(&page->request->arena, page->request->language, value, false);
}

/* A period, which is two dates with a slash between; any other text stays. */
static const char *
period_text(const Page *page, const char *value)
{
	Arena *arena = &page->request->arena;
	const char *slash = value ? strchr(value, '/') : NULL;

	if (slash == NULL || strchr(slash + 1, '/') != NULL)
		return date_text(page, value);
	return arena_format(arena, "%s – %s",
						date_text(page, arena_text(arena, value, (size_t) (slash - value))),
						date_text(page, slash + 1));
}

/* Append a term of the box. */
static void
add_term(Page *page, const char *term, const char *description, const char *link)
{
	const Value value = {.type = VALUE_TEXT, .text = description};

	if (description == NULL || *description == '\0')
		return;
	html_format(page->out, "<dt>%s</dt><dd>", term);
	field_value(page, &value, link);
	buffer_text(page->out, "</dd>");
}

static void
add_publisher(Page *page)
{
	const Value *file = value_first(page_part(page, "files"));
	const char *id = value_text(value_member(file, "organization"), "id");
	const char *link = NULL;

	if (id != NULL)
		link = layout_path(page, arena_format(&page->request->arena, "/organizations/%s", id));
	add_term(page, page_label(page, "organization"), page_publisher(page), link);
}

/* Whom to ask; an address of mail is a link. */
static void
add_contact(Page *page)
{
	const Value *optionals = value_member(page->data, "optionals");
	const char *mail = value_text(value_member(optionals, "contactPoint"), "hasEmail");
	const char *link = NULL;

	if (mail != NULL)
	{
		mail += strncasecmp(mail, "mailto:", 7) == 0 ? 7 : 0;
		if (strchr(mail, '@') != NULL && mail[strspn(mail, MAIL_CHARACTERS)] == '\0')
			link = arena_format(&page->request->arena, "mailto:%s", mail);
	}
	add_term(page, page_word(page, "Contact"), page_optional(page, "contactPoint"), link);
}

/* When it has changed, at its source and here, and how often it does. */
static void
add_times(Page *page)
{
	const Value *file = value_first(page_part(page, "files"));
	const char *frequency = value_text(value_member(file, "updateFrequency"), "name");
	const char *changed = value_text(page->data, "updatedAt");

	add_term(page, page_word(page, "Changed at the source"),
			 date_text(page, page_optional(page, "modified")), NULL);
	if (changed != NULL)
	{
		html_format(page->out, "<dt>%s</dt><dd>", page_label(page, "updatedAt"));
		field_date(page, changed, false);
		buffer_text(page->out, "</dd>");
	}
	add_term(page, page_label(page, "updateFrequency"),
			 frequency ? frequency : page_optional(page, "accrualPeriodicity"), NULL);
}

/* What people ask first: licence, publisher, contact, source, dates, coverage. */
static void
add_about(Page *page)
{
	html_format(page->out, "<aside class=\"about\"><h2>%s</h2><dl>",
				page_word(page, "About this dataset"));
	add_term(page, page_label(page, "license"), page_optional(page, "license"), NULL);
	add_publisher(page);
	add_contact(page);
	add_term(page, page_label(page, "source"), page_optional(page, "landingPage"), NULL);
	add_times(page);
	add_term(page, page_word(page, "Period"), period_text(page, page_optional(page, "temporal")),
			 NULL);
	add_term(page, page_word(page, "Area"), page_optional(page, "spatial"), NULL);
	buffer_text(page->out, "</dl></aside>");
}

/* The host of an address; NULL: it has none. */
static const char *
host_of(Page *page, const char *address)
{
	const char *host = address ? strstr(address, "://") : NULL;

	if (host == NULL)
		return NULL;
	host += 3;
	return arena_text(&page->request->arena, host, strcspn(host, "/?#"));
}

/* How a file is taken along: its bytes, or its address elsewhere. */
static void
add_download(Page *page, const Value *file, const char *path)
{
	const char *address = value_text(file, "url");
	const char *host = host_of(page, address);

	if (value_given(value_member(file, "size")))
		html_format(page->out, "<a href=\"%s%s/download\">%s</a>", page->root, path,
					page_word(page, "Download"));
	else if (host != NULL)
		html_format(page->out, "<a href=\"%s\" rel=\"nofollow noopener noreferrer\">%s %s ↗</a>",
					address, page_word(page, "Open at"), host);
}

/* A row of the table of files. */
static void
add_file(Page *page, const Value *file)
{
	Request *request = page->request;
	const char *id = value_text(file, "id");
	const char *type = value_text(value_member(file, "type"), "name");
	const char *rows = value_text(file, "rowCount");
	const char *size = value_text(file, "size");
	const char *description = value_text(file, "description");
	const char *changed = value_text(file, "updatedAt");
	const char *path = arena_format(&request->arena, "/files/%s", id ? id : "");

	html_format(page->out, "<tr><th scope=\"row\"><a href=\"%s\">%.300s</a>",
				layout_path(page, path), field_title(file));
	if (description != NULL)
	{
		buffer_text(page->out, "<p class=\"muted\" dir=\"auto\">");
		html_brief(page->out, description, TEXT_CHARACTERS);
		buffer_text(page->out, "</p>");
	}
	html_format(page->out,
				"</th><td><bdi>%s</bdi></td><td class=\"number\">%s</td><td class=\"number\">",
				type ? type : "", size ? words_size(&request->arena, request->language, size) : "");
	if (rows != NULL)
		html_format(page->out, "<a href=\"%s\">%s</a>",
					layout_path(page, arena_format(&request->arena, "%s/contents", path)),
					words_number(&request->arena, request->language, rows));
	buffer_text(page->out, "</td><td class=\"when\">");
	if (changed != NULL)
		field_date(page, changed, false);
	buffer_text(page->out, "</td><td>");
	add_download(page, file, path);
	buffer_text(page->out, "</td></tr>");
}

/* A link to the archive with the size of the files, where files have bytes here. */
static void
add_archive(Page *page)
{
	const char *address = layout_link(page, value_text(page->links, "download"));
	Request *request = page->request;
	int64_t bytes = 0;

	for (const Value *file = value_first(page_part(page, "files")); file != NULL; file = file->next)
		if (value_text(file, "size") != NULL)
			bytes += strtoll(value_text(file, "size"), NULL, 10);
	if (address == NULL || bytes == 0)
		return;
	html_format(&request->answer.head, "<p><a class=\"button\" href=\"%s\">%s (%s)</a></p>",
				address, page_word(page, "Download all files"),
				words_size(&request->arena, request->language,
						   arena_format(&request->arena, "%lld", (long long) bytes)));
}

static void
add_files(Page *page)
{
	static const char *const columns[] = {"name", "files.type", "size", "rowCount", "updatedAt"};
	const Value *files = page_part(page, "files");
	const char *all =
		layout_link(page, value_text(value_member(page->links, "collections"), "files"));

	if (files == NULL)
		return;
	field_section(page, "files", page_label(page, "files"));
	if (files->first == NULL)
	{
		html_format(page->out, "<p class=\"muted\">%s</p></section>",
					page_word(page, "There is nothing here."));
		return;
	}
	buffer_text(page->out, "<div class=\"wide\" tabindex=\"0\"><table class=\"rows\"><thead><tr>");
	for (size_t i = 0; i < lengthof(columns); i++)
		html_format(page->out,
					i == 2 || i == 3 ? "<th scope=\"col\" class=\"number\">%s</th>"
									 : "<th scope=\"col\">%s</th>",
					page_label(page, columns[i]));
	html_format(
		page->out,
		"<th scope=\"col\"><span class=\"visually-hidden\">%s</span></th></tr></thead><tbody>",
		page_word(page, "Download"));
	for (const Value *file = files->first; file != NULL; file = file->next)
		add_file(page, file);
	buffer_text(page->out, "</tbody></table></div>");
	add_archive(page);
	if (all != NULL && page_part_count(page, "files") > 50)
		html_format(page->out, "<p><a href=\"%s\">%s</a></p>", all, page_word(page, "All"));
	buffer_text(page->out, "</section>");
	for (const Value *file = files->first; file != NULL; file = file->next)
		view_pictures(page, file);
}

void
view_dataset(Page *page)
{
	view_heading(page);
	add_labels(page);
	add_about(page);
	add_files(page);
	view_technical(page, "name,description,categories,subcategories,tags,files");
}
