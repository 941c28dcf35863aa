/*
 * xls.h - workbooks of Excel 2 to 2003: reading, and writing those of Excel 97.
 */
#ifndef WORKER_XLS_XLS_H
#define WORKER_XLS_XLS_H

#include "formats/book_write.h"
#include "sandbox/sandbox.h"

/* xls.c */
/* Load what reading needs from the C library's files, before the sandbox is entered. */
extern void xls_prepare(const Options *options);
extern void xls_read(Parse *parse);

/* xls_write.c */
extern const BookWriter xls_writer;

#endif
