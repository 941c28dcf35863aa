/*
 * xls.h - read workbooks of Excel 5 to 2003, and write those of Excel 97.
 */
#ifndef WORKER_XLS_XLS_H
#define WORKER_XLS_XLS_H

#include "formats/book_write.h"
#include "sandbox/sandbox.h"

/* biff.c */
/* The C library reads the tables of an encoding from files, and keeps them while a converter is
 * open: therefore converters are opened before the sandbox is entered, and stay open. */
extern void biff_prepare(const Options *options);

/* xls.c */
extern void xls_read(Parse *parse);

/* xls_write.c */
extern const BookWriter xls_writer;

#endif
