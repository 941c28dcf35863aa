/*
 * points_write.c
 *	  Points of a sheet are stored in an order of place.
 */
#include "catalogue.h"

#include <math.h>

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/points.h"

#define RUN_POINTS (1 << 20) /* points that are in order together */
#define ZOOMS 17			 /* that have cells, at most */
#define CELL_BITS (POINTS_TILE_BITS - POINTS_GRID_BITS)
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
	int32 *rows;
	double *latitudes;
	double *longitudes;
	int digits; /* that their coordinates have; more than POINTS_DIGITS: they are no such numbers */
	int number; /* of the next chunk */
	int zooms;	/* that have cells, -1: not known yet */
	MemoryContext memory;				/* of a chunk while it is written */
	int64 *columns[POINT_CELL_COLUMNS]; /* of a chunk, */
	int filled;							/* the rows that it has */
	Bounds bounds;
} PointWriter;

#define ST_SORT sort_placed
#define ST_ELEMENT_TYPE PlacedPoint
#define ST_COMPARE(one, other)                                         \
	((one)->key != (other)->key ? ((one)->key < (other)->key ? -1 : 1) \
								: ((one)->at > (other)->at) - ((one)->at < (other)->at))
#define ST_SCOPE static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

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
						"east, north, count, data) "
						"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
						int8_param(writer->sheet), int4_param(zoom), int4_param(writer->number++),
						float8_param(writer->bounds.west), float8_param(writer->bounds.south),
						float8_param(writer->bounds.east), float8_param(writer->bounds.north),
						int4_param(writer->filled),
						datum_param(BYTEAOID, PointerGetDatum(cat_chunk_write_numbers(
												  numbers, columns, writer->filled))));
	MemoryContextSwitchTo(old);
	MemoryContextReset(writer->memory);
	writer->filled = 0;
	writer->bounds = NO_BOUNDS;
	CHECK_FOR_INTERRUPTS();
}

/* Set a coordinate of the row of the chunk that is filled next. */
static void
set_coordinate(const PointWriter *writer, int column, double coordinate)
{
	uint64 bits;

	if (writer->digits <= POINTS_DIGITS)
	{
		writer->columns[column][writer->filled] = llrint(coordinate * pow(10, writer->digits));
		return;
	}
	memcpy(&bits, &coordinate, sizeof(bits));
	writer->columns[column][writer->filled] = (int64) (bits >> 32);
	writer->columns[column + POINT_COLUMNS - POINT_LATITUDE][writer->filled] =
		(int64) (bits & UINT64CONST(0xFFFFFFFF));
}

/* Store the points of the run. */
static void
store_points(PointWriter *writer)
{
	bool halves = writer->digits > POINTS_DIGITS;

	for (int i = 0; i < writer->count; i++)
	{
		uint32 at = writer->placed[i].at;

		writer->columns[POINT_ROW][writer->filled] = writer->rows[at];
		set_coordinate(writer, POINT_LATITUDE, writer->latitudes[at]);
		set_coordinate(writer, POINT_LONGITUDE, writer->longitudes[at]);
		cat_bounds_extend(&writer->bounds, writer->longitudes[at], writer->latitudes[at]);
		if (++writer->filled == CHUNK_ROWS || i == writer->count - 1)
			store_chunk(writer, POINTS_THEMSELVES, halves ? POINT_HALVES : POINT_COLUMNS,
						halves ? 0 : writer->digits);
	}
}

/* Return how many low bits of a key are those of the place in a cell of a zoom. */
static int
cell_shift(int zoom)
{
	return 2 * (SQUARE_BITS - POINTS_GRID_BITS - zoom);
}

/* Return how many cells of a zoom have points. */
static int
count_cells(const PointWriter *writer, int zoom)
{
	int shift = cell_shift(zoom);
	uint64 last = UINT64_MAX;
	int cells = 0;

	for (int i = 0; i < writer->count; i++)
	{
		uint64 cell = writer->placed[i].key >> shift;

		cells += !writer->placed[i].outside && cell != last;
		last = writer->placed[i].outside ? last : cell;
	}
	return cells;
}

/* Return how many zooms have cells: as long as these are an eighth of the points, and a quarter together. */
static int
count_zooms(const PointWriter *writer)
{
	int cells = 0;

	for (int zoom = 0; zoom < ZOOMS; zoom++)
	{
		int count = count_cells(writer, zoom);

		cells += count;
		if (count == 0 || count > writer->count / 8 || cells > writer->count / 4)
			return zoom;
	}
	return ZOOMS;
}

/* Add a point to the cell that is filled, or begin another one. */
static void
add_to_cell(PointWriter *writer, const PlacedPoint *placed, int zoom, bool begins)
{
	int64 **columns = writer->columns;
	uint64 cell = placed->key >> cell_shift(zoom);
	uint64 position =
		placed->key >> (cell_shift(zoom) - 2 * CELL_BITS) & ((UINT64CONST(1) << 2 * CELL_BITS) - 1);
	int at = writer->filled;

	if (begins)
	{
		columns[POINT_CELL_X][at] = gathered(cell);
		columns[POINT_CELL_Y][at] = gathered(cell >> 1);
		columns[POINT_CELL_COUNT][at] = columns[POINT_CELL_EAST][at] =
			columns[POINT_CELL_SOUTH][at] = 0;
		columns[POINT_CELL_ROW][at] = writer->rows[placed->at];
		cat_bounds_extend(&writer->bounds, (double) columns[POINT_CELL_X][at],
						  (double) columns[POINT_CELL_Y][at]);
	}
	columns[POINT_CELL_COUNT][at]++;
	columns[POINT_CELL_EAST][at] += gathered(position);
	columns[POINT_CELL_SOUTH][at] += gathered(position >> 1);
}

/* Store the cells of a zoom. */
static void
store_cells(PointWriter *writer, int zoom)
{
	int shift = cell_shift(zoom);
	bool begun = false;
	uint64 last = 0;

	for (int i = 0; i < writer->count; i++)
	{
		const PlacedPoint *placed = &writer->placed[i];
		bool begins = !begun || placed->key >> shift != last;

		if (placed->outside)
			continue;
		if (begins && begun && ++writer->filled == CHUNK_ROWS)
			store_chunk(writer, zoom, POINT_CELL_COLUMNS, 0);
		add_to_cell(writer, placed, zoom, begins);
		last = placed->key >> shift;
		begun = true;
	}
	if (!begun)
		return;
	writer->filled++;
	store_chunk(writer, zoom, POINT_CELL_COLUMNS, 0);
}

/* Store the run, and begin another one. */
static void
store_run(PointWriter *writer)
{
	if (writer->count == 0)
		return;
	sort_placed(writer->placed, (size_t) writer->count);
	store_points(writer);
	if (writer->zooms < 0)
		writer->zooms = count_zooms(writer);
	for (int zoom = 0; zoom < writer->zooms; zoom++)
		store_cells(writer, zoom);
	writer->count = 0;
	writer->digits = 0;
}

/* Return how many decimal digits a coordinate has, if they are more than so many. */
static int
digits_of(double coordinate, int digits)
{
	static const double powers[] = {1e0, 1e1, 1e2, 1e3,	 1e4,  1e5, 1e6,
									1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

	StaticAssertStmt(lengthof(powers) == POINTS_DIGITS + 1, "a power for each number of digits");
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

/* Add a point to the run, as TakePoint. */
static void
add_point(void *data, int64 row, double longitude, double latitude)
{
	PointWriter *writer = data;
	int at = writer->count++;
	double x = cat_bounds_mercator_x(longitude);
	double y = cat_bounds_mercator_y(latitude);

	writer->rows[at] = (int32) row;
	writer->latitudes[at] = latitude;
	writer->longitudes[at] = longitude;
	writer->digits = digits_of(longitude, digits_of(latitude, writer->digits));
	writer->placed[at] = (PlacedPoint){spread(in_square(x)) | spread(in_square(y)) << 1,
									   (uint32) at, !(y >= 0 && y < 1)};
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
	writer->rows = palloc(sizeof(int32) * most);
	writer->latitudes = palloc(sizeof(double) * most);
	writer->longitudes = palloc(sizeof(double) * most);
	writer->zooms = -1;
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

/* Add the digest of a point to a sum, in which their order does not count, as TakePoint. */
static void
add_digest(void *sum, int64 row, double longitude, double latitude)
{
	const FoundPoint point = {row, longitude + 0.0, latitude + 0.0};

	*(uint64 *) sum += hash_bytes_extended((const unsigned char *) &point, sizeof(point), 0);
}

CAT_FUNCTION(catalogue_are_points_stored)
{
	static const Bounds everywhere = {-LONGITUDE_MOST, -LATITUDE_MOST, LONGITUDE_MOST,
									  LATITUDE_MOST};
	Sheet sheet = {.id = PG_GETARG_INT64(ARG_ARE_POINTS_STORED_SHEET),
				   .rows = PG_GETARG_INT64(ARG_ARE_POINTS_STORED_ROWS),
				   .ncolumns = PG_GETARG_INT32(ARG_ARE_POINTS_STORED_COLUMNS)};
	const SheetQuery *asked =
		query_of(&sheet, PG_GETARG_INT32(ARG_ARE_POINTS_STORED_LATITUDE_COLUMN),
				 PG_GETARG_INT32(ARG_ARE_POINTS_STORED_LONGITUDE_COLUMN));
	uint64 of_rows = 0;
	uint64 stored = 0;

	if (asked->coordinates[LATITUDE] < 0 || asked->coordinates[LONGITUDE] < 0)
		PG_RETURN_BOOL(true);
	cat_owner_call_begin();
	cat_places_points(asked, NULL, add_digest, &of_rows);
	(void) cat_points_take(asked, &everywhere, add_digest, &stored);
	cat_owner_call_end();
	PG_RETURN_BOOL(of_rows == stored);
}
