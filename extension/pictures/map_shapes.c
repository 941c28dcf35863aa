/*
 * map_shapes.c
 *	  Geometries of GeoJSON (RFC 7946).
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "base/body.h"
#include "pictures/map_internal.h"

/* What the coordinates of a type of geometry are. */
static const struct
{
	const char *type;
	ShapeKind kind;
} types[] = {
	{"Point", SHAPE_POINT},	 {"MultiPoint", SHAPE_POINT},  {"LineString", SHAPE_LINE},
	{"Polygon", SHAPE_AREA}, {"MultiPolygon", SHAPE_AREA}, {"MultiLineString", SHAPE_LINE},
};

static void read_object(MapShapes *shapes, const char *json);

/* Make room for one more element; the array is in the context of the first one. */
static void *
grow(void *array, int count, int *size, Size element)
{
	if (count < *size)
		return array;
	*size *= 2;
	return repalloc_huge(array, element * (Size) *size);
}

/* Add a position, unless there is none on Earth with these coordinates. */
static void
add_position(MapShapes *shapes, const double *numbers, bool begins)
{
	if (!(numbers[0] >= -180 && numbers[0] <= 180 && numbers[1] >= -90 && numbers[1] <= 90))
		return;
	shapes->positions =
		grow(shapes->positions, shapes->npositions, &shapes->positions_size, sizeof(MapPosition));
	shapes->positions[shapes->npositions++] = (MapPosition){numbers[0], numbers[1], begins};
}

/*
 * Add the positions in coordinates, which are arrays of any depth.  An array of numbers is a
 * position, the end of an array of arrays is that of a line or an edge.
 *
 * json: valid JSON.
 */
static void
read_positions(MapShapes *shapes, const char *json)
{
	double numbers[2];
	int count = 0;
	bool begins = true;

	while (*json)
	{
		char *end;

		if (*json == '"')
			return; /* a text is no coordinate */
		if (*json == '-' || (*json >= '0' && *json <= '9'))
		{
			double number = strtod(json, &end);

			if (count < 2)
				numbers[count] = number;
			count++;
			json = end;
			continue;
		}
		if (*json == ']' && count >= 2)
		{
			int before = shapes->npositions;

			add_position(shapes, numbers, begins);
			begins &= shapes->npositions == before;
		}
		else if (*json == ']')
			begins = true;
		if (*json == '[' || *json == ']')
			count = 0;
		json++;
	}
}

/* Add a geometry with coordinates. */
static void
add_shape(MapShapes *shapes, ShapeKind kind, const char *coordinates)
{
	Shape shape = {kind, shapes->npositions, 0};

	read_positions(shapes, coordinates);
	shape.count = shapes->npositions - shape.first;
	if (shape.count == 0)
		return;
	if (kind == SHAPE_POINT)
		shapes->npoints += shape.count;
	shapes->list = grow(shapes->list, shapes->count, &shapes->size, sizeof(Shape));
	shapes->list[shapes->count++] = shape;
}

/* Read the objects of an array, one after the other. */
static void
read_array(MapShapes *shapes, const char *json)
{
	MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "shape of a map", ALLOCSET_SMALL_SIZES);
	ListCell *cell;

	foreach(cell, cat_body_elements(json))
	{
		const Member *element = lfirst(cell);
		MemoryContext old = MemoryContextSwitchTo(memory);

		CHECK_FOR_INTERRUPTS();
		if (element->kind == MEMBER_OBJECT)
			read_object(shapes, element->raw);
		MemoryContextSwitchTo(old);
		MemoryContextReset(memory);
	}
	MemoryContextDelete(memory);
}

/* Read a geometry, a feature, or a collection of them. */
static void
read_object(MapShapes *shapes, const char *json)
{
	List *members = cat_body_members(json, strlen(json));
	const Member *type = cat_body_member(members, "type");
	ListCell *cell;

	check_stack_depth();
	if (!type || type->kind != MEMBER_STRING || !type->text)
		return;
	foreach(cell, members)
	{
		const Member *member = lfirst(cell);

		if (member->kind == MEMBER_ARRAY &&
			(strcmp(member->name, "features") == 0 || strcmp(member->name, "geometries") == 0))
			read_array(shapes, member->raw);
		else if (member->kind == MEMBER_OBJECT && strcmp(member->name, "geometry") == 0)
			read_object(shapes, member->raw);
		else if (member->kind == MEMBER_ARRAY && strcmp(member->name, "coordinates") == 0)
			for (size_t i = 0; i < lengthof(types); i++)
				if (strcmp(types[i].type, type->text) == 0)
					add_shape(shapes, types[i].kind, member->raw);
	}
}

MapShapes
cat_map_shapes_read(const char *geojson)
{
	MapShapes shapes = {.size = 64, .positions_size = 256};
	const Member *value = cat_body_value(geojson);

	shapes.list = palloc(sizeof(Shape) * (Size) shapes.size);
	shapes.positions = palloc(sizeof(MapPosition) * (Size) shapes.positions_size);
	if (value && value->kind == MEMBER_OBJECT)
		read_object(&shapes, geojson);
	return shapes;
}
