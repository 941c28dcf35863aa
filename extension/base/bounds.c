/*
 * bounds.c
 *	  Rectangles in degrees.
 */
#include "catalogue.h"

#include "base/base.h"
#include "base/bounds.h"

void
cat_bounds_extend(Bounds *bounds, double longitude, double latitude)
{
	bounds->west = Min(bounds->west, longitude);
	bounds->east = Max(bounds->east, longitude);
	bounds->south = Min(bounds->south, latitude);
	bounds->north = Max(bounds->north, latitude);
}

pg_noreturn static void
refuse(const char *value)
{
	cat_query_string_refuse("bbox", value, "It takes west,south,east,north in degrees.");
}

Bounds
cat_bounds_read(const char *value)
{
	Bounds bounds = {0};
	double *numbers[] = {&bounds.west, &bounds.south, &bounds.east, &bounds.north};
	List *parts = cat_query_string_split(value, ',');

	if (list_length(parts) != lengthof(numbers))
		refuse(value);
	for (size_t i = 0; i < lengthof(numbers); i++)
	{
		const char *part = list_nth(parts, (int) i);

		if (!cat_literal_number(part))
			refuse(value);
		*numbers[i] = strtod(part, NULL);
	}
	if (bounds.south > bounds.north)
		refuse(value);
	return bounds;
}
