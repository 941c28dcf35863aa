/*
 * recent.c - the values of a column that were examined lately: the room for them.
 */
#include "rows/recent.h"

void
recent_begin(Recent *recent, Parse *parse, unsigned cells)
{
	if (recent->value == NULL && !recent->useless && cells >= RECENT_CELLS)
		recent->value = parse_allocate(parse, RECENT_VALUES * sizeof(RecentValue));
}

void
recent_end(Recent *recent, Parse *parse, unsigned cells)
{
	recent->useless |= recent->value != NULL && recent->found < cells / RECENT_USEFUL;
	recent->found = 0;
	if (!recent->useless)
		return;
	parse_release(parse, recent->value);
	recent->value = NULL;
}
