/*
 * formats.h - the readers of XLSX and OpenDocument, and functions that xls/ uses.
 * Decisions: docs/explanation/decisions.md#shimworkerformats
 */
#ifndef WORKER_FORMATS_FORMATS_H
#define WORKER_FORMATS_FORMATS_H

#include "sandbox/sandbox.h"

#define BOOK_ROWS 1048576 /* maximum of a sheet */
#define BOOK_COLUMNS 16384

/*
 * Maximum unpacked bytes of a file.  A sheet of Excel's 1,048,576 rows with 20 columns is about 1 GB
 * of XML.
 */
#define BOOK_BYTES (UINT64_C(2) << 30)

/* xlsx.c, ods.c: read a file of that format */
extern void xlsx_read(Parse *parse);
extern void ods_read(Parse *parse);

/* unzip.c */
/* Refuse an OLE2 container: an encrypted workbook, or one of Excel 97 to 2003. */
extern void unzip_check_container(Parse *parse, bool expected);

/* value.c */

typedef enum NumberFormat
{
	FORMAT_PLAIN,
	FORMAT_DATE = 1,
	FORMAT_TIME = 2,
	FORMAT_DATE_TIME = FORMAT_DATE | FORMAT_TIME,
	FORMAT_ELAPSED = 4 | FORMAT_TIME, /* elapsed hours, minutes or seconds: [h], [m], [s] */
	FORMAT_DIGITS = 8				  /* digits of a code, such as 00000 or ###-#### */
} NumberFormat;

typedef struct Formats
{
	Parse *parse;
	unsigned styles;	  /* number of cell styles */
	unsigned char *kinds; /* NumberFormat of each style */
	const char **codes;	  /* of each style of FORMAT_DIGITS; NULL: there is none so far */
	unsigned customs;
	struct CustomFormat *custom;
	bool in_cells;
} Formats;

extern NumberFormat value_formats_kind(const char *code);
/* Add a number format by its code, or a cell style by the number of its format. */
extern void value_formats_add(Formats *formats, uint64_t id, const char *code);
extern void value_formats_add_style(Formats *formats, uint64_t id);
/* Remove all formats and styles. */
extern void value_formats_clear(Formats *formats);

#define VALUE_MAXIMUM 64

/* Write a number in its shortest exact form; return the length, behind which zeros may follow. */
extern size_t value_number(char *value, const char *text, size_t length);
/* Write a number as its style has it, if that is a date, which is written as ISO 8601, or digits of a
 * code, which are written as the cell shows them; return the length, 0 if it is neither. */
extern size_t value_styled(char *value, double number, const Formats *formats, uint64_t style,
						   bool since_1904);

#endif
