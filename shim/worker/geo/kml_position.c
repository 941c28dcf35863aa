/*
 * kml_position.c - the position of a point in KML.
 */

#include "geo/kml_position.h"

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void
kml_trim(const char **from, const char **to)
{
	while (*from < *to && is_space(**from))
		++*from;
	while (*from < *to && is_space((*to)[-1]))
		--*to;
}

/* The end of the first position: white space that is not beside a comma divides positions. */
static const char *
position_end(const char *from, const char *to)
{
	for (const char *at = from; at < to; at++)
	{
		const char *next = at;

		while (next < to && is_space(*next))
			next++;
		if (next > at && at[-1] != ',' && *next != ',')
			return at;
		at = next;
	}
	return to;
}

void
kml_position(Features *features, const char *from, const char *to)
{
	const char *first = position_end(from, to);

	if (first < to)
		features_tell(features, "the point has several positions, and the first was taken");
	to = first;
	for (unsigned axis = 0; from < to; axis++)
	{
		const char *comma = memchr(from, ',', (size_t) (to - from));
		const char *end = comma == NULL ? to : comma;
		const char *next = comma == NULL ? to : comma + 1;

		kml_trim(&from, &end);
		features_position(features, axis, from, (size_t) (end - from));
		from = next;
	}
}
