/*
 * shapes.c
 *	  The geometries of a sheet, for PostGIS.
 */
#include "catalogue.h"

#include "funcapi.h"

#include "rows/contents/contents_internal.h"
#include "rows/sheets/wkt.h"

/* Append the place of a row as WKB, and set its bounds; false, with nothing appended, if it has none. */
static bool
append_shape(StringInfo out, const SheetQuery *asked, ChunkScan *scan, int row, Bounds *bounds)
{
	CellText cell = cat_sheet_scan_cell(scan, asked->coordinates[GEOMETRY], row);
	SheetPlace place;

	*bounds = NO_BOUNDS;
	if (cell.length > 0)
		return cat_wkt_binary(out, cell.bytes, cell.length, bounds) == NULL;
	if (!cat_geojson_place(asked, scan, row, &place))
		return false;
	cat_bounds_extend(bounds, place.longitude.value, place.latitude.value);
	cat_wkt_binary_point(out, place.longitude.value, place.latitude.value);
	return true;
}

/* Return the places of the rows of a chunk. */
static void
put_shapes(ReturnSetInfo *info, const SheetQuery *asked, ChunkScan *scan)
{
	StringInfoData out;
	bool nulls[5] = {false};

	initStringInfo(&out);
	for (int row = 0; row < scan->chunk.rows; row++)
	{
		Bounds bounds;
		Datum values[lengthof(nulls)];

		resetStringInfo(&out);
		appendStringInfoSpaces(&out, VARHDRSZ);
		if (!append_shape(&out, asked, scan, row, &bounds))
			continue;
		SET_VARSIZE(out.data, out.len);
		values[0] = Int64GetDatum(scan->chunk.first + row);
		values[1] = Float8GetDatum((bounds.west + bounds.east) / 2);
		values[2] = Float8GetDatum((bounds.south + bounds.north) / 2);
		values[3] = Float8GetDatum(Max(bounds.east - bounds.west, bounds.north - bounds.south));
		values[4] = PointerGetDatum(out.data);
		tuplestore_putvalues(info->setResult, info->setDesc, values, nulls);
	}
	pfree(out.data);
}

CAT_FUNCTION(catalogue_sheet_shapes)
{
	Sheet sheet = {.id = PG_GETARG_INT64(ARG_SHEET_SHAPES_SHEET),
				   .rows = PG_GETARG_INT64(ARG_SHEET_SHAPES_ROWS),
				   .ncolumns = PG_GETARG_INT32(ARG_SHEET_SHAPES_COLUMNS)};
	SheetQuery asked = {
		.sheet = &sheet,
		.coordinates = {[LATITUDE] = PG_GETARG_INT32(ARG_SHEET_SHAPES_LATITUDE_COLUMN),
						[LONGITUDE] = PG_GETARG_INT32(ARG_SHEET_SHAPES_LONGITUDE_COLUMN),
						[GEOMETRY] = PG_GETARG_INT32(ARG_SHEET_SHAPES_GEOMETRY_COLUMN)}};
	ChunkScan scan;

	InitMaterializedSRF(fcinfo, 0);
	cat_sheet_scan_open(&scan, &sheet, 1);
	while (cat_sheet_scan_next(&scan))
		put_shapes((ReturnSetInfo *) fcinfo->resultinfo, &asked, &scan);
	return (Datum) 0;
}
