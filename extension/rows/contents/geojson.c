/*
 * geojson.c
 *	  Rows of a sheet as GeoJSON: a point for each row with coordinates.
 */
#include "catalogue.h"

#include <math.h>

#include "mb/pg_wchar.h"

#include "rows/contents/contents_internal.h"

/* Maximum length in bytes of a cell that a reason quotes. */
#define REASON_BYTES 40

/* Usual names of coordinate columns, the most certain first, and the greatest absolute value. */
static const struct
{
	const char *word; /* parameter that names another column */
	const char *names[8];
	double most;
} axes[] = {
	[LATITUDE] = {"latitudeKey", {"latitude", "latitude_deg", "lat", "latitud", "y"}, 90},
	[LONGITUDE] = {"longitudeKey",
				   {"longitude", "longitude_deg", "lon", "lng", "long", "longitud", "x"},
				   180},
};

/* Return the column with a usual name, ignoring case; -1 if there is none. */
static int
usual_column(const Sheet *sheet, int axis)
{
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
	if (column < 0)
		ereport(ERROR, (errcode(OD406), errmsg("the rows have no known coordinates"),
						errhint("latitudeKey and longitudeKey name their columns.")));
	return column;
}

/* Return whether the coordinates are in columns with usual names, or that are named. */
bool
cat_geojson_known(const SheetQuery *sheet_query)
{
	return (sheet_query->latitude || usual_column(sheet_query->sheet, LATITUDE) >= 0) &&
		   (sheet_query->longitude || usual_column(sheet_query->sheet, LONGITUDE) >= 0);
}

/*
 * Find the coordinate columns.  Raises OD406 if there are none with usual names, OD422 if a named
 * one does not exist.
 */
void
cat_geojson_find(SheetQuery *sheet_query)
{
	sheet_query->coordinates[LATITUDE] = find_column(sheet_query, LATITUDE, sheet_query->latitude);
	sheet_query->coordinates[LONGITUDE] =
		find_column(sheet_query, LONGITUDE, sheet_query->longitude);
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
is_swapped(const SheetPoint *point)
{
	double latitude = fabs(point->latitude.value);

	return latitude > axes[LATITUDE].most && latitude <= axes[LONGITUDE].most &&
		   fabs(point->longitude.value) <= axes[LATITUDE].most;
}

char *
cat_geojson_point(const SheetQuery *sheet_query, ChunkScan *scan, int row, SheetPoint *point)
{
	char *north;
	char *east;

	*point = (SheetPoint){0};
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
	if (point->latitude.value == 0 && point->longitude.value == 0)
		return pstrdup("latitude and longitude are 0");
	return NULL;
}

void
cat_geojson_append(StringInfo out, const SheetQuery *sheet_query, ChunkScan *scan, int row,
				   const SheetPoint *point)
{
	int start;

	appendStringInfo(out, "{\"type\":\"Feature\",\"id\":" INT64_FORMAT, scan->chunk.first + row);
	appendStringInfoString(out, ",\"geometry\":{\"type\":\"Point\",\"coordinates\":[");
	cat_sheet_row_json_number(out, &point->longitude);
	appendStringInfoCharMacro(out, ',');
	cat_sheet_row_json_number(out, &point->latitude);
	appendStringInfoString(out, "]},\"properties\":");
	start = out->len;
	cat_sheet_row_json_columns(out, sheet_query, scan, row);
	/* replace the comma before the first member */
	if (out->len > start)
		out->data[start] = '{';
	else
		appendStringInfoCharMacro(out, '{');
	appendStringInfoString(out, "}}");
}

/* Append a row as a feature; false, with nothing appended, if it has no valid coordinates. */
bool
cat_geojson_feature(StringInfo out, const void *asked, ChunkScan *scan, int row)
{
	const SheetQuery *sheet_query = asked;
	SheetPoint point;
	char *reason = cat_geojson_point(sheet_query, scan, row, &point);

	if (reason)
		pfree(reason);
	else
		cat_geojson_append(out, sheet_query, scan, row, &point);
	return reason == NULL;
}
