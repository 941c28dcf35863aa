/*
 * xls.c - a workbook of Excel 5 to 2003 (BIFF5, BIFF8): its global records.
 *
 * The stream is held in memory; shared strings are decoded when a cell uses them.  Scripts write one
 * stream without a container, which may be a single sheet with its own formats.
 */
#include "xls/biff.h"

typedef struct XlsPart
{
	size_t at;
	bool hidden;
	char name[TITLE_MAXIMUM];
} XlsPart;

static void
close_page(Parse *parse)
{
	Xls *xls = parse->open;

	if (xls->page != NO_CONVERTER)
		iconv_close(xls->page);
	xls->page = NO_CONVERTER;
}

/* Set the code page of strings; Windows-1252 in place of an unknown one. */
static void
set_page(Xls *xls, unsigned number)
{
	close_page(xls->parse);
	xls->page = biff_codepage_open(number);
	xls->unknown = xls->page == NO_CONVERTER ? number : 0;
	if (xls->unknown != 0)
		xls->page = biff_codepage_open(1252);
}

/* Locate the shared strings. */
static void
read_texts(Xls *xls, BiffCursor cursor)
{
	uint64_t count = biff_number(xls, cursor.at + 4, 4);

	/* a string has at least three bytes */
	if (count > xls->length / 3)
		parse_refuse(xls->parse, "the shared texts of the workbook are damaged");
	xls->texts = parse_allocate(xls->parse, ((size_t) count + 1) * sizeof(BiffCursor));
	xls->text_count = (size_t) count;
	cursor.at += 8;
	for (uint64_t i = 0; i < count; i++)
	{
		xls->texts[i] = cursor;
		biff_text(xls, &cursor, 2, NULL);
	}
}

static void
add_format(Xls *xls, BiffCursor cursor)
{
	Buffer *code = &xls->parse->cell;
	uint64_t id = biff_number(xls, cursor.at, 2);

	cursor.at += 2;
	code->length = 0;
	biff_text(xls, &cursor, xls->age == 8 ? 2 : 1, code);
	buffer_append(code, "", 1);
	if (!code->failed)
		value_formats_add(&xls->formats, id, code->data);
}

/* Add the sheet that a record of the workbook names; its records are at another offset. */
static void
add_sheet(Xls *xls, XlsPart *parts, unsigned *count, BiffCursor cursor)
{
	Buffer *name = &xls->parse->cell;
	XlsPart *part = &parts[*count];
	const char *text;
	const char *flaw;
	size_t length;

	/* sheets of charts, macros and programs have no rows */
	if (biff_number(xls, cursor.at + 5, 1) != 0)
		return;
	if (*count == CONTENTS_SHEETS)
		parse_refuse(xls->parse, "the workbook has more than 256 sheets");
	part->at = (size_t) biff_number(xls, cursor.at, 4);
	part->hidden = (biff_number(xls, cursor.at + 4, 1) & 3) != 0;
	cursor.at += 6;
	name->length = 0;
	biff_text(xls, &cursor, 1, name);
	if (name->length > 0)
	{
		length = name->length;
		text = clean_text(xls->parse, name->data, &length, &flaw);
		memcpy(part->name, text, frame_cut(text, length, TITLE_MAXIMUM - 1));
	}
	(*count)++;
}

static void
read_record(Xls *xls, int type, BiffCursor cursor)
{
	switch (type)
	{
		case BIFF_FILEPASS:
			parse_refuse_file(xls->parse, "the workbook is encrypted: save it without a password");
		case BIFF_CODEPAGE:
			if (xls->age < 8)
				set_page(xls, (unsigned) biff_number(xls, cursor.at, 2));
			break;
		case BIFF_DATEMODE:
			xls->since_1904 = biff_number(xls, cursor.at, 2) == 1;
			break;
		case BIFF_FORMAT:
			add_format(xls, cursor);
			break;
		case BIFF_XF:
			value_formats_add_style(&xls->formats, biff_number(xls, cursor.at + 2, 2));
			break;
		case BIFF_SST:
			read_texts(xls, cursor);
			break;
		default:
			break;
	}
}

/* The version of a stream by its first record; some programs write 0 for BIFF5. */
static unsigned
age_of(const Xls *xls)
{
	uint64_t type = biff_number(xls, 0, 2);
	uint64_t version = biff_number(xls, 4, 2);

	if (type == 0x0009 || type == 0x0209 || type == 0x0409 ||
		(type == BIFF_BOF && version >= 0x0200 && version < 0x0500))
		parse_refuse(xls->parse, "the workbook is of Excel 2 to 4: save it as XLSX");
	if (type != BIFF_BOF || (version != 0x0600 && version != 0x0500 && version != 0))
		biff_refuse(xls->parse);
	return version == 0x0600 ? 8 : 5;
}

/* Read the global records; return the number of sheets. */
static unsigned
read_book(Xls *xls, XlsPart *parts)
{
	unsigned count = 0;
	BiffCursor cursor;
	int type;
	uint64_t kind = biff_number(xls, 6, 2);

	xls->age = age_of(xls);
	set_page(xls, 1252);
	xls->alone = kind == 0x0010;
	if (xls->alone)
		return 1;
	if (kind != 0x0005)
		return 0;
	for (biff_record(xls, 0, &cursor); (type = biff_record(xls, cursor.end, &cursor)) != BIFF_EOF;)
	{
		if (type < 0)
			biff_refuse(xls->parse);
		if (type == BIFF_BOUNDSHEET)
			add_sheet(xls, parts, &count, cursor);
		else
			read_record(xls, type, cursor);
	}
	return count;
}

/* Read the formats of a sheet without a workbook. */
static void
read_formats(Xls *xls, size_t at)
{
	BiffCursor cursor;
	int type = biff_record(xls, at, &cursor);

	while (type >= 0 && type != BIFF_EOF)
	{
		type = biff_record(xls, cursor.end, &cursor);
		read_record(xls, type, cursor);
	}
}

static void
read_sheet(Xls *xls, const XlsPart *part, unsigned number)
{
	Sheet *sheet = sheet_begin(xls->parse, number, part->name, part->hidden);

	if (xls->alone)
		read_formats(xls, part->at);
	if (xls->unknown != 0)
		sheet_issue(sheet, 1, "code page %u is not known: texts are read as Windows-1252",
					xls->unknown);
	xls_sheet_read(xls, sheet, part->at);
	sheet_end(sheet);
}

/* The bytes of a file that is a stream without a container; else NULL. */
static unsigned char *
read_bare(Parse *parse, size_t *length)
{
	Source *source = parse->source;
	unsigned char head[4] = {0};
	char *bytes;

	if (source->read_at(source, (char *) head, sizeof(head), 0) != sizeof(head) ||
		head[0] != 0x09 || (head[1] & 0xF1) != 0 || head[2] < 4 || head[2] > 16 || head[3] != 0)
		return NULL;
	bytes = parse_allocate(parse, (size_t) source->size);
	*length = (size_t) source->size;
	if (source->read_at(source, bytes, *length, 0) != (ptrdiff_t) *length)
		parse_refuse_file(parse, "the bytes of the file could not be read");
	parse->taken = source->size;
	return (unsigned char *) bytes;
}

void
xls_read(Parse *parse)
{
	static const char *const names[] = {"Workbook", "Book", NULL};
	Xls *xls = parse_allocate(parse, sizeof(Xls));
	XlsPart *parts = parse_allocate(parse, CONTENTS_SHEETS * sizeof(XlsPart));
	char magic[4] = {0};
	unsigned sheets;

	/* files of other formats are often named .xls */
	if (parse->source->read_at(parse->source, magic, 4, 0) == 4)
		parse_check_magic(parse, magic, 4);
	if (parse->source->size == 0)
		parse_refuse(parse, "the file is empty");
	unzip_check_container(parse, true);
	xls->parse = xls->formats.parse = parse;
	xls->page = NO_CONVERTER;
	xls->characters = parse_allocate(parse, BIFF_TEXT);
	parse->open = xls;
	parse->close = close_page;
	xls->bytes = read_bare(parse, &xls->length);
	if (xls->bytes == NULL)
		xls->bytes = biff_container_read(parse, names, &xls->length);
	if (xls->bytes == NULL)
		biff_refuse(parse);
	sheets = read_book(xls, parts);
	if (sheets == 0)
		parse_refuse(parse, "the workbook has no sheets");
	for (unsigned i = 0; i < sheets; i++)
		read_sheet(xls, &parts[i], i + 1);
}
