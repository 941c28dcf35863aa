/*
 * xls_write.h - the writer of workbooks of Excel 97 to 2003 (BIFF8).
 *
 * A workbook is one stream: records of the workbook, shared strings, sheets.  Sheets and strings
 * are written to two unnamed temporary files, so memory use does not grow with the workbook.
 */
#ifndef XLS_WRITE_H
#define XLS_WRITE_H

#include "../../extension/rows/sheets/chunk.h"
#include "formats/book_write.h"
#include "sandbox/sandbox.h"
#include "xls/xls.h"

#define XLS_ROWS 65536
#define XLS_COLUMNS 256
#define XLS_TEXT 32767	/* maximum UTF-16 units of a cell */
#define XLS_RECORD 8224 /* maximum bytes of a record */

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

/* Cell styles, as xls_write.c writes them; the first 15 are style XFs, not cell XFs. */
enum
{
	XLS_PLAIN = 15,
	XLS_DATE,
	XLS_DATETIME,
	XLS_HEAD
};

/* Bytes of a record, little-endian. */
typedef struct XlsBytes
{
	size_t length;
	unsigned char bytes[XLS_RECORD];
} XlsBytes;

/* Cache of recently written strings with their numbers. */
#define XLS_REMEMBERED 4096
#define XLS_SHORT 56 /* maximum bytes of a cached string */

typedef struct XlsRemembered
{
	uint32_t number;
	unsigned char length; /* 0: none */
	char text[XLS_SHORT];
} XlsRemembered;

typedef struct XlsTexts
{
	FILE *file;
	XlsBytes open; /* the last record, not written yet */
	bool continued;
	uint32_t used; /* references from cells */
	uint32_t count;
	uint16_t units[XLS_TEXT];
	XlsRemembered remembered[XLS_REMEMBERED];
} XlsTexts;

typedef struct XlsTab
{
	uint32_t offset; /* offset of the sheet after the strings, in bytes */
	bool hidden;
	char name[SHEET_NAME_SIZE];
} XlsTab;

typedef struct XlsBook
{
	FILE *file; /* the output */
	FILE *cells;
	uint64_t length; /* bytes of the sheets so far */
	unsigned tabs;
	XlsTab tab[CONTENTS_SHEETS];
	XlsTexts texts;
} XlsBook;

/* xls_write.c */

extern void xls_write_put(XlsBytes *bytes, uint64_t number, unsigned count);
/* Append numbers, of which each has as many bytes as its digit in sizes says, and texts, whose length
 * field has one byte for an "s" in sizes, two for a "t". */
extern void xls_write_pack(XlsBytes *bytes, const char *sizes, ...);

/* xls_write_file.c: write the container before and after a stream of this length. */
extern void xls_write_file_header(FILE *file, uint64_t length);
extern void xls_write_file_trailer(FILE *file, uint64_t length);

#endif
