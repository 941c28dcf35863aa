/*
 * wkb.h - geometries in the binary form of libraries, as WKT.
 */
#ifndef WORKER_GEO_WKB_H
#define WORKER_GEO_WKB_H

#include "rows/geography.h"
#include "sandbox/sandbox.h"

typedef enum WkbEnd
{
	WKB_POINT, /* the geometry is one point: of the position */
	WKB_SHAPE,
	WKB_EMPTY,
	WKB_OTHER,	 /* a solid or a surface */
	WKB_FAULTY,	 /* its bytes are faulty, or a coordinate is none */
	WKB_OUTSIDE, /* it cannot be converted */
	WKB_LONG	 /* the text is longer than a cell may be */
} WkbEnd;

typedef struct Wkb
{
	bool (*convert)(const void *data, double *x, double *y, size_t count);
	const void *data;
	double position[3]; /* of a point */
	bool high;			/* it has an altitude */
	Extent extent;
	Buffer *text;
} Wkb;

/* Write a geometry in ISO WKB with the lowest byte first. */
extern WkbEnd wkb_write(Wkb *wkb, const unsigned char *bytes, size_t length);

#endif
