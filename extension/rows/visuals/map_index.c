/*
 * map_index.c
 *	  Points of a map are stored in the order of their place, and read by it.
 */
#include "catalogue.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "miscadmin.h"

#include "pg/pg.h"
#include "rows/visuals/map_index.h"

MapPoint *
cat_map_index_add(MapPoints *points)
{
	if (points->count == points->room)
	{
		points->room = Max(1024, points->room * 2);
		points->list = points->list ? repalloc_huge(points->list, sizeof(MapPoint) * points->room)
									: palloc(sizeof(MapPoint) * points->room);
	}
	return &points->list[points->count++];
}

void
cat_map_index_clear(const char *map)
{
	cat_statement_fresh("DELETE FROM catalogue.map_chunk WHERE map = $1", text_param(map));
	cat_statement_fresh("DELETE FROM catalogue.map_tile WHERE map = $1", text_param(map));
}

/* Return a share of the way from 0 to 1 as an integer of 32 bits. */
static uint32
share(double part)
{
	return part <= 0 ? 0 : part >= 1 ? PG_UINT32_MAX : (uint32) (part * 4294967296.0);
}

/* Return the bits of a number with a zero bit before each. */
static uint64
spread(uint32 number)
{
	static const uint64 masks[] = {UINT64CONST(0x0000FFFF0000FFFF), UINT64CONST(0x00FF00FF00FF00FF),
								   UINT64CONST(0x0F0F0F0F0F0F0F0F), UINT64CONST(0x3333333333333333),
								   UINT64CONST(0x5555555555555555)};
	uint64 bits = number;

	for (int i = 0; i < (int) lengthof(masks); i++)
		bits = (bits | bits << (16 >> i)) & masks[i];
	return bits;
}

uint64
cat_map_index_code(double longitude, double latitude)
{
	double limited = Max(-MAP_MERCATOR_LIMIT, Min(MAP_MERCATOR_LIMIT, latitude));
	double north = asinh(tan(limited * M_PI / 180)) / M_PI;

	return spread(share((longitude + 180) / 360)) | spread(share((1 - north) / 2)) << 1;
}

static int
compare_codes(const void *left, const void *right)
{
	uint64 one = ((const MapPoint *) left)->code;
	uint64 other = ((const MapPoint *) right)->code;

	return one < other ? -1 : one > other;
}

/* Return the bytes as bytea, and empty the buffer. */
static Datum
take_bytes(StringInfo bytes)
{
	Datum value = PointerGetDatum(cstring_to_text_with_len(bytes->data, bytes->len));

	resetStringInfo(bytes);
	return value;
}

/* Store a chunk of points. */
static void
write_chunk(Datum map, int number, const MapPoint *list, int count)
{
	Bounds bounds = {list->longitude, list->latitude, list->longitude, list->latitude};
	StringInfoData points;
	StringInfoData features;
	Datum stored[2];

	initStringInfo(&points);
	initStringInfo(&features);
	for (int i = 0; i < count; i++)
	{
		const MapPoint *point = &list[i];

		cat_bounds_extend(&bounds, point->longitude, point->latitude);
		pq_sendfloat8(&points, point->longitude);
		pq_sendfloat8(&points, point->latitude);
		pq_sendint32(&points, (uint32) point->row);
		pq_sendint32(&points, (uint32) point->length);
		appendBinaryStringInfo(&features, point->feature, point->length);
	}
	stored[0] = take_bytes(&points);
	stored[1] = take_bytes(&features);
	cat_statement_fresh("INSERT INTO catalogue.map_chunk "
						"(map, number, west, south, east, north, points, features) "
						"VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
						datum_param(TEXTOID, map), int4_param(number), float8_param(bounds.west),
						float8_param(bounds.south), float8_param(bounds.east),
						float8_param(bounds.north), datum_param(BYTEAOID, stored[0]),
						datum_param(BYTEAOID, stored[1]));
	pfree(points.data);
	pfree(features.data);
	pfree(DatumGetPointer(stored[0]));
	pfree(DatumGetPointer(stored[1]));
}

void
cat_map_index_write(const char *map, MapPoints *points)
{
	Datum id = CStringGetTextDatum(map);
	int number = 0;

	for (int i = 0; i < points->count; i++)
		points->list[i].code =
			cat_map_index_code(points->list[i].longitude, points->list[i].latitude);
	qsort(points->list, points->count, sizeof(MapPoint), compare_codes);
	for (int at = 0; at < points->count; at += MAP_CHUNK_POINTS)
		write_chunk(id, ++number, points->list + at, Min(MAP_CHUNK_POINTS, points->count - at));
}

#define POINT_BYTES 24 /* of a point in a chunk */

pg_noreturn static void
refuse_chunk(void)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("stored points of a map are invalid")));
}

/* Append the points of a chunk that are in the bounds.  text: their features, NULL: not read. */
static void
read_chunk(bytea *data, const bytea *text, const Bounds *bounds, MapPoints *points)
{
	StringInfoData places = {.data = VARDATA_ANY(data), .len = VARSIZE_ANY_EXHDR(data)};
	const char *feature = text ? VARDATA_ANY(text) : NULL;
	const char *last = text ? feature + VARSIZE_ANY_EXHDR(text) : NULL;

	if (places.len % POINT_BYTES != 0)
		refuse_chunk();
	while (places.cursor < places.len)
	{
		double longitude = pq_getmsgfloat8(&places);
		double latitude = pq_getmsgfloat8(&places);
		int32 row = (int32) pq_getmsgint(&places, 4);
		int32 length = (int32) pq_getmsgint(&places, 4);

		if (length < 0 || (text && length > last - feature))
			refuse_chunk();
		if (cat_bounds_has(bounds, longitude, latitude))
			*cat_map_index_add(points) = (MapPoint){longitude, latitude, row, length, feature, 0};
		if (text)
			feature += length;
	}
	if (feature != last)
		refuse_chunk();
}

static int
compare_rows(const void *left, const void *right)
{
	return ((const MapPoint *) left)->row - ((const MapPoint *) right)->row;
}

/* Condition on a chunk: it has points in the bounds, which are parameters 2 to 5. */
#define CHUNKS_IN_BOUNDS                                                       \
	"FROM catalogue.map_chunk WHERE map = $1 AND north >= $3 AND south <= $5 " \
	"AND CASE WHEN $2 <= $4 THEN east >= $2 AND west <= $4 ELSE east >= $2 OR west <= $4 END"

/* Read the points that a statement finds: their places and, if it has another column, features. */
static bool
read_points(const char *sql, const char *map, const Bounds *bounds, MapPoints *points)
{
	SPITupleTable *table;
	uint64 count;

	cat_statement_read(sql, text_param(map), float8_param(bounds->west),
					   float8_param(bounds->south), float8_param(bounds->east),
					   float8_param(bounds->north));
	table = SPI_tuptable;
	count = SPI_processed;
	if (count == 0)
	{
		cat_statement_read("SELECT FROM catalogue.map_chunk WHERE map = $1 LIMIT 1",
						   text_param(map));
		return SPI_processed > 0;
	}
	for (uint64 i = 0; i < count; i++)
	{
		bool isnull;
		Datum data = SPI_getbinval(table->vals[i], table->tupdesc, 1, &isnull);
		Datum text = table->tupdesc->natts > 1
						 ? SPI_getbinval(table->vals[i], table->tupdesc, 2, &isnull)
						 : 0;

		CHECK_FOR_INTERRUPTS();
		read_chunk(DatumGetByteaPP(data), text ? DatumGetByteaPP(text) : NULL, bounds, points);
	}
	return true;
}

bool
cat_map_index_read(const char *map, const Bounds *bounds, MapPoints *points)
{
	if (!read_points("SELECT points, features " CHUNKS_IN_BOUNDS, map, bounds, points))
		return false;
	qsort(points->list, points->count, sizeof(MapPoint), compare_rows);
	return true;
}

bool
cat_map_index_read_places(const char *map, const Bounds *bounds, MapPoints *points)
{
	return read_points("SELECT points " CHUNKS_IN_BOUNDS, map, bounds, points);
}
