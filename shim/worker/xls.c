/*
 * xls.c - a workbook of Excel 5 to 2003 (BIFF5, BIFF8), by libfreexl.
 *
 * The library holds the whole workbook in memory and crashes on some that are malformed: that is
 * what the child is for.  It opens files by name; in the sandbox each name is descriptor 0.
 */
#include <stdio.h>
#include <string.h>

#include <freexl.h>
#include <iconv.h>

#include "book.h"

static void
close_book(Parse *parse)
{
	if (parse->open != NULL)
		freexl_close(parse->open);
}

/*
 * The C library reads the tables of an encoding from files, and keeps them as long as somebody uses
 * them: so they are in use before the sandbox closes, and stay so.
 */
void
xls_prepare(void)
{
	static const char *const encodings[] = {
		"UTF-16LE", "CP1252", "CP1250", "CP1251",	 "CP1253", "CP1254", "CP1255",
		"CP1256",	"CP1257", "CP1258", "CP437",	 "CP720",  "CP737",	 "CP775",
		"CP850",	"CP852",  "CP855",	"CP857",	 "CP858",  "CP862",	 "CP863",
		"CP864",	"CP865",  "CP866",	"CP869",	 "CP874",  "CP932",	 "CP936",
		"CP949",	"CP950",  "CP1361", "MACINTOSH", "ASCII"};

	for (size_t i = 0; i < lengthof(encodings); i++)
		(void) iconv_open("UTF-8", encodings[i]);
}

static void
put_number(Sheet *sheet, unsigned column, double number)
{
	char text[VALUE_MAXIMUM];
	char value[VALUE_MAXIMUM];
	int length = snprintf(text, sizeof(text), "%.17g", number);

	sheet_cell(sheet, column, value, value_number(value, text, (size_t) length));
}

/* A date as the library writes it: with a space before the time. */
static void
put_date(Sheet *sheet, unsigned column, const char *text)
{
	char value[VALUE_MAXIMUM];
	size_t length = strnlen(text, sizeof(value));

	memcpy(value, text, length);
	if (length > 10 && value[10] == ' ')
		value[10] = 'T';
	sheet_cell(sheet, column, value, length);
}

/* A text of the library, which may be no UTF-8 where the workbook is damaged. */
static void
put_text(Sheet *sheet, unsigned column, const char *text)
{
	size_t length = strlen(text);

	if (text_valid_utf8(text, length))
		sheet_cell(sheet, column, text, length);
	else
		sheet->flaw = "a cell has a text that cannot be read and is empty";
}

static void
put_cell(Sheet *sheet, unsigned column, const FreeXL_CellValue *cell)
{
	switch (cell->type)
	{
		case FREEXL_CELL_INT:
			put_number(sheet, column, cell->value.int_value);
			break;
		case FREEXL_CELL_DOUBLE:
			put_number(sheet, column, cell->value.double_value);
			break;
		case FREEXL_CELL_TEXT:
		case FREEXL_CELL_SST_TEXT:
			if (cell->value.text_value != NULL)
				put_text(sheet, column, cell->value.text_value);
			break;
		case FREEXL_CELL_DATE:
		case FREEXL_CELL_DATETIME:
		case FREEXL_CELL_TIME:
			put_date(sheet, column, cell->value.text_value);
			break;
		default:
			break;
	}
}

static void
read_rows(Parse *parse, Sheet *sheet)
{
	unsigned rows = 0;
	unsigned short columns = 0;
	FreeXL_CellValue cell;

	if (freexl_worksheet_dimensions(parse->open, &rows, &columns) != FREEXL_OK)
		parse_refuse(parse, "a sheet of the workbook is damaged");
	for (unsigned row = 0; row < rows; row++)
	{
		for (unsigned column = 0; column < columns; column++)
			if (freexl_get_cell_value(parse->open, row, (unsigned short) column, &cell) ==
				FREEXL_OK)
				put_cell(sheet, column, &cell);
		if (sheet->filled == 0)
			sheet_undo(sheet);
		else
			sheet_row(sheet, row + 1);
	}
}

static void
read_sheet(Parse *parse, unsigned short index)
{
	const char *name = NULL;
	Sheet *sheet;

	if (freexl_get_worksheet_name(parse->open, index, &name) != FREEXL_OK || name == NULL ||
		!text_valid_utf8(name, strlen(name)))
		name = "";
	if (freexl_select_active_worksheet(parse->open, index) != FREEXL_OK)
		parse_refuse(parse, "sheet %d of the workbook is damaged", index + 1);
	sheet = sheet_begin(parse, index + 1U, name, false);
	read_rows(parse, sheet);
	sheet_end(sheet);
}

static void
open_book(Parse *parse)
{
	const void *handle = NULL;
	unsigned info = 0;
	int code;

	if (parse->source->size == 0)
		parse_refuse(parse, "the file is empty");
	unzip_check_container(parse, true);
	parse->close = close_book;
	code = freexl_open("/proc/self/fd/0", &handle);
	parse->open = (void *) handle;
	if (code == FREEXL_INSUFFICIENT_MEMORY)
		parse_refuse(parse, "the file takes more memory to read than a file may have");
	if (code != FREEXL_OK)
		parse_refuse(parse, "the file is no workbook of Excel 5 to 2003, or is damaged");
	if (freexl_get_info(handle, FREEXL_BIFF_PASSWORD, &info) == FREEXL_OK &&
		info == FREEXL_BIFF_OBFUSCATED)
		parse_refuse(parse, "the workbook is encrypted: save it without a password");
}

void
xls_read(Parse *parse)
{
	unsigned sheets = 0;
	char magic[4] = {0};

	/* a name that ends with .xls is common for what is none */
	if (parse->source->read_at(parse->source, magic, 4, 0) == 4)
		parse_check_magic(parse, magic, 4);
	open_book(parse);
	if (freexl_get_info(parse->open, FREEXL_BIFF_SHEET_COUNT, &sheets) != FREEXL_OK || sheets == 0)
		parse_refuse(parse, "the workbook has no sheets");
	if (sheets > CONTENTS_SHEETS)
		parse_refuse(parse, "the workbook has more than 256 sheets");
	for (unsigned i = 0; i < sheets; i++)
		read_sheet(parse, (unsigned short) i);
}
