/*
 * parse_options.h - options of how a file is read: parseOptions, and the paths of a remote service.
 */
#ifndef WORKER_SANDBOX_PARSE_OPTIONS_H
#define WORKER_SANDBOX_PARSE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "sandbox/systems.h"

/* Where the names of the columns are. */
typedef enum HeaderPosition
{
	HEADER_FOUND, /* detect the row of titles, if any */
	HEADER_FIRST, /* the first row that is not skipped */
	HEADER_NONE,
} HeaderPosition;

/* The order of day, month and year in a date. */
typedef enum DateOrder
{
	DATE_ANY,
	DATE_YEAR_FIRST,
	DATE_DAY_FIRST,
	DATE_MONTH_FIRST,
	DATE_ORDERS
} DateOrder;

/* Which cells of a merged range have its value. */
typedef enum MergedCells
{
	MERGED_LABELS, /* the first one, and those below it if the value is no number */
	MERGED_FILL,   /* the first one, and those below it */
	MERGED_FIRST,  /* the first one */
} MergedCells;

typedef struct Options
{
	const char *encoding;  /* NULL: detect it */
	const char *delimiter; /* one byte, or empty for a single column; NULL: detect it */
	char decimal;		   /* '.' or ','; '\0': detect it */
	char thousands;		   /* '.', ',', ' ' for any blank, or '\''; '\0': detect it */
	HeaderPosition header;
	uint64_t header_row;  /* number of the row with the names; 0: not given */
	uint64_t header_rows; /* rows of the heading, the names in the last one; 0: detect it */
	uint64_t passed;	  /* rows to skip that are given */
	uint64_t
		skip; /* lines of a text or rows of a sheet to skip: these, and those above the heading */
	MergedCells merged;
	DateOrder dates;
	uint64_t rows;		 /* of a sheet, after which the reading ends; 0: all */
	const char *missing; /* lines of the texts that stand for no value; NULL: the usual ones */
	/* dotted paths to the rows and column names in the answer of a remote service; NULL: detect */
	const char *data_path;
	const char *title_path;
	const char *crs;		/* the system of the coordinates in a table; NULL: WGS 84 */
	const Systems *systems; /* that the program knows; NULL: none */
} Options;

/* Set an option of the command line; false if the name or the value is unknown. */
extern bool parse_options_take(Options *options, const char *name, const char *value);

#endif
