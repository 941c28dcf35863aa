/*
 * csv.h - the reader of delimited texts.
 *
 *   csv.c         rows and their cells
 *   csv.c   the beginning of the text, and the delimiter
 */
#ifndef CSV_H
#define CSV_H

#include "rows/rows.h"
#include "text/decode.h"

#define WINDOW (ROW_MAXIMUM + 2 * DECODER_ROOM)
#define SPARE 16 /* readable bytes after the window */

typedef struct Csv
{
	Parse *parse;
	Sheet *sheet;
	Decoder *decoder;
	char delimiter; /* '\0': one column */
	const char *delimiter_reason;
	bool ended;		/* the window holds the end of the text */
	bool literal;	/* quotes of the open row are ordinary characters */
	const char *at; /* beginning of the open row */
	const char *end;
	uint64_t place; /* offset of at in the decoded text, in bytes */
	uint64_t line;	/* line number of at */
	uint64_t lines; /* lines of the open row so far */
	uint64_t blank;
	char window[WINDOW + SPARE];
} Csv;

/* csv.c */

extern void csv_begin(Csv *csv);

#endif
