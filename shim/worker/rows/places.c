/*
 * places.c - the columns of a table that have places: those with the usual names and fitting values.
 *
 * A column is of places if nearly all of its cells fit, those that stand for no value apart.  Columns
 * may be called x and y in any table: unless a system is named, their numbers are degrees only if they
 * have decimals, and are not all about 0.
 */
#include <math.h>

#include "../../extension/rows/sheets/place_names.h"
#include "rows/places.h"

/* Nearly all cells are at least 9 of 10. */
#define NEARLY 9
#define NEARLY_OF 10

static const char *const usual_names[PLACES_KINDS][PLACE_NAMES + 1] = {
	[PLACES_LATITUDE] = LATITUDE_NAMES,
	[PLACES_LONGITUDE] = LONGITUDE_NAMES,
	[PLACES_GEOMETRY] = GEOMETRY_NAMES};

/* The column with a title. */
static Column *
titled_column(const Sheet *sheet, const char *title)
{
	for (unsigned i = 0; i < sheet->width; i++)
	{
		NumberText text = {sheet->columns[i]->title, sheet->columns[i]->title_length};

		number_trim(&text);
		if (text.length > 0 && profile_is_word(text.at, text.length, title))
			return sheet->columns[i];
	}
	return NULL;
}

/* Find a column by the names of its kind; of metres x and y are the most certain names. */
static void
find_column(const Sheet *sheet, Places *places, PlaceKind kind)
{
	const char *const *names = usual_names[kind];
	PlaceColumn *column = &places->columns[kind];
	unsigned count = 0;
	unsigned first = 0;

	while (names[count] != NULL)
		count++;
	if (places->system.system != NULL && !places->system.degrees && kind != PLACES_GEOMETRY)
		first = count - 1;
	for (unsigned i = 0; i < count && column->column == NULL; i++)
	{
		const char *name = names[(first + i) % count];

		column->column = titled_column(sheet, name);
		column->bare = !places->said && name[1] == '\0';
	}
}

void
places_find(Sheet *sheet)
{
	Places *places = parse_allocate(sheet->parse, sizeof(Places));
	PlaceColumn *columns = places->columns;

	places->decimal = DECIMALS;
	place_columns_find_system(sheet, places);
	for (PlaceKind kind = 0; kind < PLACES_KINDS; kind++)
		find_column(sheet, places, kind);
	if (columns[PLACES_LATITUDE].column == NULL || columns[PLACES_LONGITUDE].column == NULL)
		columns[PLACES_LATITUDE].column = columns[PLACES_LONGITUDE].column = NULL;
	if (columns[PLACES_LATITUDE].column != NULL || columns[PLACES_GEOMETRY].column != NULL ||
		places->said)
		sheet->places = places;
	else
		parse_release(sheet->parse, places);
}

static bool
is_nearly_all(uint64_t part, uint64_t all)
{
	return all > 0 && part * NEARLY_OF >= all * NEARLY;
}

/* Do nearly all cells of the columns of coordinates fit? */
static bool
have_fitting_cells(const Places *places)
{
	const PlaceColumn *columns = places->columns;

	return is_nearly_all(columns[PLACES_LATITUDE].fitting, columns[PLACES_LATITUDE].values) &&
		   is_nearly_all(columns[PLACES_LONGITUDE].fitting, columns[PLACES_LONGITUDE].values);
}

/* Do the coordinates fit only the other way round? */
static bool
are_swapped(const Places *places)
{
	const PlaceColumn *north = &places->columns[PLACES_LATITUDE];
	const PlaceColumn *east = &places->columns[PLACES_LONGITUDE];

	return !have_fitting_cells(places) && is_nearly_all(north->turned, north->values) &&
		   is_nearly_all(east->turned, east->values) && !north->bare && !east->bare &&
		   (places->system.system == NULL || places->system.degrees);
}

/* A row has been read: its places, if there are any, count. */
static void
close_place(Geography *geography)
{
	geography_keep(geography);
	geography->open = (Extent){0};
}

/* Forget what has been counted of the points. */
static void
count_anew(Places *places)
{
	for (PlaceKind kind = PLACES_LATITUDE; kind <= PLACES_LONGITUDE; kind++)
		places->columns[kind].values = places->columns[kind].fitting =
			places->columns[kind].turned = places->columns[kind].precise = 0;
}

/* Read the points of the first chunk, and find out what is to be converted. */
static void
look_at_points(Sheet *sheet, unsigned rows, PlacePoints *points)
{
	Places *places = sheet->places;

	place_columns_find_decimal(sheet, rows);
	place_cells_find_parts(sheet, rows);
	place_cells_points(sheet, rows, points);
	if (places->parts && places->system.system == NULL && !have_fitting_cells(places))
	{
		places->swapped = are_swapped(places);
		places->parts = false;
		count_anew(places);
		place_cells_points(sheet, rows, points);
	}
	place_columns_begin(sheet, rows, points);
}

static void
take_points(Sheet *sheet, unsigned rows)
{
	Places *places = sheet->places;
	PlacePoints points;

	if (!places->looked)
		look_at_points(sheet, rows, &points);
	else
		place_cells_points(sheet, rows, &points);
	if (places->added > 0)
		place_columns_points(sheet, rows, &points);
	for (unsigned i = 0; i < rows; i++)
	{
		if (!isfinite(points.longitude[i]))
			continue;
		geography_add(&places->points.open, points.longitude[i], points.latitude[i]);
		close_place(&places->points);
	}
}

static void
take_shapes(Sheet *sheet, unsigned rows)
{
	Places *places = sheet->places;
	PlaceColumn *column = &places->columns[PLACES_GEOMETRY];
	PlaceCells cells;
	NumberText cell;

	if (!places->looked && places->columns[PLACES_LONGITUDE].column == NULL)
		place_columns_begin(sheet, rows, NULL);
	cells = place_cells_begin(sheet->parse, column->column);
	for (unsigned i = 0; i < rows; i++)
	{
		Extent *extent = &places->shapes.open;

		if (!place_cells_next(&cells, &cell))
			continue;
		column->values++;
		if (column->added != NULL)
			column->fitting += place_columns_shape(sheet, i, cell, extent);
		else
			column->fitting += wkt_read(cell.at, cell.length, extent, NULL) && !extent->outside;
		close_place(&places->shapes);
	}
}

void
places_take(Sheet *sheet, unsigned rows)
{
	Places *places = sheet->places;

	if (places == NULL)
		return;
	if (places->columns[PLACES_LATITUDE].column != NULL)
		take_points(sheet, rows);
	if (places->columns[PLACES_GEOMETRY].column != NULL)
		take_shapes(sheet, rows);
	places->looked = true;
}

/* Are all places about longitude and latitude 0, as shares and other small numbers are? */
static bool
is_about_zero(const Extent *extent)
{
	return fabs(extent->west[0]) <= 1 && fabs(extent->east[0]) <= 1 && fabs(extent->south) <= 1 &&
		   fabs(extent->north) <= 1;
}

static bool
has_points(const Places *places)
{
	const PlaceColumn *columns = places->columns;
	bool bare = columns[PLACES_LATITUDE].bare || columns[PLACES_LONGITUDE].bare;

	if (columns[PLACES_LONGITUDE].added != NULL)
		return places->points.extent.any && place_columns_are_likely(places);
	for (PlaceKind kind = PLACES_LATITUDE; kind <= PLACES_LONGITUDE; kind++)
		if (columns[kind].bare && !is_nearly_all(columns[kind].precise, columns[kind].values))
			return false;
	return have_fitting_cells(places) && places->points.extent.any &&
		   !(bare && is_about_zero(&places->points.extent));
}

static bool
has_shapes(const Places *places)
{
	const PlaceColumn *column = &places->columns[PLACES_GEOMETRY];

	if (column->added != NULL)
		return places->shapes.extent.any && place_columns_are_likely(places);
	return places->shapes.extent.any && is_nearly_all(column->fitting, column->values);
}

/* The number of the column with the places of a kind, from 1. */
static unsigned
number_of(const Sheet *sheet, PlaceKind kind)
{
	const PlaceColumn *column = &sheet->places->columns[kind];
	const Column *wanted = column->added != NULL ? column->added : column->column;
	unsigned i = 0;

	while (i < sheet->width && sheet->columns[i] != wanted)
		i++;
	return i + 1;
}

/* Add the places of columns to those of the sheet. */
static void
add_places(Sheet *sheet, const Geography *geography)
{
	sheet->geography.open = geography->extent;
	geography_keep(&sheet->geography);
}

void
places_end(Sheet *sheet)
{
	Places *places = sheet->places;

	if (places == NULL)
		return;
	places->swapped |= are_swapped(places);
	if (has_points(places))
	{
		sheet->geography.latitude = number_of(sheet, PLACES_LATITUDE);
		sheet->geography.longitude = number_of(sheet, PLACES_LONGITUDE);
		add_places(sheet, &places->points);
	}
	if (has_shapes(places))
	{
		sheet->geography.geometry = number_of(sheet, PLACES_GEOMETRY);
		add_places(sheet, &places->shapes);
	}
	place_columns_end(sheet);
	parse_release(sheet->parse, places);
	sheet->places = NULL;
}
