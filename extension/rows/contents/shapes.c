/*
 * shapes.c
 *	  The geometries of a sheet, for PostGIS.
 */
#include "catalogue.h"

#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "rows/contents/contents_internal.h"
#include "rows/contents/crossings.h"
#include "rows/sheets/wkt.h"

/* Append the place of a row as WKB, and set its bounds; false, with nothing to be used, if it has none, or one that PostGIS
 * could not repair in little memory. */
static bool
append_shape(StringInfo out, const SheetQuery *asked, ChunkScan *scan, int row, Bounds *bounds)
{
	CellText cell = {0};
	SheetPlace place;
	int begin = out->len;

	*bounds = NO_BOUNDS;
	if (asked->coordinates[GEOMETRY] >= 0)
		cell = cat_sheet_scan_cell(scan, asked->coordinates[GEOMETRY], row);
	if (cell.length > 0)
		return !cat_geojson_divided(out, &cell, cat_wkt_binary, bounds) &&
			   !cat_crossings_are_too_many(out->data + begin);
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

/* Give a sheet columns, of which only the names are known. */
static void
name_columns(Sheet *sheet, ArrayType *names)
{
	SheetColumn *columns;
	Datum *texts;

	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &texts, NULL, &sheet->ncolumns);
	columns = palloc0(sizeof(SheetColumn) * (size_t) (sheet->ncolumns + 1));
	for (int i = 0; i < sheet->ncolumns; i++)
		columns[i].name = TextDatumGetCString(texts[i]);
	sheet->columns = columns;
}

/* Find the extent of all places; false unless nine of ten rows have one. */
static bool
find_extent(const SheetQuery *asked, Bounds *extent)
{
	StringInfo shape = makeStringInfo();
	int64 placed = 0;
	ChunkScan scan;

	*extent = NO_BOUNDS;
	cat_sheet_scan_open(&scan, asked->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		for (int row = 0; row < scan.chunk.rows; row++)
		{
			Bounds bounds;

			resetStringInfo(shape);
			if (!append_shape(shape, asked, &scan, row, &bounds))
				continue;
			cat_bounds_extend(extent, bounds.west, bounds.south);
			cat_bounds_extend(extent, bounds.east, bounds.north);
			placed++;
		}
	return placed > 0 && placed * 10 >= asked->sheet->rows * 9;
}

/* Append a member that names a column; none if there is no such column. */
static void
append_column(StringInfo out, const SheetQuery *asked, int axis, const char *name)
{
	int column = asked->coordinates[axis];

	if (column >= 0)
		appendStringInfo(out, "\"%s\":%s,", name,
						 cat_json_quoted(asked->sheet->columns[column].name));
}

CAT_FUNCTION(catalogue_loaded_geography)
{
	Sheet sheet = {.id = PG_GETARG_INT64(ARG_LOADED_GEOGRAPHY_SHEET),
				   .rows = PG_GETARG_INT64(ARG_LOADED_GEOGRAPHY_ROWS)};
	SheetQuery asked = {.sheet = &sheet};
	StringInfoData out;
	Bounds extent;

	name_columns(&sheet, PG_GETARG_ARRAYTYPE_P(ARG_LOADED_GEOGRAPHY_NAMES));
	if (!cat_geojson_usual(&asked) || !find_extent(&asked, &extent))
		PG_RETURN_NULL();
	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	append_column(&out, &asked, LONGITUDE, "longitude");
	append_column(&out, &asked, LATITUDE, "latitude");
	append_column(&out, &asked, GEOMETRY, "geometry");
	appendStringInfo(&out, "\"extent\":[%.15g,%.15g,%.15g,%.15g]}", extent.west, extent.south,
					 extent.east, extent.north);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}
