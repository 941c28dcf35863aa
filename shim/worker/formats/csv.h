/*
 * csv.h - what the files share that read the rows of a text.
 *
 *   csv.c         rows and their cells
 *   csv_begin.c   what stands before them, and the delimiter
 */
#ifndef CSV_H
#define CSV_H

#include "formats/decode.h"
#include "rows/rows.h"

#define WINDOW (ROW_MAXIMUM + 2 * DECODER_ROOM)
#define SPARE 16 /* bytes behind the window that may be read */

typedef struct Csv
{
	Parse *parse;
	Sheet *sheet;
	Decoder *decoder;
	char delimiter; /* '\0': one column */
	const char *delimiter_reason;
	bool ended;		/* the window has the end of the text */
	bool literal;	/* quotes of the open row mean nothing */
	const char *at; /* the open row begins here */
	const char *end;
	uint64_t place; /* of at, in bytes of the decoded text */
	uint64_t line;	/* of at */
	uint64_t lines; /* that the open row has, so far */
	uint64_t blank;
	char window[WINDOW + SPARE];
} Csv;

/* csv_begin.c: read the first bytes, behind the lines that are passed over. */
extern void csv_begin(Csv *csv);

/* csv.c */
/* Move the open row to the beginning of the window, and read more behind it. */
extern void csv_read_more(Csv *csv);
/* The open row, of so many lines, is done with; the next one begins here. */
extern void csv_go_on(Csv *csv, const char *next);
/* Pass over a line, whatever quotes it has. */
extern void csv_pass_line(Csv *csv);

#endif
