/*
 * map_index_read.c
 *	  Stored points of a map, read by their place.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "port/pg_bswap.h"

#include "pg/pg.h"
#include "visuals/map_index.h"

#define POINT_BYTES 24 /* of a point in a chunk */

bool
cat_map_index_is_inside(const MapBounds *bounds, double longitude, double latitude)
{
	bool between = bounds->west <= bounds->east
					   ? longitude >= bounds->west && longitude <= bounds->east
					   : longitude >= bounds->west || longitude <= bounds->east;

	return between && latitude >= bounds->south && latitude <= bounds->north;
}

pg_noreturn static void
refuse_chunk(void)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("stored points of a map are invalid")));
}

static double
read_double(const char *bytes)
{
	uint64 bits;
	double number;

	memcpy(&bits, bytes, sizeof(bits));
	bits = pg_ntoh64(bits);
	memcpy(&number, &bits, sizeof(number));
	return number;
}

static int32
read_int(const char *bytes)
{
	uint32 bits;

	memcpy(&bits, bytes, sizeof(bits));
	return (int32) pg_ntoh32(bits);
}

/* Append the points of a chunk that are in the bounds.  text: their features, NULL: not read. */
static void
read_chunk(const bytea *data, const bytea *text, const MapBounds *bounds, MapPoints *points)
{
	const char *at = VARDATA_ANY(data);
	const char *end = at + VARSIZE_ANY_EXHDR(data);
	const char *feature = text ? VARDATA_ANY(text) : NULL;
	const char *last = text ? feature + VARSIZE_ANY_EXHDR(text) : NULL;

	if ((end - at) % POINT_BYTES != 0)
		refuse_chunk();
	for (; at < end; at += POINT_BYTES)
	{
		double longitude = read_double(at);
		double latitude = read_double(at + 8);
		int32 length = text ? read_int(at + 20) : 0;

		if (length < 0 || (text && length > last - feature))
			refuse_chunk();
		if (cat_map_index_is_inside(bounds, longitude, latitude))
			*cat_map_index_add(points) =
				(MapPoint){longitude, latitude, read_int(at + 16), length, feature, 0};
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

/* Return whether any points of a map are stored. */
static bool
is_stored(const char *map)
{
	cat_statement_read("SELECT FROM catalogue.map_chunk WHERE map = $1 LIMIT 1", text_param(map));
	return SPI_processed > 0;
}

/* Condition on a chunk: it has points in the bounds, which are parameters 2 to 5. */
#define CHUNKS_IN_BOUNDS                                                       \
	"FROM catalogue.map_chunk WHERE map = $1 AND north >= $3 AND south <= $5 " \
	"AND CASE WHEN $2 <= $4 THEN east >= $2 AND west <= $4 ELSE east >= $2 OR west <= $4 END"

/* Read the points that a statement finds: their places and, if it has another column, features. */
static bool
read_points(const char *sql, const char *map, const MapBounds *bounds, MapPoints *points)
{
	SPITupleTable *table;
	uint64 count;

	cat_statement_read(sql, text_param(map), float8_param(bounds->west),
					   float8_param(bounds->south), float8_param(bounds->east),
					   float8_param(bounds->north));
	table = SPI_tuptable;
	count = SPI_processed;
	if (count == 0)
		return is_stored(map);
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
cat_map_index_read(const char *map, const MapBounds *bounds, MapPoints *points)
{
	if (!read_points("SELECT points, features " CHUNKS_IN_BOUNDS, map, bounds, points))
		return false;
	qsort(points->list, points->count, sizeof(MapPoint), compare_rows);
	return true;
}

bool
cat_map_index_read_places(const char *map, const MapBounds *bounds, MapPoints *points)
{
	return read_points("SELECT points " CHUNKS_IN_BOUNDS, map, bounds, points);
}
