/*
 * columns.h - the columns of the open chunk of a sheet, and their profiles: type, range, distinct values.
 */
#ifndef WORKER_ROWS_COLUMNS_H
#define WORKER_ROWS_COLUMNS_H

#include "rows/rows.h"

#define SAMPLE_MAXIMUM 120 /* bytes kept of the least and the greatest text */

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
	bool groups;   /* of NUMBER_COMMA: the comma could be a thousands separator */
	double value;  /* rounded; for comparisons */
	int64_t whole; /* of NUMBER_INTEGER */
} Number;

extern void number_read(Number *number, const char *text, size_t length);

/* profile.c */

#define SKETCH_BITS 12

typedef struct DistinctSketch
{
	unsigned char registers[1 << SKETCH_BITS];
} DistinctSketch;

static inline void
distinct_sketch_add(DistinctSketch *sketch, uint64_t hash)
{
	unsigned place = (unsigned) (hash >> (64 - SKETCH_BITS));
	unsigned zeros = (unsigned) __builtin_ctzll(hash | (UINT64_C(1) << (64 - SKETCH_BITS))) + 1;

	if (sketch->registers[place] < zeros)
		sketch->registers[place] = (unsigned char) zeros;
}

typedef struct Sample
{
	uint64_t key; /* the first eight bytes as a big-endian number */
	size_t length;
	char text[SAMPLE_MAXIMUM];
} Sample;

typedef struct NumberSample
{
	Number number;
	size_t length;
	char text[64];
} NumberSample;

typedef struct Profile
{
	uint64_t values; /* cells that are not empty */
	bool number;	 /* all values so far are numbers; the same for the next two */
	bool boolean;
	bool date_time;
	bool fraction; /* some number has decimals */
	NumberKind form;
	bool groups;  /* all decimal commas could be thousands separators */
	char decimal; /* required decimal separator; '\0': either */
	NumberSample least_number;
	NumberSample greatest_number;
	bool falses;
	bool trues;
	char separator;
	bool timed;
	bool zoned;
	bool possible[DATE_ORDERS];
	int64_t earliest[DATE_ORDERS];
	int64_t latest[DATE_ORDERS];
	Sample least;
	Sample greatest;
	DistinctSketch sketch;
} Profile;

/* Is a text this word, which has small letters, in any letter case? */
extern bool profile_is_word(const char *text, size_t length, const char *word);
extern void profile_begin(Profile *profile, char decimal);
/* Add consecutive cells; 8 readable bytes must follow the last. */
extern void profile_cells(Profile *profile, const unsigned char *lengths, const char *bytes,
						  unsigned count);
/* Append the members of the profile: ,"type":...,"nulls":... */
extern void profile_json(const Profile *profile, uint64_t rows, Buffer *json);

#define NAME_MAXIMUM 120 /* maximum bytes of the name of a column */

#define COLUMN_LENGTHS (CHUNK_ROWS * 3) /* bytes: the length of a cell takes at most three */

struct Column
{
	char *bytes; /* of the cells, followed by 16 readable bytes */
	size_t length;
	size_t capacity;
	unsigned char *lengths;
	unsigned lengths_used;
	unsigned rows;	  /* rows with a length; later rows of the chunk have no cell here */
	unsigned touched; /* rows + 1 of the chunk when the open row first wrote a cell here */
	size_t mark_length;
	unsigned mark_lengths_used;
	char *title;
	size_t title_length;
	unsigned like; /* columns with the same title, if it is the first of them */
	bool own;	   /* gets its name before those that are not, and so without a number */
	char name[NAME_MAXIMUM + 8];
	Profile profile;
};

/* sheet.c */

/* Report the flaw of a row that is kept. */
extern void sheet_tell(Sheet *sheet, const Waiting *row);

/* heading.c */

extern void heading_take(Sheet *sheet);
/* Give each column a unique name. */
extern void heading_name_columns(Sheet *sheet);

#endif
