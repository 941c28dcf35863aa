/*
 * points.c
 *	  Points of a sheet are read in an order of place.
 */
#include "catalogue.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/points.h"

#define SORTED 16384 /* points that are given in the order of their rows, at most */
#define BESIDE 1e-9	 /* degrees that a point may be beside what is asked for */

/* Points that wait to be given. */
typedef struct FoundPoints
{
	TakePoint take;
	void *data;
	int count;
	bool many; /* they do not wait any more */
	FoundPoint list[SORTED];
} FoundPoints;

/* Chunks of points that may be among those that are asked for. */
typedef struct FoundChunks
{
	SPITupleTable *table;
	uint64 count;
	uint64 at;			  /* the next one */
	MemoryContext memory; /* of the present one, */
	int64 first;		  /* row of its first point */
	Chunk chunk;
	Segment segments[POINT_CELL_COLUMNS]; /* its columns, all of numbers */
} FoundChunks;

/* Whether the points of a sheet may be stored: those that its reader has found. */
static bool
may_be_stored(const SheetQuery *asked)
{
	const Sheet *sheet = asked->sheet;
	const int *at = asked->coordinates;

	return !asked->source && sheet->rows >= POINTS_LEAST && at[GEOMETRY] < 0 &&
		   sheet->places[LATITUDE] && sheet->places[LONGITUDE] &&
		   strcmp(sheet->columns[at[LATITUDE]].name, sheet->places[LATITUDE]) == 0 &&
		   strcmp(sheet->columns[at[LONGITUDE]].name, sheet->places[LONGITUDE]) == 0;
}

/* Find the chunks of a zoom that meet a rectangle. */
static void
find_chunks(FoundChunks *chunks, const SheetQuery *asked, int zoom, const Bounds *bounds)
{
	cat_statement_read(
		"SELECT p.count, p.data, p.first, p.west, p.south, p.east, p.north FROM "
		"catalogue.sheet_point p "
		"WHERE p.sheet = $1 AND p.zoom = $2 AND p.south <= $6 AND p.north >= $4 AND CASE "
		"WHEN $3 <= $5 THEN p.west <= $5 AND p.east >= $3 ELSE p.west <= $5 OR p.east >= $3 END",
		int8_param(asked->sheet->id), int4_param(zoom), float8_param(bounds->west),
		float8_param(bounds->south), float8_param(bounds->east), float8_param(bounds->north));
	*chunks = (FoundChunks){.table = SPI_tuptable, .count = SPI_processed};
	chunks->memory =
		AllocSetContextCreate(CurrentMemoryContext, "a chunk of points", ALLOCSET_DEFAULT_SIZES);
}

/* Read a column of numbers of the present chunk. */
static void
read_numbers(FoundChunks *chunks, int column)
{
	Segment *segment = &chunks->segments[column];

	cat_chunk_segment(&chunks->chunk, column, segment);
	if (!segment->codes || segment->cells.rows > 0 || segment_has_instants(segment))
		cat_segment_damaged("A column of points is not one of numbers.");
}

/* Read the next chunk; false, with all that was found freed, behind the last one. */
static bool
next_chunk(FoundChunks *chunks, int least, int most)
{
	MemoryContext old;
	bool isnull;
	HeapTuple tuple;

	if (chunks->at == chunks->count)
	{
		MemoryContextDelete(chunks->memory);
		SPI_freetuptable(chunks->table);
		return false;
	}
	CHECK_FOR_INTERRUPTS();
	MemoryContextReset(chunks->memory);
	old = MemoryContextSwitchTo(chunks->memory);
	tuple = chunks->table->vals[chunks->at++];
	cat_chunk_take(&chunks->chunk, SPI_getbinval(tuple, chunks->table->tupdesc, 2, &isnull), 1,
				   DatumGetInt32(SPI_getbinval(tuple, chunks->table->tupdesc, 1, &isnull)), most);
	chunks->first = DatumGetInt64(SPI_getbinval(tuple, chunks->table->tupdesc, 3, &isnull));
	if (chunks->chunk.columns != least && chunks->chunk.columns != most)
		cat_segment_damaged("A chunk of points has another number of columns than expected.");
	for (int i = 0; i < chunks->chunk.columns; i++)
		read_numbers(chunks, i);
	MemoryContextSwitchTo(old);
	return true;
}

/* Return a number of the present chunk. */
static inline int64
number_at(const FoundChunks *chunks, int column, int at)
{
	const Segment *segment = &chunks->segments[column];

	return cat_segment_value(segment, segment->codes[at]);
}

/* Raise an error for a row that the sheet does not have. */
static inline int64
checked(const SheetQuery *asked, int64 row)
{
	if (row < 1 || row > asked->sheet->rows)
		cat_segment_damaged("A point is of a row that the sheet does not have.");
	return row;
}

/* Return a coordinate of a point. */
static inline double
coordinate_at(const FoundChunks *chunks, int column, int at)
{
	double coordinate;
	uint64 bits;

	if (chunks->chunk.columns == POINT_COLUMNS)
		return cat_segment_number(&chunks->segments[column], number_at(chunks, column, at));
	bits = (uint64) number_at(chunks, column, at) << 32 |
		   (uint64) number_at(chunks, column + POINT_COLUMNS - POINT_LATITUDE, at);
	memcpy(&coordinate, &bits, sizeof(coordinate));
	return coordinate;
}

static int
compare_rows(const void *left, const void *right)
{
	int64 one = ((const FoundPoint *) left)->row;
	int64 other = ((const FoundPoint *) right)->row;

	return one < other ? -1 : one > other;
}

/* Give the points that wait. */
static void
give_points(FoundPoints *points)
{
	for (int i = 0; i < points->count; i++)
		points->take(points->data, points->list[i].row, points->list[i].longitude,
					 points->list[i].latitude);
	points->count = 0;
}

/* Give the points of the present chunk that are in a rectangle, as long as there are few of them later. */
static void
take_chunk(FoundPoints *points, const FoundChunks *chunks, const SheetQuery *asked,
		   const Bounds *bounds)
{
	const bool decimal = chunks->chunk.columns == POINT_COLUMNS;
	const NumberRange range =
		decimal ? points_range(&chunks->segments[POINT_LATITUDE], bounds->south, bounds->north)
				: (NumberRange){0, UINT64_MAX};
	int64 row = chunks->first;

	for (int i = 0; i < chunks->chunk.rows; i++)
	{
		double latitude;
		double longitude;

		row = checked(asked, row + number_at(chunks, POINT_ROW, i));
		if (!points_in_range(&range, number_at(chunks, POINT_LATITUDE, i)))
			continue;
		latitude = coordinate_at(chunks, POINT_LATITUDE, i);
		longitude = coordinate_at(chunks, POINT_LONGITUDE, i);
		if (!cat_bounds_has(bounds, longitude, latitude))
			continue;
		if (points->count == SORTED)
		{
			give_points(points);
			points->many = true;
		}
		points->list[points->count++] = (FoundPoint){row, longitude, latitude};
	}
}

/* Return whether a sheet has points that are stored. */
static bool
has_points(const SheetQuery *asked)
{
	cat_statement_read("SELECT EXISTS (SELECT FROM catalogue.sheet_point p WHERE p.sheet = $1)",
					   int8_param(asked->sheet->id));
	return cat_result_bool(1);
}

bool
cat_points_take(const SheetQuery *asked, const Bounds *bounds, TakePoint take, void *data)
{
	Bounds around = {bounds->west - BESIDE, bounds->south - BESIDE, bounds->east + BESIDE,
					 bounds->north + BESIDE};
	FoundChunks chunks;
	FoundPoints *points;

	if (!may_be_stored(asked))
		return false;
	/* one that crosses the antimeridian may leave less out than that */
	if (bounds->west > bounds->east && around.west <= around.east)
		around = (Bounds){-LONGITUDE_MOST, around.south, LONGITUDE_MOST, around.north};
	find_chunks(&chunks, asked, POINTS_THEMSELVES, &around);
	if (chunks.count == 0 && !has_points(asked))
		return false;
	points = palloc(sizeof(FoundPoints));
	*points = (FoundPoints){.take = take, .data = data};
	while (next_chunk(&chunks, POINT_COLUMNS, POINT_HALVES))
		take_chunk(points, &chunks, asked, &around);
	if (!points->many)
		qsort(points->list, (size_t) points->count, sizeof(FoundPoint), compare_rows);
	give_points(points);
	pfree(points);
	return true;
}

/* Give the cells of the present chunk that are in a tile. */
static void
take_cells(const FoundChunks *chunks, const SheetQuery *asked, const Bounds *tile, TakeCell take,
		   void *data)
{
	const int64 most = (1 << (POINTS_TILE_BITS - POINTS_GRID_BITS)) - 1;

	for (int i = 0; i < chunks->chunk.rows; i++)
	{
		PointCell cell = {.count = number_at(chunks, POINT_CELL_COUNT, i),
						  .east = number_at(chunks, POINT_CELL_EAST, i),
						  .south = number_at(chunks, POINT_CELL_SOUTH, i)};
		int64 x = number_at(chunks, POINT_CELL_X, i);
		int64 y = number_at(chunks, POINT_CELL_Y, i);

		if (!cat_bounds_has(tile, (double) x, (double) y))
			continue;
		if (cell.count < 1 || cell.count > asked->sheet->rows || cell.east < 0 ||
			cell.east > cell.count * most || cell.south < 0 || cell.south > cell.count * most)
			cat_segment_damaged("A cell of points has an invalid number.");
		cell.x = (uint32) (x - (int64) tile->west);
		cell.y = (uint32) (y - (int64) tile->south);
		cell.row = (int32) checked(asked, number_at(chunks, POINT_CELL_ROW, i));
		take(data, &cell);
	}
}

bool
cat_points_cells(const SheetQuery *asked, int zoom, uint32 x, uint32 y, TakeCell take, void *data)
{
	const double side = 1 << POINTS_GRID_BITS;
	const Bounds tile = {x * side, y * side, x * side + side - 1, y * side + side - 1};
	FoundChunks chunks;
	bool found;

	if (!may_be_stored(asked))
		return false;
	find_chunks(&chunks, asked, zoom, &tile);
	found = chunks.count > 0;
	while (next_chunk(&chunks, POINT_CELL_COLUMNS, POINT_CELL_COLUMNS))
		take_cells(&chunks, asked, &tile, take, data);
	return found;
}

/* ---- The check of what is stored ---- */

/* Whether the present chunk is where its row of the table says; *points: increased by how many it has. */
static bool
is_placed(const FoundChunks *chunks, bool cells, int64 *points)
{
	HeapTuple tuple = chunks->table->vals[chunks->at - 1];
	Bounds bounds = NO_BOUNDS;
	const double *edges[] = {&bounds.west, &bounds.south, &bounds.east, &bounds.north};
	bool isnull;

	for (int i = 0; i < chunks->chunk.rows; i++)
	{
		*points += cells ? number_at(chunks, POINT_CELL_COUNT, i) : 1;
		if (cells)
			cat_bounds_extend(&bounds, (double) number_at(chunks, POINT_CELL_X, i),
							  (double) number_at(chunks, POINT_CELL_Y, i));
		else
			cat_bounds_extend(&bounds, coordinate_at(chunks, POINT_LONGITUDE, i),
							  coordinate_at(chunks, POINT_LATITUDE, i));
	}
	for (int i = 0; i < (int) lengthof(edges); i++)
		if (*edges[i] !=
			DatumGetFloat8(SPI_getbinval(tuple, chunks->table->tupdesc, 4 + i, &isnull)))
			return false;
	return true;
}

bool
cat_points_are_placed(const SheetQuery *asked, int64 inside)
{
	static const Bounds all = {-INFINITY, -INFINITY, INFINITY, INFINITY};
	bool placed = true;

	for (int zoom = POINTS_THEMSELVES; zoom < POINTS_ZOOMS; zoom++)
	{
		bool cells = zoom != POINTS_THEMSELVES;
		FoundChunks chunks;
		int64 points = 0;

		find_chunks(&chunks, asked, zoom, &all);
		while (next_chunk(&chunks, cells ? POINT_CELL_COLUMNS : POINT_COLUMNS,
						  cells ? POINT_CELL_COLUMNS : POINT_HALVES))
			placed = is_placed(&chunks, cells, &points) && placed;
		placed = placed && (!cells || points == 0 || points == inside);
	}
	return placed;
}
