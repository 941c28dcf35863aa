/*
 * book_write.h - what the writers of workbooks have in common.
 *
 *   formats/xlsx_write.c   a workbook of Excel 2007, by libxlsxwriter
 *   xls/xls_write.c        a workbook of Excel 97 to 2003
 */
#ifndef WORKER_FORMATS_BOOK_WRITE_H
#define WORKER_FORMATS_BOOK_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

typedef enum TypedForm
{
	TYPED_EMPTY,
	TYPED_TEXT,
	TYPED_NUMBER,
	TYPED_BOOLEAN,
	TYPED_DATE,
	TYPED_DATETIME
} TypedForm;

/* A cell: of a text and an empty one the form says all. */
typedef struct Typed
{
	TypedForm form;
	bool truth;
	double number;
	int year, month, day, hour, minute; /* from 1900 on */
	double second;
} Typed;

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

#endif
