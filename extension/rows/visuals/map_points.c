/*
 * map_points.c
 *	  Points of a map, made from the rows of its file, and its columns where they are usual ones.
 */
#include "catalogue.h"

#include "files/file_types.h"
#include "files/files.h"
#include "rows/visuals/map_index.h"
#include "rows/visuals/visuals.h"
#include "rows/visuals/visuals_internal.h"

/* Maximum number of rows of a map if the setting mapPointsLimit does not exist. */
#define POINTS_LIMIT 2000

/* The features of a map while they are made. */
typedef struct Points
{
	StringInfoData features;
	int correct;
	int incorrect;
	Bounds bounds; /* of those that are correct */
	MapPoints places; /* of these; until all are read, code is where the feature begins */
} Points;

static int64
points_limit(void)
{
	cat_statement_fresh("SELECT c.value::bigint FROM catalogue.configs c "
						"WHERE lower(c.key) = 'mappointslimit' AND c.deleted_at IS NULL "
						"AND c.value ~ '^[0-9]{1,9}$'");
	return SPI_processed > 0 ? cat_result_int64(1) : POINTS_LIMIT;
}

/* Return whether the map has no more rows than permitted.  Raises OD422 under strict handling. */
static bool
has_permitted_rows(const Made *made, const SheetQuery *asked)
{
	int64 limit = points_limit();

	if (asked->sheet->rows > limit && made->strict)
		ereport(ERROR, (errcode(OD422),
						errmsg("the file has " INT64_FORMAT " rows, more than a map may have",
							   asked->sheet->rows),
						errhint("The setting mapPointsLimit permits " INT64_FORMAT ".", limit)));
	return asked->sheet->rows <= limit;
}

/* Find the columns; false, with errors of the record, if the file does not have them all. */
static bool
find_columns(const Made *made, SheetQuery *asked)
{
	List *names = cat_visual_source_names(cat_visual_source_text(made, "properties"));
	int before = list_length(*made->errors);
	ListCell *cell;

	asked->coordinates[LATITUDE] = cat_visual_source_column(
		made, asked, "latitudeKey", cat_visual_source_text(made, "latitude_key"));
	asked->coordinates[LONGITUDE] = cat_visual_source_column(
		made, asked, "longitudeKey", cat_visual_source_text(made, "longitude_key"));
	foreach(cell, names)
	{
		int column = cat_visual_source_column(made, asked, "properties", lfirst(cell));

		if (column >= 0)
			asked->shown[column] = true;
	}
	return list_length(*made->errors) == before;
}

/* Append the feature of a row, and its place. */
static void
add_feature(Points *points, const SheetQuery *asked, ChunkScan *scan, int row,
			const SheetPoint *point)
{
	MapPoint *place = cat_map_index_add(&points->places);
	int start = points->features.len;

	cat_geojson_append(&points->features, asked, scan, row, point);
	*place = (MapPoint){.longitude = point->longitude.value,
						.latitude = point->latitude.value,
						.row = (int32) (scan->chunk.first + row),
						.length = points->features.len - start,
						.code = (uint64) start};
}

static void
add_row(Points *points, const SheetQuery *asked, ChunkScan *scan, int row)
{
	SheetPoint point;
	char *reason = cat_geojson_point(asked, scan, row, &point);

	if (reason)
	{
		points->incorrect++;
		pfree(reason);
		return;
	}
	if (points->correct++ > 0)
		appendStringInfoString(&points->features, ",");
	else
		points->bounds = (Bounds){point.longitude.value, point.latitude.value,
									 point.longitude.value, point.latitude.value};
	cat_bounds_extend(&points->bounds, point.longitude.value, point.latitude.value);
	add_feature(points, asked, scan, row, &point);
}

static void
read_rows(Points *points, const SheetQuery *asked)
{
	ChunkScan scan;

	initStringInfo(&points->features);
	cat_sheet_scan_open(&scan, asked->sheet, 1);
	while (cat_sheet_scan_next(&scan))
		for (int row = 0; row < scan.chunk.rows; row++)
			add_row(points, asked, &scan, row);
	for (int i = 0; i < points->places.count; i++)
		points->places.list[i].feature = points->features.data + points->places.list[i].code;
}

/* Return the points as a FeatureCollection, with their bounds if there are any. */
static Datum
collection_of(const Points *points)
{
	StringInfoData out;

	initStringInfo(&out);
	cat_map_geojson_head(&out, points->correct > 0 ? &points->bounds : NULL);
	appendBinaryStringInfo(&out, points->features.data, points->features.len);
	appendStringInfoString(&out, "]}");
	return PointerGetDatum(cstring_to_text_with_len(out.data, out.len));
}

static void
set_points(const Made *made, const SheetQuery *asked)
{
	const char *id = cat_visual_source_text(made, "id");
	Points points = {0};

	read_rows(&points, asked);
	cat_visual_source_set(made, "geojson", collection_of(&points));
	cat_visual_source_set(made, "correct", Int32GetDatum(points.correct));
	cat_visual_source_set(made, "incorrect", Int32GetDatum(points.incorrect));
	cat_map_index_write(id, &points.places);
	cat_map_tile_write(id, &points.places);
}

void
cat_map_points_make(Resource *resource, Datum *values, bool *nulls, bool strict, List **errors)
{
	Made made = {resource, values, nulls, strict, errors};
	SheetQuery *asked = cat_visual_source_rows(&made);

	cat_map_index_clear(cat_visual_source_text(&made, "id"));
	cat_visual_source_null(&made, "geojson");
	cat_visual_source_null(&made, "correct");
	cat_visual_source_null(&made, "incorrect");
	if (asked && find_columns(&made, asked) && has_permitted_rows(&made, asked))
		set_points(&made, asked);
}

/* Return whether a file is of a type whose features become rows with longitude and latitude. */
static bool
is_geographic(const char *file)
{
	const FileType *type;
	char *name;

	cat_statement_fresh("SELECT f.file_name::text FROM catalogue.files f WHERE f.id = $1",
						text_param(file));
	name = SPI_processed > 0 ? cat_result_text(1) : NULL;
	if (!name)
		return false;
	type = file_type_of(cat_filetype_extension(name));
	return type && file_readers[type->reader].geographic;
}

void
cat_map_points_complete_keys(Resource *resource, Datum *values, bool *nulls)
{
	List *errors = NIL;
	Made made = {resource, values, nulls, false, &errors};
	char *file = cat_visual_source_text(&made, "file");

	if (!file || cat_visual_source_text(&made, "latitude_key") ||
		cat_visual_source_text(&made, "longitude_key") ||
		cat_visual_source_text(&made, "geojson") || !is_geographic(file))
		return;
	cat_visual_source_set(&made, "latitude_key", CStringGetTextDatum("latitude"));
	cat_visual_source_set(&made, "longitude_key", CStringGetTextDatum("longitude"));
}
