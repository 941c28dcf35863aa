/*
 * little.h
 *	  Numbers of chunks and segments, lowest byte first.
 */
#ifndef CATALOGUE_SHEETS_LITTLE_H
#define CATALOGUE_SHEETS_LITTLE_H

#include "catalogue.h"

#include "port/pg_bswap.h"

/* Read a number of four or eight bytes, lowest byte first. */
static inline uint32
little_four(const unsigned char *bytes)
{
	uint32 number;

	memcpy(&number, bytes, sizeof(number));
#ifdef WORDS_BIGENDIAN
	number = pg_bswap32(number);
#endif
	return number;
}

static inline uint64
little_eight(const unsigned char *bytes)
{
	uint64 number;

	memcpy(&number, bytes, sizeof(number));
#ifdef WORDS_BIGENDIAN
	number = pg_bswap64(number);
#endif
	return number;
}

#endif /* CATALOGUE_SHEETS_LITTLE_H */
