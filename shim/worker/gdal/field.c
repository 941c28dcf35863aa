/*
 * field.c - values of attributes as texts: dates as ISO 8601, lists as JSON, numbers as they are.
 */
#include <math.h>

#include "gdal/layers.h"
#include "geo/shape.h"
#include "text/text.h"

#define REAL_MAXIMUM 400  /* bytes of a number with fixed decimals */
#define FIXED_DECIMALS 10 /* of a number that programs write with all of them */
#define ZONE_UTC 100	  /* of OGR; each further step is a quarter of an hour */
#define ZONE_KNOWN 2	  /* below this one there is no zone */

void
field_text(const Layers *layers, const char *text, Buffer *buffer)
{
	char *from = (char *) (uintptr_t) text;
	size_t left = strlen(text);
	char piece[1024];

	if (!layers->raw || layers->converter == NO_CONVERTER)
	{
		buffer_append(buffer, text, left);
		return;
	}
	while (left > 0)
	{
		char *to = piece;
		size_t room = sizeof(piece);
		size_t before = left;

		(void) iconv(layers->converter, &from, &left, &to, &room);
		buffer_append(buffer, piece, (size_t) (to - piece));
		if (left == before || (left > 0 && room > 16))
		{
			/* a byte that the encoding does not have: not UTF-8 either, so that it is told */
			buffer_append(buffer, from, 1);
			from++;
			left--;
		}
	}
	(void) iconv(layers->converter, NULL, NULL, NULL, NULL);
}

/* Write a number in the fewest digits that give it back. */
static void
write_real(Buffer *cell, double number)
{
	char text[GEOGRAPHY_NUMBER];

	for (int digits = 15; digits <= 17; digits++)
	{
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	buffer_text(cell, text);
}

static void
write_number(Buffer *cell, OGRFeatureH feature, int number)
{
	OGRFieldDefnH field = OGR_F_GetFieldDefnRef(feature, number);
	double value = OGR_F_GetFieldAsDouble(feature, number);
	int decimals = OGR_Fld_GetPrecision(field);
	char text[REAL_MAXIMUM];

	if (OGR_Fld_GetWidth(field) > 0 && decimals <= FIXED_DECIMALS && fabs(value) < 1e15)
	{
		snprintf(text, sizeof(text), "%.*f", decimals, value);
		buffer_text(cell, text);
	}
	else
		write_real(cell, value);
}

/* Write the time of a day, and its zone. */
static void
write_time(Buffer *cell, int hour, int minute, double second, int zone)
{
	int quarters = abs(zone - ZONE_UTC);

	if (second - floor(second) < 0.0005)
		buffer_format(cell, "%02d:%02d:%02d", hour, minute, (int) second);
	else
		buffer_format(cell, "%02d:%02d:%06.3f", hour, minute, second);
	if (zone == ZONE_UTC)
		buffer_text(cell, "Z");
	else if (zone >= ZONE_KNOWN)
		buffer_format(cell, "%c%02d:%02d", zone < ZONE_UTC ? '-' : '+', quarters / 4,
					  quarters % 4 * 15);
}

static void
write_date(Buffer *cell, OGRFeatureH feature, int number, OGRFieldType type)
{
	int year;
	int month;
	int day;
	int hour;
	int minute;
	int zone;
	float second;

	if (!OGR_F_GetFieldAsDateTimeEx(feature, number, &year, &month, &day, &hour, &minute, &second,
									&zone))
		return;
	if (type != OFTTime)
		buffer_format(cell, "%04d-%02d-%02d", year, month, day);
	if (type == OFTDateTime)
		buffer_text(cell, "T");
	if (type != OFTDate)
		write_time(cell, hour, minute, second, zone);
}

/* Write a list as JSON. */
static void
write_list(Buffer *cell, OGRFeatureH feature, int number, OGRFieldType type)
{
	int count = 0;
	char **texts = type == OFTStringList ? OGR_F_GetFieldAsStringList(feature, number) : NULL;
	const int *small =
		type == OFTIntegerList ? OGR_F_GetFieldAsIntegerList(feature, number, &count) : NULL;
	const GIntBig *big =
		type == OFTInteger64List ? OGR_F_GetFieldAsInteger64List(feature, number, &count) : NULL;
	const double *reals =
		type == OFTRealList ? OGR_F_GetFieldAsDoubleList(feature, number, &count) : NULL;

	while (texts != NULL && texts[count] != NULL)
		count++;
	buffer_text(cell, "[");
	for (int i = 0; i < count; i++)
	{
		if (i > 0)
			buffer_text(cell, ",");
		if (texts != NULL)
			buffer_json(cell, texts[i], strlen(texts[i]));
		else if (reals != NULL)
			write_real(cell, reals[i]);
		else if (small != NULL)
			buffer_integer(cell, small[i]);
		else if (big != NULL)
			buffer_integer(cell, big[i]);
	}
	buffer_text(cell, "]");
}

void
field_write(const Layers *layers, OGRFeatureH feature, int number)
{
	OGRFieldDefnH field = OGR_F_GetFieldDefnRef(feature, number);
	OGRFieldType type = OGR_Fld_GetType(field);
	Buffer *cell = &layers->parse->cell;

	cell->length = 0;
	cell->failed = false;
	if (type == OFTInteger && OGR_Fld_GetSubType(field) == OFSTBoolean)
		buffer_text(cell, OGR_F_GetFieldAsInteger(feature, number) != 0 ? "true" : "false");
	else if (type == OFTInteger || type == OFTInteger64)
		buffer_format(cell, "%lld", (long long) OGR_F_GetFieldAsInteger64(feature, number));
	else if (type == OFTReal)
		write_number(cell, feature, number);
	else if (type == OFTDate || type == OFTTime || type == OFTDateTime)
		write_date(cell, feature, number, type);
	else if (type == OFTStringList || type == OFTIntegerList || type == OFTInteger64List ||
			 type == OFTRealList)
		write_list(cell, feature, number, type);
	else
		field_text(layers, OGR_F_GetFieldAsString(feature, number), cell);
}
