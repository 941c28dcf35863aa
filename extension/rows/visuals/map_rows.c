/*
 * map_rows.c
 *	  The rows of a file that a map is made of.
 */
#include "catalogue.h"

#include "rows/visuals/map_classes.h"
#include "rows/visuals/visuals_internal.h"

bool
cat_map_rows_find(SheetQuery *asked, const char *latitude, const char *longitude)
{
	int north = cat_sheet_lookup_column(asked->sheet, latitude);
	int east = cat_sheet_lookup_column(asked->sheet, longitude);
	int *coordinates = asked->coordinates;

	(void) cat_geojson_usual(asked);
	if (north >= 0 && north == east && asked->sheet->columns[north].kind == CELL_TEXT)
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

bool
cat_map_rows_join(SheetQuery *asked, const char *key, SheetQuery *outlines, const char *shapes_key)
{
	int column = cat_sheet_lookup_column(asked->sheet, key);
	int shapes_column = cat_sheet_lookup_column(outlines->sheet, shapes_key);

	if (column < 0 || shapes_column < 0 || !cat_geojson_usual(outlines))
		return false;
	cat_outlines_join(asked, column, outlines, shapes_column);
	return true;
}

MapLegend *
cat_map_rows_legend(VisualRead *read)
{
	static const char *const fields[] = {"legend", NULL};

	return cat_map_classes_read(cat_visual_read_fields(read, fields)[0]);
}

SheetQuery *
cat_map_rows_sheet(const VisualRead *read, const char *file)
{
	SheetQuery *asked = cat_sheet_query_read("", &read->call.actor);

	asked->params->then = read->call.plan.params->then;
	asked->params->version = read->call.plan.params->version;
	cat_sheet_lookup_file(asked, file);
	asked->sheet = cat_sheet_lookup_default(asked);
	if (!asked->sheet)
		return NULL;
	asked->shown = palloc0(sizeof(bool) * (size_t) (asked->sheet->ncolumns + 1));
	return asked;
}

/* Find the places of the rows, as the record says; false if they are gone. */
static bool
find_places(VisualRead *read, SheetQuery *asked)
{
	static const char *const names[] = {"latitudeKey", "longitudeKey", "key",
										"shapes",	   "shapesKey",	   NULL};
	char **fields = cat_visual_read_fields(read, names);
	SheetQuery *outlines;

	if (!fields[2] || !fields[3] || !fields[4])
		return cat_map_rows_find(asked, fields[0], fields[1]);
	outlines = cat_map_rows_sheet(read, fields[3]);
	return outlines && cat_map_rows_join(asked, fields[2], outlines, fields[4]);
}

SheetQuery *
cat_map_rows_ask(VisualRead *read)
{
	static const char *const names[] = {"file", "properties", "correct", NULL};
	char **fields = cat_visual_read_fields(read, names);
	SheetQuery *asked = fields[0] && fields[2] ? cat_map_rows_sheet(read, fields[0]) : NULL;

	if (!asked || !find_places(read, asked))
		return NULL;
	foreach_ptr(const char, name, cat_visual_source_names(fields[1]))
	{
		int column = cat_sheet_lookup_column(asked->sheet, name);

		if (column >= 0)
			asked->shown[column] = true;
	}
	return asked;
}
