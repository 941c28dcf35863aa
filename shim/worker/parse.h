/*
 * parse.h - read first: what the files of the child share, catalogue-worker --parse.
 *
 * The child turns the bytes of a file into frames, and can do nothing else:
 *
 *   parse.c      the command line; choose the reader; every end of a reading
 *   sandbox.c    give up what a reader does not need, before the first byte is looked at
 *   memory.c     memory that dies with the reading
 *   frame.c      frames to the worker
 *   clean.c      every text: valid UTF-8 without zero bytes
 *   options.c    how the owner of the file says that it is to be read
 *   sheet.c      rows of cells -> columns; what was wrong with rows
 *   heading.c    which row has the names of the columns
 *   column_pack.c  columns -> chunks (extension/sheets/chunk.h)
 *   profile.c    what is in a column: number.c and excel_date.c recognize values,
 *                distinct_sketch.c counts them
 *   title.c      titles of columns -> names
 *   csv.h        rows of a text; decode.h its characters, sniff.c its delimiter
 *   book.h       the readers of workbooks
 *
 * A reader does not return faults: parse_refuse() ends the reading from wherever it is, by a jump
 * to parse_file(), which frees all memory.  So nothing may own anything but the Parse.  Where a
 * part of a file may fail alone, parse_try() is in between.
 */
#ifndef PARSE_H
#define PARSE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../extension/sheets/chunk.h"
#include "base/base.h"
#include "clean.h"

#define FRAME_MAXIMUM (2 << 20)				 /* bytes of a frame's payload, at most */
#define ROW_MAXIMUM ((2 << 20) - (64 << 10)) /* bytes of a row, at most: it fits into a frame */
#define TITLE_MAXIMUM 512					 /* bytes of the name of a sheet that are kept */
#define NAME_MAXIMUM 120					 /* bytes of a column's name */
#define SAMPLE_MAXIMUM 120		/* bytes of the least and the greatest text that are kept */
#define PROGRESS_STEP (4 << 20) /* bytes of input between two words on progress */
#define HEADING_ROWS 64			/* rows by which the one with the names is found */

#define REASON_MAXIMUM 500 /* bytes of why a file or a sheet cannot be read */

typedef struct Parse Parse;
typedef struct Sheet Sheet;
typedef struct Block Block;

/* Where bytes come from and frames go to: descriptors of the child, memory of a fuzzing target. */
typedef struct Source
{
	/* Read up to so many bytes: 0 at the end, -1 if that fails. */
	ptrdiff_t (*read)(struct Source *source, char *bytes, size_t size);
	/* Read so many from a place; fewer only at the end. */
	ptrdiff_t (*read_at)(struct Source *source, char *bytes, size_t size, uint64_t place);
	bool (*write)(struct Source *source, const char *bytes, size_t length);
	uint64_t size; /* of the file, as the worker says or as it is; 0: not known */
} Source;

/* Where the names of the columns are. */
typedef enum HeaderPlace
{
	HEADER_FOUND, /* in a row that is to be found, or nowhere */
	HEADER_FIRST, /* in the first row behind those that are passed over */
	HEADER_NONE,
} HeaderPlace;

/* options.c: what the owner of a file says of its form. */
typedef struct Options
{
	const char *encoding;  /* NULL: to be found */
	const char *delimiter; /* of one byte, or empty for a single column; NULL: to be found */
	char decimal;		   /* '.' or ','; '\0': to be found */
	HeaderPlace header;
	uint64_t skip; /* lines of a text, rows of a sheet, that are passed over */
} Options;

struct Parse
{
	Source *source;
	Options options;
	uint64_t taken; /* bytes of the file that have been read */
	uint64_t told;	/* of these, when the worker was last told */
	Buffer frame;
	Buffer cell;	/* of a reader, for one that is put together */
	Buffer details; /* of the open sheet: ,"member":value... */
	Buffer clean;	/* of clean_text() */
	Block *blocks;
	void (*close)(Parse *parse); /* of the reader, for what its libraries own; NULL: nothing */
	void *open;					 /* for it */
	jmp_buf *refused;			 /* where a reading that ends goes on */
	bool ended;					 /* parse_refuse_file() has been called */
	unsigned filled;			 /* sheets that were read, and have titles */
	char reason[REASON_MAXIMUM];
	char lost[REASON_MAXIMUM]; /* why the first of the sheets that cannot be read cannot */
};

/* A way to read files: what --parse names. */
typedef struct Reader
{
	const char *name;
	void (*read)(Parse *parse);
	/* what must be done before the sandbox closes; NULL: nothing */
	void (*prepare)(const Options *options);
} Reader;

/* parse.c */
extern int parse_run(int count, char **arguments);
extern const Reader *parse_reader(const char *name);
/* Read the file and write its frames; false when it was refused, which is written as well. */
extern bool parse_file(Source *source, const Options *options, void (*read)(Parse *parse));
/*
 * End what is tried, or else the reading: one sentence for the owner of the file, without the full
 * stop.
 */
extern _Noreturn void parse_refuse(Parse *parse, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* End the reading whatever is tried: a limit of the file as a whole, or nothing can go on. */
extern _Noreturn void parse_refuse_file(Parse *parse, const char *reason);
/* Read a part that may be refused alone; false when it was, and parse->reason says why. */
extern bool parse_try(Parse *parse, void (*read)(void *data), void *data);
/* Read the next bytes of the file, 0 at its end. */
extern size_t parse_read(Parse *parse, char *bytes, size_t size);
/* Tell the worker how far the reading is, when that is worth telling. */
extern void parse_progress(Parse *parse);
/* Refuse a file whose first bytes are those of something else that is known. */
extern void parse_check_magic(Parse *parse, const char *bytes, size_t length);

/* Take an option of the command line; false when there is none of this name, or it has no such
 * value. */
extern bool options_take(Options *options, const char *name, const char *value);

/* sandbox.c */
/* Give up all but reading descriptor 0 and writing descriptor 1; NULL, or what failed. */
extern const char *sandbox_enter(uint64_t size);

/* memory.c: the reading ends when there is none */
extern void *parse_allocate(Parse *parse, size_t size); /* zeros */
extern void *parse_resize(Parse *parse, void *memory, size_t size);
extern void parse_release(Parse *parse, void *memory);
extern void parse_release_all(Parse *parse);

/* frame.c */
typedef enum FrameType
{
	FRAME_SHEET = 'S',
	FRAME_CHUNK = 'C',
	FRAME_ISSUE = 'I',
	FRAME_END = 'E',
	FRAME_PROGRESS = 'P',
	FRAME_DONE = 'D',
	FRAME_REFUSED = 'X'
} FrameType;

/* Begin a frame: what is appended to the buffer is its payload; frame_send() follows. */
extern Buffer *frame_begin(Parse *parse, FrameType type);
extern void frame_send(Parse *parse);
extern void frame_number(Buffer *buffer, uint64_t number, unsigned bytes);
/* Append to the open frame, as a JSON string, what of a text fits into so many bytes. */
extern void frame_text(Parse *parse, const char *text, size_t length, size_t maximum);
/*
 * The length of the text's longest beginning of at most so many bytes that ends with a character.
 */
extern size_t frame_cut(const char *text, size_t length, size_t maximum);

/* number.c */
typedef enum NumberKind
{
	NUMBER_NONE,
	NUMBER_INTEGER,
	NUMBER_POINT, /* with a decimal point or an exponent */
	NUMBER_COMMA, /* with a decimal comma */
} NumberKind;

typedef struct Number
{
	NumberKind kind;
	bool groups;   /* of NUMBER_COMMA: the comma may as well stand between thousands */
	double value;  /* near enough for comparisons */
	int64_t whole; /* of NUMBER_INTEGER */
} Number;

extern void number_read(Number *number, const char *text, size_t length);

/* excel_date.c: dates and times */
typedef enum MomentOrder
{
	MOMENT_YEAR_FIRST,
	MOMENT_DAY_FIRST,
	MOMENT_MONTH_FIRST,
	MOMENT_ORDERS
} MomentOrder;

typedef struct Moment
{
	char separator; /* of the date: - / or . */
	bool timed;
	bool zoned;
	bool possible[MOMENT_ORDERS];
	int64_t microseconds[MOMENT_ORDERS]; /* since 1970, of those that are possible */
} Moment;

/* Read a date, or a date with a time; false if it is none in any order. */
extern bool moment_read(Moment *moment, const char *text, size_t length);
/* Write a moment of the years 0 to 9999 as ISO 8601 has it, in at most MOMENT_SIZE bytes. */
#define MOMENT_SIZE 32
extern void moment_write(char *text, int64_t microseconds, bool timed, bool zoned);
/* Days since 1970 of a date that there is. */
extern int64_t moment_days(int64_t year, unsigned month, unsigned day);

/* distinct_sketch.c: how many different values, about */
#define SKETCH_BITS 12

typedef struct Sketch
{
	unsigned char registers[1 << SKETCH_BITS];
} Sketch;

/* Of bytes that are followed by 8 that may be read. */
extern uint64_t sketch_hash(const char *bytes, size_t length);
extern uint64_t sketch_estimate(const Sketch *sketch);

static inline void
sketch_add(Sketch *sketch, uint64_t hash)
{
	unsigned place = (unsigned) (hash >> (64 - SKETCH_BITS));
	unsigned zeros = (unsigned) __builtin_ctzll(hash | (UINT64_C(1) << (64 - SKETCH_BITS))) + 1;

	if (sketch->registers[place] < zeros)
		sketch->registers[place] = (unsigned char) zeros;
}

/* profile.c */
typedef struct Sample
{
	uint64_t key; /* the first eight bytes, as a number that is ordered like them */
	size_t length;
	char text[SAMPLE_MAXIMUM];
} Sample;

typedef struct NumberSample
{
	double value;
	int64_t whole;
	size_t length;
	char text[64];
} NumberSample;

typedef struct Profile
{
	uint64_t values; /* cells that are not empty */
	bool number;	 /* all values so far are numbers, and so on */
	bool boolean;
	bool moment;
	bool fraction; /* a number has one */
	NumberKind form;
	bool groups;  /* all decimal commas may as well stand between thousands */
	char decimal; /* the only sign before decimals that counts; '\0': either */
	NumberSample least_number;
	NumberSample greatest_number;
	bool falses;
	bool trues;
	char separator;
	bool timed;
	bool zoned;
	bool possible[MOMENT_ORDERS];
	int64_t first_moment[MOMENT_ORDERS];
	int64_t last_moment[MOMENT_ORDERS];
	Sample least;
	Sample greatest;
	Sketch sketch;
} Profile;

extern void profile_begin(Profile *profile, char decimal);
/* Look at cells that stand one behind the other; behind the last are 8 bytes that may be read. */
extern void profile_cells(Profile *profile, const unsigned char *lengths, const char *bytes,
						  unsigned count);
/* Append ,"type":...,"nulls":... and so on. */
extern void profile_json(const Profile *profile, uint64_t rows, Buffer *json);

/* sheet.c, column_pack.c */
#define COLUMN_LENGTHS (CHUNK_ROWS * 3) /* bytes: a length of a cell takes three at most */

typedef struct Column
{
	char *bytes; /* of the cells, with 16 spare behind */
	size_t length;
	size_t capacity;
	unsigned char *lengths;
	unsigned lengths_used;
	unsigned rows;	  /* that have a length; those of the chunk that follow have no cell here */
	unsigned touched; /* rows + 1 when it was first written in the open row */
	size_t mark_length;
	unsigned mark_lengths_used;
	char *title;
	size_t title_length;
	char name[NAME_MAXIMUM + 8];
	Profile profile;
} Column;

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

/* Send the first rows of the chunk; those that follow begin the next. */
extern void pack_send(Sheet *sheet, unsigned rows);
/* Give a column lengths for rows without a cell, until it has so many. */
extern void pack_fill(Column *column, unsigned rows);

/* Put a cell into the open row; in any order, and not each must be there. */
extern void sheet_cell(Sheet *sheet, unsigned index, const char *bytes, size_t length);

/* Tell what is odd with a row that is kept. */
extern void sheet_tell(Sheet *sheet, const Waiting *row);

/* heading.c: find the row of titles among the rows of the chunk, and take it and what stands above
 * out of it. */
extern void heading_take(Sheet *sheet);

/* title.c */
/* Give every column a name of its own. */
extern void title_names(Sheet *sheet);
/* Tell of titles that are longer than a name. */
extern void title_check(Sheet *sheet, uint64_t line);

/* decode.c */
/* Write a character as UTF-8, at most four bytes; where the next one goes. */
extern char *decoder_put(char *to, uint32_t character);

/* encoding.c: load the tables that a text may need, which the C library reads from files */
extern void encoding_prepare(const Options *options);

/* csv.c */
extern void csv_read(Parse *parse);

#endif
