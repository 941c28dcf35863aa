/*
 * map_tile.c
 *	  Vector tiles of a map; those with many points are stored.
 */
#include "catalogue.h"

#include <math.h>

#include "miscadmin.h"

#include "pg/pg.h"
#include "rows/visuals/map_index.h"
#include "rows/visuals/visuals_internal.h"

/* Added to the bounds of a tile, in degrees, for rounding. */
#define MARGIN 1e-9

/* Read a number of digits alone up to a limit; return what follows, NULL if it is none. */
static const char *
read_number(const char *text, uint32 most, uint32 *number)
{
	uint64 read = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9' && read <= most; at++)
		read = read * 10 + (uint64) (*at - '0');
	*number = (uint32) read;
	return at > text && read <= most ? at : NULL;
}

/* Read z/x/y, with .mvt behind it or not.  Raises OD400 if there is no such tile. */
static void
read_tile(MapTile *tile, const char *text)
{
	uint32 zoom;
	const char *at = read_number(text, MAP_TILE_ZOOM, &zoom);
	uint32 most = at ? (UINT32_C(1) << zoom) - 1 : 0;

	at = at && *at == '/' ? read_number(at + 1, most, &tile->x) : NULL;
	at = at && *at == '/' ? read_number(at + 1, most, &tile->y) : NULL;
	if (!at || (*at != '\0' && strcmp(at, ".mvt") != 0))
		ereport(ERROR,
				(errcode(OD400), errmsg("there is no tile \"%s\"", text),
				 errhint("A tile is zoom/x/y.mvt, zoom from 0 to %d, x and y from 0 to less than 2 "
						 "to the power of zoom.",
						 MAP_TILE_ZOOM)));
	tile->zoom = (int) zoom;
}

/* Return the latitude of a line between tiles, by its share of the way from the north. */
static double
latitude_of(double share)
{
	return atan(sinh(M_PI * (1 - 2 * share))) * 180 / M_PI;
}

/* Return the rectangle of a tile. */
static Bounds
bounds_of(const MapTile *tile)
{
	double tiles = (double) (UINT64CONST(1) << tile->zoom);

	return (Bounds){.west = tile->x / tiles * 360 - 180 - MARGIN,
					.south = latitude_of((tile->y + 1) / tiles) - MARGIN,
					.east = (tile->x + 1) / tiles * 360 - 180 + MARGIN,
					.north = latitude_of(tile->y / tiles) + MARGIN};
}

/* Append the tile as it is stored; false if it is not. */
static bool
append_stored(StringInfo out, const char *map, const MapTile *tile)
{
	const bytea *data;
	bool isnull;

	cat_statement_read("SELECT data FROM catalogue.map_tile WHERE map = $1 AND zoom = $2 "
					   "AND x = $3 AND y = $4",
					   text_param(map), int4_param(tile->zoom), int4_param((int32) tile->x),
					   int4_param((int32) tile->y));
	if (SPI_processed == 0)
		return false;
	data = DatumGetByteaPP(cat_result_datum(1, &isnull));
	appendBinaryStringInfo(out, VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data));
	return true;
}

/* Append the tile made from the given points. */
static void
append_points(StringInfo out, const MapTile *tile, MapPoints *points)
{
	for (int i = 0; i < points->count; i++)
		points->list[i].code =
			cat_map_index_code(points->list[i].longitude, points->list[i].latitude);
	cat_map_tile_encode(out, tile, points->list, points->count);
}

/*
 * Append the tile of a map whose points are not stored: of an earlier state, or written by a client.
 * Raises OD409 if it has none.
 */
static void
append_from_record(StringInfo out, VisualRead *read, const MapTile *tile)
{
	static const char *const fields[] = {"geojson", NULL};
	MapPoints points = {0};

	cat_map_geojson_points(cat_map_geojson_fields(read, fields)[0], &points);
	append_points(out, tile, &points);
}

static void
append_tile(StringInfo out, VisualRead *read, const MapTile *tile)
{
	static const char *const fields[] = {"correct", NULL};
	bool made = cat_visual_read_fields(read, fields)[0] != NULL && !read->call.plan.params->then;
	Bounds bounds = bounds_of(tile);
	MapPoints points = {0};

	if (made && append_stored(out, read->call.reply.id, tile))
		return;
	if (made && cat_map_index_read_places(read->call.reply.id, &bounds, &points))
		append_points(out, tile, &points);
	else
		append_from_record(out, read, tile);
}

/* Return bytes as base64url text. */
static StringInfo
base64url(const StringInfoData *bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	StringInfo text = makeStringInfo();

	enlargeStringInfo(text, bytes->len / 3 * 4 + 4);
	for (int i = 0; i < bytes->len; i += 3)
	{
		int left = Min(bytes->len - i, 3);
		uint32 group = 0;

		for (int j = 0; j < 3; j++)
			group = group << 8 | (j < left ? (uint8) bytes->data[i + j] : 0);
		for (int j = 0; j <= left; j++)
			appendStringInfoCharMacro(text, digits[group >> (18 - 6 * j) & 0x3F]);
	}
	return text;
}

/* Return a tile as base64url text; nothing if it has no points. */
CAT_FUNCTION(catalogue_map_tile)
{
	VisualRead read;
	MapTile tile;
	StringInfoData bytes;

	cat_visual_read_begin(&read, fcinfo, &args_map_tile, NULL);
	read_tile(&tile, cat_call_reply_required(fcinfo, ARG_MAP_TILE_TILE));
	initStringInfo(&bytes);
	append_tile(&bytes, &read, &tile);
	if (!read.known)
		read.call.reply.data = base64url(&bytes);
	return cat_read_end(&read.call, fcinfo);
}

/* The tiles of a map that are being written. */
typedef struct TileWrite
{
	Datum map;
	const MapPoint *list;
	StringInfoData bytes;
} TileWrite;

static void
store_tile(TileWrite *write, const MapTile *tile, int first, int last)
{
	text *bytes;

	resetStringInfo(&write->bytes);
	cat_map_tile_encode(&write->bytes, tile, write->list + first, last - first);
	bytes = cstring_to_text_with_len(write->bytes.data, write->bytes.len);
	cat_statement_fresh("INSERT INTO catalogue.map_tile (map, zoom, x, y, data) "
						"VALUES ($1, $2, $3, $4, $5)",
						datum_param(TEXTOID, write->map), int4_param(tile->zoom),
						int4_param((int32) tile->x), int4_param((int32) tile->y),
						datum_param(BYTEAOID, PointerGetDatum(bytes)));
	pfree(bytes);
}

/* Return the number of the first point, from the given ones, whose code is not less. */
static int
first_from(const MapPoint *list, int first, int last, uint64 code)
{
	while (first < last)
	{
		int middle = first + (last - first) / 2;

		if (list[middle].code < code)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

/* Store a tile, whose points are given, and those in it, as far as they have many points. */
static void
store_tiles(TileWrite *write, const MapTile *tile, int first, int last,
			uint64 code) /* NOLINT(misc-no-recursion): up to MAP_TILE_ZOOM */
{
	CHECK_FOR_INTERRUPTS();
	if (last - first <= MAP_TILE_STORED)
		return;
	store_tile(write, tile, first, last);
	if (tile->zoom == MAP_TILE_ZOOM)
		return;
	for (uint32 part = 0; part < 4; part++)
	{
		MapTile inner = {tile->zoom + 1, tile->x << 1 | (part & 1), tile->y << 1 | part >> 1};
		uint64 size = UINT64CONST(1) << (64 - 2 * inner.zoom);
		uint64 begin = code + part * size;
		int from = first_from(write->list, first, last, begin);
		int to = part == 3 ? last : first_from(write->list, from, last, begin + size);

		store_tiles(write, &inner, from, to, begin);
	}
}

void
cat_map_tile_write(const char *map, const MapPoints *points)
{
	TileWrite write = {.map = CStringGetTextDatum(map), .list = points->list};
	const MapTile whole = {0, 0, 0};

	initStringInfo(&write.bytes);
	store_tiles(&write, &whole, 0, points->count, 0);
}
