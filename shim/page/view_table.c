/*
 * view_table.c - tables of rows, and of records that are shown like rows.
 */

#include "page/views.h"

#define CELL_CHARACTERS 400
#define GEOMETRY_CHARACTERS 60 /* of a geometry, whose further coordinates tell a reader nothing */

const Value *
view_table_column(const Page *page, const char *name)
{
	const Value *column = value_first(structured_data_part(page, "columns"));

	while (column != NULL &&
		   strcmp(value_text(column, "name") ? value_text(column, "name") : "", name) != 0)
		column = column->next;
	return column;
}

/* What the cells of a column are; each may be a text. */
bool
view_table_is_column(const Page *page, const char *name, const char *types)
{
	const Value *column = view_table_column(page, name);

	return column != NULL && text_has_word(types, value_text(column, "type"));
}

/* Has the column of a cell of the first row only numbers? */
static bool
has_numbers(const Page *page, const Value *rows, const Value *first, TableKind kind)
{
	if (kind != TABLE_FIELDS)
		return first->type == VALUE_NUMBER ||
			   view_table_is_column(page, first->name, "integer,decimal");
	for (const Value *row = value_first(rows); row != NULL; row = row->next)
	{
		const Value *cell = value_member(row, first->name);

		if (value_given(cell) && cell->type != VALUE_NUMBER)
			return false;
	}
	return first->type == VALUE_NUMBER;
}

void
view_table_columns(const Page *page, const Value *rows, TableKind kind, TableHead *head)
{
	for (const Value *cell = value_first(value_first(rows)); cell != NULL; cell = cell->next)
	{
		/* what is told of some fields only stands below the table */
		if (kind == TABLE_FIELDS && text_has_word("marks,note", cell->name))
			break;
		if (head->count == COLUMNS_SHOWN)
		{
			head->more = true;
			break;
		}
		head->numbers[head->count] = has_numbers(page, rows, cell, kind);
		head->names[head->count++] = cell->name;
	}
	if (kind == TABLE_FILTERED)
		view_rows_columns(page, head);
}

/* Is a text a geometry as WKT? */
static bool
is_geometry(const char *text)
{
	static const char *const kinds[] = {
		"POINT",		"LINESTRING",	   "POLYGON",			"MULTIPOINT",
		"MULTIPOLYGON", "MULTILINESTRING", "GEOMETRYCOLLECTION"};

	for (size_t i = 0; i < lengthof(kinds); i++)
	{
		const char *rest = text + strlen(kinds[i]);

		if (strncmp(text, kinds[i], strlen(kinds[i])) == 0 &&
			(strncmp(rest, " (", 2) == 0 || strncmp(rest, " Z (", 4) == 0))
			return true;
	}
	return false;
}

static void
add_cell(Page *page, const Value *cell, bool number)
{
	html_page_write(page, number ? "<td class=\"number\">" : "<td>");
	if (cell != NULL && cell->type == VALUE_TEXT)
		html_name(page, cell->text,
				  is_geometry(cell->text) ? GEOMETRY_CHARACTERS : CELL_CHARACTERS);
	else if (cell != NULL && cell->type != VALUE_NULL)
		field_value(page, cell, NULL);
	html_page_write(page, "</td>");
}

static void
add_row(Page *page, const Value *row, const TableHead *head)
{
	const Value *cell = value_first(row);

	html_page_write(page, "<tr>");
	for (size_t i = 0; i < head->count && cell != NULL; i++, cell = cell->next)
		add_cell(page, cell, cell->type == VALUE_NUMBER || head->numbers[i]);
	html_page_write(page, "</tr>");
}

/* What the type of a column is called. */
static const char *
type_text(const Page *page, const Value *column)
{
	const char *type = value_text(column, "type");

	return page_label(page, arena_format(&page->request->arena, "column %s", type ? type : ""));
}

/* A column of a file as a record, in which members may be missing that the first one has. */
static void
add_record(Page *page, const Value *record, const TableHead *head)
{
	html_page_write(page, "<tr>");
	for (size_t i = 0; i < head->count; i++)
		if (strcmp(head->names[i], "type") == 0)
			html_page_write(page, "<td>%.100s</td>", type_text(page, record));
		else
			add_cell(page, value_member(record, head->names[i]), head->numbers[i]);
	html_page_write(page, "</tr>");
}

static void
add_heading(Page *page, const char *name, bool number)
{
	html_page_write(page, number ? "<th scope=\"col\" class=\"number\">" : "<th scope=\"col\">");
	html_page_write(page, "%.300s</th>", name);
}

void
view_table(Page *page, const Value *rows, const char *caption, TableKind kind)
{
	TableHead head = {0};
	int shown = 0;

	view_table_columns(page, rows, kind, &head);
	if (head.count == 0)
	{
		field_nothing(page);
		return;
	}
	html_page_write(page,
					"<div class=\"wide\" tabindex=\"0\"><table class=\"rows\">"
					"<caption>%.300s</caption><thead><tr>",
					caption);
	for (size_t i = 0; i < head.count; i++)
		if (kind == TABLE_FILTERED)
			view_rows_heading(page, head.names[i], head.numbers[i]);
		else
			add_heading(page, kind == TABLE_ROWS ? head.names[i] : page_label(page, head.names[i]),
						head.numbers[i]);
	html_page_write(page, "</tr>");
	if (kind == TABLE_FILTERED)
		view_rows_filters(page, &head);
	html_page_write(page, "</thead><tbody>");
	for (const Value *row = value_first(rows); row != NULL; row = row->next)
		if (kind != TABLE_FIELDS)
			add_row(page, row, &head);
		else if (shown++ < COLUMNS_SHOWN)
			add_record(page, row, &head);
	html_page_write(page, "</tbody></table></div>");
	if (value_first(rows) == NULL && page->fault == NULL)
		field_nothing(page);
	if (shown > COLUMNS_SHOWN || head.more)
		html_page_write(
			page, "<p class=\"muted\">{The first 100 columns are shown; downloads have all.}</p>");
}
