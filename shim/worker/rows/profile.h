/*
 * profile.h - the profile of a column: type, range, distinct values, and cells that stand for no value.
 */
#ifndef WORKER_ROWS_PROFILE_H
#define WORKER_ROWS_PROFILE_H

#include "../../extension/rows/sheets/marks.h"
#include "rows/number.h"
#include "rows/rows.h"

#define SAMPLE_MAXIMUM 120 /* bytes kept of the least and the greatest text */

/* mark.c */

typedef struct Mark
{
	size_t length;
	uint64_t cells;
	char text[MARK_BYTES];
} Mark;

/* The marks of a column, as they are written. */
typedef struct Marks
{
	uint64_t cells; /* that are marks */
	Mark *mark;		/* allocated with the first one */
	unsigned count;
	bool more; /* there are others, which are not kept */
} Marks;

/* Does a text stand for a missing value?  missing: lines of the texts that do; NULL: the usual ones. */
extern bool mark_is(const char *missing, const char *text, size_t length);
/* Count a cell that is a mark. */
extern void mark_count(Marks *marks, Parse *parse, const char *text, size_t length);
/* Append ,"marks":{"NA":3} if there are any. */
extern void mark_json(const Marks *marks, Buffer *json);

/* profile.c */

#define SKETCH_BITS 12
#define OTHERS 3	   /* cells that are named of those that make a column text */
#define OTHER_BYTES 40 /* maximum bytes kept of such a cell */

typedef struct DistinctSketch
{
	unsigned char registers[1 << SKETCH_BITS];
} DistinctSketch;

static inline void
profile_sketch_add(DistinctSketch *sketch, uint64_t hash)
{
	unsigned number = (unsigned) (hash >> (64 - SKETCH_BITS));
	unsigned zeros = (unsigned) __builtin_ctzll(hash | (UINT64_C(1) << (64 - SKETCH_BITS))) + 1;

	if (sketch->registers[number] < zeros)
		sketch->registers[number] = (unsigned char) zeros;
}

typedef struct Sample
{
	uint64_t key; /* the first eight bytes as a big-endian number */
	size_t length;
	char text[SAMPLE_MAXIMUM];
} Sample;

/* How many cells of a column are of a type, and the first ones that are not, marks apart. */
typedef struct Likeness
{
	uint64_t cells;
	unsigned count;
	struct
	{
		uint64_t row;
		size_t length;
		char text[OTHER_BYTES];
	} others[OTHERS];
} Likeness;

typedef struct Profile
{
	Parse *parse;
	uint64_t values; /* cells that are not empty */
	Marks marks;
	uint64_t blanks; /* of the marks, cells of blanks alone */
	Likeness numbers;
	Likeness moments;
	bool unordered; /* some date has a year of two digits, and no order is given */
	bool codes;		/* some cell has digits that are no number, such as 007 */
	bool number;	/* all values so far are numbers; the same for the next two */
	bool boolean;
	bool date_time;
	Numbers numbers_by[DECIMALS];
	unsigned booleans; /* how all are written, WRITTEN_x */
	unsigned dates;	   /* so */
	Decimal usual;	   /* the sign of the other columns of the sheet; DECIMALS: they do not tell */
	bool points;	   /* these have a point between thousands */
	const char *unit;  /* of the first number; NULL: it has none */
	bool units;		   /* another number has another one */
	bool signs;		   /* numbers have different signs between thousands */
	bool falses;
	bool trues;
	char separator;
	const DateForm *form; /* of all dates so far; NULL: it is the separator and the order */
	bool short_year;
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
extern void profile_begin(Profile *profile, Parse *parse);
/* Add consecutive cells; 8 readable bytes must follow the last.  first: the number of their first row. */
extern void profile_cells(Profile *profile, uint64_t first, const unsigned char *lengths,
						  const char *bytes, unsigned count);
/* The sign before decimals that the numbers of a column tell; DECIMALS: none, or it is no such column. */
extern Decimal profile_decimal(const Profile *profile);
/* Is it clear what the numbers of a column are, if it has no others? */
extern bool profile_is_clear(const Profile *profile);
/* Write why a column is text although most of its cells are numbers or dates, or how numbers were taken
 * that could mean others, and which option helps; false if there is nothing to tell.  *text: the
 * column is text. */
extern bool profile_note(const Profile *profile, char *note, size_t size, bool *text);
/* Append the members of the profile: ,"type":...,"nulls":... */
extern void profile_json(const Profile *profile, uint64_t rows, Buffer *json);

#endif
