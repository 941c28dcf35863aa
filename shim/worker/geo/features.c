/*
 * features.c - the features of a geographic file as rows of one sheet.
 */
#include <string.h>

#include "geo/features.h"

#define AXES 3
#define COORDINATE_MAXIMUM 64 /* bytes of a number of a position that are kept */

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
	unsigned fixed;	  /* columns before those of properties */
	unsigned near;	  /* column behind that of the property before */
	uint64_t number;  /* of the open feature */
	uint64_t others;  /* features without a point */
	const char *kind; /* of the geometry; NULL: there is none */
	size_t lengths[AXES];
	char position[AXES][COORDINATE_MAXIMUM];
};

static const char point[] = "Point";

Features *
features_begin(Parse *parse, const char *const *titles)
{
	static const char *const axes[COLUMNS_OF_POINTS] = {"longitude", "latitude"};
	Features *features = parse_allocate(parse, sizeof(Features));

	features->parse = parse;
	/* each row is a feature, and names of columns stand in none */
	parse->options.header = HEADER_FIRST;
	parse->options.skip = 0;
	features->sheet = sheet_begin(parse, 1, "", false);
	features->sheet->headed = true;
	features->sheet->named = true;
	for (unsigned i = 0; i < COLUMNS_OF_POINTS; i++)
		sheet_column(features->sheet, i, i, axes[i], strlen(axes[i]));
	features->fixed = COLUMNS_OF_POINTS;
	for (; *titles != NULL; titles++, features->fixed++)
		sheet_column(features->sheet, features->fixed, features->fixed, *titles, strlen(*titles));
	features->near = features->fixed;
	/* sheet_undo() keeps these columns */
	features->sheet->mark_width = features->sheet->width;
	return features;
}

void
features_open(Features *features)
{
	features->number++;
	features->near = features->fixed;
	features->kind = NULL;
	memset(features->lengths, 0, sizeof(features->lengths));
}

unsigned
features_column(Features *features, const char *name, size_t length)
{
	unsigned column = sheet_column(features->sheet, features->fixed, features->near, name, length);

	features->near = column + 1;
	return column;
}

unsigned
features_format_column(unsigned place)
{
	return COLUMNS_OF_POINTS + place;
}

void
features_set(Features *features, unsigned column)
{
	Buffer *text = &features->parse->cell;

	if (text->failed)
		features->sheet->fault = "a cell of the row is longer than 1 MiB";
	else
		sheet_cell(features->sheet, column, text->length > 0 ? text->data : "", text->length);
}

bool
features_geometry(Features *features, const char *kind, size_t length)
{
	static const char *const kinds[] = {
		point,			 "MultiPoint",	 "LineString",		   "MultiLineString",
		"Polygon",		 "MultiPolygon", "GeometryCollection", "LinearRing",
		"MultiGeometry", "Track",		 "MultiTrack",		   "Model",
	};

	if (features->kind != NULL)
		return false;
	features->kind = "another one";
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (strlen(kinds[i]) == length && memcmp(kinds[i], kind, length) == 0)
			features->kind = kinds[i];
	return true;
}

void
features_position(Features *features, unsigned axis, const char *text, size_t length)
{
	if (axis >= AXES)
		return;
	features->lengths[axis] = length < COORDINATE_MAXIMUM ? length : COORDINATE_MAXIMUM;
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
tell_other(Features *features)
{
	features->others++;
	if (features->kind == NULL)
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
	static const char altitude[] = "altitude";

	if (features->kind == point && features->lengths[0] > 0 && features->lengths[1] > 0)
	{
		put_position(features, COLUMN_LONGITUDE, 0);
		put_position(features, COLUMN_LATITUDE, 1);
		if (features->lengths[2] > 0)
			put_position(features, features_column(features, altitude, strlen(altitude)), 2);
	}
	else
		tell_other(features);
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
	if (features->others > 0)
		buffer_format(&features->parse->details, ",\"otherGeometries\":%llu",
					  (unsigned long long) features->others);
	features->sheet->titles = features->sheet->width;
	sheet_end(features->sheet);
}
