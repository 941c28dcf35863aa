/*
 * shapes.c
 *	  The geometries of a sheet, for PostGIS.
 */
#include "catalogue.h"

#include "funcapi.h"

#include "rows/contents/contents_internal.h"
#include "rows/sheets/wkt.h"

/* Append the place of a row as WKB; false, with nothing appended, if it has none. */
static bool
append_shape(StringInfo out, const SheetQuery *asked, ChunkScan *scan, int row)
{
	CellText cell = cat_sheet_scan_cell(scan, asked->coordinates[GEOMETRY], row);
	SheetPlace place;

	if (cell.length > 0)
		return cat_wkt_binary(out, cell.bytes, cell.length) == NULL;
	if (!cat_geojson_place(asked, scan, row, &place))
		return false;
	cat_wkt_binary_point(out, place.longitude.value, place.latitude.value);
	return true;
}

/* Return the places of the rows of a chunk. */
static void
put_shapes(ReturnSetInfo *info, const SheetQuery *asked, ChunkScan *scan)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int row = 0; row < scan->chunk.rows; row++)
	{
		Datum values[2] = {Int64GetDatum(scan->chunk.first + row)};
		bool nulls[2] = {false, false};

		resetStringInfo(&out);
		appendStringInfoSpaces(&out, VARHDRSZ);
		if (!append_shape(&out, asked, scan, row))
			continue;
		SET_VARSIZE(out.data, out.len);
		values[1] = PointerGetDatum(out.data);
		tuplestore_putvalues(info->setResult, info->setDesc, values, nulls);
	}
	pfree(out.data);
}

CAT_FUNCTION(catalogue_sheet_shapes)
{
	Sheet sheet = {.id = PG_GETARG_INT64(ARG_SHEET_SHAPES_SHEET),
				   .rows = PG_GETARG_INT64(ARG_SHEET_SHAPES_ROWS),
				   .ncolumns = PG_GETARG_INT32(ARG_SHEET_SHAPES_COLUMNS)};
	SheetQuery asked = {.sheet = &sheet,
						.coordinates = {[LATITUDE] = PG_GETARG_INT32(ARG_SHEET_SHAPES_LATITUDE),
										[LONGITUDE] = PG_GETARG_INT32(ARG_SHEET_SHAPES_LONGITUDE),
										[GEOMETRY] = PG_GETARG_INT32(ARG_SHEET_SHAPES_GEOMETRY)}};
	ChunkScan scan;

	InitMaterializedSRF(fcinfo, 0);
	cat_sheet_scan_open(&scan, &sheet, 1);
	while (cat_sheet_scan_next(&scan))
		put_shapes((ReturnSetInfo *) fcinfo->resultinfo, &asked, &scan);
	return (Datum) 0;
}
