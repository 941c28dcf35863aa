/*
 * xls_write_book.c - global records of a workbook of Excel 97 to 2003: fonts, formats, styles, and
 * the offsets of its sheets.
 */
#include <string.h>

#include "xls/xls_write.h"

#define FONT_BOLD 5 /* the fifth font: number 4 does not exist */
#define FORMAT_DATE 164
#define FORMAT_DATETIME 165

static void
write_font(FILE *file, unsigned weight)
{
	XlsBytes font = {0};

	xls_put(&font, 200, 2); /* height, in twentieths of a point */
	xls_put(&font, weight >= 700 ? 1 : 0, 2);
	xls_put(&font, 0x7FFF, 2); /* colour of window text */
	xls_put(&font, weight, 2);
	xls_put(&font, 0, 6);
	xls_put_text(&font, "Arial", 1);
	xls_record(file, XLS_FONT, &font);
}

static void
write_format(FILE *file, unsigned number, const char *code)
{
	XlsBytes format = {0};

	xls_put(&format, number, 2);
	xls_put_text(&format, code, 2);
	xls_record(file, XLS_FORMAT, &format);
}

static void
write_style(FILE *file, unsigned font, unsigned format, bool of_cells)
{
	XlsBytes style = {0};

	xls_put(&style, font, 2);
	xls_put(&style, format, 2);
	xls_put(&style, of_cells ? 0x0001 : 0xFFF5, 2); /* locked; a parent style */
	xls_put(&style, 0x20, 1);						/* aligned at the bottom */
	xls_put(&style, 0, 2);
	xls_put(&style, of_cells ? 0 : 0xF4, 1);
	xls_put(&style, 0, 8);
	xls_put(&style, 0x20C0, 2); /* no pattern, default colours */
	xls_record(file, XLS_XF, &style);
}

static void
write_styles(FILE *file)
{
	XlsBytes normal = {0};

	for (int i = 0; i < 4; i++)
		write_font(file, 400);
	write_font(file, 700);
	write_format(file, FORMAT_DATE, "yyyy-mm-dd");
	write_format(file, FORMAT_DATETIME, "yyyy-mm-dd hh:mm:ss");
	for (int i = 0; i < XLS_PLAIN; i++)
		write_style(file, 0, 0, false);
	write_style(file, 0, 0, true);
	write_style(file, 0, FORMAT_DATE, true);
	write_style(file, 0, FORMAT_DATETIME, true);
	write_style(file, FONT_BOLD, 0, true);
	xls_put(&normal, 0x8000, 2); /* style 0 is Normal */
	xls_put(&normal, 0, 1);
	xls_put(&normal, 0xFF, 1);
	xls_record(file, XLS_STYLE, &normal);
}

static void
write_number(FILE *file, unsigned type, unsigned number)
{
	XlsBytes bytes = {0};

	xls_put(&bytes, number, 2);
	xls_record(file, type, &bytes);
}

static void
write_window(FILE *file)
{
	XlsBytes window = {0};

	xls_put(&window, 0, 4);
	xls_put(&window, 0x4000, 2); /* width and height */
	xls_put(&window, 0x2000, 2);
	xls_put(&window, 0x0038, 2); /* scroll bars and tabs */
	xls_put(&window, 0, 4);		 /* the first sheet is active */
	xls_put(&window, 1, 2);
	xls_put(&window, 600, 2);
	xls_record(file, XLS_WINDOW1, &window);
}

static void
write_tab(FILE *file, const XlsTab *tab, uint32_t behind)
{
	XlsBytes sheet = {0};

	xls_put(&sheet, behind + tab->place, 4);
	xls_put(&sheet, tab->hidden, 1);
	xls_put(&sheet, 0, 1);
	xls_put_text(&sheet, tab->name, 1);
	xls_record(file, XLS_BOUNDSHEET, &sheet);
}

void
xls_write_book(FILE *file, const XlsBook *book, uint32_t behind)
{
	XlsBytes begin = {0};

	xls_put(&begin, 0x0600, 2); /* BIFF8 */
	xls_put(&begin, 0x0005, 2); /* workbook globals */
	xls_put(&begin, 0x0DBB, 2);
	xls_put(&begin, 0x07CC, 2);
	xls_put(&begin, 0x00000041, 4);
	xls_put(&begin, 0x00000006, 4);
	xls_record(file, XLS_BOF, &begin);
	write_number(file, XLS_CODEPAGE, 1200);
	write_window(file);
	write_number(file, XLS_DATEMODE, 0);
	write_styles(file);
	for (unsigned i = 0; i < book->tabs; i++)
		write_tab(file, &book->tab[i], behind);
}
