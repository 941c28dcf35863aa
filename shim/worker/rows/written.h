/*
 * written.h - how the cells of a column are written, for programs that read them by a pattern.
 */
#ifndef WORKER_ROWS_WRITTEN_H
#define WORKER_ROWS_WRITTEN_H

#include "rows/profile.h"

/* How moments are written, bit by bit: the date, the sign before the time, the time, and both as one word of XML Schema.
 * A date has day and month of two digits, or without leading zeros, or neither, and both if no cell tells. */
enum
{
	WRITTEN_ISO = 1,
	WRITTEN_WIDE = 2,
	WRITTEN_NARROW = 4,
	WRITTEN_NO_TIME = 8,
	WRITTEN_SPACE = 16,
	WRITTEN_T = 32,
	WRITTEN_SECONDS = 64,
	WRITTEN_MINUTES = 128,
	WRITTEN_SCHEMA_TIME = 256,
	/* booleans: true, TRUE, True */
	WRITTEN_SMALL = 1,
	WRITTEN_CAPITAL = 2,
	WRITTEN_TITLE = 4,
};

/* How a date, or a date with a time, is written. */
extern unsigned written_moment(const char *text, size_t length);
extern unsigned written_boolean(const char *text, size_t length);
/* Does a number have digits, the signs of ASCII and this sign between thousands alone? */
extern bool written_number(const char *text, size_t length, const char *sign);
/* Note that a cell has blanks around it; bare: the text without them. */
extern void written_blanks(Profile *profile, const char *text, size_t length,
						   const NumberText *bare);
/* Append ,"pattern":"dd/MM/yyyy", by which programs read all cells; "" if they fit none, nothing if they are
 * written as XML Schema has the type. */
extern void written_boolean_json(const Profile *profile, Buffer *json);
extern void written_moment_json(const Profile *profile, DateOrder order, Buffer *json);

#endif
