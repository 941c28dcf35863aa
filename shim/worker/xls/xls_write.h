/*
 * xls_write.h - what the files share that write a workbook of Excel 97 to 2003 (BIFF8).
 *
 *   xls_write.c         the workbook: records of sheets and cells, and all of it into one file
 *   xls_write_book.c    records that stand before the sheets
 *   xls_write_texts.c   texts that cells share, in records that continue one another
 *   xls_write_file.c    the OLE2 container
 *
 * A workbook is one stream: what it says of itself, the shared texts, the sheets.  Sheets and texts
 * grow side by side, each in a file without a name, so memory does not grow with the workbook.
 */
#ifndef XLS_WRITE_H
#define XLS_WRITE_H

#include <stdio.h>

#include "../../extension/sheets/chunk.h"
#include "formats/book_write.h"
#include "sandbox/sandbox.h"
#include "xls/xls.h"

#define XLS_ROWS 65536
#define XLS_COLUMNS 256
#define XLS_TEXT 32767	/* units of UTF-16 of a cell, at most */
#define XLS_RECORD 8224 /* bytes of a record, at most */

/* Types of records. */
enum
{
	XLS_EOF = 0x000A,
	XLS_DATEMODE = 0x0022,
	XLS_FONT = 0x0031,
	XLS_CONTINUE = 0x003C,
	XLS_WINDOW1 = 0x003D,
	XLS_CODEPAGE = 0x0042,
	XLS_BOUNDSHEET = 0x0085,
	XLS_XF = 0x00E0,
	XLS_SST = 0x00FC,
	XLS_LABELSST = 0x00FD,
	XLS_DIMENSIONS = 0x0200,
	XLS_NUMBER = 0x0203,
	XLS_BOOLERR = 0x0205,
	XLS_WINDOW2 = 0x023E,
	XLS_RK = 0x027E,
	XLS_STYLE = 0x0293,
	XLS_FORMAT = 0x041E,
	XLS_BOF = 0x0809
};

/* Styles of cells, as xls_write_book.c writes them: the first 15 are of no cell. */
enum
{
	XLS_PLAIN = 15,
	XLS_DATE,
	XLS_DATETIME,
	XLS_HEAD
};

/* Bytes of a record, little end first. */
typedef struct XlsBytes
{
	size_t length;
	unsigned char bytes[XLS_RECORD];
} XlsBytes;

/* A text that was written a short while ago, and its number among the shared ones. */
#define XLS_REMEMBERED 4096
#define XLS_SHORT 56 /* bytes of such a text, at most */

typedef struct XlsRemembered
{
	uint32_t number;
	unsigned char length; /* 0: none */
	char text[XLS_SHORT];
} XlsRemembered;

typedef struct XlsTexts
{
	FILE *file;
	XlsBytes open; /* what the record at the end has so far */
	bool continued;
	uint32_t used; /* by cells */
	uint32_t count;
	uint16_t units[XLS_TEXT];
	XlsRemembered remembered[XLS_REMEMBERED];
} XlsTexts;

typedef struct XlsTab
{
	uint32_t place; /* of the sheet, in bytes behind the texts */
	bool hidden;
	char name[SHEET_NAME_SIZE];
} XlsTab;

typedef struct XlsBook
{
	int file; /* where the workbook goes */
	FILE *cells;
	uint64_t length; /* of the sheets so far, in bytes */
	unsigned tabs;
	XlsTab tab[CONTENTS_SHEETS];
	XlsTexts texts;
} XlsBook;

/* xls_write.c */
extern void xls_put(XlsBytes *bytes, uint64_t number, unsigned count);
/* Append a text as the contents of a record have it, its length in so many bytes. */
extern void xls_put_text(XlsBytes *bytes, const char *text, unsigned length_bytes);
/* Write a record. */
extern void xls_record(FILE *file, unsigned type, const XlsBytes *bytes);

/* xls_write_book.c: write what stands before the texts, when the sheets begin so far behind it. */
extern void xls_write_book(FILE *file, const XlsBook *book, uint32_t behind);

/* xls_write_texts.c */
extern bool xls_texts_open(XlsTexts *texts);
/* Share a text: its number, false when it is too long. */
extern bool xls_texts_add(XlsTexts *texts, const char *text, size_t length, uint32_t *number);
/* Write what is open; how many bytes all texts take. */
extern uint64_t xls_texts_end(XlsTexts *texts);
/* A text as UTF-16: how many units, XLS_TEXT + 1 when there are more than may be; *wide: some have
 * two bytes. */
extern unsigned xls_units(const char *text, size_t length, uint16_t *units, bool *wide);

/* xls_write_file.c: write the container around a stream of a length, before and behind it. */
extern void xls_write_header(FILE *file, uint64_t length);
extern void xls_write_trailer(FILE *file, uint64_t length);

#endif
