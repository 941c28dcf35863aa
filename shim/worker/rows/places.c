/*
 * places.c - the columns of a table that have places: those with the usual names and fitting values.
 *
 * A column is of coordinates if nearly all of its cells fit, those that stand for no value apart.  Two
 * columns may be called x and y in any table: their numbers are degrees only if they have decimals, and
 * are not all about 0.
 */
#include <math.h>

#include "../../extension/rows/sheets/place_names.h"
#include "rows/columns.h"

/* Nearly all cells are at least 9 of 10. */
#define NEARLY 9
#define NEARLY_OF 10
#define DECIMALS_NEEDED 3 /* of numbers in columns called x and y */

/* The kinds of columns with places. */
typedef enum Kind
{
	KIND_LATITUDE,
	KIND_LONGITUDE,
	KIND_GEOMETRY,
	KINDS
} Kind;

static const struct
{
	const char *names[PLACE_NAMES];
	double most; /* greatest absolute value */
} kinds[KINDS] = {[KIND_LATITUDE] = {LATITUDE_NAMES, 90},
				  [KIND_LONGITUDE] = {LONGITUDE_NAMES, 180},
				  [KIND_GEOMETRY] = {GEOMETRY_NAMES, 0}};

/* A column that may have places. */
typedef struct PlaceColumn
{
	const Column *column; /* NULL: there is none */
	bool bare;			  /* its name is of one letter */
	uint64_t values;	  /* cells with a value */
	uint64_t fitting;	  /* of these, that can be such a coordinate, or a geometry */
	uint64_t precise;	  /* of the values, numbers with enough decimals */
} PlaceColumn;

struct Places
{
	PlaceColumn columns[KINDS]; /* that of the latitude is there if that of the longitude is */
	Geography points;
	Geography shapes;
};

/* The cells of a column in the chunk, one after the other. */
typedef struct Cursor
{
	const unsigned char *lengths;
	const char *bytes;
	unsigned left;
} Cursor;

static Cursor
cursor_begin(const Column *column)
{
	return (Cursor){column->lengths, column->bytes, column->rows};
}

/* Read the next cell, without blanks around it; false if it has no value. */
static bool
cursor_next(Cursor *cursor, const Parse *parse, NumberText *cell)
{
	size_t length = cursor->left > 0 ? text_number(&cursor->lengths) : 0;

	cursor->left -= cursor->left > 0;
	if (length <= 1)
		return false;
	*cell = (NumberText){cursor->bytes, length - 1};
	cursor->bytes += length - 1;
	number_trim(cell);
	return cell->length > 0 && !mark_is(parse->options.missing, cell->at, cell->length);
}

static const Column *
find_column(const Sheet *sheet, Kind kind, bool *bare)
{
	for (size_t i = 0; i < PLACE_NAMES && kinds[kind].names[i] != NULL; i++)
		for (unsigned j = 0; j < sheet->width; j++)
		{
			const Column *column = sheet->columns[j];
			NumberText title = {column->title, column->title_length};

			number_trim(&title);
			if (title.length > 0 && profile_is_word(title.at, title.length, kinds[kind].names[i]))
			{
				*bare = title.length == 1;
				return column;
			}
		}
	return NULL;
}

void
places_find(Sheet *sheet)
{
	Places found = {0};

	for (Kind kind = 0; kind < KINDS; kind++)
		found.columns[kind].column = find_column(sheet, kind, &found.columns[kind].bare);
	if (found.columns[KIND_LATITUDE].column == NULL || found.columns[KIND_LONGITUDE].column == NULL)
		found.columns[KIND_LATITUDE].column = found.columns[KIND_LONGITUDE].column = NULL;
	if (found.columns[KIND_LATITUDE].column == NULL && found.columns[KIND_GEOMETRY].column == NULL)
		return;
	sheet->places = parse_allocate(sheet->parse, sizeof(Places));
	*sheet->places = found;
}

/* How many digits stand behind the sign before decimals. */
static unsigned
count_decimals(NumberText cell)
{
	unsigned count = 0;

	while (cell.length > 0 && *cell.at != '.' && *cell.at != ',')
		number_pass(&cell, 1);
	for (; count + 1 < cell.length; count++)
		if (cell.at[count + 1] < '0' || cell.at[count + 1] > '9')
			break;
	return count;
}

/* Parse a number, whatever sign stands before its decimals. */
static bool
read_number(const Parse *parse, NumberText cell, double *value)
{
	Number number;

	for (Decimal i = DECIMAL_POINT; i < DECIMALS; i++)
		if ((parse->options.decimal == '\0' || parse->options.decimal == ".,"[i]) &&
			number_read_plain(&number, cell.at, cell.length, ".,"[i]))
		{
			*value = number.value;
			return true;
		}
	return false;
}

/* Take the next cell of a column of coordinates; false if it is none. */
static bool
take_coordinate(Sheet *sheet, Kind kind, Cursor *cursor, double *value)
{
	PlaceColumn *column = &sheet->places->columns[kind];
	NumberText cell;

	if (!cursor_next(cursor, sheet->parse, &cell))
		return false;
	column->values++;
	if (!read_number(sheet->parse, cell, value))
		return false;
	column->precise += column->bare && count_decimals(cell) >= DECIMALS_NEEDED;
	if (!(fabs(*value) <= kinds[kind].most))
		return false;
	column->fitting++;
	return true;
}

/* A row has been read: its places, if there are any, count. */
static void
close_place(Geography *geography)
{
	geography_keep(geography);
	geography->open = (Extent){0};
}

static void
take_points(Sheet *sheet, unsigned rows)
{
	Places *places = sheet->places;
	Cursor cursors[] = {cursor_begin(places->columns[KIND_LATITUDE].column),
						cursor_begin(places->columns[KIND_LONGITUDE].column)};

	for (unsigned i = 0; i < rows; i++)
	{
		double latitude;
		double longitude;
		bool north = take_coordinate(sheet, KIND_LATITUDE, &cursors[KIND_LATITUDE], &latitude);
		bool east = take_coordinate(sheet, KIND_LONGITUDE, &cursors[KIND_LONGITUDE], &longitude);

		/* two zeros stand for no place */
		if (!north || !east || (latitude == 0 && longitude == 0))
			continue;
		geography_add(&places->points.open, longitude, latitude);
		close_place(&places->points);
	}
}

static void
take_shapes(Sheet *sheet, unsigned rows)
{
	Places *places = sheet->places;
	PlaceColumn *column = &places->columns[KIND_GEOMETRY];
	Cursor cursor = cursor_begin(column->column);
	NumberText cell;

	for (unsigned i = 0; i < rows; i++)
	{
		if (!cursor_next(&cursor, sheet->parse, &cell))
			continue;
		column->values++;
		column->fitting +=
			wkt_read(cell.at, cell.length, &places->shapes.open) && !places->shapes.open.outside;
		close_place(&places->shapes);
	}
}

void
places_take(Sheet *sheet, unsigned rows)
{
	Places *places = sheet->places;

	if (places == NULL)
		return;
	if (places->columns[KIND_LATITUDE].column != NULL)
		take_points(sheet, rows);
	if (places->columns[KIND_GEOMETRY].column != NULL)
		take_shapes(sheet, rows);
}

static bool
is_nearly_all(uint64_t part, uint64_t all)
{
	return all > 0 && part * NEARLY_OF >= all * NEARLY;
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
	bool bare = columns[KIND_LATITUDE].bare || columns[KIND_LONGITUDE].bare;

	for (Kind kind = KIND_LATITUDE; kind <= KIND_LONGITUDE; kind++)
		if (!is_nearly_all(columns[kind].fitting, columns[kind].values) ||
			(columns[kind].bare && !is_nearly_all(columns[kind].precise, columns[kind].values)))
			return false;
	return places->points.extent.any && !(bare && is_about_zero(&places->points.extent));
}

static bool
has_shapes(const Places *places)
{
	const PlaceColumn *column = &places->columns[KIND_GEOMETRY];

	return is_nearly_all(column->fitting, column->values) && places->shapes.extent.any;
}

/* The number of a column in the sheet, from 1. */
static unsigned
number_of(const Sheet *sheet, Kind kind)
{
	unsigned i = 0;

	while (i < sheet->width && sheet->columns[i] != sheet->places->columns[kind].column)
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
	if (has_points(places))
	{
		sheet->geography.latitude = number_of(sheet, KIND_LATITUDE);
		sheet->geography.longitude = number_of(sheet, KIND_LONGITUDE);
		add_places(sheet, &places->points);
	}
	if (has_shapes(places))
	{
		sheet->geography.geometry = number_of(sheet, KIND_GEOMETRY);
		add_places(sheet, &places->shapes);
	}
	parse_release(sheet->parse, places);
	sheet->places = NULL;
}
