/*
 * map_tile_encode.c
 *	  Points as a Mapbox Vector Tile 2.1, a message of Protocol Buffers.
 *
 * The layer "points" has a feature for each point, whose id is the number of its row, or for the
 * points of a cell of a grid.  Property "count" is the number of points, "class" the class that they have
 * in common.
 */
#include "catalogue.h"

#include <math.h>

#include "rows/visuals/map_tile.h"

#define EXTENT (1 << TILE_BITS) /* units of a tile's side */

/* Types of fields of a message. */
#define VARINT 0
#define BYTES 2

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

/* Return where a share of the way from 0 to 1 is in a tile, in its units; false if it is in another one. */
static bool
find_position(double share, const MapTile *tile, uint32 number, uint32 *position)
{
	double at = (share * (double) (UINT64CONST(1) << tile->zoom) - number) * EXTENT;

	*position = (uint32) Max(at, 0);
	return at >= 0 && at < EXTENT;
}

/* Return the latitude at a share of the way from north to south. */
static double
latitude_at(double share)
{
	return atan(sinh(M_PI * (1 - 2 * share))) * 180 / M_PI;
}

Bounds
cat_map_tile_encode_bounds(const MapTile *tile)
{
	double tiles = (double) (UINT64CONST(1) << tile->zoom);

	return (Bounds){.west = tile->x / tiles * 360 - 180,
					.south = latitude_at((tile->y + 1) / tiles),
					.east = (tile->x + 1) / tiles * 360 - 180,
					.north = latitude_at(tile->y / tiles)};
}

/* Add a point to a feature. */
static void
add_point(TileFeature *feature, int32 row, uint8 class, uint32 x, uint32 y)
{
	feature->class = feature->count == 0 || feature->class == class ? class : 0;
	feature->count++;
	feature->row = row;
	feature->x += x;
	feature->y += y;
}

void
cat_map_tile_encode_point(void *data, int64 row, double longitude, double latitude)
{
	const int shift = TILE_BITS - TILE_GRID_BITS;
	TilePoints *points = data;
	uint8 class;
	uint32 x;
	uint32 y;

	if (!find_position(cat_bounds_mercator_x(longitude), &points->tile, points->tile.x, &x) ||
		!find_position(cat_bounds_mercator_y(latitude), &points->tile, points->tile.y, &y))
		return;
	class = points->class_of ? points->class_of(points->classes, row) : 0;
	add_point(&points->cells[(y >> shift) << TILE_GRID_BITS | x >> shift], (int32) row, class, x,
			  y);
	if (points->count++ < TILE_SINGLES)
		add_point(&points->singles[points->count - 1], (int32) row, class, x, y);
}

void
cat_map_tile_encode_cell(void *data, const PointCell *cell)
{
	const int shift = TILE_BITS - TILE_GRID_BITS;
	TilePoints *points = data;
	TileFeature *feature = &points->cells[cell->y << TILE_GRID_BITS | cell->x];

	feature->count += (uint32) cell->count;
	feature->row = cell->row;
	feature->x += ((uint64) cell->x << shift) * (uint64) cell->count + (uint64) cell->east;
	feature->y += ((uint64) cell->y << shift) * (uint64) cell->count + (uint64) cell->south;
	points->count += (int) cell->count;
}

/* Return the features: the points, or if there are too many the cells that have some. */
static TileFeatures
features_of(TilePoints *points)
{
	TileFeatures features = {points->singles, points->count};

	if (points->count <= TILE_SINGLES)
		return features;
	features = (TileFeatures){points->cells, 0};
	for (int i = 0; i < TILE_CELLS; i++)
		if (points->cells[i].count > 0)
			points->cells[features.count++] = points->cells[i];
	return features;
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

/* Append a feature: its id, the properties, the type, and a command to move to the point.  classes: the number of the
 * first class among the values. */
static void
append_feature(StringInfo out, StringInfo feature, const TileFeature *one, int classes)
{
	char bytes[48];
	StringInfoData part = {.data = bytes, .maxlen = sizeof(bytes)};

	resetStringInfo(feature);
	if (one->count == 1 && one->row > 0)
		append_number(feature, 1, (uint64) one->row);
	append_varint(&part, 0);
	append_varint(&part, (uint64) one->value);
	if (one->class > 0)
	{
		append_varint(&part, 1);
		append_varint(&part, (uint64) (classes + one->class - 1));
	}
	append_bytes(feature, 2, part.data, part.len);
	append_number(feature, 3, 1);
	resetStringInfo(&part);
	append_varint(&part, 1 << 3 | 1);
	append_varint(&part, zigzag(one->x / one->count));
	append_varint(&part, zigzag(one->y / one->count));
	append_bytes(feature, 4, part.data, part.len);
	append_bytes(out, 2, feature->data, feature->len);
}

/* Append a value: field 4 is an integer, 5 one without a sign, so that counts and classes are no values twice. */
static void
append_value(StringInfo out, int field, uint64 number)
{
	char bytes[16];
	StringInfoData value = {.data = bytes, .maxlen = sizeof(bytes)};

	resetStringInfo(&value);
	append_number(&value, field, number);
	append_bytes(out, 4, value.data, value.len);
}

/* Append the counts, each once, and then the classes: features refer to them by number. */
static void
append_values(StringInfo out, const TileFeatures *features)
{
	int most = 0;

	for (int i = 0; i < features->count; i++)
	{
		most = Max(most, features->list[i].class);
		if (i == 0 || features->list[i].value != features->list[i - 1].value)
			append_value(out, 5, features->list[i].count);
	}
	for (int number = 1; number <= most; number++)
		append_value(out, 4, (uint64) number);
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
cat_map_tile_encode(StringInfo out, TilePoints *points)
{
	static const char name[] = "points";
	static const char *const keys[] = {"count", "class"};
	TileFeatures features = features_of(points);
	StringInfoData layer;
	StringInfoData feature;

	if (features.count == 0)
		return;
	number_values(&features);
	initStringInfo(&layer);
	initStringInfo(&feature);
	append_number(&layer, 15, 2);
	append_bytes(&layer, 1, name, (int) strlen(name));
	for (int i = 0; i < features.count; i++)
		append_feature(&layer, &feature, &features.list[i],
					   features.list[features.count - 1].value + 1);
	for (size_t i = 0; i < (points->class_of ? lengthof(keys) : 1); i++)
		append_bytes(&layer, 3, keys[i], (int) strlen(keys[i]));
	append_values(&layer, &features);
	append_number(&layer, 5, EXTENT);
	append_bytes(out, 3, layer.data, layer.len);
	pfree(layer.data);
	pfree(feature.data);
}
