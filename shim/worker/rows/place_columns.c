/*
 * place_columns.c - the system that parseOptions.crs names, and the columns that are added to a table
 * with its places in WGS 84.
 */
#include <math.h>

#include "rows/places.h"

#define REASON_SYSTEM 100 /* bytes of the name of a system that a reason quotes, at most */
#define NOWHERE ((Bounds){1, 1, -1, -1})
#define MARGIN 1.0 /* degrees around the area of a system */

/* Find the system for places within bounds. */
static bool
find_system(Sheet *sheet, Places *places, const Bounds *bounds)
{
	const Options *options = &sheet->parse->options;

	return options->systems != NULL &&
		   options->systems->find(&places->system, options->crs, bounds);
}

void
place_columns_find_system(Sheet *sheet, Places *places)
{
	const Options *options = &sheet->parse->options;
	char reason[REASON_MAXIMUM];

	places->said = options->crs != NULL;
	if (!places->said || find_system(sheet, places, &NOWHERE))
		return;
	snprintf(reason, sizeof(reason),
			 "parseOptions.crs: \"%.*s\" is no known system of coordinates on maps",
			 (int) frame_cut(options->crs, strlen(options->crs), REASON_SYSTEM), options->crs);
	parse_refuse_file(sheet->parse, reason);
}

/* The sign before decimals that the cells of a column in the chunk tell; clear: set to false if a comma in
 * them could be two things. */
static Decimal
sign_of(Sheet *sheet, const Column *column, unsigned rows, bool *clear)
{
	Profile *profile = parse_allocate(sheet->parse, sizeof(Profile));
	Decimal decimal;

	profile_begin(profile, sheet->parse);
	profile_cells(profile, 1, column->lengths, column->bytes,
				  rows < column->rows ? rows : column->rows);
	decimal = profile_decimal(profile);
	*clear &= profile_is_clear(profile);
	profile_end(profile);
	parse_release(sheet->parse, profile);
	return decimal;
}

void
place_columns_find_decimal(Sheet *sheet, unsigned rows)
{
	Places *places = sheet->places;
	bool clear = true;
	Decimal north;
	Decimal east;

	if (places->system.system == NULL)
		return;
	north = sign_of(sheet, places->columns[PLACES_LATITUDE].column, rows, &clear);
	east = sign_of(sheet, places->columns[PLACES_LONGITUDE].column, rows, &clear);
	if (north == DECIMALS || east == DECIMALS || north == east)
		places->decimal = north == DECIMALS ? east : north;
	places->doubtful = !clear && places->decimal == DECIMALS;
}

/* Extend bounds to a position. */
static void
extend(Bounds *bounds, double x, double y)
{
	bool any = bounds->west <= bounds->east;

	bounds->west = any ? fmin(bounds->west, x) : x;
	bounds->south = any ? fmin(bounds->south, y) : y;
	bounds->east = any ? fmax(bounds->east, x) : x;
	bounds->north = any ? fmax(bounds->north, y) : y;
}

/* Extend bounds to the positions of a geometry, which is not converted. */
static bool
extend_by_shape(const void *bounds, double *x, double *y, size_t count)
{
	for (size_t i = 0; i < count; i++)
		extend((Bounds *) (uintptr_t) bounds, x[i], y[i]);
	return true;
}

static Bounds
bounds_of_points(const PlacePoints *points, unsigned rows)
{
	Bounds bounds = NOWHERE;

	for (unsigned i = 0; i < rows; i++)
		if (isfinite(points->longitude[i]))
			extend(&bounds, points->longitude[i], points->latitude[i]);
	return bounds;
}

static Bounds
bounds_of_shapes(const Sheet *sheet, unsigned rows)
{
	Bounds bounds = NOWHERE;
	WktConversion conversion = {extend_by_shape, &bounds, NULL};
	PlaceCells cells =
		place_cells_begin(sheet->parse, sheet->places->columns[PLACES_GEOMETRY].column);
	NumberText cell;

	for (unsigned i = 0; i < rows; i++)
		if (place_cells_next(&cells, &cell))
			(void) wkt_read(cell.at, cell.length, &(Extent){0}, &conversion);
	return bounds;
}

/* The number of columns up to the last one that has a title, or a cell in the chunk. */
static unsigned
used_columns(const Sheet *sheet)
{
	unsigned used = sheet->kept_width;

	for (; used > 0; used--)
	{
		const Column *column = sheet->columns[used - 1];
		bool open = column->touched == sheet->rows + 1;

		if (column->title_length > 0 || (open ? column->kept_length : column->length) > 0)
			break;
	}
	return used;
}

static void
add_column(Sheet *sheet, PlaceKind kind, const char *title)
{
	Places *places = sheet->places;

	places->columns[kind].added = column_insert(sheet, places->added_at + places->added, title);
	places->added++;
}

static void
add_columns(Sheet *sheet)
{
	Places *places = sheet->places;

	if (sheet->width + PLACES_KINDS > CONTENTS_COLUMNS)
	{
		sheet_issue(sheet, sheet->head,
					"the coordinates are not converted, since the sheet has too many columns");
		return;
	}
	places->added_at = used_columns(sheet);
	if (places->columns[PLACES_LONGITUDE].column != NULL)
	{
		add_column(sheet, PLACES_LONGITUDE, "longitude");
		add_column(sheet, PLACES_LATITUDE, "latitude");
	}
	else
		add_column(sheet, PLACES_GEOMETRY, "geometry");
}

void
place_columns_begin(Sheet *sheet, unsigned rows, const PlacePoints *points)
{
	Places *places = sheet->places;
	Bounds bounds;

	if (places->doubtful || (places->system.system == NULL && !places->parts))
		return;
	add_columns(sheet);
	if (places->system.system == NULL)
		return;
	bounds = points != NULL ? bounds_of_points(points, rows) : bounds_of_shapes(sheet, rows);
	places->close = !places->system.degrees && bounds.west >= -180 && bounds.east <= 180 &&
					bounds.south >= -90 && bounds.north <= 90 && bounds.west <= bounds.east;
	(void) find_system(sheet, places, &bounds);
}

static void
put_number(Sheet *sheet, PlaceKind kind, unsigned row, double number)
{
	char text[GEOGRAPHY_NUMBER];

	column_append(sheet, sheet->places->columns[kind].added, row, text,
				  geography_format(text, number));
}

static bool
is_within(const Bounds *area, double x, double y)
{
	bool between = x >= area->west - MARGIN && x <= area->east + MARGIN;

	if (area->west > area->east)
		between = x >= area->west - MARGIN || x <= area->east + MARGIN;
	return between && y >= area->south - MARGIN && y <= area->north + MARGIN;
}

void
place_columns_unplaced(Sheet *sheet, unsigned row)
{
	Places *places = sheet->places;

	if (places->unplaced++ == 0)
		places->first_unplaced = sheet->sent + row + 1;
}

void
place_columns_points(Sheet *sheet, unsigned rows, PlacePoints *points)
{
	Places *places = sheet->places;

	if (places->system.system != NULL)
		(void) sheet->parse->options.systems->convert(places->system.system, points->longitude,
													  points->latitude, rows);
	for (unsigned i = 0; i < rows; i++)
	{
		double x = points->longitude[i];
		double y = points->latitude[i];

		if (!(fabs(x) <= 180 && fabs(y) <= 90))
		{
			points->longitude[i] = HUGE_VAL;
			if (points->some[i])
				place_columns_unplaced(sheet, i);
			continue;
		}
		places->columns[PLACES_LATITUDE].fitting++;
		places->columns[PLACES_LONGITUDE].fitting++;
		places->within += is_within(&places->system.area, x, y);
		put_number(sheet, PLACES_LONGITUDE, i, x);
		put_number(sheet, PLACES_LATITUDE, i, y);
	}
}

/* Convert a geometry into parse->cell, if there is room for it in the chunk. */
static bool
convert_shape(Sheet *sheet, NumberText cell, Extent *extent)
{
	const Column *added = sheet->places->columns[PLACES_GEOMETRY].added;
	Buffer *text = &sheet->parse->cell;
	WktConversion conversion = {sheet->parse->options.systems->convert,
								sheet->places->system.system, text};
	size_t size = sheet->kept_size + added->length + added->lengths_used;

	text->length = 0;
	text->failed = false;
	return wkt_read(cell.at, cell.length, extent, &conversion) && !extent->outside &&
		   !text->failed && text->length <= CONTENTS_CELL &&
		   size + text->length + CHUNK_ROWS <= ROW_MAXIMUM;
}

bool
place_columns_shape(Sheet *sheet, unsigned row, NumberText cell, Extent *extent)
{
	Places *places = sheet->places;
	const Buffer *text = &sheet->parse->cell;

	if (!convert_shape(sheet, cell, extent))
	{
		*extent = (Extent){0};
		place_columns_unplaced(sheet, row);
		return false;
	}
	places->within +=
		extent->any && is_within(&places->system.area, extent->west[0], extent->south);
	column_append(sheet, places->columns[PLACES_GEOMETRY].added, row, text->data, text->length);
	return true;
}

/* Write the names of the columns that are converted. */
static void
write_names(const Sheet *sheet, Buffer *buffer, const char *between)
{
	static const PlaceKind order[] = {PLACES_LONGITUDE, PLACES_LATITUDE, PLACES_GEOMETRY};
	bool any = false;

	for (size_t i = 0; i < lengthof(order); i++)
	{
		const PlaceColumn *column = &sheet->places->columns[order[i]];

		if (column->column == NULL || (any && order[i] == PLACES_GEOMETRY))
			continue;
		buffer_text(buffer, any ? between : "");
		buffer_json(buffer, column->column->name, strlen(column->column->name));
		any = true;
	}
}

/* Are nearly all places outside of the area of the system? */
static bool
is_outside(const Places *places)
{
	PlaceKind kind =
		places->columns[PLACES_LONGITUDE].column != NULL ? PLACES_LONGITUDE : PLACES_GEOMETRY;

	return places->system.system != NULL && places->within * 10 < places->columns[kind].fitting;
}

bool
place_columns_are_likely(const Places *places)
{
	return places->added > 0 && !places->swapped && !places->close && !is_outside(places);
}

/* Tell what may be wrong with the places or the system. */
static void
report_doubts(Sheet *sheet, const char *names)
{
	const Places *places = sheet->places;

	if (places->unclear)
		sheet_issue(
			sheet, sheet->head,
			"the letter O in \"%s\" may stand for west or for east, so that such longitudes are "
			"not converted",
			places->columns[PLACES_LONGITUDE].column->name);
	if (places->swapped)
		sheet_issue(
			sheet, sheet->head,
			"the latitudes in \"%s\" fit only as longitudes, and those in \"%s\" as latitudes: "
			"the columns may be swapped, and stay as they are",
			places->columns[PLACES_LATITUDE].column->name,
			places->columns[PLACES_LONGITUDE].column->name);
	else if (places->doubtful)
		sheet_issue(
			sheet, sheet->head,
			"the coordinates in %s are not converted, since a comma in them may stand before "
			"decimals or between thousands; parseOptions.decimal says which",
			names);
	else if (places->close)
		sheet_issue(sheet, sheet->head,
					"the coordinates in %s could be degrees, but those of \"%s\" are eastings and "
					"northings: parseOptions.crs may name another system",
					names, places->system.name);
	else if (is_outside(places))
		sheet_issue(
			sheet, sheet->head,
			"the places are not where \"%s\" is used: the coordinates in %s may be swapped, "
			"or in another system",
			places->system.name, names);
	if (places->unplaced > 0)
		sheet_issue(sheet, sheet->head,
					"the coordinates in %s of %llu rows cannot be converted, the first of which is "
					"row %llu",
					names, (unsigned long long) places->unplaced,
					(unsigned long long) places->first_unplaced);
}

/* Tell in the details what is converted, and from what. */
static void
report_conversion(Sheet *sheet)
{
	const Places *places = sheet->places;
	const char *crs = sheet->parse->options.crs;
	Buffer *details = &sheet->parse->details;

	buffer_text(details, ",\"coordinates\":{\"from\":[");
	write_names(sheet, details, ",");
	buffer_text(details, "]");
	if (places->parts)
		buffer_text(details, ",\"form\":\"degrees, minutes and seconds\"");
	if (places->system.system != NULL)
	{
		buffer_text(details, ",\"crs\":");
		buffer_json(details, crs, strlen(crs));
		buffer_text(details, ",\"system\":");
		buffer_json(details, places->system.name, strlen(places->system.name));
	}
	buffer_text(details, "}");
}

void
place_columns_end(Sheet *sheet)
{
	const Places *places = sheet->places;
	Buffer *names = &sheet->parse->cell;

	if (places->columns[PLACES_LONGITUDE].column == NULL &&
		places->columns[PLACES_GEOMETRY].column == NULL)
		sheet_issue(sheet, sheet->head,
					"parseOptions.crs has no effect, since no columns are called as those of "
					"coordinates, such as x and y, or wkt");
	if (places->added > 0)
		report_conversion(sheet);
	names->length = 0;
	names->failed = false;
	write_names(sheet, names, " and ");
	buffer_append(names, "", 1);
	if (places->system.system != NULL && places->added > 0 && *places->system.note != '\0')
		sheet_issue(sheet, sheet->head, "%s", places->system.note);
	report_doubts(sheet, names->failed ? "" : names->data);
}
