/*
 * rows.h - rows of cells become chunks of columns, with what was wrong with rows; dates.
 */
#ifndef WORKER_ROWS_ROWS_H
#define WORKER_ROWS_ROWS_H

#include "sandbox/sandbox.h"

#define ROW_MAXIMUM ((2 << 20) - (64 << 10)) /* bytes of a row, at most: it fits into a frame */
#define TITLE_MAXIMUM 512					 /* bytes of the name of a sheet that are kept */

#define HEADING_ROWS 64 /* rows by which the one with the names is found */

typedef struct Sheet Sheet;
typedef struct Column Column;

/* A row that is in the chunk before it is known whether it has the names. */
typedef struct Waiting
{
	uint64_t line;
	unsigned cells;
	const char *flaw;
} Waiting;

struct Sheet
{
	Parse *parse;
	bool headed;	  /* it is known which row has the titles, and that row is none any more */
	uint64_t head;	  /* its line */
	bool lost;		  /* it cannot be read, or not further: rows are passed over */
	bool even;		  /* rows of another length than the titles are worth telling */
	bool named;		  /* there is a row of titles */
	unsigned titles;  /* columns that the row of titles has, else the first row */
	unsigned width;	  /* columns */
	unsigned cells;	  /* cells of the open row, as far as its last */
	unsigned filled;  /* of these, those that are there */
	unsigned rows;	  /* of the open chunk */
	size_t size;	  /* bytes that the chunk has when it is packed, the open row included */
	size_t mark_size; /* so, without the open row */
	unsigned mark_width;
	const char *fault; /* of the open row: why it cannot be kept */
	const char *flaw;  /* of the open row: what is odd with it */
	uint64_t kept;	   /* rows, those of chunks that were sent included */
	uint64_t sent;	   /* rows */
	uint64_t bad;
	unsigned issues;
	Waiting waiting[HEADING_ROWS];
	Column *columns[CONTENTS_COLUMNS];
};

/* sheet.c */
extern Sheet *sheet_begin(Parse *parse, unsigned number, const char *name, bool hidden);
/* The row is whole: keep it, or say why not. */
extern void sheet_row(Sheet *sheet, uint64_t line);
/* Forget what the open row has so far. */
extern void sheet_undo(Sheet *sheet);
extern void sheet_issue(Sheet *sheet, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The sheet cannot be read, or not behind the line: one sentence, as of parse_refuse(). */
extern void sheet_lose(Sheet *sheet, uint64_t line, const char *reason);
/* The row at the line is lost before it could become one. */
extern void sheet_bad(Sheet *sheet, uint64_t line, const char *reason);
extern void sheet_end(Sheet *sheet);
extern void sheet_free(Sheet *sheet);

/*
 * The number of the column with a title, where no row has the titles: it is added if there is none.
 * first: columns before it do not count; near: where it is probably.  CONTENTS_COLUMNS: a sheet can
 * have no more columns.
 */
extern unsigned sheet_column(Sheet *sheet, unsigned first, unsigned near, const char *title,
							 size_t length);

/* Put a cell into the open row; in any order, and not each must be there. */
extern void sheet_cell(Sheet *sheet, unsigned index, const char *bytes, size_t length);

/* date_time.c: dates and times */
typedef enum DateOrder
{
	DATE_YEAR_FIRST,
	DATE_DAY_FIRST,
	DATE_MONTH_FIRST,
	DATE_ORDERS
} DateOrder;

typedef struct DateTime
{
	char separator; /* of the date: - / or . */
	bool timed;
	bool zoned;
	bool possible[DATE_ORDERS];
	int64_t microseconds[DATE_ORDERS]; /* since 1970, of those that are possible */
} DateTime;

/* Read a date, or a date with a time; false if it is none in any order. */
extern bool date_time_read(DateTime *date_time, const char *text, size_t length);
/* Write a time of the years 0 to 9999 as ISO 8601 has it, in at most DATE_TIME_SIZE bytes. */
#define DATE_TIME_SIZE 32
extern void date_time_write(char *text, int64_t microseconds, bool timed, bool zoned);
/* Days since 1970 of a date that there is. */
extern int64_t date_time_days(int64_t year, unsigned month, unsigned day);

#endif
