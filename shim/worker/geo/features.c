/*
 * features.c - the features of a geographic file as rows of one sheet.
 */

#include "geo/features.h"
#include "geo/shape.h"
#include "rows/columns.h"

#define AXES 3
#define COORDINATE_MAXIMUM 256 /* bytes of a number of a position */
#define SYSTEM_MAXIMUM 100	   /* bytes of the name of a coordinate reference system */

enum
{
	COLUMN_LONGITUDE,
	COLUMN_LATITUDE,
	COLUMNS_OF_POINTS
};

struct Features
{
	Parse *parse;
	Sheet *sheet;
	FeaturesPlace place;
	unsigned axes;		 /* columns of coordinates */
	unsigned fixed;		 /* columns before those of properties */
	unsigned near;		 /* column behind that of the property before */
	unsigned data[DATA]; /* columns, from 1; 0: there is none yet */
	const Systems *systems;
	char *named;		/* the system to convert from, until the first position; NULL: none */
	const void *system; /* to convert from; NULL: none */
	uint64_t number;	/* of the open feature */
	uint64_t others;	/* features without a point */
	uint64_t longer;	/* geometries that are longer than another cell may be, */
	uint64_t omitted;	/* and those that are too long to be kept */
	bool placed;		/* the open feature has a shape, or it was told why it has none */
	const char *kind;	/* of the geometry; NULL: there is none */
	size_t lengths[AXES];
	char position[AXES][COORDINATE_MAXIMUM + 1];
};

static const char point[] = "Point";

/* Add the columns that each feature has. */
static void
add_columns(Features *features, const char *const *titles)
{
	static const char *const axes[COLUMNS_OF_POINTS] = {"longitude", "latitude"};

	for (unsigned i = 0; i < features->axes && i < COLUMNS_OF_POINTS; i++)
		sheet_column(features->sheet, i, i, axes[i], strlen(axes[i]));
	features->fixed = features->axes;
	for (; *titles != NULL; titles++, features->fixed++)
		sheet_column(features->sheet, features->fixed, features->fixed, *titles, strlen(*titles));
	if (features->place == PLACE_SHAPE || features->place == PLACE_MIXED)
		features_datum(features, DATUM_GEOMETRY);
	features->near = features->fixed;
	features->sheet->geography.longitude = features->axes > 0 ? COLUMN_LONGITUDE + 1 : 0;
	features->sheet->geography.latitude = features->axes > 0 ? COLUMN_LATITUDE + 1 : 0;
	features->sheet->geography.geometry = features->data[DATUM_GEOMETRY];
}

Features *
features_begin(Parse *parse, const FeaturesForm *form)
{
	Features *features = parse_allocate(parse, sizeof(Features));

	features->parse = parse;
	features->place = form->place;
	features->systems = form->systems;
	if (form->place == PLACE_POINT || form->place == PLACE_MIXED)
		features->axes = COLUMNS_OF_POINTS;
	/* each row is a feature, and names of columns stand in none */
	parse->options.header = HEADER_FIRST;
	parse->options.skip = 0;
	features->sheet = sheet_begin(parse, form->number, form->name, form->hidden);
	features->sheet->headed = true;
	features->sheet->named = true;
	add_columns(features, form->titles);
	/* sheet_undo() keeps these columns */
	features->sheet->kept_width = features->sheet->width;
	return features;
}

void
features_open(Features *features)
{
	features->number++;
	features->near = features->fixed;
	features->kind = NULL;
	features->placed = false;
	/* columns of a row that was left out do not exist any more */
	for (unsigned i = 0; i < DATA; i++)
		if (features->data[i] > features->sheet->width)
			features->data[i] = 0;
	memset(features->lengths, 0, sizeof(features->lengths));
}

static bool
is_datum(const Features *features, unsigned column)
{
	for (unsigned i = 0; i < DATA; i++)
		if (features->data[i] == column + 1)
			return true;
	return false;
}

unsigned
features_column(Features *features, const char *name, size_t length)
{
	Sheet *sheet = features->sheet;
	unsigned column = sheet_column(sheet, features->fixed, features->near, name, length);

	/* at most one datum has the name */
	if (is_datum(features, column))
		column = sheet_column(sheet, features->fixed, features->fixed, name, length);
	if (is_datum(features, column))
		column = sheet_column(sheet, column + 1, column + 1, name, length);
	features->near = column + 1;
	return column;
}

unsigned
features_datum(Features *features, Datum datum)
{
	static const char *const names[DATA] = {"altitude",	 "feature_id",	"id",	   "folder",
											"address",	 "phoneNumber", "Snippet", "link",
											"timestamp", "begin",		"end",	   "geometry"};
	Sheet *sheet = features->sheet;
	unsigned *column = &features->data[datum];

	if (*column == 0)
	{
		*column =
			sheet_column(sheet, sheet->width, sheet->width, names[datum], strlen(names[datum])) + 1;
		if (*column <= sheet->width)
			sheet->columns[*column - 1]->own = true;
	}
	return *column - 1;
}

void
features_report(Features *features, const char *reason)
{
	sheet_issue(features->sheet, features->number == 0 ? 1 : features->number, "%s", reason);
}

/* The coordinates stay in their system. */
static void
stay_foreign(Features *features, const char *system, size_t length)
{
	features->sheet->geography.foreign = true;
	sheet_issue(
		features->sheet, 1,
		"the coordinates are in \"%.*s\", not in WGS 84, so their columns are called x and y",
		(int) frame_cut(system, length, SYSTEM_MAXIMUM), system);
}

void
features_foreign(Features *features, const char *system, size_t length)
{
	if (features->systems == NULL || features->number > 0 || length > SYSTEM_MAXIMUM)
	{
		stay_foreign(features, system, length);
		return;
	}
	features->named = parse_allocate(features->parse, length + 1);
	memcpy(features->named, system, length);
}

/* Find the system that the file has named, now that there is a position. */
static void
find_system(Features *features, double x, double y)
{
	FoundSystem found;
	char *name = features->named;

	features->named = NULL;
	if (!features->systems->find(&found, name, &(Bounds){x, y, x, y}))
		stay_foreign(features, name, strlen(name));
	else
		features->system = found.system;
	if (features->system != NULL && *found.note != '\0')
		features_report(features, found.note);
	parse_release(features->parse, name);
}

bool
features_convert(void *data, double *x, double *y)
{
	Features *features = data;

	if (features->named != NULL)
		find_system(features, *x, *y);
	return features->system == NULL || features->systems->convert(features->system, x, y, 1);
}

/* Parse the position of a point; false: it has none. */
static bool
read_position(Features *features, double number[2])
{
	for (unsigned axis = 0; axis < 2; axis++)
	{
		char *text = features->position[axis];
		char *end;

		text[features->lengths[axis]] = '\0';
		number[axis] = strtod(text, &end);
		if (end == text || *end != '\0')
			return false;
	}
	return true;
}

/* Convert the position of a point; false: it is none. */
static bool
convert_position(Features *features)
{
	double number[2];

	if (!read_position(features, number))
		return features->named == NULL && features->system == NULL;
	if (!features_convert(features, &number[0], &number[1]))
		return false;
	geography_add(&features->sheet->geography.open, number[0], number[1]);
	for (unsigned axis = 0; features->system != NULL && axis < lengthof(number); axis++)
		features->lengths[axis] = geography_format(features->position[axis], number[axis]);
	return true;
}

void
features_unknown(Features *features)
{
	features->sheet->geography.foreign = true;
	sheet_issue(
		features->sheet, 1,
		"the file does not say in which system its coordinates are, and they are no degrees, so "
		"they are not converted to WGS 84");
}

unsigned
features_format_column(const Features *features, unsigned index)
{
	return features->axes + index;
}

void
features_single(Features *features)
{
	features->kind = point;
}

void
features_shape(Features *features, const Extent *extent)
{
	const Buffer *wkt = &features->parse->shape;
	Sheet *sheet = features->sheet;
	unsigned column = features_datum(features, DATUM_GEOMETRY);

	features->placed = true;
	sheet->geography.open = *extent;
	sheet->geography.geometry = column + 1;
	if (wkt->length > CONTENTS_CELL)
	{
		features->longer++;
		features_report(features,
						"the geometry is longer than 1 MiB as WKT, so that contents and CSV "
						"do not have it; maps and GeoJSON do");
	}
	sheet_cell(sheet, column, wkt->data, wkt->length);
}

void
features_unplaced(Features *features, const char *reason)
{
	features->placed = true;
	features->omitted += strcmp(reason, SHAPE_LONG) == 0;
	features_report(features, reason);
}

void
features_set(Features *features, unsigned column)
{
	sheet_text(features->sheet, column);
}

const char *
features_kind(const char *kind, size_t length)
{
	static const char *const kinds[] = {
		point,			 "MultiPoint",	 "LineString",		   "MultiLineString",
		"Polygon",		 "MultiPolygon", "GeometryCollection", "LinearRing",
		"MultiGeometry", "Track",		 "MultiTrack",		   "Model",
	};

	for (size_t i = 0; i < lengthof(kinds); i++)
		if (strlen(kinds[i]) == length && memcmp(kinds[i], kind, length) == 0)
			return kinds[i];
	return NULL;
}

bool
features_geometry(Features *features, const char *kind, size_t length)
{
	if (features->kind != NULL)
	{
		features_report(features, "the feature has several geometries, and the first was taken");
		return false;
	}
	features->kind = features_kind(kind, length);
	if (features->kind == NULL)
		features->kind = "another one";
	return true;
}

void
features_position(Features *features, unsigned axis, const char *text, size_t length)
{
	if (axis == AXES)
		features_report(features,
						"the position has more than three numbers, and the first were taken");
	if (axis >= AXES)
		return;
	if (length > COORDINATE_MAXIMUM)
	{
		features_report(features,
						"a number of the position is longer than 256 bytes and was left out");
		length = 0;
	}
	features->lengths[axis] = length;
	if (length > 0)
		memcpy(features->position[axis], text, features->lengths[axis]);
}

/* Put a number of the position into its column. */
static void
put_position(Features *features, unsigned column, unsigned axis)
{
	if (features->lengths[axis] > 0)
		sheet_cell(features->sheet, column, features->position[axis], features->lengths[axis]);
}

/* Why the feature has no coordinates. */
static void
report_other(Features *features)
{
	if (features->place == PLACE_NONE)
		return;
	features->others++;
	if (features->placed)
		return;
	if (features->axes == 0)
		features_report(features, "the feature has no geometry");
	else if (features->kind == NULL)
		sheet_issue(features->sheet, features->number,
					"the feature has no geometry, so its longitude and latitude are empty");
	else if (features->kind != point)
		sheet_issue(features->sheet, features->number,
					"the geometry is not a point (%s), so its longitude and latitude are empty",
					features->kind);
	else
		sheet_issue(features->sheet, features->number,
					"the point has no position, so its longitude and latitude are empty");
}

void
features_close(Features *features)
{
	if (features->kind == point && features->lengths[0] > 0 && features->lengths[1] > 0 &&
		convert_position(features))
	{
		put_position(features, COLUMN_LONGITUDE, 0);
		put_position(features, COLUMN_LATITUDE, 1);
		if (features->lengths[2] > 0)
			put_position(features, features_datum(features, DATUM_ALTITUDE), 2);
	}
	else
		report_other(features);
	features->sheet->geography.geometry = features->data[DATUM_GEOMETRY];
	sheet_row(features->sheet, features->number);
}

void
features_drop(Features *features)
{
	features->number--;
	sheet_undo(features->sheet);
}

void
features_end(Features *features)
{
	sheet_detail(features->parse, "otherGeometries", features->others);
	sheet_detail(features->parse, "longGeometries", features->longer);
	sheet_detail(features->parse, "omittedGeometries", features->omitted);
	if (features->sheet->geography.foreign)
		for (unsigned i = 0; i < features->axes; i++)
		{
			features->sheet->columns[i]->title[0] = i == COLUMN_LONGITUDE ? 'x' : 'y';
			features->sheet->columns[i]->title_length = 1;
		}
	features->sheet->titles = features->sheet->width;
	sheet_end(features->sheet);
}
