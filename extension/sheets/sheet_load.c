/*
 * sheet_load.c
 *	  Loading of a file's contents from JSON, for database users and tests.
 */
#include "catalogue.h"

#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "base/body.h"
#include "call/call.h"
#include "pg/pg.h"
#include "sheets/chunk.h"
#include "sheets/sheets.h"
#include "sheets/sheets_internal.h"

PG_FUNCTION_INFO_V1(catalogue_contents_load);

/* Rows to load: texts of cells, NULL for absent ones. */
typedef struct Load
{
	List *names; /* of char *, unique */
	List *titles;
	List *rows; /* of List of char * */
} Load;

pg_noreturn static void
refuse(const char *message)
{
	ereport(ERROR, (errcode(OD400), errmsg("%s", message),
					errhint("It takes an array of arrays, the first of names, or of objects.")));
}

/* Return the text of a value; NULL for null. */
static char *
text_of(const Member *member)
{
	if (member->kind == MEMBER_NULL)
		return NULL;
	if (member->kind == MEMBER_ARRAY || member->kind == MEMBER_OBJECT)
		return member->raw;
	if (!member->text)
		refuse("a cell has a character that has no place in a text");
	return member->text;
}

/*
 * Return a unique name for a column, with dots replaced by spaces and without surrounding spaces.
 */
static char *
unique_name(List *names, const char *title)
{
	char *name = pstrdup(title);
	char *bare;
	int number = 1;

	for (char *dot = strchr(name, '.'); dot; dot = strchr(dot, '.'))
		*dot = ' ';
	name += strspn(name, " ");
	for (size_t length = strlen(name); length > 0 && name[length - 1] == ' '; length--)
		name[length - 1] = '\0';
	bare = name = *name ? name : pstrdup("column");
	while (cat_query_string_has_word(names, name) || strcmp(name, "_id") == 0)
		name = psprintf("%s_%d", bare, ++number);
	return name;
}

static void
add_column(Load *load, const char *title)
{
	if (list_length(load->names) == CONTENTS_COLUMNS)
		refuse("there are too many columns");
	load->names = lappend(load->names, unique_name(load->names, title));
	load->titles = lappend(load->titles, pstrdup(title));
}

/* Load an array; the first one has the column names. */
static void
add_array(Load *load, const Member *row, bool names)
{
	List *cells = NIL;
	ListCell *cell;

	foreach(cell, cat_body_elements(row->raw))
	{
		char *text = text_of(lfirst(cell));

		if (names)
			add_column(load, text ? text : "");
		else
			cells = lappend(cells, text);
	}
	while (list_length(cells) > list_length(load->names))
		add_column(load, "");
	if (!names)
		load->rows = lappend(load->rows, cells);
}

/* Load an object; its members are columns. */
static void
add_object(Load *load, const Member *row)
{
	List *members = cat_body_members(row->raw, strlen(row->raw));
	List *cells = NIL;
	ListCell *cell;

	foreach(cell, members)
		if (!cat_query_string_has_word(load->titles, ((Member *) lfirst(cell))->name))
			add_column(load, ((Member *) lfirst(cell))->name);
	foreach(cell, load->titles)
	{
		Member *member = cat_body_member(members, lfirst(cell));

		cells = lappend(cells, member ? text_of(member) : NULL);
	}
	load->rows = lappend(load->rows, cells);
}

static void
read_rows(Load *load, const char *json)
{
	ListCell *cell;
	List *rows;

	if (json[strspn(json, " \t\r\n")] != '[')
		refuse("the rows are no array");
	rows = cat_body_elements(json);
	foreach(cell, rows)
	{
		const Member *row = lfirst(cell);

		if (row->kind == MEMBER_ARRAY)
			add_array(load, row, foreach_current_index(cell) == 0);
		else if (row->kind == MEMBER_OBJECT)
			add_object(load, row);
		else
			refuse("a row is neither an array nor an object");
	}
}

static char *
cell_of(const List *row, int column)
{
	return column < list_length(row) ? list_nth(row, column) : NULL;
}

/* Return whether a number's text has no zeros in front: it would be a code with them. */
static bool
is_plain(const char *text)
{
	text += *text == '-' || *text == '+';
	return text[0] != '0' || !isdigit((unsigned char) text[1]);
}

/*
 * Return whether a text fits the type of a column; booleans are words here, and integers have no
 * fraction.
 */
static bool
fits(const SheetColumn *column, const char *text)
{
	CellValue value;

	if (column->kind == CELL_TEXT)
		return true;
	if (!cat_cell_value(column, text, (int) strlen(text), &value))
		return false;
	if (column->kind == CELL_INTEGER)
		return is_plain(text) && strspn(text, "-+0123456789") == strlen(text);
	if (column->kind == CELL_DATE)
		return value.day;
	return column->kind == CELL_DECIMAL ? is_plain(text) : true;
}

static bool
all_fit(const Load *load, int number, const SheetColumn *column)
{
	bool any = false;
	ListCell *cell;

	foreach(cell, load->rows)
	{
		const char *text = cell_of(lfirst(cell), number);

		if (!text || !*text)
			continue;
		any = true;
		if (!fits(column, text))
			return false;
	}
	return any || column->kind == CELL_TEXT;
}

/* Return the kind that fits all cells of a column. */
static CellKind
kind_of(const Load *load, int number)
{
	static const CellKind kinds[] = {CELL_INTEGER, CELL_DECIMAL, CELL_BOOLEAN, CELL_DATE,
									 CELL_DATETIME};

	for (size_t i = 0; i < lengthof(kinds); i++)
		if (all_fit(load, number, &(SheetColumn){.kind = kinds[i], .point = '.'}))
			return kinds[i];
	return CELL_TEXT;
}

static int
in_order(const void *a, const void *b, void *of)
{
	const SheetColumn *column = of;
	const char *left = *(const char *const *) a;
	const char *right = *(const char *const *) b;
	CellValue one, two;
	int order = 0;

	if (column->kind != CELL_TEXT && cat_cell_value(column, left, (int) strlen(left), &one) &&
		cat_cell_value(column, right, (int) strlen(right), &two))
		order = cat_cell_compare(column, &one, &two);
	return order ? order : strcmp(left, right);
}

/* Append the minimum or maximum of the cells; null if there are none. */
static void
append_end(StringInfo out, const char *text)
{
	if (text)
		cat_json_text_string(out, text);
	else
		appendStringInfoString(out, "null");
}

/* Append the description of a column. */
static void
append_column(StringInfo out, const Load *load, int number)
{
	SheetColumn column = {.kind = kind_of(load, number), .point = '.'};
	char **cells = palloc(sizeof(char *) * (list_length(load->rows) + 1));
	int count = 0, distinct = 0;
	ListCell *cell;

	foreach(cell, load->rows)
	{
		char *text = cell_of(lfirst(cell), number);

		if (text && *text)
			cells[count++] = text;
	}
	qsort_arg(cells, (size_t) count, sizeof(char *), in_order, &column);
	for (int i = 0; i < count; i++)
		distinct += i == 0 || strcmp(cells[i - 1], cells[i]) != 0;
	appendStringInfoString(out, number > 0 ? ",{\"name\":" : "{\"name\":");
	cat_json_text_string(out, list_nth(load->names, number));
	appendStringInfoString(out, ",\"title\":");
	cat_json_text_string(out, list_nth(load->titles, number));
	appendStringInfo(out, ",\"type\":\"%s\",\"nulls\":%d,\"distinct\":%d,\"min\":",
					 cat_cell_kind_name(column.kind), list_length(load->rows) - count, distinct);
	append_end(out, count > 0 ? cells[0] : NULL);
	appendStringInfoString(out, ",\"max\":");
	append_end(out, count > 0 ? cells[count - 1] : NULL);
	appendStringInfoChar(out, '}');
	pfree(cells);
}

static char *
summary_of(const Load *load)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfo(&out, "{\"rows\":%d,\"badRows\":0,\"columns\":[", list_length(load->rows));
	for (int i = 0; i < list_length(load->names); i++)
		append_column(&out, load, i);
	appendStringInfoString(&out, "]}");
	return out.data;
}

/* Store the rows as chunks of a sheet. */
static void
store_rows(const Load *load, int64 sheet)
{
	int columns = list_length(load->names);
	ChunkWriter *writer = cat_chunk_writer(columns);
	int64 first = 1;
	ListCell *cell;

	foreach(cell, load->rows)
	{
		bool last = !lnext(load->rows, cell);
		int count;

		for (int i = 0; i < columns; i++)
		{
			const char *text = cell_of(lfirst(cell), i);

			if (text && strlen(text) > CONTENTS_CELL)
				refuse("a cell is too long");
			cat_chunk_put(writer, i, text, text ? strlen(text) : 0);
		}
		if (!cat_chunk_end_row(writer) && !last)
			continue;
		count = cat_chunk_pending(writer);
		cat_sheet_add(sheet, first, count, cat_chunk_take(writer));
		first += count;
	}
}

Datum
catalogue_contents_load(PG_FUNCTION_ARGS)
{
	Load load = {0};
	const char *file = cat_call_reply_argument(fcinfo, 0);
	int64 revision;
	int64 sheet;

	cat_security_context_take();
	SPI_connect();
	revision = cat_sheet_begin(file, NULL);
	read_rows(&load, cat_call_reply_argument(fcinfo, 1));
	sheet = cat_sheet_new(file, revision, 1, cat_call_reply_argument(fcinfo, 2), false);
	store_rows(&load, sheet);
	cat_sheet_end(sheet, summary_of(&load));
	cat_sheet_publish(file, revision, NULL);
	SPI_finish();
	cat_security_context_return();
	PG_RETURN_INT64(revision);
}
