/*
 * xls.h - read workbooks of Excel 2 to 2003, and write those of Excel 97.
 */
#ifndef WORKER_XLS_XLS_H
#define WORKER_XLS_XLS_H

#include "formats/book_write.h"
#include "sandbox/sandbox.h"

/* xls.c */
/* Load conversion tables of the C library; call it before the sandbox is entered. */
extern void xls_prepare(const Options *options);
extern void xls_read(Parse *parse);

/* xls_write.c */
extern const BookWriter xls_writer;

#endif
