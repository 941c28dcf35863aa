/*
 * view_file.c - a file: its downloads, the beginning of its rows, its columns.
 */

#include "../../extension/files/download_formats.h"
#include "page/views.h"

/* Has the sheet a member that is true? */
static bool
is_true(const Value *sheet, const char *name)
{
	const Value *member = value_member(sheet, name);

	return member != NULL && member->type == VALUE_TRUE;
}

static bool
is_hidden(const Value *sheet)
{
	return is_true(sheet, "hidden");
}

/* Is the sheet the one that the parameter names: by its number, by its name, or by its name in quotes? */
static bool
is_named(const Page *page, const Value *sheet, const char *asked)
{
	const char *name = value_text(sheet, "name");

	return strcmp(value_text(sheet, "number"), asked) == 0 || strcasecmp(name, asked) == 0 ||
		   strcasecmp(arena_format(&page->request->arena, "\"%s\"", name), asked) == 0;
}

/* The sheet whose rows the page shows; NULL: there is none. */
static const Value *
sheet_shown(const Page *page)
{
	const char *asked =
		page->request->route->call == CALL_CONTENTS ? layout_parameter(page, "sheet") : NULL;
	const Value *sheet = value_first(structured_data_part(page, "sheets"));

	while (sheet != NULL && !(asked ? is_named(page, sheet, asked) : is_true(sheet, "default")))
		sheet = sheet->next;
	return sheet;
}

/* Have the rows that the page shows places? */
static bool
has_places(const Page *page)
{
	const Value *details = value_member(sheet_shown(page), "details");

	return value_given(value_member(details, "geography"));
}

const char *
view_file_sheet_query(const Page *page, const char *sign)
{
	const char *asked = layout_parameter(page, "sheet");
	Buffer query;

	if (asked == NULL)
		return "";
	buffer_init(&query, 65536);
	buffer_text(&query, sign);
	buffer_text(&query, "sheet=");
	text_percent_encode(&query, asked, strlen(asked));
	return arena_take(&page->request->arena, &query);
}

void
view_file_sheets(Page *page, const char *id)
{
	const Value *shown = sheet_shown(page);
	int count = 0;

	for (const Value *sheet = value_first(structured_data_part(page, "sheets")); sheet != NULL;
		 sheet = sheet->next)
		count += !is_hidden(sheet);
	if (count < 2 && (shown == NULL || !is_hidden(shown)))
		return;
	html_page_write(page, "<nav class=\"tabs\" aria-label=\"{Sheets}\"><ul>");
	for (const Value *sheet = value_first(structured_data_part(page, "sheets")); sheet != NULL;
		 sheet = sheet->next)
		if (sheet == shown || !is_hidden(sheet))
			html_page_write(
				page,
				sheet == shown ? "<li><a rel=\"nofollow\" href=\"%s\" "
								 "aria-current=\"page\">%.100s</a></li>"
							   : "<li><a rel=\"nofollow\" href=\"%s\">%.100s</a></li>",
				layout_path(page, "/files/%s/contents?sheet=%s", id, value_text(sheet, "number")),
				value_text(sheet, "name"));
	html_page_write(page, "</ul></nav>");
}

void
view_file_downloads(Page *page, const Value *file)
{
	const char *id = value_text(file, "id");

	if (id == NULL || !value_given(value_member(file, "size")))
		return;
	field_section(page, "downloads", page_word(page, "Download"));
	html_page_write(
		page,
		"<ul class=\"names\"><li><a class=\"button\" href=\"%s/files/%s/download\">%.300s</a></li>",
		page->root, id,
		value_text(file, "fileName") ? value_text(file, "fileName") : field_title(file));
	if (value_given(value_member(file, "rowCount")))
		for (size_t i = 0; i < lengthof(download_formats); i++)
			if (download_formats[i].offered || (download_formats[i].placed && has_places(page)))
				html_page_write(
					page,
					"<li><a href=\"%s/files/%s/download/%s%s%s\" rel=\"nofollow\">%s</a></li>",
					page->root, id, download_formats[i].name, i == DOWNLOAD_CSV ? "?bom=true" : "",
					view_file_sheet_query(page, i == DOWNLOAD_CSV ? "&" : "?"),
					download_formats[i].name);
	html_page_write(page, "</ul></section>");
}

/* What is to be known of a column: the cells that stand for no value, and why it is text or
 * what else its numbers could mean. */
static void
add_column_notes(Page *page, const Value *column)
{
	const Value *marks = value_member(column, "marks");
	const char *name = value_text(column, "name");
	const char *note = value_text(column, "note");

	if (value_given(marks))
	{
		html_page_write(page, "<li>%.300s: {cells that stand for no value}:", name);
		for (const Value *mark = value_first(marks); mark != NULL; mark = mark->next)
			html_page_write(page, " %.300s (%s)%s", mark->name, html_page_number(page, mark->text),
							mark->next != NULL ? "," : "");
		html_page_write(page, "</li>");
	}
	if (note != NULL && strcmp(value_text(column, "type"), "text") == 0)
		html_page_write(page, "<li>%.300s: {compared as text}: <span lang=\"en\">%s</span></li>",
						name, note);
	else if (note != NULL)
		html_page_write(page, "<li>%.300s: <span lang=\"en\">%s</span></li>", name, note);
}

void
view_file_columns(Page *page)
{
	const Value *columns = structured_data_part(page, "columns");
	int noted = 0;

	if (value_first(columns) == NULL)
		return;
	field_section(page, "columns", page_word(page, "Columns"));
	view_table(page, columns, page_word(page, "Columns"), TABLE_FIELDS);
	html_page_write(page, "<ul class=\"notes\">");
	for (const Value *column = value_first(columns); column != NULL && noted++ < COLUMNS_SHOWN;
		 column = column->next)
		add_column_notes(page, column);
	html_page_write(page, "</ul></section>");
}

/* Of the record of a file: the beginning of its rows. */
static void
add_beginning(Page *page)
{
	const Value *rows = structured_data_part(page, "contents");
	const char *all = layout_link(page, value_text(page->links, "contents"));

	if (rows == NULL)
		return;
	field_section(page, "contents", page_word(page, "Rows"));
	view_file_sheets(page, value_text(page->data, "id"));
	view_table(page, rows, page->title, TABLE_ROWS);
	/* without a link in the record of an earlier instant */
	if (all != NULL)
		html_page_write(page,
						"<p>"
						"<a class=\"button\" href=\"%s\">{All rows, with order and filters} "
						"(%lld)</a></p>",
						all, (long long) structured_data_result(page, "contents")->count);
	html_page_write(page, "</section>");
}

void
view_file(Page *page)
{
	const Value *dataset = value_member(page->data, "dataset");

	if (page->request->route->call == CALL_CONTENTS)
	{
		view_rows(page);
		return;
	}
	if (page->embedded)
	{
		field_heading(page, "1", page->title);
		add_beginning(page);
		return;
	}
	view_item_heading(page);
	if (value_text(dataset, "id") != NULL)
		html_page_write(page, "<p>{File of} <a href=\"%s\">%.300s</a></p>",
						layout_record(page, "datasets", dataset), field_title(dataset));
	view_file_downloads(page, page->data);
	add_beginning(page);
	view_item_pictures(page, page->data);
	view_file_columns(page);
	view_share(page);
	view_item_technical(page, "name,description,charts,maps");
}
