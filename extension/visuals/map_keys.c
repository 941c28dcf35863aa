/*
 * map_keys.c
 *	  Columns of the coordinates of a map whose file has usual ones.
 */
#include "catalogue.h"

#include "files/files.h"
#include "visuals/visuals.h"
#include "visuals/visuals_internal.h"

/* Return whether a file is of a type whose features become rows with longitude and latitude. */
static bool
is_geographic(const char *file)
{
	char *name;
	char *extension;

	cat_statement_fresh("SELECT f.file_name::text FROM catalogue.files f WHERE f.id = $1",
						text_param(file));
	name = SPI_processed > 0 ? cat_result_text(1) : NULL;
	if (!name)
		return false;
	extension = cat_filetype_extension(name);
	return strcmp(extension, "geojson") == 0 || strcmp(extension, "kml") == 0;
}

void
cat_map_keys_complete(Resource *resource, Datum *values, bool *nulls)
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
