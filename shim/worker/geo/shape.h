/*
 * shape.h - a geometry of a text format as WKT, piece by piece.
 */
#ifndef WORKER_GEO_SHAPE_H
#define WORKER_GEO_SHAPE_H

#include "rows/geography.h"
#include "sandbox/sandbox.h"

/* Why a geometry is left out that is longer than CONTENTS_GEOMETRY. */
#define SHAPE_LONG \
	"the geometry is longer than 16 MiB as WKT, and is left out here; the file has it"

typedef struct Shape
{
	Parse *parse;
	char *text;
	size_t length;
	size_t room;
	bool full;			/* the text is longer than a geometry may be */
	bool outside;		/* a position cannot be converted */
	bool faulty;		/* a coordinate is no number, or a name is not known */
	uint64_t positions; /* so far */
	unsigned least;		/* numbers of a position */
	unsigned most;
	double number[3]; /* of the open position */
	Extent extent;
	/* converts a position; NULL: it is good as it is */
	bool (*convert)(void *data, double *x, double *y);
	void *data;
} Shape;

/* Begin a geometry. */
extern void shape_begin(Shape *shape, Parse *parse);
/* Append brackets. */
extern void shape_text(Shape *shape, const char *text);
/* Another part of the open bracket follows: divide it from those before. */
extern void shape_next(Shape *shape);
/* Insert the name of a kind of geometry where the text had this length; NULL: it is faulty. */
extern void shape_name(Shape *shape, size_t offset, const char *kind);
/* A number of the open position; a fourth one is left out. */
extern void shape_number(Shape *shape, unsigned axis, const char *text, size_t length);
/* The position is whole, and has so many numbers. */
extern void shape_position(Shape *shape, unsigned numbers);
/* Set parse->shape to the WKT; why there is none, else NULL. */
extern const char *shape_write(Shape *shape);

#endif
