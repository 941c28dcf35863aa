/*
 * geo.c - fuzzing target: GeoJSON or KML, depending on the first byte; the second is the size of the
 * pieces in which the file is read.
 */
#include "frames.h"
#include "fuzz.h"
#include "geo/features.h"

void
fuzz_one(char *text, size_t length)
{
	if (length > 1)
		frames_check(text + 2, length - 2, (unsigned char) text[1] + 1U,
					 *text == 'k' ? kml_read : geojson_read);
}
