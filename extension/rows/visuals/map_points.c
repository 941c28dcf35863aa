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
	Bounds bounds;	  /* of those that are correct */
	bool shapes;	  /* there are others than points */
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

bool
cat_map_points_find(SheetQuery *asked, const char *latitude, const char *longitude)
{
	int north = cat_sheet_lookup_column(asked->sheet, latitude);
	int east = cat_sheet_lookup_column(asked->sheet, longitude);
	int *coordinates = asked->coordinates;

	cat_geojson_usual(asked);
	if (north >= 0 && north == east)
	{
		coordinates[GEOMETRY] = north;
		north = east = -1;
	}
	else if (north != coordinates[LATITUDE] || east != coordinates[LONGITUDE])
		coordinates[GEOMETRY] = -1;
	coordinates[LATITUDE] = north;
	coordinates[LONGITUDE] = east;
	return coordinates[GEOMETRY] >= 0 || (north >= 0 && east >= 0);
}

/* Find the columns; false, with errors of the record, if the file does not have them all. */
static bool
find_columns(const Made *made, SheetQuery *asked)
{
	static const char *const keys[][2] = {{"latitudeKey", "latitude_key"},
										  {"longitudeKey", "longitude_key"}};
	List *names = cat_visual_source_names(cat_visual_source_text(made, "properties"));
	int before = list_length(*made->errors);

	if (!cat_map_points_find(asked, cat_visual_source_text(made, keys[0][1]),
							 cat_visual_source_text(made, keys[1][1])))
		for (size_t i = 0; i < lengthof(keys); i++)
			(void) cat_visual_source_column(made, asked, keys[i][0],
											cat_visual_source_text(made, keys[i][1]));
	foreach_ptr(const char, name, names)
	{
		int column = cat_visual_source_column(made, asked, "properties", name);

		if (column >= 0)
			asked->shown[column] = true;
	}
	return list_length(*made->errors) == before;
}

/* Append the feature of a row, and its place; a row without one is counted. */
static void
add_row(Points *points, const SheetQuery *asked, ChunkScan *scan, int row)
{
	StringInfo out = &points->features;
	int start = out->len;
	SheetPlace place;
	MapPoint *point;
	char *reason;

	if (points->correct > 0)
		appendStringInfoCharMacro(out, ',');
	reason = cat_geojson_append(out, asked, scan, row, &place);
	if (reason)
	{
		points->incorrect++;
		out->len = start;
		pfree(reason);
		return;
	}
	start += points->correct++ > 0;
	cat_bounds_extend(&points->bounds, place.bounds.west, place.bounds.south);
	cat_bounds_extend(&points->bounds, place.bounds.east, place.bounds.north);
	points->shapes |= !place.is_point;
	if (!place.is_point)
		return;
	point = cat_map_index_add(&points->places);
	*point = (MapPoint){.longitude = place.longitude.value,
						.latitude = place.latitude.value,
						.row = (int32) (scan->chunk.first + row),
						.length = out->len - start,
						.code = (uint64) start};
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
	Points points = {.bounds = NO_BOUNDS};

	read_rows(&points, asked);
	cat_visual_source_set(made, "geojson", collection_of(&points));
	cat_visual_source_set(made, "correct", Int32GetDatum(points.correct));
	cat_visual_source_set(made, "incorrect", Int32GetDatum(points.incorrect));
	if (points.shapes)
		return;
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
