/*
 * map_tile.c
 *	  Vector tiles of a map, made of the rows of its file.
 */
#include "catalogue.h"

#include <math.h>

#include "miscadmin.h"

#include "pg/pg.h"
#include "rows/visuals/map_classes.h"
#include "rows/visuals/map_tile.h"
#include "rows/visuals/visuals_internal.h"

#define TILE_BYTES 500000 /* of a tile with lines and areas, at most */

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
	const char *at = read_number(text, TILE_ZOOM, &zoom);
	uint32 most = at ? (UINT32_C(1) << zoom) - 1 : 0;

	at = at && *at == '/' ? read_number(at + 1, most, &tile->x) : NULL;
	at = at && *at == '/' ? read_number(at + 1, most, &tile->y) : NULL;
	if (!at || (*at != '\0' && strcmp(at, ".mvt") != 0))
		ereport(ERROR,
				(errcode(OD400), errmsg("there is no tile \"%s\"", text),
				 errhint("A tile is zoom/x/y.mvt, zoom from 0 to %d, x and y from 0 to less than 2 "
						 "to the power of zoom.",
						 TILE_ZOOM)));
	tile->zoom = (int) zoom;
}

/* Return a tile without points. */
static TilePoints *
begin_points(const MapTile *tile)
{
	TilePoints *points = palloc0(sizeof(TilePoints));

	points->tile = *tile;
	return points;
}

/*
 * Append the tile of a map whose rows are not there: of an earlier state, or written by a client.
 * Raises OD409 if it has none.
 */
static void
append_from_record(StringInfo out, VisualRead *read, const MapTile *tile)
{
	static const char *const fields[] = {"geojson", NULL};
	TilePoints *points = begin_points(tile);
	bool isnull;

	cat_statement_read(
		"SELECT p.row::bigint, p.longitude, p.latitude FROM catalogue.geojson_points($1::json) p "
		"WHERE p.longitude IS NOT NULL AND p.latitude IS NOT NULL",
		text_param(cat_map_geojson_fields(read, fields)[0]));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple tuple = SPI_tuptable->vals[i];
		TupleDesc desc = SPI_tuptable->tupdesc;

		cat_map_tile_encode_point(points, DatumGetInt64(SPI_getbinval(tuple, desc, 1, &isnull)),
								  DatumGetFloat8(SPI_getbinval(tuple, desc, 2, &isnull)),
								  DatumGetFloat8(SPI_getbinval(tuple, desc, 3, &isnull)));
	}
	cat_map_tile_encode(out, points);
}

/* Return the classes of the rows, a byte each; none without a legend. */
static Datum
classes_of(const SheetQuery *asked, const MapLegend *legend)
{
	Size rows = legend ? (Size) asked->sheet->rows : 0;
	bytea *classes = palloc(VARHDRSZ + rows);
	ChunkScan scan;

	SET_VARSIZE(classes, VARHDRSZ + rows);
	cat_sheet_scan_open(&scan, asked->sheet, 1);
	while (rows > 0 && cat_sheet_scan_next(&scan))
		for (int row = 0; row < scan.chunk.rows; row++)
			VARDATA(classes)
	[scan.chunk.first + row - 1] = (char) cat_map_classes_of(legend, asked, &scan, row);
	return PointerGetDatum(classes);
}

/* Where the classes of points are from. */
typedef struct PointClasses
{
	MemoryContext memory;
	const SheetQuery *asked;
	const MapLegend *legend;
	ChunkScan scan;
	const char
		*all; /* of the rows, from the first one; NULL: as long as the points are in their order */
} PointClasses;

/* Return the class of the row of a point, as TilePoints.class_of. */
static uint8
class_of(void *data, int64 row)
{
	PointClasses *classes = data;
	ChunkScan *scan = &classes->scan;

	if (!classes->all && scan->open && row < scan->chunk.first)
	{
		MemoryContext old = MemoryContextSwitchTo(classes->memory);

		classes->all = VARDATA(DatumGetPointer(classes_of(classes->asked, classes->legend)));
		MemoryContextSwitchTo(old);
	}
	if (classes->all)
		return (uint8) classes->all[row - 1];
	cat_sheet_scan_at(scan, row);
	return (uint8) cat_map_classes_of(classes->legend, classes->asked, scan,
									  (int) (row - scan->chunk.first));
}

/* Append the tile of a sheet of points. */
static void
append_from_points(StringInfo out, const SheetQuery *asked, const MapLegend *legend,
				   const MapTile *tile)
{
	PointClasses classes = {.memory = CurrentMemoryContext, .asked = asked, .legend = legend};
	TilePoints *points = begin_points(tile);
	const Bounds bounds = cat_map_tile_encode_bounds(tile);

	if (legend)
	{
		cat_sheet_scan_open(&classes.scan, asked->sheet, 1);
		points->class_of = class_of;
		points->classes = &classes;
	}
	else
		(void) cat_points_cells(asked, tile->zoom, tile->x, tile->y, cat_map_tile_encode_cell,
								points);
	if (points->count <= TILE_SINGLES)
	{
		memset(points->cells, 0, sizeof(points->cells));
		points->count = 0;
		cat_places_points(asked, &bounds, cat_map_tile_encode_point, points);
	}
	cat_map_tile_encode(out, points);
}

/* What is told of a tile of which more is left out with each step, as a member of meta. */
static const char *const told[] = {
	NULL,
	"lines and areas have fewer corners, since the tile would be longer than 500 kB",
	"lines and areas have fewer corners, since the tile would be longer than 500 kB",
	"lines and areas have fewer corners, and the smaller ones are points, since the tile would be "
	"longer than 500 kB",
};

/*
 * Append the tile of a sheet of other geometries, which PostGIS makes, of the first step that is short enough; the last
 * one always is.  places: the sheet that has them.  Returns the step.
 */
static size_t
append_from_shapes(StringInfo out, const SheetQuery *asked, const SheetQuery *places,
				   const MapLegend *legend, const MapTile *tile)
{
	Datum classes = classes_of(asked, legend);
	const bytea *data = NULL;
	size_t step = 0;
	bool isnull;

	cat_places_require_shapes(places);
	for (; step < lengthof(told) && (!data || VARSIZE_ANY_EXHDR(data) > TILE_BYTES); step++)
	{
		cat_statement_read("SELECT catalogue.shape_tile($1, $2, $3, $4, $5, $6, $7)",
						   int8_param(places->sheet->id), int4_param(tile->zoom),
						   int4_param((int32) tile->x), int4_param((int32) tile->y),
						   datum_param(BYTEAOID, classes),
						   asked->outlines ? datum_param(INT4ARRAYOID, cat_outlines_rows(asked))
										   : null_param(INT4ARRAYOID),
						   int4_param((int32) step));
		data = DatumGetByteaPP(cat_result_datum(1, &isnull));
	}
	appendBinaryStringInfo(out, VARDATA_ANY(data), (int) VARSIZE_ANY_EXHDR(data));
	return step - 1;
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

/* A tile that is asked for. */
typedef struct TileRead
{
	VisualRead visual;
	MapTile tile;
} TileRead;

/* Make the tile, as cat_read_page() asks for. */
static void
read_page(ReadCall *call, void *asked)
{
	TileRead *read = asked;
	const SheetQuery *rows = cat_map_rows_ask(&read->visual);
	const SheetQuery *places = rows && rows->outlines ? cat_outlines_shapes(rows) : rows;
	StringInfoData bytes;
	size_t step = 0;

	initStringInfo(&bytes);
	if (!rows)
		append_from_record(&bytes, &read->visual, &read->tile);
	else if (places->coordinates[GEOMETRY] < 0)
		append_from_points(&bytes, rows, cat_map_rows_legend(&read->visual), &read->tile);
	else
		step = append_from_shapes(&bytes, rows, places, cat_map_rows_legend(&read->visual),
								  &read->tile);
	call->reply.meta = step > 0 ? psprintf("\"notes\":[%s]", cat_json_quoted(told[step])) : NULL;
	call->reply.data = base64url(&bytes);
}

/* Return a tile as base64url text; nothing if it has no places. */
CAT_FUNCTION(catalogue_map_tile)
{
	TileRead read;
	const MapTile *tile = &read.tile;
	ReadCall *call = &read.visual.call;

	cat_visual_read_begin(&read.visual, fcinfo, &args_map_tile, NULL);
	read_tile(&read.tile, cat_call_reply_required(fcinfo, ARG_MAP_TILE_TILE));
	cat_map_geojson_require(&read.visual);
	cat_read_page(call, psprintf("tile %s %d/%u/%u", call->reply.id, tile->zoom, tile->x, tile->y),
				  read_page, &read);
	call->reply.is_list = false;
	return cat_read_end(call, fcinfo);
}
