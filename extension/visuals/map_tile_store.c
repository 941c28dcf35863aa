/*
 * map_tile_store.c
 *	  Tiles with many points, which are stored with the points of a map.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "pg/pg.h"
#include "visuals/map_index.h"

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

bytea *
cat_map_tile_read(const char *map, const MapTile *tile)
{
	bool isnull;

	cat_statement_read("SELECT data FROM catalogue.map_tile WHERE map = $1 AND zoom = $2 "
					   "AND x = $3 AND y = $4",
					   text_param(map), int4_param(tile->zoom), int4_param((int32) tile->x),
					   int4_param((int32) tile->y));
	return SPI_processed == 0 ? NULL
							  : DatumGetByteaPP(SPI_getbinval(SPI_tuptable->vals[0],
															  SPI_tuptable->tupdesc, 1, &isnull));
}
