/*
 * xlsx_sheet.c - a sheet of an XLSX: rows of cells.
 *
 * Rows without a value are skipped and counted, so an empty sheet that declares a million rows is
 * cheap.
 */
#include <string.h>

#include "formats/book.h"

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
	uint64_t number;

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
	number = xml_number(style, UINT32_MAX, UINT32_MAX);
	book->format =
		number < book->formats->styles ? (NumberFormat) book->formats->kinds[number] : FORMAT_PLAIN;
	book->valued = book->formula = false;
	book->parse->cell.length = 0;
}

static void
start(void *data, const char *name, const char **attributes)
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
	else if (strcmp(name, "mergeCell") == 0)
		book->merged++;
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

	if (length > 0 && book->format != FORMAT_PLAIN)
	{
		char date[VALUE_MAXIMUM];
		size_t date_length;

		date_length = value_date(date, value_serial(value, length), book->format, book->since_1904);
		if (date_length > 0)
		{
			put(book, date, date_length);
			return;
		}
	}
	if (length > 0)
		put(book, value, length);
	else
		put(book, cell->data, cell->length);
}

static void
put_boolean(BookSheet *book)
{
	/* 1 and 0, or the words */
	bool yes = strchr("1tT", *book->parse->cell.data) != NULL;

	put(book, yes ? "true" : "false", yes ? 4 : 5);
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
	else if (book->type == 'b')
		put_boolean(book);
	else
		put(book, cell->data, strings_unescape(cell->data, cell->length));
	book->column++;
}

static void
end(void *data, const char *name)
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

const XmlHandlers xlsx_sheet_handlers = {start, end, text};

void
xlsx_sheet_end(BookSheet *book)
{
	Buffer *details = &book->parse->details;

	order_pass(book->order);
	if (book->merged > 0)
		buffer_format(details, ",\"mergedCells\":%llu", (unsigned long long) book->merged);
	if (book->bare > 0)
		buffer_format(details, ",\"formulasWithoutValue\":%llu", (unsigned long long) book->bare);
	sheet_end(book->sheet);
}
