/*
 * map_shapes.c
 *	  The points, lines and areas of GeoJSON.
 */
#include "catalogue.h"

#include "common/jsonapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "rows/pictures/pictures_internal.h"

/* What the coordinates of a type of geometry are. */
static const struct
{
	const char *type;
	ShapeKind kind;
} types[] = {
	{"Point", SHAPE_POINT},	 {"MultiPoint", SHAPE_POINT},  {"LineString", SHAPE_LINE},
	{"Polygon", SHAPE_AREA}, {"MultiPolygon", SHAPE_AREA}, {"MultiLineString", SHAPE_LINE},
};

/* What the value of a member is to an object of GeoJSON. */
typedef enum Role
{
	ROLE_NONE,
	ROLE_TYPE,
	ROLE_COORDINATES,
	ROLE_GEOMETRY,
	ROLE_CLASS,
	ROLE_LIST /* of geometries or features */
} Role;

/* An object or array that is being read. */
typedef struct Level
{
	bool read;					   /* an object that is one of GeoJSON, or an array of such */
	Role role;					   /* of the member that is being read */
	int type;					   /* index in types; -1: another type; -2: none so far */
	int class;					   /* of a feature, from 1; 0: none */
	int first, count;			   /* of the positions in its coordinates */
	int shapes, positions, points; /* number of those before it */
} Level;

typedef struct Reader
{
	MapShapes *shapes;
	Level *levels;
	int depth, size;
	/* of coordinates, which are arrays of any depth */
	int arrays;	  /* that are open */
	bool stopped; /* at what is none */
	bool begins;  /* the next position begins a line or an edge */
	int count;	  /* numbers of the position, of which two are kept */
	double numbers[2];
} Reader;

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
add_position(Reader *reader)
{
	MapShapes *shapes = reader->shapes;
	const double *numbers = reader->numbers;

	if (!(numbers[0] >= -180 && numbers[0] <= 180 && numbers[1] >= -90 && numbers[1] <= 90))
		return;
	shapes->positions =
		grow(shapes->positions, shapes->npositions, &shapes->positions_size, sizeof(MapPosition));
	shapes->positions[shapes->npositions++] = (MapPosition){numbers[0], numbers[1], reader->begins};
	reader->begins = false;
}

/* The object or array that is being read, NULL at the outermost value. */
static Level *
here(const Reader *reader)
{
	return reader->depth > 0 ? &reader->levels[reader->depth - 1] : NULL;
}

/* Begin an object or array whose parent has a role for it. */
static void
begin_level(Reader *reader, bool read)
{
	const MapShapes *shapes = reader->shapes;

	check_stack_depth();
	reader->levels = grow(reader->levels, reader->depth, &reader->size, sizeof(Level));
	reader->levels[reader->depth++] = (Level){.read = read,
											  .type = -2,
											  .shapes = shapes->count,
											  .positions = shapes->npositions,
											  .points = shapes->npoints};
}

static JsonActionResult
on_object_start(void *state)
{
	Reader *reader = state;
	const Level *parent = here(reader);

	CHECK_FOR_INTERRUPTS();
	reader->stopped |= reader->arrays > 0;
	begin_level(reader, !parent || (parent->read &&
									(parent->role == ROLE_GEOMETRY || parent->role == ROLE_LIST)));
	JSON_ACTION_DONE;
}

/* Add the shape of an object; one without type or with coordinates that it cannot have adds nothing. */
static JsonActionResult
on_object_end(void *state)
{
	Reader *reader = state;
	MapShapes *shapes = reader->shapes;
	const Level *level = &reader->levels[--reader->depth];

	if (!level->read)
		JSON_ACTION_DONE;
	for (int i = level->shapes; level->class > 0 && i < shapes->count; i++)
		shapes->list[i].class = level->class;
	if (level->type == -2 || (level->type == -1 && level->count > 0))
	{
		shapes->count = level->shapes;
		shapes->npositions = level->positions;
		shapes->npoints = level->points;
	}
	else if (level->count > 0)
	{
		shapes->list = grow(shapes->list, shapes->count, &shapes->size, sizeof(Shape));
		shapes->list[shapes->count++] =
			(Shape){types[level->type].kind, level->first, level->count, 0};
		if (types[level->type].kind == SHAPE_POINT)
			shapes->npoints += level->count;
	}
	JSON_ACTION_DONE;
}

static JsonActionResult
on_array_start(void *state)
{
	Reader *reader = state;
	Level *parent = here(reader);

	if (reader->arrays > 0)
		reader->arrays++;
	else if (parent && parent->read && parent->role == ROLE_COORDINATES)
	{
		reader->arrays = 1;
		reader->stopped = false;
		reader->begins = true;
		parent->first = reader->shapes->npositions;
	}
	else
	{
		begin_level(reader, parent && parent->read && parent->role == ROLE_LIST);
		here(reader)->role = ROLE_LIST;
	}
	reader->count = 0;
	JSON_ACTION_DONE;
}

/* The end of an array of numbers is that of a position, that of another one of a line or an edge. */
static JsonActionResult
on_array_end(void *state)
{
	Reader *reader = state;

	if (reader->arrays == 0)
	{
		reader->depth--;
		JSON_ACTION_DONE;
	}
	if (!reader->stopped && reader->count >= 2)
		add_position(reader);
	else
		reader->begins = true;
	reader->count = 0;
	if (--reader->arrays == 0)
		here(reader)->count = reader->shapes->npositions - here(reader)->first;
	JSON_ACTION_DONE;
}

static JsonActionResult
on_field_start(void *state, char *name, bool isnull)
{
	static const char *const names[] = {[ROLE_TYPE] = "type",
										[ROLE_COORDINATES] = "coordinates",
										[ROLE_GEOMETRY] = "geometry",
										[ROLE_CLASS] = "class"};
	Reader *reader = state;
	Level *level = here(reader);

	level->role =
		strcmp(name, "features") == 0 || strcmp(name, "geometries") == 0 ? ROLE_LIST : ROLE_NONE;
	for (Role role = ROLE_TYPE; role < lengthof(names); role++)
		if (strcmp(names[role], name) == 0)
			level->role = role;
	pfree(name);
	JSON_ACTION_DONE;
}

static JsonActionResult
on_scalar(void *state, char *token, JsonTokenType kind)
{
	Reader *reader = state;
	Level *level = here(reader);

	if (reader->arrays > 0)
	{
		reader->stopped |= kind == JSON_TOKEN_STRING;
		if (kind == JSON_TOKEN_NUMBER && reader->count++ < 2)
			reader->numbers[reader->count - 1] = strtod(token, NULL);
	}
	else if (level && level->read && level->role == ROLE_CLASS && kind == JSON_TOKEN_NUMBER)
		level->class = (int) strtol(token, NULL, 10);
	else if (level && level->read && level->role == ROLE_TYPE && kind == JSON_TOKEN_STRING)
	{
		level->type = -1;
		for (int i = 0; i < (int) lengthof(types); i++)
			if (strcmp(types[i].type, token) == 0)
				level->type = i;
	}
	pfree(token);
	JSON_ACTION_DONE;
}

MapShapes
cat_map_shapes_read(const char *geojson)
{
	MapShapes shapes = {.size = 64, .positions_size = 256};
	Reader reader = {.shapes = &shapes, .size = 16};
	JsonSemAction actions = {.semstate = &reader,
							 .object_start = on_object_start,
							 .object_end = on_object_end,
							 .array_start = on_array_start,
							 .array_end = on_array_end,
							 .object_field_start = on_field_start,
							 .scalar = on_scalar};
	JsonLexContext *lexer = compat_json_lexer(geojson, strlen(geojson));

	shapes.list = palloc(sizeof(Shape) * (Size) shapes.size);
	shapes.positions = palloc(sizeof(MapPosition) * (Size) shapes.positions_size);
	reader.levels = palloc(sizeof(Level) * (Size) reader.size);
	/* what cannot be read, such as half of a surrogate pair, ends the shapes */
	(void) pg_parse_json(lexer, &actions);
	compat_json_lexer_free(lexer);
	return shapes;
}
