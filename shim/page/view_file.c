/*
 * view_file.c - a file, and its rows as a table with order, filters and pages.
 */

#include "../../extension/files/download_formats.h"
#include "page/views.h"

#define CELL_CHARACTERS 400
#define COLUMNS_SHOWN 100 /* of a file; it may have thousands */

/* May the rows be filtered by a column of this name, or is it that of a parameter? */
static bool
is_filtered(const char *name)
{
	return !text_has_word("match,condition,limit,skip,version,after,before,orderBy,sort,fields,"
						  "types,sheet,groupBy,aggregate,facets,facetLimit,distinct,query,lang,jwt",
						  name) &&
		   strchr(name, '[') == NULL;
}

/* Is the type of a column of the file one of these?  Its cells may be texts. */
static bool
is_column_of(const Page *page, const char *name, const char *types)
{
	for (const Value *column = value_first(structured_data_part(page, "columns")); column != NULL;
		 column = column->next)
		if (strcmp(value_text(column, "name") ? value_text(column, "name") : "", name) == 0)
			return text_has_word(types, value_text(column, "type"));
	return false;
}

/* Has the column of a cell of the first row only numbers? */
static bool
has_numbers(const Page *page, const Value *rows, const Value *first, TableKind kind)
{
	if (kind != TABLE_FIELDS)
		return first->type == VALUE_NUMBER || is_column_of(page, first->name, "integer,decimal");
	for (const Value *row = value_first(rows); row != NULL; row = row->next)
	{
		const Value *cell = value_member(row, first->name);

		if (value_given(cell) && cell->type != VALUE_NUMBER)
			return false;
	}
	return first->type == VALUE_NUMBER;
}

/*
 * The first columns of a table, a letter for each: N of numbers, T of others; NULL: no memory.
 */
static const char *
column_kinds(const Page *page, const Value *rows, TableKind kind)
{
	const Value *row = value_first(rows);
	size_t count = 0;
	size_t kind_count = 0;
	char *kinds;

	/* what is told of some fields only stands below the table */
	for (const Value *cell = value_first(row);
		 cell != NULL && count < COLUMNS_SHOWN &&
		 !(kind == TABLE_FIELDS && text_has_word("marks,note", cell->name));
		 cell = cell->next)
		count++;
	kinds = arena_zeroed(&page->request->arena, count + 1);
	for (const Value *cell = value_first(row); kinds != NULL && kind_count < count;
		 cell = cell->next)
		kinds[kind_count++] = has_numbers(page, rows, cell, kind) ? 'N' : 'T';
	return kinds;
}

/* The heading of a column: its name orders the rows. */
static void
add_heading(Page *page, const char *name, bool number)
{
	const char *by = layout_parameter(page, "orderBy");
	const char *sort = layout_parameter(page, "sort");
	bool current = by != NULL && strcmp(by, name) == 0;
	bool down = current && sort != NULL && strcmp(sort, "DESC") == 0;
	Buffer encoded;

	buffer_init(&encoded, 65536);
	buffer_text(&encoded, "orderBy=");
	text_percent_encode(&encoded, name, strlen(name));
	buffer_text(&encoded, current && !down ? "&sort=DESC" : "&sort=ASC");
	html_page_write(page, number ? "<th scope=\"col\" class=\"number\"" : "<th scope=\"col\"");
	if (current)
		html_page_write(page, " aria-sort=\"%s\"", down ? "descending" : "ascending");
	html_page_write(page, "><a rel=\"nofollow\" href=\"%s\" title=\"%s\">",
					layout_here(page, "orderBy,sort,skip,after,before",
								arena_take(&page->request->arena, &encoded)),
					page_word(page, current && !down ? WORD("descending") : WORD("ascending")));
	html_page_write(page, "%.300s</a></th>", name);
}

/* An input for a parameter: a column and an operator.  The word says what the operator does. */
static void
add_input(Page *page, const char *column, const char *operator, const char * word)
{
	const char *name = arena_format(&page->request->arena, "%s%s", column, operator);
	const char *value = layout_parameter(page, name);

	html_page_write(
		page,
		"<input form=\"filter\" name=\"%s\" value=\"%s\" dir=\"auto\" placeholder=\"%s\" "
		"aria-label=\"{Filter by} %s: %s\">",
		name, value ? value : "", page_word(page, word), column, page_word(page, word));
}

/* What a text must be to its filter, by the parameter "match". */
static const struct
{
	const char *match;
	const char *word;
} matches[] = {{"CONTAINS", WORD("contains")},
			   {"EXACT", WORD("is")},
			   {"BEGINS", WORD("begins with")},
			   {"ENDS", WORD("ends with")}};

/* The index in matches of what is chosen. */
static size_t
match_chosen(const Page *page)
{
	const char *match = layout_parameter(page, "match");

	for (size_t i = 0; i < lengthof(matches); i++)
		if (match != NULL && strcmp(match, matches[i].match) == 0)
			return i;
	return 0;
}

/*
 * A row of inputs: for a column of numbers or dates from where and up to where, for others a text; and
 * one more where the address has such a filter.
 */
static void
add_filters(Page *page, const Value *row, const char *kinds)
{
	Arena *arena = &page->request->arena;

	html_page_write(page, "<tr class=\"filters\">");
	for (const Value *cell = value_first(row); *kinds != '\0'; cell = cell->next, kinds++)
	{
		bool ranged = cell->type == VALUE_NUMBER ||
					  is_column_of(page, cell->name, "integer,decimal,date,datetime,month,quarter");
		bool bounded = layout_parameter(page, arena_format(arena, "%s[gte]", cell->name)) ||
					   layout_parameter(page, arena_format(arena, "%s[lte]", cell->name));

		html_page_write(page, "<td>");
		if (is_filtered(cell->name) && (!ranged || layout_parameter(page, cell->name) != NULL))
			add_input(page, cell->name, "", ranged ? WORD("is") : matches[match_chosen(page)].word);
		if (is_filtered(cell->name) && (ranged || bounded))
		{
			add_input(page, cell->name, "[gte]", WORD("from"));
			add_input(page, cell->name, "[lte]", WORD("to"));
		}
		html_page_write(page, "</td>");
	}
	html_page_write(page, "</tr>");
}

static void
add_cell(Page *page, const Value *cell, bool number)
{
	html_page_write(page, number ? "<td class=\"number\">" : "<td>");
	if (cell != NULL && cell->type == VALUE_TEXT)
		html_name(page, cell->text, CELL_CHARACTERS);
	else if (cell != NULL && cell->type != VALUE_NULL)
		field_value(page, cell, NULL);
	html_page_write(page, "</td>");
}

static void
add_row(Page *page, const Value *row, const char *kinds)
{
	html_page_write(page, "<tr>");
	for (const Value *cell = value_first(row); cell != NULL && *kinds != '\0';
		 cell = cell->next, kinds++)
		add_cell(page, cell, cell->type == VALUE_NUMBER || *kinds == 'N');
	html_page_write(page, "</tr>");
}

/* What the type of a column is called. */
static const char *
type_text(const Page *page, const Value *column)
{
	const char *type = value_text(column, "type");

	return page_label(page, arena_format(&page->request->arena, "column %s", type ? type : ""));
}

/* A column, in which members may be missing that the first one has. */
static void
add_record(Page *page, const Value *first, const Value *record, const char *kinds)
{
	html_page_write(page, "<tr>");
	for (const Value *head = value_first(first); *kinds != '\0'; head = head->next, kinds++)
		if (strcmp(head->name, "type") == 0)
			html_page_write(page, "<td>%.100s</td>", type_text(page, record));
		else
			add_cell(page, value_member(record, head->name), *kinds == 'N');
	html_page_write(page, "</tr>");
}

/* The headings of the columns, and where the rows can be filtered, inputs. */
static void
add_head(Page *page, const Value *first, TableKind kind, const char *kinds)
{
	const char *letter = kinds;

	html_page_write(page, "<thead><tr>");
	for (const Value *cell = value_first(first); *letter != '\0'; cell = cell->next, letter++)
		if (kind == TABLE_FILTERED)
			add_heading(page, cell->name, *letter == 'N');
		else
		{
			const char *name = kind == TABLE_ROWS ? cell->name : page_label(page, cell->name);

			html_page_write(page, *letter == 'N' ? "<th scope=\"col\" class=\"number\">"
												 : "<th scope=\"col\">");
			html_page_write(page, "%.300s</th>", name);
		}
	html_page_write(page, "</tr>");
	if (kind == TABLE_FILTERED)
		add_filters(page, first, kinds);
	html_page_write(page, "</thead>");
}

/* Append rows as a table. */
static void
view_table(Page *page, const Value *rows, const char *caption, TableKind kind)
{
	const Value *first = value_first(rows);
	const char *kinds = column_kinds(page, rows, kind);
	const Value *cell;
	int shown = 0;

	if (first == NULL || kinds == NULL)
	{
		field_nothing(page);
		return;
	}
	html_page_write(
		page, "<div class=\"wide\" tabindex=\"0\"><table class=\"rows\"><caption>%.300s</caption>",
		caption);
	add_head(page, first, kind, kinds);
	html_page_write(page, "<tbody>");
	for (const Value *row = first; row != NULL; row = row->next)
		if (kind != TABLE_FIELDS)
			add_row(page, row, kinds);
		else if (shown++ < COLUMNS_SHOWN)
			add_record(page, first, row, kinds);
	html_page_write(page, "</tbody></table></div>");
	cell = value_first(first);
	for (size_t i = 0; cell != NULL && i < COLUMNS_SHOWN; i++)
		cell = cell->next;
	if (shown > COLUMNS_SHOWN || cell != NULL)
		html_page_write(
			page, "<p class=\"muted\">{The first 100 columns are shown; downloads have all.}</p>");
}

static bool
is_hidden(const Value *sheet)
{
	const Value *hidden = value_member(sheet, "hidden");

	return hidden != NULL && hidden->type == VALUE_TRUE;
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
	const Value *first = value_first(structured_data_part(page, "sheets"));
	const Value *sheet = first;

	while (sheet != NULL && (asked ? !is_named(page, sheet, asked) : is_hidden(sheet)))
		sheet = sheet->next;
	return sheet != NULL || asked != NULL ? sheet : first;
}

/* The parameter of an address that names the sheet of the page, behind a sign; "" where the page names none. */
static const char *
sheet_query(const Page *page, const char *sign)
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

/* Tabs: the sheets of a workbook that are not hidden, and the one that is shown. */
static void
add_sheets(Page *page, const char *id)
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

/* The form that the inputs of the table belong to; without rows, a link that shows all again. */
static void
add_form(Page *page)
{
	const char *contents = layout_path(page, "/files/%s/contents", page->request->path_id);

	html_page_write(page, "<form id=\"filter\" class=\"filter\" method=\"get\" action=\"%s\">",
					contents);
	layout_hidden(page, "limit,skip,after,before,version,condition,match", value_first(page->data));
	html_page_write(page, "<input type=\"hidden\" name=\"condition\" value=\"AND\"><label>{A text} "
						  "<select name=\"match\">");
	for (size_t i = 0; i < lengthof(matches); i++)
		html_page_write(page, "<option value=\"%s\"%s>%s</option>", matches[i].match,
						i == match_chosen(page) ? " selected" : "",
						page_word(page, matches[i].word));
	html_page_write(
		page,
		"</select></label> <button type=\"submit\">{Filter}</button> "
		"<a href=\"%s\">{All}</a></form>",
		layout_path(page, "/files/%s/contents%s", page->request->path_id, sheet_query(page, "?")));
}

/* A form that gives the rows that the filters leave, with their number. */
static void
add_selected(Page *page)
{
	const char *count = value_text(page->meta, "count");

	if (value_first(page->data) == NULL || count == NULL ||
		!value_given(value_member(structured_data_part(page, "file"), "size")))
		return;
	html_page_write(page, "<form class=\"row\" method=\"get\" action=\"%s/files/%s/download/csv\">",
					page->root, page->request->path_id);
	layout_hidden(page, "limit,skip,after,before,version,lang,bom", NULL);
	html_page_write(page, "<input type=\"hidden\" name=\"bom\" value=\"true\">");
	html_page_write(page, "<span>{Download these rows} (%s):</span>",
					html_page_number(page, count));
	for (size_t i = 0; i < lengthof(download_formats); i++)
		if (download_formats[i].offered && download_formats[i].streamed)
			html_page_write(page, " <button formaction=\"%s/files/%s/download/%s\">%s</button>",
							page->root, page->request->path_id, download_formats[i].name,
							download_formats[i].name);
	html_page_write(page, "</form>");
}

/* Ways to take the rows and the file along. */
static void
add_downloads(Page *page, const Value *file)
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
			if (download_formats[i].offered)
				html_page_write(
					page,
					"<li><a href=\"%s/files/%s/download/%s%s%s\" rel=\"nofollow\">%s</a></li>",
					page->root, id, download_formats[i].name, i == DOWNLOAD_CSV ? "?bom=true" : "",
					sheet_query(page, i == DOWNLOAD_CSV ? "&" : "?"), download_formats[i].name);
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

/* The columns of the file, with what is in them. */
static void
add_columns(Page *page)
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

/* The rows with order and filters: GET /files/:id/contents. */
static void
view_contents(Page *page)
{
	const char *count = value_text(page->meta, "count");
	const Value *file = structured_data_part(page, "file");

	html_page_write(page, "<h1>%.300s</h1><p><a href=\"%s\">{Details}</a> · %s %s</p>", page->title,
					layout_path(page, "/files/%s", page->request->path_id),
					html_page_number(page, count ? count : "0"),
					page_plural(page, count ? count : "0", "row", "rows"));
	field_section(page, "contents", page_word(page, "Rows"));
	add_sheets(page, page->request->path_id);
	add_form(page);
	view_table(page, page->data, page->title, TABLE_FILTERED);
	layout_pages(page, page->links, page->meta);
	add_selected(page);
	html_page_write(page, "</section>");
	add_downloads(page, file);
	add_columns(page);
	view_api(page);
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
	add_sheets(page, value_text(page->data, "id"));
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
		view_contents(page);
		return;
	}
	view_item_heading(page);
	if (value_text(dataset, "id") != NULL)
		html_page_write(page, "<p>{File of} <a href=\"%s\">%.300s</a></p>",
						layout_record(page, "datasets", dataset), field_title(dataset));
	add_downloads(page, page->data);
	add_beginning(page);
	view_item_pictures(page, page->data);
	add_columns(page);
	view_item_technical(page, "name,description,charts,maps");
}
