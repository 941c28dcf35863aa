/*
 * map_tile_encode.c
 *	  Points as a Mapbox Vector Tile 2.1, a message of Protocol Buffers.
 *
 * The layer "points" has a feature for each point, whose id is the number of its row, or for the
 * points of a cell of a grid.  Property "count" is the number of points.
 */
#include "catalogue.h"

#include <math.h>

#include "rows/visuals/map_index.h"

#define EXTENT 4096 /* units of a tile's side */
#define EXTENT_BITS 12
#define GRID_BITS 6 /* of the number of a cell, along each side */
#define CELLS (1 << (2 * GRID_BITS))

/* Types of fields of a message. */
#define VARINT 0
#define BYTES 2

/* A feature of a tile. */
typedef struct TileFeature
{
	uint32 count; /* of points */
	int32 row;	  /* of the only one */
	uint64 x;	  /* sum of their positions, in units of the tile */
	uint64 y;
	int value; /* number of the count among the values */
} TileFeature;

/* What is put together. */
typedef struct TileFeatures
{
	TileFeature *list;
	int count;
} TileFeatures;

static void
append_varint(StringInfo out, uint64 number)
{
	for (; number >= 0x80; number >>= 7)
		appendStringInfoCharMacro(out, (char) (number | 0x80));
	appendStringInfoCharMacro(out, (char) number);
}

static void
append_number(StringInfo out, int field, uint64 number)
{
	append_varint(out, (uint64) field << 3 | VARINT);
	append_varint(out, number);
}

static void
append_bytes(StringInfo out, int field, const char *bytes, int length)
{
	append_varint(out, (uint64) field << 3 | BYTES);
	append_varint(out, (uint64) length);
	appendBinaryStringInfo(out, bytes, length);
}

/* Return the bits of a Morton code that belong to one axis. */
static uint32
gather(uint64 code)
{
	static const uint64 masks[] = {UINT64CONST(0x3333333333333333), UINT64CONST(0x0F0F0F0F0F0F0F0F),
								   UINT64CONST(0x00FF00FF00FF00FF), UINT64CONST(0x0000FFFF0000FFFF),
								   UINT64CONST(0x00000000FFFFFFFF)};
	uint64 bits = code & UINT64CONST(0x5555555555555555);

	for (int i = 0; i < (int) lengthof(masks); i++)
		bits = (bits | bits >> (1 << i)) & masks[i];
	return (uint32) bits;
}

/* Find the position of a point in the tile; false if it is in another one. */
static bool
find_position(const MapTile *tile, const MapPoint *point, uint32 *x, uint32 *y)
{
	uint64 left = (uint64) gather(point->code) << tile->zoom;
	uint64 top = (uint64) gather(point->code >> 1) << tile->zoom;

	if (left >> 32 != tile->x || top >> 32 != tile->y || fabs(point->latitude) > MAP_MERCATOR_LIMIT)
		return false;
	*x = (uint32) left >> (32 - EXTENT_BITS);
	*y = (uint32) top >> (32 - EXTENT_BITS);
	return true;
}

/* Add a point to a feature. */
static void
add_point(TileFeature *feature, const MapPoint *point, uint32 x, uint32 y)
{
	feature->count++;
	feature->row = point->row;
	feature->x += x;
	feature->y += y;
}

/* Make a feature of each point in the tile. */
static void
take_singles(TileFeatures *features, const MapTile *tile, const MapPoint *list, int count)
{
	uint32 x;
	uint32 y;

	features->list = palloc0(sizeof(TileFeature) * Max(count, 1));
	for (int i = 0; i < count; i++)
		if (find_position(tile, &list[i], &x, &y))
			add_point(&features->list[features->count++], &list[i], x, y);
}

/* Make a feature of the points in each cell of the tile. */
static void
take_cells(TileFeatures *features, const MapTile *tile, const MapPoint *list, int count)
{
	const int shift = EXTENT_BITS - GRID_BITS;
	uint32 x;
	uint32 y;

	features->list = palloc0(sizeof(TileFeature) * CELLS);
	for (int i = 0; i < count; i++)
		if (find_position(tile, &list[i], &x, &y))
			add_point(&features->list[(y >> shift) << GRID_BITS | x >> shift], &list[i], x, y);
	for (int i = 0; i < CELLS; i++)
		if (features->list[i].count > 0)
			features->list[features->count++] = features->list[i];
}

static int
compare_counts(const void *left, const void *right)
{
	uint32 one = ((const TileFeature *) left)->count;
	uint32 other = ((const TileFeature *) right)->count;

	return one < other ? -1 : one > other;
}

/* Return a coordinate as Protocol Buffers have numbers with a sign. */
static uint64
zigzag(uint64 position)
{
	return position << 1;
}

/* Append a feature: its id, the property, the type, and a command to move to the point. */
static void
append_feature(StringInfo out, StringInfo feature, const TileFeature *one)
{
	char bytes[32];
	StringInfoData part = {.data = bytes, .maxlen = sizeof(bytes)};

	resetStringInfo(feature);
	if (one->count == 1 && one->row > 0)
		append_number(feature, 1, (uint64) one->row);
	append_varint(&part, 0);
	append_varint(&part, (uint64) one->value);
	append_bytes(feature, 2, part.data, part.len);
	append_number(feature, 3, 1);
	resetStringInfo(&part);
	append_varint(&part, 1 << 3 | 1);
	append_varint(&part, zigzag(one->x / one->count));
	append_varint(&part, zigzag(one->y / one->count));
	append_bytes(feature, 4, part.data, part.len);
	append_bytes(out, 2, feature->data, feature->len);
}

/* Append the counts, each once: they are the values that features refer to by number. */
static void
append_values(StringInfo out, const TileFeatures *features)
{
	char bytes[16];
	StringInfoData value = {.data = bytes, .maxlen = sizeof(bytes)};

	for (int i = 0; i < features->count; i++)
	{
		if (i > 0 && features->list[i].value == features->list[i - 1].value)
			continue;
		resetStringInfo(&value);
		append_number(&value, 5, features->list[i].count);
		append_bytes(out, 4, value.data, value.len);
	}
}

/* Number the counts of the features, which are put in the order of these. */
static void
number_values(TileFeatures *features)
{
	qsort(features->list, features->count, sizeof(TileFeature), compare_counts);
	for (int i = 1; i < features->count; i++)
		features->list[i].value =
			features->list[i - 1].value + (features->list[i].count != features->list[i - 1].count);
}

void
cat_map_tile_encode(StringInfo out, const MapTile *tile, const MapPoint *list, int count)
{
	static const char name[] = "points";
	static const char key[] = "count";
	TileFeatures features = {0};
	StringInfoData layer;
	StringInfoData feature;

	if (count > MAP_TILE_SINGLE)
		take_cells(&features, tile, list, count);
	else
		take_singles(&features, tile, list, count);
	if (features.count == 0)
		return;
	number_values(&features);
	initStringInfo(&layer);
	initStringInfo(&feature);
	append_number(&layer, 15, 2);
	append_bytes(&layer, 1, name, (int) strlen(name));
	for (int i = 0; i < features.count; i++)
		append_feature(&layer, &feature, &features.list[i]);
	append_bytes(&layer, 3, key, (int) strlen(key));
	append_values(&layer, &features);
	append_number(&layer, 5, EXTENT);
	append_bytes(out, 3, layer.data, layer.len);
	pfree(layer.data);
	pfree(feature.data);
	pfree(features.list);
}
