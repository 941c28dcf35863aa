/*
 * recent.h - the values of a column that were examined lately, since most columns repeat some.
 */
#ifndef WORKER_ROWS_RECENT_H
#define WORKER_ROWS_RECENT_H

#include <string.h>

#include "sandbox/sandbox.h"

#define RECENT_VALUES 2048 /* by their hashes, so a power of two */
#define RECENT_BYTES 27	   /* longer values are examined each time */
#define RECENT_CELLS 2000  /* of a chunk at least, which then has under 800 columns */
#define RECENT_USEFUL 8	   /* one in so many cells of a chunk must have a value that is here */

/* A value that was examined while its column could be of some types. */
typedef struct RecentValue
{
	char text[RECENT_BYTES];
	unsigned char length; /* 0: there is none here */
	unsigned char types;
	bool number; /* it is like numbers; so for the next one */
	bool moment;
} RecentValue;

/* Values of a column by their hashes, since most columns repeat some; kept while they do. */
typedef struct Recent
{
	RecentValue *value; /* NULL: none are kept */
	unsigned found;		/* cells of the chunk whose value was there */
	bool useless;		/* too few were */
} Recent;

/* Before so many cells, those of a chunk, are added. */
extern void recent_begin(Recent *recent, Parse *parse, unsigned cells);
/* When they were added. */
extern void recent_end(Recent *recent, Parse *parse, unsigned cells);

static inline RecentValue *
recent_value(Recent *recent, uint64_t hash)
{
	return &recent->value[hash & (RECENT_VALUES - 1)];
}

static inline bool
recent_is(const RecentValue *value, unsigned char types, const char *text, size_t length)
{
	return value->length == length && value->types == types &&
		   memcmp(value->text, text, length) == 0;
}

static inline void
recent_set(RecentValue *value, unsigned char types, const char *text, size_t length, bool number,
		   bool moment)
{
	memcpy(value->text, text, length);
	value->length = (unsigned char) length;
	value->types = types;
	value->number = number;
	value->moment = moment;
}

#endif
