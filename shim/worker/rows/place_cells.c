/*
 * place_cells.c - coordinates in the cells of a table.
 */
#include <math.h>

#include "rows/places.h"

#define DECIMALS_NEEDED 3 /* of numbers in columns called x and y */

static const double most[] = {[PLACES_LATITUDE] = 90, [PLACES_LONGITUDE] = 180};
static const char *const letters_of[] = {[PLACES_LATITUDE] = "NS", [PLACES_LONGITUDE] = "EWO"};
static const PlaceKind other[] = {
	[PLACES_LATITUDE] = PLACES_LONGITUDE, [PLACES_LONGITUDE] = PLACES_LATITUDE};

PlaceCells
place_cells_begin(const Parse *parse, const Column *column)
{
	return (PlaceCells){parse, column->lengths, column->bytes, column->rows};
}

bool
place_cells_next(PlaceCells *cells, NumberText *cell)
{
	size_t length = cells->left > 0 ? text_number(&cells->lengths) : 0;

	cells->left -= cells->left > 0;
	if (length <= 1)
		return false;
	*cell = (NumberText){cells->bytes, length - 1};
	cells->bytes += length - 1;
	number_trim(cell);
	return cell->length > 0 && !mark_is(cells->parse->options.missing, cell->at, cell->length);
}

/* How many digits stand behind the sign before decimals. */
static unsigned
count_decimals(NumberText cell)
{
	unsigned count = 0;

	while (cell.length > 0 && *cell.at != '.' && *cell.at != ',')
		number_pass(&cell, 1);
	while (count + 1 < cell.length && cell.at[count + 1] >= '0' && cell.at[count + 1] <= '9')
		count++;
	return count;
}

/* Parse a number with a sign before its decimals, and maybe signs between thousands. */
static bool
read_thousands(const Options *options, NumberText cell, char decimal, double *value)
{
	Number number = {0};
	bool good = number_read(&number, cell.at, cell.length, decimal, NULL) &&
				(options->thousands == '\0' || number.thousands == '\0' ||
				 number.thousands == options->thousands);

	*value = number.value;
	return good;
}

/* Parse a number by any sign that may stand before its decimals. */
static bool
read_number(const Sheet *sheet, NumberText cell, double *value)
{
	const Options *options = &sheet->parse->options;
	const Places *places = sheet->places;
	bool possible[DECIMALS];
	Number number;

	for (Decimal i = DECIMAL_POINT; i < DECIMALS; i++)
	{
		possible[i] = (options->decimal == '\0' || options->decimal == ".,"[i]) &&
					  options->thousands != ".,"[i] &&
					  (places->decimal == DECIMALS || places->decimal == i);
		if (!possible[i] || !number_read_plain(&number, cell.at, cell.length, ".,"[i]))
			continue;
		*value = number.value;
		return true;
	}
	/* degrees have no thousands */
	for (Decimal i = DECIMAL_POINT; places->said && i < DECIMALS; i++)
		if (possible[i] && read_thousands(options, cell, ".,"[i], value))
			return true;
	return false;
}

/* Letters of the longitudes in the first chunk. */
typedef struct Letters
{
	bool east;
	bool west;
	bool o;
} Letters;

/* Look for coordinates with parts in a column of the first chunk. */
static void
look_for_parts(Sheet *sheet, PlaceKind kind, unsigned rows, Letters *letters)
{
	Places *places = sheet->places;
	PlaceCells cells = place_cells_begin(sheet->parse, places->columns[kind].column);
	NumberText cell;
	Degrees degrees;
	double number;

	for (unsigned i = 0; i < rows; i++)
	{
		if (!place_cells_next(&cells, &cell) || read_number(sheet, cell, &number) ||
			!degrees_read(&degrees, cell))
			continue;
		places->parts = true;
		if (kind != PLACES_LONGITUDE)
			continue;
		letters->east |= degrees.letter == 'E';
		letters->west |= degrees.letter == 'W';
		letters->o |= degrees.letter == 'O';
	}
}

/* Is the title of the longitudes Spanish, in which O is west? */
static bool
is_spanish(const Places *places)
{
	const Column *column = places->columns[PLACES_LONGITUDE].column;
	NumberText title = {column->title, column->title_length};

	number_trim(&title);
	return profile_is_word(title.at, title.length, "longitud");
}

void
place_cells_find_parts(Sheet *sheet, unsigned rows)
{
	Places *places = sheet->places;
	Letters letters = {0};

	if (places->system.system != NULL && !places->system.degrees)
		return;
	for (PlaceKind kind = PLACES_LATITUDE; kind <= PLACES_LONGITUDE; kind++)
		look_for_parts(sheet, kind, rows, &letters);
	if (letters.west != letters.east)
		places->o_sign = letters.east ? -1 : 1;
	else if (!letters.east && is_spanish(places))
		places->o_sign = -1;
	places->unclear = letters.o && places->o_sign == 0;
}

/* May a coordinate of a kind have a letter? */
static bool
is_of(PlaceKind kind, char letter)
{
	return letter == '\0' || strchr(letters_of[kind], letter) != NULL;
}

/* Is a coordinate with parts one of the other kind? */
static bool
is_turned(PlaceKind kind, NumberText cell)
{
	Degrees degrees;

	return degrees_read(&degrees, cell) && is_of(other[kind], degrees.letter) &&
		   fabs(degrees.value) <= most[other[kind]];
}

/* Parse a coordinate with parts, whose letter is one of its column. */
static bool
read_parts(const Places *places, PlaceKind kind, NumberText cell, double *value)
{
	Degrees degrees;

	if (!places->parts || !degrees_read(&degrees, cell) || !is_of(kind, degrees.letter))
		return false;
	*value = degrees.value;
	if (degrees.letter == 'S' || degrees.letter == 'W')
		*value = -*value;
	else if (degrees.letter == 'O')
		*value *= places->o_sign;
	return degrees.letter != 'O' || places->o_sign != 0;
}

/* Take the value of a column of coordinates; false if it is none. */
static bool
take_value(Sheet *sheet, PlaceKind kind, NumberText cell, double *value)
{
	const Places *places = sheet->places;
	PlaceColumn *column = &sheet->places->columns[kind];
	bool number = read_number(sheet, cell, value);
	bool good = number || read_parts(places, kind, cell, value);

	column->values++;
	column->turned +=
		number ? fabs(*value) <= most[other[kind]] : places->parts && is_turned(kind, cell);
	if (places->system.system != NULL)
		return good;
	column->precise += good && column->bare && count_decimals(cell) >= DECIMALS_NEEDED;
	good = good && fabs(*value) <= most[kind];
	column->fitting += good;
	return good;
}

/* Take the next cell of a column of coordinates; false if it is none.  some: set if it has a value. */
static bool
take_coordinate(Sheet *sheet, PlaceKind kind, PlaceCells *cells, double *value, bool *some)
{
	NumberText cell;

	if (!place_cells_next(cells, &cell))
		return false;
	*some = true;
	return take_value(sheet, kind, cell, value);
}

/* Take two zeros, which fit wherever numbers do. */
static void
pass_zeros(Places *places, bool *some)
{
	*some = false;
	for (PlaceKind kind = PLACES_LATITUDE; kind <= PLACES_LONGITUDE; kind++)
		places->columns[kind].fitting += places->system.system != NULL;
}

void
place_cells_points(Sheet *sheet, unsigned rows, PlacePoints *points)
{
	PlaceColumn *columns = sheet->places->columns;
	PlaceCells latitudes = place_cells_begin(sheet->parse, columns[PLACES_LATITUDE].column);
	PlaceCells longitudes = place_cells_begin(sheet->parse, columns[PLACES_LONGITUDE].column);

	for (unsigned i = 0; i < rows; i++)
	{
		double *x = &points->longitude[i];
		double *y = &points->latitude[i];
		bool north;
		bool east;

		points->some[i] = false;
		north = take_coordinate(sheet, PLACES_LATITUDE, &latitudes, y, &points->some[i]);
		east = take_coordinate(sheet, PLACES_LONGITUDE, &longitudes, x, &points->some[i]);
		if (north && east && (*x != 0 || *y != 0))
			continue;
		/* two zeros stand for no place */
		if (north && east)
			pass_zeros(sheet->places, &points->some[i]);
		*x = *y = HUGE_VAL;
	}
}
