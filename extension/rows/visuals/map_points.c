/*
 * map_points.c
 *	  Features of a map, made from the rows of its files, and its columns where they are usual ones.
 */
#include "catalogue.h"

#include "base/settings.h"
#include "files/file_types.h"
#include "files/files.h"
#include "rows/visuals/map_classes.h"
#include "rows/visuals/visuals.h"
#include "rows/visuals/visuals_internal.h"

/* Maximum number of rows of a map if the setting mapPointsLimit does not exist. */
#define POINTS_LIMIT 2000
#define INLINE_MOST (2 << 20) /* bytes of features that the record has */

/* The features of a map while they are made. */
typedef struct Points
{
	StringInfoData features;
	bool longer; /* the record has no room for them, and they are not kept */
	int correct;
	int incorrect;
	MapLegend *legend; /* NULL: there is none */
	Bounds bounds;	   /* of those that are correct */
} Points;

/* Return whether the caller is a web application of before, whose limit is a record. */
static bool
is_web_application(void)
{
	const Actor *actor = cat_security_context_actor();

	if (!actor || !*actor->consumer)
		return false;
	cat_statement_fresh("SELECT FROM catalogue.consumers c WHERE c.id = $1 AND "
						"c.return_default = 'representation' AND c.relations_default = 'embedded'",
						text_param(actor->consumer));
	return SPI_processed > 0;
}

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
	bool web = is_web_application();
	int64 limit = web ? points_limit() : cat_map_features;

	if (asked->sheet->rows > limit && made->strict)
		ereport(ERROR, (errcode(OD422),
						errmsg("the file has " INT64_FORMAT " rows, more than a map may have",
							   asked->sheet->rows),
						errhint("The setting %s permits " INT64_FORMAT ".",
								web ? "mapPointsLimit" : "catalogue.map_features", limit)));
	return asked->sheet->rows <= limit;
}

/* Columns that a map is made of with the outlines of another file, and their fields. */
static const char *const joined[][2] = {
	{"key", "key"}, {"shapes", "shapes"}, {"shapesKey", "shapes_key"}};

/* Return how many of them have values. */
static size_t
count_joined(const Made *made)
{
	size_t count = 0;

	for (size_t i = 0; i < lengthof(joined); i++)
		count += cat_visual_source_text(made, joined[i][1]) != NULL;
	return count;
}

/* Find the columns of coordinates, or add errors. */
static void
find_coordinates(const Made *made, SheetQuery *asked)
{
	static const char *const keys[][2] = {{"latitudeKey", "latitude_key"},
										  {"longitudeKey", "longitude_key"}};

	if (!cat_map_rows_find(asked, cat_visual_source_text(made, keys[0][1]),
						   cat_visual_source_text(made, keys[1][1])))
		for (size_t i = 0; i < lengthof(keys); i++)
			(void) cat_visual_source_column(made, asked, keys[i][0],
											cat_visual_source_text(made, keys[i][1]));
}

/* Find the columns of the keys, and the places of the outlines, or add errors. */
static void
find_outlines(const Made *made, SheetQuery *asked, SheetQuery *outlines)
{
	const char *key = cat_visual_source_text(made, "key");
	const char *shapes_key = cat_visual_source_text(made, "shapes_key");

	if (cat_map_rows_join(asked, key, outlines, shapes_key))
		return;
	(void) cat_visual_source_column(made, asked, "key", key);
	(void) cat_visual_source_column(made, outlines, "shapesKey", shapes_key);
	if (!cat_geojson_usual(outlines))
		cat_validation_error_add(made->errors, "shapes", "reference",
								 cat_validation_error_value(outlines->file),
								 "is a file whose rows have no known places");
}

/* Find the columns; false, with errors of the record, if the files do not have them all. */
static bool
find_columns(const Made *made, SheetQuery *asked, SheetQuery *outlines)
{
	List *names = cat_visual_source_names(cat_visual_source_text(made, "properties"));
	const char *color = cat_visual_source_text(made, "color_key");
	int before = list_length(*made->errors);

	if (outlines)
		find_outlines(made, asked, outlines);
	else
		find_coordinates(made, asked);
	if (color)
		(void) cat_visual_source_column(made, asked, "colorKey", color);
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
	char *reason;

	if (start > 0)
		appendStringInfoCharMacro(out, ',');
	reason = cat_geojson_append(out, asked, scan, row, &place);
	if (reason)
	{
		points->incorrect++;
		out->len = start;
		pfree(reason);
		return;
	}
	cat_map_geojson_class(out, points->legend, asked, scan, row);
	points->correct++;
	points->longer |= out->len > INLINE_MOST;
	if (points->longer)
		resetStringInfo(out);
	cat_bounds_extend(&points->bounds, place.bounds.west, place.bounds.south);
	cat_bounds_extend(&points->bounds, place.bounds.east, place.bounds.north);
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

/* Return west, south, east and north as JSON. */
static Datum
extent_of(const Points *points)
{
	const Bounds *bounds = &points->bounds;

	return CStringGetTextDatum(psprintf("[%.15g,%.15g,%.15g,%.15g]", bounds->west, bounds->south,
										bounds->east, bounds->north));
}

static void
set_points(const Made *made, const SheetQuery *asked)
{
	Points points = {.bounds = NO_BOUNDS};
	const char *name = cat_visual_source_text(made, "color_key");
	int color = name ? cat_sheet_lookup_column(asked->sheet, name) : -1;

	if (color >= 0)
	{
		Datum legend = cat_map_classes_make(asked, color);

		cat_visual_source_set(made, "legend", legend);
		points.legend = cat_map_classes_read(TextDatumGetCString(legend));
	}
	read_rows(&points, asked);
	if (!points.longer)
		cat_visual_source_set(made, "geojson", collection_of(&points));
	if (points.correct > 0)
		cat_visual_source_set(made, "extent", extent_of(&points));
	cat_visual_source_set(made, "correct", Int32GetDatum(points.correct));
	cat_visual_source_set(made, "incorrect", Int32GetDatum(points.incorrect));
}

void
cat_map_points_make(Resource *resource, Datum *values, bool *nulls, bool strict, List **errors)
{
	Made made = {resource, values, nulls, strict, errors};
	bool is_joined = count_joined(&made) == lengthof(joined);
	SheetQuery *asked = cat_visual_source_rows(&made, "file");
	SheetQuery *outlines = is_joined ? cat_visual_source_rows(&made, "shapes") : NULL;

	cat_visual_source_null(&made, "geojson");
	cat_visual_source_null(&made, "correct");
	cat_visual_source_null(&made, "incorrect");
	cat_visual_source_null(&made, "extent");
	cat_visual_source_null(&made, "legend");
	if (asked && (outlines ? has_permitted_rows(&made, outlines) : !is_joined) &&
		has_permitted_rows(&made, asked) && find_columns(&made, asked, outlines))
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
cat_map_points_complete_keys(Resource *resource, Datum *values, bool *nulls, List **errors)
{
	Made made = {resource, values, nulls, false, errors};
	char *file = cat_visual_source_text(&made, "file");
	size_t given = count_joined(&made);

	for (size_t i = 0; given > 0 && i < lengthof(joined); i++)
		if (!cat_visual_source_text(&made, joined[i][1]))
			cat_validation_error_add(errors, joined[i][0], "required", NULL,
									 "is required with the others of key, shapes and shapesKey");
	if (!file || given > 0 || cat_visual_source_text(&made, "latitude_key") ||
		cat_visual_source_text(&made, "longitude_key") ||
		cat_visual_source_text(&made, "geojson") || !is_geographic(file))
		return;
	cat_visual_source_set(&made, "latitude_key", CStringGetTextDatum("latitude"));
	cat_visual_source_set(&made, "longitude_key", CStringGetTextDatum("longitude"));
}
