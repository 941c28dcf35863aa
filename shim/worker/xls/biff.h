/*
 * biff.h - functions shared by the readers of Excel 5 to 2003.
 *
 * Some programs write records in types of older versions.  biff_record() returns those with the same
 * contents as the current type.
 */
#ifndef WORKER_XLS_BIFF_H
#define WORKER_XLS_BIFF_H

#include "formats/formats.h"
#include "rows/rows.h"
#include "text/text.h"
#include "xls/xls.h"

enum
{
	BIFF_FIRST_OLD = 0x0002, /* the cells of BIFF2, which are not read */
	BIFF_LAST_OLD = 0x0005,
	BIFF_FORMULA = 0x0006,
	BIFF_EOF = 0x000A,
	BIFF_DATEMODE = 0x0022,
	BIFF_FILEPASS = 0x002F,
	BIFF_CONTINUE = 0x003C,
	BIFF_CODEPAGE = 0x0042,
	BIFF_BOUNDSHEET = 0x0085,
	BIFF_MULRK = 0x00BD,
	BIFF_RSTRING = 0x00D6,
	BIFF_XF = 0x00E0,
	BIFF_MERGED = 0x00E5,
	BIFF_SST = 0x00FC,
	BIFF_LABELSST = 0x00FD,
	BIFF_NUMBER = 0x0203,
	BIFF_LABEL = 0x0204,
	BIFF_BOOLERR = 0x0205,
	BIFF_STRING = 0x0207,
	BIFF_RK = 0x027E,
	BIFF_FORMAT = 0x041E,
	BIFF_BOF = 0x0809
};

/* A position in a record.  Bytes after the end of the stream read as zeros. */
typedef struct BiffCursor
{
	size_t at;
	size_t end; /* of the record, or of its CONTINUE record */
} BiffCursor;

typedef struct Xls
{
	Parse *parse;
	const unsigned char *bytes; /* of the stream */
	size_t length;
	unsigned age; /* BIFF version: 5, or 8, which has UTF-16 strings */
	bool alone;	  /* the stream is a single sheet, without a workbook */
	bool since_1904;
	iconv_t page;	  /* the converter of 8-bit strings */
	unsigned unknown; /* number of an unknown code page; 0: none */
	char *characters; /* buffer of an 8-bit string before conversion */
	Formats formats;
	BiffCursor *texts; /* shared strings */
	size_t text_count;
} Xls;

/* biff.c */

/* The file is no workbook of these versions, or damaged. */
extern _Noreturn void biff_refuse(Parse *parse);
/* The converter of a code page to UTF-8; NO_CONVERTER if its number is unknown. */
extern iconv_t biff_codepage_open(unsigned number);

#define NO_CHARACTER "\xFF"	 /* an invalid byte, which clean_text() replaces and reports */
#define BIFF_TEXT UINT16_MAX /* maximum characters of a string */
/* Position on the record at an offset; return its type, -1 after the last record. */
extern int biff_record(const Xls *xls, size_t at, BiffCursor *cursor);
extern uint64_t biff_number(const Xls *xls, size_t at, unsigned bytes);
extern double biff_double(const Xls *xls, size_t at);
/*
 * Read a string, whose length field has length_bytes, as UTF-8 into the buffer; without a buffer,
 * skip it.
 */
extern void biff_text(const Xls *xls, BiffCursor *cursor, unsigned length_bytes, Buffer *text);

/* biff_container.c */

/* Read the first existing stream of these names, ignoring letter case; NULL if none. */
extern unsigned char *biff_container_read(Parse *parse, const char *const *names, size_t *length);

/* xls_sheet.c */

/* Read the cells of the sheet whose first record is at an offset. */
extern void xls_sheet_read(Xls *xls, Sheet *sheet, size_t at);

#endif
