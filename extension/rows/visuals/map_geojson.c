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
#define BBOX_HINT "It takes west,south,east,north in degrees."

/* What is asked for of the features. */
typedef struct Cut
{
	bool bounded;
	MapBounds bounds;
	List *names; /* of char *: properties to show */
	bool named;	 /* only those */
} Cut;

static const MapBounds whole_earth = {-180, -90, 180, 90};

pg_noreturn static void
refuse_bbox(const char *value)
{
	ereport(ERROR, (errcode(OD422), errmsg("invalid value for parameter \"bbox\": \"%s\"", value),
					errhint("%s", BBOX_HINT)));
}

static void
read_bbox(Cut *cut, const char *value)
{
	MapBounds *bounds = &cut->bounds;
	double *numbers[] = {&bounds->west, &bounds->south, &bounds->east, &bounds->north};
	List *parts = cat_query_string_split(value, ',');

	if (list_length(parts) != lengthof(numbers))
		refuse_bbox(value);
	for (size_t i = 0; i < lengthof(numbers); i++)
	{
		const char *part = list_nth(parts, (int) i);

		if (!cat_literal_number(part))
			refuse_bbox(value);
		*numbers[i] = strtod(part, NULL);
	}
	if (bounds->south > bounds->north)
		refuse_bbox(value);
	cut->bounded = true;
}

/* Read the names of the properties to show: each is sought for each property of each point. */
static void
read_names(Cut *cut, const char *value)
{
	cut->names = cat_query_string_split(value, ',');
	if (list_length(cut->names) > NAMES_MAX)
		ereport(ERROR, (errcode(OD422), errmsg("invalid value for parameter \"properties\""),
						errhint("It takes at most %d names.", NAMES_MAX)));
}

static Member *
member_of(const Member *object, const char *name)
{
	return object && object->kind == MEMBER_OBJECT
			   ? cat_body_member(cat_body_members(object->raw, strlen(object->raw)), name)
			   : NULL;
}

/* Read the position of a point; false if the geometry is none. */
static bool
read_position(const Member *geometry, double *longitude, double *latitude)
{
	const Member *place = member_of(geometry, "coordinates");
	List *position;

	if (!place || place->kind != MEMBER_ARRAY)
		return false;
	position = cat_body_elements(place->raw);
	if (list_length(position) < 2 || ((Member *) linitial(position))->kind != MEMBER_NUMBER ||
		((Member *) lsecond(position))->kind != MEMBER_NUMBER)
		return false;
	*longitude = strtod(((Member *) linitial(position))->raw, NULL);
	*latitude = strtod(((Member *) lsecond(position))->raw, NULL);
	return true;
}

/* Return whether a feature belongs to the result; only points are compared with the bounds. */
static bool
is_wanted(const Cut *cut, const Member *geometry)
{
	double longitude;
	double latitude;

	return !cut->bounded || !read_position(geometry, &longitude, &latitude) ||
		   cat_map_index_is_inside(&cut->bounds, longitude, latitude);
}

void
cat_map_geojson_points(const char *geojson, MapPoints *points)
{
	const Member *features = member_of(cat_body_value(geojson), "features");
	ListCell *cell;
	double longitude;
	double latitude;

	if (!features || features->kind != MEMBER_ARRAY)
		return;
	foreach(cell, cat_body_elements(features->raw))
	{
		const Member *feature = lfirst(cell);
		const Member *id = member_of(feature, "id");

		if (read_position(member_of(feature, "geometry"), &longitude, &latitude))
			*cat_map_index_add(points) = (MapPoint){
				.longitude = longitude,
				.latitude = latitude,
				.row = id && id->kind == MEMBER_NUMBER ? (int32) strtol(id->raw, NULL, 10) : 0};
	}
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

/* Append a feature with the properties that are asked for. */
static void
append_feature(StringInfo out, const Cut *cut, const Member *feature, List *members)
{
	ListCell *cell;

	if (!cut->named)
	{
		appendStringInfoString(out, feature->raw);
		return;
	}
	appendStringInfoChar(out, '{');
	foreach(cell, members)
	{
		const Member *member = lfirst(cell);

		appendStringInfoString(out, foreach_current_index(cell) > 0 ? "," : "");
		cat_json_text_string(out, member->name);
		appendStringInfoChar(out, ':');
		if (strcmp(member->name, "properties") == 0)
			append_properties(out, cut, member);
		else
			appendStringInfoString(out, member->raw);
	}
	appendStringInfoChar(out, '}');
}

/* Append the features of a collection that are asked for. */
static void
append_features(StringInfo out, const Cut *cut, const char *features)
{
	MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "feature of a map", ALLOCSET_DEFAULT_SIZES);
	bool first = true;
	ListCell *cell;

	foreach(cell, cat_body_elements(features))
	{
		const Member *feature = lfirst(cell);
		MemoryContext old = MemoryContextSwitchTo(memory);
		List *members = feature->kind == MEMBER_OBJECT
							? cat_body_members(feature->raw, strlen(feature->raw))
							: NIL;
		bool wanted = is_wanted(cut, cat_body_member(members, "geometry"));

		MemoryContextSwitchTo(old);
		if (wanted)
		{
			appendStringInfoString(out, first ? "" : ",");
			append_feature(out, cut, feature, members);
			first = false;
		}
		MemoryContextReset(memory);
	}
	MemoryContextDelete(memory);
}

/* Append what stands before the features that are asked for. */
static void
append_head(StringInfo out, const Cut *cut)
{
	const MapBounds *bounds = &cut->bounds;

	appendStringInfoString(out, "{\"type\":\"FeatureCollection\",");
	if (cut->bounded)
		appendStringInfo(out, "\"bbox\":[%.15g,%.15g,%.15g,%.15g],", bounds->west, bounds->south,
						 bounds->east, bounds->north);
	appendStringInfoString(out, "\"features\":[");
}

/* Append the collection; other GeoJSON than a collection of features is given as it is. */
static void
append_collection(StringInfo out, const Cut *cut, const char *geojson)
{
	const Member *features =
		cut->bounded || cut->named ? member_of(cat_body_value(geojson), "features") : NULL;

	if (!features || features->kind != MEMBER_ARRAY)
	{
		appendStringInfoString(out, geojson);
		return;
	}
	append_head(out, cut);
	append_features(out, cut, features->raw);
	appendStringInfoString(out, "]}");
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
	append_head(out, cut);
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

	if ((!cut->bounded && !cut->named) || read->params->then ||
		!cat_visual_read_fields(read, fields)[0])
		return false;
	if (read->known)
		return true;
	read->reply.data = makeStringInfo();
	return append_points(read->reply.data, cut, read->reply.id);
}

/* Raise the error for a map without points. */
pg_noreturn static void
refuse_empty(const VisualRead *read)
{
	ereport(ERROR, (errcode(OD409), errmsg("Map \"%s\" has no points", read->reply.id),
					errhint("The issues of the map say why.")));
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

	cat_visual_read_begin(&read, fcinfo, "maps");
	if (cat_request_params_word(read.words, "bbox"))
		read_bbox(&cut, cat_request_params_word(read.words, "bbox"));
	cut.named = cat_request_params_word(read.words, "properties") != NULL;
	if (cut.named)
		read_names(&cut, cat_request_params_word(read.words, "properties"));
	cat_visual_read_require_known(&read, words);
	if (append_from_index(&read, &cut))
		return cat_visual_read_end(&read, fcinfo);
	geojson = cat_visual_read_fields(&read, fields)[0];
	if (!geojson)
		refuse_empty(&read);
	if (!read.known)
	{
		read.reply.data = makeStringInfo();
		append_collection(read.reply.data, &cut, geojson);
	}
	return cat_visual_read_end(&read, fcinfo);
}

/* Return the points of a map as an SVG document. */
CAT_FUNCTION(catalogue_map_svg)
{
	static const char *const fields[] = {"geojson", "name", "description", NULL};
	static const char *const words[] = {NULL};
	VisualRead read;
	char **values;

	cat_visual_read_begin(&read, fcinfo, "maps");
	cat_visual_read_require_known(&read, words);
	values = cat_visual_read_fields(&read, fields);
	if (!values[0])
		refuse_empty(&read);
	if (!read.known)
	{
		MapPicture map = {values[1], values[2], values[0]};

		read.reply.data = makeStringInfo();
		cat_map_picture_draw(read.reply.data, &map);
	}
	return cat_visual_read_end(&read, fcinfo);
}
