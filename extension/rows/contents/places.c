/*
 * places.c
 *	  Which rows of a sheet are in a rectangle, near a place, or within an area.
 *
 * Points are compared here, a chunk at a time.  Other geometries are stored by PostGIS
 * (geography.sql), which finds them by their index, and also compares with areas.
 */
#include "catalogue.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/crossings.h"
#include "rows/contents/evaluate.h"
#include "rows/contents/points.h"
#include "rows/sheets/wkt.h"

#define EARTH_RADIUS 6371008.8 /* metres: the mean one of WGS 84 */
#define NEAR_MOST 20037508.0   /* metres: half of the way around the Earth */
#define DEGREE_LEAST 111000.0  /* metres of a degree of latitude, and somewhat less */
#define ROUNDING 1e-9		   /* degrees */
#define AREA_BATCH 100000	   /* points that are compared with an area by one statement */

/* What is asked of the places. */
typedef struct PlaceQuery
{
	SheetQuery *asked;
	bool bounded;
	Bounds bounds;
	bool near;
	double longitude; /* of the place that they are near to, */
	double latitude;
	double metres;		/* within so many */
	const char *within; /* an area as WKT, NULL: none */
	Bounds area;		/* of it */
	int count;			/* points that are still to be compared with it */
	Datum *rows;		/* of these, with their coordinates */
	Datum *longitudes;
	Datum *latitudes;
} PlaceQuery;

bool
cat_places_is_word(const char *name)
{
	static const char *const words[] = {"bbox", "near", "within", NULL};

	return cat_query_string_is_among(name, words);
}

static void
read_near(PlaceQuery *query, const char *value)
{
	double *numbers[] = {&query->longitude, &query->latitude, &query->metres};
	List *parts = cat_query_string_split(value, ',');
	bool valid = list_length(parts) == lengthof(numbers);

	for (int i = 0; valid && i < (int) lengthof(numbers); i++)
	{
		valid = cat_literal_number(list_nth(parts, i));
		*numbers[i] = strtod(list_nth(parts, i), NULL);
	}
	if (!valid || fabs(query->longitude) > 180 || fabs(query->latitude) > 90 || query->metres < 0 ||
		query->metres > NEAR_MOST)
		cat_query_string_refuse("near", value,
								"It takes longitude,latitude,metres, and at most 20037508 metres.");
	query->near = true;
}

pg_noreturn static void
refuse_area(const char *value, const char *hint)
{
	cat_query_string_refuse("within", value, hint);
}

/* Return the cell with the geometry of a row of another file, whose sheet the first one is. */
static CellText
area_cell(SheetQuery *asked, const char *value)
{
	const char *colon = strrchr(value, ':');
	SheetQuery *other = cat_sheet_query_read("", asked->params->actor);
	ChunkScan scan;
	CellText cell;
	int64 row;

	if (!colon || !cat_literal_integer(colon + 1) || strlen(colon + 1) > 18)
		refuse_area(value, "It takes the id of a file, a colon and the number of a row.");
	row = strtoll(colon + 1, NULL, 10);
	other->params->then = asked->params->then;
	other->params->version = asked->params->version;
	cat_sheet_lookup_file(other, pnstrdup(value, (Size) (colon - value)));
	cat_sheet_lookup(other);
	(void) cat_geojson_usual(other);
	if (other->coordinates[GEOMETRY] < 0)
		refuse_area(value, "The file has no geometries but points.");
	if (row < 1 || row > other->sheet->rows)
		refuse_area(value, psprintf("The file has " INT64_FORMAT " rows.", other->sheet->rows));
	asked->area = other->sheet->id;
	cat_sheet_scan_open(&scan, other->sheet, row);
	cat_sheet_scan_at(&scan, row);
	cell = cat_sheet_scan_cell(&scan, other->coordinates[GEOMETRY], (int) (row - scan.chunk.first));
	return cell.bytes ? cell : (CellText){.bytes = ""};
}

/* Raise OD422 for an area that GEOS would need much memory for. */
static void
require_simple(const char *value, const char *wkb)
{
	int64 corners = cat_crossings_edges(wkb);

	if (corners == 0)
		refuse_area(value, "The geometry of the row is no area.");
	if (corners > PLACES_CORNERS_MOST)
		refuse_area(value,
					psprintf("The area has " INT64_FORMAT " corners, and may have %d: simplify it "
							 "in its file, or ask for a rectangle by bbox.",
							 corners, PLACES_CORNERS_MOST));
	if (cat_crossings_are_too_many(wkb))
		refuse_area(
			value,
			"The edges of the area cross each other more than 50,000 times: repair it in its "
			"file, or ask for a rectangle by bbox.");
}

static void
read_within(PlaceQuery *query, SheetQuery *asked, const char *value)
{
	StringInfo wkb = makeStringInfo();
	CellText cell = area_cell(asked, value);

	if (cat_geojson_divided(wkb, &cell, cat_wkt_binary, &query->area))
		refuse_area(value, "The geometry of the row is no area.");
	require_simple(value, wkb->data);
	query->within = pnstrdup(cell.bytes, (Size) cell.length);
}

/* Return the distance of a place in metres, on a sphere. */
static double
distance_to(const PlaceQuery *query, double longitude, double latitude)
{
	const double radians = M_PI / 180;
	double north = sin((latitude - query->latitude) * radians / 2);
	double east = sin((longitude - query->longitude) * radians / 2);
	double part =
		north * north + cos(latitude * radians) * cos(query->latitude * radians) * east * east;

	return 2 * EARTH_RADIUS * asin(sqrt(Min(part, 1)));
}

void
cat_places_begin(SheetQuery *asked)
{
	asked->places = palloc_extended(sizeof(uint64) * (Size) (asked->sheet->rows / 64 + 1),
									MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

void
cat_places_keep(SheetQuery *asked, int64 row)
{
	asked->places[(row - 1) / 64] |= UINT64CONST(1) << ((row - 1) % 64);
}

/* Keep the rows that a statement has found. */
static void
keep_found(SheetQuery *asked)
{
	bool isnull;

	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int64 row =
			DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));

		if (row >= 1 && row <= asked->sheet->rows)
			cat_places_keep(asked, row);
	}
}

bool
cat_places_has_geography(void)
{
	cat_statement_read("SELECT catalogue.has_geography()");
	return DatumGetBool(cat_result_datum(1, &(bool){false}));
}

static void
require_geography(void)
{
	if (!cat_places_has_geography())
		ereport(ERROR, (errcode(OD406),
						errmsg("lines and areas cannot be found by their place without PostGIS"),
						errhint("Install PostGIS, and call catalogue.add_geography().")));
}

/* Return an array of numbers. */
static StatementParam
numbers_param(Datum *numbers, int count, Oid element, Oid array)
{
	return datum_param(array,
					   PointerGetDatum(construct_array(numbers, count, element, sizeof(Datum),
													   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)));
}

/* Compare the points that wait with the area. */
static void
compare_points(SheetQuery *asked, PlaceQuery *query)
{
	if (query->count == 0)
		return;
	cat_statement_read("SELECT r FROM catalogue.points_within($1, $2, $3, $4) r",
					   numbers_param(query->rows, query->count, INT8OID, INT8ARRAYOID),
					   numbers_param(query->longitudes, query->count, FLOAT8OID, FLOAT8ARRAYOID),
					   numbers_param(query->latitudes, query->count, FLOAT8OID, FLOAT8ARRAYOID),
					   text_param(query->within));
	keep_found(asked);
	query->count = 0;
}

/* Keep a row if its point is where it is asked for. */
static void
keep_point(void *data, int64 row, double longitude, double latitude)
{
	PlaceQuery *query = data;

	if ((query->bounded && !cat_bounds_has(&query->bounds, longitude, latitude)) ||
		(query->near && distance_to(query, longitude, latitude) > query->metres) ||
		(query->within && !cat_bounds_has(&query->area, longitude, latitude)))
		return;
	if (!query->within)
	{
		cat_places_keep(query->asked, row);
		return;
	}
	query->rows[query->count] = Int64GetDatum(row);
	query->longitudes[query->count] = Float8GetDatum(longitude);
	query->latitudes[query->count] = Float8GetDatum(latitude);
	if (++query->count == AREA_BATCH)
		compare_points(query->asked, query);
}

/* Return the segment of a column of the current chunk, NULL if not all its cells are plain numbers. */
static const Segment *
plain_segment(const SheetQuery *asked, ChunkScan *scan, int column)
{
	const Segment *segment = cat_sheet_scan_segment(scan, column);

	return segment->codes && segment->cells.rows == 0 && !segment_has_instants(segment) &&
				   cat_sheet_filter_is_ordered(&asked->sheet->columns[column], segment)
			   ? segment
			   : NULL;
}

/* Give the points of the current chunk whose columns are plain numbers, of a band of latitudes and next to it. */
static void
take_plain(const Segment *latitudes, const Segment *longitudes, int64 first, const Bounds *band,
		   TakePoint take, void *data)
{
	const NumberRange range =
		points_range(latitudes, band->south - ROUNDING, band->north + ROUNDING);

	for (int row = 0; row < latitudes->rows; row++)
	{
		int64 value = cat_segment_value(latitudes, latitudes->codes[row]);
		double latitude;
		double longitude;

		if (!points_in_range(&range, value))
			continue;
		latitude = cat_segment_number(latitudes, value);
		longitude =
			cat_segment_number(longitudes, cat_segment_value(longitudes, longitudes->codes[row]));
		if (cat_geojson_is_place(latitude, longitude))
			take(data, first + row, longitude, latitude);
	}
}

/* Give the points of the current chunk. */
static void
take_chunk(const SheetQuery *asked, ChunkScan *scan, const Bounds *band, TakePoint take, void *data)
{
	const Segment *latitudes = plain_segment(asked, scan, asked->coordinates[LATITUDE]);
	const Segment *longitudes = plain_segment(asked, scan, asked->coordinates[LONGITUDE]);

	if (latitudes && longitudes)
	{
		take_plain(latitudes, longitudes, scan->chunk.first, band, take, data);
		return;
	}
	for (int row = 0; row < scan->chunk.rows; row++)
	{
		SheetPlace place;

		if (cat_geojson_place(asked, scan, row, &place))
			take(data, scan->chunk.first + row, place.longitude.value, place.latitude.value);
	}
}

/* Give the points in a band of latitudes, and perhaps others. */
static void
take_points(const SheetQuery *asked, const Bounds *band, TakePoint take, void *data)
{
	ChunkScan scan;

	cat_sheet_scan_open(&scan, asked->sheet, 1);
	while (cat_sheet_scan_next(&scan))
	{
		MemoryContext old = MemoryContextSwitchTo(scan.chunk_memory);

		take_chunk(asked, &scan, band, take, data);
		MemoryContextSwitchTo(old);
	}
}

void
cat_places_points(const SheetQuery *asked, const Bounds *bounds, TakePoint take, void *data)
{
	static const Bounds all = {.south = -LATITUDE_MOST, .north = LATITUDE_MOST};

	if (asked->source)
		asked->source->points(asked, bounds, take, data);
	else if (!bounds || !cat_points_take(asked, bounds, take, data))
		take_points(asked, bounds ? bounds : &all, take, data);
}

/* Return bounds that all points have which are near a place. */
static Bounds
bounds_near(const PlaceQuery *query)
{
	double north = query->metres / DEGREE_LEAST;
	double least = cos(Min(fabs(query->latitude) + north, 90) * M_PI / 180);
	double east = least * 180 > north ? north / least : 180;
	Bounds bounds = {-180, query->latitude - north, 180, query->latitude + north};

	if (east >= 180)
		return bounds;
	bounds.west = query->longitude - east;
	bounds.east = query->longitude + east;
	/* west is then greater than east */
	bounds.west += bounds.west < -180 ? 360 : 0;
	bounds.east -= bounds.east > 180 ? 360 : 0;
	return bounds;
}

/* Return bounds that all points have which are asked for. */
static Bounds
bounds_of(const PlaceQuery *query)
{
	if (query->bounded)
		return query->bounds;
	return query->within ? query->area : bounds_near(query);
}

/* Keep the rows of a sheet of points. */
static void
keep_points(PlaceQuery *query)
{
	const Bounds bounds = bounds_of(query);

	if (query->within)
	{
		require_geography();
		query->rows = palloc(sizeof(Datum) * AREA_BATCH);
		query->longitudes = palloc(sizeof(Datum) * AREA_BATCH);
		query->latitudes = palloc(sizeof(Datum) * AREA_BATCH);
	}
	cat_places_points(query->asked, &bounds, keep_point, query);
	compare_points(query->asked, query);
}

void
cat_places_require_shapes(const SheetQuery *asked)
{
	const char *stored = asked->sheet->places[GEOMETRY];

	require_geography();
	if (!stored || strcmp(asked->sheet->columns[asked->coordinates[GEOMETRY]].name, stored) != 0)
		ereport(ERROR, (errcode(OD406),
						errmsg("lines and areas of this column are not stored by their place"),
						errhint("They are where the reader of a file has found them: see geography "
								"in the details of /sheets.")));
}

/* Keep the rows of a sheet with other geometries, which PostGIS has stored. */
static void
keep_shapes(SheetQuery *asked, const PlaceQuery *query)
{
	static const char *const asks[] = {"SELECT catalogue.shapes_in($1, $2, $3, $4, $5)",
									   "SELECT catalogue.shapes_near($1, $6, $7, $8)",
									   "SELECT catalogue.shapes_within($1, $9)"};
	const bool asked_for[] = {query->bounded, query->near, query->within != NULL};
	StringInfo sql = makeStringInfo();

	cat_places_require_shapes(asked);
	for (size_t i = 0; i < lengthof(asks); i++)
		if (asked_for[i])
			appendStringInfo(sql, "%s%s", sql->len > 0 ? " INTERSECT " : "", asks[i]);
	cat_statement_read(sql->data, int8_param(asked->sheet->id), float8_param(query->bounds.west),
					   float8_param(query->bounds.south), float8_param(query->bounds.east),
					   float8_param(query->bounds.north), float8_param(query->longitude),
					   float8_param(query->latitude), float8_param(query->metres),
					   text_param(query->within));
	keep_found(asked);
}

/* Find the rows by their own places. */
static void
find_rows(PlaceQuery *query)
{
	if (query->asked->coordinates[GEOMETRY] >= 0)
		keep_shapes(query->asked, query);
	else
		keep_points(query);
}

void
cat_places_ask(SheetQuery *asked, List *words)
{
	const char *bbox = cat_request_params_word(words, "bbox");
	const char *near = cat_request_params_word(words, "near");
	const char *within = cat_request_params_word(words, "within");
	MemoryContext lasting = CurrentMemoryContext;
	PlaceQuery query = {.asked = asked};

	if (!bbox && !near && !within)
		return;
	query.bounded = bbox != NULL;
	if (bbox)
		query.bounds = cat_bounds_read(bbox);
	if (near)
		read_near(&query, near);
	if (within)
		read_within(&query, asked, within);
	MemoryContextSwitchTo(lasting);
	cat_places_begin(asked);
	if (asked->source)
		asked->source->ask(asked, words);
	else
		find_rows(&query);
	MemoryContextSwitchTo(lasting);
}

bool
cat_places_has(const SheetQuery *asked, int64 row)
{
	return asked->places[(row - 1) / 64] & UINT64CONST(1) << ((row - 1) % 64);
}

void
cat_places_leave(const SheetQuery *asked, int64 first, int count, uint64 *bits)
{
	const uint64 *places = asked->places + (first - 1) / 64;
	const uint64 *last = asked->places + asked->sheet->rows / 64;
	int shift = (int) ((first - 1) % 64);

	for (int i = 0; i * 64 < count; i++)
	{
		uint64 word = places[i] >> shift;

		if (shift > 0 && places + i < last)
			word |= places[i + 1] << (64 - shift);
		bits[i] &= word;
	}
}

bool
cat_places_any(const SheetQuery *asked, int64 first, int count)
{
	int64 row = first;

	while (row < first + count)
	{
		if ((row - 1) % 64 == 0 && asked->places[(row - 1) / 64] == 0)
			row += 64;
		else if (cat_places_has(asked, row))
			return true;
		else
			row++;
	}
	return false;
}
