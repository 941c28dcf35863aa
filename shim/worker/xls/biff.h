/*
 * biff.h - what the readers of Excel 2 to 2003 share.
 *
 *   container.c   streams of an OLE2 container
 *   biff.c        records of a stream, and their texts
 *   codepage.c    texts of bytes, by the number of a code page
 *   xls.c         a workbook; xls_sheet.c one of its sheets
 *
 * Records have older spellings: with the same contents, which biff_record() gives as the usual
 * type, or with others, which have types of their own here.
 */
#ifndef WORKER_XLS_BIFF_H
#define WORKER_XLS_BIFF_H

#include "formats/formats.h"
#include "rows/rows.h"
#include "xls/xls.h"

enum
{
	BIFF_INTEGER_2 = 0x0002, /* of BIFF2 alone, as all that end so */
	BIFF_NUMBER_2 = 0x0003,
	BIFF_LABEL_2 = 0x0004,
	BIFF_BOOLERR_2 = 0x0005,
	BIFF_FORMULA = 0x0006,
	BIFF_STRING_2 = 0x0007,
	BIFF_EOF = 0x000A,
	BIFF_FORMAT_2 = 0x001E,
	BIFF_DATEMODE = 0x0022,
	BIFF_FILEPASS = 0x002F,
	BIFF_CONTINUE = 0x003C,
	BIFF_CODEPAGE = 0x0042,
	BIFF_XF_2 = 0x0043,
	BIFF_IXFE = 0x0044,
	BIFF_BOUNDSHEET = 0x0085,
	BIFF_SHEETHEADER = 0x008F, /* of BIFF4 */
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
	BIFF_XF_3 = 0x0243,
	BIFF_RK = 0x027E,
	BIFF_FORMAT = 0x041E,
	BIFF_XF_4 = 0x0443,
	BIFF_BOF = 0x0809
};

/* A place in a record; what it reads behind the end of the stream is zeros. */
typedef struct BiffPlace
{
	size_t at;
	size_t end; /* of the record, or of the one that continues it */
} BiffPlace;

/* What texts of bytes are converted by: the C library, or a table. */
typedef struct CodePage
{
	iconv_t converter;
	const uint16_t *table; /* of the bytes 0x80 to 0xFF; NULL: by the converter */
} CodePage;

typedef struct Xls
{
	Parse *parse;
	const unsigned char *bytes; /* of the stream */
	size_t length;
	unsigned age;	/* number of the form: 2 to 5, or 8, whose texts are UTF-16 */
	bool alone;		/* the stream is that of a sheet */
	bool formatted; /* the styles of cells are known */
	bool since_1904;
	CodePage page;	  /* of texts of bytes */
	unsigned unknown; /* number of a page that cannot be read; 0: none */
	char *characters; /* of a text of bytes, before they are converted */
	Formats formats;
	BiffPlace *texts; /* that cells share */
	size_t text_count;
	uint64_t written; /* bytes of cells, of all sheets */
} Xls;

/*
 * container.c: the stream of the first of these names, in any letter case, that there is, or NULL
 */
extern unsigned char *container_read(Parse *parse, const char *const *names, size_t *length);

/* codepage.c */
/* Load what the pages need, before the sandbox closes. */
extern void codepage_prepare(void);
/* Take the page of this number; false where it is not known, and the page cannot be used. */
extern bool codepage_open(CodePage *page, unsigned number);
extern void codepage_close(CodePage *page);
/* Append a text as UTF-8, NO_CHARACTER for each byte that is none. */
extern void codepage_text(const CodePage *page, const char *bytes, size_t length, Buffer *text);

/* biff.c */
#define NO_CHARACTER "\xFF"	 /* in a text: clean_text() replaces it, and tells */
#define BIFF_TEXT UINT16_MAX /* characters of a text, at most */
/* Go to the record at a place; its type, -1 behind the last. */
extern int biff_record(const Xls *xls, size_t at, BiffPlace *place);
extern uint64_t biff_number(const Xls *xls, size_t at, unsigned bytes);
extern double biff_double(const Xls *xls, size_t at);
/* Read a text of so many characters, as UTF-8, into the buffer; without one pass over it. */
typedef void BiffReader(const Xls *xls, BiffPlace *place, unsigned length_bytes, Buffer *text);
extern BiffReader biff_text;
/* Read a text of so many bytes, whatever the age of the workbook. */
extern BiffReader biff_bytes;

/* xls_sheet.c: the sheet at a place of the stream. */
extern void xls_sheet_read(Xls *xls, Sheet *sheet, size_t at);

#endif
