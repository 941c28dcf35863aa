/*
 * text.h - the reader of delimited texts, and conversion of characters for other readers.
 */
#ifndef WORKER_TEXT_TEXT_H
#define WORKER_TEXT_TEXT_H

#include <iconv.h>

#include "sandbox/sandbox.h"

/* csv.c */
/* Read a delimited text. */
extern void csv_read(Parse *parse);

/* decode.c */
#define NO_CONVERTER ((iconv_t) -1) /* no converter, as iconv_open() returns it */

#define NO_UNIT UINT32_MAX
/*
 * Append a unit of UTF-16 as UTF-8.  *high is the first half of an open surrogate pair, or 0;
 * NO_UNIT only ends it.  In place of a half alone another text is appended: true.
 */
extern bool decode_append_unit(Buffer *text, uint32_t unit, uint32_t *high, const char *half);

/* encoding.c */

/* The converter of an encoding to a form of Unicode, NO_CONVERTER if the C library has none. */
extern iconv_t encoding_open_as(const char *form, const char *name);
/* The converters are not closed: the C library keeps the tables only while one is open. */
extern void encoding_prepare(const Options *options);
extern void encoding_prepare_xml(const Options *options);

#endif
