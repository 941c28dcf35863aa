/*
 * rows.h - collect rows into chunks of columns, with issues; dates.
 */
#ifndef WORKER_ROWS_ROWS_H
#define WORKER_ROWS_ROWS_H

#include "../../extension/rows/sheets/date_text.h"
#include "rows/geography.h"
#include "sandbox/sandbox.h"

/* Maximum bytes of a row besides its geometry, so that it fits into a frame. */
#define ROW_MAXIMUM ((2 << 20) - (64 << 10))
#define CELLS_MAXIMUM (UINT64_C(2) << 30) /* maximum bytes of all cells of a file, */
#define CELLS_RATIO 200					  /* which may be so many times longer than the file, */
#define CELLS_SMALL (16 << 20)			  /* unless they are at most this long */
#define TITLE_MAXIMUM 512				  /* bytes kept of the name of a sheet */

#define NAMED_COLUMNS 1024 /* maximum columns of a sheet in which each cell has its name */

#define HEADING_ROWS 64 /* rows among which the row of titles is looked for */

typedef struct Sheet Sheet;
typedef struct Column Column;
typedef struct Merges Merges;

/* A row of the first chunk, until the row of titles is known. */
typedef struct Waiting
{
	uint64_t line;
	unsigned cells;
	unsigned merged; /* cells that merged ranges have filled */
	const char *flaw;
} Waiting;

struct Sheet
{
	Parse *parse;
	bool headed;	  /* the row of titles was determined and removed */
	uint64_t head;	  /* line of the row of titles */
	bool lost;		  /* the sheet cannot be read further: rows are ignored */
	bool even;		  /* report rows of another length than the titles */
	bool named;		  /* there is a row of titles */
	unsigned titles;  /* columns of the row of titles, or else of the first row */
	unsigned width;	  /* columns */
	unsigned cells;	  /* cells of the open row up to the last that was set */
	unsigned filled;  /* cells of the open row that were set */
	unsigned merged;  /* of these, by merged ranges */
	unsigned rows;	  /* of the open chunk */
	size_t size;	  /* packed bytes of the chunk with the open row */
	size_t kept_size; /* packed bytes of the chunk without the open row */
	unsigned kept_width;
	const char *fault; /* of the open row: why it cannot be kept */
	const char *flaw;  /* of the open row: an issue, although it is kept */
	uint64_t kept;	   /* rows of the sheet, with those of sent chunks */
	uint64_t sent;	   /* rows of sent chunks */
	uint64_t bad;	   /* rows that were not kept */
	unsigned issues;
	Merges *merges;		   /* NULL: there are no merged cells */
	struct Places *places; /* NULL: no column may have places, or the reader finds them */
	Geography geography;
	Waiting waiting[HEADING_ROWS];
	Column *columns[CONTENTS_COLUMNS];
	uint32_t hashes[NAMED_COLUMNS]; /* of the titles that sheet_column() has set */
};

/* sheet.c, sheet_issue.c */
extern Sheet *sheet_begin(Parse *parse, unsigned number, const char *name, bool hidden);
/* End of the row: keep it, or report why it cannot be kept. */
extern void sheet_row(Sheet *sheet, uint64_t line);
/* Discard the cells of the open row. */
extern void sheet_undo(Sheet *sheet);
extern void sheet_issue(Sheet *sheet, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The sheet cannot be read from this line on; the reason is as for parse_refuse(). */
extern void sheet_lose(Sheet *sheet, uint64_t line, const char *reason);
/* Count a row that could not be read. */
extern void sheet_bad(Sheet *sheet, uint64_t line, const char *reason);
extern void sheet_end(Sheet *sheet);

/*
 * The number of the column with a title, where no row has the titles: it is added if there is none.
 * first: columns before it do not count; near: where it is probably.  CONTENTS_COLUMNS: such a
 * sheet can have no more columns, and the open row is faulty.
 */
extern unsigned sheet_column(Sheet *sheet, unsigned first, unsigned near, const char *title,
							 size_t length);

/* Set a cell of the open row; cells may come in any order and be absent. */
extern void sheet_cell(Sheet *sheet, unsigned index, const char *bytes, size_t length);
/* Set a cell to the text in parse->cell. */
extern void sheet_text(Sheet *sheet, unsigned index);
/* Append a member to the details of the open sheet, unless its number is 0. */
extern void sheet_detail(Parse *parse, const char *name, uint64_t number);

/* merge.c */

/* A merged range, rows from 1, columns from 0: given before its first row is complete. */
extern void merge_add(Sheet *sheet, uint64_t first, uint64_t last, unsigned left, unsigned right);

/* What a date is: a day, which may have a time, a month or a quarter. */
typedef enum Span
{
	SPAN_DAY,
	SPAN_MONTH,
	SPAN_QUARTER
} Span;

/* A format of dates that is found by itself, as of date_text.h. */
typedef struct DateForm
{
	Span span;
	const char *format;
} DateForm;

typedef struct DateTime
{
	char separator;		  /* of the date: - / or .; of one that has a form: % */
	const DateForm *form; /* NULL: numbers in an order, with the separator */
	bool short_year;	  /* the year has two digits: those from 70 on are of the last century */
	bool timed;
	bool zoned;
	bool possible[DATE_ORDERS];
	int64_t microseconds[DATE_ORDERS]; /* since 1970, for the possible orders */
} DateTime;

/* Write a time of the years 0 to 9999 as ISO 8601, in at most DATE_TIME_SIZE bytes. */
#define DATE_TIME_SIZE 32

#define DATE_TIME_LONGEST 40 /* bytes of a date with a time */

/* date_form.c */

/* The form that a text begins with, which is set to what is behind it; NULL if there is none.
 * short_years: the year may have two digits.  parts: what is read. */
extern const DateForm *date_form_find(const char **text, size_t length, bool short_years,
									  DateParts *parts);
extern bool date_form_is_short(const DateForm *form);
/* May a text be a date of any kind?  Most texts are told apart by their first word, codes by their digits. */
extern bool date_form_is_likely(const char *text, size_t length);

/* date_time.c */

/* Parse a date, or a date with a time; false if no order is possible.  only: the order, or any;
 * the year may have two digits only if the order is given. */
extern bool date_time_read(DateTime *date_time, const char *text, size_t length, DateOrder only);
extern void date_time_write(char *text, int64_t microseconds, bool timed, bool zoned);
/* Write the day, the month or the quarter of a time. */
extern void date_time_write_span(char *text, int64_t microseconds, Span span);

#endif
