/*
 * xlsx_write.c - write a workbook of Excel 2007 with libxlsxwriter.
 *
 * The library keeps the current row in memory and the rest in a temporary file; the workbook is an
 * unnamed file.  Texts are written as strings, never as formulas.
 */
#include <string.h>

#include <xlsxwriter.h>

#include "formats/book_write.h"

#define CELL_XML 80		/* maximum bytes of markup around a text */
#define CHARACTER_XML 7 /* maximum bytes of a character: _x0001_ */

typedef struct XlsxBook
{
	lxw_workbook *book;
	lxw_worksheet *sheet;
	lxw_format *head;
	lxw_format *date;
	lxw_format *datetime;
	int sheets;
	Buffer text; /* with escapes */
} XlsxBook;

/*
 * ---- Escapes ----
 *
 * A character that XML does not have is written as _xHHHH_, its number in UTF-16, in cells and in
 * names of sheets.  The library does so for control characters of cells.  A text that looks like an
 * escape has its first character escaped, also with the capital X that SheetJS takes for one.
 */

#define ESCAPED "_x005F_" /* the character _ */
#define ESCAPED_MAXIMUM (1 << 20)

bool
xlsx_write_is_escape(const char *text)
{
	return text[0] == '_' && (text[1] == 'x' || text[1] == 'X') && strnlen(text, 7) == 7 &&
		   text[6] == '_' && text_unit(text + 2) >= 0;
}

bool
xlsx_write_is_noncharacter(const char *text)
{
	return strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0;
}

/* The text as it is written: itself, or a copy with escapes, valid until the next call; NULL: it is too
 * long. */
static const char *
escape(XlsxBook *xlsx, const char *text)
{
	const char *rest = text;

	buffer_clear(&xlsx->text);
	for (const char *at = text; (at = strpbrk(at, "_\xEF")) != NULL; at++)
	{
		bool noncharacter = xlsx_write_is_noncharacter(at);

		if (!noncharacter && !xlsx_write_is_escape(at))
			continue;
		buffer_append(&xlsx->text, rest, (size_t) (at - rest));
		if (noncharacter)
			buffer_text(&xlsx->text, at[2] == '\xBE' ? "_xFFFE_" : "_xFFFF_");
		else
			buffer_text(&xlsx->text, ESCAPED);
		rest = at + (noncharacter ? 3 : 1);
	}
	if (rest == text)
		return text;
	buffer_append(&xlsx->text, rest, strlen(rest) + 1);
	return xlsx->text.failed ? NULL : xlsx->text.data;
}

static const char *
fault_of(lxw_error error)
{
	if (error == LXW_NO_ERROR)
		return NULL;
	if (error == LXW_ERROR_WORKSHEET_INDEX_OUT_OF_RANGE)
		return BOOK_LARGE;
	if (error == LXW_ERROR_MAX_STRING_LENGTH_EXCEEDED)
		return BOOK_LONG;
	return BOOK_FAILED;
}

/*
 * Can a part exceed 4 GiB?  ZIP64 is used only then, because Excel offers to repair such a workbook
 * and some readers refuse it.
 */
static bool
may_be_huge(const json_t *sheets)
{
	size_t index;
	const json_t *sheet;
	int64_t bytes = 0;

	json_array_foreach(sheets, index, sheet)
	{
		int64_t columns = (int64_t) json_array_size(json_object_get(sheet, "columns"));

		bytes += json_integer_value(json_object_get(sheet, "rows")) * (columns + 1) * CELL_XML;
		bytes += json_integer_value(json_object_get(sheet, "bytes")) * CHARACTER_XML;
	}
	return bytes > UINT32_MAX;
}

static void *
open_book(FILE *file, const json_t *sheets)
{
	char path[40];
	lxw_workbook_options options = {.constant_memory = LXW_TRUE, .use_zip64 = may_be_huge(sheets)};
	XlsxBook *xlsx = calloc(1, sizeof(XlsxBook));

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	if (xlsx != NULL)
		xlsx->book = workbook_new_opt(path, &options);
	if (xlsx == NULL || xlsx->book == NULL)
	{
		free(xlsx);
		return NULL;
	}
	xlsx->head = workbook_add_format(xlsx->book);
	xlsx->date = workbook_add_format(xlsx->book);
	xlsx->datetime = workbook_add_format(xlsx->book);
	buffer_init(&xlsx->text, ESCAPED_MAXIMUM);
	format_set_bold(xlsx->head);
	format_set_num_format(xlsx->date, "yyyy-mm-dd");
	format_set_num_format(xlsx->datetime, "yyyy-mm-dd hh:mm:ss");
	return xlsx;
}

static const char *
begin_sheet(void *book, const SheetHead *head)
{
	XlsxBook *xlsx = book;

	xlsx->sheet = workbook_add_worksheet(xlsx->book, escape(xlsx, head->name));
	if (xlsx->sheet == NULL)
		return BOOK_FAILED;
	/* the first sheet is the active one */
	if (xlsx->sheets++ > 0 && head->hidden)
		worksheet_hide(xlsx->sheet);
	return NULL;
}

static lxw_error
write_moment(const XlsxBook *xlsx, lxw_row_t row, lxw_col_t column, const Typed *typed)
{
	const struct tm *time = &typed->time;
	lxw_datetime moment = {time->tm_year + 1900, time->tm_mon + 1, time->tm_mday,
						   time->tm_hour,		 time->tm_min,	   time->tm_sec + typed->fraction};

	return worksheet_write_datetime(xlsx->sheet, row, column, &moment,
									typed->form == TYPED_DATE ? xlsx->date : xlsx->datetime);
}

static const char *
write_text(XlsxBook *xlsx, uint32_t row, lxw_col_t column, const char *text)
{
	const char *escaped = escape(xlsx, text);

	if (escaped == NULL)
		return BOOK_LONG;
	return fault_of(
		worksheet_write_string(xlsx->sheet, row, column, escaped, row == 0 ? xlsx->head : NULL));
}

static const char *
write_cell(void *book, uint32_t row, uint32_t number, const Typed *typed, const char *text,
		   size_t length)
{
	XlsxBook *xlsx = book;
	lxw_col_t column = (lxw_col_t) number;

	(void) length;
	switch (typed->form)
	{
		case TYPED_EMPTY:
			return NULL;
		case TYPED_NUMBER:
			return fault_of(worksheet_write_number(xlsx->sheet, row, column, typed->number, NULL));
		case TYPED_BOOLEAN:
			return fault_of(worksheet_write_boolean(xlsx->sheet, row, column, typed->truth, NULL));
		case TYPED_DATE:
		case TYPED_DATETIME:
			return fault_of(write_moment(xlsx, row, column, typed));
		default:
			return write_text(xlsx, row, column, text);
	}
}

static const char *
close_book(void *book, bool wanted)
{
	XlsxBook *xlsx = book;
	lxw_error error = workbook_close(xlsx->book);

	buffer_free(&xlsx->text);
	free(xlsx);
	return wanted ? fault_of(error) : NULL;
}

const BookWriter xlsx_writer = {open_book, begin_sheet, write_cell, NULL, close_book};
