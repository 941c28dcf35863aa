/*
 * geography.h - which columns of a sheet have places, and the extent of these.
 *
 * Places are degrees of WGS 84.  A reader names the columns and adds the places of the open row; they
 * count if the row is kept.
 */
#ifndef WORKER_ROWS_GEOGRAPHY_H
#define WORKER_ROWS_GEOGRAPHY_H

#include <stdbool.h>
#include <stddef.h>

#define GEOGRAPHY_NUMBER 32 /* bytes of a number, at most */

typedef struct Extent
{
	bool any;	  /* there are places */
	bool outside; /* some are no degrees */
	double last;  /* longitude of the place before */
	double south;
	double north;
	/* of longitudes from -180 to 180, and of those from 0 to 360: the narrower extent is taken */
	double west[2];
	double east[2];
} Extent;

typedef struct Geography
{
	/* columns, from 1; 0: there is none */
	unsigned longitude;
	unsigned latitude;
	unsigned geometry;
	bool foreign;  /* the places are in another system: the sheet has no geography */
	size_t length; /* of the geometry of the open row, as WKT */
	Extent open;   /* of the open row */
	Extent extent; /* of the rows that are kept */
} Geography;

/* geography.c */

/* Add a point. */
extern void geography_add(Extent *extent, double longitude, double latitude);
/* Add a place of a line or an area, which may be beyond 180 degrees; joined: to the one before. */
extern void geography_join(Extent *extent, bool joined, double longitude, double latitude);
/* Write a number with at most seven decimals; return the length. */
extern size_t geography_format(char *text, double number);

#endif
