/*
 * view_dataset.c - a dataset: what it is about, its files with their charts and maps, and what is technical.
 */
#include <strings.h>

#include "page/markdown.h"
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
		html_page_write(page, "<p class=\"labels\">%s:", page_label(page, lists[i]));
		for (; record != NULL; record = record->next)
			html_page_write(page, " <a href=\"%s\">%.300s</a>",
							layout_record(page, i == 1 ? "categories" : lists[i], record),
							field_title(record));
		html_page_write(page, "</p>");
	}
}

/* Append a term of the box. */
static void
add_term(Page *page, const char *term, const char *description, const char *link)
{
	const Value value = {.type = VALUE_TEXT, .text = description};

	if (description == NULL || *description == '\0')
		return;
	html_page_write(page, "<dt>%s</dt><dd>", term);
	field_value(page, &value, link);
	html_page_write(page, "</dd>");
}

static void
add_publisher(Page *page)
{
	const char *id = value_text(value_member(page->data, "organization"), "id");

	add_term(page, page_label(page, "organization"), structured_data_publisher(page),
			 id ? layout_path(page, "/organizations/%s", id) : NULL);
}

/* Whom to ask; an address of mail is a link. */
static void
add_contact(Page *page, const Value *contact)
{
	const char *mail = value_text(contact, "hasEmail");
	const char *link = NULL;

	if (mail != NULL)
	{
		mail += strncasecmp(mail, "mailto:", 7) == 0 ? 7 : 0;
		if (strchr(mail, '@') != NULL && mail[strspn(mail, MAIL_CHARACTERS)] == '\0')
			link = arena_format(&page->request->arena, "mailto:%s", mail);
	}
	add_term(page, page_word(page, "Contact"), structured_data_text(contact), link);
}

/* Each of those whom to ask. */
static void
add_contacts(Page *page)
{
	const Value *given = value_member(value_member(page->data, "optionals"), "contactPoint");

	if (given == NULL || given->type != VALUE_LIST)
		add_contact(page, given);
	else
		for (const Value *contact = given->first; contact != NULL; contact = contact->next)
			add_contact(page, contact);
}

/* When it has changed, at its source and here, and how often it does. */
static void
add_times(Page *page)
{
	const Value *file = value_first(structured_data_part(page, "files"));
	const char *frequency = value_text(value_member(file, "updateFrequency"), "name");
	const char *changed = structured_data_modified(page);

	add_term(page, page_word(page, "Changed at the source"),
			 field_day(page, structured_data_optional(page->data, "modified")), NULL);
	if (changed != NULL)
	{
		html_page_write(page, "<dt>%s</dt><dd>", page_label(page, "updatedAt"));
		field_date(page, changed, false);
		html_page_write(page, "</dd>");
	}
	add_term(page, page_label(page, "updateFrequency"),
			 frequency ? frequency : structured_data_optional(page->data, "accrualPeriodicity"),
			 NULL);
}

/* Where the data are: the rectangle on land, which leads to a larger picture. */
static void
add_extent(Page *page)
{
	Arena *arena = &page->request->arena;
	const Value *extent = value_member(structured_data_part(page, "extent"), "extent");
	const char *degrees = "";
	const char *path;

	if (!value_given(extent))
		return;
	for (const Value *edge = value_first(extent); edge != NULL; edge = edge->next)
		degrees = arena_join(arena, degrees, *degrees != '\0' ? ", " : "", edge->text);
	path = layout_spoken(
		page, arena_join(arena, page->root,
						 arena_format(arena, "/datasets/%s/image", value_text(page->data, "id"))));
	html_page_write(page,
					"<figure class=\"extent\"><a href=\"%s\"><img src=\"%s\" loading=\"lazy\" "
					"width=\"720\" height=\"480\" alt=\"{Area}: %s\"></a></figure>",
					path, path, degrees);
}

/* How well it is described, check by check. */
static void
add_quality(Page *page)
{
	const Value *quality = structured_data_part(page, "quality");

	if (quality == NULL)
		return;
	html_page_write(page, "<details><summary>%s: %s / %s</summary><dl>",
					page_label(page, "quality"), value_text(quality, "score"),
					value_text(quality, "of"));
	for (const Value *check = value_first(value_member(quality, "checks")); check != NULL;
		 check = check->next)
	{
		const char *name = arena_join(&page->request->arena, "quality ", check->name);

		html_page_write(page, "<dt>%s</dt><dd>", page_label(page, name));
		field_value(page, check, NULL);
		html_page_write(page, "</dd>");
	}
	html_page_write(page, "</dl></details>");
}

/* What people ask first: licence, publisher, contact, source, dates, coverage. */
static void
add_about(Page *page)
{
	html_page_write(page, "<aside class=\"about\"><h2>{About this dataset}</h2><dl>");
	add_term(page, page_label(page, "license"), structured_data_optional(page->data, "license"),
			 NULL);
	add_publisher(page);
	add_contacts(page);
	add_term(page, page_label(page, "source"), structured_data_optional(page->data, "landingPage"),
			 NULL);
	add_times(page);
	add_term(page, page_word(page, "Period"),
			 field_period(page, structured_data_optional(page->data, "temporal")), NULL);
	add_term(page, page_word(page, "Area"), structured_data_optional(page->data, "spatial"), NULL);
	html_page_write(page, "</dl>");
	add_quality(page);
	add_extent(page);
	html_page_write(page, "</aside>");
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
		html_page_write(page, "<a href=\"%s%s/download\">{Download}</a>", page->root, path);
	else if (host != NULL)
		html_page_write(page,
						"<a href=\"%s\" rel=\"nofollow noopener noreferrer\">{Open at} %s ↗</a>",
						address, host);
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
	const char *description = markdown_plain(&request->arena, value_text(file, "description"));
	const char *changed = value_text(file, "updatedAt");
	const char *path = arena_format(&request->arena, "/files/%s", id ? id : "");

	html_page_write(page, "<tr><th scope=\"row\"><a href=\"%s\">%.300s</a>",
					layout_path(page, "%s", path), field_title(file));
	if (description != NULL)
	{
		html_page_write(page, "<p class=\"muted\" dir=\"auto\">");
		html_brief(page, description, TEXT_CHARACTERS);
		html_page_write(page, "</p>");
	}
	html_page_write(page,
					"</th><td><bdi>%s</bdi></td><td class=\"number\">%s</td><td class=\"number\">",
					type ? type : "", size ? html_page_size(page, size) : "");
	if (rows != NULL)
		html_page_write(page, "<a href=\"%s\">%s</a>", layout_path(page, "%s/contents", path),
						html_page_number(page, rows));
	html_page_write(page, "</td><td class=\"when\">");
	if (changed != NULL)
		field_date(page, changed, false);
	html_page_write(page, "</td><td>");
	add_download(page, file, path);
	html_page_write(page, "</td></tr>");
}

/* A link to the archive with the size of the files, where files have bytes here. */
static void
add_archive(Page *page)
{
	const char *address = layout_link(page, value_text(page->links, "download"));
	int64_t bytes = 0;

	for (const Value *file = value_first(structured_data_part(page, "files")); file != NULL;
		 file = file->next)
		if (value_text(file, "size") != NULL)
			bytes += strtoll(value_text(file, "size"), NULL, 10);
	if (address == NULL || bytes == 0)
		return;
	html_page_write(
		page, "<p><a class=\"button\" href=\"%s\">{Download all files} (%s)</a></p>", address,
		html_page_size(page, arena_format(&page->request->arena, "%lld", (long long) bytes)));
}

static void
add_files(Page *page)
{
	static const char *const columns[] = {"name", "files.type", "size", "rowCount", "updatedAt"};
	const Value *files = structured_data_part(page, "files");
	const char *all =
		layout_link(page, value_text(value_member(page->links, "collections"), "files"));

	if (files == NULL)
		return;
	field_section(page, "files", page_label(page, "files"));
	if (files->first == NULL)
	{
		field_nothing(page);
		html_page_write(page, "</section>");
		return;
	}
	html_page_write(page, "<div class=\"wide\" tabindex=\"0\"><table class=\"rows\"><thead><tr>");
	for (size_t i = 0; i < lengthof(columns); i++)
		html_page_write(page,
						i == 2 || i == 3 ? "<th scope=\"col\" class=\"number\">%s</th>"
										 : "<th scope=\"col\">%s</th>",
						page_label(page, columns[i]));
	html_page_write(page,
					"<th scope=\"col\">"
					"<span class=\"visually-hidden\">{Download}</span></th></tr></thead><tbody>");
	for (const Value *file = files->first; file != NULL; file = file->next)
		add_file(page, file);
	html_page_write(page, "</tbody></table></div>");
	add_archive(page);
	if (all != NULL && structured_data_result(page, "files")->count > 50)
		html_page_write(page, "<p><a href=\"%s\">{All}</a></p>", all);
	html_page_write(page, "</section>");
	for (const Value *file = files->first; file != NULL; file = file->next)
		view_item_pictures(page, file);
}

void
view_dataset(Page *page)
{
	view_item_heading(page);
	add_labels(page);
	add_about(page);
	add_files(page);
	view_questions(page);
	view_follow(page);
	view_share(page);
	view_item_technical(page, "name,description,categories,subcategories,tags,files");
}
