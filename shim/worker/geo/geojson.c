/*
 * geojson.c - GeoJSON (RFC 7946): a row for each feature, its properties as columns.
 *
 * The whole is a collection of features, a feature, or a geometry, which is one row.
 */

#include "geo/features.h"
#include "geo/shape.h"
#include "json/json.h"

#define TYPE_MAXIMUM 32 /* bytes of a type that are kept */

typedef struct GeoJson
{
	Parse *parse;
	Json *json;
	Features *features;
	char type[TYPE_MAXIMUM]; /* of the whole; empty: not known yet */
	Shape shape;			 /* of the open feature */
	const char *kind;		 /* of the open geometry; NULL: it is not known */
	bool is_open;			 /* the whole may be a feature, and something of it was read */
	bool listed;			 /* features were read */
} GeoJson;

/* A member, and how its value is read. */
typedef struct GeoMember
{
	const char *name;
	void (*read)(GeoJson *geo);
} GeoMember;

/* Read the next value over. */
static void
pass_value(GeoJson *geo)
{
	json_skip(geo->json, json_value(geo->json));
}

/* Read the value of the member that parse->cell names, if it is among the given ones. */
static void
read_member(GeoJson *geo, const GeoMember *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (json_is(geo->json, members[i].name))
		{
			members[i].read(geo);
			return;
		}
	pass_value(geo);
}

/* Read an object member by member; false, and the value is read over, if it is none. */
static bool
read_object(GeoJson *geo, const GeoMember *members, size_t count)
{
	JsonType type = json_value(geo->json);

	if (type != JSON_OBJECT)
	{
		json_skip(geo->json, type);
		return false;
	}
	while (json_member(geo->json))
		read_member(geo, members, count);
	return true;
}

/* Set a property of the open feature to the next value; null is none. */
static void
read_cell(GeoJson *geo, unsigned column)
{
	JsonType type = json_value(geo->json);

	json_text(geo->json, type);
	if (type != JSON_NULL)
		features_set(geo->features, column);
}

static void
read_properties(GeoJson *geo)
{
	Buffer *text = &geo->parse->cell;
	JsonType type = json_value(geo->json);

	if (type != JSON_OBJECT)
		json_skip(geo->json, type);
	else
		while (json_member(geo->json))
			read_cell(geo, features_column(geo->features, text->length > 0 ? text->data : "",
										   text->length));
}

/* Properties need not have the id, so it has a column of its own. */
static void
read_id(GeoJson *geo)
{
	read_cell(geo, features_datum(geo->features, DATUM_FEATURE_ID));
}

static void
read_kind(GeoJson *geo)
{
	Buffer *text = &geo->parse->cell;
	JsonType type = json_value(geo->json);

	geo->kind = NULL;
	if (type == JSON_STRING && text->length > 0)
		geo->kind = features_kind(text->data, text->length);
	else
		json_skip(geo->json, type);
}

static void
read_geometry_type(GeoJson *geo)
{
	Buffer *text = &geo->parse->cell;
	JsonType type = json_value(geo->json);

	if (type != JSON_STRING || text->length == 0)
	{
		json_skip(geo->json, type);
		return;
	}
	geo->kind = features_kind(text->data, text->length);
	features_geometry(geo->features, text->data, text->length);
}

/* Read a number of a position; the first position may be that of a point. */
static void
read_number(GeoJson *geo, unsigned axis)
{
	const Buffer *text = &geo->parse->cell;

	if (geo->shape.positions == 0)
		features_position(geo->features, axis, text->data, text->length);
	shape_number(&geo->shape, axis, text->length > 0 ? text->data : "", text->length);
}

/* Read the rest of an array: a position, or arrays. */
static void
read_array(GeoJson *geo, bool outermost)
{
	Shape *shape = &geo->shape;
	unsigned numbers = 0;
	bool arrays = false;

	while (json_element(geo->json))
	{
		JsonType type = json_value(geo->json);

		if (type == JSON_NUMBER || type == JSON_STRING)
		{
			shape_text(shape, outermost && numbers == 0 ? "(" : "");
			read_number(geo, numbers++);
		}
		else if (type == JSON_ARRAY)
		{
			shape_text(shape, arrays ? "," : "(");
			arrays = true;
			read_array(geo, false);
		}
		else
		{
			json_skip(geo->json, type);
			shape->faulty = true;
		}
	}
	if (numbers > 0)
		shape_position(shape, numbers);
	shape->faulty |= numbers > 0 && arrays;
	if (arrays || (outermost && numbers > 0))
		shape_text(shape, ")");
	else if (numbers == 0)
		shape_text(shape, "EMPTY");
}

static void
read_coordinates(GeoJson *geo)
{
	JsonType type = json_value(geo->json);

	if (type == JSON_ARRAY)
		read_array(geo, true);
	else
		json_skip(geo->json, type);
}

static void read_geometries(GeoJson *geo);

/* Read a geometry of a collection. */
static void
read_part(GeoJson *geo)
{
	static const GeoMember members[] = {
		{"type", read_kind}, {"coordinates", read_coordinates}, {"geometries", read_geometries}};
	const char *outer = geo->kind;
	size_t place = geo->shape.length;

	geo->kind = NULL;
	read_object(geo, members, lengthof(members));
	shape_name(&geo->shape, place, geo->kind);
	geo->kind = outer;
}

static void
read_geometries(GeoJson *geo)
{
	JsonType type = json_value(geo->json);
	bool any = false;

	if (type != JSON_ARRAY)
	{
		json_skip(geo->json, type);
		return;
	}
	for (; json_element(geo->json); any = true)
	{
		shape_text(&geo->shape, any ? "," : "(");
		read_part(geo);
	}
	shape_text(&geo->shape, any ? ")" : "EMPTY");
}

/* The geometry of the open feature is whole. */
static void
end_geometry(GeoJson *geo)
{
	Shape *shape = &geo->shape;
	const char *reason;

	if (geo->kind == NULL || strcmp(geo->kind, "Point") == 0 || shape->positions == 0)
		return;
	if (shape->positions == 1)
	{
		features_single(geo->features);
		return;
	}
	shape_name(shape, 0, geo->kind);
	reason = shape_write(shape);
	if (reason == NULL)
		features_shape(geo->features, &shape->extent);
	else
		features_unplaced(geo->features, reason);
}

static void
read_geometry(GeoJson *geo)
{
	static const GeoMember members[] = {{"type", read_geometry_type},
										{"coordinates", read_coordinates},
										{"geometries", read_geometries}};

	geo->kind = NULL;
	shape_begin(&geo->shape, geo->parse);
	if (read_object(geo, members, lengthof(members)))
		end_geometry(geo);
}

static const GeoMember feature_members[] = {
	{"properties", read_properties}, {"geometry", read_geometry}, {"id", read_id}};

/* Members of the whole if it is a feature or a geometry. */
static const GeoMember own_members[] = {{"properties", read_properties},
										{"geometry", read_geometry},
										{"id", read_id},
										{"coordinates", read_coordinates},
										{"geometries", read_geometries}};

/* Is the system that parse->cell names WGS 84, with the longitude first as GeoJSON has it? */
static bool
is_usual(const Buffer *text)
{
	static const char digits[] = "4326";
	size_t length = strlen(digits);

	if (memmem(text->data, text->length, "CRS84", strlen("CRS84")) != NULL)
		return true;
	return text->length >= length &&
		   memcmp(text->data + text->length - length, digits, length) == 0 &&
		   (text->length == length ||
			strchr("0123456789", text->data[text->length - length - 1]) == NULL);
}

static void
check_system(GeoJson *geo, JsonType type)
{
	const Buffer *text = &geo->parse->cell;

	json_text(geo->json, type);
	if (type != JSON_NULL && text->length > 0 && !is_usual(text))
		features_foreign(geo->features, text->data, text->length);
}

static void
read_system(GeoJson *geo)
{
	check_system(geo, json_value(geo->json));
}

static void
read_system_properties(GeoJson *geo)
{
	static const GeoMember members[] = {
		{"name", read_system}, {"code", read_system}, {"href", read_system}};

	read_object(geo, members, lengthof(members));
}

/* Read the coordinate reference system, which files of before RFC 7946 name. */
static void
read_crs(GeoJson *geo)
{
	static const GeoMember members[] = {{"properties", read_system_properties}};
	JsonType type = json_value(geo->json);

	if (type != JSON_OBJECT)
		check_system(geo, type);
	else
		while (json_member(geo->json))
			read_member(geo, members, lengthof(members));
}

static void
read_features(GeoJson *geo)
{
	JsonType type = json_value(geo->json);

	if (type != JSON_ARRAY || geo->listed)
		parse_refuse(geo->parse, "the file is not GeoJSON: its features are no array");
	if (geo->is_open)
		features_drop(geo->features);
	geo->is_open = false;
	geo->listed = true;
	while (json_element(geo->json))
	{
		features_open(geo->features);
		if (!read_object(geo, feature_members, lengthof(feature_members)))
			parse_refuse(geo->parse, "the file is not GeoJSON: a feature is no object");
		features_close(geo->features);
	}
}

static void
read_type(GeoJson *geo)
{
	Buffer *text = &geo->parse->cell;
	JsonType type = json_value(geo->json);

	if (type == JSON_STRING && text->length > 0 && text->length < sizeof(geo->type))
		memcpy(geo->type, text->data, text->length);
	json_skip(geo->json, type);
}

/* Read a member of the whole that a feature or a geometry has, if the whole may be one. */
static void
read_own_member(GeoJson *geo)
{
	if (geo->listed || (geo->type[0] != '\0' && strcmp(geo->type, "Feature") != 0 &&
						features_kind(geo->type, strlen(geo->type)) == NULL))
	{
		pass_value(geo);
		return;
	}
	if (!geo->is_open)
	{
		features_open(geo->features);
		shape_begin(&geo->shape, geo->parse);
	}
	geo->is_open = true;
	read_member(geo, own_members, lengthof(own_members));
}

/* Read a member of the whole, whose name is in parse->cell. */
static void
read_whole_member(GeoJson *geo)
{
	if (json_is(geo->json, "type"))
		read_type(geo);
	else if (json_is(geo->json, "features"))
		read_features(geo);
	else if (json_is(geo->json, "crs"))
		read_crs(geo);
	else
		read_own_member(geo);
}

void
geojson_read(Parse *parse)
{
	static const char *const titles[] = {NULL};
	GeoJson *geo = parse_allocate(parse, sizeof(GeoJson));
	bool bare;

	geo->parse = parse;
	geo->json = json_open(parse, "file");
	json_check_magic(geo->json);
	geo->features = features_begin(
		parse, &(FeaturesForm){titles, .number = 1, .name = "", .systems = parse->options.systems});
	geo->shape.convert = features_convert;
	geo->shape.data = geo->features;
	if (json_value(geo->json) != JSON_OBJECT)
		parse_refuse(parse, "the file is not GeoJSON: it is no object");
	while (json_member(geo->json))
		read_whole_member(geo);
	json_end(geo->json);
	bare = features_kind(geo->type, strlen(geo->type)) != NULL;
	if (bare && geo->is_open)
	{
		features_geometry(geo->features, geo->type, strlen(geo->type));
		geo->kind = features_kind(geo->type, strlen(geo->type));
		end_geometry(geo);
	}
	if ((bare || strcmp(geo->type, "Feature") == 0) && geo->is_open)
		features_close(geo->features);
	else if (strcmp(geo->type, "FeatureCollection") != 0 || !geo->listed)
		parse_refuse(
			parse, "the file is not GeoJSON: it is no collection of features, feature or geometry");
	else if (geo->is_open)
		features_drop(geo->features);
	features_end(geo->features);
}
