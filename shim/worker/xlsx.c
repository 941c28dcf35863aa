/*
 * xlsx.c - a workbook of Office Open XML: which sheets it has and where they are.
 */
#include <string.h>
#include <strings.h>

#include "book.h"

typedef struct BookPart
{
	char *name;
	char *id; /* of the relation */
	bool hidden;
} BookPart;

typedef struct Book
{
	Parse *parse;
	Unzip *unzip;
	Relation *relations; /* of the workbook's part */
	Formats formats;
	Strings strings;
	bool since_1904;
	unsigned sheets;
	uint64_t written;
	BookPart parts[CONTENTS_SHEETS];
} Book;

static void
start(void *data, const char *name, const char **attributes)
{
	Book *book = data;
	const char *value;

	if (strcmp(name, "workbookPr") == 0)
	{
		/* extensions have an element of this name too, which does not say it */
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
		if (id == NULL)
			parse_refuse(book->parse, "a sheet of the workbook has no part");
		value = xml_attribute(attributes, "state");
		part->hidden = value != NULL && strcmp(value, "visible") != 0;
		part->name = book_text(book->parse, title == NULL ? "" : title);
		part->id = book_text(book->parse, id);
		book->sheets++;
	}
}

static void
end(void *data, const char *name)
{
	(void) data;
	(void) name;
}

/* Read a part that the workbook may lack. */
static void
read_part(Book *book, const char *kind, const XmlHandlers *handlers, void *data)
{
	const Relation *relation = relations_by_kind(book->relations, kind);
	int64_t part;

	if (relation == NULL)
		return;
	part = unzip_find(book->unzip, relation->target);
	if (part < 0)
		parse_refuse(book->parse, "the workbook lacks its part \"%.100s\"", relation->target);
	xml_read(book->unzip, part, handlers, data);
}

/* Read what the workbook says of itself. */
static void
read_book(Book *book)
{
	static const XmlHandlers handlers = {start, end, NULL};
	const Relation *document = relations_by_kind(relations_read(book->unzip, ""), "officeDocument");
	const char *name = document == NULL ? "xl/workbook.xml" : document->target;
	int64_t part = unzip_find(book->unzip, name);

	if (part < 0 && unzip_find(book->unzip, "content.xml") >= 0)
		parse_refuse(book->parse, "the file is not what its name says: it is an OpenDocument file");
	if (part < 0)
		parse_refuse(book->parse, "the workbook lacks its part \"%.100s\"", name);
	if (unzip_find(book->unzip, "xl/workbook.bin") >= 0)
		parse_refuse(book->parse, "the workbook is a binary one (XLSB): save it as XLSX");
	xml_read(book->unzip, part, &handlers, book);
	if (book->sheets == 0)
		parse_refuse(book->parse, "the workbook has no sheets");
	book->relations = relations_read(book->unzip, name);
	read_part(book, "styles", &formats_handlers, &book->formats);
	read_part(book, "sharedStrings", &strings_handlers, &book->strings);
}

static void
read_sheet(Book *book, const BookPart *sheet, const char *target, unsigned number)
{
	int64_t part = unzip_find(book->unzip, target);
	BookSheet open = {.parse = book->parse,
					  .strings = &book->strings,
					  .formats = &book->formats,
					  .since_1904 = book->since_1904,
					  .written = book->written};

	if (part < 0)
		parse_refuse(book->parse, "the workbook lacks its part \"%.100s\"", target);
	open.sheet = sheet_begin(book->parse, number, sheet->name, sheet->hidden);
	xml_read(book->unzip, part, &xlsx_sheet_handlers, &open);
	xlsx_sheet_end(&open);
	book->written = open.written;
}

void
xlsx_read(Parse *parse)
{
	Book *book = parse_allocate(parse, sizeof(Book));
	unsigned number = 0;

	book->parse = book->formats.parse = book->strings.parse = parse;
	book->unzip = unzip_open(parse);
	read_book(book);
	for (unsigned i = 0; i < book->sheets; i++)
	{
		const Relation *relation = relations_by_id(book->relations, book->parts[i].id);

		if (relation == NULL)
			parse_refuse(parse, "a sheet of the workbook has no part");
		/* sheets of charts and dialogs have no rows */
		if (strcmp(relation->kind, "worksheet") == 0)
			read_sheet(book, &book->parts[i], relation->target, ++number);
	}
	if (number == 0)
		parse_refuse(parse, "the workbook has no sheets with cells");
}
