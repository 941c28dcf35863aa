/*
 * map_geojson.c
 *	  The points of a map as GeoJSON, all of them or those in a rectangle, and as a picture.
 */
#include "catalogue.h"

#include "utils/memutils.h"

#include "base/body.h"
#include "rows/pictures/pictures.h"
#include "rows/visuals/map_index.h"
#include "rows/visuals/visuals_internal.h"

#define NAMES_MAX 100 /* properties that are asked for */

/* What is asked for of the features. */
typedef struct Cut
{
	bool bounded;
	Bounds bounds;
	List *names; /* of char *: properties to show */
	bool named;	 /* only those */
} Cut;

static const Bounds whole_earth = {-180, -90, 180, 90};

/* Read the names of the properties to show: each is sought for each property of each point. */
static void
read_names(Cut *cut, const char *value)
{
	cut->names = cat_query_string_split(value, ',');
	if (list_length(cut->names) > NAMES_MAX)
		ereport(ERROR, (errcode(OD422), errmsg("invalid value for parameter \"properties\""),
						errhint("It takes at most %d names.", NAMES_MAX)));
}

void
cat_map_geojson_points(const char *geojson, MapPoints *points)
{
	bool isnull;

	cat_statement_read(
		"SELECT p.longitude, p.latitude, p.row FROM catalogue.geojson_points($1::json) p "
		"WHERE p.longitude IS NOT NULL AND p.latitude IS NOT NULL",
		text_param(geojson));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple tuple = SPI_tuptable->vals[i];
		TupleDesc desc = SPI_tuptable->tupdesc;

		*cat_map_index_add(points) =
			(MapPoint){.longitude = DatumGetFloat8(SPI_getbinval(tuple, desc, 1, &isnull)),
					   .latitude = DatumGetFloat8(SPI_getbinval(tuple, desc, 2, &isnull)),
					   .row = DatumGetInt32(SPI_getbinval(tuple, desc, 3, &isnull))};
	}
}

void
cat_map_geojson_head(StringInfo out, const Bounds *bounds)
{
	appendStringInfoString(out, "{\"type\":\"FeatureCollection\",");
	if (bounds)
		appendStringInfo(out, "\"bbox\":[%.15g,%.15g,%.15g,%.15g],", bounds->west, bounds->south,
						 bounds->east, bounds->north);
	appendStringInfoString(out, "\"features\":[");
}

/* Append the collection; other GeoJSON than a collection of features is given as it is. */
static void
append_collection(StringInfo out, const Cut *cut, const char *geojson)
{
	const Bounds *bounds = &cut->bounds;
	const char *features = NULL;

	if (cut->bounded || cut->named)
	{
		cat_statement_read("SELECT catalogue.cut_features($1::json, CASE WHEN $2 THEN ARRAY[$3, "
						   "$4, $5, $6] END, $7)",
						   text_param(geojson), bool_param(cut->bounded),
						   float8_param(bounds->west), float8_param(bounds->south),
						   float8_param(bounds->east), float8_param(bounds->north),
						   cut->named ? texts_param(cut->names) : null_param(TEXTARRAYOID));
		features = cat_result_text(1);
	}
	if (features)
	{
		cat_map_geojson_head(out, cut->bounded ? bounds : NULL);
		appendStringInfo(out, "%s]}", features);
	}
	else
		appendStringInfoString(out, geojson);
}

/* Append the properties that are asked for. */
static void
append_properties(StringInfo out, const Cut *cut, const Member *properties)
{
	ListCell *cell;
	bool first = true;

	appendStringInfoChar(out, '{');
	if (properties->kind == MEMBER_OBJECT)
		foreach(cell, cat_body_members(properties->raw, strlen(properties->raw)))
		{
			const Member *member = lfirst(cell);

			if (!cat_query_string_has_word(cut->names, member->name))
				continue;
			appendStringInfoString(out, first ? "" : ",");
			cat_json_text_string(out, member->name);
			appendStringInfo(out, ":%s", member->raw);
			first = false;
		}
	appendStringInfoChar(out, '}');
}

/*
 * Append a stored feature with the properties that are asked for.  The geometry of a point is the
 * first object in it that ends, and the properties follow.
 */
static void
append_stored(StringInfo out, const Cut *cut, const MapPoint *point)
{
	static const char before[] = "},\"properties\":";
	const char *geometry = memchr(point->feature, '}', point->length);
	int length = geometry ? (int) (geometry - point->feature) + (int) strlen(before) : 0;
	Member properties = {.kind = MEMBER_OBJECT};

	if (!cut->named || length == 0 || length >= point->length)
	{
		appendBinaryStringInfo(out, point->feature, point->length);
		return;
	}
	appendBinaryStringInfo(out, point->feature, length);
	properties.raw = pnstrdup(point->feature + length, point->length - length - 1);
	if (cut->names)
		append_properties(out, cut, &properties);
	else
		appendStringInfoString(out, "{}");
	appendStringInfoChar(out, '}');
}

/* Append the stored points that are asked for; false if the map has none. */
static bool
append_points(StringInfo out, const Cut *cut, const char *map)
{
	MemoryContext memory;
	MemoryContext old;
	MapPoints points = {0};

	if (!cat_map_index_read(map, cut->bounded ? &cut->bounds : &whole_earth, &points))
		return false;
	memory =
		AllocSetContextCreate(CurrentMemoryContext, "feature of a map", ALLOCSET_DEFAULT_SIZES);
	cat_map_geojson_head(out, cut->bounded ? &cut->bounds : NULL);
	for (int i = 0; i < points.count; i++)
	{
		appendStringInfoString(out, i > 0 ? "," : "");
		old = MemoryContextSwitchTo(memory);
		append_stored(out, cut, &points.list[i]);
		MemoryContextSwitchTo(old);
		MemoryContextReset(memory);
	}
	MemoryContextDelete(memory);
	appendStringInfoString(out, "]}");
	return true;
}

/*
 * Append what is asked for from the stored points, if it is not everything, and the record is read
 * as it is now; the points of earlier states are not stored.  False: nothing was appended.
 */
static bool
append_from_index(VisualRead *read, const Cut *cut)
{
	static const char *const fields[] = {"correct", NULL};

	if ((!cut->bounded && !cut->named) || read->call.plan.params->then ||
		!cat_visual_read_fields(read, fields)[0])
		return false;
	if (read->known)
		return true;
	read->call.reply.data = makeStringInfo();
	return append_points(read->call.reply.data, cut, read->call.reply.id);
}

char **
cat_map_geojson_fields(VisualRead *read, const char *const *fields)
{
	char **values = cat_visual_read_fields(read, fields);

	if (!values[0])
		ereport(ERROR, (errcode(OD409), errmsg("Map \"%s\" has no points", read->call.reply.id),
						errhint("The issues of the map say why.")));
	return values;
}

/*
 * Return the points of a map as GeoJSON.  A map without a file has what a client wrote.
 */
CAT_FUNCTION(catalogue_map_geojson)
{
	static const char *const fields[] = {"geojson", NULL};
	static const char *const words[] = {"bbox", "properties", NULL};
	VisualRead read;
	Cut cut = {0};
	const char *geojson;

	cat_visual_read_begin(&read, fcinfo, &args_map_geojson, words);
	cut.bounded = cat_request_params_word(read.words, "bbox") != NULL;
	if (cut.bounded)
		cut.bounds = cat_bounds_read(cat_request_params_word(read.words, "bbox"));
	cut.named = cat_request_params_word(read.words, "properties") != NULL;
	if (cut.named)
		read_names(&cut, cat_request_params_word(read.words, "properties"));
	if (append_from_index(&read, &cut))
		return cat_read_end(&read.call, fcinfo);
	geojson = cat_map_geojson_fields(&read, fields)[0];
	if (!read.known)
	{
		read.call.reply.data = makeStringInfo();
		append_collection(read.call.reply.data, &cut, geojson);
	}
	return cat_read_end(&read.call, fcinfo);
}

/* Return the points of a map as an SVG document. */
CAT_FUNCTION(catalogue_map_svg)
{
	static const char *const fields[] = {"geojson", "name", "description", NULL};
	static const char *const words[] = {"lang", NULL};
	VisualRead read;
	char **values;

	cat_visual_read_begin(&read, fcinfo, &args_map_svg, words);
	values = cat_map_geojson_fields(&read, fields);
	if (!read.known)
	{
		MapPicture map = {values[1], values[2], values[0], NULL, read.language};

		read.call.reply.data = makeStringInfo();
		cat_map_picture_draw(read.call.reply.data, &map);
	}
	return cat_read_end(&read.call, fcinfo);
}
