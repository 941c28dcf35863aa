/*
 * formats.h - the readers of texts and workbooks, and what those of xls/ use of them.
 */
#ifndef WORKER_FORMATS_FORMATS_H
#define WORKER_FORMATS_FORMATS_H

#include <iconv.h>

#include "sandbox/sandbox.h"

#define BOOK_ROWS 1048576 /* of a sheet, at most */
#define BOOK_COLUMNS 16384

/*
 * Bytes that are unpacked of one file, and bytes of cells that come out of it, at most.  A sheet of
 * Excel's 1,048,576 rows with 20 columns is XML of about 1 GB.
 */
#define BOOK_BYTES (UINT64_C(2) << 30)

/* csv.c, xlsx.c, ods.c: read a file of that format */
extern void csv_read(Parse *parse);
extern void xlsx_read(Parse *parse);
extern void ods_read(Parse *parse);

/* decode.c */
/* Write a character as UTF-8, at most four bytes; where the next one goes. */
extern char *decoder_put(char *to, uint32_t character);

#define NO_CONVERTER ((iconv_t) -1) /* in place of a converter: as iconv_open() returns it */

/* encoding.c: load the tables that a text may need, which the C library reads from files */
extern void encoding_prepare(const Options *options);

/* unzip.c */
/* Refuse an OLE2 container: an encrypted workbook, or one of another age. */
extern void unzip_check_container(Parse *parse, bool expected);

/* number_format.c */
typedef enum NumberFormat
{
	FORMAT_PLAIN,
	FORMAT_DATE = 1,
	FORMAT_TIME = 2,
	FORMAT_DATE_TIME = FORMAT_DATE | FORMAT_TIME,
	FORMAT_ELAPSED = 4 | FORMAT_TIME /* hours, minutes or seconds that go on */
} NumberFormat;

typedef struct Formats
{
	Parse *parse;
	unsigned styles; /* cell formats */
	unsigned room;
	unsigned char *kinds; /* of each: a NumberFormat */
	unsigned customs;
	unsigned custom_room;
	struct CustomFormat *custom;
	bool in_cells;
} Formats;

extern NumberFormat formats_kind(const char *code);
/* Add a number format by its code, or a cell style by the number of its format. */
extern void formats_add(Formats *formats, uint64_t id, const char *code);
extern void formats_add_style(Formats *formats, uint64_t id);
/* Forget all of them. */
extern void formats_clear(Formats *formats);

/* value.c */
#define VALUE_MAXIMUM 64

/* Write a number as short as it can be read back; the length. */
extern size_t value_number(char *value, const char *text, size_t length);
/* What value_number() has written, as a number. */
extern double value_serial(const char *value, size_t length);
/* Write a serial number of days as ISO 8601 has it; 0 if it is no date. */
extern size_t value_date(char *value, double serial, NumberFormat format, bool since_1904);

#endif
