/*
 * points_write.c
 *	  Points of a sheet are stored in an order of place.
 */
#include "catalogue.h"

#include <math.h>

#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/points.h"

#define RUN_POINTS (1 << 20) /* points that are in order together */
#define CELL_BITS (POINTS_TILE_BITS - POINTS_GRID_BITS)
#define POSITIONS (1 << (2 * CELL_BITS)) /* in a cell */
#define DIGIT_BITS \
	11 /* of a key, by which points are sorted at a time: six digits, and two of a number in the run */
#define DIGITS (1 << DIGIT_BITS)
#define SQUARE_BITS 32 /* of a position in the square of the projection, along each side */

/* A point in the order of place. */
typedef struct PlacedPoint
{
	uint64
		key;   /* bits of its position in the square by turns, those of the way to the east lower */
	uint32 at; /* which one of the run */
	bool outside; /* of the square: it is in no tile */
} PlacedPoint;

/* What is being written. */
typedef struct PointWriter
{
	int64 sheet;
	int count; /* of the points of the run */
	PlacedPoint *placed;
	PlacedPoint *other; /* memory for as many */
	FoundPoint *points;
	int digits; /* that their coordinates have; more than POINTS_DIGITS: they are no such numbers */
	int number; /* of the next chunk */
	int zooms;	/* that have cells, -1: not known yet */
	uint64 *
		positions; /* of the bits of a key that tell the place in a cell: as FilledCell.sums has them */
	MemoryContext memory;				/* of a chunk while it is written */
	int64 *columns[POINT_CELL_COLUMNS]; /* of a chunk, */
	int filled;							/* the rows that it has, */
	int64 first;						/* and of points the first row of the sheet */
	Bounds bounds;
} PointWriter;

typedef uint32 (*DigitOf)(const PlacedPoint *placed, int pass);

static uint32
digit_of_key(const PlacedPoint *placed, int pass)
{
	return (uint32) (placed->key >> (pass * DIGIT_BITS)) & (DIGITS - 1);
}

static uint32
digit_of_row(const PlacedPoint *placed, int pass)
{
	return placed->at >> (pass * DIGIT_BITS) & (DIGITS - 1);
}

/* Sort points by digits, the lowest ones first, in an even number of passes, each of which moves them to other memory. */
static void
sort_by(PlacedPoint *placed, PlacedPoint *other, int count, DigitOf digit, int passes)
{
	Assert(passes % 2 == 0);
	for (int pass = 0; pass < passes; pass++)
	{
		uint32 starts[DIGITS + 1] = {0};
		PlacedPoint *moved = pass % 2 == 0 ? other : placed;
		const PlacedPoint *from = pass % 2 == 0 ? placed : other;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < count; i++)
			starts[digit(&from[i], pass) + 1]++;
		for (int i = 1; i < DIGITS; i++)
			starts[i] += starts[i - 1];
		for (int i = 0; i < count; i++)
			moved[starts[digit(&from[i], pass)]++] = from[i];
	}
}

/* Return the bits of a number, with one of another number between any two. */
static uint64
spread(uint64 bits)
{
	bits = (bits | bits << 16) & UINT64CONST(0x0000FFFF0000FFFF);
	bits = (bits | bits << 8) & UINT64CONST(0x00FF00FF00FF00FF);
	bits = (bits | bits << 4) & UINT64CONST(0x0F0F0F0F0F0F0F0F);
	bits = (bits | bits << 2) & UINT64CONST(0x3333333333333333);
	return (bits | bits << 1) & UINT64CONST(0x5555555555555555);
}

/* Return every second bit of a number, from the lowest one on. */
static int64
gathered(uint64 bits)
{
	bits &= UINT64CONST(0x5555555555555555);
	bits = (bits | bits >> 1) & UINT64CONST(0x3333333333333333);
	bits = (bits | bits >> 2) & UINT64CONST(0x0F0F0F0F0F0F0F0F);
	bits = (bits | bits >> 4) & UINT64CONST(0x00FF00FF00FF00FF);
	bits = (bits | bits >> 8) & UINT64CONST(0x0000FFFF0000FFFF);
	return (int64) ((bits | bits >> 16) & UINT64CONST(0x00000000FFFFFFFF));
}

/* Store the chunk that is filled, and begin another one. */
static void
store_chunk(PointWriter *writer, int zoom, int columns, int digits)
{
	MemoryContext old = MemoryContextSwitchTo(writer->memory);
	NumberColumn numbers[POINT_CELL_COLUMNS];

	for (int i = 0; i < columns; i++)
		numbers[i] = (NumberColumn){writer->columns[i], i == POINT_ROW ? 0 : digits};
	cat_statement_fresh("INSERT INTO catalogue.sheet_point (sheet, zoom, number, west, south, "
						"east, north, first, count, data) "
						"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
						int8_param(writer->sheet), int4_param(zoom), int4_param(writer->number++),
						float8_param(writer->bounds.west), float8_param(writer->bounds.south),
						float8_param(writer->bounds.east), float8_param(writer->bounds.north),
						int8_param(writer->first), int4_param(writer->filled),
						datum_param(BYTEAOID, PointerGetDatum(cat_chunk_write_numbers(
												  numbers, columns, writer->filled))));
	MemoryContextSwitchTo(old);
	MemoryContextReset(writer->memory);
	writer->filled = 0;
	writer->bounds = NO_BOUNDS;
	CHECK_FOR_INTERRUPTS();
}

static const double powers[POINTS_DIGITS + 1] = {1e0, 1e1, 1e2, 1e3,  1e4,	1e5, 1e6,
												 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

/* Set a coordinate of the row of the chunk that is filled next. */
static void
set_coordinate(const PointWriter *writer, int column, double coordinate)
{
	uint64 bits;

	if (writer->digits <= POINTS_DIGITS)
	{
		writer->columns[column][writer->filled] = llrint(coordinate * powers[writer->digits]);
		return;
	}
	memcpy(&bits, &coordinate, sizeof(bits));
	writer->columns[column][writer->filled] = (int64) (bits >> 32);
	writer->columns[column + POINT_COLUMNS - POINT_LATITUDE][writer->filled] =
		(int64) (bits & UINT64CONST(0xFFFFFFFF));
}

/* Store points that are next to each other as a chunk, in the order of their rows, which then are small differences. */
static void
store_block(PointWriter *writer, PlacedPoint *placed, int count)
{
	bool halves = writer->digits > POINTS_DIGITS;
	int64 before;

	sort_by(placed, writer->other, count, digit_of_row, 2);
	writer->first = before = writer->points[placed[0].at].row;
	for (int i = 0; i < count; i++)
	{
		const FoundPoint *point = &writer->points[placed[i].at];

		writer->columns[POINT_ROW][i] = point->row - before;
		before = point->row;
		set_coordinate(writer, POINT_LATITUDE, point->latitude);
		set_coordinate(writer, POINT_LONGITUDE, point->longitude);
		cat_bounds_extend(&writer->bounds, point->longitude, point->latitude);
		writer->filled++;
	}
	store_chunk(writer, POINTS_THEMSELVES, halves ? POINT_HALVES : POINT_COLUMNS,
				halves ? 0 : writer->digits);
}

/* Return how many low bits of a key are those of the place in a cell of a zoom. */
static int
cell_shift(int zoom)
{
	return 2 * (SQUARE_BITS - POINTS_GRID_BITS - zoom);
}

/* Count the cells of each zoom that have points. */
static void
count_cells(const PointWriter *writer, int *cells)
{
	const PlacedPoint *last = NULL;

	memset(cells, 0, sizeof(int) * POINTS_ZOOMS);
	for (int i = 0; i < writer->count; i++)
	{
		const PlacedPoint *placed = &writer->placed[i];
		int zoom = 0;

		if (placed->outside)
			continue;
		/* the first zoom at which it is in another cell than the point before */
		if (last && placed->key != last->key)
			zoom = Max((SQUARE_BITS * 2 - 1 - pg_leftmost_one_pos64(placed->key ^ last->key)) / 2 -
						   (POINTS_GRID_BITS - 1),
					   0);
		if (!last || (placed->key != last->key && zoom < POINTS_ZOOMS))
			cells[zoom]++;
		last = placed;
	}
	for (int zoom = 1; zoom < POINTS_ZOOMS; zoom++)
		cells[zoom] += cells[zoom - 1];
}

/* Return how many zooms have cells: as long as these are an eighth of the points, and a quarter together. */
static int
count_zooms(const PointWriter *writer)
{
	int cells[POINTS_ZOOMS];
	int together = 0;

	count_cells(writer, cells);
	for (int zoom = 0; zoom < POINTS_ZOOMS; zoom++)
	{
		together += cells[zoom];
		if (cells[zoom] == 0 || cells[zoom] > writer->count / 8 || together > writer->count / 4)
			return zoom;
	}
	return POINTS_ZOOMS;
}

/* A cell while points are added to it. */
typedef struct FilledCell
{
	uint64 number; /* higher bits of the keys */
	int64 count;
	uint64 sums; /* of the positions in it, those of the way to the east in the lower half */
	int32 row;
} FilledCell;

/* Add a cell to the chunk that is filled. */
static void
add_cell(PointWriter *writer, int zoom, const FilledCell *cell)
{
	int at = writer->filled++;

	writer->columns[POINT_CELL_X][at] = gathered(cell->number);
	writer->columns[POINT_CELL_Y][at] = gathered(cell->number >> 1);
	writer->columns[POINT_CELL_COUNT][at] = cell->count;
	writer->columns[POINT_CELL_EAST][at] = (int64) (cell->sums & UINT64CONST(0xFFFFFFFF));
	writer->columns[POINT_CELL_SOUTH][at] = (int64) (cell->sums >> 32);
	writer->columns[POINT_CELL_ROW][at] = cell->row;
	cat_bounds_extend(&writer->bounds, (double) writer->columns[POINT_CELL_X][at],
					  (double) writer->columns[POINT_CELL_Y][at]);
	if (writer->filled == CHUNK_ROWS)
		store_chunk(writer, zoom, POINT_CELL_COLUMNS, 0);
}

/* Store the cells of a zoom. */
static void
store_cells(PointWriter *writer, int zoom)
{
	int shift = cell_shift(zoom);
	FilledCell cell = {0};

	for (int i = 0; i < writer->count; i++)
	{
		const PlacedPoint *placed = &writer->placed[i];

		if (placed->outside)
			continue;
		if (cell.count > 0 && placed->key >> shift != cell.number)
		{
			add_cell(writer, zoom, &cell);
			cell = (FilledCell){0};
		}
		if (cell.count++ == 0)
			cell.row = (int32) writer->points[placed->at].row;
		cell.number = placed->key >> shift;
		cell.sums += writer->positions[placed->key >> (shift - 2 * CELL_BITS) & (POSITIONS - 1)];
	}
	if (cell.count > 0)
		add_cell(writer, zoom, &cell);
	if (writer->filled > 0)
		store_chunk(writer, zoom, POINT_CELL_COLUMNS, 0);
}

/* Store the cells of the zooms that have some. */
static void
store_zooms(PointWriter *writer)
{
	if (writer->zooms < 0)
		writer->zooms = count_zooms(writer);
	writer->first = 0;
	for (int zoom = 0; zoom < writer->zooms; zoom++)
		store_cells(writer, zoom);
}

/* Store the run, and begin another one. */
static void
store_run(PointWriter *writer)
{
	if (writer->count == 0)
		return;
	sort_by(writer->placed, writer->other, writer->count, digit_of_key, 6);
	store_zooms(writer);
	for (int i = 0; i < writer->count; i += CHUNK_ROWS)
		store_block(writer, writer->placed + i, Min(CHUNK_ROWS, writer->count - i));
	writer->count = 0;
	writer->digits = 0;
}

/* Return how many decimal digits a coordinate has, if they are more than so many. */
static int
digits_of(double coordinate, int digits)
{
	while (digits <= POINTS_DIGITS &&
		   (double) llrint(coordinate * powers[digits]) / powers[digits] != coordinate)
		digits++;
	return digits;
}

/* Return a share of the way through the square in its units. */
static uint64
in_square(double share)
{
	const double units = (double) (UINT64CONST(1) << SQUARE_BITS);

	return (uint64) Min(Max(share * units, 0), units - 1);
}

/* Whether a share of the way from north to south is one in the square. */
static bool
is_inside(double y)
{
	return y >= 0 && y < 1;
}

/* Add a point to the run, as TakePoint. */
static void
add_point(void *data, int64 row, double longitude, double latitude)
{
	PointWriter *writer = data;
	int at = writer->count++;
	double x = cat_bounds_mercator_x(longitude);
	double y = cat_bounds_mercator_y(latitude);

	writer->points[at] = (FoundPoint){row, longitude, latitude};
	writer->digits = digits_of(longitude, digits_of(latitude, writer->digits));
	writer->placed[at] =
		(PlacedPoint){spread(in_square(x)) | spread(in_square(y)) << 1, (uint32) at, !is_inside(y)};
	if (writer->count == RUN_POINTS)
		store_run(writer);
}

/* Return what points are written with. */
static PointWriter *
begin_points(int64 sheet, int64 rows)
{
	PointWriter *writer = palloc0(sizeof(PointWriter));
	Size most = (Size) Min(rows, RUN_POINTS);

	writer->sheet = sheet;
	writer->placed = palloc(sizeof(PlacedPoint) * most);
	writer->other = palloc(sizeof(PlacedPoint) * most);
	writer->points = palloc(sizeof(FoundPoint) * most);
	writer->zooms = -1;
	writer->positions = palloc(sizeof(uint64) * POSITIONS);
	for (uint64 i = 0; i < POSITIONS; i++)
		writer->positions[i] = (uint64) gathered(i) | (uint64) gathered(i >> 1) << 32;
	writer->memory =
		AllocSetContextCreate(CurrentMemoryContext, "a chunk of points", ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < POINT_CELL_COLUMNS; i++)
		writer->columns[i] = palloc(sizeof(int64) * CHUNK_ROWS);
	writer->bounds = NO_BOUNDS;
	return writer;
}

/* Return the query of a sheet of points, of which only the positions of the columns are known. */
static SheetQuery *
query_of(Sheet *sheet, int latitude_column, int longitude_column)
{
	SheetQuery *asked = palloc0(sizeof(SheetQuery));
	SheetColumn *columns = palloc0(sizeof(SheetColumn) * ((size_t) sheet->ncolumns + 1));

	sheet->places[LATITUDE] = sheet->places[LONGITUDE] = pstrdup("");
	for (int i = 0; i < sheet->ncolumns; i++)
		columns[i] =
			(SheetColumn){.name = sheet->places[LATITUDE], .kind = CELL_DECIMAL, .point = '.'};
	sheet->columns = columns;
	asked->sheet = sheet;
	asked->coordinates[LATITUDE] = latitude_column;
	asked->coordinates[LONGITUDE] = longitude_column;
	asked->coordinates[GEOMETRY] = -1;
	return asked;
}

CAT_FUNCTION(catalogue_store_points)
{
	Sheet sheet = {.id = PG_GETARG_INT64(ARG_STORE_POINTS_SHEET),
				   .rows = PG_GETARG_INT64(ARG_STORE_POINTS_ROWS),
				   .ncolumns = PG_GETARG_INT32(ARG_STORE_POINTS_COLUMNS)};
	int latitude_column = PG_GETARG_INT32(ARG_STORE_POINTS_LATITUDE_COLUMN);
	int longitude_column = PG_GETARG_INT32(ARG_STORE_POINTS_LONGITUDE_COLUMN);
	PointWriter *writer;

	if (latitude_column < 0 || longitude_column < 0)
		PG_RETURN_VOID();
	cat_owner_call_begin();
	cat_statement_fresh("DELETE FROM catalogue.sheet_point WHERE sheet = $1", int8_param(sheet.id));
	writer = begin_points(sheet.id, sheet.rows);
	cat_places_points(query_of(&sheet, latitude_column, longitude_column), NULL, add_point, writer);
	store_run(writer);
	cat_owner_call_end();
	PG_RETURN_VOID();
}

/* Points, whose order does not count. */
typedef struct PointSum
{
	uint64 digests;
	int64 inside; /* of the square */
} PointSum;

/* Add a point to a sum, as TakePoint. */
static void
add_digest(void *data, int64 row, double longitude, double latitude)
{
	const FoundPoint point = {row, longitude + 0.0, latitude + 0.0};
	PointSum *sum = data;

	sum->digests += hash_bytes_extended((const unsigned char *) &point, sizeof(point), 0);
	sum->inside += is_inside(cat_bounds_mercator_y(latitude));
}

/* What is compared. */
typedef struct PointCheck
{
	const SheetQuery *asked;
	bool same;
} PointCheck;

/* Compare what is stored with the rows. */
static void
compare_stored(void *data)
{
	static const Bounds everywhere = {-LONGITUDE_MOST, -LATITUDE_MOST, LONGITUDE_MOST,
									  LATITUDE_MOST};
	PointCheck *check = data;
	PointSum of_rows = {0};
	PointSum stored = {0};

	cat_places_points(check->asked, NULL, add_digest, &of_rows);
	(void) cat_points_take(check->asked, &everywhere, add_digest, &stored);
	check->same =
		of_rows.digests == stored.digests && cat_points_are_placed(check->asked, of_rows.inside);
}

CAT_FUNCTION(catalogue_are_points_stored)
{
	Sheet sheet = {.id = PG_GETARG_INT64(ARG_ARE_POINTS_STORED_SHEET),
				   .rows = PG_GETARG_INT64(ARG_ARE_POINTS_STORED_ROWS),
				   .ncolumns = PG_GETARG_INT32(ARG_ARE_POINTS_STORED_COLUMNS)};
	PointCheck check = {.asked =
							query_of(&sheet, PG_GETARG_INT32(ARG_ARE_POINTS_STORED_LATITUDE_COLUMN),
									 PG_GETARG_INT32(ARG_ARE_POINTS_STORED_LONGITUDE_COLUMN))};
	ErrorData *error;

	if (check.asked->coordinates[LATITUDE] < 0 || check.asked->coordinates[LONGITUDE] < 0)
		PG_RETURN_BOOL(true);
	cat_owner_call_begin();
	error = cat_statement_in_subtransaction(compare_stored, &check);
	/* one that is damaged is a finding of the check, too */
	if (error && error->sqlerrcode != ERRCODE_DATA_CORRUPTED)
		ReThrowError(error);
	cat_owner_call_end();
	PG_RETURN_BOOL(!error && check.same);
}
