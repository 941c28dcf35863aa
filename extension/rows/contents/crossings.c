/*
 * crossings.c
 *	  How often the edges of areas cross each other.
 *
 * GEOS repairs such areas, and divides them, in memory of its own: about two kilobytes for each crossing, of which a star
 * with 2,000 corners has two million.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "rows/contents/crossings.h"

#define CROSSINGS_MOST 50000
#define PAIRS_MOST 1000000000 /* of edges that are compared: about two seconds */
#define POLYGON 3			  /* kind of WKB; those behind it are made of parts */

/* An edge: its ends, of which the first one is not east of the other. */
typedef struct Edge
{
	double x[2];
	double y[2];
} Edge;

/* WKB that is read, which cat_wkt_binary() has written, and the edges of its areas. */
typedef struct EdgeReader
{
	const unsigned char *at;
	Edge *edges; /* NULL: they are counted */
	Size count;
} EdgeReader;

static uint32
take_count(EdgeReader *reader)
{
	uint32 count;

	memcpy(&count, reader->at, sizeof(count));
	reader->at += sizeof(count);
	return count;
}

static double
take_number(EdgeReader *reader)
{
	double number;

	memcpy(&number, reader->at, sizeof(number));
	reader->at += sizeof(number);
	return number;
}

static void
take_ring(EdgeReader *reader)
{
	double last[2] = {0, 0};
	uint32 corners = take_count(reader);

	for (uint32 i = 0; i < corners; i++)
	{
		double x = take_number(reader);
		double y = take_number(reader);
		int east = x > last[0];

		if (i > 0 && (x != last[0] || y != last[1]))
		{
			if (reader->edges)
				reader->edges[reader->count] = (Edge){{east ? last[0] : x, east ? x : last[0]},
													  {east ? last[1] : y, east ? y : last[1]}};
			reader->count++;
		}
		last[0] = x;
		last[1] = y;
	}
}

/* Take a geometry; of points and lines nothing. */
static void
take_geometry(EdgeReader *reader)
{
	uint32 kind;
	uint32 parts;

	check_stack_depth();
	reader->at++;
	kind = take_count(reader);
	parts = kind == 1 ? 1 : take_count(reader);
	for (uint32 i = 0; i < parts; i++)
		if (kind < POLYGON)
			reader->at += 2 * sizeof(double);
		else if (kind == POLYGON)
			take_ring(reader);
		else
			take_geometry(reader);
}

static int
compare_edges(const void *left, const void *right)
{
	double one = ((const Edge *) left)->x[0];
	double other = ((const Edge *) right)->x[0];

	return (one > other) - (one < other);
}

/* Return on which side of an edge a place is: 0, or below or above it. */
static double
side_of(const Edge *edge, double x, double y)
{
	return (edge->x[1] - edge->x[0]) * (y - edge->y[0]) -
		   (edge->y[1] - edge->y[0]) * (x - edge->x[0]);
}

static bool
is_end(const Edge *edge, double x, double y)
{
	return (x == edge->x[0] && y == edge->y[0]) || (x == edge->x[1] && y == edge->y[1]);
}

/* Whether two edges, of which the second one does not begin west of the first one, have a place in common that is not an
 * end of both alone. */
static bool
do_cross(const Edge *one, const Edge *other)
{
	double sides[4];

	if (Max(one->y[0], one->y[1]) < Min(other->y[0], other->y[1]) ||
		Max(other->y[0], other->y[1]) < Min(one->y[0], one->y[1]))
		return false;
	for (int i = 0; i < 2; i++)
	{
		sides[i] = side_of(one, other->x[i], other->y[i]);
		sides[i + 2] = side_of(other, one->x[i], one->y[i]);
	}
	if (sides[0] == 0 && sides[1] == 0)
		return Min(one->x[1], other->x[1]) > other->x[0] ||
			   Min(Max(one->y[0], one->y[1]), Max(other->y[0], other->y[1])) >
				   Max(Min(one->y[0], one->y[1]), Min(other->y[0], other->y[1]));
	if (is_end(one, other->x[0], other->y[0]) || is_end(one, other->x[1], other->y[1]))
		return false;
	return sides[0] * sides[1] <= 0 && sides[2] * sides[3] <= 0;
}

/* Whether the edges, in their order from the west, cross more often than they may, or are too many to be compared. */
static bool
are_many(const Edge *edges, Size count)
{
	int64 crossings = 0;
	int64 pairs = 0;

	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (Size j = i + 1; j < count && edges[j].x[0] <= edges[i].x[1]; j++)
		{
			crossings += do_cross(&edges[i], &edges[j]);
			if (crossings > CROSSINGS_MOST || ++pairs > PAIRS_MOST)
				return true;
		}
	}
	return false;
}

int64
cat_crossings_edges(const char *wkb)
{
	EdgeReader reader = {.at = (const unsigned char *) wkb};

	take_geometry(&reader);
	return (int64) reader.count;
}

bool
cat_crossings_are_too_many(const char *wkb)
{
	EdgeReader reader = {.at = (const unsigned char *) wkb};
	Size count = (Size) cat_crossings_edges(wkb);
	bool many;

	if (count * count / 2 <= CROSSINGS_MOST)
		return false;
	reader.edges = palloc_extended(sizeof(Edge) * count, MCXT_ALLOC_HUGE);
	take_geometry(&reader);
	qsort(reader.edges, count, sizeof(Edge), compare_edges);
	many = are_many(reader.edges, count);
	pfree(reader.edges);
	return many;
}
