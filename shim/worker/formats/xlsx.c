/*
 * xlsx.c - an Office Open XML workbook: its sheets, and their rows of cells.
 */
#include <strings.h>

#include "formats/book.h"

/*
 * ---- A sheet: rows of cells ----
 *
 * Rows without a value are skipped and counted, so an empty sheet that declares a million rows is
 * cheap.
 */

/* The column of a reference such as AB12, counted from 0; otherwise if there is none. */
static unsigned
column_of(const char *reference, unsigned otherwise)
{
	unsigned column = 0;

	if (reference == NULL)
		return otherwise;
	for (; *reference >= 'A' && *reference <= 'Z'; reference++)
	{
		column = column * 26 + (unsigned) (*reference - 'A' + 1);
		if (column > BOOK_COLUMNS)
			return otherwise;
	}
	return column == 0 ? otherwise : column - 1;
}

static char
type_of(const char *type)
{
	static const struct
	{
		const char *name;
		char type;
	} types[] = {{"n", 'n'},		 {"s", 's'}, {"str", 't'}, {"b", 'b'},
				 {"inlineStr", 'i'}, {"e", 't'}, {"d", 't'}};

	if (type == NULL)
		return 'n';
	for (size_t i = 0; i < lengthof(types); i++)
		if (strcmp(types[i].name, type) == 0)
			return types[i].type;
	return 't';
}

static void
start_cell(BookSheet *book, const char **attributes)
{
	const char *reference = NULL;
	const char *type = NULL;
	const char *style = NULL;

	/* not xml_attribute(): this is the most expensive part of reading a sheet */
	for (; *attributes != NULL; attributes += 2)
	{
		const char *name = *attributes;

		if (name[0] == '\0' || name[1] != '\0')
			continue;
		if (name[0] == 'r')
			reference = attributes[1];
		else if (name[0] == 't')
			type = attributes[1];
		else if (name[0] == 's')
			style = attributes[1];
	}
	book->column = column_of(reference, book->column);
	book->type = type_of(type);
	book->style = xml_number(style, UINT32_MAX, UINT32_MAX);
	book->valued = book->formula = false;
	book->parse->cell.length = 0;
}

static void
start_part(void *data, const char *name, const char **attributes)
{
	BookSheet *book = data;

	if (strcmp(name, "c") == 0)
		start_cell(book, attributes);
	else if (strcmp(name, "v") == 0)
		book->in_value = book->valued = book->type != 'i';
	else if (strcmp(name, "row") == 0)
	{
		book->row = xml_number(xml_attribute(attributes, "r"), BOOK_ROWS, book->row + 1);
		book->column = 0;
	}
	else if (strcmp(name, "f") == 0)
		book->formula = true;
	else if (strcmp(name, "t") == 0)
	{
		book->in_value = book->type == 'i' && !book->in_phonetic;
		book->valued |= book->in_value;
	}
	else if (strcmp(name, "rPh") == 0)
		book->in_phonetic = true;
}

/* Add the text of the cell to the row. */
static void
put(BookSheet *book, const char *text, size_t length)
{
	Parse *parse = book->parse;

	if (parse->cell.failed)
	{
		book->sheet->fault = "a cell of the row is longer than 1 MiB";
		parse->cell.failed = false;
		return;
	}
	order_cell(book->order, book->column, text, length);
}

static void
put_shared(BookSheet *book)
{
	Buffer *cell = &book->parse->cell;
	const char *text;
	size_t length = 0;

	buffer_append(cell, "", 1);
	text = strings_text(book->strings, xml_number(cell->data, UINT32_MAX, UINT32_MAX), &length);
	if (book->strings->count == 0)
	{
		order_pass(book->order);
		sheet_lose(book->sheet, book->row, book->strings->missing);
		return;
	}
	if (text == NULL)
	{
		book->sheet->flaw = "a cell refers to a text that is not in the workbook and is empty";
		return;
	}
	put(book, text, length);
}

static void
put_number(BookSheet *book)
{
	Buffer *cell = &book->parse->cell;
	char value[VALUE_MAXIMUM];
	size_t length = value_number(value, cell->data, cell->length);

	char styled[VALUE_MAXIMUM];
	size_t styled_length = length > 0 ? value_styled(styled, strtod(value, NULL), book->formats,
													 book->style, book->since_1904)
									  : 0;

	if (styled_length > 0)
		put(book, styled, styled_length);
	else if (length > 0)
		put(book, value, length);
	else
		put(book, cell->data, cell->length);
}

static void
end_cell(BookSheet *book)
{
	Buffer *cell = &book->parse->cell;

	if (!book->valued)
		book->bare += book->formula;
	else if (cell->length == 0)
		/* an empty text */
		put(book, "", 0);
	else if (book->type == 's')
		put_shared(book);
	else if (book->type == 'n')
		put_number(book);
	else if (book->type == 'b' && strchr("1tT", *cell->data) != NULL) /* 1 and 0, or the words */
		put(book, "true", 4);
	else if (book->type == 'b')
		put(book, "false", 5);
	else
		put(book, cell->data, strings_unescape(cell->data, cell->length));
	book->column++;
}

static void
end_part(void *data, const char *name)
{
	BookSheet *book = data;

	if (strcmp(name, "c") == 0)
		end_cell(book);
	else if (strcmp(name, "v") == 0 || strcmp(name, "t") == 0)
		book->in_value = false;
	else if (strcmp(name, "row") == 0)
		order_row(book->order, book->row);
	else if (strcmp(name, "rPh") == 0)
		book->in_phonetic = false;
}

static void
text(void *data, const char *bytes, size_t length)
{
	BookSheet *book = data;

	if (book->in_value)
		buffer_append(&book->parse->cell, bytes, length);
}

const XmlHandlers xlsx_sheet_handlers = {start_part, end_part, text};

void
xlsx_sheet_end(BookSheet *book)
{
	order_pass(book->order);
	sheet_detail(book->parse, "formulasWithoutValue", book->bare);
	sheet_end(book->sheet);
}

typedef struct BookPart
{
	char *name;
	char *id; /* id of the relation */
	bool hidden;
} BookPart;

typedef struct Book
{
	Parse *parse;
	Unzip *unzip;
	Relation *relations; /* relations of the workbook's part */
	Relation *contents;	 /* content types of the parts; NULL: not read yet */
	Formats formats;
	Strings strings;
	bool since_1904;
	unsigned sheets;
	const char *name;				   /* name of the part to read */
	const XmlHandlers *handlers;	   /* its handlers */
	void *data;						   /* argument of the handlers */
	char undated[REASON_MAXIMUM + 64]; /* consequence of styles that cannot be read */
	BookSheet sheet;				   /* the sheet that is being read */
	BookPart parts[CONTENTS_SHEETS];
} Book;

static void
start(void *data, const char *name, const char **attributes)
{
	Book *book = data;
	const char *value;

	if (strcmp(name, "workbookPr") == 0)
	{
		/* extensions have an element of this name with another meaning */
		value = xml_attribute(attributes, "date1904");
		book->since_1904 |=
			value != NULL && (strcmp(value, "1") == 0 || strcmp(value, "true") == 0);
	}
	else if (strcmp(name, "sheet") == 0)
	{
		BookPart *part = &book->parts[book->sheets];
		const char *title = xml_attribute(attributes, "name");
		const char *id = xml_attribute(attributes, "id");

		if (book->sheets == CONTENTS_SHEETS)
			parse_refuse(book->parse, "the workbook has more than 256 sheets");
		value = xml_attribute(attributes, "state");
		part->hidden = value != NULL && strcmp(value, "visible") != 0;
		part->name = parse_copy(book->parse, title == NULL ? "" : title);
		part->name[strings_unescape(part->name, strlen(part->name))] = '\0';
		part->id = parse_copy(book->parse, id);
		book->sheets++;
	}
}

/* Read a part by its name. */
static void
read_part(void *data)
{
	const Book *book = data;
	int64_t part = unzip_find(book->unzip, book->name);

	if (part < 0)
		parse_refuse(book->parse, "the workbook lacks its part \"%.100s\"", book->name);
	xml_read(book->unzip, part, book->handlers, book->data);
}

/* Read an optional part; false with the reason in the Parse. */
static bool
try_part(Book *book, const char *name, const XmlHandlers *handlers, void *data)
{
	book->name = name;
	book->handlers = handlers;
	book->data = data;
	if (parse_try(book->parse, read_part, book))
		return true;
	unzip_abandon(book->unzip);
	return false;
}

/* The name of a part by its relation, else by its content type; or NULL. */
static const char *
find_part(Book *book, const Relation *relation, const char *kind)
{
	if (relation != NULL)
		return relation->target;
	if (book->contents == NULL)
		book->contents = relations_of_contents(book->unzip);
	relation = relations_by_kind(book->contents, kind);
	return relation == NULL ? NULL : relation->target;
}

/* Read shared strings and styles; an error there is reported by the cells that need them. */
static void
read_shared(Book *book)
{
	const char *strings =
		find_part(book, relations_by_kind(book->relations, "sharedStrings"), "sharedStrings");
	const char *styles = find_part(book, relations_by_kind(book->relations, "styles"), "styles");

	snprintf(book->strings.missing, sizeof(book->strings.missing),
			 "the workbook lacks the shared strings that its cells refer to");
	if (strings != NULL && !try_part(book, strings, &strings_handlers, &book->strings))
	{
		book->strings.count = 0;
		snprintf(book->strings.missing, sizeof(book->strings.missing), "%s", book->parse->reason);
	}
	if (styles != NULL && !try_part(book, styles, &formats_handlers, &book->formats))
	{
		value_formats_clear(&book->formats);
		snprintf(book->undated, sizeof(book->undated),
				 "%s; dates are shown as the numbers that they are", book->parse->reason);
	}
}

/* The name of the workbook's own part. */
static const char *
find_book(Book *book)
{
	const Relation *relation = relations_by_kind(relations_read(book->unzip, ""), "officeDocument");
	const char *name = find_part(book, relation, "main");

	return name == NULL ? "xl/workbook.xml" : name;
}

/* Read the part of the workbook. */
static void
read_book(Book *book)
{
	static const XmlHandlers handlers = {start, NULL, NULL};
	const char *name = find_book(book);
	size_t length = strlen(name);

	if (unzip_find(book->unzip, name) < 0 && unzip_find(book->unzip, "content.xml") >= 0)
		parse_refuse(book->parse, "the file is not what its name says: it is an OpenDocument file");
	if (unzip_find(book->unzip, "xl/workbook.bin") >= 0 ||
		(length > 4 && strcasecmp(name + length - 4, ".bin") == 0))
		parse_refuse(book->parse, "the workbook is a binary one (XLSB): save it as XLSX");
	book->name = name;
	book->handlers = &handlers;
	book->data = book;
	read_part(book);
	if (book->sheets == 0)
		parse_refuse(book->parse, "the workbook has no sheets");
	book->relations = relations_read(book->unzip, name);
	read_shared(book);
}

/* Read the rows of a sheet, and its merged cells before them. */
static bool
read_rows(Book *book, const char *name)
{
	merged_cells_read(book->unzip, name, book->sheet.sheet);
	return try_part(book, name, &xlsx_sheet_handlers, &book->sheet);
}

/* Read a sheet by its relation, NULL if it has none; an error does not affect the other sheets. */
static void
read_sheet(Book *book, const BookPart *part, const Relation *relation, unsigned number)
{
	Sheet *sheet = sheet_begin(book->parse, number, part->name, part->hidden);

	book->sheet = (BookSheet){.parse = book->parse,
							  .sheet = sheet,
							  .order = order_begin(sheet),
							  .strings = &book->strings,
							  .formats = &book->formats,
							  .since_1904 = book->since_1904};
	if (book->undated[0] != '\0')
		sheet_issue(sheet, 1, "%s", book->undated);
	if (relation == NULL)
		sheet_lose(sheet, 1, "a sheet of the workbook has no part");
	else if (!read_rows(book, relation->target))
	{
		order_pass(book->sheet.order);
		sheet_lose(sheet, book->sheet.row + 1, book->parse->reason);
	}
	xlsx_sheet_end(&book->sheet);
}

void
xlsx_read(Parse *parse)
{
	Book *book = parse_allocate(parse, sizeof(Book));
	unsigned number = 0;

	book->parse = book->formats.parse = book->strings.parse = parse;
	book->unzip = unzip_open(parse, &unzip_workbook);
	read_book(book);
	for (unsigned i = 0; i < book->sheets; i++)
	{
		const BookPart *part = &book->parts[i];
		const Relation *relation =
			part->id == NULL ? NULL : relations_by_id(book->relations, part->id);

		/* sheets of charts and dialogs have no rows */
		if (relation == NULL || strcmp(relation->kind, "worksheet") == 0)
			read_sheet(book, part, relation, ++number);
	}
	if (number == 0)
		parse_refuse(parse, "the workbook has no sheets with cells");
}
