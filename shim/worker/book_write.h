/*
 * book_write.h - read first: what the files share that write workbooks.
 *
 *   convert.c      a job of kind convert: rows of the database -> cells of a workbook
 *   typed.c        a text as a number, a moment, a boolean
 *   xlsx_write.c   a workbook of Excel 2007, by libxlsxwriter
 *   xls_write.h    a workbook of Excel 97 to 2003
 */
#ifndef BOOK_WRITE_H
#define BOOK_WRITE_H

#include "typed.h"

#define SHEET_NAME 31						 /* characters of the name of a sheet, at most */
#define SHEET_NAME_SIZE (SHEET_NAME * 4 + 1) /* bytes of it */

/* Why there is no workbook: the first two would be so again. */
#define BOOK_LARGE "there are more rows or columns than a workbook can have"
#define BOOK_LONG "a text is longer than a workbook can keep"
#define BOOK_FAILED "the workbook could not be written"

typedef struct SheetHead
{
	const char *name; /* that a workbook can have, and that no other sheet has */
	bool hidden;
	uint32_t rows; /* that of the titles included */
	uint32_t columns;
} SheetHead;

/* A form of workbook.  Each function gives NULL, or why there is no workbook. */
typedef struct BookWriter
{
	const char *form;
	/* Begin a workbook, which goes into the file when it is closed; NULL when that fails. */
	void *(*open)(int file, const json_t *sheets);
	const char *(*begin_sheet)(void *book, const SheetHead *head);
	/* Write a cell of the sheet begun last; rows come in their order.  Row 0 has the titles. */
	const char *(*cell)(void *book, uint32_t row, uint32_t column, const Typed *typed,
						const char *text, size_t length);
	const char *(*end_sheet)(void *book);
	/* Write the file, where it is wanted, and free all. */
	const char *(*close)(void *book, bool wanted);
} BookWriter;

extern const BookWriter xlsx_writer;
extern const BookWriter xls_writer;

#endif
