/*
 * geojson.c
 *	  Rows of a sheet as GeoJSON: a feature for each row with a place.
 */
#include "catalogue.h"

#include <math.h>

#include "mb/pg_wchar.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/crossings.h"
#include "rows/sheets/place_names.h"
#include "rows/sheets/wkt.h"

/* Maximum length in bytes of a cell that a reason quotes. */
#define REASON_BYTES 40
#define GEOJSON_MOST (64 << 20) /* bytes of features that are read at once */

/* Usual names of coordinate columns, the most certain first, and the greatest absolute value. */
static const struct
{
	const char *word; /* parameter that names another column, NULL: none does */
	const char *names[PLACE_NAMES];
	double most;
} axes[] = {
	[LATITUDE] = {"latitudeKey", LATITUDE_NAMES, LATITUDE_MOST},
	[LONGITUDE] = {"longitudeKey", LONGITUDE_NAMES, LONGITUDE_MOST},
	[GEOMETRY] = {NULL, {"geometry"}, 0},
};

/* Return the column that the reader has found, else the one with a usual name, ignoring case; -1 if there is none. */
static int
usual_column(const Sheet *sheet, int axis)
{
	if (sheet->places[LATITUDE] || sheet->places[GEOMETRY])
		return sheet->places[axis] ? cat_sheet_lookup_column(sheet, sheet->places[axis]) : -1;
	for (size_t i = 0; i < lengthof(axes[axis].names) && axes[axis].names[i]; i++)
		for (int column = 0; column < sheet->ncolumns; column++)
			if (pg_strcasecmp(sheet->columns[column].name, axes[axis].names[i]) == 0)
				return column;
	return -1;
}

static int
find_column(const SheetQuery *sheet_query, int axis, const char *name)
{
	int column = name ? cat_sheet_lookup_column(sheet_query->sheet, name)
					  : usual_column(sheet_query->sheet, axis);

	if (column < 0 && name)
		cat_query_string_refuse(axes[axis].word, name,
								cat_sheet_lookup_hint(sheet_query->sheet, NIL));
	return column;
}

/* Return whether there are columns of points, or one of geometries. */
static bool
is_found(const int *coordinates)
{
	return (coordinates[LATITUDE] >= 0 && coordinates[LONGITUDE] >= 0) ||
		   coordinates[GEOMETRY] >= 0;
}

bool
cat_geojson_usual(SheetQuery *sheet_query)
{
	for (int axis = 0; axis < (int) lengthof(axes); axis++)
		sheet_query->coordinates[axis] = usual_column(sheet_query->sheet, axis);
	return is_found(sheet_query->coordinates);
}

/* Return whether the coordinates are in columns with usual names, or that are named. */
bool
cat_geojson_known(const SheetQuery *sheet_query)
{
	SheetQuery found = *sheet_query;

	(void) cat_geojson_usual(&found);
	if (sheet_query->latitude)
		found.coordinates[LATITUDE] = 0;
	if (sheet_query->longitude)
		found.coordinates[LONGITUDE] = 0;
	return is_found(found.coordinates);
}

/*
 * Find the columns of the places: those that are named are of points.  Raises OD406 if there are none
 * with usual names, OD422 if a named one does not exist.
 */
void
cat_geojson_find(SheetQuery *sheet_query)
{
	int *coordinates = sheet_query->coordinates;

	coordinates[LATITUDE] = find_column(sheet_query, LATITUDE, sheet_query->latitude);
	coordinates[LONGITUDE] = find_column(sheet_query, LONGITUDE, sheet_query->longitude);
	coordinates[GEOMETRY] = sheet_query->latitude || sheet_query->longitude
								? -1
								: usual_column(sheet_query->sheet, GEOMETRY);
	if (!is_found(coordinates))
		ereport(ERROR, (errcode(OD406), errmsg("the rows have no known coordinates"),
						errhint("latitudeKey and longitudeKey name their columns.")));
}

/* Names of the coordinates in reasons. */
static const char *const axis_names[] = {[LATITUDE] = "latitude", [LONGITUDE] = "longitude"};

/*
 * Read a coordinate, also with a decimal comma.  Returns NULL, or the reason why it is invalid,
 * palloc'd.
 */
static char *
read_coordinate(const SheetQuery *sheet_query, ChunkScan *scan, int row, int axis,
				CellNumber *number)
{
	CellText cell = cat_sheet_scan_cell(scan, sheet_query->coordinates[axis], row);
	const char *text = cell.bytes;
	int length = cell.length;

	while (length > 0 && *text == ' ')
		text++, length--;
	while (length > 0 && text[length - 1] == ' ')
		length--;
	if (length == 0)
		return psprintf("the %s is empty", axis_names[axis]);
	if (!cat_cell_number(text, length, '.', number) && !cat_cell_number(text, length, ',', number))
		return psprintf("the %s \"%.*s\" is not a number", axis_names[axis],
						pg_mbcliplen(text, length, REASON_BYTES), text);
	if (number->value >= -axes[axis].most && number->value <= axes[axis].most)
		return NULL;
	return psprintf("the %s %.*s is out of range", axis_names[axis],
					pg_mbcliplen(text, length, REASON_BYTES), text);
}

/* Return whether exactly the latitude is out of range, and within that of a longitude. */
static bool
is_swapped(const SheetPlace *point)
{
	double latitude = fabs(point->latitude.value);

	return latitude > axes[LATITUDE].most && latitude <= axes[LONGITUDE].most &&
		   fabs(point->longitude.value) <= axes[LATITUDE].most;
}

/* Read a point.  Returns NULL, or the reason why there is none, palloc'd. */
static char *
read_point(const SheetQuery *sheet_query, ChunkScan *scan, int row, SheetPlace *point)
{
	char *north;
	char *east;

	if (sheet_query->coordinates[LATITUDE] < 0 || sheet_query->coordinates[LONGITUDE] < 0)
		return pstrdup("the geometry is empty");
	north = read_coordinate(sheet_query, scan, row, LATITUDE, &point->latitude);
	east = read_coordinate(sheet_query, scan, row, LONGITUDE, &point->longitude);
	/* A reason for an invalid latitude beside a valid longitude. */
	if (north && !east)
		return (point->latitude.value != 0) && is_swapped(point)
				   ? psprintf("%s; latitude and longitude may be swapped", north)
				   : north;
	if (north && east)
		pfree(east);
	if (north || east)
		return north ? north : east;
	return cat_geojson_is_place(point->latitude.value, point->longitude.value)
			   ? NULL
			   : pstrdup("latitude and longitude are 0");
}

bool
cat_geojson_place(const SheetQuery *sheet_query, ChunkScan *scan, int row, SheetPlace *place)
{
	*place = (SheetPlace){0};
	return read_point(sheet_query, scan, row, place) == NULL;
}

/* Append a point as a geometry.  Returns NULL, or the reason why there is none, palloc'd. */
static char *
append_point(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan, int row,
			 SheetPlace *place)
{
	char *reason = read_point(sheet_query, scan, row, place);

	if (reason)
		return reason;
	place->bounds = (Bounds){place->longitude.value, place->latitude.value, place->longitude.value,
							 place->latitude.value};
	appendStringInfoString(out, "{\"type\":\"Point\",\"coordinates\":[");
	cat_sheet_row_json_number(out, &place->longitude);
	appendStringInfoCharMacro(out, ',');
	cat_sheet_row_json_number(out, &place->latitude);
	appendStringInfoString(out, "]}");
	return NULL;
}

/* Return whether the areas of a geometry in WKT, which is right, have too many crossings. */
static bool
is_crossed(const CellText *cell)
{
	StringInfo binary = makeStringInfo();
	bool many;

	(void) cat_wkt_binary(binary, cell->bytes, cell->length, NULL);
	many = cat_crossings_are_too_many(binary->data);
	pfree(binary->data);
	return many;
}

/* Return a geometry in WKT divided at the antimeridian, palloc'd; NULL without PostGIS. */
static char *
divide(const CellText *cell)
{
	MemoryContext memory = CurrentMemoryContext;
	char *divided = NULL;

	SPI_connect();
	if (cat_places_has_geography())
	{
		cat_statement_read("SELECT catalogue.divided($1)",
						   text_param(pnstrdup(cell->bytes, (Size) cell->length)));
		divided = MemoryContextStrdup(memory, cat_result_text(1));
	}
	SPI_finish();
	return divided;
}

const char *
cat_geojson_divided(StringInfo out, CellText *cell, TakeWkt take, Bounds *bounds)
{
	int begin = out->len;
	const char *fault;
	char *divided;

	*bounds = NO_BOUNDS;
	fault = take(out, cell->bytes, cell->length, bounds);
	if (fault || (bounds->west >= -180 && bounds->east <= 180))
		return fault;
	out->len = begin;
	out->data[begin] = '\0';
	if (bounds->east - bounds->west > 360)
		return "is wider than the Earth";
	if (is_crossed(cell))
		return "has a longitude beyond 180, and edges that cross each other more than 50,000 times";
	divided = divide(cell);
	if (!divided)
		return "has a longitude beyond 180, which is for PostGIS";
	*cell = (CellText){.bytes = divided, .length = (int) strlen(divided)};
	*bounds = NO_BOUNDS;
	return take(out, cell->bytes, cell->length, bounds);
}

char *
cat_geojson_geometry(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan, int row,
					 SheetPlace *place)
{
	CellText cell = {0};
	const char *fault;

	if (sheet_query->source)
		return sheet_query->source->append(out, sheet_query, scan, row, place);
	*place = (SheetPlace){.bounds = NO_BOUNDS};
	if (sheet_query->coordinates[GEOMETRY] >= 0)
		cell = cat_sheet_scan_cell(scan, sheet_query->coordinates[GEOMETRY], row);
	if (cell.length == 0)
		return append_point(out, sheet_query, scan, row, place);
	fault = cat_geojson_divided(out, &cell, cat_wkt_geojson, &place->bounds);
	return fault ? psprintf("the geometry %s", fault) : NULL;
}

char *
cat_geojson_append(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan, int row,
				   SheetPlace *place)
{
	int begin = out->len;
	int start;
	char *reason;

	appendStringInfo(out, "{\"type\":\"Feature\",\"id\":" INT64_FORMAT ",\"geometry\":",
					 scan->chunk.first + row);
	reason = cat_geojson_geometry(out, sheet_query, scan, row, place);
	if (reason)
	{
		out->len = begin;
		out->data[begin] = '\0';
		return reason;
	}
	appendStringInfoString(out, ",\"properties\":");
	start = out->len;
	cat_sheet_row_json_columns(out, sheet_query, scan, row);
	/* replace the comma before the first member */
	if (out->len > start)
		out->data[start] = '{';
	else
		appendStringInfoCharMacro(out, '{');
	appendStringInfoString(out, "}}");
	return NULL;
}

/* Append a row as a feature; false, with nothing appended, if it has no valid coordinates. */
bool
cat_geojson_feature(StringInfo out, const void *asked, ChunkScan *scan, int row)
{
	SheetPlace place;
	char *reason = cat_geojson_append(out, asked, scan, row, &place);

	if (reason)
		pfree(reason);
	return reason == NULL;
}

/* Append a row behind what is there, with a comma unless it is the first one; false if it has no place. */
static bool
append_next(StringInfo out, int begun, const FeatureRows *rows, ChunkScan *scan, int64 row)
{
	int start = out->len;

	if (start > begun)
		appendStringInfoCharMacro(out, ',');
	if (!rows->write(out, rows->data, scan, (int) (row - scan->chunk.first)))
	{
		out->len = start;
		out->data[start] = '\0';
		return false;
	}
	if (rows->most > 0 && out->len > rows->most)
		ereport(ERROR,
				(errcode(OD413), errmsg("the features are longer than %d MiB", rows->most >> 20),
				 errhint("map_geojson_export() gives them in pieces.")));
	if (out->len > GEOJSON_MOST)
		ereport(ERROR, (errcode(OD422), errmsg("the features are longer than 64 MiB"),
						errhint("bbox, limit and properties make them fewer and shorter.")));
	return true;
}

int64
cat_geojson_append_rows(StringInfo out, FeatureRows *rows)
{
	ChunkScan scan;
	int64 row = rows->after + 1 - rows->step;
	int64 appended = 0;
	int begun = out->len;

	cat_sheet_scan_open(&scan, rows->asked->sheet, 1);
	cat_sheet_filter_begin(&scan, rows->asked);
	while ((row = cat_sheet_scan_kept(&scan, row + rows->step, ROW_NUMBER)) > 0)
	{
		int end = out->len;

		if (!append_next(out, begun, rows, &scan, row))
			continue;
		if (appended == rows->limit || (rows->enough > 0 && end - begun > rows->enough))
		{
			out->len = end;
			out->data[end] = '\0';
			break;
		}
		appended++;
		rows->after = row;
	}
	if (row == 0)
		rows->after = 0;
	return appended;
}
