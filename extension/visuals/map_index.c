/*
 * map_index.c
 *	  Points of a map are stored in the order of their place.
 */
#include "catalogue.h"

#include <math.h>

#include "port/pg_bswap.h"

#include "pg/pg.h"
#include "visuals/map_index.h"

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

static void
append_double(StringInfo out, double number)
{
	uint64 bits;

	memcpy(&bits, &number, sizeof(bits));
	bits = pg_hton64(bits);
	appendBinaryStringInfo(out, (const char *) &bits, sizeof(bits));
}

static void
append_int(StringInfo out, int32 number)
{
	uint32 bits = pg_hton32((uint32) number);

	appendBinaryStringInfo(out, (const char *) &bits, sizeof(bits));
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
	MapBounds bounds = {list->longitude, list->latitude, list->longitude, list->latitude};
	StringInfoData points;
	StringInfoData features;
	Datum stored[2];

	initStringInfo(&points);
	initStringInfo(&features);
	for (int i = 0; i < count; i++)
	{
		const MapPoint *point = &list[i];

		bounds.west = Min(bounds.west, point->longitude);
		bounds.east = Max(bounds.east, point->longitude);
		bounds.south = Min(bounds.south, point->latitude);
		bounds.north = Max(bounds.north, point->latitude);
		append_double(&points, point->longitude);
		append_double(&points, point->latitude);
		append_int(&points, point->row);
		append_int(&points, point->length);
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
