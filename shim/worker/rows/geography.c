/*
 * geography.c - which columns of a sheet have places, and the extent of these.
 */
#include <math.h>

#include "rows/columns.h"

#define FRACTION 7			 /* decimals of a coordinate: a centimetre, in degrees */
#define SCALE 1e7			 /* ten to that power */
#define EXACT 900000000000.0 /* numbers up to this one are whole in 64 bits, scaled */

size_t
geography_format(char *text, double number)
{
	char digits[GEOGRAPHY_NUMBER];
	char *at = digits + sizeof(digits);
	long long scaled;
	unsigned long long left;

	if (!(fabs(number) < EXACT))
		return (size_t) snprintf(text, GEOGRAPHY_NUMBER, "%.15g", number);
	scaled = llround(number * SCALE);
	left = (unsigned long long) llabs(scaled);
	/* from the last digit on, without zeros behind; not printf(), since a map has millions of numbers */
	for (unsigned i = 0; i <= FRACTION || left > 0; i++, left /= 10)
	{
		if (i == FRACTION && at < digits + sizeof(digits))
			*--at = '.';
		if (left % 10 != 0 || at < digits + sizeof(digits) || i >= FRACTION)
			*--at = (char) ('0' + left % 10);
	}
	if (scaled < 0)
		*--at = '-';
	memcpy(text, at, (size_t) (digits + sizeof(digits) - at));
	return (size_t) (digits + sizeof(digits) - at);
}

/* Add a stretch of longitudes to those of 360 degrees from the least one on: where it leaves them, all of them. */
static void
add_longitudes(Extent *extent, unsigned range, double west, double east)
{
	static const double leasts[] = {-180, 0};
	double least = leasts[range];
	double turn = west < least ? 360 : east > least + 360 && west >= least + 360 ? -360 : 0;
	bool whole = east + turn > least + 360;
	double from = whole ? least : west + turn;
	double to = whole ? least + 360 : east + turn;

	extent->west[range] = extent->any ? fmin(extent->west[range], from) : from;
	extent->east[range] = extent->any ? fmax(extent->east[range], to) : to;
}

/* Add a place, and the longitudes from another one to it; most: degrees of a longitude. */
static void
add_place(Extent *extent, double from, double longitude, double latitude, double most)
{
	if (!(fabs(longitude) <= most && fabs(latitude) <= 90))
	{
		extent->outside = true;
		return;
	}
	for (unsigned range = 0; range < lengthof(extent->west); range++)
		add_longitudes(extent, range, fmin(from, longitude), fmax(from, longitude));
	extent->south = extent->any ? fmin(extent->south, latitude) : latitude;
	extent->north = extent->any ? fmax(extent->north, latitude) : latitude;
	extent->last = longitude;
	extent->any = true;
}

void
geography_add(Extent *extent, double longitude, double latitude)
{
	add_place(extent, longitude, longitude, latitude, 180);
}

void
geography_join(Extent *extent, bool joined, double longitude, double latitude)
{
	add_place(extent, joined && extent->any ? extent->last : longitude, longitude, latitude, 360);
}

void
geography_keep(Geography *geography)
{
	const Extent *row = &geography->open;
	Extent *all = &geography->extent;

	if (!row->any || row->outside)
		return;
	for (unsigned i = 0; i < lengthof(all->west); i++)
	{
		all->west[i] = all->any ? fmin(all->west[i], row->west[i]) : row->west[i];
		all->east[i] = all->any ? fmax(all->east[i], row->east[i]) : row->east[i];
	}
	all->south = all->any ? fmin(all->south, row->south) : row->south;
	all->north = all->any ? fmax(all->north, row->north) : row->north;
	all->any = true;
}

/* Append a member with the name of a column, if the sheet has it; the divider of the one that follows. */
static const char *
write_column(const Sheet *sheet, const char *divider, const char *member, unsigned column)
{
	Buffer *details = &sheet->parse->details;
	const char *name;

	if (column == 0 || column > sheet->width)
		return divider;
	name = sheet->columns[column - 1]->name;
	buffer_format(details, "%s\"%s\":", divider, member);
	buffer_json(details, name, strlen(name));
	return ",";
}

static double
rounded(double degrees)
{
	/* + 0 makes 0 of -0 */
	return round(degrees * SCALE) / SCALE + 0;
}

/* A longitude of 0 to 360 as one of -180 to 180. */
static double
usual(double longitude)
{
	return longitude > 180 ? longitude - 360 : longitude;
}

static void
write_extent(const Extent *extent, Buffer *details, const char *divider)
{
	bool shifted = extent->east[1] - extent->west[1] < extent->east[0] - extent->west[0];

	if (extent->any)
		buffer_format(details, "%s\"extent\":[%.10g,%.10g,%.10g,%.10g]", divider,
					  rounded(usual(extent->west[shifted])), rounded(extent->south),
					  rounded(usual(extent->east[shifted])), rounded(extent->north));
}

void
geography_write(Sheet *sheet)
{
	const Geography *geography = &sheet->geography;
	Buffer *details = &sheet->parse->details;
	const char *divider = "";

	if (geography->foreign || geography->longitude + geography->geometry == 0)
		return;
	buffer_text(details, ",\"geography\":{");
	divider = write_column(sheet, divider, "longitude", geography->longitude);
	divider = write_column(sheet, divider, "latitude", geography->latitude);
	divider = write_column(sheet, divider, "geometry", geography->geometry);
	write_extent(&geography->extent, details, divider);
	buffer_text(details, "}");
}
