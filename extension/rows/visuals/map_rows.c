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

	cat_geojson_usual(asked);
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
	asked->sheet = cat_visual_source_sheet(asked);
	if (!asked->sheet)
		return NULL;
	asked->shown = palloc0(sizeof(bool) * (size_t) (asked->sheet->ncolumns + 1));
	return asked;
}

SheetQuery *
cat_map_rows_ask(VisualRead *read)
{
	static const char *const names[] = {"file",		  "latitudeKey", "longitudeKey",
										"properties", "correct",	 NULL};
	char **fields = cat_visual_read_fields(read, names);
	SheetQuery *asked = fields[0] && fields[4] ? cat_map_rows_sheet(read, fields[0]) : NULL;

	if (!asked || !cat_map_rows_find(asked, fields[1], fields[2]))
		return NULL;
	foreach_ptr(const char, name, cat_visual_source_names(fields[3]))
	{
		int column = cat_sheet_lookup_column(asked->sheet, name);

		if (column >= 0)
			asked->shown[column] = true;
	}
	return asked;
}
