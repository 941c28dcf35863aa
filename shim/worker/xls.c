/*
 * xls.c - a workbook of Excel 5 to 2003 (BIFF5, BIFF8): what it says of itself, and its sheets.
 *
 * The whole stream is held in memory; texts that cells share are taken out of it as they are used.
 */
#include <stdio.h>
#include <string.h>

#include "xls.h"

typedef struct XlsPart
{
	size_t at;
	bool hidden;
	char name[TITLE_MAXIMUM];
} XlsPart;

void
xls_prepare(void)
{
	codepage_prepare();
}

static void
close_page(Parse *parse)
{
	Xls *xls = parse->open;

	codepage_close(&xls->page);
}

/* Take the code page of texts, Windows-1252 in place of one that is not known. */
static void
set_page(Xls *xls, unsigned number)
{
	xls->unknown = 0;
	if (codepage_open(&xls->page, number))
		return;
	xls->unknown = number;
	codepage_open(&xls->page, 1252);
}

/* Where each of the shared texts begins. */
static void
read_texts(Xls *xls, BiffPlace place)
{
	uint64_t count = biff_number(xls, place.at + 4, 4);

	/* a text has three bytes or more */
	if (count > xls->length / 3)
		parse_refuse(xls->parse, "the shared texts of the workbook are damaged");
	xls->texts = parse_allocate(xls->parse, ((size_t) count + 1) * sizeof(BiffPlace));
	xls->text_count = (size_t) count;
	place.at += 8;
	for (uint64_t i = 0; i < count; i++)
	{
		xls->texts[i] = place;
		biff_text(xls, &place, 2, NULL);
	}
}

static void
add_format(Xls *xls, BiffPlace place)
{
	Buffer *code = &xls->parse->cell;
	uint64_t id = biff_number(xls, place.at, 2);

	place.at += 2;
	code->length = 0;
	biff_text(xls, &place, xls->wide ? 2 : 1, code);
	buffer_append(code, "", 1);
	if (!code->failed)
		formats_add(&xls->formats, id, code->data);
}

static void
add_part(Xls *xls, XlsPart *parts, unsigned *count, BiffPlace place)
{
	Buffer *name = &xls->parse->cell;
	XlsPart *part = &parts[*count];
	const char *text;
	const char *flaw;
	size_t length;

	/* sheets of charts, macros and programs have no rows */
	if (biff_number(xls, place.at + 5, 1) != 0)
		return;
	if (*count == CONTENTS_SHEETS)
		parse_refuse(xls->parse, "the workbook has more than 256 sheets");
	part->at = (size_t) biff_number(xls, place.at, 4);
	part->hidden = (biff_number(xls, place.at + 4, 1) & 3) != 0;
	place.at += 6;
	name->length = 0;
	biff_text(xls, &place, 1, name);
	if (name->length > 0)
	{
		length = name->length;
		text = clean_text(xls->parse, name->data, &length, &flaw);
		memcpy(part->name, text, frame_cut(text, length, TITLE_MAXIMUM - 1));
	}
	(*count)++;
}

static void
read_record(Xls *xls, int type, BiffPlace place)
{
	switch (type)
	{
		case BIFF_FILEPASS:
			parse_refuse(xls->parse, "the workbook is encrypted: save it without a password");
		case BIFF_CODEPAGE:
			if (!xls->wide)
				set_page(xls, (unsigned) biff_number(xls, place.at, 2));
			break;
		case BIFF_DATEMODE:
			xls->since_1904 = biff_number(xls, place.at, 2) == 1;
			break;
		case BIFF_FORMAT:
			add_format(xls, place);
			break;
		case BIFF_XF:
			formats_add_style(&xls->formats, biff_number(xls, place.at + 2, 2));
			break;
		case BIFF_SST:
			read_texts(xls, place);
			break;
		default:
			break;
	}
}

/* Read what stands before the sheets; how many there are. */
static unsigned
read_book(Xls *xls, XlsPart *parts)
{
	unsigned count = 0;
	BiffPlace place;
	int type = biff_record(xls, 0, &place);
	uint64_t version = biff_number(xls, 4, 2);

	if (type != BIFF_BOF || (version != 0x0500 && version != 0x0600))
		parse_refuse(xls->parse, "the file is no workbook of Excel 5 to 2003, or is damaged");
	xls->wide = version == 0x0600;
	set_page(xls, 1252);
	while ((type = biff_record(xls, place.end, &place)) != BIFF_EOF)
	{
		if (type < 0)
			parse_refuse(xls->parse, "the file is no workbook of Excel 5 to 2003, or is damaged");
		if (type == BIFF_BOUNDSHEET)
			add_part(xls, parts, &count, place);
		else
			read_record(xls, type, place);
	}
	return count;
}

static void
read_sheet(Xls *xls, const XlsPart *part, unsigned number)
{
	Sheet *sheet = sheet_begin(xls->parse, number, part->name, part->hidden);

	if (xls->unknown != 0)
		sheet_issue(sheet, 1, "code page %u is not known: texts are read as Windows-1252",
					xls->unknown);
	xls_sheet_read(xls, sheet, part->at);
	sheet_end(sheet);
}

void
xls_read(Parse *parse)
{
	static const char *const names[] = {"Workbook", "Book", NULL};
	Xls *xls = parse_allocate(parse, sizeof(Xls));
	XlsPart *parts = parse_allocate(parse, CONTENTS_SHEETS * sizeof(XlsPart));
	char magic[4] = {0};
	unsigned sheets;

	/* a name that ends with .xls is common for what is none */
	if (parse->source->read_at(parse->source, magic, 4, 0) == 4)
		parse_check_magic(parse, magic, 4);
	if (parse->source->size == 0)
		parse_refuse(parse, "the file is empty");
	unzip_check_container(parse, true);
	xls->parse = xls->formats.parse = parse;
	xls->page.converter = CODEPAGE_NONE;
	xls->characters = parse_allocate(parse, BIFF_TEXT);
	parse->open = xls;
	parse->close = close_page;
	xls->bytes = container_read(parse, names, &xls->length);
	if (xls->bytes == NULL)
		parse_refuse(parse, "the file is no workbook of Excel 5 to 2003, or is damaged");
	sheets = read_book(xls, parts);
	if (sheets == 0)
		parse_refuse(parse, "the workbook has no sheets");
	for (unsigned i = 0; i < sheets; i++)
		read_sheet(xls, &parts[i], i + 1);
}
