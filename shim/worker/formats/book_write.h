/*
 * book_write.h - interface of the writers of workbooks.
 *
 *   formats/xlsx_write.c   a workbook of Excel 2007, by libxlsxwriter
 *   xls/xls_write.c        a workbook of Excel 97 to 2003
 *   formats/sheet_name.c   names that these programs take
 */
#ifndef WORKER_FORMATS_BOOK_WRITE_H
#define WORKER_FORMATS_BOOK_WRITE_H

#include <time.h>

#include <jansson.h>

#include "base/base.h"

typedef enum TypedForm
{
	TYPED_EMPTY,
	TYPED_TEXT,
	TYPED_NUMBER,
	TYPED_BOOLEAN,
	TYPED_DATE,
	TYPED_DATETIME
} TypedForm;

/* A cell.  The value of a text is passed beside it. */
typedef struct Typed
{
	TypedForm form;
	bool truth;
	double number;
	struct tm time;	 /* of the year 1900 or later */
	double fraction; /* of a second */
} Typed;

#define SHEET_NAME 31						 /* maximum characters of the name of a sheet */
#define SHEET_NAME_SIZE (SHEET_NAME * 4 + 1) /* in bytes, with its zero byte */

/* Reasons of a failure; the first two are permanent. */
#define BOOK_LARGE "there are more rows or columns than a workbook can have"
#define BOOK_LONG "a text is longer than a workbook can keep"
#define BOOK_FAILED "the workbook could not be written"

typedef struct SheetHead
{
	const char *name; /* valid in a workbook, and unique in it */
	bool hidden;
	uint32_t rows; /* with the row of titles */
	uint32_t columns;
} SheetHead;

/* A file format.  Functions return NULL, or the reason of a failure, unless stated otherwise. */
typedef struct BookWriter
{
	/* Begin a workbook, which is written to the file when it is closed; NULL on failure. */
	void *(*open)(FILE *file, const json_t *sheets);
	const char *(*begin_sheet)(void *book, const SheetHead *head);
	/* Write a cell of the open sheet, in order of rows.  Row 0 has the titles. */
	const char *(*cell)(void *book, uint32_t row, uint32_t column, const Typed *typed,
						const char *text, size_t length);
	void (*end_sheet)(void *book); /* NULL: nothing is to be written */
	/* Write the file if wanted, and free the workbook. */
	const char *(*close)(void *book, bool wanted);
} BookWriter;

/* xlsx_write.c */
extern const BookWriter xlsx_writer;
/* Does a text begin with what readers of XLSX take for a character, such as _x0041_? */
extern bool xlsx_write_is_escape(const char *text);
/* Does a text begin with U+FFFE or U+FFFF, which XML does not have? */
extern bool xlsx_write_is_noncharacter(const char *text);

/* sheet_name.c */
typedef struct SheetName
{
	char text[SHEET_NAME_SIZE];
} SheetName;

/* Set the name of the sheet after the first count ones, from the name that it has in the file. */
extern const char *sheet_name_make(SheetName *names, unsigned count, const char *wanted);

#endif
