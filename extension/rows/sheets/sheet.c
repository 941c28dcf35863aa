/*
 * sheet.c
 *	  Storing of a sheet's rows, and loading of rows from JSON.
 *
 * The worker stores the contents of a file in one transaction: the former contents are visible
 * until it commits, the new ones afterwards.  The rest of that is in sql/42-contents.sql.
 */
#include "catalogue.h"

#include "base/body.h"
#include "call/call.h"
#include "rows/sheets/sheets_internal.h"

/* Check that all cells of a chunk can be read, so that only readable chunks are stored. */
static void
check_chunk(int64 first, int count, bytea *data)
{
	Cells *cells = palloc(sizeof(Cells));
	Chunk chunk;

	cat_chunk_open(&chunk, VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data), first, count);
	for (int i = 0; i < chunk.columns; i++)
		cat_chunk_cells(&chunk, i, cells);
	pfree(cells);
}

/* Add rows to a sheet, behind those that it has. */
static void
sheet_add(int64 sheet, int64 first, int count, bytea *data)
{
	check_chunk(first, count, data);
	cat_statement_fresh(
		"INSERT INTO catalogue.sheet_chunk (sheet, first, count, data) SELECT $1, $2, $3, $4 "
		"WHERE $2 = coalesce((SELECT c.first + c.count FROM catalogue.sheet_chunk c "
		"WHERE c.sheet = $1 ORDER BY c.first DESC LIMIT 1), 1)",
		int8_param(sheet), int8_param(first), int4_param(count),
		datum_param(BYTEAOID, PointerGetDatum(data)));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rows of a sheet do not follow those before")));
}

CAT_FUNCTION(catalogue_contents_add)
{
	cat_owner_call_begin();
	sheet_add(PG_GETARG_INT64(0), PG_GETARG_INT64(1), PG_GETARG_INT32(2), PG_GETARG_BYTEA_PP(3));
	cat_owner_call_end();
	PG_RETURN_VOID();
}

/* Rows to load: texts of cells, NULL for absent ones. */
typedef struct Load
{
	List *names; /* of char *, unique */
	List *titles;
	List *rows; /* of List of char * */
} Load;

pg_noreturn static void
refuse_json(const char *message)
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
		refuse_json("a cell has a character that has no place in a text");
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
		refuse_json("there are too many columns");
	load->names = lappend(load->names, unique_name(load->names, title));
	load->titles = lappend(load->titles, pstrdup(title));
}

/* Load an array; the first one has the column names. */
static void
add_array(Load *load, const Member *row, bool names)
{
	List *cells = NIL;

	foreach_ptr(Member, member, cat_body_elements(row->raw))
	{
		char *text = text_of(member);

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

	foreach_ptr(Member, entry, members)
		if (!cat_query_string_has_word(load->titles, entry->name))
			add_column(load, entry->name);
	foreach_ptr(char, title, load->titles)
	{
		Member *member = cat_body_member(members, title);

		cells = lappend(cells, member ? text_of(member) : NULL);
	}
	load->rows = lappend(load->rows, cells);
}

static void
read_rows(Load *load, const char *json)
{
	List *rows;

	if (json[strspn(json, " \t\r\n")] != '[')
		refuse_json("the rows are no array");
	rows = cat_body_elements(json);
	foreach_ptr(const Member, row, rows)
	{
		if (row->kind == MEMBER_ARRAY)
			add_array(load, row, foreach_current_index(row) == 0);
		else if (row->kind == MEMBER_OBJECT)
			add_object(load, row);
		else
			refuse_json("a row is neither an array nor an object");
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

	foreach_ptr(List, row, load->rows)
	{
		const char *text = cell_of(row, number);

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

/* Append the description of a column. */
static void
append_column(StringInfo out, const Load *load, int number)
{
	SheetColumn column = {.kind = kind_of(load, number), .point = '.'};
	char **cells = palloc(sizeof(char *) * (list_length(load->rows) + 1));
	int count = 0, distinct = 0;

	foreach_ptr(List, row, load->rows)
	{
		char *text = cell_of(row, number);

		if (text && *text)
			cells[count++] = text;
	}
	qsort_arg(cells, (size_t) count, sizeof(char *), in_order, &column);
	for (int i = 0; i < count; i++)
		distinct += i == 0 || strcmp(cells[i - 1], cells[i]) != 0;
	appendStringInfo(
		out,
		"%s{\"name\":%s,\"title\":%s,\"type\":\"%s\",\"nulls\":%d,\"distinct\":%d,\"min\":%s,"
		"\"max\":%s}",
		number > 0 ? "," : "", cat_json_quoted(list_nth(load->names, number)),
		cat_json_quoted(list_nth(load->titles, number)), cat_cell_kind_name(column.kind),
		list_length(load->rows) - count, distinct, cat_json_quoted(count > 0 ? cells[0] : NULL),
		cat_json_quoted(count > 0 ? cells[count - 1] : NULL));
	pfree(cells);
}

static char *
summary_of(const Load *load)
{
	StringInfo out = makeStringInfo();

	appendStringInfo(out, "{\"rows\":%d,\"badRows\":0,\"columns\":[", list_length(load->rows));
	for (int i = 0; i < list_length(load->names); i++)
		append_column(out, load, i);
	appendStringInfoString(out, "]}");
	return out->data;
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
				refuse_json("a cell is too long");
			cat_chunk_put(writer, i, text, text ? strlen(text) : 0);
		}
		if (!cat_chunk_end_row(writer) && !last)
			continue;
		count = cat_chunk_pending(writer);
		sheet_add(sheet, first, count, cat_chunk_take(writer));
		first += count;
	}
}

CAT_FUNCTION(catalogue_contents_load)
{
	Load load = {0};
	const char *file = cat_call_reply_argument(fcinfo, 0);
	int64 revision;
	int64 sheet;

	cat_owner_call_begin();
	cat_statement_fresh("SELECT catalogue.contents_begin_part($1, NULL)", text_param(file));
	revision = cat_result_int64(1);
	read_rows(&load, cat_call_reply_argument(fcinfo, 1));
	cat_statement_fresh("SELECT catalogue.contents_sheet_part($1, $2, 1, $3, false)",
						text_param(file), int8_param(revision),
						text_param(cat_call_reply_argument(fcinfo, 2)));
	sheet = cat_result_int64(1);
	store_rows(&load, sheet);
	cat_statement_fresh("SELECT catalogue.contents_sheet_end_part($1, $2::json)", int8_param(sheet),
						text_param(summary_of(&load)));
	cat_statement_fresh("SELECT catalogue.contents_publish_part($1, $2, NULL)", text_param(file),
						int8_param(revision));
	cat_owner_call_end();
	PG_RETURN_INT64(revision);
}
